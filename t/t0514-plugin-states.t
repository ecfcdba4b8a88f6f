#!/bin/sh
test_description='best fit inside slurmctld: preemption, nodes of the future, and asleep (power saving, cloud)'
. "$WT_SRCDIR/t/setup.sh"

# 72 nodes: 12 leaves of 6, 2 switches of 6 leaves.
log="$WINDTUNNEL_STATE/p/ctld/slurmctld.log"
conf="$WINDTUNNEL_STATE/p/slurm.conf"
. "$WT_SRCDIR/t/bestfit.sh"
in_cluster() { windtunnel cluster exec p -- "$@"; }
submit() { in_cluster sbatch --parsable --output=/dev/null --exclusive "$@" --wrap "sleep 1000"; }
state_is() { [ "$(in_cluster squeue -h -j "$1" -o %T)" = "$2" ]; }
running_count() { [ "$(in_cluster squeue -h -t R -p "$1" -o %i | wc -l)" = "$2" ]; }
# So many nodes, and no job is ending on them: what waits for such a node is not told from what preempts another job.
nodes_free() { in_cluster sinfo -h -p main -o "%t %D" | grep -qx "idle $1"; }
idle_count() { [ "$(in_cluster sinfo -h -p main -t idle -o %D)" = "$1" ] && [ -z "$(in_cluster squeue -h)" ]; }
nodes_of() { in_cluster scontrol show hostnames "$(in_cluster squeue -h -j "$1" -o %N)"; }
leaves() { nodes_of "$1" | sed 's/^n//' | awk '{ print int($1 / 6) }' | sort -u | wc -l; }
restart() { wt_daemon_restart "$WINDTUNNEL_STATE/p" slurmctld && wt_poll 60 in_cluster scontrol ping; }
# The nodes from 60 on get a line of their own, with State=$1.
last_leaves_state() {
	sed -n "s/^\(NodeName=\)n\[0-71\]\(.*\.\)\[0-71\]/\1n[0-59]\2[0-59]/p" "$conf" >first &&
	sed -n "s/^\(NodeName=\)n\[0-71\]\(.*\.\)\[0-71\]\(.*\)State=[A-Z]*/\1n[60-71]\2[60-71]\3State=$1/p" "$conf" >last &&
	test_line_count = 1 first && test_line_count = 1 last && cp "$conf" before.conf &&
	grep -v "^NodeName=" before.conf >rest && cat rest first last >"$conf"
}

test_expect_success 'a cluster with a partition that preempts, on nodes that can sleep' '
	windtunnel topology generate fattree --arity 6,6,2 -o tree.conf &&
	windtunnel cluster up p --nodes 72 --topology tree.conf --plugin bestfit --quiet \
		--set SchedulerParameters=bestfit=on,bestfit_report=1,bf_interval=1,batch_sched_delay=0 \
		--set PreemptType=preempt/partition_prio --set PreemptMode=CANCEL \
		--set SuspendProgram=/bin/true --set ResumeProgram=/bin/true --set SuspendTime=36000 --set SuspendTimeout=1 \
		--set ResumeTimeout=600 --set "PartitionName=high Nodes=ALL PriorityTier=10"
'
test_expect_success 'a job that preempts: placed best-fit on the nodes of the jobs that go; the others stay' '
	for i in 1 2 3 4 5 6 7 8 9 10 11 12; do submit -N 6 || return 1; done &&
	wt_poll 60 running_count main 12 && chosen=$(counter chosen) && job=$(submit -p high -N 6) &&
	wt_poll 60 state_is "$job" RUNNING &&
	test "$(nodes_of "$job" | wc -l)" = 6 && test "$(leaves "$job")" = 1 && test "$(counter chosen)" -gt "$chosen" &&
	wt_poll 60 running_count main 11 && in_cluster squeue -h -t R -o %N >lists && while read -r list; do
		in_cluster scontrol show hostnames "$list" || return 1
	done <lists | sort >used && sort -u used >once && test_cmp once used && test_line_count = 72 used
'
test_expect_success 'no job is preempted where the preempting one fits without' '
	in_cluster scancel "$job" && wt_poll 60 running_count high 0 && wt_poll 60 nodes_free 6 &&
	job=$(submit -p high -N 4) &&
	wt_poll 60 state_is "$job" RUNNING &&
	test "$(leaves "$job")" = 1 && running_count main 11 && in_cluster scancel -u "$(id -un)" && wt_poll 60 idle_count 72
'
test_expect_success QUICK 'with bestfit_quick=verify, too, a job that is preempted goes once: it is requeued, not killed' '
	sed -i "s/bestfit=on/&,bestfit_quick=verify/; s/^PreemptMode=.*/PreemptMode=REQUEUE/" "$conf" && restart &&
	wt_poll 60 idle_count 72 &&
	for i in 1 2 3 4 5 6 7 8 9 10 11 12; do submit -N 6 || return 1; done &&
	wt_poll 60 running_count main 12 && job=$(submit -p high -N 6) && wt_poll 60 state_is "$job" RUNNING &&
	running_count main 11 &&
	in_cluster squeue -h -p main -o %i >all && test_line_count = 12 all &&
	grep "preempted JobId=.*has been requeued" "$log" &&
	! grep "preempted JobId=.*had to be killed" "$log" &&
	sed -i "s/,bestfit_quick=verify//; s/^PreemptMode=.*/PreemptMode=CANCEL/" "$conf" &&
	in_cluster scancel -u "$(id -un)" && wt_poll 60 idle_count 72
'
test_expect_success 'FUTURE nodes get no jobs' '
	last_leaves_state FUTURE && restart && wt_poll 60 idle_count 60 && chosen=$(counter chosen) &&
	large=$(submit -N 61) &&
	job=$(submit -N 50) && wt_poll 60 state_is "$job" RUNNING && test "$(counter chosen)" -gt "$chosen" &&
	test "$(leaves "$job")" = 9 &&
	nodes_of "$job" | sed "s/^n//" | awk "\$1 >= 60 { exit 1 }" && other=$(submit -N 10) &&
	wt_poll 60 state_is "$other" RUNNING &&
	state_is "$large" PENDING && in_cluster scancel -u "$(id -un)" && wt_poll 60 idle_count 60
'
test_expect_success 'nodes that sleep are left alone by jobs that fit on the others, and woken by Slurm for the rest' '
	cp before.conf "$conf" && restart && wt_poll 60 idle_count 72 &&
	in_cluster scontrol update nodename="n[60-71]" state=power_down &&
	wt_poll 120 eval "[ \"\$(in_cluster sinfo -h -p main -n n[60-71] -o %t)\" = idle~ ]" &&
	chosen=$(counter chosen) && job=$(submit -N 55) && wt_poll 60 state_is "$job" RUNNING &&
	test "$(counter chosen)" -gt "$chosen" &&
	nodes_of "$job" | sed "s/^n//" | awk "\$1 >= 60 { exit 1 }" && mixed=$(counter mixed-nodes) && job=$(submit -N 9) &&
	wt_poll 60 state_is "$job" CONFIGURING && test "$(counter mixed-nodes)" -gt "$mixed" && nodes_of "$job" >got &&
	test_line_count = 9 got &&
	sed "s/^n//" got | awk "\$1 < 60" >awake && test_line_count = 5 awake
'
test_expect_success 'slurmctld has logged no error of ours' '
	grep "error: windtunnel" "$log" >out || : && wt_empty out
'
test_done
