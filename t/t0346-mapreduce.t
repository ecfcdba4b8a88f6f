#!/bin/sh
test_description='windtunnel run --workload mapreduce: arrays, what waits for what, where data lie, copies of slow tasks'
. "$WT_SRCDIR/t/setup.sh"

# refused TEXT OPTION...: exit status 2, nothing on stdout, one line on stderr that contains TEXT
refused() {
	text=$1
	shift
	test_expect_code 2 windtunnel run --workload mapreduce "$@" >out 2>err &&
	test_line_count = 1 err && test_line_count = 0 out &&
	{ grep -q -e "^windtunnel run: .*$text" err || { cat err; false; }; }
}
summary() { jq -e "$2" "$1/summary.json" >jq.out || { cat "$1/summary.json"; return 1; }; }
run() { windtunnel run --workload mapreduce --clock virtual --charge none --probe none --quiet "$@"; }
# rows RUN: of each job name, class, node, start and end; by the names of its columns.
rows() {
	awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		{ print $at["name"], $at["profile"], $at["node_list"], $at["starting_time"], $at["finish_time"],
			$at["job_id"] }' "$1/jobs.csv"
}

test_expect_success 'what does not fit together is refused with one line' '
	refused "mapreduce has --maps, --reduces" --jobs 3 &&
	refused "mapreduce has --maps, --reduces" --load 0.8 &&
	refused "mapreduce has --maps, --reduces" --run-time 3 &&
	refused "mapreduce has --maps, --reduces" --from 3 &&
	refused "maps 0" --maps 0 && refused "reduces 10001" --reduces 10001 && refused "replicas 11" --replicas 11 &&
	refused "it has a cluster of its own" --real && refused "it has a cluster of its own" --cluster c &&
	refused "cannot have the arrays" --provision asap --clock virtual &&
	refused "needs --plugin straggler" --speculate on &&
	refused "on virtual nodes only" --speculate on --plugin straggler --backend slurmd &&
	refused "3000 maps .* do not fit" --maps 3000 --bandwidth 10 --backend slurmd &&
	refused "speculate a b" --plugin straggler --speculate "a b" &&
	test_expect_code 2 windtunnel run --workload burst --maps 3 2>err && grep "are for --workload mapreduce" err
'
test_expect_success '--dry-run: 150 maps and a reduce on 16 nodes of four cores; by the seed alone' '
	windtunnel run --workload mapreduce --dry-run --json >out &&
	jq -e ".name == \"mapreduce\" and .nodes == 16 and .cpus == 64 and (.jobs | length) == 151 and
		([.jobs[] | select(.run_time_s == 7)] | length) == 150 and .jobs[150].name == \"reduce.0\"" out &&
	windtunnel run --workload mapreduce --rounds 2 --maps 3 --reduces 2 --bandwidth 50 --input 1600 --dry-run \
		--json >out &&
	jq -e "[.jobs[].name] == [\"map.0\", \"map.1\", \"map.2\", \"reduce.0\", \"reduce.1\", \"map2.0\", \"map2.1\",
		\"map2.2\", \"reduce2.0\", \"reduce2.1\"] and .jobs[4].run_time_s == 565" out
'
test_expect_success 'two arrays a round, each of which waits for all of the one before; each task has its own record' '
	run --output r --nodes 4 --maps 20 --map-time 10 --reduces 3 --reduce-time 5 --rounds 2 --perturb "uniform 20" &&
	summary r ".jobs_completed == 46 and .jobs_submitted == 46 and .jobs_resubmitted == 0" && rows r >rows &&
	awk "{ print \$6 }" rows | sort -u >ids && test_line_count = 46 ids &&
	awk "{ split(\$1, n, \".\"); a = n[1]; if (!(a in first) || \$4 < first[a]) first[a] = \$4
		if (\$5 > last[a]) last[a] = \$5 }
		END { exit !(last[\"map\"] <= first[\"reduce\"] && last[\"reduce\"] <= first[\"map2\"] &&
			last[\"map2\"] <= first[\"reduce2\"]) }" rows &&
	awk "{ print \$2 }" rows | sort | uniq -c | tr -s " " >classes && echo " 40 map" >want && echo " 6 reduce" >>want &&
	test_cmp want classes
'
test_expect_success 'its schedule is the same in two runs' '
	run --output r2 --nodes 4 --maps 20 --map-time 10 --reduces 3 --reduce-time 5 --rounds 2 --perturb "uniform 20" &&
	rows r | awk "{ print \$1, \$3 }" >a && rows r2 | awk "{ print \$1, \$3 }" >b && test_cmp a b &&
	test "$(jq .makespan_s r/summary.json)" = "$(jq .makespan_s r2/summary.json)"
'
# One replica: 2,000 MB in 20 splits at 10 MB/s take 10 s where the split is not.
test_expect_success 'a map away from its split runs longer by its transfer, and only it' '
	run --output away --nodes 4 --shape "pack:1 core:2 pu:1" --maps 20 --map-time 10 --reduces 1 --reduce-time 1 \
		--input 2000 --bandwidth 10 --replicas 1 &&
	rows away | awk "\$2 == \"map\" { printf \"%.0f\\n\", \$5 - \$4 }" | sort | uniq -c | tr -s " " >times &&
	cat times && test_line_count = 2 times && grep " 10\$" times && grep " 20\$" times &&
	run --output near --nodes 4 --shape "pack:1 core:2 pu:1" --maps 20 --map-time 10 --reduces 1 --reduce-time 1 \
		--input 2000 --bandwidth 10 --replicas 4 &&
	rows near | awk "\$2 == \"map\" { printf \"%.0f\\n\", \$5 - \$4 }" | sort -u >times && echo 10 >want &&
	test_cmp want times
'
test_expect_success '--slots: so many tasks of an array at a time' '
	run --output slots --nodes 4 --maps 12 --map-time 10 --reduces 1 --reduce-time 1 --slots 3 &&
	rows slots | awk "\$2 == \"map\" { print \$4, 1; print \$5, -1 }" | sort -k1,1n -k2,2n |
		awk "{ n += \$2; if (n > max) max = n } END { exit max != 3 }"
'
test_expect_success 'a slow node: its tasks get copies, which win, and the run has neither lost nor doubled a task' '
	set -- --nodes 6 --shape "pack:1 core:2 pu:1" --maps 24 --map-time 40 --reduces 1 --reduce-time 1 --node slow=n0:6 \
		--limit-factor 20 --perturb "uniform 10" &&
	run --output slow "$@" && run --output copies --plugin straggler --speculate on "$@" &&
	summary copies ".jobs_completed == 25 and .jobs_submitted == 25 and .jobs_resubmitted == 0" &&
	test "$(jq .makespan_s copies/summary.json | cut -d. -f1)" -lt "$(jq .makespan_s slow/summary.json | cut -d. -f1)"
'
test_expect_success 'slurmctld is killed in the middle: no task is lost' '
	(sleep 1; exec windtunnel run --workload mapreduce --output killed --nodes 4 --maps 30 --map-time 3 --reduces 2 \
		--reduce-time 2 --probe none --quiet) & run=$! &&
	wt_poll 60 eval "pid=\$(wt_daemon_pid \"$WINDTUNNEL_STATE\"/esp-* slurmctld 2>/dev/null) && [ -n \"\$pid\" ] &&
		grep -q \",start,\" \"$WINDTUNNEL_STATE\"/esp-*/nodes/events.csv" && kill -KILL $pid && wait $run &&
	summary killed ".jobs_completed == 32"
'
test_done
