#!/bin/sh
test_description='scripts with steps: wt-vnoded or slurmctld dies in the middle, time limits, requeues, many at once'
. "$WT_SRCDIR/t/setup.sh"
. "$WT_SRCDIR/t/vnode.sh"

script() {	# script LINE...: submit one with these lines, with the options in $sbatch; sets id
	{ echo '#!/bin/sh' && printf '%s\n' "$@"; } >"$C/script" &&
	id=$(sbatch --parsable -o /dev/null $sbatch "$C/script")
}
steps() {	# the running ones of job $id, but for the script itself: STEP NAME, one in a line
	squeue -h -s -j $id -o '%i %j' | grep -v "^$id\.batch" | sed "s/^$id\.//" | sort -n
}
steps_are() {	# steps_are LINE...
	steps >now && printf '%s\n' "$@" >wanted && cmp -s now wanted
}
ended() {	# ended [STATE [CODE]]: job $id
	wt_poll 90 vnode_job_is $id ${1:-COMPLETED} && test "$(vnode_job $id ExitCode)" = "${2:-0:0}"
}
created_are() {	# created_are STEP...: of all of job $id
	sed -n "s/.*step_create[a-z_]*: JobId=$id StepId=\([0-9]*\) .*/\1/p" "$C/slurmctld.log" >now &&
	printf '%s\n' "$@" >wanted && diff -u wanted now
}
# A step that a test looks at lasts until it is cancelled, or long; of one that is short slurmctld's log tells.
ends_are() {	# ends_are ID COUNT: so many tasks of array ID have ended well; the rows come after slurmctld has heard of it
	test $(grep -c ",end,[0-9]*,$1,[0-9]*,n[0-9]*,0\$" "$C/nodes/events.csv") -eq $2
}
kill_vnoded() {
	kill -9 $VNODED_PID
	wait $VNODED_PID
	test $? -eq 137
}
restart_vnoded() {
	rm -f "$C/nodes/stats.json" && vnode_start_vnoded && wt_poll 60 test -e "$C/nodes/stats.json" &&
	wt_poll 60 vnode_stat_at_least registered $vnode_count
}
kill_ctld() {
	kill -9 $CTLD_PID
	wait $CTLD_PID
	test $? -eq 137
}
# slurmctld saves its jobs when they have changed, not at once: something of the job is changed until it has.
saved_since() {	# saved_since FILE
	scontrol update JobId=$id Comment="$(date)" && test "$C/state/job_state" -nt "$1"
}
all_done() {	# nothing is left of any step
	wt_poll 90 vnode_queue_empty && wt_poll 60 vnode_all_idle &&
	wt_poll 10 grep -q "\"stepds_running\": 0," "$C/nodes/stats.json"
}

test_expect_success 'a cluster' '
	vnode_up 12 DebugFlags=Steps SlurmctldDebug=verbose KillWait=5
'
test_expect_success 'wt-vnoded is killed while a step runs and one has no room: both end, and the script after them' '
	sbatch="-N1 -n4" &&
	script "srun --exact -n3 -J one sleep 30 &" "srun --exact -n2 -J two sleep 600 &" "wait" \
		"srun -J last sleep 2" "exit 3" &&
	wt_poll 20 steps_are "0 one" && kill_vnoded && restart_vnoded && steps_are "0 one" &&
	wt_poll 60 steps_are "1 two" && scancel $id.1 && ended FAILED 3:0 && created_are 0 1 2
'
test_expect_success 'a step ends while nobody is there: the script goes on after the restart' '
	sbatch=-N2 && script "srun -J one sleep 8" "srun -J two sleep 2" && wt_poll 20 steps_are "0 one" &&
	seen=$(date +%s) &&
	kill_vnoded && while test $(($(date +%s) - seen)) -le 8; do sleep 0.2; done && restart_vnoded &&
	wt_poll 60 created_are 0 1 && ended && created_are 0 1
'
test_expect_success 'the answer to a question is lost with the process that asked: the step is found again' '
	sbatch=-N2 && script "sleep 4" "srun -J one sleep 5" && wt_poll 20 vnode_begun $id && kill -STOP $CTLD_PID &&
	sleep 7 &&
	kill_vnoded && kill -CONT $CTLD_PID && restart_vnoded && ended && created_are 0
'
test_expect_success 'slurmctld is killed while steps run, and knows of them again' '
	sbatch=-N4 && script "srun -N2 -J one sleep 35 &" "srun -N2 -J two sleep 35" "wait" "srun -J last sleep 2" &&
	wt_poll 20 steps_are "0 one" "1 two" && touch started && wt_poll 30 saved_since started && kill_ctld &&
	vnode_start_ctld && wt_poll 60 steps_are "0 one" "1 two" && wt_poll 60 created_are 0 1 2 && ended
'
test_expect_success 'slurmctld is away when a step ends and the next is due' '
	sbatch=-N2 && script "srun -J one sleep 15" "srun -J two sleep 2" && wt_poll 20 steps_are "0 one" &&
	seen=$(date +%s) && touch started && wt_poll 30 saved_since started && kill_ctld &&
	while test $(($(date +%s) - seen)) -le 15; do sleep 0.2; done && vnode_start_ctld &&
	wt_poll 60 created_are 0 1 && ended && created_are 0 1
'
test_expect_success 'slurmctld hangs when it is asked: the question is asked anew, and one step is made' '
	sbatch=-N2 && script "sleep 3" "srun -J one sleep 3" && wt_poll 20 vnode_begun $id && kill -STOP $CTLD_PID &&
	sleep 20 &&
	kill -CONT $CTLD_PID && ended && created_are 0
'
# slurmctld looks at time limits every half minute: these three wait beside each other.
test_expect_success 'jobs with a time limit, a step with one, and a requeued job' '
	sbatch=-N2 && script "srun -t 1 -J one sleep 600" "srun -J two sleep 2" && of_step=$id &&
	sbatch="-N2 -t 1" && script "srun -J one sleep 600" "srun -J two sleep 2" && of_job=$id &&
	sbatch=-N2 && script "srun -J one sleep 4" "srun -J two sleep 20" && requeued=$id &&
	wt_poll 20 steps_are "1 two" && scontrol requeue $id
'
test_expect_success 'the time limit of a step: the script goes on; that of the job: it ends' '
	id=$of_step && wt_poll 180 created_are 0 1 && ended &&
	id=$of_job && wt_poll 150 vnode_job_is $id TIMEOUT && created_are 0
'
test_expect_success 'a requeued job makes its steps again' '
	id=$requeued && wt_poll 240 vnode_job_is $id COMPLETED && ended && created_are 0 1 0 1
'
test_expect_success '100 jobs with three steps each at once' '
	sbatch="--array=0-99 -n1 --mem=0 --oversubscribe" && before=$(vnode_stat script_steps) &&
	script "srun -J one sleep 2 &" "srun --overlap -J two sleep 1" "wait" "srun true" &&
	wt_poll 400 vnode_queue_empty && wt_poll 20 vnode_stat_at_least script_steps $((before + 300)) &&
	wt_poll 120 ends_are $id 100
'
test_expect_success 'in the end nothing is left' '
	all_done && ! grep -iE "missing [^s]|orphan|on wrong node" "$C/slurmctld.log" &&
	! grep -i "not begun" "$C/vnoded.log"
'
test_done
