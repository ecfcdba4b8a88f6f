#!/bin/sh
test_description='wt-vnoded --node: delays, slow nodes, losses, nodes that fail and return, towards a real slurmctld'
. "$WT_SRCDIR/t/setup.sh"
. "$WT_SRCDIR/t/vnode.sh"

# with OPTION...: the process starts anew with these options, without its journal (times count from now).
with() {
	vnode_end $VNODED_PID && rm -f "$C/nodes/journal" "$C/nodes/stats.json" && vnode_start_vnoded "$@" &&
	wt_poll 60 test -e "$C/nodes/stats.json" && wt_poll 60 vnode_all_idle
}
# span ID EVENT EVENT: seconds from the first of the one to the last of the other
span() {
	awk -F, -v id=$1 -v a=$2 -v b=$3 '$3 == id && $2 == a && !s { s = $1 } $3 == id && $2 == b { e = $1 }
		END { printf "%.6f\n", e - s }' "$C/nodes/events.csv"
}
between() {	# between NUMBER LOW HIGH
	awk -v x=$1 -v low=$2 -v high=$3 'BEGIN { exit !(x >= low && x < high) }'
}
done_in() {	# done_in ID SECONDS NODES
	wt_poll $2 vnode_job_is $1 COMPLETED && wt_poll $2 vnode_released $1 $3
}
# What settings make longer is longer each time: that is tested.  A machine that stalls lengthens anything: what is not
# made longer is short sometimes.  in_the_end COMMAND...: that is looked for until it is found.
in_the_end() {
	wt_poll 120 "$@"
}
# lasts ID FROM TO SECONDS: so long at least
lasts() {
	between $(span $1 $2 $3) $4 1000000
}
ended() {
	test $(scontrol -o show job "$1" | grep -c JobState=COMPLETED) -eq $2
}

# went_down COUNT: so many nodes were set DOWN, be they back or not
went_down() {
	sed -n "s/.*error: Nodes \([^ ]*\) not responding, setting DOWN.*/\1/p" "$C/slurmctld.log" |
		xargs -n 1 scontrol show hostnames | sort -u | wc -l |
	grep -qx "$1"
}

test_expect_success 'a cluster of perfect nodes' '
	perfect() { id=$(vnode_submit "sleep 0.5" -N 4) && done_in $id 30 4 && between $(span $id end release) 0 2.9; } &&
	vnode_up 20 SlurmdTimeout=10 MessageTimeout=3 KillWait=2 && in_the_end perfect
'
test_expect_success 'epilog-time lengthens completing, by so much' '
	completing() {
		id=$(vnode_submit "sleep 0.5" -N 4) && wt_poll 20 sh -c "squeue -h -j $id -t CG,CD -o %t | grep ." &&
		squeue -h -j $id -t CG -o %t | grep CG
	} &&
	with --node epilog-time=6 && in_the_end completing && done_in $id 30 4 && lasts $id end release 6
'
test_expect_success 'launch-delay lies between the start and the run time' '
	with --node launch-delay=2-2.5 && id=$(vnode_submit "sleep 0.5" -N 2) && done_in $id 30 2 && lasts $id start end 2.5
'
test_expect_success 'slow nodes, and the jobs that have one' '
	good() { id=$(vnode_submit "sleep 3" -w n1) && done_in $id 30 1 && between $(span $id start end) 3 6; } &&
	twice() { id=$(vnode_submit "sleep 3" -w n[17-18]) && done_in $id 30 2 && lasts $id start end 6 &&
		between $(span $id start end) 6 12; } &&
	with --node slow=n0:4 --node slow=n[18-19]:2 && slow=$(vnode_submit "sleep 3" -w n0) && in_the_end good &&
	in_the_end twice &&
	done_in $slow 30 1 && lasts $slow start end 12
'
test_expect_success 'hop-delay: answers are late, and all goes on' '
	with --node hop-delay=0.7 &&
	before=$(date +%s%N) && test "$("$RPC" 127.77.0.1 $((vnode_port + 1)) ping)" = ping &&
	test $(($(date +%s%N) - before)) -ge 700000000 &&
	id=$(vnode_submit "sleep 0.5" -N 20) && done_in $id 60 20
