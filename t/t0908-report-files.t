#!/bin/sh
test_description='windtunnel report FILE: schedules that other programs have written, SWF and jobs.csv; hostile ones'
. "$WT_SRCDIR/t/setup.sh"
. "$WT_SRCDIR/t/browse.sh"

bench_run="$WT_BUILDDIR/harness/page/bench_run"
# figure PAGE KEY: the figure as a program reads it again
figure() { grep -o "<data value=\"[^\"]*\" data-key=\"$2\"" "$1" | head -n 1 | sed 's/<data value="\([^"]*\)".*/\1/'; }
near() { perl -e 'exit(abs($ARGV[0] - $ARGV[1]) > $ARGV[2])' -- "$1" "$2" "$3" || { echo "$1 is not $2"; return 1; }; }
# same PAGE KEYS TOLERANCE: its figures are those of made/summary.json
same() {
	for key in $2; do
		near "$(figure "$1" "$key")" "$(jq ".$key" made/summary.json)" "$3" || echo "$key"
	done >wrong
	wt_empty wrong
}
missing() { sed -n "/What is missing/,/<\/ul>/p" "$1"; }
waits="wait_mean_s wait_median_s wait_max_s turnaround_median_s turnaround_max_s"

test_expect_success 'SWF: the waits of the run, its makespan and utilisation, and what the file does not tell' '
	"$bench_run" --jobs 2000 --nodes 100 made && cp made/jobs.swf a.swf &&
	windtunnel report a.swf >out && echo "report: report.html" >expected && test_cmp expected out &&
	same report.html "$waits makespan_s" 0.02 && same report.html utilization 0.001 &&
	missing report.html | grep "a.swf is one file and no run folder" &&
	! grep -q "<strong>This run was interrupted" report.html &&
	grep -q "<span class=\"kind told\">told</span>" report.html && ! grep -q "kind real" report.html &&
	test -z "$(figure report.html controller_cpu_s)$(figure report.html submit_latency_mean_s)"
'
test_expect_success 'what cannot be looked into is one line, and no empty page' '
	ln -s loop loop && for name in loop "$(printf "%05000d" 0)"; do
		test_expect_code 1 windtunnel report "$name" --output no.html 2>err && test_line_count = 1 err &&
		grep ": cannot look into it: " err && test ! -e no.html || return 1
	done &&
	if test "$(id -u)" != 0; then
		mkdir -m 0 shut && test_expect_code 1 windtunnel report shut --output no.html 2>err && chmod 700 shut &&
		test_line_count = 1 err && grep "shut: cannot look into it: Permission denied" err && test ! -e no.html
	fi
'
test_expect_success 'packed by gzip it is the same' '
	gzip -k a.swf && windtunnel report a.swf.gz --output packed.html &&
	test "$(figure packed.html wait_mean_s)" = "$(figure report.html wait_mean_s)" &&
	near "$(figure packed.html makespan_s)" "$(figure report.html makespan_s)" 0
'
test_expect_success 'jobs.csv alone, and with the columns of Batsim only' '
	cp made/jobs.csv ours.csv && windtunnel report ours.csv --output ours.html &&
	same ours.html "$waits makespan_s" 0.000002 &&
	python3 -c "
import csv, sys
keep = \"job_id,workload_name,profile,submission_time,requested_number_of_resources,requested_time,success,final_state,\" \
    \"starting_time,execution_time,finish_time,waiting_time,turnaround_time,stretch,allocated_resources\".split(\",\")
