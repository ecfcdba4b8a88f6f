#!/bin/sh
test_description='finding one'\''s way: help, mistyped words, list, describe, logs, completion'
. "$WT_SRCDIR/t/setup.sh"

test_expect_success '-h, --help and help VERB are the same, within 24 lines of 80 columns; --help=all has more' '
	for verb in "cluster up" esp "cluster logs"; do
		windtunnel $verb --help >help && test "$(wc -l <help)" -le 24 && ! grep ".\{80\}" help &&
		windtunnel $verb -h >out && test_cmp help out && windtunnel help $verb >out && test_cmp help out || return 1
	done &&
	windtunnel run --help=all >all && windtunnel run --help >help && grep -e --submitters all &&
	! grep -e --submitters help &&
	grep "more options.*--help=all" help
'
# Lines that the terminal would break count as often.
test_expect_success 'the help of every verb, and of every verb of a verb, is within one screen' '
	words() { sed -n "s/^  \([a-z][a-z]*\)  *.*/\1/p"; } && windtunnel --help | words >verbs &&
	test_line_count -gt 10 verbs && while read -r verb; do
		windtunnel $verb --help=all >all </dev/null || echo "$verb: no help"
		for part in "" $(words <all); do
			windtunnel $verb $part --help </dev/null | fold -w 80 >help
			test -s help && test "$(wc -l <help)" -le 24 || echo "$verb $part: $(wc -l <help) lines"
			echo "$verb $part" >>asked
		done
	done <verbs >out && wt_empty out && test_line_count -gt 35 asked
'
test_expect_success 'help wraps at 40 columns' '
	COLUMNS=40 windtunnel esp --help=all >out && ! grep "^.\{41\}" out
'
test_expect_success 'mistyped verbs and options are answered with the nearest' '
	test_expect_code 2 windtunnel clustre 2>err && grep "did you mean .cluster.?" err &&
	test_expect_code 2 windtunnel cluster descirbe x 2>err && grep "did you mean .describe.?" err &&
	test_expect_code 2 windtunnel esp --nods 4 2>err && grep "did you mean .--nodes.?" err &&
	test_expect_code 2 windtunnel topology show --bsuy x curie 2>err && grep "did you mean .--busy.?" err &&
	test_expect_code 2 windtunnel esp --frobnicate 2>err && test_line_count = 1 err && ! grep "did you mean" err
'
test_expect_success 'without clusters, list says so, not on standard output' '
	windtunnel cluster list >out 2>err && wt_empty out && grep -x "no clusters" err &&
	windtunnel cluster list --json >out 2>err && test "$(cat out)" = "[]" && wt_empty err
'
test_expect_success 'a cluster with settings' '
	windtunnel cluster up show --nodes 3 --node slow=n1:2 --set SchedulerParameters=bf_intervall=30,defer >out 2>err &&
	grep "bf_intervall.*passes over it; did you mean .bf_interval.?" err
'
test_expect_success 'describe tells nodes, settings and files; also as JSON' '
	windtunnel cluster describe show >out && grep "^cluster  *show (up)" out &&
	grep "^nodes  *3 virtual: n0 to n2" out &&
	grep "slow=n1:2" out && grep "SchedulerParameters=bf_intervall=30,defer" out &&
	grep "^folder  *$WINDTUNNEL_STATE/show" out &&
	windtunnel cluster describe show --json >json &&
	test "$(jq -r ".name, .nodes, .status, .settings.SchedulerType" json | tr "\n" " ")" = "show 3 up sched/backfill "
'
test_expect_success 'list fits 40 columns' '
	COLUMNS=40 windtunnel cluster list >out && test_line_count = 4 out && grep "^    /" out
'
test_expect_success 'logs of all daemons, of one, of none' '
	windtunnel cluster logs show --lines 3 >out && grep "==>.*/daemons.log" out && grep "==>.*/slurmctld.log" out &&
	windtunnel cluster logs show slurmctld --lines 1000 >out && grep "slurmctld version 2" out &&
	! grep munged.log out &&
	windtunnel cluster logs show --paths >out && grep "/ctld/slurmctld.log\$" out && xargs ls <out &&
	test_expect_code 2 windtunnel cluster logs show n7 2>err && grep "n7.*has no log of its own" err &&
	test_expect_code 2 windtunnel cluster logs show ../../x 2>err &&
	test_expect_code 1 windtunnel cluster logs nowhere 2>err
'
test_expect_success 'logs --follow ends with Ctrl-C' '
	rm -f out && { windtunnel cluster logs show supervisor --follow >out 2>&1 & } && pid=$! && wt_poll 30 grep . out &&
	kill -INT $pid; kill $pid; wait $pid; test $? -gt 128
'
command -v bash >/dev/null && test_set_prereq BASH
test_expect_success BASH 'bash completes verbs, options and clusters' '
	cat >complete.bash <<-\END &&
	. "$WT_SRCDIR/config/windtunnel.bash-completion"
	COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
	_windtunnel
	printf "%s\n" "${COMPREPLY[@]}"
	END
	completes() { bash complete.bash "$@" | sort | tr "\n" " "; }
	test "$(completes windtunnel cl)" = "cluster " && test "$(completes windtunnel cluster d)" = "describe down " &&
	test "$(completes windtunnel cluster status sh)" = "show " &&
	test "$(completes windtunnel esp --var)" = "--variant= " &&
	test "$(completes windtunnel esp --cluster sh)" = "show " && completes windtunnel cluster exec show -- tr |
		grep -w tr &&
	test "$(completes windtunnel cluster up x --nod)" = "--node= --nodes= "
'
test_expect_success 'a stopped cluster can be described, and its logs be read' '
	windtunnel cluster down show --keep && windtunnel cluster describe show >out &&
	grep "^cluster  *show (stopped)" out &&
	windtunnel cluster logs show supervisor | grep slurmctld
'
test_done
