#!/bin/sh
test_description='an experiment that is killed, whose disk is full, or that somebody else works on: going on gives the same'
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
small='mount -t tmpfs -o size=64m tmpfs "$0" && exec "$@"'
mkdir "$WT_TMP/small" && unshare -m sh -c "$small" "$WT_TMP/small" true 2>/dev/null && test_set_prereq MOUNT

test_expect_success 'what an undisturbed one gives' '
	experiment whole && windtunnel experiment run --no-report --json whole.yaml >json 2>err && figures json >want
'
# Its runs are told by the kernel, and take a while to end their clusters.
test_expect_success 'kill -9 while runs are under way: --resume waits for their end, and the statistics are the same' '
	experiment killed && { windtunnel experiment run --jobs 2 killed.yaml >out 2>err & pid=$!; } &&
	wt_poll 60 test -s killed/eight/1/scenario.json && kill -9 $pid && { wait $pid; test $? = 137; } &&
	windtunnel experiment run --resume --jobs 2 --no-report --json killed.yaml >json 2>err || { cat err; false; }
	cat err && figures json >got && wt_near want got &&
	windtunnel experiment list killed >out && grep "^  eight  *2 runs" out && windtunnel cluster list 2>&1 >left &&
	wt_empty left
'
test_expect_success 'kill -9 again and again, at any moment' '
	experiment often && printf "%s\n" 0.3 0.9 1.5 2.1 2.7 3.3 >moments &&
	while read -r moment; do
		{ windtunnel experiment run --resume --jobs 1 --no-report often.yaml >out 2>err & pid=$!; } &&
		sleep $moment && { kill -9 $pid 2>/dev/null || :; } && { wait $pid || :; } || return 1
	done <moments &&
	windtunnel experiment run --resume --no-report --json often.yaml >json 2>err || { cat err; false; }
	figures json >got && wt_near want got
'
test_expect_success 'killed before a run could say what it is: it is begun anew; what is not of a run stays' '
	experiment early && mkdir -p early/four/1/logs early/eight/1 &&
	touch early/four/1/.lock early/four/1/scenario.json.tmp.99 && echo mine >early/eight/1/notes &&
	mkdir -p early/four/2/unfinished-1 && echo kept >early/four/2/unfinished-1/jobs.csv &&
	test_expect_code 1 windtunnel experiment run --resume --keep-going --no-report early.yaml >out 2>err &&
	grep "eight, run 1 failed .*early/eight/1: not a run of this program" err && grep mine early/eight/1/notes &&
	rm -r early/eight/1 &&
	windtunnel experiment run --resume --no-report --json early.yaml >json 2>err || { cat err; false; }
	figures json >got && wt_near want got && test ! -e early/four/1/scenario.json.tmp.99 &&
	grep kept early/four/2/unfinished-1/jobs.csv
'
test_expect_success 'a second command in the same folder is refused, and changes nothing' '
	experiment both 3 && { windtunnel experiment run --jobs 1 --no-report --json both.yaml >json 2>err & pid=$!; } &&
	test_when_finished "kill -CONT $pid 2>/dev/null || :" &&
	wt_poll 60 test -s both/four/1/scenario.json && kill -STOP $pid && sed "s/jobs: 8/jobs: 9/" both.yaml >other.yaml &&
	test_expect_code 1 windtunnel experiment run --resume --output both other.yaml >out 2>err2 &&
	test_line_count = 1 err2 && grep "both: another windtunnel is at work on this experiment" err2 &&
	cmp both.yaml both/experiment.yaml && kill -CONT $pid && wait $pid && jq -e "[.cases[].runs] == [3, 3]" json &&
	windtunnel experiment run --resume --no-report both.yaml >out
