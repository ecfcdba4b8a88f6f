#!/bin/sh
test_description='windtunnel workload: show, convert, slice; round trips; files that are bad'
. "$WT_SRCDIR/t/setup.sh"

# Number, submission, wait, run time, processors, requested time, status, user.
job() { echo "  $1 $2 $3 $4 $5 -1 -1 $5 $6 -1 $7 $8 1 -1 -1 1 -1 -1"; }
{
	echo "; MaxProcs: 8"
	job 1 0 5 100 4 200 1 17
	job 2 3600 0 50 1 60 1 18
	job 3 3600 -1 -1 2 60 5 18	# did not run
	job 5 7200 10 300 8 -1 0 19
	job 6 86400 0 5.5 3 5 1 17
} >trace.swf

# failed TEXT ARGUMENT...: exit status 1, one line on stderr that contains TEXT
failed() {
	text=$1
	shift
	test_expect_code 1 windtunnel workload "$@" >out 2>err && test_line_count = 1 err &&
	{ grep -q -e "$text" err || { cat err; false; }; }
}
misused() {
	text=$1
	shift
	test_expect_code 2 windtunnel workload "$@" >out 2>err && test_line_count = 0 out &&
	{ grep -q -e "$text" err || { cat err; false; }; }
}
# What a job is, in order of submission: submission, run time, processors, limit.
jobs() { windtunnel workload convert --to swf "$1" 2>/dev/null | awk '!/^;/ { print $2 - first, $4, $5, $9 }'; }

