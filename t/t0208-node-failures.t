#!/bin/sh
test_description='bench/node-failures, small: no job is lost when the node process is killed, or when nodes fail and return'
. "$WT_SRCDIR/t/setup.sh"

FAILURES=$WT_SRCDIR/bench/node-failures
# run PART OPTION...: with short waits of slurmctld; the result in $WT_TMP/PART
run() {
	part=$1; shift
	rm -rf "$WT_TMP/$part"
	timeout -k 60 800 "$FAILURES" --parts $part --nodes 64 --time-scale 0.02 --output "$WT_TMP/$part" "$@" -- \
		--set AuthInfo+=,cred_expire=5 --set MessageTimeout=10 --set KillWait=2 >"$WT_TMP/$part.out" 2>&1
}
says() {	# says PART CONDITION: of its figures
	jq -e ".parts[0] | $2" "$WT_TMP/$1/failures.json" || { cat "$WT_TMP/$1.out"; false; }
}

test_expect_success 'killed three times, and beside it nodes that fail: both account for every job' '
	run kill --kills 3 --down-after 30 & kill_pid=$! &&
	run fail --fail "n[0-2]@6+10" --fail "n[0-1]@18+8" --down-after 3 & fail_pid=$! &&
	{ wait $kill_pid || { cat "$WT_TMP/kill.out"; false; }; } &&
	{ wait $fail_pid || { cat "$WT_TMP/fail.out"; false; }; }
'
test_expect_success 'kill: all 230 jobs are COMPLETED, running scripts went on' '
	says kill ".jobs_completed == 230 and .kills == 3 and .scripts_resumed > 0" &&
	test $(grep -c "vnoded: .*signal 9" "$WT_TMP/kill/kill/logs/daemons.log") -eq 3
'
test_expect_success 'fail: nodes were DOWN and returned, their jobs were requeued' '
	says fail ".nodes_failed == 5 and .nodes_booted == 5 and .nodes_down_max >= 2 and .jobs_requeued > 0" &&
	says fail ".lives_begun > 230 and .lives_begun == .lives_ended"
'
test_expect_success 'mistakes are said' '
	test_expect_code 2 "$FAILURES" --parts burn 2>err && grep "there is no part .burn." err &&
	test_expect_code 2 "$FAILURES" --kills 0 2>err && grep "at least 1" err &&
	test_expect_code 1 "$FAILURES" --output "$WT_TMP" 2>err && grep "exists; name a new folder" err
'
test_done
