#!/bin/sh
test_description='workflows: DAX and WfCommons files, run with their dependencies; drawn ones; files that are hostile'
. "$WT_SRCDIR/t/setup.sh"

# refused TEXT ARGUMENT...: one line that contains TEXT
refused() {
	text=$1
	shift
	test_expect_code 2 windtunnel run --dry-run --nodes 4 "$@" >out 2>err && test_line_count = 1 err &&
	{ grep -q -e "$text" err || { cat err; false; }; }
}
cat >w.dax <<'END'
<?xml version="1.0" encoding="UTF-8"?>
<adag xmlns="http://pegasus.isi.edu/schema/DAX" version="2.1">
  <job id="ID3" name="mAdd" runtime="40"><uses file="b" link="input" size="5000000"/></job>
  <job id="ID1" name="mProject" runtime="100"><uses file="a" link="output" size="20000000"/></job>
  <job id="ID2" name="mProject" runtime="30"/>
  <child ref="ID3"><parent ref="ID1"/><parent ref="ID2"/></child>
</adag>
END
cat >w.json <<'END'
{"name": "w", "schemaVersion": "1.5", "workflow": {
  "specification": {"tasks": [
    {"name": "add", "id": "ID3", "parents": ["ID1", "ID2"], "children": [], "inputFiles": ["b"]},
    {"name": "project", "id": "ID1", "parents": [], "children": ["ID3"], "outputFiles": ["a"]},
    {"name": "project", "id": "ID2", "parents": [], "children": ["ID3"]}],
    "files": [{"id": "a", "sizeInBytes": 20000000}, {"id": "b", "sizeInBytes": 5000000}]},
  "execution": {"makespanInSeconds": 140, "executedAt": "2026-01-01", "tasks": [
    {"id": "ID1", "runtimeInSeconds": 100}, {"id": "ID2", "runtimeInSeconds": 30, "coreCount": 1},
    {"id": "ID3", "runtimeInSeconds": 40}]}}}
END

test_expect_success 'both formats tell the same jobs; files take time at a bandwidth' '
	for w in dax:w.dax wfcommons:w.json; do
		windtunnel run --workload $w --dry-run --nodes 2 --json >out && jq -e ".trace.jobs == 3 and
			[.jobs[] | .run_time_s] == [100, 30, 40]" out &&
		windtunnel run --workload $w --dry-run --nodes 2 --json --bandwidth 0.5 >out &&
		jq -e ".trace.transfer_s == 50 and
			[.jobs[] | .run_time_s] == [140, 30, 50]" out || return 1
	done
'
test_expect_success 'convert keeps what waits for what, classes and data; show tells them' '
	windtunnel workload convert -o w.jsonl w.dax 2>err && grep "^w.dax: dax, 3 of 3 jobs" err &&
	tail -n 1 w.jsonl | jq -e ".id == \"ID3\" and .dependency == \"afterok:ID1:ID2\" and .class == \"mAdd\" and
		.data_bytes == 5e6" && gzip -k w.json && windtunnel workload show --json w.json.gz w.dax w.jsonl >out &&
	jq -e "[.files[].format] == [\"wfcommons\", \"dax\", \"jobs\"] and [.files[].cpu_s] == [170, 170, 170]" out &&
	windtunnel workload convert --to batsim w.dax 2>err | jq -e "[.jobs[].profile] == [\"delay_100\", \"delay_30\",
		\"delay_40\"]" && grep "how they end, is lost" err &&
	windtunnel run --workload jobs:w.jsonl --dry-run --nodes 2 --json --bandwidth 0.5 >out &&
	jq -e "[.jobs[].run_time_s] == [140, 30, 50]" out
'
test_expect_success 'drawn: as many tasks as published, the same by one seed' '
	windtunnel workload generate bag >a && windtunnel workload generate bag --seed 1 >b && test_cmp a b &&
	test_line_count = 224 a && windtunnel workload generate bag --seed 2 >b && ! cmp -s a b &&
	windtunnel workload generate --output m.jsonl.gz montage && zcat m.jsonl.gz >m && test_line_count = 185 m &&
	windtunnel workload generate bag 5 --case hrt >a && test_line_count = 6 a &&
	test_expect_code 2 windtunnel workload generate 2>err && grep "Give bag or montage" err &&
	test_expect_code 2 windtunnel workload generate montage --case brs 2>err && grep "is for bag" err &&
	test_expect_code 2 windtunnel workload generate bag 0 2>err && grep "bag 0" err &&
	test_expect_code 2 windtunnel workload generate bag --case frs 2>err && grep "brs, brt, hrs or hrt" err
