#!/bin/sh
test_description='windtunnel topology score --live: the jobs of a cluster that runs, by the tree that its slurmctld has'
. "$WT_SRCDIR/t/setup.sh"

in_cluster() { windtunnel cluster exec v -- "$@"; }
# run NODES OPTIONS...: a job that runs on these nodes
run() {
	nodes=$1
	shift
	job=$(in_cluster sbatch --parsable --output=/dev/null -w "$nodes" "$@" --wrap "sleep 1000") || return
	wt_poll 30 eval '[ "$(in_cluster squeue -h -t R -j "$job" -o %N)" = "$nodes" ]'
}
score() { in_cluster windtunnel topology score --live --json "$@"; }

test_expect_success 'without a cluster, or with a run as well, it says so' '
	test_expect_code 1 env SLURM_CONF=/nonexistent windtunnel topology score --live 2>err &&
	grep -q "/nonexistent" err &&
	test_expect_code 2 windtunnel topology score --live somewhere 2>err && grep -q "not both" err
'
test_expect_success 'a cluster with 16 nodes below 4 leaves and 2 switches' '
	windtunnel topology generate fattree --arity 4,2,2 -o tree.conf &&
	windtunnel cluster up v --nodes 16 --topology tree.conf --set ReturnToService=1 \
		--set SchedulerParameters=batch_sched_delay=0 --quiet &&
	cpus=$(in_cluster scontrol show node n0 -o | grep -o "CPUTot=[0-9]*" | cut -d= -f2) && test "$cpus" -ge 4
'
test_expect_success 'no job yet: that is an error in words' '
	test_expect_code 1 score 2>err && grep -q "no job in it has nodes" err
'
# One leaf; two nodes of different switches, though there is room for both on one leaf.
test_expect_success 'whole nodes: one job is well placed, and one is not' '
	run "n[0-3]" -N 4 --exclusive && run "n[4,8]" -N 2 --exclusive && score >out 2>err &&
	jq -e ".jobs == 2 and .all_levels == {optimal_absolute: 1, optimal_relative: 1} and
		.levels[1].optimal_absolute == 1" out
'
# On n12 and n13, of half their CPUs each; what is left of n12 holds the next one.
test_expect_success 'shared nodes: each node gave what slurmctld says' '
	half=$((cpus / 2)) && run "n[12-13]" -N 2 -n 2 --ntasks-per-node=1 -c "$half" &&
	run n12 -n 1 -c "$((cpus - half))" &&
	score --unit cpus >out 2>err && jq -e ".jobs == 4 and .levels[0].optimal_absolute == 3" out &&
	! grep -q "not free by the record" err
'
test_expect_success 'a tree may be given all the same, and pending jobs are named' '
	in_cluster sbatch --output=/dev/null -N 16 --exclusive --wrap "sleep 1" >/dev/null &&
	score -t tree.conf --unit cpus >out 2>err &&
	jq -e ".jobs == 4" out && grep -q "1 jobs never had nodes" err
'
# n5 and n6 are down, n9 is drained: no leaf has three free nodes any more, and none had more than two when the job before
# them came.
test_expect_success 'nodes that are down or drained are not free since then' '
	in_cluster scancel -t PD -u "$(id -un)" && score --unit nodes >before 2>err && ! grep -q "down or drained" err &&
	in_cluster scontrol update nodename="n[5-6]" state=down reason=test &&
	in_cluster scontrol update nodename=n9 state=drain reason=test &&
	run "n[7,14-15]" -N 3 --exclusive && score --unit nodes >out 2>err && grep -q "3 nodes are down or drained" err &&
	jq -e --slurpfile b before ".jobs == \$b[0].jobs + 1 and
		.levels[0].optimal_relative == \$b[0].levels[0].optimal_relative + 1 and
		.levels[0].optimal_absolute == \$b[0].levels[0].optimal_absolute" out
'
windtunnel cluster down v >/dev/null 2>&1
test_done