'
test_expect_success 'loss: messages are lost and counted, no job is' '
	with --node loss=0.03 --node seed=7 &&
	id=$(vnode_submit "sleep 0.2" --array=0-11 -N 2) &&
	wt_poll 400 ended $id 12 && wt_poll 10 vnode_stat_at_least lost 1
'
test_expect_success 'nodes lose power: they are DOWN after SlurmdTimeout, their jobs are requeued' '
	wt_poll 200 vnode_queue_empty && with --node fail=25%@30+30 -v && : >"$C/slurmctld.log" &&
	id=$(vnode_submit "sleep 60" --array=0-9 -N 2 --exclusive --requeue) &&	# until all of the five are DOWN, or are back
	wt_poll 20 sh -c "test \$(squeue -h -t R -j $id | wc -l) -eq 10" &&
	wt_poll 60 went_down 5
'
test_expect_success 'they return, and every job completes' '
	wt_poll 120 vnode_all_idle && wt_poll 120 ended $id 10 &&
	test $(grep -c "loses power" "$C/vnoded.log") -eq 5 && test $(grep -c "has booted" "$C/vnoded.log") -eq 5 &&
	restarted=$(scontrol -o show job $id | grep -vc "Restarts=0") &&
	test $restarted -ge 3 && test $restarted -le 5 &&
	test $(grep -c ",requeue,[0-9]*,$id," "$C/nodes/events.csv") -eq $restarted
'
test_expect_success 'no job is on a node that failed under it' '
	scontrol -o show job $id | grep -c "Restarts=0" && wt_poll 20 vnode_stat_at_least registered 20 &&
	wt_poll 10 sh -c "jq -e \".jobs_running == 0\" \"$C/nodes/stats.json\"" &&
	! grep -E "Orphan|on wrong node" "$C/slurmctld.log"
'
# The node has forgotten the job with the loss of power, or never knew it, and slurmctld sends its "terminate" again until
# the node says that it is done; that message names no nodes (re_kill_job ()).
test_expect_success 'a terminate that is sent again is carried out, whatever the node knows of the job' '
	test "$("$RPC" 127.77.0.1 $((vnode_port + 1)) terminate-again 4711)" = "rc 0" &&
	wt_poll 20 grep ",release,4711,,,n0," "$C/nodes/events.csv"
'
bad() {	# bad TEXT SETTING
	text=$1; shift
	test_expect_code 2 "$VNODED" --conf "$C/slurm.conf" --dir "$C/nodes" --node "$1" 2>err &&
		head -n 1 err | grep -- "$text"
}
test_expect_success 'mistakes are said in one line' '
	bad "launch-delay=soon: seconds" launch-delay=soon && bad "fail=n1: NODES@T+D" fail=n1 &&
	bad "loss=2: a share" loss=2 &&
	bad "slow=n1:0.1: NODES:FACTOR" slow=n1:0.1 && bad "is not known; there are" speed=9 && bad "KEY=VALUE" slow &&
	vnode_end $VNODED_PID &&
	test_expect_code 1 "$VNODED" --conf "$C/slurm.conf" --dir "$C/nodes" --node fail=n[19-20]@1+1 2>err &&
	grep "^wt-vnoded: --node: fail=n\[19-20\]: it names nodes that slurm.conf does not have" err
'
test_expect_success 'windtunnel cluster up hands the settings on, and checks them' '
	windtunnel cluster up s --nodes 3 -q --node launch-delay=0.1 --node "slow=n0:2" &&
	test "$(jq -c .node_settings "$WINDTUNNEL_STATE/s/cluster.json")" = "[\"launch-delay=0.1\",\"slow=n0:2\"]" &&
	pid=$(jq ".daemons[] | select(.name == \"vnoded\") | .pid" "$WINDTUNNEL_STATE/s/state.json") &&
	tr "\0" " " </proc/$pid/cmdline | grep -e "--node launch-delay=0.1 --node slow=n0:2" &&
	windtunnel cluster down s &&
	test_must_fail windtunnel cluster up s --nodes 3 -q --node loss=2 2>err && grep "loss=2: a share from 0 to 1" err &&
	test_must_fail windtunnel cluster up s --nodes 3 -q --node fail=n3@1+1 2>err &&
	grep "names nodes that slurm.conf does not have" err &&
	test_must_fail windtunnel cluster up s --nodes 3 -q --backend slurmd --node loss=0.1 2>err &&
	grep "only virtual nodes" err
'
test_done
