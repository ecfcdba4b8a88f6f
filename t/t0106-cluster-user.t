#!/bin/sh
test_description='windtunnel cluster: as an ordinary user'
. "$WT_SRCDIR/t/setup.sh"

as_user_name() {
	wt_as_user id -un
}

test_expect_success 'up, a job, and down; SlurmUser is the caller' '
	wt_as_user windtunnel cluster up mine --nodes 10 -q &&
	wt_as_user windtunnel cluster exec mine -- scontrol show config >out &&
	grep "^SlurmUser  *= $(as_user_name)(" out && grep "^SlurmdUser  *= $(as_user_name)(" out &&
	wt_as_user windtunnel cluster exec mine -- sbatch --output=/dev/null --wrap "sleep 1" &&
	user_job_done() { wt_as_user windtunnel cluster exec mine -- scontrol show job 1 | grep JobState=COMPLETED; } &&
	wt_poll 60 user_job_done &&
	wt_as_user cat state/mine/cluster.json >cluster.json &&
	wt_as_user windtunnel cluster down mine &&
	wt_nothing_left cluster.json && ! wt_as_user test -e state
'
test_expect_success 'a private TMPDIR (mode 700) is enough' '
	wt_as_user sh -c "mkdir -m 700 tmp && unset WINDTUNNEL_STATE && TMPDIR=\$PWD/tmp && export TMPDIR &&
		windtunnel cluster up mine --nodes 3 -q && test -d tmp/windtunnel-\$(id -u)/mine &&
		windtunnel cluster exec mine -- sinfo -h -o %D && windtunnel cluster down --all && test -z \"\$(ls tmp)\"" \
			>out &&
	grep "^3$" out
'
test_expect_success 'the folder of another user is refused' '
	if test "$(id -u)" = 0; then
		mkdir "$WT_TMP/roots" && chmod 755 "$WT_TMP/roots" &&
		wt_as_user sh -c "WINDTUNNEL_STATE=$WT_TMP/roots windtunnel cluster up mine --nodes 1" 2>err
		test $? = 1 && test_line_count = 1 err && grep "must belong to you" err
	fi
'
test_done
