#!/bin/sh
test_description='best fit inside the real slurmctld: on, shadow, off, and back to the stock plugin'
. "$WT_SRCDIR/t/setup.sh"

# 72 nodes: 12 leaves of 6, 2 switches of 6 leaves.
log="$WINDTUNNEL_STATE/p/ctld/slurmctld.log"
conf="$WINDTUNNEL_STATE/p/slurm.conf"
. "$WT_SRCDIR/t/bestfit.sh"
in_cluster() { windtunnel cluster exec p -- "$@"; }
# submit OPTIONS...: the job's number.
submit() { in_cluster sbatch --parsable --output=/dev/null "$@" --wrap "sleep 1000"; }
running() { in_cluster squeue -h -t R -o %i | grep -qx "$1"; }
nodes_of() { in_cluster squeue -h -j "$1" -o %N; }
run_job() { job=$(submit "$@") && wt_poll 20 running "$job" && nodes_of "$job"; }
mode_is() { lately | grep "bestfit: mode=" | tail -n 1 | grep -q "mode=$1"; }
mode_set() { sed -i "s/bestfit=[a-z]*/bestfit=$1/" "$conf" && reconfigure && wt_poll 10 mode_is "$1"; }
clear_jobs() { in_cluster scancel -u "$(id -un)" && wt_poll 30 idle; }
idle() { [ "$(in_cluster sinfo -h -t idle -o %D)" = 72 ] && [ -z "$(in_cluster squeue -h)" ]; }
# Leaf 0 keeps 3 free nodes, leaf 1 5, leaf 2 6; all others are taken, by name.
fragment() {
	run_job -N 3 --exclusive -w "n[0-2]" >/dev/null && run_job -N 1 --exclusive -w n6 >/dev/null &&
	run_job -N 54 --exclusive -w "n[18-71]" >/dev/null
}
leaf_job() { run_job -n $((6 * $(cat cpus))) --exclusive; }
restart() { wt_daemon_restart "$WINDTUNNEL_STATE/p" slurmctld && wt_poll 60 in_cluster scontrol ping; }

test_expect_success 'bad --plugin names and conflicting settings are refused before anything starts' '
	test_expect_code 2 windtunnel cluster up p --nodes 4 --plugin worstfit 2>err && grep -q "worstfit.*bestfit" err &&
	test_expect_code 2 windtunnel cluster up p --nodes 4 --plugin bestfit --plugin straggler 2>err &&
	grep -q "bestfit. or .straggler" err &&
	test_expect_code 2 windtunnel cluster up p --nodes 4 --plugin bestfit --set PluginDir=/x --keep PluginDir 2>err &&
	grep -q PluginDir err &&
	test_expect_code 2 windtunnel cluster up p --nodes 4 --plugin bestfit --set SelectType=select/linear 2>err &&
	test_expect_code 1 env WT_PLUGINDIR=/nonexistent windtunnel cluster up p --nodes 4 --plugin bestfit 2>err &&
	grep -q "no select_cons_tres.so in /nonexistent" err
'
test_expect_success 'a plugin that slurmctld does not take is an error, not a run with the stock one' '
	mkdir "$WT_TMP/alien" && echo "no plugin" >"$WT_TMP/alien/select_cons_tres.so" &&
	test_expect_code 1 env WT_PLUGINDIR="$WT_TMP/alien" windtunnel cluster up p --nodes 4 --plugin bestfit \
		--quiet 2>err &&
	grep -q "did not load.*alien" err
'
test_expect_success 'a cluster with the plugin starts, and slurmctld says which version it has loaded' '
	windtunnel topology generate fattree --arity 6,6,2 -o tree.conf &&
	windtunnel cluster up p --nodes 72 --topology tree.conf --plugin bestfit \
		--quiet --set SchedulerParameters=batch_sched_delay=0,bestfit_report=1 &&
	grep "bestfit: version .* for Slurm 2.* loaded from" "$log" && grep "bestfit: mode=on" "$log"
'
test_expect_success 'the plugin brings no library into slurmctld: it needs the C library, and the one that it stands for' '
	ldd "$WT_BUILDDIR/plugins/select_bestfit/slurm/select_cons_tres.so" >libraries &&
	grep "select_cons_tres.so =>" libraries &&
	grep -v -e linux-vdso -e ld-linux -e "libc\.so" -e "libm\.so" -e select_cons_tres.so libraries >more || : &&
	wt_empty more
'
# Slurm 22.05 scatters it over three leaves; where the topology plugin chooses, it finds the leaf, too.
test_expect_success 'a job of CPUs as many as a leaf has is not scattered over three leaves' '
	in_cluster scontrol -o show node n40 | grep -o "CPUTot=[0-9]*" | cut -d= -f2 >cpus &&
	mode_set off && fragment && leaf_job >stock &&
	{ ! test_have_prereq QUICK || test "$(cat stock)" != "n[12-17]"; } && clear_jobs &&
	mode_set on && fragment && in_cluster sbatch --test-only -n $((6 * $(cat cpus))) --exclusive --wrap true 2>plan &&
	grep "on nodes n\[12-17\] " plan && leaf_job >got && echo "n[12-17]" >want && test_cmp want got
'
test_expect_success 'the tightest leaf that holds a job of nodes' '
	run_job -N 5 --exclusive >got && echo "n[7-11]" >want && test_cmp want got && clear_jobs && fragment &&
	run_job -N 3 --exclusive >got && echo "n[3-5]" >want && test_cmp want got
