#!/bin/sh
test_description='windtunnel experiment run --on slurm: runs as tasks of job arrays on real slurmds'
. "$WT_SRCDIR/t/setup.sh"

experiment() {
	cat >"$1.yaml" <<-END
	title: Four nodes or eight?
	seed: 5
	repeat: ${2:-2}
	workload: {kind: burst, jobs: 8, run-time: 30}
	cluster: {nodes: 4, shape: "pack:1 core:1 pu:1", clock: virtual, charge: none}
	variants:
	  four:
	  eight: {cluster: {nodes: 8}}
	END
}
# The figures of each case, to be compared by wt_near: on a busy machine a job of a run of charge none may come some
# microseconds later.
figures() { jq "[.cases[] | .figures]" "$1"; }
# killed DIR: the process of one of its runs that has begun; each lasts for a second or two only.  $killed is its folder.
# It is stopped first: what ends between a look at its folder and the signal was not killed.
# ours PATTERN: the processes whose words are so and which work in this folder: another copy of the script may run beside it.
ours() {
	for pid_found in $(pgrep -f -- "$1"); do
		test "$(readlink "/proc/$pid_found/cwd")" != "$(pwd -P)" || echo "$pid_found"
	done | grep .
}
stopped() { ! cat "/proc/$1"/task/*/stat | sed "s/.*) //" | grep -v "^[Tt]"; }
killed() {
	for killed in "$1"/four/1 "$1"/four/2 "$1"/eight/1 "$1"/eight/2; do
		test -s "$killed/scenario.json" && test ! -e "$killed/summary.json" &&
		run_pid=$(ours "^[^ ]*windtunnel .*--output=($PWD/)?$killed( |\$)" | head -n 1 | grep .) &&
		kill -STOP "$run_pid" &&
		wt_poll 10 stopped "$run_pid" || continue
		test ! -e "$killed/summary.json" && kill -9 "$run_pid" && return
		kill -CONT "$run_pid" || :
	done
	return 1
}
# begin yes|no: whether slurmctld begins jobs of the partition
begin() {
	case $1 in yes) begin_state=UP ;; *) begin_state=DOWN ;; esac &&
	scontrol update partitionname=main state=$begin_state
}
# array ERR: the last array that was begun.  A command in the background empties its files when it comes to that: where they
# are looked at meanwhile, what the one before has left there has to be gone first.
array() { sed -n 's/.*: job array \([0-9]*\): [0-9]* runs$/\1/p' "$1" | tail -n 1 | grep .; }
small='mount -t tmpfs -o size=1m tmpfs "$0" && exec true'
mkdir "$WT_TMP/try" && unshare -m sh -c "$small" "$WT_TMP/try" 2>/dev/null && test_set_prereq MOUNT
array_over() { squeue -h -r -j "$1" >left 2>&1; test ! -s left || grep "Invalid job id" left; }

test_expect_success 'wrong use, and no Slurm: nothing is made' '
	experiment x && test_expect_code 2 windtunnel experiment run --on pbs x.yaml 2>err &&
	grep "on pbs: give slurm or slurm:PARTITION" err &&
	test_expect_code 2 windtunnel experiment run --on slurm: x.yaml 2>err &&
	mkdir nothing && program=$(command -v windtunnel) &&
	test_expect_code 1 env PATH="$PWD/nothing" "$program" experiment run --on slurm x.yaml 2>err &&
	grep "sbatch of the cluster is not to be used from here.*put it into PATH" err && test ! -e x
'
# The disk is full a page later each time: whenever sbatch is called, array.json names the array that it shall make.
mkdir fake
cat >fake/sbatch <<END
#!/bin/sh
test "\$1" != --version || exit 0
name=\$(printf "%s\n" "\$@" | sed -n "s/^--job-name=//p")
grep -qs "\"\$name\"" "\$MARK" && echo marked >>"$PWD/called" || echo unmarked >>"$PWD/called"
exit 1
END
printf "#!/bin/sh\n" >fake/squeue
chmod +x fake/sbatch fake/squeue
cat >fill <<'END'
MARK=$WT_TMP/small/x/array.json
export MARK
for pages in 0 1 2 4 8 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 28 30 40; do
	rm -rf "$WT_TMP/small"/*
	dd if=/dev/zero of="$WT_TMP/small/fill" bs=4k count=$((255 - pages)) 2>/dev/null
	PATH=$PWD/fake:$PATH windtunnel experiment run --on slurm --output "$WT_TMP/small/x" x.yaml >>fill.out 2>>fill.err
	echo $pages $? >>fill.status
	test ! -e "$MARK" || echo left >>called
done
END
test_expect_success MOUNT 'a full disk: no array is begun that nothing tells of' '
	mkdir "$WT_TMP/small" &&
	unshare -m sh -c "mount -t tmpfs -o size=1m tmpfs \"\$0\" && exec sh fill" "$WT_TMP/small" &&
	sort called | uniq -c && cat fill.err && grep ^marked called && ! grep -v ^marked called &&
	grep "No space left\|disk is full" fill.err && ! grep " 0\$" fill.status
'
test_expect_success 'a newline in the name of the folder is refused: a task reads its command as a line' '
	rm -f called && nl="new
line" && test_expect_code 2 env PATH="$PWD/fake:$PATH" windtunnel experiment run --on slurm --output "$nl" x.yaml 2>err &&
	grep "has a newline" err && test ! -e "$nl/array.json" && test ! -e called
'
test_expect_success 'a cluster of two real slurmds, and what an undisturbed local experiment gives' '
	windtunnel cluster up real --nodes 2 --backend slurmd --shape "pack:1 core:2 pu:1" -q 2>err || { cat err; false; }
	experiment here && windtunnel experiment run --no-report --json here.yaml >json 2>err && figures json >want
'
test "$test_failure" = 0 || test_done
eval "$(windtunnel cluster env real)"

test_expect_success 'a task that is killed in the middle is run again, and the statistics are the same' '
	experiment there &&
	{ windtunnel experiment run --on slurm --jobs 2 --json there.yaml >json 2>err & pid=$!; } &&
	wt_poll 60 killed there &&
	{ wait $pid || { cat err; false; }; } && cat err there/logs/task-* && figures json >got && wt_near want got &&
	grep "job array [0-9]*: 4 runs\$" err && grep "job array [0-9]*: 1 runs\$" err && grep " 4 of 4: " err &&
	test -e "$killed/unfinished-1" && test -s there/report.html && test ! -e there/array.json &&
	windtunnel experiment list there >out && grep "^  eight  *2 runs" out
'
test_expect_success 'nothing of the cluster in which it ran reaches a run' '
	! grep -r "SLURM_JOB_ID\|SLURM_ARRAY" there/four/1/slurm.conf there/four/1/scenario.json &&
	jq -e ".jobs_completed == 8 and .nodes == 4" there/four/2/summary.json
'
test_expect_success 'resumed when all is done: no array' '
	windtunnel experiment run --on slurm --resume --no-report --json there.yaml >json 2>err && ! grep "job array" err &&
	figures json >got && wt_near want got
'
test_expect_success 'Ctrl-C leaves the array, and --resume takes what it has done' '
	experiment cut && test_when_finished "begin yes" && begin no && rm -f err &&
	{ windtunnel experiment run --on slurm:main --jobs 2 cut.yaml >out 2>err & pid=$!; } &&
	wt_poll 60 array err && kill -INT $pid && { wait $pid; test $? = 130; } &&
	id=$(array err) && grep "job array $id goes on; scancel $id ends it" err &&
	grep "go on with: windtunnel experiment run --on slurm:main --resume --output cut cut.yaml" err &&
	test_expect_code 1 windtunnel experiment run --resume cut.yaml 2>err &&
	grep "job array $id may still be at work on it" err && begin yes &&
	windtunnel experiment run --on slurm:main --resume --no-report --json cut.yaml >json 2>err &&
	grep "job array $id of before" err && ! grep "[0-9] runs\$" err && figures json >got && wt_near want got
'
# once DIR: each of its runs was begun once, and is there; nothing of it goes on.
once() {
	for run in four/1 four/2 eight/1 eight/2; do
		jq -e ".failure == \"\" and .jobs_completed == 8" "$1/$run/summary.json" >jq.out &&
		test ! -e "$1/$run/unfinished-1" &&
		test "$(grep -l -- "--output=.*$1/$run\( \|'\|\$\)" "$1"/logs/array-* | wc -l)" = 1 || return 1
	done
	test ! -e "$1/array.json" && test ! -e "$1/logs/array-2" && test "$(ls "$1"/logs | grep -c "^task-")" = 4 &&
	wt_poll 60 array_over "$id" && ! ours "^[^ ]*windtunnel .*--output=[^ ]*$1/" && ! ls "$1"/*/*/.lock
}
# running DIR: a run of it is at work, and another has not ended
running() {
	for run in four/1 four/2 eight/1 eight/2; do
		test -s "$1/$run/scenario.json" && test ! -e "$1/$run/summary.json" && return
	done
	return 1
}
test_expect_success 'kill -9 of the command while its array runs, and of the one that goes on: each run is done once' '
	experiment hit && rm -f err && { windtunnel experiment run --on slurm --jobs 1 hit.yaml >out 2>err & pid=$!; } &&
	wt_poll 60 running hit && kill -9 $pid && { wait $pid; test $? = 137; } && id=$(array err) &&
	test_expect_code 1 windtunnel experiment run --resume hit.yaml 2>err &&
	grep "job array $id may still be at work on it" err &&
	rm -f err && { windtunnel experiment run --on slurm --jobs 1 --resume hit.yaml >out 2>err & pid=$!; } &&
	wt_poll 60 grep "job array $id of before" err && kill -9 $pid && { wait $pid; test $? = 137; } &&
	windtunnel experiment run --on slurm --resume --no-report --json hit.yaml >json 2>err || { cat err; false; }
	cat err && grep "job array $id of before" err && ! grep "[0-9] runs\$" err && figures json >got &&
	wt_near want got && once hit
