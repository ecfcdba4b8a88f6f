#!/bin/sh
test_description='windtunnel upgrade rehearse: the state of a slurmctld under another release, or its own'
. "$WT_SRCDIR/t/setup.sh"

own=$(windtunnel --version | sed "s/.*(Slurm \(.*\))/\1/")
TMPDIR=$WT_TMP/tmp
export TMPDIR
mkdir "$TMPDIR"
# rehearse STATUS ARGUMENT...: its output is in out and err
rehearse() {
	status=$1
	shift
	windtunnel upgrade rehearse "$@" >out 2>err
	got=$?
	test $got = "$status" || { echo "status $got, not $status"; cat out err; return 1; }
}
# Neither clusters nor copies of states.
nothing_left() {
	windtunnel cluster list --json >left && { test "$(jq length left)" = 0 || { cat left; false; }; } &&
	ls "$TMPDIR" >left && wt_empty left
}
wrong() {	# wrong WORDS ARGUMENT...
	words=$1
	shift
	rehearse 2 "$@" && wt_empty out && grep -q -e "$words" err && nothing_left
}

test_expect_success 'wrong use, before anything is made' '
	wrong "to VERSION" && wrong "needs a version" --to "" && wrong "one argument too many" --to "$own" x &&
	wrong "to: --slurm 1.2.3: Windtunnel is not built for it" --to 1.2.3 &&
	wrong "from: --slurm 1.2: " --from 1.2 --to "$own" && wrong "via: --slurm 9: " --via 9 --to "$own" &&
	wrong "at least 8" --to "$own" --nodes 7 && wrong "from 1 to" --to "$own" --nodes 0 &&
	wrong "needs the nodes" --to "$own" --state . && wrong "is for --state" --to "$own" --site . &&
	wrong "leave out --nodes" --to "$own" --state . --site . --nodes 8 &&
	mkdir full && : >full/file && wrong "is not empty" --to "$own" --output full && test -e full/file
'
test_expect_success 'on its own release: all jobs, nodes and reservations are there, and no release is blamed' '
	rehearse 0 --to "$own" --output same && cat out err && grep "^$own -> $own: nothing is lost\$" out &&
	! grep "Changed by the release" out && nothing_left &&
	jq -e ".status == 0 and .state == null and (.steps | length) == 1" same/upgrade.json &&
	jq -e ".steps[0] | .read and .lost == 0 and .records.jobs.before == 12 and .records.nodes.before == 8 and
		.records.reservations.kept == 1 and .records.partitions.kept == 1" same/upgrade.json &&
	jq -e "[.steps[0].changes[] | select(.cause == \"release\")] == []" same/upgrade.json &&
	case $own in
	22.* | 23.*)	# the node that was down registers, and is taken
		grep "node n7  *State  *DOWN  *IDLE" out &&
		jq -e ".steps[0].changes[] | select(.kind == \"node\" and .key == \"n7\" and .field == \"State\") |
			.cause == \"restart\" and .before == \"DOWN\" and .control == \"IDLE\"" same/upgrade.json ;;
	*)	# it may stay down
		jq -e "[.steps[0].changes[] | select(.kind == \"node\")] | length <= 1 and all(.[]; .key == \"n7\" and
			.field == \"State\" and .cause == \"restart\")" same/upgrade.json ;;
	esac
'
test_expect_success 'the state that it made had all kinds of jobs' '
	sed -n "s/^  \(JobName\|JobState\|Reason\)=//p" "same/0-$own/jobs.txt" | paste -d " " - - - | sort >kinds &&
	cat kinds && test_line_count = 12 kinds &&
	grep "^suspended SUSPENDED" kinds && grep "^held PENDING JobHeldUser" kinds &&
	grep "^dependent PENDING Dependency" kinds && grep "^later PENDING BeginTime" kinds &&
	grep "^reserved PENDING Reservation" kinds && grep "^array PENDING JobArrayTaskLimit" kinds &&
	test "$(grep -c " RUNNING " kinds)" = 5
'
test_expect_success 'asked to stop in the middle: status 130, and nothing is left' '
	interrupt() {	# interrupt SIGNAL WORDS: when it tells these
		rm -f err && { windtunnel upgrade rehearse --to "$own" >out 2>err & pid=$!; } &&
		wt_poll 60 grep "$2" err && kill -"$1" $pid && { wait $pid; test $? = 130; } && nothing_left
	} &&
	interrupt TERM "0-$own: starting a cluster" && interrupt INT "control: starting slurmctld on the state"
