#!/bin/sh
test_description='scripts with steps: nodes lose power in the middle, and the job is requeued'
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
# Slurm may take notice of the second node when the job has begun again, and requeue it once more.
created_by_requeues() {
	requeues=$(grep -c ",requeue,$id," "$C/nodes/events.csv") &&
	sed -n "s/.*step_create[a-z_]*: JobId=$id StepId=\([0-9]*\) .*/\1/p" "$C/slurmctld.log" | tr "\n" " " >now &&
	{ grep -xE "(0 1 )(0 (1 )?){0,$((requeues - 1))}0 1 2 " now || { cat now; return 1; }; }
}

test_expect_success 'a cluster two of whose nodes will lose power' '
	VNODED_OPTIONS="--node fail=n[0-1]@30+5" &&
	vnode_up 4 DebugFlags=Steps SlurmctldDebug=verbose SlurmdTimeout=5 KillWait=5
'
test_expect_success 'the batch host and another node of a step are gone: the job is requeued, and runs to its end' '
	sbatch="-N4 --requeue" &&
	script "srun -N1 -n1 -r 3 -J one sleep 40 &" "srun -N2 -J two sleep 40" "wait" "srun -J last true" &&
	wt_poll 20 steps_are "0 one" "1 two" && wt_poll 120 grep -q ",requeue,$id," "$C/nodes/events.csv" &&
	wt_poll 60 steps_are "0 one" "1 two" && ended && created_by_requeues
'
test_expect_success 'in the end nothing is left' '
	wt_poll 60 vnode_queue_empty && wt_poll 60 vnode_all_idle &&
	wt_poll 10 grep -q "\"stepds_running\": 0," "$C/nodes/stats.json" && ! grep -i "not begun" "$C/vnoded.log"
'
test_done
