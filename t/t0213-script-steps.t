#!/bin/sh
test_description='srun lines of a batch script run as steps on virtual nodes, towards a real slurmctld'
. "$WT_SRCDIR/t/setup.sh"
. "$WT_SRCDIR/t/vnode.sh"

# script LINE...: submit one with these lines, with the options in $sbatch; sets id.
script() {
	{ echo '#!/bin/sh' && printf '%s\n' "$@"; } >"$C/script" &&
	id=$(sbatch --parsable -o /dev/null $sbatch "$C/script")
}
steps() {	# the running ones of job $id, but for the script itself: STEP NAME NODES, one in a line
	squeue -h -s -j $id -o '%i %j %N' | grep -v "^$id\.batch" | sed "s/^$id\.//" | sort -n
}
steps_are() {	# steps_are LINE...
	steps >now && printf '%s\n' "$@" >wanted && cmp -s now wanted
}
ended() {	# ended [STATE [CODE]]: job $id
	wt_poll 60 vnode_job_is $id ${1:-COMPLETED} && test "$(vnode_job $id ExitCode)" = "${2:-0:0}"
}
step_field() {	# step_field STEP FIELD
	scontrol -o show step $id.$1 | tr ' ' '\n' | sed -n "s/^$2=//p"
}
took() {	# took LEAST MOST: so many seconds lie between the start and the end of job $id, by what its node says
	wt_poll 10 grep -q ",end,$id," "$C/nodes/events.csv" &&
	awk -F, -v id=$id -v least=$1 -v most=$2 '$3 == id && $2 == "start" { s = $1 } $3 == id &&
	$2 == "end" { t = $1 - s }
		END { print t; exit !(t >= least && t < most) }' "$C/nodes/events.csv"
}
created() {	# how many steps of job $id slurmctld has made
	grep -c "step_create[a-z_]*: JobId=$id StepId=" "$C/slurmctld.log"
}
created_are() {	# created_are LINE...: STEP NODES, of all of job $id
	sed -n "s/.*step_create[a-z_]*: JobId=$id StepId=\([0-9]*\) \([^ ]*\) usec.*/\1 \2/p" \
		"$C/slurmctld.log" >now &&
	printf '%s\n' "$@" >wanted && diff -u wanted now
}
# A step that a test looks at lasts until it is cancelled; the script goes on then.
steps_end() {	# steps_end STEP...
	for step; do scancel $id.$step || return 1; done
}
all_done() {	# nothing is left of any step
	wt_poll 60 vnode_queue_empty && wt_poll 60 vnode_all_idle &&
	wt_poll 10 grep -q "\"stepds_running\": 0," "$C/nodes/stats.json"
}

test_expect_success 'a cluster' '
	vnode_up 8 DebugFlags=Steps SlurmctldDebug=verbose KillWait=5
'
test_expect_success 'one step after the other, each with its nodes, tasks and name' '
	sbatch="-N4 -n8 -w n[0-3]" &&
	script "srun -N2 -n4 sleep 600" "srun -J second -N1 -n1 -r 3 sleep 600" "sleep 1" "srun true" && seen=$id &&
	sbatch="-N4 -n8 -w n[4-7]" &&
	script "srun -N2 -n4 sleep 3" "srun -J second -N1 -n1 -r 3 sleep 3" "sleep 1" "srun true" && timed=$id &&
	id=$seen && wt_poll 20 steps_are "0 sleep n[0-1]" &&
	test "$(step_field 0 Tasks)" = 4 && test "$(step_field 0 State)" = RUNNING && steps_end 0 &&
	wt_poll 20 steps_are "1 second n3" && steps_end 1 && ended && created_are "0 n[0-1]" "1 n3" "2 n[0-3]" &&
	id=$timed && ended && created_are "0 n[4-5]" "1 n7" "2 n[4-7]" && took 7 60
'
test_expect_success 'steps beside each other, and wait' '
	sbatch=-N3 &&
	script "for n in 0 1 2; do srun -N1 -n1 -r \$n sleep 600 & done" "wait" "srun sleep 600" "srun true" &&
	wt_poll 20 steps_are "0 sleep n0" "1 sleep n1" "2 sleep n2" && steps_end 0 1 2 &&
	wt_poll 20 steps_are "3 sleep n[0-2]" && steps_end 3 && ended
'
test_expect_success 'a step that has no room waits for one that ends, and is made at once then' '
	sbatch="-N1 -n4 -w n0" && script "srun --exact -n3 sleep 600 &" "srun --exact -n2 sleep 600 &" "wait" && seen=$id &&
	sbatch="-N1 -n4 -w n1" && script "srun --exact -n3 sleep 3 &" "srun --exact -n2 sleep 1 &" "wait" && timed=$id &&
	id=$seen && wt_poll 20 steps_are "0 sleep n0" && steps_end 0 &&
	wt_poll 20 steps_are "1 sleep n0" && steps_end 1 && ended && created_are "0 n0" "1 n0" &&
	id=$timed && ended && created_are "0 n1" "1 n1" && took 4 30
'
test_expect_success 'exit codes: of the last command, && and ||, set -e, exit' '
	sbatch=-N1 && script "srun false" "srun true" && ended && script "srun true" "srun false" && ended FAILED 1:0 &&
	script "srun false || srun -J or true && srun -J and true" && ended && created_are "0 n0" "1 n0" "2 n0" &&
	script "srun false && srun true" && ended FAILED 1:0 && created_are "0 n0" &&
	script "set -e" "srun false" "srun true" && ended FAILED 1:0 && created_are "0 n0" &&
	script "srun true" "exit 7" "srun true" && ended FAILED 7:0 && created_are "0 n0" &&
	script "srun ./no-such-program" && ended FAILED 2:0
'
test_expect_success 'a line that is not understood makes no step, and is counted' '
	before=$(vnode_stat script_lines_unread) && sbatch=-N1 &&
	script "srun --multi-prog conf" "if true; then srun true; fi" "sleep 1" && ended && test $(created) = 0 &&
	wt_poll 10 vnode_stat_at_least script_lines_unread $((before + 2)) &&
	grep "JobId=$id: 2 srun lines" "$C/vnoded.log" &&
	took 1 20
'
test_expect_success 'the job is cancelled in the middle' '
	sbatch=-N4 && script "srun -N2 sleep 600 &" "srun -N2 -r 2 sleep 600" "srun true" &&
	wt_poll 20 steps_are "0 sleep n[0-1]" "1 sleep n[2-3]" &&
	scancel $id && ended CANCELLED 0:15 && all_done && test $(created) = 2
'
test_expect_success 'a step is cancelled: the script goes on' '
	sbatch=-N2 && script "srun -J victim sleep 600" "srun -J next sleep 600" "srun true" &&
	wt_poll 20 steps_are "0 victim n[0-1]" && scancel $id.0 &&
	wt_poll 20 steps_are "1 next n[0-1]" && scancel $id.1 && ended
'
test_expect_success 'what a real node calls sstat and scontrol listpids of does no harm' '
	sbatch=-N1 && script "srun sleep 600" "srun true" && wt_poll 20 steps_are "0 sleep n0" || return 1
	sstat -j $id.0 >out 2>&1; cat out; steps_are "0 sleep n0" && steps_end 0 && ended
'
test_expect_success 'in the end nothing is left' '
	all_done && ! grep -iE "error|fatal" "$C/vnoded.log" &&
	! grep -iE "missing|orphan|on wrong node" "$C/slurmctld.log"
'
test_done
