#!/bin/sh
test_description='windtunnel report --trace: the schedule for Perfetto, by the rules of the format and as in jobs.csv'
. "$WT_SRCDIR/t/setup.sh"

if ! command -v python3 >/dev/null; then
	skip_all='no python3 (Debian package python3), which reads the traces'
	test_done
fi
bench_run="$WT_BUILDDIR/harness/page/bench_run"
check() { python3 "$WT_SRCDIR/t/check-trace.py" "$@"; }
clock="virtual --charge none"
# Sanitizers do not go together with a preloaded library.
if grep -q "^WT_CFLAGS = .*-fsanitize" "$WT_BUILDDIR/Makefile"; then
	clock="real --time-scale 0.02"
fi

test_expect_success 'the trace of a run, plain and packed, shows its jobs, its nodes, its queue and its controller' '
	windtunnel esp --variant light --nodes 32 --clock $clock --quiet --output run >out 2>err &&
	windtunnel report run --trace run.json >out 2>err && echo "trace: run.json" >expected && test_cmp expected out &&
	wt_empty err && test ! -e run/report.html &&
	check run.json run >found && cat found && grep " 230 flows" found && grep " on 32 nodes" found &&
	# The times of a trace are whole microseconds.
	awk -v wanted="$(jq .utilization run/summary.json)" "/^utilisation / { d = \$2 - wanted; found = d * d < 1e-12 }
		END { exit !found }" found &&
	for counter in jobs CPUs nodes CPU RPCs memory "RPC, mean" "last main cycle" "last backfill cycle"; do
		grep -q "\"ph\":\"C\".*\"name\":\"$counter\"" run.json || echo "$counter is lacking"
	done >lacking && wt_empty lacking &&
	windtunnel report run --trace run.json.gz --output page.html >out &&
	printf "report: page.html\ntrace: run.json.gz\n" >expected && test_cmp expected out &&
	gzip -dc run.json.gz >again && test_cmp run.json again
'
test_expect_success 'of a folder without summary.json: all that its jobs tell, and nothing that it does not know' '
	cp -R run unfinished && rm unfinished/summary.json && windtunnel report unfinished --trace unfinished.json 2>err &&
	grep "trace: summary.json is missing" err && check unfinished.json unfinished >found && cat found &&
	grep " 230 flows" found && grep " on 32 nodes" found &&
	jq -e ".otherData | has(\"nodes\") or has(\"cpus\") or has(\"begin_s\") | not" unfinished.json &&
	jq -e ".otherData | .nodes == 32 and .cpus == 512 and .begin_s > 1e9" run.json &&
	rm unfinished/slurm.conf && windtunnel report unfinished --trace nameless.json 2>err &&
	check nameless.json unfinished >found && cat found && grep " on 32 nodes" found
'
# A trace that is wrong in one thing is found wrong by the checker.
planted() {	# NAME PERL: what perl makes of run.json
	perl -pe "$2" run.json >planted.json && ! cmp -s run.json planted.json &&
		test_expect_code 1 check planted.json run >found 2>&1 &&
		grep -e "^fault: " -e "is no JSON" found | head -n 1 || { echo "$1: nothing was found"; return 1; }
}
test_expect_success 'the checker finds a trace wrong that is' '
	planted "a slice that overlaps" "s/\"dur\":(\d{7,})/q(\"dur\":) . (\$1 * 3)/e if \$. == 3" &&
	planted "a negative duration" "s/\"dur\":/\"dur\":-/ if \$. == 3" &&
	planted "a time that is none" "s/\"ts\":\d+/\"ts\":NaN/ if \$. == 3" &&
	planted "a job that is missing" "\$_ = q() if /\"ph\":\"X\",\"pid\":1,/ && !\$n++" &&
	planted "a job in another place" "s/\"ts\":(\d+)/q(\"ts\":) . (\$1 + 1)/e if /\"ph\":\"X\",\"pid\":1,/ && !\$n++" &&
	planted "a slice of a node that is missing" "\$_ = q() if /\"ph\":\"X\",\"pid\":10,/ && !\$n++" &&
	planted "a flow without an end" "\$_ = q() if /\"ph\":\"f\"/ && !\$n++" &&
	planted "a flow from nowhere" "s/\"tid\":\d+/\"tid\":7/ if /\"ph\":\"s\"/" &&
	planted "a counter that is a text" "s/\"waiting\":(\d+)/\"waiting\":\"\$1\"/ if /\"ph\":\"C\"/ && !\$n++" &&
	planted "a counter that is wrong" "s/\"allocated\":(\d+)/q(\"allocated\":7\$1)/ if /\"CPUs\"/ && \$n++ == 9" &&
	planted "a change that is missing" "\$_ = q() if /\"CPUs\"/ && \$n++ == 9" &&
	planted "a thread without a name" "\$_ = q() if /\"thread_name\"/ && !\$n++"
