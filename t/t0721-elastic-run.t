#!/bin/sh
test_description='runs on elastic clusters: power.csv in the run folder, what Slurm believes, costs and energy'
. "$WT_SRCDIR/t/setup.sh"

if grep -q "^WT_CFLAGS = .*-fsanitize" "$WT_BUILDDIR/Makefile"; then
	skip_all="a sanitizer and a preloaded library that replaces the same functions do not go together"
	test_done
fi
cd "$WT_TMP" || exit 1
# run OPTIONS: jobs that each take three of four nodes, so far apart that the nodes are off before the next
run() { windtunnel run --workload spaced --jobs 3 --interval 900 --run-time 100 --job-cpus 6 --clock virtual --quiet "$@"; }
own() { run --nodes 4 --shape pu:2 --charge none --set SuspendTime=120 --set ResumeTimeout=600 "$@"; }
# key FILTER RUN: of its summary
key() { jq -e "$1" "$2/summary.json"; }
# page RUN: its page tells what its folder tells
page() {
	windtunnel report --output "$1.html" "$1" && python3 "$WT_SRCDIR/t/check-page.py" "$1.html" "$1" >checked ||
		{ cat checked; return 1; }
}
events() { grep -c ",$1," "$2/power.csv"; }

test_expect_success 'wrong use is told before anything starts' '
	test_expect_code 2 own --cost prise=1 2>err && grep "there are price, unit" err &&
	test_expect_code 2 own --cost unit=0 2>err && grep "unit=0: give a number" err &&
	test_expect_code 2 own --cost "n[3-4]:price=1" 2>err && grep "no node n4" err &&
	test_expect_code 2 own --cost idle-watts=100 2>err && grep "both" err &&
	test_expect_code 2 own --cost "n[0-:price=1" 2>err && test_line_count = 1 err
'
test_expect_success 'virtual time: nodes boot at the rate of ResumeRate, and are billed by started units' '
	own --elastic boot=gamma:60,10 --set ResumeRate=2 --output a --cost price=0.5 --cost unit=600 \
		--cost "n[0-1]:price=2" --cost boot=free --cost minimum=60 --cost idle-watts=100 --cost busy-watts=300 \
		--cost n3:boot-watts=150 >out &&
	test "$(head -n 1 a/power.csv)" = time_s,event,node,boot,job_id && test "$(events booting a)" = 6 &&
	test "$(events registered a)" = 6 && key ".boots == 6 and .boots_lost == 0 and .costs_problem == \"\"" a &&
	key ".node_busy_s > 899 and .node_busy_s < 910 and .node_off_s > 1000" a &&
	key "([.node_busy_s, .node_idle_s, .node_booting_s, .node_stopping_s, .node_off_s] | add) as \$all |
		(\$all - 4 * .costs.billed_time_s | fabs) < 1e-3" a &&
	key "(.costs.classes | length) == 3 and .cost < .cost_always_on and .energy_kwh < .energy_always_on_kwh" a &&
	key ".kinds.cost == \"modelled\" and .kinds.node_off_s == \"modelled\"" a &&
	grep "^  cost  *[0-9.]*  *modelled" out && grep "nodes off  *[0-9.]*  *node h  *modelled" out
'
test_expect_success 'bench/power-account: each change is accounted for, and one that does not follow is told' '
	"$WT_SRCDIR/bench/power-account" a >out && grep "nodes stuck: 0 " out && cp -r a lost &&
	sed "0,/,up,/ { /,up,/ d }" a/power.csv >lost/power.csv &&
	test_expect_code 1 "$WT_SRCDIR/bench/power-account" lost >out && grep "registered does not follow booting" out &&
	test_expect_code 1 "$WT_SRCDIR/bench/power-account" a 5 >out && grep "n[0-3]: booting for" out
'
test_expect_success 'bench/daily-load: the jobs of days, in their order' '
	"$WT_SRCDIR/bench/daily-load" 250 2 3 >load.jsonl && windtunnel workload show --json load.jsonl >shown &&
	jq -e ".files[0].jobs > 300 and .files[0].period_s < 2 * 86400" shown &&
	test_expect_code 2 "$WT_SRCDIR/bench/daily-load" 249 1 2>err && grep "at least 250" err
'
test_expect_success 'bench/weekly-restart: where there is not one cluster to be restarted, or no number of days' '
	weekly() { test_expect_code "$@" 2>err; } && mkdir none &&
	weekly 2 "$WT_SRCDIR/bench/weekly-restart" --days 0 && grep "needs a number" err &&
	weekly 2 "$WT_SRCDIR/bench/weekly-restart" --days && grep "needs a number" err &&
	weekly 2 env -u WINDTUNNEL_STATE "$WT_SRCDIR/bench/weekly-restart" && grep "not set" err &&
	weekly 1 env WINDTUNNEL_STATE="$PWD/none" "$WT_SRCDIR/bench/weekly-restart" && grep "not one cluster" err
'
# Slurm counts by its own minutes: all three of a job never boot at once.  From 24.05 on a boot
# takes a token, of which one comes each half minute, and one is kept.
test_expect_success 'ResumeRate=2: no more than two boots at a time' '
	sed -n "s/,booting,.*//p" a/power.csv | sort -n >times && uniq -c times | awk "{ print \$1 }" | sort -u >counts &&
	if test "$(cat counts)" = 1; then
		awk "{ at[NR] = \$1 } NR > 2 && at[NR] - at[NR - 2] < 30 { print; bad = 1 }
			END { exit bad || NR != 6 }" times
	else
		printf "1\n2\n" >wanted && test_cmp wanted counts
	fi
'
test_expect_success 'what Slurm believed stands in series.csv; nodes that are off are not down' '
	python3 -c "import csv