'
test_expect_success 'CPUs of shared nodes are placed best-fit, too' '
	clear_jobs && run_job -n 1 -N 1 >/dev/null && run_job -n $(($(cat cpus) + 1)) >got &&
	test "$(in_cluster scontrol show hostnames "$(cat got)" | wc -l)" = 2 && test "$(counter chosen)" -ge 3
'
# 24 free nodes below switch 0 and 36 below switch 1.  Alone, a job of 12 is on the tighter switch; two of 24 behind it
# would share one then.
switches_of() {
	nodes_of "$1" | xargs -I{} windtunnel cluster exec p -- scontrol show hostnames {} |
		awk '{ print int(substr($1, 2) / 36) }' | sort -u
}
tie_set() { sed -i "s/bestfit=on[a-z_,=]*/bestfit=on$1/" "$conf" && reconfigure; }
small_first() {
	in_cluster scontrol update partitionname=main state=down && small=$(submit --exclusive -N 12) &&
	for other; do large="$large $(submit --exclusive -N "$other")" || return; done &&
	in_cluster scontrol update partitionname=main state=up && wt_poll 20 running "$small" &&
	for job in $large; do wt_poll 20 running "$job" || return; done
}
test_expect_success 'with bestfit_tie=pack a job spares the switch that the next ones in the queue need' '
	clear_jobs && tie_set ,bestfit_tie=pack && run_job --exclusive -N 12 -w "n[0-11]" >/dev/null &&
	large= && small_first && test "$(switches_of "$small")" = 0 &&
	in_cluster scancel "$small" && wt_poll 20 eval "! running $small" &&
	wt_poll 20 eval "[ \$(in_cluster sinfo -h -t idle -o %D) = 60 ]" &&
	small_first 24 24 && test "$(switches_of "$small")" = 1 &&
	test "$(for job in $large; do switches_of "$job"; done | wc -l)" = 2 &&
	clear_jobs && tie_set "" && run_job -N 1 >/dev/null
'
test_expect_success 'clients of Slurm work as ever' '
	in_cluster sinfo -s | grep -q "main" && in_cluster scontrol show config | grep -q "SelectType.*select/cons_tres" &&
	in_cluster scontrol show job | grep -q "JobState=RUNNING" && in_cluster squeue --start &&
	in_cluster sbatch --test-only -N 2 --wrap true && in_cluster scontrol create reservation reservationname=r1 \
		starttime=now+3600 duration=10 nodecnt=2 users=root flags=ignore_jobs &&
		in_cluster scontrol show reservation | grep -q NodeCnt=2 &&
	in_cluster scontrol delete reservationname=r1
'
test_expect_success 'a restart without the plugin, and back, loses no job and no node' '
	in_cluster squeue -h -o "%i %N %T" | sort >before && cp "$conf" with.conf &&
	sed -i -e "/^PluginDir=/d" "$conf" && restart && in_cluster squeue -h -o "%i %N %T" | sort >without &&
	test_cmp before without && ! lately | grep "bestfit: version" &&
	cp with.conf "$conf" && restart && in_cluster squeue -h -o "%i %N %T" | sort >after && test_cmp before after &&
	lately | grep "bestfit: version"
'
test_expect_success 'jobs that Slurm places by rules of its own are left to it, counted, and run' '
	clear_jobs && run_job -N 2 -w "n[3,50]" >got && echo "n[3,50]" >want && test_cmp want got &&
	run_job -N 3 --contiguous && run_job -N 2 --switches=1 && run_job -N 4 --spread-job &&
	run_job -N 2 --exclusive=user &&
	run_job -n 1 -O && counters &&
	for reason in required-nodes contiguous spread sharing overcommit; do
		test "$(counter $reason)" -ge 1 || return 1
	done
'
test_expect_success 'shadow mode changes nothing and counts how the choices differ' '
	clear_jobs && mode_set off && fragment && leaf_job >stock && run_job -N 8 --exclusive >>stock &&
	clear_jobs && mode_set shadow && fragment && leaf_job >shadow && run_job -N 8 --exclusive >>shadow &&
	test_cmp stock shadow && counters &&
	if test_have_prereq QUICK; then
		test "$(counter shadow-fewer)" -ge 1 && grep "bestfit: shadow: JobId=.*: fewer" "$log"
	else	# the leaf is Slurm'\''s choice, too; t0519 has another difference
		test "$(counter shadow-same)" -ge 1
	fi
'
test_expect_success 'the kill switch: off by reconfigure, no decision from then on; a wrong word is off, too' '
	clear_jobs && mode_set off && counter decisions >before && run_job -N 5 --exclusive && counter decisions >after &&
	test_cmp before after && mode_set on && run_job -N 5 --exclusive && test "$(counter decisions)" -gt "$(cat after)" &&
	sed -i "s/bestfit=[a-z]*/bestfit=maybe/" "$conf" &&
	reconfigure && wt_poll 10 grep "bestfit=maybe.*is not known" "$log" && wt_poll 10 mode_is off
'
test_expect_success 'slurmctld has logged no error of ours but that one' '
	grep "error: windtunnel" "$log" | grep -v "bestfit=maybe" >out || : && wt_empty out
'
test_done
