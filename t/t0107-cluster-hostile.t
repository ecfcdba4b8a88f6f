#!/bin/sh
test_description='windtunnel cluster: odd callers and damaged folders'
. "$WT_SRCDIR/t/setup.sh"

dir=$WINDTUNNEL_STATE/h

test_expect_success 'daemons get nothing of what the supervisor holds: not the lock, not the port, not the way to "up"' '
	windtunnel cluster up h --nodes 3 -q &&
	cp "$dir/cluster.json" "$dir/state.json" . &&
	for pid in $(jq ".daemons[].pid" state.json); do
		ls -l "/proc/$pid/fd" >fds && ! grep " $dir$" fds || return 1
	done &&
	ls -l "/proc/$(jq .supervisor.pid state.json)/fd" | grep " $dir$"
'
test_expect_success 'another cluster takes the name of one whose folder was removed: the old one ends, the new one stays' '
	wt_poll 20 rm -rf "$dir" &&	# they write into it meanwhile
	windtunnel cluster up h --nodes 2 -q &&
	wt_poll 20 wt_nothing_left cluster.json &&
	windtunnel cluster status --json h >out.json && jq -e ".nodes == 2 and .node_states.idle == 2" out.json &&
	jq -e "all(.daemons[]; .alive and .restarts == 0)" out.json &&
	windtunnel cluster down h
'
test_expect_success 'a damaged cluster.json: list and status say so, down removes the cluster' '
	windtunnel cluster up h --nodes 2 -q &&
	cp "$dir/cluster.json" . && echo "{" >"$dir/cluster.json" &&
	windtunnel cluster list --json >out.json && jq -e ".[0].status == \"incomplete\"" out.json &&
	test_expect_code 1 windtunnel cluster status h 2>err && test_line_count = 1 err && grep "down. removes it" err &&
	windtunnel cluster down h && ! test -e "$WINDTUNNEL_STATE" && wt_nothing_left cluster.json
'
test_expect_success 'a caller without HOME and folder, with umask 077, SIGCHLD ignored and signals blocked' '
	mkdir gone &&
	(cd gone && rmdir ../gone && umask 077 && env -i PATH="$PATH" WT_LIBEXECDIR="$WT_LIBEXECDIR" \
		WINDTUNNEL_STATE="$WINDTUNNEL_STATE" perl -MPOSIX -e "\$SIG{CHLD} = q(IGNORE);
		sigprocmask(SIG_BLOCK, POSIX::SigSet->new(SIGTERM, SIGCHLD, SIGHUP)); exec @ARGV" \
		windtunnel cluster up h --nodes 2 -q) &&
	windtunnel cluster status h && test "$(stat -c %a "$dir")" = 755 &&
	windtunnel cluster exec h -- sbatch --output=/dev/null --wrap "sleep 1" &&
	wt_poll 30 sh -c "windtunnel cluster exec h -- scontrol show job 1 | grep JobState=COMPLETED" &&
	windtunnel cluster down h
'
test_expect_success 'SIGTERM that the caller has blocked still ends "up"' '
	{ perl -MPOSIX -e "sigprocmask(SIG_BLOCK, POSIX::SigSet->new(SIGTERM)); exec @ARGV" \
		windtunnel cluster up h --nodes 20000 2>err & } &&
	pid=$! &&
	wt_poll 60 test -e "$dir/nodes/stats.json" && kill -TERM $pid &&
	test_expect_code 130 wait $pid && ! test -e "$WINDTUNNEL_STATE"
'
test_expect_success 'nohup: SIGHUP does not end "up"' '
	{ perl -e "\$SIG{HUP} = q(IGNORE); exec @ARGV" windtunnel cluster up h --nodes 1000 -q & } &&
	pid=$! &&
	wt_poll 60 test -e "$dir/state.json" && kill -HUP $pid && wait $pid &&
	windtunnel cluster status h && windtunnel cluster down h
'
# slurmctld of 24.11 itself needs more, with its 64 threads for up to 50 connections.
few=128
case $(windtunnel --version) in *"(Slurm 22.05"*) few=20 ;; esac
test_expect_success 'few descriptors are enough; with too few "up" says so' '
	(ulimit -n $few && windtunnel cluster up h --nodes 20 -q && windtunnel cluster down h) &&
	for n in 8 9; do	# among them what sharness has open
		(ulimit -n $n && test_expect_code 1 windtunnel cluster up h --nodes 20 -q) 2>err &&
		grep "Too many open files" err || return 1
	done && ! test -e "$WINDTUNNEL_STATE"
'
if test "$(id -u)" = 0 && unshare -m true; then
	test_expect_success 'a full disk' '
		unshare -m sh -c "mkdir full && mount -t tmpfs -o size=100k none full && WINDTUNNEL_STATE=\$PWD/full/s &&
			export WINDTUNNEL_STATE && windtunnel cluster up h --nodes 100 -q; echo \$?; ls full" >out 2>err &&
		echo 1 >want && test_cmp want out && test_line_count = 1 err &&
		grep "/full/s/h: [0-9]* KiB are free, 4196 are needed" err
	'
	cat >outage <<-\END
		mount -t tmpfs -o size=8m,mode=700 none room && export WINDTUNNEL_STATE=$PWD/room || exit 1
		windtunnel cluster up h --nodes 2 -q && windtunnel cluster stop h nodes || exit 1
		dd if=/dev/zero of=room/fill bs=4k 2>/dev/null
		windtunnel cluster start h nodes && windtunnel cluster list
		rm room/fill
		for i in $(seq 1200); do windtunnel cluster list >later; grep -q "^h  *up" later && break; sleep 0.1; done
		windtunnel cluster list
		windtunnel cluster down h
	END
	test_expect_success 'state.json that could not be written on a full disk is written when there is room' '
		mkdir room && unshare -m sh outage >out && sed -n 2p out | grep "^h  *outage" &&
		sed -n 4p out | grep "^h  *up"
	'
fi
test_expect_success 'what a daemon said may be no UTF-8: the failure is recorded all the same' '
	test_expect_code 1 windtunnel cluster up h --nodes 2 -q --set "$(printf "SelectType=select/\377")" 2>err &&
	windtunnel cluster list --json >out.json && jq -e ".[0].status == \"failed\"" out.json &&
	windtunnel cluster down h &&
	bad=$(printf "$WT_TMP/x\377") &&
	WINDTUNNEL_STATE=$bad test_expect_code 2 windtunnel cluster up h --nodes 2 2>err && grep "not UTF-8" err &&
	! test -e "$bad"
'
test_expect_success '--set with quotes: around a value, not in it' '
	windtunnel cluster up h --nodes 1 --dry-run --set "Licenses=\"x y\"" --set "NodeName+=Reason=\"a b\"" >out &&
	grep "^Licenses=\"x y\"$" out && grep "^NodeName=.*Reason=\"a b\"$" out &&
	for v in "x\"" "\"x" "a \"b\" c" "\"a\" \"b\""; do
		test_expect_code 2 windtunnel cluster up h --nodes 1 --dry-run --set "Licenses=$v" 2>err &&
		grep "quote" err ||
			return 1
	done
'
test_done
