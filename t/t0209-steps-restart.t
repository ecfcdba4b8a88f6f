#!/bin/sh
test_description='wt-vnoded is killed under steps and started again: srun and slurmctld see them go on'
. "$WT_SRCDIR/t/setup.sh"
. "$WT_SRCDIR/t/vnode.sh"

kill_vnoded() {
	kill -9 $VNODED_PID
	wait $VNODED_PID
	test $? -eq 137
}
restart_vnoded() {
	rm -f "$C/nodes/stats.json" && vnode_start_vnoded && wt_poll 60 test -e "$C/nodes/stats.json" &&
	wt_poll 60 vnode_stat_at_least registered $vnode_count
}
stepds() {	# stepds NUMBER: so many run
	test "$(vnode_stat stepds_running)" = $1
}
# ends CODE PID: it ends by itself, with this code
ends() {
	wait $2
	code=$?
	test $code -eq $1 || { echo "exit status $code, wanted $1"; false; }
}
quiet() {	# quiet FILE: srun had nothing to complain of
	! grep -iE "error|abort|missing|timed|unexpected" "$1"
}

test_expect_success 'a cluster' '
	vnode_up 40
'
test_expect_success 'steps are under way when the process is killed: small, with a tree, in an allocation' '
	{ srun -N2 sleep 45 >small.out 2>small.err & } && small=$! &&
	{ WINDTUNNEL_EXIT_CODE=3 srun -N12 -n24 sleep 45 >tree.out 2>tree.err & } && tree=$! &&
	printf "srun sleep 45\nsrun --overlap -N1 -n1 sleep 1\n" >"$C/two.sh" &&
	{ salloc -N3 sh "$C/two.sh" >alloc.out 2>alloc.err & } && alloc=$! &&
	wt_poll 40 stepds 17 && kill_vnoded
'
test_expect_success 'the node process lists them again, and slurmctld has them still' '
	restart_vnoded && grep "and 17 slurmstepds of steps" "$C/vnoded.log" && stepds 17 &&
	scontrol ping && test $(squeue -h -s -o %i | grep -c "\.0$") -eq 3
'
test_expect_success 'they end when they would have, and srun returns what the tasks did' '
	ends 0 $small && ends 3 $tree && ends 0 $alloc &&
	quiet small.err && quiet alloc.err && grep "Exited with exit code 3" tree.err &&
	wt_poll 60 vnode_queue_empty && wt_poll 60 stepds 0
'
test_expect_success 'tasks that end while nobody is there: srun hears of it after the restart' '
	{ WINDTUNNEL_EXIT_CODE=4 srun -N2 sleep 20 2>err & } && pid=$! && wt_poll 40 stepds 2 && seen=$(date +%s) &&
	kill_vnoded &&
	while test $(($(date +%s) - seen)) -le 20; do sleep 0.2; done &&
	kill -0 $pid && restart_vnoded && ends 4 $pid
'
test_expect_success 'signals reach tasks after a restart' '
	{ srun -N2 -J victim sleep 600 2>err & } && pid=$! && wt_poll 40 stepds 2 && kill_vnoded && restart_vnoded &&
	scancel $(squeue -h -s -n victim -o %i) && ends 137 $pid && wt_poll 60 vnode_queue_empty
'
test_expect_success 'a step is killed with its job after a restart' '
	{ srun -N9 -J job sleep 600 2>err & } && pid=$! && wt_poll 40 stepds 9 && kill_vnoded && restart_vnoded &&
	scancel -n job && { ends 143 $pid || test $code -eq 137; } && wt_poll 60 vnode_all_idle
'
test_expect_success 'nobody missed a step' '
	! grep -iE "missing|Orphan|on wrong node" "$C/slurmctld.log"
'
test_done
