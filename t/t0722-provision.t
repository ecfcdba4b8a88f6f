#!/bin/sh
test_description='--provision: strategies that rent nodes beside an unmodified slurmctld, in virtual time'
. "$WT_SRCDIR/t/setup.sh"

if grep -q "^WT_CFLAGS = .*-fsanitize" "$WT_BUILDDIR/Makefile"; then
	skip_all="a sanitizer and a preloaded library that replaces the same functions do not go together"
	test_done
fi
cd "$WT_TMP" || exit 1
# rent OPTIONS: on twelve nodes of a unit of ten minutes
rent() {
	windtunnel run --nodes 12 --clock virtual --charge none --probe none --quiet --elastic boot=10 --cost unit=600 \
		--cost price=12 "$@"
}
# bag STRATEGY RUN OPTIONS: ten tasks of 150 s at once
bag() {
	strategy=$1 output=$2
	shift 2
	rent --workload burst --jobs 10 --run-time 150 --provision "$strategy" --output "$output" "$@" >out 2>err ||
		{ cat out err; false; }
}
# key FILTER RUN: of its summary
key() {
	jq -e "$1" "$2/summary.json" >/dev/null ||
		{ jq -c "[.provision, .makespan_s, .billed_units, .cost, .failure]" "$2/summary.json"; false; }
}
started() { grep -q ",start," "$WINDTUNNEL_STATE"/esp-*/nodes/events.csv; }
# refused TEXT OPTION...: one line that contains TEXT, and nothing was started
refused() {
	text=$1
	shift
	test_expect_code 2 windtunnel run --workload burst "$@" --output never >out 2>err && test_line_count = 1 err &&
		{ grep -q -e "$text" err || { cat err; false; }; } && test ! -e never
}

test_expect_success 'what does not fit is told before anything starts' '
	refused "give slurm, 1vm4all" --provision magic &&
	refused "give --elastic" --provision asap --cost unit=3600 &&
	refused "give --elastic" --provision slurm &&
	refused "give --cost unit=S" --elastic on --provision afap &&
	refused "has several" --elastic on --provision afap --cost unit=3600 --cost n0:unit=60 &&
	refused "at most half" --elastic on --provision afap --cost unit=3600 --provision-margin 1801 &&
	refused "power saving rests" --elastic on --provision afap --cost unit=3600 --set suspendtime=60 &&
	refused "for a strategy other" --elastic on --provision-quota 3 &&
	refused "for a strategy other" --elastic on --provision slurm --provision-full wait &&
	refused "for a strategy other" --elastic on --provision-boot 3 &&
	refused "give queue or wait" --provision-full perhaps &&
	refused "provision-quota" --elastic on --provision afap --cost unit=3600 --provision-quota 0 &&
	refused "made for the run" --real --provision asap --cost unit=3600 &&
	refused "made for the run" --cluster c --provision asap --cost unit=3600
'
test_expect_success 'a job that is wider than a node ends the run before its first job' '
	test_expect_code 2 rent --workload burst --jobs 2 --job-cpus 2 --provision asap --output wide >out 2>err &&
	grep "gives each job one node" err && test ! -e wide/jobs.csv
'
test_expect_success '1vm4all: one machine for all, in the units that they take' '
	bag 1vm4all a && key ".jobs_completed == 10 and .provision.rented == 1 and .billed_units == 3 and .cost == 6" a &&
	key ".boots == 1 and .provision.strategy == \"1vm4all\" and .provision.paid_units == 3" a &&
	key ".makespan_s > 1510 and .makespan_s < 1600" a
'
test_expect_success '1vmpertask: a machine for each task' '
	bag 1vmpertask b && key ".jobs_completed == 10 and .provision.rented == 10 and .billed_units == 10" b &&
	key ".makespan_s > 160 and .makespan_s < 200 and .boots == 10" b
