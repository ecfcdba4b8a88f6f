#!/bin/sh
test_description='wt-vnoded: registration and the lives of batch jobs, towards a real slurmctld'
. "$WT_SRCDIR/t/setup.sh"
. "$WT_SRCDIR/t/vnode.sh"
series=$(slurmctld -V | sed "s,.* \([0-9]*[.][0-9]*\)[.].*,\1,")

# slurmctld calls it an error when a node has given up an answer: not within a minute, if the disk is slow.
test_expect_success 'all nodes register and are idle' '
	vnode_up 80 MessageTimeout=60 &&
	scontrol show node n7 >out && grep "Version=$series" out && grep "RealMemory=1000" out && grep "CPUTot=4" out
'
test_expect_success 'a job that will exceed its time limit is under way' '
	vnode_submit "sleep 3600" -N 2 -t 1 >limit.id &&
	wt_poll 20 vnode_job_is $(cat limit.id) RUNNING
'
ended() { test $(vnode_events $1 end) -eq 1; }	# the row comes 0.2 s after slurmctld has heard of it, or later
# Jobs that end by themselves run beside the other tests, long enough for what is done to them first; the suspended one on
# a node that no other needs.
test_expect_success 'a job is suspended, and one requeued while it runs' '
	suspended=$(vnode_submit "sleep 45" -w n79) && requeued=$(vnode_submit "sleep 45" --requeue -N 2) &&
	wt_poll 20 vnode_begun $suspended && vnode_job_is $suspended RUNNING && scontrol suspend $suspended &&
	wt_poll 20 vnode_job_is $suspended SUSPENDED &&
	wt_poll 20 vnode_begun $requeued && vnode_job_is $requeued RUNNING && scontrol requeue $requeued
'
test_expect_success 'a job of 70 nodes completes; each node is released once' '
	id=$(vnode_submit "sleep 0.5" -N 70) &&
	wt_poll 30 vnode_job_is $id COMPLETED &&
	wt_poll 10 vnode_released $id 70 &&
	test $(grep ",release,$id," "$C/nodes/events.csv" | sort -u -t, -k6,6 | wc -l) -eq 70 &&
	test $(vnode_events $id start) -eq 1 && test $(vnode_events $id end) -eq 1 &&
	grep "^[0-9.]*,start,$id,,,n[0-9]*,70$" "$C/nodes/events.csv" &&
	grep "^[0-9.]*,end,$id,,,n[0-9]*,0$" "$C/nodes/events.csv"
'
test_expect_success 'the run time is that of the script' '
	awk -F, -v id=$id "\$3 == id && \$2 == \"start\" { s = \$1 } \$3 == id && \$2 == \"end\" { e = \$1 }
		END { exit !(e - s >= 0.5 && e - s < 60) }" "$C/nodes/events.csv"
'
test_expect_success 'a job array' '
	id=$(vnode_submit "sleep 0.2" --array=0-9) &&
	wt_poll 30 vnode_queue_empty -j $id &&
	wt_poll 30 sh -c "test \$(grep -c \",end,[0-9]*,$id,[0-9],\" \"$C/nodes/events.csv\") -eq 10"
'
test_expect_success 'exit code and death by signal' '
	id=$(WINDTUNNEL_RUN_TIME_S=0.1 WINDTUNNEL_EXIT_CODE=7 vnode_submit "sleep 100") &&
	wt_poll 20 vnode_job_is $id FAILED && test "$(vnode_job $id ExitCode)" = 7:0 &&
	id=$(WINDTUNNEL_RUN_TIME_S=0.1 WINDTUNNEL_FAIL=signal:11 vnode_submit "sleep 100") &&
	wt_poll 20 vnode_job_is $id FAILED && test "$(vnode_job $id ExitCode)" = 0:11
'
test_expect_success 'the three probes are answered before the run time begins' '
	for probe in ping job step; do
		id=$(WINDTUNNEL_PROBE=$probe vnode_submit "sleep 0.1") &&
		wt_poll 20 vnode_job_is $id COMPLETED &&
		wt_poll 5 grep "^[0-9.]*,probe,$id,,,n[0-9]*,[0-9]*\.[0-9]*$" "$C/nodes/events.csv" || return 1
	done
'
test_expect_success 'variables that make no sense are counted and ignored' '
	id=$(WINDTUNNEL_RUN_TIME_S=soon WINDTUNNEL_EXIT_CODE=256 vnode_submit "sleep 0.1") &&
	wt_poll 20 vnode_job_is $id COMPLETED &&
	wt_poll 5 vnode_stat_at_least ignored_variables 2 && grep "JobId=$id: its WINDTUNNEL_EXIT_CODE" "$C/vnoded.log"
'
test_expect_success 'scancel of a running job' '
	id=$(vnode_submit "sleep 3600" -N 3) &&
	wt_poll 20 vnode_begun $id && scancel $id &&
	wt_poll 20 vnode_job_is $id CANCELLED && wt_poll 20 vnode_released $id 3 &&
	grep ",cancel,$id,.*,15$" "$C/nodes/events.csv" && grep ",end,$id,.*,143$" "$C/nodes/events.csv"
'
test_expect_success 'scancel --signal reaches the script' '
	id=$(vnode_submit "sleep 3600") &&
	wt_poll 20 vnode_begun $id && scancel --batch --signal=USR1 $id &&
	wt_poll 20 vnode_job_is $id FAILED && test "$(vnode_job $id ExitCode)" = 0:10
'
# over ID SECONDS: so long ago did it begin.
over() {
	begin=$(awk -F, -v id=$1 "\$3 == id && \$2 == \"start\" { printf \"%d\", \$1 }" "$C/nodes/events.csv") &&
		test $(($(date +%s) - begin)) -gt $2
}
test_expect_success 'a suspended job does not end while it is suspended, and goes on when it is resumed' '
	wt_poll 60 over $suspended 46 && vnode_job_is $suspended SUSPENDED && test $(vnode_events $suspended end) -eq 0 &&
	scontrol resume $suspended && wt_poll 60 vnode_job_is $suspended COMPLETED && wt_poll 20 ended $suspended
'
test_expect_success 'a requeued job runs a second time' '
	wt_poll 60 vnode_job_is $requeued COMPLETED &&
	test $(vnode_events $requeued start) -eq 2 && test $(vnode_events $requeued requeue) -eq 1 &&
	wt_poll 10 vnode_released $requeued 4
'
test_expect_success 'the time limit ends the first job' '
	wt_poll 150 vnode_job_is $(cat limit.id) TIMEOUT && wt_poll 10 vnode_released $(cat limit.id) 2
'
test_expect_success 'in the end all is idle, and the controller has seen no error' '
	none_busy() { test "$(vnode_stat nodes_allocated)" = 0 && test "$(vnode_stat nodes_completing)" = 0; } &&
	wt_poll 20 vnode_all_idle && wt_poll 10 none_busy &&
	wt_errors "$C/slurmctld.log" >errors
	wt_empty errors
'
test_expect_success 'SIGTERM ends it with status 0' '
	kill $VNODED_PID && wait $VNODED_PID
'
test_done
