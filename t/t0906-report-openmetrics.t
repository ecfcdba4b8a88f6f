#!/bin/sh
test_description='windtunnel report --openmetrics: figures that an independent parser reads, as in the run folders'
. "$WT_SRCDIR/t/setup.sh"

# Debian's package is for Debian's python3, which need not be the first on PATH.
for python in python3 /usr/bin/python3; do
	! "$python" -c "import prometheus_client.openmetrics.parser" 2>/dev/null || break
done
check() { "$python" "$WT_SRCDIR/t/check-openmetrics.py" "$@"; }
if ! "$python" -c "import prometheus_client.openmetrics.parser" 2>/dev/null; then
	skip_all='no parser of OpenMetrics (Debian package python3-prometheus-client)'
	test_done
fi
clock="virtual --charge none"
# Sanitizers do not go together with a preloaded library.
if grep -q "^WT_CFLAGS = .*-fsanitize" "$WT_BUILDDIR/Makefile"; then
	clock="real --time-scale 0.02"
fi
bench_run="$WT_BUILDDIR/harness/page/bench_run"

test_expect_success 'the figures of a run, and histograms over its jobs' '
	windtunnel esp --variant light --nodes 32 --clock $clock --quiet --output run >out 2>err &&
	windtunnel report run --openmetrics run.txt >out && echo "metrics: run.txt" >expected && test_cmp expected out &&
	test ! -e run/report.html && test "$(tail -n 1 run.txt)" = "# EOF" &&
	check run.txt run=run >found && cat found && grep " 230 waits" found && ! grep "^0 figures" found &&
	grep "^windtunnel_run_info{run=\"run\",name=\"run\",workload=\"light-esp\",.*seed=\"1\"} 1 " run.txt
'
planted() {	# NAME PERL: what perl makes of run.txt
	perl -pe "$2" run.txt >planted.txt && ! cmp -s run.txt planted.txt &&
		test_expect_code 1 check planted.txt run=run >found &&
		grep "^fault: " found | head -n 1 || { echo "$1: nothing was found"; return 1; }
}
test_expect_success 'the checker finds wrong what is wrong' '
	planted "no end" "s/^# EOF\$//" &&
	planted "another figure" "s/^(windtunnel_makespan_seconds.*?\} )/\${1}1/" &&
	planted "another kind" "s/(windtunnel_makespan_seconds.*kind=.)\w+/\${1}other/" &&
	planted "a unit that the name has not" "s/^(# UNIT windtunnel_makespan_seconds) seconds/\${1} bytes/" &&
	planted "a bucket that falls" "s/ \d+/ 100000/ if /wait_seconds_bucket.*le=.10\.0/" &&
	planted "a wait too many" "s/ (\d+)/q( ) . (\$1 + 1)/e if /job_wait_seconds_(count|bucket\{.*Inf)/ && /1.32/" &&
	planted "another time" "s/(windtunnel_nodes.* 32 )\d/\${1}2/"
'
test_expect_success 'several runs, one twice, and paths with quotes, backslashes, newlines and bytes that are no text' '
	odd=$(printf "odd\"\\\\ \n\377x") && cp -R run "$odd" && "$bench_run" --jobs 500 --nodes 20 --shared made &&
	windtunnel report run made "$odd" run --openmetrics all.txt >out &&
	check all.txt run=run made=made "odd\"\\ ??x=run" "run (run4)=run" >found && cat found && test_line_count = 4 found
'
test_expect_success 'what a run folder does not have is not there, and nothing else is invented' '
	cp -R run less && rm less/summary.json less/series.csv && windtunnel report less --openmetrics less.txt &&
	check less.txt && grep -q "^windtunnel_job_wait_seconds_count" less.txt &&
	grep -q "^windtunnel_interrupted{run=\"less\"} 1$" less.txt &&
	! grep -E "^windtunnel_(nodes|cpus|controller_cpu_seconds|slurmctld_messages_total)" less.txt &&
	! grep -E "NaN|seed=| 1[78][0-9]{8}" less.txt
'
test_expect_success 'messages of a damaged summary: names that are none, the same twice, counts that are none' '
	cp -R run damaged && jq ".rpc_costs = [{type: \"A\", count: 1, total_us: 2}, {type: \"A\", count: 3, total_us: 4},
		{type: \"a\\\"\\n\", count: 5, total_us: 6}, {type: \"B\", count: -1, total_us: \"x\"}, 7, {}] |
		.begin_s = 1e300" \
		run/summary.json >damaged/summary.json &&
	windtunnel report damaged --openmetrics damaged.txt && check damaged.txt &&
	grep "^windtunnel_slurmctld_mess" damaged.txt >out && test_line_count = 2 out
'
test_expect_success 'a file that cannot be written is one line' '
	test_expect_code 1 windtunnel report run --openmetrics nowhere/x.txt 2>err && test_line_count = 1 err
'
test_done
