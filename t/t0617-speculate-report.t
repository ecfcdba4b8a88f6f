#!/bin/sh
test_description='windtunnel straggler record keeps copies and who won; windtunnel report draws them'
. "$WT_SRCDIR/t/setup.sh"
. "$WT_SRCDIR/t/browse.sh"

# 8 nodes of 2 CPUs, one of them slow.  Windows of 1 s, so that tasks of 8 s are long.
dir="$WINDTUNNEL_STATE/v" log="$WINDTUNNEL_STATE/v/ctld/slurmctld.log"
in_cluster() { windtunnel cluster exec v -- "$@"; }
status() { in_cluster windtunnel straggler status --json "$@"; }
submit() { in_cluster sbatch --parsable -n1 -o /dev/null "$@"; }
job_is() { in_cluster scontrol -o show job "$1" | grep -q "JobState=$2"; }
# recomputed [--section] PAGE LOG: t/check-speculation.py computes all of it anew from the log
recomputed() { python3 "$WT_SRCDIR/t/check-speculation.py" "$@" >recomputed; }
# unlike FAULT CHANGE: a page that was changed by sed so is noticed
unlike() {
	sed "$2" page.html >spoilt.html && ! cmp -s spoilt.html page.html && ! recomputed spoilt.html heartbeats.jsonl &&
	grep "^fault: $1" recomputed || { echo "not noticed: $1: $2"; cat recomputed; return 1; }
}
figure() { grep -o "<data value=\"[^\"]*\" data-key=\"$2\"" "$1" | head -n 1 | sed 's/<data value="\([^"]*\)".*/\1/'; }

test_expect_success 'copies and who won are in the log, as slurmctld says it' '
	windtunnel cluster up v --nodes 8 --shape "core:2 pu:1" --plugin straggler --quiet --node "slow=n3:5" \
		--node noise=0.1 --set SchedulerParameters=batch_sched_delay=0 &&
	cleanup windtunnel cluster down v &&
	wt_poll 30 grep "straggler: version" "$log" &&
	printf "Window=1\nSilence=4\nMinAge=2\n" >>"$dir/straggler.conf" &&
	wt_poll 30 grep "straggler.conf was read again" "$log" &&
	job=$(submit --speculate --array=0-11 --wrap "sleep 8") &&
	after=$(submit -d afterok:$job --wrap "sleep 0.1") && wt_poll 120 job_is $after COMPLETED &&
	in_cluster windtunnel straggler record --time 1 heartbeats.jsonl 2>err && cat err &&
	status $job >status.json &&
	jq "[.arrays[].task[].attempts[] | select(.attempt > 1)] | length" status.json >copies &&
	test "$(cat copies)" -ge 1 &&
	jq -s "[.[] | select(.type == \"attempt\" and .attempt > 1)] | length" heartbeats.jsonl >logged &&
	test_cmp copies logged &&
	jq "[.arrays[].task[] | . as \$t | .attempts[] | select(.attempt > 1 and .job_id == \$t.winner)] | length" \
		status.json >won &&
	jq -s "[.[] | select(.type == \"attempt\" and .attempt > 1 and .won)] | length" heartbeats.jsonl >logged &&
	test_cmp won logged && test "$(cat won)" -ge 1 &&
	jq -s "[.[] | select(.type == \"copy\")] | length" heartbeats.jsonl >beats && test "$(cat beats)" -ge 1
'
test_expect_success 'replay reads it, and goes by the originals' '
	windtunnel straggler replay --json --detector fresh heartbeats.jsonl >replay.json &&
	test "$(jq .runs replay.json)" = 1 &&
	test "$(jq .heartbeats replay.json)" = "$(grep -c "\"type\":\"heartbeat\"" heartbeats.jsonl)"
'
test_expect_success 'the page of the log: lines of tasks and copies, and the figures of slurmctld' '
	windtunnel report heartbeats.jsonl --output page.html &&
	test "$(figure page.html copies)" = "$(cat copies)" && test "$(figure page.html copies_won)" = "$(cat won)" &&
	test "$(figure page.html tasks_ended)" = 12 &&
	test "$(grep -oE "<path class=\"c copy\" d=\"M[0-9]+ [0-9]+L" page.html | wc -l)" -ge 1 &&
	test "$(grep -oE "<path class=\"c (steady|slow)\" d=\"M[0-9]+ [0-9]+L" page.html | wc -l)" = 12 &&
	test "$(grep -c "<td>won</td>" page.html)" = "$(cat won)" &&
	test "$(grep -c "<td>stopped</td>" page.html)" = "$(cat won)" &&
	! grep -oE "<path class=\"c slow\" d=\"[^\"]* 0\"" page.html &&	# who was stopped did not come to its end
	for task in $(jq ".arrays[].task[] | select(.copies > 0).task" status.json); do
		grep -q "<th scope=\"row\">${job}_$task</th><td>2 (copy)" page.html || return 1
	done &&
	test "$(figure page.html all_tasks_ended)" = 12 && test "$(figure page.html all_copies)" = "$(cat copies)" &&
	test "$(figure page.html all_copies_won)" = "$(cat won)" &&
	sed -n "s/^<p class=\"lead\">\(.*\)<\/p>\$/\1/p" page.html | sed "s/<[^>]*>//g" >lead && cat lead &&
	grep -q "^All 12 tasks of job array $job ended; it took [0-9].*s\. [0-9]* w[aers]* slow; " lead &&
	grep -q "[0-9] cop.* won\.\$" lead &&
	jq -r "select(.type == \"attempt\" and .attempt == 1).node" heartbeats.jsonl | sort -u >slow-nodes &&
	sed -n "/^<p class=\"loss\">Slow tasks began on /p" page.html | grep -o "<b>[^<]*" | sed "s/<b>//" | sort >got &&
	test -s got && comm -23 got slow-nodes >others && wt_empty others && grep -q "^n3\$" slow-nodes &&
	grep -q "<h2 id=\"run1-stragglers\">Which tasks were slow, and did copies help?</h2>" page.html