'
test_expect_success 'kill -9 of the command, and its array ends before anybody goes on: nothing is run again' '
	experiment late && rm -f err && { windtunnel experiment run --on slurm --jobs 2 late.yaml >out 2>err & pid=$!; } &&
	wt_poll 60 running late && kill -9 $pid && { wait $pid; test $? = 137; } && id=$(array err) &&
	wt_poll 120 array_over $id && test -e late/array.json &&
	windtunnel experiment run --on slurm --resume --no-report --json late.yaml >json 2>err || { cat err; false; }
	cat err && ! grep "[0-9] runs\$" err && figures json >got && wt_near want got && once late
'
# sbatch as it is, and then somebody kills who called it: he has not heard the id.
test_expect_success 'kill -9 between sbatch and its answer: --resume finds the array by its name' '
	sbatch=$(command -v sbatch) && mkdir dying && cat >dying/sbatch <<-END && chmod +x dying/sbatch &&
	#!/bin/sh
	test "\$1" != --version || exec $sbatch "\$@"
	$sbatch "\$@" >"$PWD/dying/id" && kill -9 \$PPID
	END
	experiment died &&
	test_expect_code 137 env PATH="$PWD/dying:$PATH" windtunnel experiment run --on slurm --jobs 2 \
		died.yaml >out 2>err &&
	jq -e ".name and .job == \"\"" died/array.json && id=$(cat dying/id) &&
	windtunnel experiment run --on slurm --resume --no-report --json died.yaml >json 2>err &&
	grep "job array windtunnel-[0-9a-f]* of before" err && ! grep "[0-9] runs\$" err && test ! -e died/array.json &&
	figures json >got && wt_near want got
