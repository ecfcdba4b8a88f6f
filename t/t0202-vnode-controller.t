#!/bin/sh
test_description='wt-vnoded: a controller that dies, reconfigures and shuts down; mistakes at the start'
. "$WT_SRCDIR/t/setup.sh"
. "$WT_SRCDIR/t/vnode.sh"

refused() {	# refused WORD OPTION...: wt-vnoded ends with one line that has WORD
	word=$1; shift
	test_must_fail "$VNODED" "$@" 2>err && cat err && tail -n 1 err | grep -q "^wt-vnoded: .*$word"
}

conf_with() {	# conf_with SED-COMMAND: a slurm.conf of its own
	sed "$1" "$C/slurm.conf" >"$C/other.conf"
}

test_end() {
	test $(vnode_events $1 end) -eq 1
}

# saved_since ID FILE: slurmctld saves only what has changed; something of the job is changed until it has.
saved_since() {
	scontrol update JobId=$1 Comment="$(date)" && test "$C/state/job_state" -nt "$2"
}

test_expect_success 'a cluster' 'vnode_up 10 BatchStartTimeout=1'
# The first job ends by a signal that its node gets while there is no controller.
test_expect_success 'kill -9 of the controller: what happens meanwhile is told to the next one' '
	id=$(vnode_submit "sleep 3600" -w "n[0-2]") && id2=$(vnode_submit "sleep 3600" -N 2) &&
	wt_poll 20 vnode_begun $id && wt_poll 20 vnode_begun $id2 && touch "$C/started" &&
	wt_poll 20 saved_since $id "$C/started" && test $(vnode_events $id end) -eq 0 &&
	kill -9 $CTLD_PID && { wait $CTLD_PID; test "$("$RPC" 127.77.0.1 $((vnode_port + 1)) signal $id 10)" = "rc 0"; } &&
	wt_poll 30 test_end $id && vnode_start_ctld && wt_poll 60 vnode_job_is $id FAILED &&
	test "$(vnode_job $id ExitCode)" = 0:10 &&
	wt_poll 60 vnode_released $id 3 &&
	vnode_job_is $id2 RUNNING
'
test_expect_success 'the nodes still have their other job, and it can be ended' '
	wt_poll 20 sh -c "sinfo -h -o %T%D -t idle | grep -q idle8" && vnode_job_is $id2 RUNNING &&
	scancel $id2 && wt_poll 30 vnode_released $id2 2 && wt_poll 20 vnode_all_idle
'
test_expect_success 'a job whose batch step is missing is found out at registration' '
	# BatchStartTimeout and MessageTimeout are over
	id=$(vnode_submit "sleep 3600" -N 2 --no-requeue) && wt_poll 20 vnode_begun $id && sleep 13 &&
	kill -9 $VNODED_PID && { wait $VNODED_PID; rm "$C/nodes/journal"; vnode_start_vnoded; } &&
	wt_poll 60 vnode_job_is $id NODE_FAIL &&
	wt_poll 30 vnode_all_idle
'
test_expect_success 'scontrol reconfigure: the changed file is read once, for all nodes, and nobody complains' '
	: >"$C/slurmctld.log" && echo "EpilogMsgTime=3000" >>"$C/slurm.conf" &&
	before=$(vnode_stat reconfigured) && scontrol reconfigure &&
	wt_poll 20 vnode_stat_at_least reconfigured $((before + 1)) && wt_poll 30 vnode_all_idle &&
	! grep "different slurm.conf" "$C/slurmctld.log"
'
test_expect_success 'other nodes in the file: said in one line, and the old ones stay until a restart' '
	cp "$C/slurm.conf" "$C/good.conf" && sed -i "s/n\[0-9\]/n[0-8]/; s/\[1-10\]/[1-9]/" "$C/slurm.conf" &&
	"$RPC" 127.77.0.1 $((vnode_port + 1)) reconfigure &&
	wt_poll 20 grep "nodes or their addresses have changed" "$C/vnoded.log" &&
	cp "$C/good.conf" "$C/slurm.conf" && scontrol reconfigure && wt_poll 30 vnode_all_idle
'
test_expect_success 'a job still runs' '
	id=$(vnode_submit "sleep 0.2" -N 10) && wt_poll 30 vnode_job_is $id COMPLETED
'
test_expect_success 'a second one on the same port is refused' '
	mkdir "$C/nodes2" && refused "port $((vnode_port + 1)).*in use" --conf "$C/slurm.conf" --dir "$C/nodes2"
'
test_expect_success 'scontrol shutdown ends all nodes, and then the process' '
	scontrol shutdown && wait $VNODED_PID && grep "all nodes were shut down" "$C/vnoded.log" && VNODED_PID=
'
test_expect_success 'mistakes on the command line' '
	test_expect_code 2 "$VNODED" 2>err && grep "conf and --dir are required" err &&
	test_expect_code 2 "$VNODED" --conf x --dir y --max-in-flight 0 2>err && grep "max-in-flight=0" err &&
	test_expect_code 2 "$VNODED" --conf x --dir y --default-run-time soon 2>err && grep "default-run-time=soon" err &&
	test_expect_code 2 "$VNODED" --conf x --dir y z 2>err && grep "z" err &&
	"$VNODED" --version | grep "^wt-vnoded [0-9.]* (Slurm 2" && "$VNODED" --help | grep -q max-in-flight
'
test_expect_success 'mistakes in the files' '
	refused "nonsense.conf" --conf "$C/nonsense.conf" --dir "$C/nodes2" &&
	refused "nowhere/events.csv" --conf "$C/slurm.conf" --dir "$C/nowhere" &&
	conf_with "/^NodeName=/d; /^PartitionName=/d" && refused "no nodes" --conf "$C/other.conf" --dir "$C/nodes2" &&
	conf_with "s/NodeAddr=[^ ]*/NodeAddr=127.77.0.1/" && refused "own" --conf "$C/other.conf" --dir "$C/nodes2" &&
	conf_with "s/NodeAddr=[^ ]*/NodeAddr=::1/; s/NodeName=[^ ]*/NodeName=n0/" &&
	refused "::1" --conf "$C/other.conf" --dir "$C/nodes2" &&
	conf_with "s/^\(NodeName=[^ ]*\)/\1 Port=[1-10]/" && refused "one port" --conf "$C/other.conf" --dir "$C/nodes2"
'
test_done
