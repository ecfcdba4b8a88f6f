#!/bin/sh
test_description='best fit inside slurmctld: jobs that wait for nodes that complete'
. "$WT_SRCDIR/t/setup.sh"

# 108 nodes: 18 leaves of 6, 3 switches of 6 leaves.  slurmd spreads the messages of jobs on more than 64 nodes: here a node
# of the large job is given back every 6 s.
log="$WINDTUNNEL_STATE/p/ctld/slurmctld.log"
in_cluster() { windtunnel cluster exec p -- "$@"; }
. "$WT_SRCDIR/t/bestfit.sh"
submit() { in_cluster sbatch --parsable --output=/dev/null --exclusive "$@" --wrap "sleep 1000"; }
running() { [ "$(in_cluster squeue -h -j "$1" -o %t)" = R ]; }
run_job() { job=$(submit "$@") && wt_poll 30 running "$job" && echo "$job"; }
leaves_of() {
	in_cluster scontrol show hostnames "$(in_cluster squeue -h -j "$1" -o %N)" |
		awk '{ leaves += !seen[int(substr($0, 2) / 6)]++ } END { print leaves }'
}

test_expect_success 'nobody waits where no node completes' '
	windtunnel topology generate fattree --arity 6,6,3 -o tree.conf &&
	set -- bestfit=on,bestfit_report=1,bestfit_wait_completing=120,bf_interval=1 &&
	set -- "$1,sched_interval=300,batch_sched_delay=0" &&
	windtunnel cluster up p --nodes 108 --topology tree.conf --plugin bestfit --quiet --set EpilogMsgTime=6000000 \
		--set "SchedulerParameters=$1" &&
	large=$(run_job -N 72 -w "n[36-107]") && run_job -N 18 -w "n[18-35]" >/dev/null &&
	run_job -N 3 -w "n[0-2]" >/dev/null && run_job -N 3 -w "n[6-8]" >/dev/null &&
	run_job -N 3 -w "n[12-14]" >/dev/null &&
	job=$(run_job -N 4) && test "$(leaves_of "$job")" = 2 &&
	counters_log && counters | grep held-jobs= && test "$(counter held-jobs)" = 0
'
test_expect_success 'a job waits for nodes that complete, and takes one leaf of them' '
	in_cluster scancel "$large" && wt_poll 20 eval "in_cluster sinfo -h -t comp -o %D | grep ." &&
	job=$(submit -N 5) && wt_poll 150 running "$job" && leaves_of "$job" >leaves && counters_log &&
	{ test "$(cat leaves)" = 1 && test "$(counter held-jobs)" = 1 && test "$(counter held-better)" -ge 1 ||
		{ cat leaves && counters && in_cluster scontrol show job "$job" && false; }; }
'
test_expect_success 'slurmctld has logged no error of ours' '
	grep "error: windtunnel" "$log" >out || : && wt_empty out
'
test_done
