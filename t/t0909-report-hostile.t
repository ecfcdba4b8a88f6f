#!/bin/sh
test_description='windtunnel report of folders that strangers made: pipes, links, rubbish, huge numbers, code as text'
. "$WT_SRCDIR/t/setup.sh"

"$WT_BUILDDIR/harness/page/bench_run" --jobs 200 --nodes 24 made >/dev/null
echo "SwitchName=top Switches=s[0-1]" >made/topology.conf
echo "SwitchName=s0 Nodes=n[0-11]" >>made/topology.conf
echo "SwitchName=s1 Nodes=n[12-23]" >>made/topology.conf
mkdir -p made/logs && : >made/logs/slurmctld.log
files="summary.json scenario.json jobs.csv series.csv slurm.conf topology.conf events.csv heartbeats.jsonl"

# told FOLDER: all outputs are whole, or the command says in one line why not.  Nothing waits, nothing crashes.
told() {
	rm -f page.html trace.json metrics.txt
	told_as "$1" --output page.html --trace trace.json --openmetrics metrics.txt || return 1
	test $status = 0 || { told_as "$1" --output page.html && told_as "$1" --trace trace.json &&
		told_as "$1" --openmetrics metrics.txt; } || return 1
	whole "$1"
}
told_as() {
	timeout 120 windtunnel report "$@" >out 2>err
	status=$?
	case $status in
	0) : ;;
	1) test "$(wc -l <err)" = 1 || { echo "$*: $(wc -l <err) lines"; return 1; } ;;
	*) echo "$*: status $status"; head -n 5 err; return 1 ;;
	esac
	! LC_ALL=C grep -q "$(printf "[\001-\010\013-\037\177]")" err || { echo "$*: control characters"; return 1; }
}
whole() {
	if test -e page.html; then
		tail -n 1 page.html | grep -q "^</html>$" || { echo "$1: the page has no end"; return 1; }
		! grep -nE "<img|<svg onload|<script>alert" page.html || return 1
		iconv -f UTF-8 -t UTF-8 page.html >/dev/null || return 1
	fi
	test ! -e trace.json || jq -e .traceEvents trace.json >/dev/null || { echo "$1: the trace is not JSON"; return 1; }
	test ! -e metrics.txt || test "$(tail -n 1 metrics.txt)" = "# EOF" ||
		{ echo "$1: metrics without an end"; return 1; }
}
# Drawing takes a second: only where texts could be commands of gnuplot.
drawn() {
	! command -v gnuplot >/dev/null ||
		{ rm -rf drawn && timeout 120 windtunnel report "$1" --plots drawn >out && test -s drawn/queue.svg; }
}
fresh() { rm -rf evil && cp -R made evil && rm -f "evil/$1"; }

test_expect_success 'as it was made' '
	told made && test -s page.html && test -s trace.json && test -s metrics.txt
'
wt_seed
# noise BYTES: drawn from the seed
noise() { perl -e 'srand shift; print map chr int rand 256, 1 .. shift' "$T_SEED" "$1"; }
for file in $files; do
	test_expect_success "$file: a pipe, a folder, links to a device and to nowhere, no right to read it" '
		fresh $file && mkfifo evil/$file && told evil &&
		fresh $file && mkdir evil/$file && told evil &&
		fresh $file && ln -s /dev/zero evil/$file && told evil &&
		fresh $file && ln -s /nowhere evil/$file && told evil &&
		fresh $file && ln -s $file evil/$file && told evil
	'
	test_expect_success "$file: empty, rubbish, cut off, one line without an end, bytes of zero" '
		fresh $file && : >evil/$file && told evil &&
		fresh $file && noise 20000 >evil/$file && told evil &&
		{ test ! -e made/$file || { fresh $file && head -c 700 made/$file >evil/$file && told evil; }; } &&
		fresh $file && head -c 300000 /dev/zero | tr "\0" x >evil/$file && told evil &&
		fresh $file && head -c 100000 /dev/zero >evil/$file && told evil
	'
done
test_expect_success 'tables with their header only, or with lines that end as on old Macs: told, not lost silently' '
	for file in jobs.csv series.csv; do
		fresh nothing && head -n 1 made/$file >evil/$file && told evil && test $status = 0 &&
		grep "<li>$file has its header only" page.html &&
		tr "\n" "\r" <made/$file >evil/$file && told evil && test $status = 0 &&
		grep "<li>read up to a damaged line: $file:1: lines end in a carriage return alone" page.html &&
		! grep "header only" page.html || return 1
	done && told made && ! grep "header only" page.html
