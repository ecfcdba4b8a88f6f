#!/bin/sh
test_description='a run whose disk is full keeps its results and says what to do; --resume of a single run'
. "$WT_SRCDIR/t/setup.sh"

# A small disk of our own, which nobody else sees.
small='mount -t tmpfs -o size=8m tmpfs "$0" && exec "$@"'
mkdir "$WT_TMP/small"
on_small_disk() { unshare -m sh -c "$small" "$WT_TMP/small" "$@"; }
on_small_disk true 2>/dev/null && test_set_prereq MOUNT

run() {
	windtunnel run --workload burst --jobs 30 --run-time 5 --nodes 4 --clock virtual --charge none \
		--quiet --timeout 300 "$@"
}
# rows FOLDER STATE: how many jobs of jobs.csv ended so
rows() { grep -c ",$2," "$1/jobs.csv"; }

cat >fill <<'END'
set -e
run() {
	windtunnel run --workload burst --jobs 30 --run-time 5 --nodes 4 --clock virtual --charge none \
		--quiet --timeout 300 "$@"
}
# The disk is full before the first job is there: the run has only what it held for itself.
run --output "$WT_TMP/small/run" >out 2>err &
for try in $(seq 2400); do
	test ! -s "$WT_TMP/small/run/.reserve" || break
	sleep 0.1
done
dd if=/dev/zero of="$WT_TMP/small/fill" bs=4k 2>/dev/null || :
test ! -e "$WT_TMP/small/run/jobs.csv"
wait $! && status=0 || status=$?
echo $status >status
ls -A "$WT_TMP/small/run" >left
cp -r "$WT_TMP/small/run" kept
status=0
run --output "$WT_TMP/small/none" >none.out 2>none.err || status=$?
echo $status >none.status
ls -A "$WT_TMP/small" >small.left
rm "$WT_TMP/small/fill"
status=0
run --output "$WT_TMP/small/run" --resume >again.out 2>again.err || status=$?
echo $status >again.status
cp -r "$WT_TMP/small/run" again
END
test_expect_success MOUNT 'jobs.csv of all jobs, jobs.swf and summary.json are written on a full disk' '
	on_small_disk sh fill && echo 1 >wanted && test_cmp wanted status &&
	test "$(rows kept COMPLETED)" = 30 && grep -c "^[0-9]" kept/jobs.swf >count && echo 30 >wanted &&
	test_cmp wanted count &&
	jq -e ".jobs_completed == 30 and (.failure | test(\"No space left on device\")) and
		(.not_written | test(\"logs\"))" kept/summary.json &&
	test_must_fail grep reserve left
'
test_expect_success MOUNT 'one line says what failed, what is not there, and what to do' '
	test_line_count = 1 err &&
	grep "^windtunnel run: .*: No space left on device.*; not written: .*; make room, then .* --resume" err &&
	grep "30 of 30 jobs submitted, 30 COMPLETED" out
'
test_expect_success MOUNT 'a run for which there is no room is refused before it begins, and leaves nothing' '
	echo 1 >wanted && test_cmp wanted none.status && test_line_count = 1 none.err &&
	grep -e "^windtunnel run: .*No space left on device" none.err && test_must_fail grep none small.left
'
test_expect_success MOUNT 'with room again --resume runs it again and keeps what was there' '
	echo 0 >wanted && test_cmp wanted again.status &&
	jq -e ".failure == \"\" and .not_written == \"\"" again/summary.json &&
	test -s again/events.csv && test -s again/logs/slurmctld.log &&
	grep "small/run was not finished: it is run again" again.err &&
	test "$(rows again/unfinished-1 COMPLETED)" = 30 && cut -d, -f1-17,20- kept/jobs.csv >wanted &&
	cut -d, -f1-17,20- again/unfinished-1/jobs.csv >out.csv && test_cmp wanted out.csv
'
cat >fill-state <<'END'
WINDTUNNEL_STATE=$WT_TMP/small/state
export WINDTUNNEL_STATE
windtunnel run --workload spaced --jobs 300 --interval 0.3 --run-time 1 --nodes 4 --quiet --timeout 60 \
		--output state >state.out 2>state.err &
for try in $(seq 2400); do
	! cat "$WINDTUNNEL_STATE"/*/nodes/events.csv 2>/dev/null | grep -q start || break
	sleep 0.1
done
dd if=/dev/zero of="$WT_TMP/small/fill" bs=4k 2>/dev/null || :
wait $! && status=0 || status=$?
echo $status >state.status
END
test_expect_success MOUNT 'a full disk below slurmctld is named, and the record of what it did is kept' '
	on_small_disk sh fill-state && echo 1 >wanted && test_cmp wanted state.status && test_line_count = 1 state.err &&
	full="the disk of the cluster.s folder .*/small/state/.* is full (WINDTUNNEL_STATE names another)" &&
	grep "$full; .*; make room, then .* --resume" state.err &&
	test_line_count = 301 state/jobs.csv && jq -e ".jobs_total == 300 and .jobs_completed < 300" state/summary.json
'
test_expect_success '--resume of a run that ended well shows it and leaves it as it is' '
	run --output done >out 2>err && cp done/jobs.csv jobs.csv && cp done/summary.json summary.json &&
	run --output done --resume >out 2>err && grep "^windtunnel run: .*/done was finished before\$" err &&
	grep "30 COMPLETED" out &&
	tail -n 1 out | grep "^run folder: .*/done\$" && test_cmp jobs.csv done/jobs.csv &&
	test_cmp summary.json done/summary.json &&
	run --output done --resume --json >out 2>err && jq -e ".jobs_completed == 30" out &&
	test_must_fail run --output done >out 2>err && grep "the folder is not empty" err
'
test_expect_success '--resume of one that did not runs it again; of another scenario, or no run, it is refused' '
	mv done/summary.json gone.json && echo mine >done/notes && echo old >done/power.csv &&
	echo old >done/provision.csv &&
	run --output done --resume >out 2>err && grep old done/unfinished-1/power.csv && test ! -e done/power.csv &&
	grep old done/unfinished-1/provision.csv && test ! -e done/provision.csv &&
	jq -e ".jobs_completed == 30" done/summary.json && test_cmp jobs.csv done/unfinished-1/jobs.csv &&
	grep mine done/notes &&
	test_expect_code 1 run --output done --resume --seed 2 2>err &&
	grep "resume: .*done was made with another seed" err &&
	cp -R done elsewhere &&
	sed "s/\"slurm\": \"[^\"]*\"/\"slurm\": \"9.8.7\"/" done/scenario.json >elsewhere/scenario.json &&
	rm elsewhere/summary.json && test_expect_code 1 run --output elsewhere --resume 2>err && ls elsewhere >left &&
	grep "resume: .*elsewhere was made on Slurm 9.8.7, and this is [0-9.]*: go on with --slurm 9.8.7" err &&
	! grep unfinished-2 left &&
	test_expect_code 1 run --output done --resume --cost price=1 2>err && grep "made with another cost" err &&
	run --output rented --elastic boot=1 --provision asap --cost unit=120 >out 2>err &&
	test -s rented/provision.csv &&
	test_expect_code 1 run --output rented --elastic boot=1 --provision afap --cost unit=120 --resume 2>err &&
	grep "made with another provision" err &&
	mkdir other && echo mine >other/notes && test_expect_code 1 run --output other --resume 2>err &&
	test_line_count = 1 err && grep mine other/notes &&
	run --output new --resume >out 2>err && jq -e ".jobs_completed == 30" new/summary.json
'
test_done