'
command -v python3 >/dev/null && test_set_prereq PYTHON
test_expect_success PYTHON 'each line, row and figure of it, recomputed from the log; a change is noticed' '
	recomputed page.html heartbeats.jsonl || { cat recomputed; return 1; }
	for what in "points of progress" "steady lines" "slow lines" "copy lines" "ticks" "rows of attempts"; do
		grep "^[1-9][0-9]* $what" recomputed || return 1
	done &&
	unlike "sentence of array" "s/\(data-key=\"copies_won\">\)/\19/" &&
	unlike "figures of array" "s/\(<data value=\"\)\([0-9]*\" data-key=\"tasks_slow\"\)/\11\2/" &&
	unlike "first sentence" "s/\(data-key=\"all_copies\">\)/\19/" &&
	unlike "longest array" "s/\(<data value=\"\)\([0-9.]*\" data-key=\"longest_array_s\"\)/\11\2/" &&
	unlike "shown as" "s/\(<data value=\"\)\([0-9]*\" data-key=\"all_copies_won\"\)/\17\2/" &&
	unlike "nodes where" "s/\(Slow tasks began on <b>\)/\19/" &&
	unlike "progress of array" "s/^3,1,/3,1,9/" &&
	unlike "line of task" "s/\(<path class=\"c copy\" d=\"M\)[0-9]* \([0-9]*L\)/\17 \2/" &&
	unlike "lines of array" "s/\(<path class=\"c \)slow\(\" d=\"M[0-9]* [0-9]*L\)/\1steady\2/" &&
	unlike "tick" "s/left:0\.00%/left:3.00%/" &&
	unlike "row of attempts" "s/<td>won</<td>stopped</" &&
	unlike "row of attempts" "/<td>[0-9]* (copy)</ s/<data value=\"/&1/" &&
	sed "s/\"won\":true/\"won\":false/" heartbeats.jsonl >lost.jsonl && ! recomputed page.html lost.jsonl &&
	grep "^fault: row of attempts" recomputed
'
test_expect_success BROWSER 'in a browser: lines of tasks and copies at both widths, by day and by night, on paper' '
	cp page.html "$WT_TMP/page.html" && browse opens "$WT_TMP/page.html" ".progress .canvas path.c"
'
test_expect_success 'in a run folder it is a section of the page' '
	"$WT_BUILDDIR/harness/page/bench_run" --jobs 100 --nodes 8 made && windtunnel report made --output without.html &&
	! grep -q "id=\"run1-stragglers\"" without.html &&
	cp heartbeats.jsonl made && windtunnel report made --output with.html &&
	grep -q "id=\"run1-stragglers\"" with.html && test "$(figure with.html copies_won)" = "$(cat won)" &&
	if command -v python3 >/dev/null; then
		recomputed --section with.html heartbeats.jsonl || { cat recomputed; return 1; }
	fi
'
test_expect_success 'damaged and hostile logs: read up to the line, or refused with it; never markup' '
	cp -R made damaged && head -n 5 heartbeats.jsonl >damaged/heartbeats.jsonl &&
	echo "{\"type\":\"heartbeat\",\"job\":\"<script>\",\"task\":1}" >>damaged/heartbeats.jsonl &&
	windtunnel report damaged --output damaged.html &&
	grep -q "Read up to a damaged line: heartbeats.jsonl:6: " damaged.html &&
	test_expect_code 1 windtunnel report damaged/heartbeats.jsonl --output no.html 2>err && test_line_count = 1 err &&
	grep "heartbeats.jsonl:6: " err && test ! -e no.html &&
	{ sed -n 1,2p heartbeats.jsonl && cat <<-END
	{"type":"heartbeat","job":"$job","task":0,"received_s":1e300,"elapsed_s":1e300,"progress":0.5}
	{"type":"heartbeat","job":"$job","task":0,"received_s":-5,"elapsed_s":-9,"progress":-7}
	{"type":"copy","job":"$job","task":11,"attempt":4294967295,"received_s":5,"elapsed_s":1e-300,"progress":1e300}
	{"type":"attempt","job":"$job","task":11,"attempt":2,"node":"<b>","state":"</td>","flagged":true,"won":true}
	END
	} >odd.jsonl && windtunnel report odd.jsonl --output odd.html && 
	sed -n "/id=.run1-stragglers/,/<\/section>/p" odd.html >section && test -s section &&
	! grep -E "<b>|nan|inf" section &&
	rm damaged/heartbeats.jsonl && mkfifo damaged/heartbeats.jsonl &&
	timeout 60 windtunnel report damaged --output pipe.html && ! grep "class=\"progress" pipe.html &&
	grep "<p class=\"none\">Not known: .*heartbeats.jsonl" pipe.html
'
test_expect_success 'nothing is left' '
	cp "$dir/cluster.json" cluster.json && windtunnel cluster down v && wt_nothing_left cluster.json
'
test_done
