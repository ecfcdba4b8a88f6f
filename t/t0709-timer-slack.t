#!/bin/sh
test_description='windtunnel --timer-slack: waits in virtual time that end together'
. "$WT_SRCDIR/t/setup.sh"

refused() {
	test_expect_code 2 windtunnel "$@" --quiet >out 2>err && grep -e "--timer-slack" err &&
	test ! -e "$WINDTUNNEL_STATE/bad" && test ! -e bad
}
test_expect_success 'it is for virtual time, and for a number of milliseconds' '
	refused cluster up bad --nodes 2 --timer-slack 500 &&
	refused run --workload burst --jobs 2 --nodes 2 --timer-slack 500 --output bad &&
	refused cluster up bad --nodes 2 --clock virtual --timer-slack 0 &&
	refused cluster up bad --nodes 2 --clock virtual --timer-slack 0.5 &&
	refused cluster up bad --nodes 2 --clock virtual --timer-slack 10001 &&
	refused cluster up bad --nodes 2 --clock virtual --charge none --timer-slack 500 &&
	refused run --workload burst --jobs 2 --nodes 2 --clock virtual --charge none --timer-slack 500 --output bad
'
spaced() {
	windtunnel run --workload spaced --jobs 40 --interval 97.3 --run-time 30.4 --nodes 4 --clock virtual --seed 4 \
		--probe none --quiet "$@" >out 2>err && jq -e ".jobs_completed == 40" "$output/summary.json"
}
jumps() { jq .virtual_clock.jumps "$1/summary.json"; }
# Each wait in a chain of them may be late, a second at most: the median says that they are few.
test_expect_success 'the clock jumps seldom, and jobs end in order, with charges of real time and of CPU time' '
	for charge in real cpu
	do
		output=exact spaced --charge $charge --output exact &&
		output=slack spaced --charge $charge --output slack --timer-slack 1000 &&
		jq -e ".options.own_cluster.timer_slack_ms == 1000" slack/scenario.json &&
		test $(($(jumps slack) * 3)) -lt $(($(jumps exact) * 2)) &&
		jq -e -s ".[1].wait_median_s - .[0].wait_median_s < 4" exact/summary.json slack/summary.json &&
		rm -r exact slack || return 1
	done
'
test_done
