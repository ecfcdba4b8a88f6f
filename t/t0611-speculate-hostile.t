#!/bin/sh
test_description='the port of the straggler plugin against other users, replays, floods, garbage, and a port that is taken'
. "$WT_SRCDIR/t/setup.sh"

# Virtual nodes whose own heartbeats are all lost: the only ones come from bench_reports.
bench="$WT_BUILDDIR/plugins/straggler/bench_reports"
dir="$WINDTUNNEL_STATE/h" log="$WINDTUNNEL_STATE/h/ctld/slurmctld.log"
in_cluster() { windtunnel cluster exec h -- "$@"; }
status() { in_cluster windtunnel straggler status --json "$@"; }
counter() { status | jq ".counters.$1"; }
reports() { in_cluster "$bench" --conf "$dir/straggler.conf" --job "$@"; }
test "$(id -u)" = 0 && test_set_prereq ROOT
# Another user, with a copy of the program where it may look.
as_other() {
	setpriv --reuid nobody --regid nogroup --clear-groups env --chdir / "$WT_TMP/bench_reports" \
		--conf "$dir/straggler.conf" --job "$@"
}

test_expect_success 'a cluster, and an array of which the plugin has heard' '
	windtunnel cluster up h --nodes 4 --shape "core:4 pu:1" --plugin straggler --node beat-loss=1 --quiet &&
	printf "Window=1\nSilence=30\n" >>"$dir/straggler.conf" && wt_poll 30 grep "was read again" "$log" &&
	job=$(in_cluster sbatch --parsable --speculate --array=0-9 --export=ALL,WINDTUNNEL_RUN_TIME_S=600 \
		--wrap "sleep 600") &&
	wt_poll 60 eval "in_cluster squeue -h -t R -r -o %A | sort -n >jobs; test \$(wc -l <jobs) = 10" &&
	first=$(sed -n 2p jobs) && last=$(tail -n 1 jobs) &&
	reports $first-$last --nodes 2 --seconds 4 && test "$(counter accepted)" -gt 0 &&
	status $job | grep "\"running\": [1-9]"
'
test_expect_success ROOT 'reports and commits of another user are refused and counted, and change nothing' '
	chmod 711 "$WT_TMP" && cp "$bench" "$WT_TMP/bench_reports" && before=$(counter accepted) &&
	as_other $first --evil foreign >out && grep "last: denied" out && test "$(counter foreign)" = 1 &&
	test "$(counter accepted)" = "$before"
'
test_expect_success ROOT 'another user sees nothing of the array' '
	cp "$WT_BUILDDIR/cmd/windtunnel" "$WT_TMP/" && setpriv --reuid nobody --regid nogroup --clear-groups env --chdir / \
		"$WT_TMP/windtunnel" straggler status --json --conf "$dir/straggler.conf" >out &&
		test "$(jq ".arrays | length" out)" = 0
'
test_expect_success 'a credential counts once' '
	reports $first --evil replay >out && grep "first ok, again refused" out && test "$(counter replayed)" = 1
'
test_expect_success 'garbage is refused and counted, in a credential and without' '
	reports $first --evil garbage >out &&
	grep "noise refused, a sealed non-message refused, one of no known kind refused" out &&
	test "$(counter garbage)" = 2 && test "$(counter bad_credential)" = 1
'
cat >want <<-\END
	good ok
	again refused
	backwards refused
	mac refused
	body refused
	key refused
	cut refused
	session no_session
	good ok
END
test_expect_success "a session's frames again, backwards, changed, of another key, cut off, of none: refused, counted" '
	replayed=$(counter replayed) && none=$(counter no_session) && reports $first --age 10 --evil keyed >out &&
	test_cmp want out &&
	test "$(counter replayed)" = $((replayed + 2)) && test "$(counter bad_mac)" = 3 &&
	test "$(counter no_session)" = $((none + 1))
