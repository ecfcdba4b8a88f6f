#!/bin/sh
test_description='events of the cluster among the jobs of windtunnel-jobs(5): nodes fail and return, drains, reservations'
. "$WT_SRCDIR/t/setup.sh"

if grep -q "^WT_CFLAGS = .*-fsanitize" "$WT_BUILDDIR/Makefile"; then
	skip_all="a sanitizer and a preloaded library that replaces the same functions do not go together"
	test_done
fi
me=$(id -un)
cat >jobs.jsonl <<'END'
{"windtunnel_jobs": 1, "cpus": 32, "nodes": 4}
{"id":"a","submit_s":10,"run_time_s":1000,"time_limit_s":3000,"nodes":1,"sharing":"exclusive","node_list":"n0"}
{"id":"b","submit_s":10,"run_time_s":1000,"time_limit_s":3000,"sharing":"exclusive","node_list":"n1","requeue":false}
{"id":"c","submit_s":11,"run_time_s":1000,"time_limit_s":3000,"nodes":1,"sharing":"exclusive","node_list":"n2"}
{"id":"d","submit_s":11,"run_time_s":100,"time_limit_s":600,"nodes":1,"sharing":"exclusive","node_list":"n3"}
{"id":"e","submit_s":160,"run_time_s":100,"time_limit_s":600,"nodes":1,"sharing":"exclusive","node_list":"n3"}
{"id":"r","submit_s":710,"run_time_s":50,"time_limit_s":60,"nodes":1,"sharing":"exclusive","reservation":"maintenance"}
{"id":"x","submit_s":710,"run_time_s":50,"time_limit_s":60,"nodes":1,"sharing":"exclusive","node_list":"n3"}
END
cat >events.jsonl <<END
# behind the jobs, and in no order
{"event":"resume","at_s":460,"nodes":"n2"}
{"event":"drain","at_s":60,"nodes":"n3","reason":"memory"}
{"event":"down","at_s":110,"nodes":"n[0-1]","reason":"power supply"}
{"event":"resume","at_s":410,"nodes":"n[0-1],n3"}
{"event":"reserve","at_s":610,"duration_s":300,"name":"maintenance","nodes":"n3","users":"$me","flags":"MAINT,ignore_jobs"}
{"event":"reserve","at_s":5,"start_after_s":5000,"duration_s":60,"name":"later","count":2,"users":"$me"}
{"event":"unreserve","at_s":30,"name":"later"}
{"event":"drain","at_s":99999,"nodes":"ALL"}
END
cat jobs.jsonl events.jsonl >day.jsonl
run() {
	dir=$1; shift
	windtunnel run --workload jobs:day.jsonl --clock virtual --charge none --nodes 4 --shape "pack:1 core:8 pu:1" \
		--quiet --output "$dir" "$@" >"$dir.out" 2>"$dir.err" || { cat "$dir.out" "$dir.err"; false; }
}
summary() { jq -e "$1" run/summary.json >jq.out || { cat run/summary.json run/world.csv; return 1; }; }
job() {
	python3 -c 'import csv, sys
for row in csv.DictReader(open("run/jobs.csv")):
    if row["trace_job_id"] == sys.argv[1]: print(row[sys.argv[2]])' "$1" "$2"
}
# since FIELD JOB: seconds of the file, whose first job is submitted at 10
since() { awk "BEGIN { printf \"%d\", 10 + $(job "$2" "$1") - $(job a submission_time) }"; }
within() { test "$1" -ge "$2" && test "$1" -le "$3" || { echo "$1 is not within $2 and $3"; return 1; }; }

refused() {	# refused TEXT LINE: in place of the events
	{ cat jobs.jsonl; echo "$2"; } >bad.jsonl &&
	test_expect_code 2 windtunnel run --workload jobs:bad.jsonl --nodes 4 --quiet --output bad 2>err &&
	test_line_count = 1 err && grep "$1" err && ! test -e bad
}
test_expect_success 'what cannot be meant is refused with the line' '
	refused "bad.jsonl:9: event is none of" "{\"event\":\"fire\",\"at_s\":1}" &&
	refused "bad.jsonl:9: at_s is not a number" "{\"event\":\"down\",\"at_s\":-1,\"nodes\":\"n0\"}" &&
	refused "bad.jsonl:9: the cluster has no node n4" "{\"event\":\"down\",\"at_s\":1,\"nodes\":\"n[3-4]\"}" &&
	refused "bad.jsonl:9: there is no reservation x" "{\"event\":\"unreserve\",\"at_s\":1,\"name\":\"x\"}" &&
	test_expect_code 2 windtunnel run --workload jobs:day.jsonl --real --dry-run 2>err && grep "clusters of ours" err
