#!/bin/sh
test_description='power of real nodes under attack: floods, hangs, orphans, full disks, foreign users, a dead supervisor'
. "$WT_SRCDIR/t/setup.sh"
. "$WT_SRCDIR/t/power.sh"

without_sanitizers
up() { up_real 6000 "$@"; }
node() { windtunnel node "$1" --cluster v "$2"; }

test_expect_success 'asked twice at once a node boots once; off while it boots, and it never comes' '
	up --elastic boot=300 --elastic stop=5 --elastic n2:boot=20 && node off "n[0-2]" && power off 3 &&
	{ node on n0 & one=$!; node on n0 & two=$!; node on "n[0-1]"; } && wait $one && wait $two &&
	rows | grep -e ",n0,1," | cut -d, -f1 >out && echo booting >wanted && test_cmp wanted out &&
	node on n2 && power registered 1 && is n2 on && is n0 booting &&
	node off n1 && node off n1 && power off 4 && is n1 off && power registered 2 && is n0 on &&
	test_must_fail grep ",up,n1," "$dir/nodes/power.csv" && slurmds 5 &&
	slurmds_json ".off == 1 and .running == 5 and .restarts == 0"
'
test "$test_failure" = 0 || test_done
test_expect_success 'names that are none, nodes of another cluster, another user: nothing is switched' '
	rows >before && for name in n6 n00 n-1 m0 n "n[0-6]" "n[5-4]" "n[0-" "n0,,n1" "v/n0" "n[0-99999999999]"; do
		test_expect_code 1 windtunnel node off --cluster v "$name" 2>err && test_line_count = 1 err ||
			{ echo "$name"; return 1; }
	done &&
	test_expect_code 1 windtunnel node off --cluster ../v n0 && test_expect_code 1 windtunnel node off --cluster w n0 &&
	echo "$WT_BUILDDIR/cmd/windtunnel" >"$WT_TMP/programs" &&
	if test "$(id -u)" = 0; then
		test_must_fail wt_as_user env SLURM_CONF="$dir/slurm.conf" ./windtunnel node off n0 2>err && grep . err
	fi &&
	rows >after && test_cmp before after