'
test_expect_success 'asap: no machine is idle before another would be there, so each task gets one' '
	bag asap c && key ".jobs_completed == 10 and .provision.rented == 10 and .billed_units == 10" c
'
test_expect_success 'afap: three tasks fill a unit' '
	bag afap d && key ".jobs_completed == 10 and .provision.rented == 4 and .billed_units == 4 and .cost == 8" d &&
	key ".makespan_s > 460 and .makespan_s < 500 and .provision.rented_at_once == 4" d &&
	test "$(head -n 1 d/provision.csv)" = time_s,decision,job,node,why &&
	test "$(grep -c ",rent," d/provision.csv)" = 4 && test "$(grep -c ",use," d/provision.csv)" = 6 &&
	test "$(grep -c ",send," d/provision.csv)" = 10
'
cat >late.py <<'END'
# late.py RUN JOB... AFTER: how many seconds after the last end of AFTER, which run alone, these jobs are scheduled, at most
import csv, json, sys
run, jobs, after = sys.argv[1], sys.argv[2:-1], sys.argv[-1]
begin = json.load(open(run + "/summary.json"))["begin_s"]
ends = {row["name"].partition(".")[2]: float(row["finish_time"]) for row in csv.DictReader(open(run + "/jobs.csv"))}
times = {row["job"].partition(".")[2]: float(row["time_s"]) - begin for row in csv.DictReader(open(run + "/provision.csv"))
         if row["decision"] in ("rent", "use")}
late = [times[job] - ends[after] for job in jobs]
print(*late)
print(int(max(late)) if min(late) >= 0 else "early")
END
test_expect_success 'a workflow goes on when a task has ended, not when slurmctld takes that from held jobs, once a minute' '
	printf "%s\n" "{\"windtunnel_jobs\":1}" "{\"id\":\"a\",\"submit_s\":0,\"run_time_s\":125,\"tasks\":1}" \
		"{\"id\":\"b\",\"submit_s\":0,\"run_time_s\":40,\"tasks\":1,\"dependency\":\"afterok:a\"}" \
		"{\"id\":\"c\",\"submit_s\":0,\"run_time_s\":77,\"tasks\":1,\"dependency\":\"afterany:a\"}" \
		"{\"id\":\"d\",\"submit_s\":0,\"run_time_s\":10,\"tasks\":1,\"dependency\":\"afterok:b:c\"}" \
		"{\"id\":\"e\",\"submit_s\":0,\"run_time_s\":10,\"tasks\":1,\"dependency\":\"afterany:c?afterany:d\"}" \
		>flow.jsonl &&
	rent --workload jobs:flow.jsonl --provision asap --output flow >out 2>err && key ".jobs_completed == 5" flow &&
	python3 late.py flow b c a >late && cat late && test "$(tail -n 1 late)" -le 3 &&
	python3 late.py flow d c >late && cat late && test "$(tail -n 1 late)" -le 3 &&
	python3 late.py flow e c >late && cat late && test "$(tail -n 1 late)" -le 64
'
test_expect_success 'what the workload expects of a task, and the command line of the first boot' '
	printf "%s\n" "{\"id\":\"a\",\"submit_s\":0,\"run_time_s\":20,\"expected_s\":500,\"tasks\":1}" \
		"{\"id\":\"b\",\"submit_s\":0,\"run_time_s\":20,\"expected_s\":50,\"tasks\":1}" >expected.jsonl &&
	rent --workload jobs:expected.jsonl --provision afap --output minute >out 2>err &&
	key ".provision.rented == 1" minute &&
	rent --workload jobs:expected.jsonl --provision afap --provision-boot 10 --output ten >out 2>err &&
	key ".provision.rented == 2 and .jobs_completed == 2" ten && grep -q "provision_boot.*10" ten/scenario.json
'
test_expect_success 'each task ran on the node that it was given to, one at a time' '
	python3 -c "import csv