'
test_expect_success 'a plan, a slice and other formats tell of them' '
	windtunnel run --workload jobs:day.jsonl --nodes 4 --shape "pack:1 core:8 pu:1" --dry-run --json >out &&
	jq -e ".trace.events == 8" out && windtunnel workload show day.jsonl >out && grep "8 events of the cluster" out &&
	windtunnel workload slice day.jsonl --from 150 --duration 600 --output part.jsonl 2>err &&
	windtunnel workload show --json part.jsonl >out && jq -e ".files[0] | .jobs == 3 and .events == 5" out &&
	grep -c "\"at_s\":160" part.jsonl >count && echo 2 | test_cmp - count &&
	windtunnel workload convert day.jsonl --to swf 2>err >/dev/null && grep "its 8 events of the cluster are lost" err
'
test_expect_success 'every job and every event is accounted for' '
	run run && summary ".jobs_by_state == {\"COMPLETED\": 6, \"NODE_FAIL\": 1} and .jobs_file.ended_otherwise == 1" &&
	summary ".world == {\"events\": 8, \"done\": 6, \"already\": 1, \"refused\": 0, \"not_reached\": 1,
		\"first_refused\": \"\"}" &&
	grep "8 events of the cluster: 6 done, 1 so already, 0 refused, 1 not reached" run.out &&
	test "$(job b state)" = NODE_FAIL
'
test_expect_success 'the page marks events on its charts over time, and lists them; a damaged file costs the rest alone' '
	windtunnel report run --output page.html >out 2>err &&
	grep -o "id=\"run1-queue\".*<title>down n.*</title>" page.html >mark && grep "<title>drain n3</title>" page.html &&
	grep "What happened to the cluster?" page.html &&
	sed -n "/class=\"events\"/,/<.table>/p" page.html | grep -c "^<tr><th" >count && echo 7 | test_cmp - count &&
	cp -R run cut && printf "bad" >>cut/world.csv && windtunnel report cut --output cut.html >out 2>err &&
	grep "world.csv.*damaged line\|damaged line.*world.csv" cut.html && grep "<title>drain n3</title>" cut.html
'
test_expect_success 'a node that fails loses its jobs, and one that is drained, or reserved, takes no others' '
	within "$(since finish_time b)" 110 115 && within "$(since starting_time a)" 410 480 &&
	within "$(since finish_time a)" 1410 1485 && within "$(since finish_time d)" 111 115 &&
	within "$(since starting_time e)" 410 480 && within "$(since finish_time c)" 1011 1015 &&
	within "$(since starting_time r)" 710 740 && test "$(job r allocated_resources)" = "$(job e allocated_resources)" &&
	within "$(since starting_time x)" 910 980
'
test_expect_success 'world.csv: what was done when, and what was answered' '
	cut -d, -f1-3 run/world.csv >out && head -n 3 out >begin &&
	printf "line,event,nodes\n15,reserve,\n16,unreserve,\n" | test_cmp - begin &&
	grep "resume,n2,.*already,Invalid node state" run/world.csv &&
	grep "drain,ALL,,[0-9.]*,,not_reached,$" run/world.csv &&
	grep "down,n\[0-1\],,[0-9.]*,[0-9.]*,done,$" run/world.csv &&
	python3 -c "import csv