out = csv.DictWriter(sys.stdout, keep, extrasaction=\"ignore\", lineterminator=\"\\n\")
out.writeheader()
for row in csv.DictReader(open(\"made/jobs.csv\")):
    row[\"job_id\"] = \"w0!\" + row[\"job_id\"]
    row[\"submission_time\"] = str(float(row[\"submission_time\"]) + 100)
    row[\"starting_time\"] = str(float(row[\"starting_time\"]) + 100)
    row[\"finish_time\"] = str(float(row[\"finish_time\"]) + 100)
    out.writerow(row)" >batsim.csv &&
	windtunnel report batsim.csv --output batsim.html && same batsim.html "$waits makespan_s" 0.00001 &&
	missing batsim.html | grep "batsim.csv has Batsim.*s columns only: a resource is taken for a CPU" &&
	missing batsim.html | grep "batsim.csv does not tell how large the machine was"
'
test_expect_success 'an SWF file without waits is a workload, and the page says so' '
	awk "/^;/ { print; next } { \$3 = -1; print }" a.swf >work.swf && windtunnel report work.swf --output work.html &&
	missing work.html | grep "work.swf tells no waits (field 3): it is a workload, and no schedule" &&
	test -z "$(figure work.html wait_mean_s)$(figure work.html makespan_s)"
'
test_expect_success 'the other outputs take files, too' '
	windtunnel report a.swf batsim.csv --openmetrics m.txt &&
	grep "^windtunnel_job_wait_seconds_count{run=\"a.swf\"" m.txt >out && cat out &&
	grep -q "^windtunnel_makespan_seconds{.*kind=\"told\"" m.txt &&
	! grep -E "NaN|seed=|kind=\"(real|virtual|modelled)\"|windtunnel_(controller|submit_latency)" m.txt &&
	windtunnel report a.swf --trace a.json 2>err && cat err &&
	test "$(jq "[.traceEvents[] | select(.ph == \"X\" and .pid == 1)] | length" a.json)" = 2000
'
test_expect_success 'several files: one page, not compared, and why' '
	windtunnel report a.swf batsim.csv --output both.html && test "$(grep -c "<article" both.html)" = 2 &&
	grep "Nothing can be compared. a.swf: a file of another program, with figures of the kind told, is not" both.html
'
test_expect_success 'lines that cannot be read are counted, with the first; the others are reported' '
	{ cat a.swf && echo "1 2 3" && printf "%s\0%s\n" "2001 1" " 2" && head -c 70000 /dev/zero | tr "\0" 9 && echo &&
	  echo "3001 -5 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1" && echo "3002 1e300 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1" &&
	  echo "3003 nan 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1"; } >bad.swf && line=$(($(wc -l <a.swf) + 1)) &&
	windtunnel report bad.swf --output bad.html && missing bad.html >said && cat said &&
	grep "6 entries are left out" said && grep "cannot be read" said &&
	grep "bad.swf:$line: 3 fields" said && same bad.html "$waits" 0.02 &&
	sed "500s/,.*/,x,y/" ours.csv >damaged.csv && windtunnel report damaged.csv --output damaged.html &&
	missing damaged.html | grep "read up to a damaged line: damaged.csv:500: " &&
	test "$(figure damaged.html jobs_total)" = 498
'
test_expect_success 'a byte order mark, which Excel and editors of Windows write, loses nothing' '
	bom=$(printf "\357\273\277") && for file in a.swf ours.csv batsim.csv; do
		{ printf %s "$bom" && cat $file; } >bom-$file && windtunnel report bom-$file --output bom.html &&
		same bom.html "wait_mean_s" 0.02 && test "$(figure bom.html jobs_total)" = 2000 &&
		! missing bom.html | grep -E "cannot be read|damaged" || return 1
	done &&
	{ printf %s "$bom" && sed "/^;/d" a.swf; } >bom.swf &&
	windtunnel report bom.swf --output bom.html && test "$(figure bom.html jobs_total)" = 2000 &&
	cp -R made bommed && for file in jobs.csv series.csv; do
		{ printf %s "$bom" && cat made/$file; } >bommed/$file || return 1
	done &&
	windtunnel report bommed && missing bommed/report.html >said && ! grep "there is no column" said &&
	for form in ours.csv a.swf; do
		windtunnel workload convert --to swf bom-$form | sed "/^;/d" >got 2>err &&
		windtunnel workload convert --to swf $form 2>err | sed "/^;/d" >wanted && test -s wanted &&
		test_cmp wanted got || return 1
	done
'
test_expect_success 'jobs that have more CPUs than the machine: the page says so at the top, and claims no sum of 100' '
	awk "BEGIN { print \"; MaxProcs: 64\"
		for (i = 1; i < 50; i++) print i, 0, 0, 10, 64, -1, -1, 64, 100, -1, 1, 1, 1, 1, 1, 1, -1, -1 }" >over.swf &&
	windtunnel report over.swf --output over.html && sed -n "/<header>/,/<dl/p" over.html >top &&
	grep "warn.>The file contradicts itself: the machine is said to have .*64 CPUs.*from .* on jobs had .*3,136 CPUs" \
		top &&
	! grep "jobs\? alone had" top && missing over.html | grep "<li>The file contradicts itself" &&
	! grep "add up to 100\. The" over.html && grep "add up to 100\. The" report.html &&
	! grep "contradicts itself" report.html &&
	{ echo "; MaxProcs: 64" && echo "1 0 0 10 1000000000 -1 -1 64 100 -1 1 1 1 1 1 1 -1 -1"; } >giant.swf &&
	windtunnel report giant.swf --output giant.html && sed -n "/<header>/,/<dl/p" giant.html |
		grep "1,000,000,000 CPUs.* at once; .*1 job alone had more"
'
refused() {	# FILE WORDS: one line on standard error that has them, and no page
	rm -f no.html
	test_expect_code 1 timeout 120 windtunnel report "$1" --output no.html 2>err && test_line_count = 1 err && cat err &&
		grep -q -- "$2" err && test ! -e no.html
}
wt_seed
# noise BYTES: drawn from the seed
noise() { perl -e 'srand shift; print map chr int rand 256, 1 .. shift' "$T_SEED" "$1"; }
test_expect_success 'what is no schedule is refused with a reason' '
	mkfifo pipe.swf && refused pipe.swf "is not a regular file" &&
	refused /dev/null "and a file is reported when its name ends in" &&
	mkdir dir.swf && refused dir.swf "is no run folder" &&
	echo "1 2 3" >fields.swf && refused fields.swf "the first that cannot be read: fields.swf:1: 3 fields" &&
	: >empty.swf && refused empty.swf "no job" && : >empty.csv && refused empty.csv "empty.csv" &&
	head -n 1 ours.csv >head.csv && refused head.csv "no job in it" &&
	cp a.swf a.txt && refused a.txt "a file is reported when its name ends in" &&
	head -c 20000 a.swf.gz >cut.swf.gz && refused cut.swf.gz "ends in the middle" &&
	echo "job,when" >other.csv && echo "1,2" >>other.csv && refused other.csv "job_id" &&
	noise 100000 >noise.swf && refused noise.swf "noise.swf" &&
	cp noise.swf noise.csv && refused noise.csv "noise.csv" &&
	refused nowhere.swf "nowhere.swf"
'
test_expect_success 'huge and negative numbers in the columns of Batsim: an error with its line, or not known' '
	{ head -n 1 batsim.csv && sed -n 2p batsim.csv | awk -F, -v OFS=, "{ \$4 = \"90000000000\"; print }"; } >huge.csv &&
	refused huge.csv "huge.csv:2: " &&
	{ head -n 3 batsim.csv && sed -n 4p batsim.csv | awk -F, -v OFS=, "{ \$9 = -1; \$11 = \"nan\"; print }"; } \
		>never.csv &&
	windtunnel report never.csv --output never.html && test "$(figure never.html jobs_total)" = 3
'
test_expect_success BROWSER 'both open in a browser: the schedule is drawn, nothing is asked for, nothing thrown' '
	cp report.html "$WT_TMP/swf.html" && cp batsim.html "$WT_TMP/batsim.html" &&
	browse drawn "$WT_TMP/batsim.html" && browse opens "$WT_TMP/swf.html"
'
kept() {	# ARGUMENT...: refused in one line, and nothing is written
	find . -type f ! -name err ! -name out -exec md5sum {} + | sort >"$WT_TMP/before" &&
	test_expect_code 1 windtunnel report "$@" 2>err >out && test_line_count = 1 err && wt_empty out && cat err &&
	find . -type f ! -name err ! -name out -exec md5sum {} + | sort >"$WT_TMP/after" &&
	test_cmp "$WT_TMP/before" "$WT_TMP/after"
}
test_expect_success 'no output is written over what is read, nor over another output' '
	ln -sf made/jobs.csv to-jobs && ln -sf same.txt to-same && : >same.txt &&
	kept made --output made/jobs.csv && grep "made/jobs.csv: is what made is read from; give another name" err &&
	kept made --trace made/summary.json && kept made --openmetrics to-jobs && kept a.swf made --output ./a.swf &&
	kept made --output same.txt --trace same.txt && grep "same.txt: two outputs cannot be the same file" err &&
	kept made --output new.html --openmetrics new.html && kept made --output same.txt --openmetrics to-same &&
	windtunnel report made --output /dev/null --openmetrics /dev/null
'
test_expect_success 'a disk that is full, and a folder in the way: one line, and nothing half is left' '
	for option in --output --trace --openmetrics; do
		test_expect_code 1 windtunnel report made $option /dev/full 2>err && test_line_count = 1 err &&
		grep "/dev/full: cannot write: No space left" err &&
		rm -rf way && mkdir way && test_expect_code 1 windtunnel report made $option way 2>err &&
		test_line_count = 1 err && grep "way: " err && rmdir way && ! ls | grep "\.new\$" || return 1
	done &&
	if test "$(id -u)" = 0 && mkdir -p full && mount -t tmpfs -o size=40k tmpfs full 2>err; then
		cleanup "umount \"$PWD/full\"" && echo before >full/page.html &&
		for option in "--output full/page.html" "--trace full/t.json.gz" "--openmetrics full/page.html" \
			"--plots full"; do
			head -c 40000 /dev/zero >full/filler || :
			test_expect_code 1 windtunnel report made $option 2>err && test_line_count = 1 err && cat err &&
			grep "^windtunnel report: full/" err && grep "before" full/page.html &&
			! ls full | grep "\.new\$" || return 1
		done && umount full
	fi
'
# A killed one holds no lock; another that still writes does, and what only looks like such a file is somebody's own.
test_expect_success 'what a killed report left beside its page goes with the next one' '
	mkdir left && cp -R made left/run && echo half >left/page.html.4242.new && echo half >left/run/report.html.17.new &&
	echo mine >left/page.html.mine.new && echo mine >left/other.html.4242.new && echo busy >left/page.html.7.new &&
	flock -n left/page.html.7.new windtunnel report left/run --output left/page.html && ls left >got &&
	printf "%s\n" other.html.4242.new page.html page.html.7.new page.html.mine.new run >expected &&
	test_cmp expected got && windtunnel report left/run && test ! -e left/run/report.html.17.new &&
	windtunnel report left/run --output left/page.html && test ! -e left/page.html.7.new
'
test_expect_success 'a page is not written through a link or into a pipe that a folder brings along' '
	echo precious >mine && cp -R made theirs && ln -s "$PWD/mine" theirs/report.html &&
	test_expect_code 1 windtunnel report theirs 2>err && test_line_count = 1 err &&
	grep "theirs/report.html: is no regular file; give another name (--output)" err && grep precious mine &&
	rm theirs/report.html && mkfifo theirs/report.html &&
	test_expect_code 1 timeout 120 windtunnel report theirs 2>err && grep "is no regular file" err &&
	windtunnel report theirs --output asked.html
'
test_done