given = {row[\"job\"]: row[\"node\"] for row in csv.DictReader(open(\"d/provision.csv\"))
         if row[\"decision\"] in (\"rent\", \"use\")}
jobs = list(csv.DictReader(open(\"d/jobs.csv\")))
assert len(jobs) == 10
assert {row[\"name\"]: row[\"node_list\"] for row in jobs} == given
for a in jobs:
    for b in jobs:
        assert a is b or a[\"node_list\"] != b[\"node_list\"] or \
            float(a[\"finish_time\"]) <= float(b[\"starting_time\"]) or \
            float(b[\"finish_time\"]) <= float(a[\"starting_time\"])"
'
test_expect_success 'charge none: the same run again is the same to the byte' '
	bag afap e && test_cmp d/provision.csv e/provision.csv && test_cmp d/jobs.csv e/jobs.csv &&
	test_cmp d/power.csv e/power.csv
'
test_expect_success 'a quota: queued behind each other, or given back and rented again' '
	bag asap f --provision-quota 5 && key ".provision.rented == 5 and .provision.rented_at_once == 5" f &&
	key ".makespan_s > 310 and .makespan_s < 350 and .billed_units == 5 and .provision.quota == 5" f &&
	bag afap g --provision-quota 2 --provision-full wait && key ".provision.rented == 4" g &&
	key ".provision.rented_at_once == 2 and .jobs_completed == 10 and .billed_units == 4" g &&
	test "$(grep -c ",stop," g/provision.csv)" -ge 2
'
test_expect_success 'slurm: its own power saving, told beside the others' '
	bag slurm h --set SuspendTime=120 && key ".provision.strategy == \"slurm\" and .provision.rented == null" h &&
	key ".jobs_completed == 10 and .provision.paid_units == .billed_units" h && test ! -e h/provision.csv
'
test_expect_success 'a workflow: tasks are given to machines when what they wait for is done' '
	windtunnel workload generate --output m.jsonl montage && rent --workload jobs:m.jsonl --provision asap \
		--output w >out 2>err &&
		key ".jobs_completed == .jobs_total and .provision.rented >= 1" w || { cat err; false; }
'
test_expect_success 'bench/lifecycles: states follow each other at their times, and what does not follow is told' '
	"$WT_SRCDIR/bench/lifecycles" --times a b c d f g >out && grep "^6 runs, .* 60 tasks: .* 0 did not hold" out &&
	grep "^n0 (2) " out && cp -r g other && stop=$(sed -n "s/\..*,stop,.*//p" g/provision.csv | head -n 1) &&
	sed "s/^$stop/$((stop - 100))/" g/provision.csv >other/provision.csv &&
	test_expect_code 1 "$WT_SRCDIR/bench/lifecycles" other >out && grep "n[01]: shut down at [0-9]* s, not at" out ||
		{ cat out; false; }
'
# busy RUN MACHINES: what bench/lifecycles has each machine run, and what the tasks of the run took
busy() {
	"$WT_SRCDIR/bench/lifecycles" --idle "$1" >out &&
	ran=$(awk -F , -v machines="$2" "NR > 1 { s += \$10 } END { printf \"%.1f\", s / machines }" "$1/jobs.csv") &&
	grep "^of each machine, s: busy $ran; between tasks [0-9.]*; idle, .*[0-9]; idle, none waiting [0-9.]*$" out
}
test_expect_success 'bench/lifecycles --idle: machines are busy with what ran, and tasks wait elsewhere in no queue of one' '
	busy a 1 && grep "waiting elsewhere 0.0" out && busy f 5 && busy g 4 || { cat out; false; }
'
# no_run WORDS ARGUMENT...: one line, no rules were looked at
no_run() {
	words=$1
	shift
	test_expect_code 2 "$WT_SRCDIR/bench/lifecycles" "$@" >out 2>err && grep -e "$words" err && ! grep Traceback err &&
		test_must_be_empty out
}
test_expect_success 'bench/lifecycles: what is no run, another workload, no number' '
	no_run "is no whole run" nowhere && no_run "is no whole run" . && no_run "no job a of" --workload flow.jsonl a &&
	no_run "cannot be read" --workload nowhere a && no_run "cannot be read" --workload late.py a &&
	no_run patience --patience -1 a && no_run patience --patience nan a && no_run unrecognized --nope a &&
	"$WT_SRCDIR/bench/lifecycles" --workload flow.jsonl flow >out && grep " 0 did not hold" out || { cat out; false; }
'
test_expect_success 'boots that fail: their tasks go to other machines' '
	bag asap x --elastic fail=boot:30% --set ResumeTimeout=120 && key ".jobs_completed == 10 and .boots_lost >= 1" x &&
	key ".provision.rented > 10" x
'
test_expect_success 'stock-outs: another machine is asked for until there is one, and without an end the run has one' '
	bag asap s --elastic fail=stock-out:40% && key ".jobs_completed == 10 and .provision.rented > 10" s &&
	test "$(grep -c ",send," s/provision.csv)" = 10 &&
	test_expect_code 1 rent --workload burst --jobs 2 --run-time 10 --provision afap --elastic fail=stock-out:100% \
		--timeout 400 --output never-there >out 2>err && grep "^windtunnel run: nothing happened for 400 s" err
'
# Jobs of 250 s on spot machines that are taken back after 300: a second task of a machine may be requeued.
test_expect_success 'jobs that are requeued upon a notice are given another machine, and not started by Slurm itself' '
	for what in requeue power-down-force; do
		rent --nodes 8 --workload burst --jobs 12 --run-time 250 --provision asap --elastic notice=60 \
			--elastic fail=taken:50%:300 --elastic on-notice=$what --set SlurmdTimeout=60 \
			--output "k-$what" >out 2>err || { cat err; return 1; }
		key ".jobs_completed == 12 and .jobs_requeued == 4 and .failure == \"\"" "k-$what" &&
		python3 -c "import collections, csv
sent = collections.defaultdict(list)
for row in csv.DictReader(open(\"k-$what/provision.csv\")):
    if row[\"decision\"] == \"send\":
        sent[row[\"job\"]].append(row[\"node\"])
jobs = list(csv.DictReader(open(\"k-$what/jobs.csv\")))
assert all(job[\"node_list\"] == sent[job[\"name\"]][-1] for job in jobs)
assert sum(len(nodes) == 2 for nodes in sent.values()) == 4" || return 1
	done
'
# Machines are told after 180 s, and taken back after 300, that they are going; their jobs end before.
test_expect_success 'a notice upon which Slurm waits for the job: it is given to no other machine meanwhile' '
	rent --workload burst --jobs 8 --run-time 250 --provision asap --elastic notice=120 \
		--elastic fail=taken:50%:300 --elastic on-notice=power-down-asap --output waits >out 2>err &&
	grep -q ",notice," waits/power.csv && test "$(grep -c ",send," waits/provision.csv)" = 8 &&
	key ".jobs_completed == 8 and .jobs_requeued == 0 and .provision.rented == 8" waits || { cat err; false; }
'
test_expect_success 'nodes with State=CLOUD are rented as others are' '
	bag afap y --set NodeName+=State=CLOUD && key ".jobs_completed == 10 and .provision.rented == 4" y &&
	key ".billed_units == 4 and .boots == 4" y
'
# crash TIMES: kill -9 of slurmctld, and of the next one when some more jobs have begun
crash() {
	dir=$(echo "$WINDTUNNEL_STATE"/esp-*)
	for time in $(seq "$1"); do
		begun=$(grep -c ",start," "$dir/nodes/events.csv") && wt_daemon_restart "$dir" slurmctld KILL &&
			wt_poll 120 more "$begun" || return 1
	done
}
more() { test "$(grep -c ",start," "$dir/nodes/events.csv")" -gt "$1"; }
test_expect_success 'slurmctld crashes while machines are rented: all tasks run, and all machines are given back' '
	windtunnel run --nodes 4 --quiet --probe none --clock virtual --charge none --elastic boot=10 --cost unit=600 \
		--workload burst --jobs 200 --run-time 150 --provision asap --output r >out 2>err &
	run=$! && wt_poll 120 started && crash 8 && { wait $run; test $? -le 1; } &&
	# what slurmctld forgets of a job that has started may be its end, but none is left waiting
	key "[.problems // {} | .[] | select(test(\"not ended\"))] == [] and .controller_restarts >= 1" r ||
		{ cat err; false; }
'
# Three machines come 300 s late, when their nodes have been down for long and their jobs are others'.
test_expect_success 'machines that come late are used, and given back' '
	rent --nodes 6 --workload burst --jobs 12 --run-time 500 --provision asap --elastic fail=late:60%:300 \
		--elastic seed=3 --set ResumeTimeout=120 --output late-boots >out 2>err &&
	key ".jobs_completed == 12 and .boots == 6 and .provision.rented == 6" late-boots &&
	sed -n "s/.*,stop,,\(n[0-9]*\),unit-ends/\1/p" late-boots/provision.csv >stopped &&
	printf "%s\n" n0 n1 n5 >wanted && test_cmp wanted stopped &&
	test "$(grep -c ",asked-off,n[015],1" late-boots/power.csv)" = 3
'
# It has saved nothing of the run: neither jobs, nor that nodes are off.
resubmitted() {
	awk "/slurmctld version/ { n = 0 } /_slurm_rpc_submit_batch_job/ { split(substr(\$1, 13, 8), t, \":\")
		s = t[1] * 3600 + t[2] * 60 + t[3]; if (!n++) first = s; last = s }
		END { print n, last - first; exit n < 20 || last - first > 20 }" "$1"
}
test_expect_success 'slurmctld forgets all in a crash: jobs are submitted again at once, and nodes can be had again' '
	windtunnel run --nodes 6 --quiet --probe none --clock virtual --charge none --elastic boot=10 --cost unit=600 \
		--save-interval 86400 --set SlurmdTimeout=120 --workload burst --jobs 40 --run-time 150 --provision asap \
		--provision-quota 3 --timeout 3000 --output forgotten >out 2>err &
	run=$! && wt_poll 120 started && wt_daemon_restart "$WINDTUNNEL_STATE"/esp-* slurmctld KILL && wait $run;
	key ".failure | test(\"no end|nothing happened\") | not" forgotten && key ".controller_restarts == 1" forgotten &&
	resubmitted forgotten/logs/slurmctld.log && tail -n 1 forgotten/series.csv | cut -d, -f5 >down && grep -x 0 down ||
		{ cat err; false; }
'
cat >drained.jsonl <<'END'
{"windtunnel_jobs":1}
{"id":"a1","submit_s":0,"run_time_s":150,"tasks":1}
{"id":"a2","submit_s":0,"run_time_s":150,"tasks":1}
{"id":"a3","submit_s":0,"run_time_s":150,"tasks":1}
{"event":"drain","at_s":100,"nodes":"n0","reason":"a test"}
END
test_expect_success 'a machine that is drained: what runs there ends there, what waits goes elsewhere, it is given back' '
	rent --nodes 2 --workload jobs:drained.jsonl --provision 1vm4all --output z >out 2>err &&
	key ".jobs_completed == 3 and .provision.rented == 2" z && grep -q "^.*,send,jobs.a1,n0," z/provision.csv &&
	test "$(grep -c ",send,jobs.a1," z/provision.csv)" = 1 && grep -q ",send,jobs.a3,n1," z/provision.csv &&
	grep -q ",asked-off,n0," z/power.csv || { cat err z/provision.csv; false; }
'
cat >fill.py <<'END'
import json, sys
for line in sys.stdin:
    q = json.loads(line)
    fit = [n for n in q["nodes"] if n["stop_s"] - n["free_s"] >= q["task"]["expected_s"]]
    fit.sort(key=lambda n: n["stop_s"] - n["free_s"])
    answer = {"use": fit[0]["node"], "why": "mine"} if fit else {"rent": True} if q["can_rent"] else {"wait": True}
    print(json.dumps(answer), flush=True)
END
test_expect_success 'a program in the place of a strategy: as afap, written in Python' '
	bag "program:python3 $WT_TMP/fill.py" p && key ".provision.strategy == \"program\" and .provision.rented == 4" p &&
	key ".jobs_completed == 10" p && test "$(grep -c ",use,.*,mine$" p/provision.csv)" = 6 &&
	cut -d, -f1-4 d/provision.csv >want && cut -d, -f1-4 p/provision.csv >got && test_cmp want got
'
# program NAME: the rest of standard input is a script of the shell
program() { { echo "#!/bin/sh" && cat; } >"$1" && chmod +x "$1"; }
program ends <<'END'
read -r question
exit 3
END
program hangs <<'END'
exec sleep 100000
END
program floods <<'END'
yes | tr -d '\n'
END
program chats <<'END'
exec yes
END
program babbles <<'END'
while read -r question; do echo rubbish; done
END
program invents <<'END'
while read -r question; do echo '{"use": "n99"}'; done
END
program spins <<'END'
ulimit -t 1
while :; do :; done
END
# hostile WORDS PROGRAM: the run fails, says so in one line, and nothing of the program is left
hostile() {
	rm -rf q
	test_expect_code 1 rent --workload burst --jobs 2 --run-time 10 --provision "program:$WT_TMP/$2" --output q \
		>out 2>err &&
		{ grep "$1" err || { cat err; false; }; } && test "$(grep -c "^windtunnel run: " err)" = 1 &&
		key ".failure | test(\"program\")" q
}
test_expect_success 'a program that is none, ends, hangs, floods or answers rubbish ends the run with a message' '
	hostile "ended with status 127" no-such-program && hostile "ended with status 3" ends &&
	hostile "not answered within 60 s" hangs && hostile "more than 4096 bytes" floods &&
	hostile "more than one line" chats && hostile "no JSON object" babbles && hostile "not among" invents &&
	hostile "CPU time\|signal" spins
'
program lingers <<END
sleep 100000 &
echo \$\$ >$WT_TMP/lingers.pid
exec sleep 100000
END
# gone PID: no process of its group is alive
gone() { ! ps -eo pgid=,stat= | awk -v group="$1" '$1 == group && $2 !~ /^Z/' | grep .; }
test_expect_success 'kill -9 of the command ends the program, and what that has begun' '
	windtunnel run --nodes 2 --quiet --elastic boot=1 --cost unit=600 --workload burst --jobs 2 --run-time 10 \
		--provision "program:$WT_TMP/lingers" --output l >out 2>err &
	run=$! && wt_poll 120 test -s lingers.pid && ! gone "$(cat lingers.pid)" >group && test_line_count -ge 3 group &&
	kill -9 $run && wt_poll 60 gone "$(cat lingers.pid)" &&
	{ windtunnel cluster down "esp-$run" 2>down || :; } && wt_poll 60 test ! -e "$WINDTUNNEL_STATE/esp-$run" ||
		{ cat err down; false; }
'
test_expect_success 'Ctrl-C: the run ends, and tells what was decided' '
	windtunnel run --nodes 4 --quiet --elastic boot=1 --elastic stop=1 --cost unit=600 --workload burst --jobs 4 \
		--run-time 1000 --provision asap --set SuspendTimeout=5 --output i >out 2>err &
	run=$! && wt_poll 120 started && kill -INT $run && test_expect_code 130 wait $run && grep interrupted err &&
	test "$(grep -c ",rent," i/provision.csv)" = 4 && key ".interrupted" i
'
test_done
