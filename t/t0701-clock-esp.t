#!/bin/sh
test_description='windtunnel esp --clock virtual'
. "$WT_SRCDIR/t/setup.sh"

if grep -q "^WT_CFLAGS = .*-fsanitize" "$WT_BUILDDIR/Makefile"; then
	skip_all="a sanitizer and a preloaded library that replaces the same functions do not go together"
	test_done
fi
summary() { jq -e "$2" "$1/summary.json" >jq.out || { cat "$1/summary.json"; return 1; }; }
clusters_gone() { test -z "$(ls -A "$WINDTUNNEL_STATE" 2>/dev/null)"; }

test_expect_success 'unscaled Light-ESP on 64 virtual nodes, in virtual time' '
	began=$(date +%s) &&
	windtunnel esp --nodes 64 --clock virtual --quiet --output run >out 2>err &&
	took=$(($(date +%s) - began)) &&
	summary run ".clock == \"virtual\" and .jobs_completed == 230 and .jobs_missing == 0 and .failure == \"\" and
		.makespan_s > .ideal_s and .ideal_s > 935 and .wall_s <= $took + 1 and .virtual_clock.virtual_s > .makespan_s and
		.virtual_clock.wall_s < .virtual_clock.virtual_s and .virtual_clock.jumps > 230 and
		.virtual_clock.charge == \"real\" and .virtual_clock.outsiders == 0" &&
	grep "virtual clock, charge real: .* virtual s in .* s of wall time, [0-9]* jumps" out && clusters_gone
'
test_expect_success 'each figure says what it is: virtual, modelled or real' '
	summary run "([.makespan_s, .wait_mean_s, .utilization] | all) and .kinds.makespan_s == \"virtual\" and
		.kinds.wait_mean_s == \"virtual\" and .kinds.utilization == \"virtual\" and
		.kinds.probe_latency_mean_s == \"modelled\" and .kinds.submit_rate_per_s == \"modelled\" and
		.kinds.controller_cpu_s == \"real\" and .kinds.wall_s == \"real\""
'
test_expect_success 'its times follow each other: jobs.csv and events.csv are of the virtual clock' '
	sed 1d run/events.csv | cut -d, -f1 >times && sort -c -n times &&
	awk "NR == 1 { b = \$1 } END { exit !(\$1 - b > 900 && \$1 - b < 3000) }" times
'
for charge in none cpu:0.5; do
	test_expect_success "charge $charge" '
		windtunnel esp --nodes 16 --clock virtual --charge $charge --quiet --output run-$charge >out 2>err &&
		summary run-$charge ".jobs_completed == 230 and .jobs_missing == 0 and
			.virtual_clock.charge == \"${charge%:*}\"" &&
		jq -e ".options.charge == \"$charge\"" run-$charge/scenario.json && clusters_gone
	'
done
# Equal to the microsecond on a machine with CPUs to spare (doc/results-clock.md); a busy one makes single starts milliseconds later.
starts() { sed 1d "$1/jobs.csv" | cut -d, -f1,9 | sort -n; }
test_expect_success 'charge none, FIFO: runs of one seed start their jobs at the same times' '
	same() {
		rm -rf same-1 same-2 && for i in 1 2; do
			windtunnel esp --nodes 16 --clock virtual --charge none --seed 5 --set SchedulerType=sched/builtin --quiet \
				--output same-$i >out 2>err && starts same-$i >starts-$i || return 1
		done &&
		test_line_count = 230 starts-1 &&
		paste -d, starts-1 starts-2 | awk -F, "
			{ d = \$2 - \$4; if (d < 0) d = -d; if (\$1 != \$3 || d > 0.1) { print; bad = 1 } }
			END { exit bad }" >differ || { cat differ; false; }
	} &&
	same || same	# a machine that stalls in a run may have made the difference
'
test_expect_success '--repeat: each run counts for itself' '
	windtunnel esp --nodes 16 --clock virtual --time-scale 0.1 --repeat 2 --quiet --output twice >out 2>err &&
	summary twice ".runs == 2 and .clock == \"virtual\"" &&
	for i in 1 2; do
		summary twice/$i ".jobs_completed == 230 and .virtual_clock.virtual_s > .makespan_s and
			.virtual_clock.virtual_s < .makespan_s + 100" || return 1
	done
'
test_expect_success 'options that do not fit are refused' '
	for bad in "--clock x" "--charge none" "--clock real --charge none" "--clock virtual --charge x" \
		"--clock virtual --charge cpu:0"; do
		test_expect_code 2 windtunnel esp --nodes 4 $bad --output bad >out 2>err && test -s err && test ! -e bad || return 1
	done &&
	test_expect_code 1 windtunnel esp --cluster c --clock virtual --output bad 2>err && grep "no cluster .c." err &&
	test_expect_code 2 windtunnel esp --cluster c --charge none --output bad 2>err && grep "cluster of its own" err
'
test_done
