#!/bin/sh
test_description='windtunnel cluster: an interrupted start leaves nothing'
. "$WT_SRCDIR/t/setup.sh"

# interrupted SIGNAL NODES WAIT-COMMAND...: send SIGNAL to "up" as soon as WAIT-COMMAND succeeds; its status is in $status.
interrupted() {
	signal=$1 nodes=$2
	shift 2
	rm -f cluster.json
	# A subshell in the background ignores SIGINT, and exec would hand that down.
	perl -e '$SIG{INT} = "DEFAULT"; exec @ARGV' windtunnel cluster up cut --nodes "$nodes" 2>err &
	pid=$!
	wt_poll 60 "$@" && cp "$WINDTUNNEL_STATE/cut/cluster.json" . && kill -"$signal" "$pid"
	wait "$pid"
	status=$?
}
dir=$WINDTUNNEL_STATE/cut

for signal in INT TERM; do
	test_expect_success "SIG$signal while slurmctld starts" '
		interrupted '$signal' 20000 test -e "$dir/ctld/slurmctld.stderr" &&
		test $status = 130 && grep "interrupted" err &&
		! test -e "$WINDTUNNEL_STATE" && wt_nothing_left cluster.json
	'
done
test_expect_success 'SIGINT while nodes register' '
	interrupted INT 20000 test -e "$dir/nodes/stats.json" &&
	test $status = 130 && ! test -e "$WINDTUNNEL_STATE" && wt_nothing_left cluster.json
'
test_expect_success 'SIGINT before anything runs' '
	interrupted INT 65536 test -e "$dir/cluster.json" &&
	test $status = 130 && ! test -e "$WINDTUNNEL_STATE" && wt_nothing_left cluster.json
'
test_expect_success 'kill -9 of "up": the supervisor notices and removes everything' '
	interrupted KILL 20000 test -e "$dir/ctld/slurmctld.stderr" &&
	test $status = 137 &&
	wt_poll 60 test ! -e "$WINDTUNNEL_STATE" && wt_poll 10 wt_nothing_left cluster.json
'
test_expect_success 'a folder that is removed during "up" ends it' '
	{ windtunnel cluster up cut --nodes 20000 2>err & } &&
	pid=$! &&
	wt_poll 60 test -e "$dir/nodes/stats.json" &&
	cp "$dir/cluster.json" . && wt_poll 20 rm -rf "$dir" &&	# they write into it meanwhile
	test_expect_code 1 wait $pid && grep "folder was removed while it started" err &&
	! test -e "$WINDTUNNEL_STATE" && wt_nothing_left cluster.json
'
test_expect_success 'down during "up" ends both' '
	{ windtunnel cluster up cut --nodes 20000 2>err & } &&
	pid=$! &&
	wt_poll 60 test -e "$dir/nodes/stats.json" &&
	cp "$dir/cluster.json" . &&
	windtunnel cluster down cut &&
	test_expect_code 1 wait $pid && grep "stopped while it started" err &&
	! test -e "$WINDTUNNEL_STATE" && wt_nothing_left cluster.json
'
test_done
