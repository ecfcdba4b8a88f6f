#!/bin/sh
test_description='windtunnel esp: as an ordinary user'
. "$WT_SRCDIR/t/setup.sh"

test_expect_success 'a cluster of its own, every job COMPLETED, nothing left' '
	wt_as_user windtunnel esp --nodes 16 --time-scale 0.002 --timeout 300 --quiet --output "$WT_TMP/user/run" \
		>out 2>err ||
		{ cat err; false; } &&
	jq -e ".jobs_completed == 230" "$WT_TMP/user/run/summary.json" &&
	grep -q "^SlurmUser=$(wt_as_user id -un)" "$WT_TMP/user/run/slurm.conf" &&
	test "$(stat -c %u "$WT_TMP/user/run/jobs.csv")" = "$(wt_as_user id -u)" &&
	test -z "$(ls -A "$WT_TMP/user/state")"
'
test_done