'
test_expect_success '--repeat-until: one array for the rounds that cannot have the precision, then one for each more' '
	experiment until && windtunnel experiment run --on slurm --jobs 2 --no-report --repeat 5 \
		--repeat-until "ci95(makespan)<50%" until.yaml >out 2>err || { cat err; false; }
	cat err && test "$(grep -c "job array [0-9]*: 6 runs\$" err)" = 1 && test "$(grep -c "job array" err)" = 1 &&
	grep "the precision was reached after 3 runs of each case" err && test -d until/four/3 && test ! -e until/four/4 &&
	test_expect_code 0 windtunnel experiment run --on slurm --resume --no-report --repeat 5 \
		--repeat-until "ci95(wall)<0.0001%" until.yaml >out 2>err && cat err &&
	test "$(grep -c "job array [0-9]*: 2 runs\$" err)" = 2 &&
	grep "the precision was not reached after 5 runs of each case" err && test -d until/eight/5
'
test_expect_success 'an array that somebody cancels is not begun again' '
	experiment gone && test_when_finished "begin yes" && begin no && rm -f err &&
	{ windtunnel experiment run --on slurm --jobs 1 gone.yaml >out 2>err & pid=$!; } &&
	wt_poll 60 array err && id=$(array err) && scontrol hold ${id}_[1-3] && begin yes &&
	wt_poll 60 test -s gone/four/1/scenario.json && scancel $id &&
	{ wait $pid; test $? = 130; } && grep "tasks of the job array were cancelled" err && test ! -e gone/logs/array-2 &&
	wt_poll 60 array_over $id &&
	windtunnel experiment run --on slurm --resume --no-report --json gone.yaml >json 2>err && figures json >got &&
	wt_near want got
'
test_expect_success 'nor by one that goes on with it; one that was cancelled before that is gone on with' '
	experiment left && test_when_finished "begin yes" && begin no && rm -f err &&
	{ windtunnel experiment run --on slurm left.yaml >out 2>err & pid=$!; } &&
	wt_poll 60 array err && id=$(array err) && kill -INT $pid && { wait $pid; test $? = 130; } && rm -f err &&
	{ windtunnel experiment run --on slurm --resume left.yaml >out 2>err & pid=$!; } &&
	wt_poll 60 grep "job array $id of before" err && scancel $id && { wait $pid; test $? = 130; } &&
	grep "tasks of the job array were cancelled" err && test ! -e left/logs/array-2 && test ! -e left/array.json &&
	rm -f err && { windtunnel experiment run --on slurm --resume left.yaml >out 2>err & pid=$!; } &&
	wt_poll 60 array err && id=$(array err) && kill -INT $pid && { wait $pid; test $? = 130; } && scancel $id &&
	wt_poll 60 array_over $id && begin yes &&
	windtunnel experiment run --on slurm --resume --no-report --json left.yaml >json 2>err || { cat err; false; }
	cat err && figures json >got && wt_near want got
'
test_expect_success 'a run that fails is told with its log, and not run again' '
	experiment dead 1 && echo "run: {timeout: 1}" >>dead.yaml &&
	test_expect_code 1 windtunnel experiment run --on slurm --no-report --variant four dead.yaml >out 2>err &&
	grep "experiment: four, run 1 failed (status 1): .*(dead/logs/four-1.log)" err && test ! -e dead/logs/array-2
'
test_expect_success 'what sbatch refuses is told' '
	experiment no && test_expect_code 2 windtunnel experiment run --on slurm:nowhere no.yaml 2>err &&
	grep "the array was not taken: .*partition" err
'
test_done
