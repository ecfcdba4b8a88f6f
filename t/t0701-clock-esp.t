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
		.makespan_s > .ideal_s and .ideal_s > 935 and .wall_s <= $took + 1 and
		.virtual_clock.virtual_s > .makespan_s and
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
		windtunnel esp --nodes 16 --clock virtual --charge $charge --quiet --output run-$charge >out-$charge 2>err &&
		summary run-$charge ".jobs_completed == 230 and .jobs_missing == 0 and
			.virtual_clock.charge == \"${charge%:*}\"" &&
		jq -e ".options.charge == \"$charge\"" run-$charge/scenario.json && clusters_gone
	'
done
# What the clock did from the first second on, until the cluster is stopped: before, munged and others are being loaded,
# beside the clock.
# (The last line may have been cut when wt-clockd ended.)
moments() {
	awk "\$3 !~ /^munged/ && length(\$5) - index(\$5, \".\") == 9 && \$5 >= 1 && \$5 < $2 { print \$5, \$3 }" "$1"
}
# beside_others COMMAND...: it gets a CPU now and then
beside_others() {
	loops= &&
	for i in 1 2 3 4; do
		timeout 200 sh -c "while :; do :; done" & loops="$loops $!"
	done &&
	rc=0 && { (renice -n 5 $(exec sh -c "echo \$PPID") >/dev/null && "$@") || rc=$?; }
	kill $loops
	return $rc
}
run_burst() {
	WINDTUNNEL_CLOCK_TRACE="$PWD/$1.trace" windtunnel run --workload burst --jobs 60 --run-time 20 --nodes 16 \
		--clock virtual --charge none --quiet --output "$1" >"$1.out" 2>err
}
test_expect_success 'charge none: a run beside busy loops is the same run, event by event' '
	run_burst calm && beside_others run_burst busy &&
	summary busy ".jobs_completed == 60 and .repeatable.verdict == \"yes\"" &&
	test_cmp calm/events.csv busy/events.csv && test_cmp calm/jobs.csv busy/jobs.csv &&
	grep "repeats itself: yes (charge none: the clock stood while any thread worked" busy.out
'
test_expect_success 'charge none: threads of that run had their turns in the same order' '
	for i in calm busy; do moments $i.trace 30 >$i.moments && test $(wc -l <$i.moments) -gt 500 || return 1; done &&
	test_cmp calm.moments busy.moments
'
test_expect_success 'charge none: runs of one seed are the same to the last byte' '
	for i in 1 2; do
		windtunnel esp --nodes 16 --clock virtual --charge none --seed 5 --quiet --output same-$i >out 2>err ||
			return 1
	done &&
	test_cmp same-1/jobs.csv same-2/jobs.csv && test_cmp same-1/events.csv same-2/events.csv
'
test_expect_success 'a run says whether it can be trusted to repeat itself, and why' '
	summary run ".repeatable.verdict == \"no\" and (.repeatable.basis | test(\"charge real\"))" &&
	grep "repeats itself: no (charge cpu: " out-cpu:0.5 &&
	windtunnel cluster up lived --nodes 4 --clock virtual --charge none --quiet && sleep 1 &&
	windtunnel run --workload burst --jobs 4 --run-time 5 --cluster lived --quiet --output lived >out 2>err &&
	windtunnel cluster down lived &&
	summary lived ".repeatable.verdict == \"doubtful\" and
		(.repeatable.basis | test(\"of it passed at the machine.s rate\")) and
		.virtual_clock.races == 0" && clusters_gone
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
		test_expect_code 2 windtunnel esp --nodes 4 $bad --output bad >out 2>err && test -s err &&
		test ! -e bad || return 1
	done &&
	test_expect_code 1 windtunnel esp --cluster c --clock virtual --output bad 2>err && grep "no cluster .c." err &&
	test_expect_code 2 windtunnel esp --cluster c --charge none --output bad 2>err && grep "cluster of its own" err
'
test_done
