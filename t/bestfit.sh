# Sourced after t/setup.sh by scripts of best fit inside slurmctld, whose log is $log, and whose clients run by in_cluster.
# Where Slurm asks select/cons_tres (22.05) tests of jobs can be quick (QUICK).  Where it asks the topology plugin (24.05 on)
# they are not; there "scontrol reconfigure" has slurmctld execute itself anew, so that the counters begin again, unlogged.
# With bestfit_report=1 they are logged after each decision, on both.
if ! [ -e "$WT_BUILDDIR/plugins/select_bestfit/slurm/select_cons_tres.so" ]; then
	skip_all='there is no best fit for this release of Slurm'
	test_done
fi
[ -e "$WT_BUILDDIR/plugins/select_bestfit/slurm/topology_tree.so" ] || test_set_prereq QUICK
# quick_only: the whole script is about quick tests.
quick_only() {
	if ! test_have_prereq QUICK; then
		skip_all='tests of jobs are not quick on this release of Slurm, which asks the topology plugin'
		test_done
	fi
}
# What slurmctld's present process has logged.
lately() { tac "$log" | sed '/slurmctld version .* started/q' | tac; }
counters() { lately | grep "bestfit: counters:" | tail -n 1; }
counter() { counters | grep -o " $1=[0-9]*" | cut -d= -f2 | grep . || echo 0; }
# It returns before that has begun.
reconfigure() {
	starts=$(grep -c "slurmctld version .* started" "$log") && in_cluster scontrol reconfigure || return
	test_have_prereq QUICK || wt_poll 60 started_since "$starts"
}
started_since() { [ "$(grep -c "slurmctld version .* started" "$log")" -gt "$1" ]; }
# counters_log: some are counted after the decision that logs them: have them logged once more.
counters_log() {
	if test_have_prereq QUICK; then
		lines=$(grep -c "bestfit: counters:" "$log") && in_cluster scontrol reconfigure &&
			wt_poll 20 eval '[ "$(grep -c "bestfit: counters:" "$log")" -gt "$lines" ]'
	else
		in_cluster sbatch --test-only -N 1 --wrap true 2>/dev/null
	fi
}