'
test_expect_success 'jobs that share nodes, and the tree of switches: each node has as many tracks as jobs at a time' '
	for kind in shared scattered; do
		"$bench_run" --jobs 2000 --nodes 60 --$kind $kind && windtunnel report $kind --trace $kind.json &&
		check $kind.json $kind >found && cat found && grep -q " on 60 nodes" found || return 1
	done &&
	test "$(grep -c "\"process_name\",\"args\":{\"name\":\"leaf" shared.json)" = 4 &&
	grep -q "\"thread_name\",\"args\":{\"name\":\"n3 (2)\"" shared.json &&
	windtunnel report shared --trace few.json --nodes "n[3-10]" && check few.json shared 3-10 >found &&
	grep " on 8 nodes" found
'
test_expect_success 'nodes that the run does not have, a list that is none, several runs, --nodes alone: refused' '
	test_expect_code 1 windtunnel report shared --trace no.json --nodes "n[50-70]" 2>err &&
	grep "11 of these are no nodes of the run; it has n0 to n59" err &&
	test_expect_code 1 windtunnel report shared --trace no.json --nodes "n[5" 2>err && test_line_count = 1 err &&
	test_expect_code 1 windtunnel report shared run --trace no.json 2>err &&
	grep "a trace is of one run, and these are 2" err &&
	test_expect_code 2 windtunnel report shared --nodes n1 2>err && test ! -e no.json &&
	test_expect_code 1 windtunnel report shared --trace nowhere/no.json 2>err && test_line_count = 1 err
'
test_expect_success 'a node of a name has the slices that it has among all' '
	"$bench_run" --jobs 300 --nodes 20 named &&
	sed -i "s/\bn\(\[\|[0-9]\)/node-a\1/g" named/jobs.csv named/slurm.conf named/topology.conf &&
	windtunnel report named --trace all.json && windtunnel report named --trace one.json --nodes node-a7 &&
	tid_of() { grep "\"thread_name\",\"args\":{\"name\":\"node-a7\"" "$1" | grep -o "\"tid\":[0-9]*"; } &&
	tid=$(tid_of all.json) &&
	grep -F "\"ph\":\"X\"" all.json | grep -F "$tid," | grep -o "\"ts\".*" >among && test_line_count -gt 10 among &&
	tid=$(tid_of one.json) &&
	grep -F "\"ph\":\"X\"" one.json | grep -F "$tid," | grep -o "\"ts\".*" >alone && test_cmp among alone
'
test_expect_success 'of very many jobs submissions and flows are left out, and the trace and standard error say so' '
	"$bench_run" --jobs 250001 --nodes 1000 many && windtunnel report many --trace many.json.gz 2>err &&
	grep "slices of nodes are left out" err && grep "submissions, flows and node lists are left out" err &&
	check many.json.gz many >found && cat found && grep " 250001 slices on " found | grep " 0 flows" &&
	gzip -dc many.json.gz | head -n 1 | grep -o "{\"generator.*}" | jq -r ".left_out[]" >said &&
	sed "s/windtunnel report: trace: //" err >wanted && test_cmp wanted said && rm -rf many many.json.gz
'
cat >odd.py <<'EOF_PYTHON'
import csv
import sys
rows = list(csv.DictReader(open(sys.argv[1], encoding='latin-1', newline='')))
rows[0]['name'] = 'a"b\\\t\x07\xff<b>'
rows[1]['name'] = 'y' * 65536
rows[2]['finish_time'] = ''
rows[3]['starting_time'], rows[3]['finish_time'] = rows[3]['finish_time'], rows[3]['starting_time']
rows[4]['starting_time'] = rows[4]['finish_time'] = ''
with open(sys.argv[1], 'w', encoding='latin-1', newline='') as file:
    out = csv.DictWriter(file, rows[0].keys(), lineterminator='\n')
    out.writeheader()
    out.writerows(rows)
EOF_PYTHON
test_expect_success 'names that are no text and 64 KiB, jobs without end, times that are impossible: a trace all the same' '
	cp -R shared odd && python3 odd.py odd/jobs.csv &&
	windtunnel report odd --trace odd.json 2>err && cat err &&
	grep ": 1 jobs that never started have no slice" err && grep ": 1 jobs have no end" err &&
	grep ": 1 jobs are left out: they end before they start" err &&
	check odd.json >found && cat found && ! LC_ALL=C grep -P "[\x00-\x09\x0b-\x1f\x7f-\xff]" odd.json &&
	grep -cF "\"name\":\"a\\\"b\\\\???<b>\"" odd.json >count && test "$(cat count)" -ge 2 &&
	! grep -q "y\{300\}" odd.json && grep -q "yyy\.\.\.\"" odd.json
'
test_done