'
# cells FILE COLUMN VALUE...: each tenth row of evil/FILE has one of them there, in turn
cells() {
	python3 - "$@" <<-\END
	import csv, sys
	path, column, values = "evil/" + sys.argv[1], sys.argv[2], sys.argv[3:]
	csv.field_size_limit(1 << 30)
	with open(path, newline="") as file:
	    rows = list(csv.DictReader(file))
	for i, row in enumerate(rows[::10]):
	    value = values[i % len(values)]
	    row[column] = value.encode().decode("unicode_escape") if "\\" in value else value
	with open(path, "w", newline="") as file:
	    out = csv.DictWriter(file, rows[0].keys(), lineterminator="\n")
	    out.writeheader()
	    out.writerows(rows)
	END
}
if command -v python3 >/dev/null; then
	test_set_prereq PYTHON
fi
test_expect_success PYTHON 'numbers of jobs: negative, huge, tiny, none; ends before starts' '
	for column in submission_time starting_time finish_time release_time_s submit_latency_s requested_time \
		probe_latency_s; do
		fresh nothing && cells jobs.csv $column -1e9 1e300 -1e300 1e-300 4e18 "" && told evil ||
			{ echo "$column"; return 1; }
	done
'
test_expect_success PYTHON 'latencies, run times and limits over a hundred years are not known, and counted' '
	for column in submit_latency_s probe_latency_s requested_run_time_s requested_time; do
		fresh nothing && cells jobs.csv $column 1e308 1e308 1 && told evil && test $status = 0 && cat err &&
		grep "<li>14 latencies, run times and limits of jobs are over a hundred years, and taken as not known" \
			page.html && test -s metrics.txt && ! grep -E "between [^<]* and inf|>inf<|[0-9]{60}" page.html &&
		! grep -E "[^a-z]inf[^o]|\+[0-9]{3}" metrics.txt || { echo "$column"; return 1; }
	done
'
test_expect_success PYTHON 'counts and sets of nodes: huge ones' '
	for column in cpus allocated_cpus allocated_nodes requested_nodes released_nodes exit_code job_id; do
		fresh nothing && cells jobs.csv $column 4294967295 && told evil || { echo $column; return 1; }
	done &&
	fresh nothing && cells jobs.csv allocated_resources 0-4294967295 4294967295 0-99999999 5-3 , "0-3 2-9" - &&
	told evil &&
	fresh nothing && cells jobs.csv node_list "n[0-4294967295]" "n[0-99999999]" "n[" "n[0-3" "n[3-1]" \
		"[0-9][0-9][0-9][0-9][0-9][0-9][0-9][0-9]" && told evil
'
test_expect_success PYTHON 'samples: time that goes back, huge counts, infinite values' '
	for column in time_s controller_cpu_s rpc_count rpc_time_us jobs_pending nodes_idle; do
		for values in "18446744073709551615 4294967295" "-1e300 1e300" nan inf; do
			fresh nothing && cells series.csv $column $values && told evil ||
				{ echo "$column: $values"; return 1; }
		done
	done
'
test_expect_success 'summary.json: other JSON, and numbers that no cluster has' '
	for text in "[]" null 7 "{}" "{\"nodes\": 1e308}" "{\"nodes\": -1, \"cpus\": -1, \"workload\": 7}"; do
		fresh summary.json && echo "$text" >evil/summary.json && told evil || { echo "$text"; return 1; }
	done &&
	for change in ".nodes = 4294967295 | .cpus = 4294967295" ".nodes = 1 | .cpus = 1" ".cpus = 0" ".begin_s = 1e300" \
		".begin_s = -1e300" ".makespan_s = 1e308 | .utilization = -1e308" ".jobs_by_state = [1]" ".kinds = 7" \
		".rpc_costs = {}" ".problems = \"x\"" ".workload = {}" ".jobs_total = 1e300" ".time_scale = 0"; do
		fresh nothing && jq "$change" made/summary.json >evil/summary.json && told evil ||
			{ echo "$change"; return 1; }
	done &&
	fresh nothing && { head -c 100000 /dev/zero | tr "\0" "["; } >evil/scenario.json && told evil
