#!/bin/sh
test_description='windtunnel --credentials process: messages without munged'
. "$WT_SRCDIR/t/setup.sh"

if grep -q "^WT_CFLAGS = .*-fsanitize" "$WT_BUILDDIR/Makefile"; then
	skip_all="a sanitizer and a preloaded library that replaces the same functions do not go together"
	test_done
fi

test_expect_success 'wrong use is refused' '
	test_expect_code 2 windtunnel cluster up bad --nodes 2 --credentials process 2>err &&
	grep "credentials process is for --clock virtual" err &&
	test_expect_code 2 windtunnel esp --nodes 2 --credentials process --output bad 2>err &&
	grep "credentials process is for --clock virtual" err && test_line_count = 1 err &&
	test_expect_code 2 windtunnel esp --nodes 2 --clock virtual --credentials none --output bad 2>err &&
	grep "give process or munged" err && test ! -e bad
'
test_expect_success 'charge none: the same schedule with both, to the last byte' '
	for who in munged process; do
		windtunnel run --workload burst --jobs 60 --run-time 20 --nodes 16 --clock virtual --charge none --seed 4 \
			--credentials $who --quiet --output $who >out 2>err || return 1
	done &&
	test_cmp munged/jobs.csv process/jobs.csv && test_cmp munged/events.csv process/events.csv &&
	jq -e ".jobs_completed == 60 and .repeatable.verdict == \"yes\"" process/summary.json &&
	jq -e ".options.own_cluster.credentials == \"process\"" process/scenario.json
'
test_expect_success 'a cluster whose processes seal for themselves' '
	cleanup windtunnel cluster down sealed &&
	windtunnel cluster up sealed --nodes 2 --clock virtual --credentials process --quiet &&
	dir="$WINDTUNNEL_STATE/sealed" && socket="$dir/munge/socket" &&
	jq -e ".credentials == \"process\"" "$dir/cluster.json" && ls -l "$dir/munge/key" | grep "^-r-------- " &&
	windtunnel cluster describe sealed | grep "credentials are sealed in each process" &&
	windtunnel cluster exec sealed -- sh -c "echo \"\$LD_PRELOAD\"" | grep "libwtclock.so:.*libwtmunge.so"
'
# In the cluster, so that all see its clock.
inside() { windtunnel cluster exec sealed -- "$@"; }
seal_and_open() {
	inside env LD_PRELOAD="$WT_LIBEXECDIR/libwtclock.so$1" munge -S "$socket" -s text >cred &&
	inside env LD_PRELOAD="$WT_LIBEXECDIR/libwtclock.so$2" unmunge -S "$socket" -m meta -o text <cred &&
	grep "Success (0)" meta && grep "^UID:.*($(id -u))" meta && test "$(cat text)" = text
}
test_expect_success 'what either seals the other opens' '
	seal_and_open ":$WT_LIBEXECDIR/libwtmunge.so" "" &&
	seal_and_open "" ":$WT_LIBEXECDIR/libwtmunge.so"
'
test_expect_success 'clients from inside and from outside are understood' '
	inside squeue -h >out 2>&1 && SLURM_CONF="$dir/slurm.conf" squeue -h >out 2>&1 &&
	SLURM_CONF="$dir/slurm.conf" scontrol show config >out && grep -i "^AuthType *= auth/munge" out
'
test_expect_success 'a credential of another key, or a changed one, opens nothing' '
	inside munge -S "$socket" -s text >cred &&
	perl -pe "substr(\$_, 60, 1) = substr(\$_, 60, 1) eq \"A\" ? \"B\" : \"A\"" cred >changed &&
	! cmp -s cred changed &&
	test_expect_code 14 inside unmunge -S "$socket" <changed >out 2>err
'
test_expect_success 'an outage of munge is one' '
	windtunnel cluster stop sealed munge && ! test -e "$socket" &&
	! inside timeout 60 munge -S "$socket" -s text >out 2>err && grep -i "socket" err &&
	windtunnel cluster start sealed munge && wt_poll 60 test -S "$socket" && inside munge -S "$socket" -s text >cred
'
test_done