'
# killed WORDS: kill -9 when it tells these and has a cluster.
killed() {
	rm -f err && { windtunnel upgrade rehearse --to "$own" >out 2>err & pid=$!; } &&
	wt_poll 60 grep "$1" err && wt_poll 60 cp "$WINDTUNNEL_STATE/upgrade-$pid/cluster.json" . &&
	kill -9 $pid && { wait $pid; test $? = 137; } && wt_poll 60 nothing_left && wt_poll 60 wt_nothing_left cluster.json
}
test_expect_success 'killed in the middle, at any stage: its cluster and its copies of the state go as well' '
	killed "^0-$own: starting a cluster" && killed "submitting jobs" && killed "control: starting slurmctld on the state"
'
test_expect_success 'a state that slurmctld cannot save is not handed on: the next release would be blamed' '
	rm -f err && { windtunnel upgrade rehearse --to "$own" >out 2>err & pid=$!; } &&
	wt_poll 60 grep "waiting until nothing moves" err &&
	wt_poll 60 mkdir "$WINDTUNNEL_STATE/upgrade-$pid/ctld/job_state.new" &&
	{ wait $pid; test $? = 1; } && cat err && wt_empty out && nothing_left &&
	grep "Slurm $own: slurmctld did not save its state: error: .*job_state" err
'
test_expect_success 'a slurmctld that hangs: Ctrl-C ends it all the same' '
	rm -f err && { windtunnel upgrade rehearse --to "$own" >out 2>err & pid=$!; } &&
	wt_poll 60 grep "waiting until nothing moves" err &&
	ctld=$(wt_daemon_pid "$WINDTUNNEL_STATE/upgrade-$pid" slurmctld) &&
	kill -STOP "$ctld" && kill -INT $pid && { wait $pid; test $? = 130; } && nothing_left && ! kill -0 "$ctld"
'
# A state as a site might copy it: that of a cluster here.
test_expect_success 'a copied state: jobs that run are not lost because nobody runs them; the copy is only read' '
	windtunnel cluster up lab --nodes 4 --default-run-time 86400 -q &&
	windtunnel cluster exec lab -- sh -c "for j in a b c d e; do
		sbatch -Q -J \$j --exclusive -o /dev/null -t 500 --wrap x || exit 1; done" &&
	running() { test "$(windtunnel cluster exec lab -- squeue -h -t R | wc -l)" = 4; } && wt_poll 30 running &&
	windtunnel cluster stop lab slurmctld && mkdir state &&
	cp -R "$WINDTUNNEL_STATE/lab/ctld/." state && windtunnel cluster down lab &&
	find state -type f -exec md5sum {} + | sort >sums &&
	rehearse 0 --state state --nodes 4 --to "$own" --json --quiet --output whole && wt_empty err && cat out &&
	nothing_left &&
	jq -e ".state == \"state\" and .status == 0" out && jq -e ".steps[0] | .lost == 0 and .records.jobs.before == 5 and
		.records.jobs.kept == 5 and .records.nodes.before == 4" out &&
	find state -type f -exec md5sum {} + | sort >now && test_cmp sums now
'
test_expect_success 'fewer nodes than the state speaks of: refused, because their jobs would be lost by that alone' '
	rehearse 1 --state state --nodes 3 --to "$own" --quiet && wt_empty out && cat err &&
	grep "Node n3 has vanished from configuration: give the nodes" err && nothing_left