'
test_expect_success 'a tree of switches with a circle, with itself, with too many nodes' '
	for text in "SwitchName=a Switches=a" "SwitchName=a Nodes=n[0-4294967295]" "SwitchName=a Nodes=" \
		"SwitchName=a Switches=b\nSwitchName=b Switches=a" "SwitchName=s[0-99999999] Nodes=n0"; do
		fresh topology.conf && printf "$text\n" >evil/topology.conf && told evil || { echo "$text"; return 1; }
	done
'
test_expect_success PYTHON 'texts: markup, control characters, other directions, 64 KiB, quotes of gnuplot' '
	long=$(head -c 65536 /dev/zero | tr "\0" y) &&
	for column in name profile partition account user qos pending_reason pending_times trace_job_id; do
		fresh nothing && cells jobs.csv $column "<script>alert(1)</script><img src=x onerror=alert(2)>" \
			"\\u202e\\u0007\\u001b[31m" "\"\`touch harm\`\\n" "$long" "\\u2066\\ud7ff" && told evil &&
			test -s page.html && test -s trace.json && test -s metrics.txt || { echo "$column"; return 1; }
	done &&
	drawn evil && ! find . -name harm | grep .
'
# plain_words FILE: no character in it turns the direction of others, or controls
plain_words() {
	perl -CSD -ne "print if /[\x00-\x08\x0b-\x1f\x7f-\x9f\x{202a}-\x{202e}\x{2066}-\x{2069}]/" "$1" >seen
	test ! -s seen
}
no_controls() { ! LC_ALL=C grep -q "$(printf "[\001-\010\013-\037]")" "$1"; }
test_expect_success 'paths and comments: markup, control characters, other directions, 64 KiB' '
	long=$(head -c 65536 /dev/zero | tr "\0" y) &&
	evil=$(printf "<img src=x onerror=alert(1)>\342\200\256\007\033[31m") &&
	for path in "/home/$evil" "/$long.swf" "$evil$long"; do
		fresh nothing &&
		jq -n --arg p "$path" "{versions: {slurm: \$p}, machine: {cpu_model: \$p, cpus: 2},
			cluster: {partition: \$p}, options: {workload: {name: \"trace\", trace: \$p}, comment: \$p,
			output: \$p, set: [\$p], conf: \$p}}" >evil/scenario.json &&
		jq --arg p "$path" ".failure = \$p | .comment = \$p | .folder = \$p" made/summary.json >evil/summary.json &&
		told evil && test $status = 0 && plain_words page.html && no_controls trace.json &&
		no_controls metrics.txt || return 1
	done &&
	cp -R made "$evil" && told "$evil" && test $status = 0 && plain_words page.html &&
	no_controls trace.json && no_controls metrics.txt &&
	windtunnel report made "$evil" --output page.html && whole "$evil" && plain_words page.html
'
test_expect_success PYTHON 'columns that are missing, one after the other, and twice' '
	for column in $(head -n 1 made/jobs.csv | tr , " "); do
		fresh nothing && python3 -c "