rows = list(csv.DictReader(open(\"a/series.csv\")))
assert max(int(row[\"nodes_powered_down\"]) for row in rows) >= 3
assert max(int(row[\"nodes_powering_up\"]) for row in rows) >= 1
assert max(int(row[\"nodes_down\"]) for row in rows) == 0"
'
test_expect_success 'the page recomputed: nodes over time, hours, costs, and what Slurm believed' '
	page a && grep "What did the nodes do" a.html && grep "rows of costs of nodes" checked &&
	grep "points of power booting" checked && grep "rows of what Slurm" checked &&
	grep -- "--elastic=boot=gamma:60,10" a.html && grep -- "--cost=unit=600" a.html
'
# noticed SED WORDS: a page that was changed so has a fault with these words
noticed() {
	sed "$1" a.html >spoilt.html && ! cmp -s a.html spoilt.html &&
		test_must_fail python3 "$WT_SRCDIR/t/check-page.py" spoilt.html a >spoilt && grep "^fault: .*$2" spoilt
}
test_expect_success 'a number that was changed on the page is noticed' '
	noticed "/data-name=\"run1-power.csv\"/,/<\/pre>/ s/^\(off,.*,\)[1-9]\$/\19/" "power off" &&
	noticed "/data-name=\"run1-power-slurm.csv\"/,/<\/pre>/ s/^\(powered_down,.*,\)[1-9]\$/\19/" \
		"power-slurm" &&
	noticed "/class=\"node-hours\"/,/<\/table>/ s/<data value=\"/&1/3" "node hours" &&
	noticed "/class=\"money\"/,/<\/table>/ s/<data value=\"/&1/4" "costs of nodes" &&
	noticed "/class=\"beliefs\"/,/<\/table>/ s/<data value=\"/&1/2" "what Slurm believed"
'
test_expect_success 'all nodes on all the time: no power.csv, and the same figures for comparing' '
	own --output b --cost price=0.5 --cost "n[0-1]:price=2" --cost unit=600 --cost boot=free --cost minimum=60 \
		--cost idle-watts=100 --cost busy-watts=300 --cost n3:boot-watts=150 >out && test ! -e b/power.csv &&
	key ".node_off_s == 0 and .boots == 0 and .cost == .cost_always_on" b &&
	key "(.energy_kwh - .energy_always_on_kwh | fabs) < 1e-9" b &&
	windtunnel compare a b >compared && grep "^  cost " compared && grep "energy, all nodes always on" compared &&
	page b
'
test_expect_success 'without tariffs and power nothing is said of costs' '
	own --jobs 1 --output c >out && ! grep "node h" out &&
	key ".cost == null and .costs == null and .node_busy_s == null" c &&
	windtunnel report --output c.html c && ! grep "What did the nodes do" c.html &&
	windtunnel compare c c >compared && ! grep "kWh" compared && windtunnel compare --figure cost c c >compared &&
	grep "^  cost " compared
'
test_expect_success 'a cluster that was there before: its nodes are off when the run begins' '
	windtunnel cluster up v --nodes 4 --shape pu:2 --clock virtual --charge none -q --elastic boot=30 \
		--set SuspendTime=120 --set ResumeTimeout=600 &&
	windtunnel cluster exec --drive v -- sh -c \
		"until [ \"\$(sinfo -h -o \"%D %t\")\" = \"4 idle~\" ]; do sleep 30; done" &&
	test_expect_code 2 run --cluster v --output d --cost n4:price=1 2>err && grep "no node n4" err &&
	run --cluster v --output d --cost price=1 >out && windtunnel cluster down v &&
	test "$(sed -n "s/\.[0-9]*,off,.*//p" d/power.csv | head -n 4 | sort -n | tail -n 1)" -le \
		"$(jq ".begin_s | floor" d/summary.json)" &&
	key ".boots == 9 and .node_off_s > 2000" d && page d
'
# The second job finds its nodes off: that of n0 is there for 80 s of its 100, and slurmctld has not found out in time.
test_expect_success 'a spot machine is taken back under its job: the started unit is billed, and the page tells it' '
	test_expect_code 1 own --output t --elastic boot=60 --elastic n0:fail=taken:100%:80 --elastic notice=30 \
		--cost price=1 --cost unit=600 --cost n0:price=0.5 >out 2>err && grep "TIMEOUT" err &&
	key ".costs.classes[1].taken == 1 and .costs.classes[0].taken == 0 and .jobs_completed == 2" t &&
	test "$(events notice t)" = 1 && page t && grep "taken back" t.html
'
test_expect_success 'real time, nodes with State=CLOUD that Slurm does not show while they are off' '
	windtunnel run --workload burst --jobs 2 --nodes 3 --shape pu:2 --run-time 1 --job-cpus 2 --quiet --output e \
		--elastic boot=1 --set NodeName+=State=CLOUD --set ResumeRate=60 --cost price=1 >out &&
	key ".boots == 2 and .clock == \"real\" and .kinds.cost == \"modelled\" and .jobs_completed == 2" e &&
	page e
'
test_expect_success 'a damaged or foreign power.csv costs its part of the page only' '
	cp -r a f && head -c 3000 /dev/urandom >f/power.csv && windtunnel report --output f.html f &&
	grep "Not known: f/power" f.html &&
	cp a/power.csv f/power.csv && printf "rubbish\n" >>f/power.csv && windtunnel report --output f.html f &&
	grep "1 lines of power.csv could not be read" f.html &&
	rm f/power.csv && mkfifo f/power.csv && windtunnel report --output f.html f && grep "Not known" f.html
'
cleanup 'windtunnel cluster down v 2>/dev/null; true'
test_done
