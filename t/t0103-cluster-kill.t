#!/bin/sh
test_description='windtunnel cluster: processes that die'
. "$WT_SRCDIR/t/setup.sh"

dir=$WINDTUNNEL_STATE/k
daemon_pid() {
	jq ".daemons[] | select(.name == \"$1\") | .pid" "$dir/state.json"
}
# restarted NAME OLD-PID: NAME runs with another pid.
restarted() {
	new=$(daemon_pid "$1") && test "$new" -gt 0 && test "$new" != "$2"
}
all_idle() {
	test "$(windtunnel cluster exec k -- sinfo -h -o "%D %T")" = "20 idle"
}

test_expect_success 'a cluster to be hurt' '
	windtunnel cluster up k --nodes 20 -q
'
for name in munged slurmctld vnoded; do
	test_expect_success "kill -9 of $name: it is restarted, recorded, and works again" '
		old=$(daemon_pid '$name') && kill -9 $old &&
		wt_poll 60 restarted '$name' $old &&
		jq -e ".daemons[] | select(.name == \"'$name'\") | .restarts == 1 and
		.last_exit == \"signal 9\"" "$dir/state.json" &&
		grep "'$name': pid $old ended: signal 9" "$dir/daemons.log" &&
		wt_poll 60 windtunnel cluster exec k -- srun --version &&
		wt_poll 60 all_idle &&
		windtunnel cluster exec k -- sbatch --output=/dev/null --wrap "sleep 1" >out &&
		job=$(sed "s/[^0-9]//g" out) &&
		wt_poll 90 sh -c "windtunnel cluster exec k -- scontrol show job $job | grep JobState=COMPLETED"
	'
done
test_expect_success 'status counts the restarts' '
	windtunnel cluster status k >out && test "$(grep -c "1 restarts, last signal 9" out)" = 3
'
test_expect_success 'down after that leaves nothing' '
	cp "$dir/cluster.json" . &&
	windtunnel cluster down k && ! test -e "$WINDTUNNEL_STATE" && wt_nothing_left cluster.json
'
test_expect_success 'kill -9 of the supervisor ends all daemons' '
	windtunnel cluster up k --nodes 20 -q &&
	cp "$dir/cluster.json" "$dir/state.json" . &&
	kill -9 $(jq .supervisor.pid state.json) &&
	wt_poll 30 wt_nothing_left cluster.json &&
	windtunnel cluster list >out && grep "^k  *dead" out &&
	test_expect_code 1 windtunnel cluster status k &&
	test_expect_code 1 windtunnel cluster exec k -- sinfo 2>err && grep "not up: it is dead" err
'
test_expect_success 'the name of a dead cluster can be used again' '
	windtunnel cluster up k --nodes 3 -q && windtunnel cluster list | grep "^k  *up  *3"
'
test_expect_success '--owner: it ends, and its folder goes, when that process has ended' '
	windtunnel cluster down k && { sleep 600 & owner=$!; } && windtunnel cluster up k --nodes 3 -q --owner $owner &&
	cp "$dir/cluster.json" . && kill -9 $owner && { wait $owner; test $? = 137; } &&
	wt_poll 60 test ! -e "$dir" && wt_nothing_left cluster.json &&
	test_expect_code 1 windtunnel cluster up k --nodes 3 -q --owner $owner 2>err && cat err && grep "owner" err &&
	test_expect_code 2 windtunnel cluster up k --nodes 3 --owner x 2>err && grep "id of a process" err &&
	windtunnel cluster up k --nodes 3 -q
'
test_expect_success 'kill -9 of everything at once, then down' '
	cp "$dir/cluster.json" . &&
	# with the supervisor its daemons end, too: some may be gone before it is their turn
	{ kill -9 $(jq ".supervisor.pid, .daemons[].pid" "$dir/state.json") || :; } &&
	windtunnel cluster down k && ! test -e "$WINDTUNNEL_STATE" && wt_nothing_left cluster.json
'
# carrying NAME=VALUE...: a process with that in its environment; its pid is in $carrier.
carrying() {
	{ env "$@" sleep 600 & } && carrier=$! && wt_poll 10 grep -q "^sleep" /proc/$carrier/cmdline
}
test_expect_success 'a process that state.json does not know is found by the key, which only its owner can read' '
	windtunnel cluster up k --nodes 3 -q &&
	cp "$dir/cluster.json" . &&
	test "$(stat -c %a "$dir/key")" = 600 &&
	carrying WINDTUNNEL_CLUSTER_KEY="$(cat "$dir/key")" && stray=$carrier &&
	carrying WINDTUNNEL_CLUSTER=another WINDTUNNEL_CLUSTER_KEY= && other=$carrier && test_when_finished "kill $other" &&
	carrying WINDTUNNEL_CLUSTER="$(jq -r .uuid cluster.json)" && forged=$carrier &&
	test_when_finished "kill $forged || :" &&
	windtunnel cluster down k &&
	kill -0 $other && kill $forged && test_expect_code 143 wait $forged && test_expect_code 137 wait $stray &&
	wt_nothing_left cluster.json
'
test_expect_success 'state.json of a dead cluster names pids that others have now: they are spared' '
	windtunnel cluster up k --nodes 3 -q &&
	cp "$dir/cluster.json" . &&
	kill -9 $(jq .supervisor.pid "$dir/state.json") && wt_poll 30 wt_nothing_left cluster.json &&
	{ sleep 600 & } && other=$! &&
	test_when_finished "kill $other" &&
	jq ".daemons[].pid = $other | .supervisor.pid = $other" "$dir/state.json" >state.json &&
	cp state.json "$dir/state.json" &&
	windtunnel cluster down k && kill -0 $other && ! test -e "$WINDTUNNEL_STATE"
'
test_expect_success 'damaged state.json does not keep down from its work' '
	windtunnel cluster up k --nodes 3 -q &&
	cp "$dir/cluster.json" . &&
	echo "{" >"$dir/state.json" &&
	windtunnel cluster down k && ! test -e "$WINDTUNNEL_STATE" && wt_nothing_left cluster.json
'
test_expect_success 'a cluster whose folder was removed ends by itself' '
	windtunnel cluster up k --nodes 3 -q &&
	cp "$dir/cluster.json" . &&
	wt_poll 20 rm -rf "$dir" &&	# they write into it meanwhile
	wt_poll 30 wt_nothing_left cluster.json && wt_poll 10 test ! -e "$dir"
'
test_done