import csv, sys
rows = list(csv.DictReader(open(\"made/jobs.csv\", newline=\"\")))
out = csv.DictWriter(sys.stdout, [c for c in rows[0] if c != \"$column\"], extrasaction=\"ignore\", lineterminator=\"\\n\")
out.writeheader()
out.writerows(rows)" >evil/jobs.csv && told evil || { echo "$column"; return 1; }
	done &&
	fresh nothing && sed "1s/\$/,job_id/; 2,\$s/\$/,1/" made/jobs.csv >evil/jobs.csv && told evil
'
test_expect_success 'a run that goes on: whatever is there already is reported, and that it goes on' '
	mkdir going && cp made/slurm.conf going &&
	echo "{\"versions\": {\"slurm\": \"22.05.8\"}}" >going/scenario.json &&
	told going &&
	grep "<strong>This run left no summary</strong>: it goes on still, or was ended\. No job is" page.html &&
	for bytes in 1 300 5000; do
		head -c $bytes made/jobs.csv >going/jobs.csv && head -c $bytes made/series.csv >going/series.csv &&
		told going || return 1
	done &&
	test -s page.html && grep "read up to a damaged line: jobs.csv:" page.html &&
	{ (for i in 1 2 3 4 5 6 7 8 9; do cp made/jobs.csv going/new && mv going/new going/jobs.csv; done) & } &&
	for i in 1 2 3 4 5; do told going || return 1; done && wait
'
test_expect_success 'folders of other versions: columns, keys and figures that nobody here knows' '
	cp -R made other && sed -i "1s/\$/,new_column/; 2,\$s/\$/,\"x, y\"/" other/jobs.csv &&
	sed -i "1s/\$/,new_sample/; 2,\$s/\$/,7/" other/series.csv &&
	jq ".new_figure_s = 7 | .kinds.new_figure_s = \"guessed\" | .kinds.makespan_s = \"dreamt\" |
		.new = {a: [1, {b: null}]}" \
		made/summary.json >other/summary.json &&
	jq ".versions.windtunnel = \"99.0\" | .options.new = {x: []}" made/scenario.json >other/scenario.json 2>err ||
		echo "{\"versions\": {\"windtunnel\": \"99.0\"}, \"options\": {\"new\": {}}}" >other/scenario.json &&
	told other && test $status = 0 && grep -q "new_figure_s" page.html && grep -q "windtunnel 99\.0" page.html
'
test_expect_success 'a folder with an odd name, and one that is another user'\''s' '
	odd=$(printf "<b>\`touch harm\`\033[31m\nx") && cp -R made "$odd" && told "$odd" && drawn "$odd" &&
	! find . -name harm | grep . &&
	if test "$(id -u)" = 0; then
		cp -R made theirs && chown -R 65534:65534 theirs && told theirs && test -s page.html
	fi
'
# refused WORD ARGUMENT...: in one line with this word, before anything is written
refused() {
	word=$1
	shift
	timeout 120 windtunnel report "$@" >out 2>err
	test $? = 1 && wt_empty out && test_line_count = 1 err && grep -q "$word" err ||
		{ echo "$*"; cat out err; return 1; }
}
test_expect_success 'two outputs in one file, also one that is not there yet, by another name or through a link' '
	mkdir -p two/sub && ln -s sub two/link && two="two outputs cannot be the same file" &&
	refused "$two" made --output x --trace ./x && refused "$two" made --output x --trace two/../x &&
	refused "$two" made --trace two/sub/x --openmetrics two/link/x && test ! -e x && test ! -e two/sub/x &&
	refused "$two" made --output "$PWD/x" --openmetrics x &&
	refused "$two" made --output two/sub/queue.svg --plots two/link &&
	refused "$two" made --trace two/cdf-wait-17.csv --plots ./two && test ! -e two/queue.gp &&
	windtunnel report made --trace /dev/null --openmetrics /dev/null
'
test_expect_success 'outputs over what is read: files of runs, of repeats, and plots over a single file' '
	mkdir reps && cp -R made reps/1 && cp -R made reps/2 && cp made/summary.json reps/ && read="is read from" &&
	cp -R made lone && cp made/jobs.csv two/queue-1.csv && cp lone/jobs.csv two/elsewhere &&
	ln -sf ../two/elsewhere lone/jobs.csv && ln -s ../reps lone/up &&
	for file in reps/summary.json reps/1/jobs.csv reps/2/../1/series.csv lone/up/1/scenario.json; do
		for option in --output --openmetrics; do
			refused "$read" reps $option $file || return 1
		done
	done &&
	refused "$read" lone --trace two/elsewhere && refused "$read" lone --output lone/slurm.conf &&
	rm lone/summary.json && refused "$read" lone --trace lone/../lone/summary.json && test ! -e lone/summary.json &&
	refused "$read" two/queue-1.csv --plots two && refused "$read" two/queue-1.csv --plots lone/../two &&
	ln -sf ../two/queue-1.csv lone/jobs.csv && refused "$read" lone --plots two && cmp made/jobs.csv two/queue-1.csv &&
	cmp made/summary.json reps/summary.json
'
test_expect_success 'an output that is standard output itself is not spoiled by its own name' '
	windtunnel report made --trace /dev/stdout 2>err | jq -e .traceEvents >/dev/null && grep "^trace: /dev/stdout" err &&
	windtunnel report made --output page.html --openmetrics /dev/stdout 2>err | cat >metrics.txt &&
	test "$(tail -n 1 metrics.txt)" = "# EOF" && test_line_count = 2 err && ! grep "^report:" metrics.txt &&
	windtunnel report made --output /dev/stdout 2>err | cat >page.html && whole made &&
	windtunnel report made --output page.html >out 2>err && wt_empty err && grep "^report: page.html" out
'
test_done