'
# Precision over the rounds that all cases have: what one case has besides may not end it early.
test_expect_success '--repeat-until, cut off: it goes on to the round where an undisturbed one ends, and says how' '
	experiment until && rm -f err &&
	{ windtunnel experiment run --jobs 1 --repeat 8 --repeat-until "ci95(wall)<0.0001%" \
		--variant four until.yaml >out 2>err & pid=$!; } &&
	wt_poll 60 grep "four, run 3 in" err && kill -INT $pid && { wait $pid; test $? = 130; } &&
	again="--resume --output until --variant four --repeat 8 --repeat-until .ci95(wall)<0.0001%. until.yaml" &&
	grep "go on with: windtunnel experiment run $again\$" err &&
	eval "$(sed -n "s/.*go on with: //p" err) --no-report" >out 2>err && test -d until/four/8 &&
	grep "the precision was not reached after 8 runs" err &&
	windtunnel experiment run --resume --no-report --variant four --repeat 8 --repeat-until "ci95(makespan)<50%" \
		until.yaml >out 2>err && grep "the precision was reached after 3 runs of each case" err
'
test_expect_success '--repeat-until of a figure that is not measured: no run more is begun than tells that' '
	windtunnel experiment run --no-report --output unknown --variant four --repeat 50 --repeat-until "ci95(boots)<5%" \
		until.yaml >out 2>err && grep "the precision cannot be reached: no run of four has boots" err &&
	test -d unknown/four/3 && test ! -e unknown/four/4
'
test_expect_success '--repeat-until of runs that all fail ends after three of them, too' '
	experiment dead && echo "run: {timeout: 1}" >>dead.yaml &&
	test_expect_code 1 windtunnel experiment run --no-report --variant four --keep-going --repeat 50 \
		--repeat-until "ci95(makespan)<5%" dead.yaml >out 2>err &&
	grep "the precision cannot be reached: no run of four has makespan_s" err && test -d dead/four/3 &&
	test ! -e dead/four/4
'
cat >fill <<'END'
windtunnel experiment run --jobs 1 --no-report --output "$WT_TMP/small/x" full.yaml >full.out 2>full.err & pid=$!
for try in $(seq 2400); do
	! grep -qs "four, run 1 in" full.err || break
	sleep 0.1
done
dd if=/dev/zero of="$WT_TMP/small/fill" bs=4k 2>/dev/null
wait $pid
echo $? >full.status
rm "$WT_TMP/small/fill"
windtunnel experiment run --resume --no-report --json --output "$WT_TMP/small/x" full.yaml >full.json 2>again.err
echo $? >again.status
END
test_expect_success MOUNT 'a full disk: it is told, and --resume gives the same when there is room again' '
	experiment full 3 && windtunnel experiment run --no-report --json --output full-want full.yaml >json 2>err &&
	figures json >full.want && unshare -m sh -c "$small" "$WT_TMP/small" sh fill && cat full.err again.err &&
	echo 1 >one && test_cmp one full.status && grep "No space left on device\|disk is full" full.err &&
	echo 0 >none && test_cmp none again.status && figures full.json >got && wt_near full.want got
'
test_expect_success 'a damaged index is named, and made again from the runs; a folder that was moved goes on' '
	echo garbage >killed/index.sqlite && test_expect_code 2 windtunnel experiment run --resume killed.yaml >out 2>err &&
	grep "killed/index.sqlite: .*move it away: it is made again" err && test_line_count = 1 err &&
	test_expect_code 1 windtunnel experiment list killed 2>err && grep "index.sqlite" err &&
	rm killed/index.sqlite && mkdir elsewhere && mv killed elsewhere/moved &&
	before=$(stat -c %Y elsewhere/moved/four/1/jobs.csv) &&
	windtunnel experiment run --resume --no-report --json --output elsewhere/moved killed.yaml >json 2>err &&
	figures json >got && wt_near want got && test "$before" = "$(stat -c %Y elsewhere/moved/four/1/jobs.csv)" &&
	windtunnel experiment compare elsewhere/moved >out && grep "^  eight  2 runs" out
'
test_done
