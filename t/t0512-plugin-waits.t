#!/bin/sh
test_description='best fit inside slurmctld: jobs that wait for a better place, and never too long'
. "$WT_SRCDIR/t/setup.sh"

# 72 nodes: 12 leaves of 6, 2 switches of 6 leaves.
log="$WINDTUNNEL_STATE/p/ctld/slurmctld.log"
conf="$WINDTUNNEL_STATE/p/slurm.conf"
. "$WT_SRCDIR/t/bestfit.sh"
in_cluster() { windtunnel cluster exec p -- "$@"; }
submit() { in_cluster sbatch --parsable --output=/dev/null "$@" --wrap "sleep 1000"; }
running() { [ "$(in_cluster squeue -h -j "$1" -o %t)" = R ]; }
nodes_of() { in_cluster squeue -h -j "$1" -o %N; }
run_job() { job=$(submit "$@") && wt_poll 30 running "$job" && echo "$job"; }
idle() { [ "$(in_cluster sinfo -h -t idle -o %D)" = 72 ] && [ -z "$(in_cluster squeue -h)" ]; }
clear_jobs() { in_cluster scancel -u "$(id -un)" && wt_poll 60 idle; }
now() { counters_log && counter "$1"; }
held() { [ "$(now held-jobs)" -gt "$1" ]; }
wait_set() { sed -i "s/bestfit_wait=[0-9:]*/bestfit_wait=$1/" "$conf" && reconfigure; }
# Leaves 0, 1 and 2 have 3 free nodes each; $filler has leaf 3, and other jobs all else.
fragment() {
	for leaf in 0 6 12; do
		run_job -N 3 --exclusive -w "n[$leaf-$((leaf + 2))]" >/dev/null || return 1
	done
	filler=$(run_job -N 6 --exclusive -w "n[18-23]") && run_job -N 48 --exclusive -w "n[24-71]" >/dev/null
}
waited_s() {	# from submission to start
	in_cluster squeue -h -j "$1" -o "%V %S" | { read -r submit start &&
		echo $(($(date -d "$start" +%s) - $(date -d "$submit" +%s))); }
}

test_expect_success 'a cluster on which jobs may wait 4 s' '
	windtunnel topology generate fattree --arity 6,6,2 -o tree.conf &&
	windtunnel cluster up p --nodes 72 --topology tree.conf --plugin bestfit --quiet \
		--set SchedulerParameters=bestfit=on,bestfit_report=1,bestfit_wait=4,bf_interval=1,sched_interval=300 \
		--set SchedulerParameters+=batch_sched_delay=0
'
test_expect_success 'without a better place it starts when its time is up, on as few leaves as there are' '
	fragment && before=$(now held-jobs) && job=$(submit -N 5 --exclusive) && wt_poll 10 held "$before" &&
	wt_poll 60 running "$job" && test "$(waited_s "$job")" -ge 3 && nodes_of "$job" >got &&
	test "$(now held-expired)" -ge 1
'
test_expect_success 'a job that finds the least number of leaves does not wait' '
	in_cluster scancel "$job" && wt_poll 30 eval "! running $job" && before=$(now held-jobs) &&
	run_job -N 3 --exclusive &&
	test "$(now held-jobs)" = "$before"
'
test_expect_success 'a better place that comes up while it waits is taken at once' '
	clear_jobs && wait_set 3600 && fragment && before=$(now held-jobs) && job=$(submit -N 5 --exclusive) &&
	wt_poll 20 held "$before" && ! running "$job" && in_cluster scancel "$filler" && wt_poll 60 running "$job" &&
	nodes_of "$job" | grep "^n\[\(18-22\|19-23\)\]\$" && test "$(now held-better)" -ge 1
'
test_expect_success 'waits for the level above only' '
	clear_jobs && wait_set 0:3600 && fragment && before=$(now held-jobs) && run_job -N 5 --exclusive >/dev/null &&
	test "$(now held-jobs)" = "$before"
'
test_expect_success 'jobs of srun and salloc never wait, not even with --immediate' '
	clear_jobs && wait_set 3600 && fragment && before=$(now held-jobs) &&
	in_cluster salloc --immediate=60 -N 5 --exclusive true && test "$(now held-jobs)" = "$before"
'
test_expect_success 'what no idle machine could give is not waited for' '
	clear_jobs && in_cluster scontrol update nodename="n[0-2,6-8,12-14,18-20,24-71]" state=drain reason=test &&
	before=$(now held-jobs) && run_job -N 5 --exclusive >/dev/null && test "$(now held-jobs)" = "$before" &&
	in_cluster scontrol update nodename="n[0-2,6-8,12-14,18-20,24-71]" state=resume && clear_jobs &&
	before=$(now held-jobs) &&
	run_job -N 5 --exclusive -x "n[0-2,6-8,12-14,18-20,24-71]" >/dev/null && test "$(now held-jobs)" = "$before"
'
test_expect_success 'nor is a place on heavier nodes, which the job would not get' '
	clear_jobs && in_cluster scontrol update nodename="n[0-2,6-8,12-14,18-20,24-71]" weight=9 &&
	before=$(now held-jobs) &&
	job=$(run_job -N 5 --exclusive) && nodes_of "$job" && test "$(now held-jobs)" = "$before" &&
	in_cluster scontrol update nodename="n[0-2,6-8,12-14,18-20,24-71]" weight=1
'
test_expect_success 'a job that waits is not lost by a restart, and starts when waits are turned off' '
	clear_jobs && fragment && before=$(now held-jobs) && job=$(submit -N 5 --exclusive) &&
	wt_poll 20 held "$before" &&
	wt_daemon_restart "$WINDTUNNEL_STATE/p" slurmctld && wt_poll 60 in_cluster scontrol ping &&
	test "$(in_cluster squeue -h -j "$job" -o %t)" = PD &&
	wait_set 0 && wt_poll 60 running "$job"
'
test_expect_success 'cores of shared nodes wait, too' '
	clear_jobs && wait_set 3600 && fragment && before=$(now held-jobs) && job=$(submit -n 64) &&
	wt_poll 20 held "$before" &&
	in_cluster scancel "$filler" && wt_poll 60 running "$job" &&
	nodes_of "$job" | grep "^n\[18-2[0-9]\]\|^n\[19-22\]\|^n\[20-23\]"
'
test_expect_success 'slurmctld has logged no error of ours' '
	grep "error: windtunnel" "$log" >out || : && wt_empty out
'
test_done
