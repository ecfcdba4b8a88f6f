#!/bin/sh
test_description='windtunnel run --workload jobs:FILE: what jobs ask for, and each way to end'
. "$WT_SRCDIR/t/setup.sh"

summary() { jq -e "$1" run/summary.json >jq.out || { cat run/summary.json; return 1; }; }
# One field of one job, by its name in the file.
job() {
	python3 -c 'import csv, sys
for row in csv.DictReader(open("run/jobs.csv")):
    if row["trace_job_id"] == sys.argv[1]: print(row[sys.argv[2]])' "$1" "$2"
}
cat >jobs.jsonl <<'END'
{"windtunnel_jobs": 1, "cpus": 32, "nodes": 4}
# a comment
{"id":1,"submit_s":0,"run_time_s":100,"time_limit_s":600,"name":"first","tasks":4,"user":"no-such-user","account":"acc"}
{"id":2,"submit_s":1,"run_time_s":50,"nodes":2,"sharing":"exclusive","dependency":"afterok:1"}
{"id":"f","submit_s":2,"run_time_s":30,"time_limit_s":600,"end":"failed","exit_code":7}
{"id":4,"submit_s":3,"end":"time_limit","time_limit_s":120}
{"id":5,"submit_s":4,"end":"cancelled","run_time_s":40,"time_limit_s":600}
{"id":6,"submit_s":5,"end":"cancelled","cancel_after_s":20,"time_limit_s":600,"dependency":"afterany:4"}
{"id":7,"submit_s":6,"end":"out_of_memory","run_time_s":10,"time_limit_s":600}
{"id":8,"submit_s":7,"run_time_s":60,"time_limit_s":600,"requeue":true,"requeue_after_s":20}
{"id":9,"submit_s":8,"run_time_s":5,"time_limit_s":600,"begin_after_s":300,"nice":10,"user":65534,"gres":"fpga:2"}
{"id":10,"submit_s":9,"run_time_s":70,"time_limit_s":600,"nodes":1,"sharing":"exclusive","end":"node_failure"}
{"id":11,"submit_s":9,"run_time_s":5,"end":"failed","signal":9,"constraint":"big","partition":"other,main"}
END
test_expect_success 'what cannot be meant is refused with the line' '
	sed "s/\"nodes\":2/\"node\":2/" jobs.jsonl >word.jsonl &&
	test_expect_code 2 windtunnel run --workload jobs:word.jsonl --dry-run 2>err && test_line_count = 1 err &&
	grep "word.jsonl:4: .node. is not a key of a job" err &&
	sed "s/afterok:1/afterok:f/" jobs.jsonl >later.jsonl &&
	test_expect_code 2 windtunnel run --workload jobs:later.jsonl --dry-run 2>err &&
	grep "later.jsonl:4: job 2 depends on one that is not submitted before it: afterok:f" err &&
	test_expect_code 2 windtunnel run --workload jobs:jobs.jsonl --cpus-scale 2 --dry-run 2>err &&
	grep "sizes of these jobs cannot be scaled" err &&
	test_expect_code 2 windtunnel run --workload jobs:jobs.jsonl --real --dry-run 2>err && test_line_count = 1 err &&
	grep "is for clusters of ours" err
'
test_expect_success '--dry-run: the plan, and what is left out' '
	windtunnel run --workload jobs:jobs.jsonl --leave-out bad --from 1 --time-scale 0.5 --dry-run --nodes 4 \
		--shape "pack:1 core:8 pu:1" --json >out &&
	jq -e ".trace.left_out.outside == 1 and .trace.dependencies_cut == 1 and
		(.jobs | length) == 10 and .jobs[0].run_time_s == 25 and .jobs[2].time_limit_min == 1" out
'
test_expect_success 'every job ends as the file says' '
	{ windtunnel run --workload jobs:jobs.jsonl --clock virtual --charge none --nodes 4 --shape "pack:1 core:8 pu:1" \
		--set GresTypes=fpga --set NodeName+=Gres=fpga:2 --set NodeName+=Feature=big \
		--set "PartitionName=other Nodes=ALL" --quiet --output run >out 2>err || { cat out err; false; }; } &&
	summary ".jobs_by_state == {\"COMPLETED\": 4, \"FAILED\": 2, \"TIMEOUT\": 1, \"CANCELLED\": 2, \"OTHER\": 1,
		\"NODE_FAIL\": 1} and
		.jobs_file.ended_otherwise == 0 and .jobs_file.cancelled == 2 and .jobs_file.requeued == 1 and
		.jobs_file.nodes_failed == 1" &&
	test "$(job f exit_code)" = 7 && test "$(job 11 exit_code)" = 137 && test "$(job 7 state)" = OTHER
'
# after BEFORE FIELD JOB FIELD SECONDS: the second time is at least so many seconds behind the first.
after() { test "$(awk "BEGIN { print ($(job "$3" "$4") - $(job "$1" "$2") >= $5) }")" = 1; }
test_expect_success 'dependencies, begin, cancelling and requeueing have their times' '
	after 1 finish_time 2 starting_time 0 && test "$(job 2 allocated_nodes)" = 2 &&
	test "$(job 2 allocated_cpus)" = 16 &&
	after 9 submission_time 9 starting_time 300 && after 5 starting_time 5 finish_time 40 &&
	after 10 starting_time 10 finish_time 70 && test -z "$(job 6 starting_time)" &&
	after 8 submission_time 8 starting_time 20
'
test_expect_success 'accounts, users and partitions are those that the job names, or it is told' '
	test "$(job 1 account)" = acc && test "$(job 11 partition)" = other &&
	if test "$(id -u)" = 0; then
		test "$(job 9 user)" = "$(id -nu 65534)" && summary ".jobs_file.users_unknown == 1" &&
		grep "1 jobs ran as the caller, because nobody knows their user, the first: no-such-user" out
	else
		summary ".jobs_file.users_named == 2"
	fi
'
test_done