for r in csv.DictReader(open(\"run/world.csv\")):
    assert not r[\"time\"] or 0 <= float(r[\"time\"]) - float(r[\"planned_time\"]) < 1, r" &&
	grep -c "stopping,n[01]," run/power.csv >count && echo 2 | test_cmp - count
'
test_expect_success 'a second run is equal to the byte' '
	run again && for file in jobs.csv events.csv power.csv world.csv; do test_cmp run/$file again/$file || return 1; done
'
test_expect_success 'times that are scaled, on real time; what slurmctld refuses fails the run, but with --keep-going' '
	{ sed "2d; 7,8d" jobs.jsonl; sed "/later/d" events.jsonl
	echo "{\"event\":\"reserve\",\"at_s\":20,\"duration_s\":60,\"name\":\"x\",\"count\":1,\"users\":\"no-one\"}"
	} >day.jsonl &&
	for keep in "" --keep-going; do
		rm -rf real && expected=$(test -n "$keep" && echo 0 || echo 1) &&
		test_expect_code $expected windtunnel run --workload jobs:day.jsonl --time-scale 0.01 --nodes 4 $keep \
			--shape "pack:1 core:8 pu:1" --quiet --output real >out 2>err &&
		jq -e ".world.refused == 1 and .world.done + .world.already == 5 and .world.not_reached == 1 and
			(.world.first_refused | contains(\"day.jsonl:13: event\")) and
			([.jobs_by_state.COMPLETED, .jobs_by_state.NODE_FAIL] | add) == 4" real/summary.json ||
			{ cat out err real/summary.json real/world.csv; return 1; }
	done
'
in_cluster() { windtunnel cluster exec w -- "$@"; }
# Until slurmctld asks it again, a node that is back has an asterisk.
states() { in_cluster sinfo -h -N -o "%N %T" | tr -d "*" | sort | xargs; }
is_left() { test "$(states)" = "n0 idle n1 idle n2 drained n3 idle"; }
no_reservations() { in_cluster scontrol show reservations >left && grep "No reservations" left; }
shared_jobs() {	# shared_jobs RUN-TIME OF THE JOB
	echo "{\"id\":\"a\",\"submit_s\":0,\"run_time_s\":$1,\"time_limit_s\":6000,\"nodes\":1,\"node_list\":\"n3\"}"
	cat <<-END
	{"event":"down","at_s":0,"nodes":"n0","reason":"power supply"}
	{"event":"drain","at_s":0,"nodes":"n[1-2]"}
	{"event":"down","at_s":0,"nodes":"n3"}
	{"event":"resume","at_s":0,"nodes":"n3"}
	{"event":"reserve","at_s":0,"duration_s":9000,"name":"stays","nodes":"n0","users":"$me","flags":"MAINT,ignore_jobs"}
	{"event":"reserve","at_s":0,"duration_s":9000,"name":"goes","nodes":"n1","users":"$me","flags":"ignore_jobs"}
	{"event":"unreserve","at_s":0,"name":"goes"}
	{"event":"down","at_s":8000,"nodes":"n1"}
	END
}
test_expect_success 'a cluster that stays is left as it was, in both clocks: what was drained before the run stays so' '
	shared_jobs 2 >day.jsonl && for clock in real virtual; do
		windtunnel cluster up w --clock $clock --nodes 4 --shape "pack:1 core:8 pu:1" --quiet &&
		in_cluster scontrol update nodename=n2 state=drain reason=mine && rm -rf shared &&
		windtunnel run --workload jobs:day.jsonl --cluster w --quiet --output shared >out 2>err &&
		jq -e ".world.done + .world.already == 7 and .world.not_reached == 1 and
			.world.taken_back == {\"nodes\": 2, \"reservations\": 1, \"problem\": \"\"}" shared/summary.json &&
		grep "taken back: 2 nodes serve again, 1 reservations are deleted$" out && wt_poll 60 is_left &&
		no_reservations ||
			{ cat out err shared/summary.json shared/world.csv; states; return 1; }
		test $clock = virtual || windtunnel cluster down w || return 1
	done
'
test_expect_success 'also after Ctrl-C, with its jobs gone' '
	windtunnel cluster down w && windtunnel cluster up w --nodes 4 --shape "pack:1 core:8 pu:1" --quiet &&
	in_cluster scontrol update nodename=n2 state=drain reason=mine && shared_jobs 5000 >day.jsonl && rm -rf shared &&
	{ windtunnel run --workload jobs:day.jsonl --cluster w --quiet --output shared >out 2>err & } && pid=$! &&
	runs() { in_cluster squeue -h -t running -o %N >queue && grep n3 queue; } && wt_poll 120 runs && kill -INT $pid &&
	test_expect_code 130 wait $pid && jq -e ".world.taken_back.nodes == 2 and .world.taken_back.problem == \"\"" \
		shared/summary.json && wt_poll 60 is_left && no_reservations && ! runs
'
windtunnel cluster down w >/dev/null 2>&1
test_done