test_expect_success 'show: figures for people and for programs' '
	windtunnel workload show trace.swf >out &&
	grep "^trace.swf: swf, 4 of 5 jobs; left out: 1 cancelled or failed before they ran\$" out &&
	grep "2866.5 CPU seconds: an offered load of 0.4 % of 8 CPUs" out &&
	windtunnel workload show --json trace.swf >json &&
	jq -e ".files[0] | .jobs == 4 and .jobs_in_file == 5 and .left_out == {\"not_run\": 1} and .cpu_s == 2866.5 and
		.machine_cpus == 8 and .period_s == 86400 and (.offered_load * 8 * 86400 - 2866.5 | fabs) < 1e-6 and
		.arrivals_by_hour[0:3] == [2, 1, 1] and .serial == 1 and .powers_of_two == 2 and .over_limit == 1 and
		.limit_s.count == 3 and .run_time_s.max == 300 and .cpus.min == 1 and
		.cpus_jobs == [{\"up_to\": 1, \"jobs\": 1},
		{\"up_to\": 4, \"jobs\": 2}, {\"up_to\": 8, \"jobs\": 1}]" json &&
	! grep "its header" out && head -n -1 trace.swf | sed "1i; MaxJobs: 5" >cut.swf &&
	windtunnel workload show cut.swf >out &&
	grep "its header tells of 5 jobs: this is a part of them, or the file was cut" out &&
	windtunnel workload show --json cut.swf | jq -e ".files[0] | .jobs_of_header == 5 and .jobs_in_file == 4" &&
	windtunnel workload show --cpus 16 --json trace.swf trace.swf |
		jq -e ".files | length == 2 and .[1].machine_cpus == 16"
'
test_expect_success 'convert: SWF, Batsim and back, packed and not' '
	jobs trace.swf >wanted && test_line_count = 4 wanted &&
	windtunnel workload convert -o b.json trace.swf 2>err && grep "^trace.swf: swf, 4 of 5 jobs" err &&
	jq -e ".nb_res == 8 and (.jobs | length) == 4 and .jobs[0].walltime == 200 and
		(.jobs[2] | has(\"walltime\") | not)" b.json &&
	windtunnel workload convert -o c.swf.gz b.json 2>err && gzip -t c.swf.gz && jobs c.swf.gz >got &&
	test_cmp wanted got &&
	windtunnel workload convert --output d.json.gz c.swf.gz 2>err && zcat d.json.gz | jq -S .jobs >d &&
	windtunnel workload convert --to swf d.json.gz >e.swf 2>err && jobs e.swf >got && test_cmp wanted got &&
	windtunnel run --workload batsim:b.json --dry-run --json | jq -e "[.jobs[].cpus] == [4, 1, 8, 3]"
'
test_expect_success 'convert: jobs.csv has the columns of evalys' '
	windtunnel workload convert -o jobs.csv trace.swf 2>err &&
	header=job_id,workload_name,profile,submission_time,requested_number_of_resources,requested_time,success &&
	header=$header,final_state,starting_time,execution_time,finish_time,waiting_time,turnaround_time,stretch &&
	test "$(head -n 1 jobs.csv)" = "$header,allocated_resources,consumed_energy,metadata" &&
	row="1,trace,,0.000000,4,200.000000,1,COMPLETED_SUCCESSFULLY,5.000000,100.000000,105.000000,5.000000,105.000000" &&
	test "$(sed -n 2p jobs.csv)" = "$row,1.050000,,-1," &&
	grep "^5,trace,,7200.000000,8,,0,COMPLETED_FAILED,7210.000000,300.000000" jobs.csv
'
test_expect_success 'slice: by time and by numbers; the lines of an SWF stay as they are' '
	windtunnel workload slice --from 3600 --duration 3601 trace.swf >part.swf 2>err &&
	grep "2 of 5 jobs; left out: 1 cancelled or failed before they ran, 2 outside of the slice" err &&
	sed -n "1p;3p;5p" trace.swf >wanted && test_cmp wanted part.swf &&
	windtunnel workload slice --from @7200 --to batsim trace.swf 2>err | jq -e "[.jobs[].id] == [\"5\", \"6\"]" &&
	windtunnel workload slice --first-job 2 --last-job 5 -o n.swf.gz trace.swf 2>err && zcat n.swf.gz >got &&
	sed -n "1p;3p;5p" trace.swf | test_cmp - got &&
	sed "1s/^;/  ;/" trace.swf >blanks.swf &&
	windtunnel workload slice --first-job 2 --last-job 5 blanks.swf >got 2>err &&
	sed -n "1p;3p;5p" blanks.swf | test_cmp - got &&
	failed "trace.swf: none of its jobs is in this slice" slice --from 90000 -o none.swf trace.swf && test ! -e none.swf
'
test_expect_success 'slice of jobs: what depends on a job outside waits for it no more, is told, and can be read again' '
	echo "{\"id\": 1, \"submit_s\": 0, \"run_time_s\": 5}" >deps.jsonl &&
	echo "{\"id\": 2, \"submit_s\": 1, \"run_time_s\": 5, \"dependency\": \"afterok:1\"}" >>deps.jsonl &&
	echo "{\"id\": 3, \"submit_s\": 2, \"run_time_s\": 5, \"dependency\": \"afterok:1:2\"}" >>deps.jsonl &&
	windtunnel workload slice --first-job 2 deps.jsonl >late.jsonl 2>err &&
	grep "deps.jsonl: 2 dependencies on jobs outside of the slice are left out" err &&
	windtunnel workload show late.jsonl && test "$(jq -rs "map(.dependency) | @csv" late.jsonl)" = ",,\"afterok:2\""
'
test_expect_success 'bad files: what is wrong, and in which line' '
	{ cat trace.swf && echo "7 86500 0 9"; } >short.swf && failed "short.swf:7: 4 fields, not 18" show short.swf &&
	sed "s/ 7200 / -7200 /" trace.swf >negative.swf && failed "negative.swf:5: submit time -7200 s" show negative.swf &&
	sed "s/ 7200 / 1e300 /" trace.swf >huge.swf && failed "huge.swf:5: submit time 1e+300 s" show huge.swf &&
	head -c 4096 "$(command -v ls)" >binary && failed "binary:1: a NUL byte: not a text file" show binary &&
	{ sed 1q trace.swf && awk "BEGIN { while (n++ < 70000) printf \"1 \" }"; } >long.swf &&
	failed "long.swf:2: longer than 65536 bytes" show long.swf &&
	: >empty.swf && failed "empty.swf: the file is empty" show empty.swf &&
	{ printf "\\357\\273\\277\\n\\n" && cat short.swf; } >below.swf && failed "below.swf:9: 4 fields" show below.swf &&
	gzip -c below.swf >below.swf.gz && failed "below.swf.gz:9: 4 fields" show below.swf.gz &&
	cat below.swf | failed "/dev/stdin:9: 4 fields" show /dev/stdin &&
	{ printf "\\n \\n" && echo "{\"id\": 1}"; } >below.jsonl && failed "below.jsonl:3: " show below.jsonl &&
	{ printf "\\n\\n" && sed "s/job_id,/job_no,/" jobs.csv; } >below.csv &&
	failed "below.csv:3: there is no" show below.csv &&
	{ printf "\\n\\n" && cat jobs.csv; } >fine.csv && windtunnel workload show fine.csv &&
	{ printf "\\n\\n" && echo "{\"nb_res\": 4, \"jobs\":"; } >below.json && failed "below.json:[34]: " show below.json &&
	failed "none.swf: No such file" show none.swf &&
	gzip -c trace.swf | head -c 60 >cut.swf.gz &&
	failed "cut.swf.gz:[0-9]*: it is packed, and ends in the middle" show cut.swf.gz &&
	echo "{\"nb_res\": 4, \"jobs\":" >half.json && failed "half.json:[12]: " show half.json &&
	sed 1q jobs.csv >head.csv && failed "head.csv" show head.csv &&
	failed "convert: .*short.swf:7" convert -o never.json short.swf && test ! -e never.json
'
# Each form of the same jobs.
forms="trace.swf b.json jobs.csv trace.jsonl"
test_expect_success 'the same in each form: a file that is cut off is one line that names its own, packed or not' '
	windtunnel workload convert -o trace.jsonl trace.swf 2>err &&
	for file in $forms; do
		size=$(wc -c <$file) && windtunnel workload show $file >out || return 1
		for cut in $((size / 3)) $((size / 2)) $((size * 3 / 4)) $((size - 3)); do
			head -c $cut $file >cut-$file &&
			failed "^windtunnel workload show: cut-$file:[1-9][0-9]*: " show cut-$file &&
			gzip -c $file >whole.gz && head -c $(($(wc -c <whole.gz) - 1 - cut % 20)) whole.gz >cut-$file.gz &&
			failed "cut-$file.gz:[1-9][0-9]*: it is packed, and ends in the middle" show cut-$file.gz || return 1
		done
	done
'
bad_swf() { sed "s/ 7200 / $1 /" trace.swf >bad.swf; }
bad_json() { jq ".jobs[2].$1 = $2" b.json >bad.json; }
bad_jsonl() { sed "4s/\"$1\":[0-9.]*/\"$1\":$2/" trace.jsonl >bad.jsonl; }
bad_csv() { awk -F, -v OFS=, -v n="$1" -v v="$2" "NR == 4 { \$n = v } 1" jobs.csv >bad.csv; }
test_expect_success 'the same in each form: times and sizes that are negative or huge are one line that names its own' '
	for value in -7200 1e300 1e11 x; do
		bad_swf $value && failed "bad.swf:5: " show bad.swf &&
		bad_jsonl submit_s $value && failed "bad.jsonl:4: " show bad.jsonl &&
		bad_csv 4 $value && failed "bad.csv:4: submission_time" show bad.csv &&
		bad_csv 9 $value && failed "bad.csv:4: starting_time" show bad.csv || return 1
	done &&
	for value in -7200 1e300 1e11; do
		bad_json subtime $value && failed "bad.json:[1-9][0-9]*: job 3: subtime" show bad.json || return 1
	done &&
	for value in -4 0 1e300 4294967296 "\"x\""; do
		bad_json res "$value" && failed "bad.json:[1-9][0-9]*: job 3: res" show bad.json &&
		bad_jsonl tasks "$value" && failed "bad.jsonl:4: " show bad.jsonl || return 1
	done &&
	for value in -4 1e300 4294967296 x; do
		bad_csv 5 $value && failed "bad.csv:4: requested_number_of_resources" show bad.csv || return 1
	done &&
	sed "s/,105.000000,/,1.000000,/" jobs.csv >bad.csv &&
	failed "bad.csv:2: job 1: ends .* s before it starts" show bad.csv
'
test_expect_success 'what is written as jobs.csv is read again: columns of Batsim in any order; no waiting times' '
	jobs trace.swf >wanted && jobs jobs.csv >got && test_cmp wanted got &&
	windtunnel workload show --json jobs.csv >json &&
	jq -e ".files[0] | .format == \"csv\" and .jobs == 4 and .limit_s.count == 3" json &&
	awk -F, -v OFS=, "{ \$18 = \$1; \$1 = NR == 1 ? \"x\" : \"w0!\" NR } 1" jobs.csv >turned.csv &&
	jobs turned.csv >got && test_cmp wanted got && gzip -c turned.csv >turned.csv.gz && jobs turned.csv.gz >got &&
	test_cmp wanted got &&
	awk "!/^;/ { \$3 = -1 } 1" trace.swf >still.swf && windtunnel workload convert -o still.csv still.swf 2>err &&
	jobs still.csv >got && test_cmp wanted got &&
	cut -d, -f 1,4,9,11 jobs.csv >four.csv &&
	failed "none of its 4 jobs ran" show four.csv
'
test_expect_success '--skip-bad counts what it left out; what is not in order is told' '
	{ cat trace.swf && echo "7 86500 0 9" && echo "8 x"; } >short.swf &&
	windtunnel workload show --skip-bad short.swf >out &&
	grep "4 of 7 jobs; left out: 1 cancelled or failed before they ran, 2 that cannot be read" out &&
	grep "the first that cannot be read: short.swf:7: 4 fields" out &&
	{ cat trace.swf && job 7 100 0 5 1 60 1 1; } >unsorted.swf && windtunnel workload show unsorted.swf >out &&
	grep "not in order of submission: 1 jobs stand behind later ones, the first in line 7" out &&
	windtunnel workload show --json unsorted.swf | jq -e ".files[0].unsorted == 1"
'
test_expect_success 'wrong use' '
	misused "which workload" show && misused "which part" slice trace.swf &&
	misused "into which format" convert trace.swf &&
	misused "swf, batsim, csv or jobs" convert --to xml trace.swf &&
	misused "another one" convert --to swf trace.swf b.json &&
	misused "below" slice --first-job 5 --last-job 2 trace.swf && misused "into which format" convert -o x.txt trace.swf
'
# Each run time is longer by the probe, which takes no virtual time: to the two decimals of an SWF they are the same.
test_expect_success 'an SWF that is run gives its jobs back: number, order, sizes, run times' '
	for i in $(seq 16); do job $i $((i * 5)) 0 $((20 + i * 7 % 40)) $((1 + i % 8)) 600 1 1; done >body &&
	{ echo "; MaxProcs: 8" && cat body; } >again.swf &&
	windtunnel run --workload swf:again.swf --nodes 8 --clock virtual --charge none --quiet --timeout 900 \
		--output run >out 2>err &&
	jobs again.swf | awk "{ print \$3, \$2 }" >wanted &&
	jobs run/jobs.swf | awk "{ printf \"%d %.0f\\n\", \$3, \$2 }" >got && test_cmp wanted got &&
	windtunnel workload convert --to swf run 2>err >folder.swf && grep "^run: run folder, 16 of 16 jobs" err &&
	jobs folder.swf | awk "{ printf \"%d %.0f\\n\", \$3, \$2 }" >got && test_cmp wanted got &&
	windtunnel workload show --json run run/jobs.csv >json &&
	jq -e ".files | .[0].jobs == 16 and .[0].machine_cpus == 8 and
		([.[].run_time_s.mean * 1e5 | round] | .[0] == .[1])" json &&
	failed "it has a jobs.csv" convert --to csv run
'
test_expect_success 'the jobs.csv of a run: what is wrong in it is one line that names its own' '
	field() { /usr/bin/python3 -c "
import csv, sys
rows = list(csv.reader(open(\"run/jobs.csv\", newline=\"\")))
rows[4][rows[0].index(sys.argv[1])] = sys.argv[2]
csv.writer(open(\"bad.csv\", \"w\", newline=\"\"), lineterminator=\"\n\").writerows(rows)" "$@"; } &&
	for bad in "submission_time -5" "starting_time 1e300" "starting_time -5" "finish_time -1e300" "finish_time 0" \
		"requested_time -60" "requested_run_time_s 1e12" "requested_number_of_resources x" \
		"execution_time x" "cpus -1" "allocated_cpus 1e300" "job_id $(sed -n "2s/,.*//p" run/jobs.csv)"; do
		field $bad && failed "bad.csv:5: " show bad.csv &&
		grep -e "${bad%% *}\|starts\|ends\|submitted" err || return 1
	done
'
# Each run time is longer by the probe, and by the microseconds that a busy machine takes for it.
test_expect_success 'sizes and run times of any kind: SWF, run, SWF' '
	awk "BEGIN { srand(7); print \"; MaxProcs: 64\"; for (i = 1; i <= 120; i++) {
		at += int(rand() * 9) + (rand() < 0.3) / 4; size = rand() < 0.3 ? 1 : 1 + int(rand() * 64)
		run = rand() < 0.2 ? 1 : int(exp(rand() * 6))
		print i * 3, at, -1, run, size, -1, -1, size, run + 60, -1, 1, 3, 4, 5, 1, 1, -1, -1
	} }" >kinds.swf &&
	windtunnel run --workload swf:kinds.swf --nodes 8 --shape "pack:1 core:8 pu:1" --clock virtual --charge none \
		--quiet --timeout 900 --output kinds >out 2>err || { cat err; false; } &&
	same() { awk "FNR == NR { if (!/^;/) { n++; at[n] = \$2; run[n] = \$4; size[n] = \$5 } next }
		!/^;/ { m++; if (\$5 != size[m] || \$4 - run[m] > 0.5 || \$4 < run[m] || (\$2 - at[m] + at[1]) ^ 2 > 0.25) {
			print \"job\", m, \$2, \$4, \$5, \"for\", at[m], run[m], size[m]; bad = 1 } }
		END { exit bad || n != m || n != 120 }" kinds.swf "$1"; } &&
	same kinds/jobs.swf && windtunnel workload convert -o folder.swf kinds 2>err && same folder.swf &&
	windtunnel workload convert -o csv.swf kinds/jobs.csv 2>err && same csv.swf &&
	windtunnel workload convert -o k.json kinds/jobs.csv 2>err && windtunnel workload convert -o k.csv k.json 2>err &&
	windtunnel workload convert -o k.jsonl k.csv 2>err && windtunnel workload convert -o k.swf.gz k.jsonl 2>err &&
	gzip -d k.swf.gz && same k.swf
'
test_done