'
test_expect_success 'what cannot be run is told with its line' '
	sed "s/ref=\"ID1\"/ref=\"ID9\"/" w.dax >lost.dax &&
	refused "lost.dax:6: task .ID9. is waited for" --workload dax:lost.dax &&
	sed "s/ref=\"ID1\"/ref=\"ID3\"/" w.dax >self.dax && refused "self.dax:3: task .ID3. waits for itself" \
		--workload dax:self.dax &&
	sed "s/runtime=\"30\"//" w.dax >none.dax && refused "none.dax:5: .* no runtime" --workload dax:none.dax &&
	head -n 4 w.dax >cut.dax && refused "cut.dax:5: no element found" --workload dax:cut.dax &&
	sed "s/\"ID1\", \"ID2\"/\"ID9\"/" w.json >lost.json &&
	refused "lost.json:1: task 1: its parents name .ID9., and there is no such task" --workload wfcommons:lost.json &&
	refused "w.dax:1: .* expected near" --workload wfcommons:w.dax &&
	refused "w.json:1: not well-formed" --workload dax:w.json &&
	refused "cannot be scaled" --workload dax:w.dax --cpus-scale 2 &&
	refused "bandwidth 0" --workload dax:w.dax --bandwidth 0 &&
	test_expect_code 2 windtunnel run --workload dax:w.dax --real --dry-run 2>err &&
	grep "workload dax:FILE is for clusters of ours" err
'
# A file of 100 kB that would take 10^12 bytes; one attribute of a hundred megabytes, in half of one of gzip.
test_expect_success 'files that grow without end are not read to their end' '
	{
		echo "<!DOCTYPE adag [<!ENTITY a0 \"aaaaaaaaaa\">" &&
		for i in 1 2 3 4 5 6 7 8 9 10 11; do
			b="&a$((i - 1));" && echo "<!ENTITY a$i \"$b$b$b$b$b$b$b$b$b$b\">"
		done && echo "]><adag>&a11;</adag>"
	} >bomb.dax && refused "bomb.dax:1: a document type" --workload dax:bomb.dax &&
	{ printf "<adag><job id=\"" && head -c 100000000 /dev/zero | tr "\0" a; } | gzip -1 >long.dax.gz &&
	(ulimit -v 600000 && refused "long.dax.gz:1: an element.* of more than" --workload dax:long.dax.gz)
'
if grep -q "^WT_CFLAGS = .*-fsanitize" "$WT_BUILDDIR/Makefile"; then
	test_done	# a sanitizer and a preloaded library that replaces the same functions do not go together
fi
test_expect_success 'it runs: the last task begins when both others have ended, and files take their time' '
	windtunnel run --workload dax:w.dax --bandwidth 0.5 --nodes 2 --clock virtual --charge none --quiet --output run \
		>out 2>err && jq -e ".jobs_completed == 3 and .trace.transfer_s == 50" run/summary.json &&
	python3 -c "import csv
jobs = {row[\"trace_job_id\"]: row for row in csv.DictReader(open(\"run/jobs.csv\"))}
one, two, three = (jobs[\"ID%d\" % i] for i in (1, 2, 3))
assert one[\"profile\"] == \"mProject\" and three[\"profile\"] == \"mAdd\", jobs
assert float(three[\"starting_time\"]) >= max(float(one[\"finish_time\"]), float(two[\"finish_time\"])), jobs
assert 139 < float(one[\"execution_time\"]) < 142, jobs"
'
test_expect_success 'files come faster to some nodes' '
	refused "near-bandwidth: give --bandwidth" --workload dax:w.dax --near-bandwidth n0:4 &&
	refused "near-bandwidth.*NODES:MB/S" --workload dax:w.dax --bandwidth 0.5 --near-bandwidth n0 &&
	for n in 0 1; do
		windtunnel run --workload dax:w.dax --bandwidth 0.5 --near-bandwidth "n[$n,7]:2" --nodes 2 --shape pu:1 \
			--clock virtual --charge none --quiet --output near$n >out 2>err &&
		jq -e ".jobs_completed == 3" near$n/summary.json && python3 -c "import csv
for row in csv.DictReader(open(\"near$n/jobs.csv\")):
	run, data = {\"ID1\": (100, 20), \"ID2\": (30, 0), \"ID3\": (40, 5)}[row[\"trace_job_id\"]]
	wanted = run + data / (2 if row[\"node_list\"] == \"n$n\" else 0.5)
	assert abs(float(row[\"execution_time\"]) - wanted) < 1.5, (row, wanted)" || return 1
	done && windtunnel report --output near.html near1 && grep -- "--near-bandwidth=n1,n7:2" near.html
'
test_done
