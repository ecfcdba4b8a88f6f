#!/bin/sh
test_description='wt-vnoded is killed and started again: jobs go on, the controller sees a restarted slurmd'
. "$WT_SRCDIR/t/setup.sh"
. "$WT_SRCDIR/t/vnode.sh"

kill_vnoded() {
	kill -9 $VNODED_PID
	wait $VNODED_PID
	test $? -eq 137
}
restart_vnoded() {
	rm -f "$C/nodes/stats.json" && vnode_start_vnoded && wt_poll 30 vnode_all_registered
}
# stats.json of the process before was removed.
vnode_all_registered() {
	test -e "$C/nodes/stats.json" && vnode_stat_at_least registered $vnode_count
}
rows() {	# rows EVENT ARRAY: how many
	grep -c ",$1,[0-9]*,$2," "$C/nodes/events.csv"
}
ended_rows() {	# ended_rows ARRAY NUMBER
	test $(rows end $1) -eq $2
}
all_ended() {	# all_ended ARRAY NUMBER: each of so many jobs has begun, and what has begun has ended
	test $(rows start $1) -eq $(rows end $1) &&
	test $(grep ",end,[0-9]*,$1," "$C/nodes/events.csv" | cut -d, -f3 | sort -u | wc -l) -eq $2
}
# Rows are in the file 0.2 s after the controller has heard of it, or later on a machine that is busy.
one_life() {	# one_life ID
	test $(vnode_events $1 start) -eq 1 && test $(vnode_events $1 end) -eq 1
}
# over ID SECONDS: so long ago did it begin
over() {
	begin=$(awk -F, -v id=$1 "\$3 == id && \$2 == \"start\" { printf \"%d\", \$1 }" "$C/nodes/events.csv") &&
		test $(($(date +%s) - begin)) -gt $2
}
# Every line whole, the head once, no line twice.
events_good() {
	test "$(head -n 1 "$C/nodes/events.csv")" = time_s,event,job_id,array_job_id,array_task_id,node,value &&
	! sed 1d "$C/nodes/events.csv" | grep -vE "^[0-9]+\.[0-9]{6},[a-z]+,[0-9]+,[0-9]*,[0-9]*,n[0-9]+,[-0-9.]*$" &&
	test -z "$(sort "$C/nodes/events.csv" | uniq -d)" &&
	test -z "$(tail -c 1 "$C/nodes/events.csv" | tr -d "\n")"
}

test_expect_success 'a cluster' '
	vnode_up 70
'
test_expect_success 'jobs of all kinds are under way when the process is killed' '
	long=$(vnode_submit "sleep 3600" -N 2) && held=$(vnode_submit "sleep 20" -N 1) &&
	array=$(vnode_submit "sleep 4" --array=0-9) &&
	wt_poll 20 vnode_begun $held && scontrol suspend $held && wt_poll 20 vnode_job_is $held SUSPENDED &&
	wt_poll 20 vnode_job_is $long RUNNING && wt_poll 20 vnode_begun $long &&
	wt_poll 20 sh -c "test \$(grep -c \",start,[0-9]*,$array,\" \"$C/nodes/events.csv\") -eq 10" &&
	short=$(vnode_submit "sleep 10" -N 3) && wt_poll 20 vnode_begun $short && kill_vnoded
'
test_expect_success 'a job that ends meanwhile, and a restart' '
	wt_poll 30 over $short 10 && restart_vnoded && grep "running jobs go on" "$C/vnoded.log" &&
	wt_poll 30 vnode_job_is $short COMPLETED &&
	wt_poll 20 one_life $short &&
	awk -F, -v id=$short "\$3 == id && \$2 == \"start\" { s = \$1 } \$3 == id && \$2 == \"end\" { e = \$1 }
		END { exit !(e - s >= 10 && e - s < 10.9) }" "$C/nodes/events.csv"
'
test_expect_success 'the others go on where they were' '
	vnode_job_is $long RUNNING && vnode_job_is $held SUSPENDED && scontrol resume $held && scancel $long &&
	wt_poll 40 vnode_job_is $held COMPLETED && wt_poll 30 vnode_job_is $long CANCELLED && wt_poll 30 vnode_queue_empty &&
	for id in $long $short $held; do
		wt_poll 20 one_life $id && test "$(vnode_job $id Restarts)" = 0 || return 1
	done &&
	wt_poll 20 ended_rows $array 10 && wt_poll 20 vnode_released $long 2 && wt_poll 20 events_good
'
test_expect_success 'a registration lists the batch steps that go on: slurmctld misses none' '
	! grep -E "missing from batch node|Orphan|Registered .* on wrong node|Duplicate" "$C/slurmctld.log"
'
# slurmctld requeues a job when its launch was on the way to the process that died, as with a slurmd: the node has read it
# or has not.
# Only a launch that was read and not yet answered begins twice, and of these there is at most one for each kill.
test_expect_success 'killed in the middle of launches and ends, five times: every job completes' '
	id=$(WINDTUNNEL_RUN_TIME_S=1.5 vnode_submit "true" --array=0-399) &&
	for round in 1 2 3 4 5; do
		sleep 1.$round && kill_vnoded && vnode_start_vnoded || return 1
	done &&
	wt_poll 180 vnode_queue_empty &&
	test $(scontrol -o show job $id | grep -c JobState=COMPLETED) -eq 400 &&
	wt_poll 20 all_ended $id 400 && test $(rows start $id) -le 405 && wt_poll 20 events_good
'
test_expect_success 'a torn journal: its whole records count, and the rest is said' '
	id=$(vnode_submit "sleep 8") && wt_poll 20 vnode_begun $id && kill_vnoded &&
	printf "torn" >>"$C/nodes/journal" && restart_vnoded &&
	grep "the last 4 bytes are not a whole record" "$C/vnoded.log" &&
	wt_poll 30 vnode_job_is $id COMPLETED
'
test_expect_success 'a foreign journal is put aside, and said' '
	kill_vnoded && echo "something else" >"$C/nodes/journal" && restart_vnoded &&
	grep "no journal of this version" "$C/vnoded.log" && grep "something else" "$C/nodes/journal.bad"
'
test_expect_success 'SIGTERM and a restart lose nothing either' '
	id=$(vnode_submit "sleep 8") && wt_poll 20 vnode_begun $id && kill $VNODED_PID && wait $VNODED_PID &&
	restart_vnoded && wt_poll 30 vnode_job_is $id COMPLETED && wt_poll 20 one_life $id
'
test_expect_success 'in the end all is idle' '
	none_allocated() { test "$(vnode_stat nodes_allocated)" = 0; } && wt_poll 30 vnode_all_idle &&
	wt_poll 10 none_allocated
'
test_done