'
test_expect_success 'a state that a slurmctld writes to: it is of one moment, and that cluster goes on as before' '
	windtunnel cluster up live --nodes 4 --default-run-time 1 -q --set MinJobAge=2 &&
	{ windtunnel cluster exec live -- sh -c "while test ! -e \"$WT_TMP/enough\"; do
		sbatch -Q -o /dev/null -t 5 --wrap x || exit 1; sleep 0.05; done" & pid=$!; } &&
	ctld=$(wt_daemon_pid "$WINDTUNNEL_STATE/live" slurmctld) &&
	wt_poll 60 test -e "$WINDTUNNEL_STATE/live/ctld/job_state" &&
	rehearse 0 --state "$WINDTUNNEL_STATE/live/ctld" --nodes 4 --to "$own" --quiet && wt_empty err && cat out &&
	grep "^$own -> $own: nothing is lost\$" out && : >"$WT_TMP/enough" && wait $pid &&
	test "$(wt_daemon_pid "$WINDTUNNEL_STATE/live" slurmctld)" = "$ctld" &&
	idle() { test -z "$(windtunnel cluster exec live -- squeue -h)"; } && wt_poll 60 idle &&
	windtunnel cluster down live && nothing_left
'
# Slurm runs it when a primary slurmctld begins.
test_expect_success 'a state with a trigger: its program is that of another cluster, and is not run' '
	printf "#!/bin/sh\nid -u >>\"%s\"\n" "$WT_TMP/rung" >"$WT_TMP/ring" && chmod 755 "$WT_TMP/ring" &&
	windtunnel cluster up bell --nodes 1 -q &&
	windtunnel cluster exec bell -- strigger --set --primary_slurmctld_resumed_operation --flags=perm \
		--program="$WT_TMP/ring" && windtunnel cluster stop bell slurmctld && rm -f "$WT_TMP/rung" &&
	windtunnel cluster start bell slurmctld && wt_poll 60 test -s "$WT_TMP/rung" &&
	windtunnel cluster stop bell slurmctld && cp -R "$WINDTUNNEL_STATE/bell/ctld" ringing &&
	windtunnel cluster down bell && rm -f "$WT_TMP/rung" &&
	find ringing -printf "%p %T@ %C@ %s\n" | sort >stamps &&
	rehearse 0 --state ringing --nodes 1 --to "$own" && cat out && test ! -e "$WT_TMP/rung" && nothing_left &&
	find ringing -printf "%p %T@ %C@ %s\n" | sort >now && test_cmp stamps now
'
test_expect_success 'without what keeps slurmctld from that nothing is rehearsed' '
	mkdir unfenced && ln -s "$WT_LIBEXECDIR"/* unfenced/ && rm unfenced/libwtfence.so &&
	WT_LIBEXECDIR=$PWD/unfenced rehearse 1 --state ringing --nodes 1 --to "$own" && cat err &&
	grep "libwtfence.so is not in" err && test ! -e "$WT_TMP/rung" && nothing_left
'
# spoilt: a copy that may be changed
spoilt() { rm -rf spoilt && cp -R state spoilt; }
test_expect_success 'a state that Slurm does not read: its own words, status 1' '
	spoilt && printf "\377\377\377\377" | dd of=spoilt/job_state conv=notrunc bs=1 2>/dev/null &&
	rm -f spoilt/job_state.old &&
	rehearse 1 --state spoilt --nodes 4 --to "$own" --output refused && cat out &&
	grep "^$own -> $own: not tried\$" out && grep "slurmctld $own refuses its own state: fatal: .*job" out &&
	nothing_left &&
	jq -e ".status == 1 and (.steps[0] | .read == false and (.control_refused | test(\"^fatal: \")))" \
		refused/upgrade.json
'
test_expect_success 'a state that is cut off' '
	spoilt && truncate -s 100 spoilt/job_state && rm -f spoilt/job_state.old &&
	rehearse 1 --state spoilt --nodes 4 --to "$own" && cat out && grep "refuses its own state: fatal: " out &&
	nothing_left
'
# Those that slurmctld reads when it starts without -R and without a slurmdbd.
test_expect_success 'any other file that is cut off, or has strange bytes: Slurm says which, and nothing is left' '
	for file in node_state last_config_lite assoc_usage; do
		spoilt && rm -f spoilt/$file.old && truncate -s $(($(stat -c %s state/$file) / 2)) spoilt/$file &&
		rehearse 1 --state spoilt --nodes 4 --to "$own" --quiet && wt_empty err &&
		grep "refuses its own state: fatal: Incomplete .*${file%%_*}" out && nothing_left || { cat out; return 1; }
	done &&
	for file in job_state node_state; do
		spoilt && rm -f spoilt/$file.old &&
		tr "\0" "\377" </dev/zero | head -c 200 |
			dd of=spoilt/$file conv=notrunc bs=1 seek=$(($(stat -c %s state/$file) / 2)) 2>/dev/null &&
		rehearse 1 --state spoilt --nodes 4 --to "$own" --quiet && wt_empty err &&
		grep "refuses its own state: fatal: .*${file%%_*}" out && nothing_left || { cat out; return 1; }
	done
'
# crashing WORDS: kill -9 of slurmctld, again and again, from when the rehearsal has said that
crashing() {
	rm -f err && { windtunnel upgrade rehearse --state state --nodes 4 --to "$own" >out 2>err & pid=$!; } &&
	wt_poll 60 grep "^0-$own: $1" err &&
	while kill -0 $pid 2>/dev/null; do
		ctld=$(wt_daemon_pid "$WINDTUNNEL_STATE/upgrade-$pid" slurmctld 2>/dev/null) && kill -9 "$ctld" 2>/dev/null
		sleep 0.05
	done
	wait $pid; test $? = 1 && cat out err && nothing_left &&
	grep "slurmctld $own refuses its own state: it ended [0-9]* times by signal 9" out
}
test_expect_success 'a slurmctld that the state brings down again and again: told with its signal, and not waited for' '
	crashing "starting slurmctld on the state"
'
test_expect_success 'the same of one that goes down while it is asked' '
	crashing "waiting until nothing moves"
'
test_expect_success 'a state that is not whole: what it lacks is told, for no step can lose it' '
	spoilt && rm -f spoilt/resv_state* &&
	rehearse 0 --state spoilt --nodes 4 --to "$own" --output lacking && cat out && nothing_left &&
	grep "slurmctld $own, reading the state given: error: .*resv_state" out &&
	jq -e ".steps[0].state_errors | map(select(test(\"resv_state\"))) | length > 0" lacking/upgrade.json &&
	jq -e ".steps[0].state_errors == []" whole/upgrade.json
'
# stranger STATUS WORDS STATE: refused before anything is started
stranger() {
	rehearse "$1" --state "$3" --nodes 4 --to "$own" && wt_empty out && grep "$2" err && ! grep "starting" err &&
	nothing_left
}
test_expect_success 'states that are none, or no files: nothing is started' '
	stranger 1 "state: nowhere: No such file" nowhere && stranger 1 "is it a copy of a StateSaveLocation" full &&
	stranger 1 "Not a directory" full/file &&
	spoilt && mv spoilt/job_state elsewhere && ln -s ../elsewhere spoilt/job_state &&
	stranger 2 "job_state is no file" spoilt &&
	spoilt && ln -s /etc spoilt/hash.x && stranger 2 "hash.x is a link" spoilt &&
	spoilt && mkfifo spoilt/pipe && stranger 2 "pipe is neither" spoilt &&
	spoilt && truncate -s 5G spoilt/huge && stranger 1 "huge: .*more than" spoilt
'
test_expect_success 'a state that may not be read' '
	rm -rf "$WT_TMP/closed" && cp -R state "$WT_TMP/closed" && chmod 000 "$WT_TMP/closed/job_state" &&
	chmod 755 "$WT_TMP/closed" && mkdir -p "$WT_TMP/open" && chmod 777 "$WT_TMP/open" &&
	TMPDIR="$WT_TMP/open" wt_as_user windtunnel upgrade rehearse --state "$WT_TMP/closed" --nodes 4 --to "$own" \
		>out 2>err
	test $? = 1 && cat err && grep "Permission denied" err && ls "$WT_TMP/open" >left && wt_empty left
'
small='mount -t tmpfs -o size=64k tmpfs "$0" && exec true'
mkdir "$WT_TMP/try" && unshare -m sh -c "$small" "$WT_TMP/try" 2>/dev/null && test_set_prereq MOUNT
test_expect_success MOUNT 'no room for the copy' '
	spoilt && head -c 100000 /dev/zero >spoilt/ballast && mkdir "$WT_TMP/small" &&
	unshare -m sh -c "mount -t tmpfs -o size=64k tmpfs \"\$0\" && TMPDIR=\$0 windtunnel upgrade rehearse --state spoilt \
		--nodes 4 --to $own >out 2>err; echo \$? >status; ls \"\$0\" >left" "$WT_TMP/small" &&
	echo 1 >want && test_cmp want status && grep "No space left" err && wt_empty left && nothing_left
'
# The builds for other releases that "./quickstart slurm VERSION" has made, and the windtunnel beside them.
installed=$WT_BUILDDIR/install/bin/windtunnel
other=
if test -x "$installed" && "$installed" help upgrade >/dev/null 2>&1; then
	other=$(env -u WT_LIBEXECDIR "$installed" slurm list |
		awk -v own="$own" '$1 != own && /^2[2-9]\./ { print $1; exit }')
fi
if test -n "$other"; then
	test_set_prereq OTHER
else
	echo "# no build for another release below $WT_BUILDDIR/install (./quickstart slurm VERSION): a test is skipped"
fi
test_expect_success OTHER 'another release: nothing is lost, or Slurm says why it does not read the state' '
	env -u WT_LIBEXECDIR "$installed" upgrade rehearse --to "$other" --output other >out 2>err
	status=$?
	cat out err && nothing_left && case $status in
	0) jq -e ".steps[0] | .read and .lost == 0 and .records.jobs.before == 12" other/upgrade.json ;;
	1) jq -e ".steps[0] | .read == false and (.refused | test(\"^fatal: .*incompatible version\"))" other/upgrade.json ;;
	*) false ;;
	esac
'
test_done