'
test_expect_success ROOT "another user's session is worth nothing for jobs that are not its own" '
	before=$(counter accepted) && as_other $first --evil keyed >out && sed "s/good ok/good denied/" want >denied &&
	test_cmp denied out &&
	test "$(counter accepted)" = "$before" && test "$(counter foreign)" -ge 3
'
test_expect_success ROOT 'a session is told to the user who asked and to nobody else, by munged' '
	reports $first --evil theft >out && grep "another user: refused, its own: opened" out
'
test_expect_success 'who asks without encryption is answered with it, and what comes in does not change what goes out' '
	reports $first --evil letter >out &&
	grep "answer sealed, ours after an open one sealed, after a broken one sealed" out
'
test_expect_success 'messages of other versions are refused with an answer and one line in the log, which names both' '
	for i in 1 2; do reports $first --evil old >out && grep "sealed answered, keyed answered" out || return 1; done &&
	test "$(counter other_version)" = 4 &&
	test "$(grep -c "speaks version 3 of the protocol, and this plugin version 4" "$log")" = 1 &&
	test "$(grep -c "speaks version 5 of the protocol, and this plugin version 4" "$log")" = 1
'
test_expect_success 'a task that reports all the time is taken at its word five times a window at most' '
	reports $first --age 20 --evil flood --seconds 2 && test "$(counter flood)" -gt 0
'
test_expect_success ROOT "while another user floods, the agents' reports and Slurm go on" '
	{ as_other $first --evil flood --seconds 6 >flood & flooder=$!; } && sleep 1 && before=$(counter accepted) &&
	reports $((first + 1))-$last --age 100 --seconds 3 && in_cluster squeue >/dev/null &&
	test "$(counter accepted)" -gt "$before" &&
	wait $flooder && sent=$(sed -n "s/ answered.*//p" flood) && test "$sent" -le 3000	# of 200 a second, generously
'
test_expect_success ROOT \
	"while another user opens session after session, its oldest ones go, and the agents' reports go on" '
	{ as_other $first --evil opens --seconds 4 >flood & flooder=$!; } && sleep 1 && before=$(counter accepted) &&
	reports $((first + 1))-$last --age 150 --seconds 2 && in_cluster squeue >/dev/null &&
	test "$(counter accepted)" -gt "$before" &&
	wait $flooder && grep "first: no_session, last: denied" flood && test "$(counter sessions_dropped)" -gt 0 &&
	test "$(sed "s/ opened.*//" flood)" -le 2000
'
test_expect_success 'a port that is taken: said once, jobs go on; ours again when it is free' '
	port=$(sed -n "s/^Port=//p" "$dir/straggler.conf") && free=$((port - 1)) &&
	busy=$(jq .controller_port "$dir/cluster.json") &&
	sed -i "s/^Port=.*/Port=$busy/" "$dir/straggler.conf" && wt_poll 30 grep "no speculation until the port" "$log" &&
	in_cluster squeue >/dev/null && sed -i "s/^Port=.*/Port=$port/" "$dir/straggler.conf" &&
	wt_poll 60 grep "the port is ours now" "$log" &&
	wt_poll 30 status >/dev/null && test "$(grep -c "no speculation until" "$log")" = 1
'
test_expect_success 'a reconfiguration and a clean restart keep everything' '
	in_cluster scontrol reconfigure && wt_poll 60 status && reports $first-$last --age 200 --seconds 2 &&
	wt_daemon_restart "$dir" slurmctld &&
	wt_poll 60 status && wt_poll 30 eval "status $job | grep \"running\"" &&
	! grep "ended: signal \(11\|6\)" "$dir/daemons.log"
'
test_expect_success 'slurmctld starts without our settings, too, and says what is missing' '
	mv "$dir/straggler.conf" settings && wt_daemon_restart "$dir" slurmctld &&
	wt_poll 60 grep "straggler.conf: No such file or directory; no speculation until slurmctld is started again" \
		"$log" &&
	wt_poll 60 in_cluster squeue && mv settings "$dir/straggler.conf"
'
test_done