'
# Each of eight callers asks on and off by turns, many requests in one breath.
test_expect_success 'a flood of requests: each change is accounted for, and as many slurmds run as machines are on' '
	cat >flood.py <<-\END &&
	import random, socket, sys, threading
	def flood(seed):
	    draw = random.Random(seed)
	    s = socket.socket(socket.AF_UNIX)
	    s.connect(sys.argv[1])
	    lines = s.makefile()
	    for _ in range(10):
	        asked = [draw.choice(("on", "off", "state")) + " n" + str(draw.randrange(6)) for _ in range(20)]
	        s.sendall(("\n".join(asked) + "\n").encode())
	        for line in asked:
	            answer = lines.readline()
	            if not answer.startswith("ok 1"):
	                print(line, answer)
	threads = [threading.Thread(target=flood, args=(seed,)) for seed in range(8)]
	for t in threads:
	    t.start()
	for t in threads:
	    t.join()
	END
	down && up --elastic boot=1 --elastic stop=0 && python3 flood.py "$dir/nodes/power" >out && wt_empty out &&
	node on "n[0-5]" &&
	drive_until 1 "[ \$(windtunnel node state \"n[0-5]\" | grep -c \" on\") = 6 ]" &&
	drive_until 5 "sinfo -h -o %D,%t | grep -x 6,idle" && wt_poll 60 slurmds 6 &&
	wt_poll 60 slurmds_json ".off == 0 and .running == 6 and .restarts == 0" &&
	rows | awk -F, "BEGIN { after[\"stopping\"] = \"on up booting\"; after[\"off\"] = \"stopping\"
			after[\"booting\"] = \"off\"; after[\"up\"] = \"booting\" }
		\$1 in after { was = \$2 in state ? state[\$2] : \"on\"
			if (!index(after[\$1], was)) print; state[\$2] = \$1; n++ }
		END { if (n < 100) print \"few rows: \" n }" >out &&
	wt_empty out && down
'
test_expect_success 'a slurmd that hangs is switched off all the same, and does not hold up a stop' '
	up --elastic boot=30 --elastic stop=5 && kill -STOP "$(cat "$dir/nodes/n3.pid")" && node off n3 &&
	wt_poll 30 slurmds 5 && power off 1 && node on n3 && power registered 1 && slurmds 6 &&
	kill -STOP "$(cat "$dir/nodes/n2.pid")" && windtunnel cluster stop v nodes && slurmds 0 &&
	windtunnel cluster start v nodes && wt_poll 60 slurmds_json ".running == 6" && down
'
# sleep 72110 and 72112 have left their sessions and lost their parents; 72111 is the prolog of a script that never begins.
test_expect_success 'with a node go daemons of its tasks, and prologs; other nodes keep theirs' '
	cat >"$WT_TMP/prolog" <<-\END &&
	#!/bin/sh
	test "$SLURMD_NODENAME" != n2 || exec sleep 72111
	END
	chmod +x "$WT_TMP/prolog" && up --elastic boot=30 --elastic stop=5 --set Prolog="$WT_TMP/prolog" --keep Prolog &&
	in_v sbatch -w n0 -o /dev/null --wrap "(setsid sleep 72110.$$ &); sleep 9000" &&
	in_v sbatch -w n1 -o /dev/null --wrap "(setsid sleep 72112.$$ &); sleep 9000" &&
	in_v sbatch -w n2 -o /dev/null --wrap "sleep 9000" &&
	drive_until 1 "squeue -h -t running -o %i | grep 3" && wt_poll 60 names "sleep 72110.$$" &&
	wt_poll 60 names "sleep 72112.$$" && wt_poll 60 names "sleep 72111" && node off n0,n2 &&
	wt_poll 60 nothing_names "sleep 72110.$$" && wt_poll 60 nothing_names "sleep 72111" &&
	names "sleep 72112.$$" && slurmds 4 && down && nothing_names "sleep 72112.$$"
'
test_expect_success 'a reboot that was asked for before the power went is no reboot any more' '
	up --elastic boot=30 --elastic stop=5 && kill -STOP "$(cat "$dir/nodes/n4.pid")" && : >"$dir/nodes/n4.reboot" &&
	node off n4 && power off 1 && test ! -e "$dir/nodes/n4.reboot" && node on n4 && power registered 1 && down
'
test_expect_success 'programs of the site itself, without a PATH, switch the nodes' '
	for verb in on off; do
		printf "%s\n" "#!/bin/sh" "echo $verb \$1 >>$WT_TMP/site.log" \
			"exec $(command -v windtunnel) node $verb \"\$1\"" >"$WT_TMP/site-$verb" || return 1
	done && chmod +x "$WT_TMP/site-on" "$WT_TMP/site-off" &&
	printf "%s\n" "SuspendProgram=$WT_TMP/site-off" "ResumeProgram=$WT_TMP/site-on" SuspendTime=60 SuspendTimeout=30 \
		ResumeTimeout=300 SuspendRate=0 >site.conf &&
	windtunnel cluster up v --nodes 6 --backend slurmd --clock virtual --charge none -q --conf site.conf \
		--keep SuspendProgram --keep ResumeProgram --elastic boot=30 --elastic stop=5 >up.out 2>&1 &&
	power off 6 && in_v sbatch --parsable -N2 -o /dev/null --wrap true >id && power off 8 && cycles 1 0 1 &&
	cat up.out "$WT_TMP/site.log" && grep "^off n\[0-5\]" "$WT_TMP/site.log" &&
	grep "^on n\[0-1\]" "$WT_TMP/site.log" && down
'
test_expect_success 'nodes that are switched off while the cluster starts keep nobody waiting' '
	windtunnel cluster up v --nodes 12 --backend slurmd -q --elastic boot=1 --elastic stop=1 --set SuspendTime=1 \
		--set SuspendTimeout=2 --set SuspendRate=0 && wt_poll 60 is "n[0-11]" off && down
'
test_expect_success 'the supervisor is killed: who asks is told at once, and nothing is left' '
	up --elastic boot=300 --elastic stop=5 && node off n0 && power off 1 && node on n0 && power booting 1 &&
	kill -9 "$(jq .supervisor.pid "$dir/state.json")" && wt_poll 60 nothing_names "$dir/" &&
	test_expect_code 1 timeout 30 windtunnel node on --cluster v n0 2>err && grep "does not run any more" err && down
'
# A small disk of our own, which nobody else sees.
mkdir "$WT_TMP/small"
unshare -m sh -c 'mount -t tmpfs -o size=16m tmpfs "$0"' "$WT_TMP/small" 2>/dev/null && test_set_prereq MOUNT
cat >fill <<'END'
. "$WT_SRCDIR/t/power.sh"
WINDTUNNEL_STATE=$WT_TMP/small/state
set -e
windtunnel cluster up v --nodes 2 --backend slurmd -q --elastic stop=1 --elastic boot=1 --set SuspendTime=6000
trap 'rm -f "$WT_TMP/small/fill"; windtunnel cluster down v' EXIT
dd if=/dev/zero of="$WT_TMP/small/fill" bs=4k 2>/dev/null || :
# The file may have room to the end of its page.
for try in $(seq 200); do echo off n1; done | python3 -c 'import socket, sys
s = socket.socket(socket.AF_UNIX)
s.connect(sys.argv[1])
s.sendall(sys.stdin.read().encode())
answers = s.makefile()
for _ in range(200):
    answers.readline()' "$WINDTUNNEL_STATE/v/nodes/power"
windtunnel node off --cluster v n0
for try in $(seq 600); do
	! windtunnel node state --cluster v n0 | grep off || break
	sleep 0.1
done
rows >full
rm "$WT_TMP/small/fill"
for try in $(seq 600); do
	! rows | grep ^off,n0 || break
	sleep 0.1
done
rows >kept
END
test_expect_success MOUNT 'the disk is full: nodes are switched, and their rows come when there is room again' '
	unshare -m sh -c "mount -t tmpfs -o size=16m tmpfs \"\$0\" && exec \"\$@\"" "$WT_TMP/small" sh fill &&
	test_must_fail grep n0 full && printf "%s\n" asked-off,n0,0, stopping,n0,0, off,n0,0, >wanted &&
	grep n0 kept >out && test_cmp wanted out
'
cleanup 'windtunnel cluster down v 2>/dev/null; true'
test_done
