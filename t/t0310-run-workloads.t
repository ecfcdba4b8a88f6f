#!/bin/sh
test_description='windtunnel run: burst, spaced, traces'
. "$WT_SRCDIR/t/setup.sh"

# refused TEXT OPTION...: exit status 2, nothing on stdout, one line on stderr that contains TEXT
refused() {
	text=$1
	shift
	test_expect_code 2 windtunnel run "$@" >out 2>err &&
	test_line_count = 1 err && test_line_count = 0 out &&
	{ grep -q -e "^windtunnel run: .*$text" err || { cat err; false; }; }
}
summary() { jq -e "$2" "$1/summary.json" >jq.out || { cat "$1/summary.json"; return 1; }; }

# Number, submission, run time, processors, requested time, status.
job() { echo "  $1 $2 -1 $3 $4 -1 -1 $4 $5 -1 $6 1 1 -1 -1 1 -1 -1"; }
{
	echo "; Version: 2.2"
	echo "; MaxNodes: 4"
	echo "; MaxProcs: 8"
	job 1 0 10 4 20 1
	job 2 30 -1 4 20 -1	# did not say
	job 3 40 0 4 20 5	# cancelled
	job 5 50 20 8 15 1	# longer than it asked for
	job 6 100 5 1 -1 0
} >trace.swf

kinds="burst, spaced, lublin, mapreduce, swf:FILE, batsim:FILE, jobs:FILE, dax:FILE or wfcommons:FILE"
test_expect_success 'what does not fit together is refused with one line' '
	refused "$kinds" &&
	refused "$kinds" --workload light &&
	refused "$kinds" --workload swf: &&
	refused "are for burst and spaced" --workload swf:trace.swf --jobs 3 &&
	refused "are for traces" --workload burst --load 0.8 &&
	refused "jobs 0" --workload burst --jobs 0 &&
	refused "load 0" --workload swf:trace.swf --load 0 &&
	refused "load 80 " --workload swf:trace.swf --load "80 %" &&
	refused "cpus-scale fat" --workload swf:trace.swf --cpus-scale fat &&
	refused "leave out" --workload burst --real --nodes 4 &&
	refused "leave out" --workload burst --cluster a --nodes 4 &&
	refused "not expected here" burst
'
test_expect_success 'a trace that cannot be used is refused with its name and the line' '
	refused "none.swf: No such file" --workload swf:none.swf &&
	{ cat trace.swf && echo "7 8 9"; } >short.swf &&
	refused "short.swf:9: 3 fields, not 18" --workload swf:short.swf --dry-run &&
	sed "s/ 50 / x50 /" trace.swf >word.swf &&
	refused "word.swf:7: field 2 (.x50.) is not a number" --workload swf:word.swf &&
	refused "trace.swf: line 7: job 5 asks for 8 CPUs, the machine has 4" --workload swf:trace.swf --nodes 4 --dry-run &&
	refused "trace.swf: no job in this slice" --workload swf:trace.swf --from 200 --dry-run &&
	sed /MaxProcs/d trace.swf >headless.swf &&
	refused "headless.swf has no header MaxProcs: give --nodes" --workload swf:headless.swf --dry-run
'
test_expect_success '--dry-run: the workloads of Larue 2020' '
	windtunnel run --workload burst --dry-run --json >out &&
	jq -e ".name == \"burst\" and .nodes == 16 and .cpus == 16 and .ideal_s == 2125 and (.jobs | length) == 200 and
		(.jobs | all(.cpus == 1 and .run_time_s == 170 and .delay_s == 0))" out &&
	windtunnel run --workload spaced --dry-run --json >out &&
	jq -e ".name == \"spaced\" and ([.jobs[].delay_s] | add) == 1990" out &&
	windtunnel run --interval 2 --workload spaced --jobs 3 --job-cpus 4 --nodes 4 --dry-run --json >out &&
	jq -e "[.jobs[].delay_s] == [0, 2, 2] and (.jobs | all(.cpus == 4))" out
'
test_expect_success '--workload lublin: the model of Lublin and Feitelson' '
	windtunnel run --workload lublin --dry-run --json >out &&
	jq -e ".name == \"lublin\" and .nodes == 128 and (.jobs | length) == 1000 and
		([.jobs[].cpus] | max <= 128 and min == 1) and
		([.jobs[] | select(.cpus == 1)] | length | . > 190 and . < 300) and
		([.jobs[] | select(.cpus > 1 and (.cpus | log2) == (.cpus | log2 | floor))] | length | . > 500)" out &&
	windtunnel run --workload lublin --jobs 300 --load 70% --time-scale 0.01 --seed 3 --nodes 16 --dry-run --json >out &&
	jq -e "([.jobs[].delay_s] | add) as \$s | ((.ideal_s / \$s) * 1000 | round) == 700 and
		(.jobs | length) == 300" out &&
	windtunnel run --jobs 300 --load 70% --time-scale 0.01 --seed 3 --nodes 16 --workload lublin --dry-run >text &&
	grep "^an offered load of 0.7 over " text &&
	refused "lublin has --jobs and --load" --workload lublin --run-time 5 &&
	refused "lublin has --jobs and --load" --workload lublin --from 5 &&
	refused "machines of 8 CPUs and more, not 4" --workload lublin --nodes 4 --dry-run
'
test_expect_success '--job-cpus with a range: sizes are drawn, the same with each seed' '
	windtunnel run --workload burst --job-cpus 1-8 --jobs 100 --dry-run --json >sizes-1 &&
	jq -e "([.jobs[].cpus] | unique) == [1, 2, 3, 4, 5, 6, 7, 8]" sizes-1 &&
	windtunnel run --job-cpus 1-8 --jobs 100 --workload spaced --nodes 32 --dry-run --json >sizes-2 &&
	test "$(jq -c "[.jobs[].cpus]" sizes-1)" = "$(jq -c "[.jobs[].cpus]" sizes-2)" &&
	windtunnel run --workload burst --job-cpus 1-8 --jobs 100 --seed 2 --dry-run --json >sizes-3 &&
	test "$(jq -c "[.jobs[].cpus]" sizes-1)" != "$(jq -c "[.jobs[].cpus]" sizes-3)" &&
	refused "job-cpus 8-1: give a whole number, or two as in 1-8" --workload burst --job-cpus 8-1 &&
	refused "job-cpus 1-: give" --workload burst --job-cpus 1- &&
	refused "job-cpus 0-4: give" --workload burst --job-cpus 0-4 &&
	refused "jobs of 17 CPUs on a machine of 16" --workload burst --job-cpus 1-17 --dry-run
'
# drawn SEED OPTION...: the run times of a burst
drawn() {
	seed=$1
	shift
	windtunnel run --workload burst --seed "$seed" "$@" --dry-run --json
}
test_expect_success '--perturb: run times around their own, by seed and job; limits stay' '
	drawn 1 --perturb "uniform 10" >drawn-1 &&
	jq -e "[.jobs[].run_time_s] | (min > 153 and min < 156 and max < 187 and max > 184 and
		(unique | length) > 190)" drawn-1 &&
	jq -e ".jobs | all(.time_limit_min == 6)" drawn-1 &&
	drawn 1 --perturb "uniform 10%" --interval 5 --jobs 100 >same && drawn 2 --perturb "uniform 10" >drawn-2 &&
	test "$(jq -c "[.jobs[:100][].run_time_s]" drawn-1)" = "$(jq -c "[.jobs[].run_time_s]" same)" &&
	test "$(jq -c "[.jobs[].run_time_s]" drawn-1)" != "$(jq -c "[.jobs[].run_time_s]" drawn-2)" &&
	refused "perturb .uniform x.: give .uniform P." --workload burst --perturb "uniform x"
'
test_expect_success '--workload-seed: the same workload with each seed, but for the perturbation' '
	windtunnel esp --nodes 16 --seed 3 --dry-run --json >drawn-3 &&
	windtunnel esp --nodes 16 --seed 7 --workload-seed 3 --perturb "normal 10/2" --dry-run --json >seven &&
	windtunnel esp --nodes 16 --seed 8 --workload-seed 3 --perturb "normal 10/2" --dry-run --json >eight &&
	for file in seven eight; do
		test "$(jq -c "[.jobs[] | [.name, .delay_s, .time_limit_min]]" drawn-3)" = \
			"$(jq -c "[.jobs[] | [.name, .delay_s, .time_limit_min]]" $file)" || return 1
	done &&
	jq -e ".seed == \"7\"" seven &&
	test "$(jq -c "[.jobs[].run_time_s]" seven)" != "$(jq -c "[.jobs[].run_time_s]" eight)"
'
test_expect_success '--dry-run: slices of a trace' '
	windtunnel run --workload swf:trace.swf --dry-run --json >out &&
	jq -e ".nodes == 8 and [.jobs[].name] == [\"swf.1\", \"swf.5\", \"swf.6\"] and [.jobs[].delay_s] == [0, 50, 50] and
		[.jobs[].time_limit_min] == [2, 2, 2]" out &&
	windtunnel run --workload swf:trace.swf --from 10 --duration 50 --dry-run --json >out &&
	jq -e "[.jobs[].name] == [\"swf.5\"]" out &&
	windtunnel run --workload swf:trace.swf --first-job 2 --last-job 5 --nodes 16 --cpus-scale fit \
		--dry-run --json >out &&
	jq -e "[.jobs[].cpus] == [16]" out &&
	windtunnel run --workload swf:trace.swf --load 50% --time-scale 0.1 --dry-run --json >out &&
	jq -e "([.jobs[].delay_s] | add) as \$s | ((.ideal_s / \$s) * 1000 | round) == 500" out
'
test_expect_success '--dry-run says what of a trace is left out, and why; what is refused can be left out on demand' '
	windtunnel run --workload swf:trace.swf --dry-run >out &&
	left="1 without a run time, 1 cancelled or failed before they ran" &&
	grep "^trace.swf: 3 of 5 jobs; left out: $left; 2 time limits raised\$" out &&
	windtunnel run --workload swf:trace.swf --dry-run --max-run-time 15 --from 10 --json >out &&
	jq -e ".trace | .name == \"trace.swf\" and .jobs_in_file == 5 and .jobs == 2 and .left_out.no_run_time == 1 and
		.left_out.outside == 1 and .run_times_cut == 1 and .sha256 == \"$(sha256sum <trace.swf | cut -d" " -f1)\"" \
			out &&
	{ cat trace.swf && echo "7 8 9"; } >short.swf &&
	windtunnel run --workload swf:short.swf --nodes 4 --leave-out bad,large --dry-run >out &&
	grep "^short.swf: 2 of 6 jobs; left out: .* 1 that cannot be read, 1 larger than the machine;" out &&
	grep "^the first that cannot be read: short.swf:9: 3 fields, not 18" out &&
	refused "short.swf:9: 3 fields" --workload swf:short.swf --nodes 4 --leave-out large &&
	refused "asks for 8 CPUs" --workload swf:short.swf --nodes 4 --leave-out bad &&
	refused "leave-out huge: .huge. cannot be left out: give bad, large or profile" --workload swf:short.swf \
		--leave-out huge
'
test_expect_success 'a trace of a machine that no cluster can be as large as' '
	{ echo "; MaxProcs: 163840" && grep -v MaxProcs trace.swf; } >large.swf &&
	most="and a cluster has 65536 nodes at most: give --nodes and --shape" &&
	refused "large.swf is of a machine of 163840 processors, $most" \
		--workload swf:large.swf --dry-run &&
	windtunnel run --workload swf:large.swf --nodes 40960 --shape "pack:1 core:4 pu:1" --dry-run >out &&
	grep "for 40960 nodes with 163840 CPUs" out
'
test_expect_success 'a trace whose times are those of the epoch, and one that gzip has packed' '
	awk "!/^;/ { \$2 += 1700000000 } 1" trace.swf >epoch.swf &&
	windtunnel run --workload swf:trace.swf --from 10 --duration 50 --dry-run --json >wanted &&
	windtunnel run --workload swf:epoch.swf --from 10 --duration 50 --dry-run --json >out &&
	jq .jobs wanted >wanted.jobs && jq .jobs out >out.jobs && test_cmp wanted.jobs out.jobs &&
	windtunnel run --workload swf:epoch.swf --from @1700000010 --duration 50 --dry-run --json >out &&
	jq .jobs out >out.jobs && test_cmp wanted.jobs out.jobs &&
	refused "submissions from 0 to 100 s" --workload swf:epoch.swf --from 1700000010 --dry-run &&
	gzip -c trace.swf >trace.swf.gz &&
	windtunnel run --workload swf:trace.swf.gz --from 10 --duration 50 --dry-run --json >out &&
	jq .jobs out >out.jobs && test_cmp wanted.jobs out.jobs &&
	jq .trace.sha256 wanted >wanted.sum && jq .trace.sha256 out >out.sum && test_cmp wanted.sum out.sum &&
	head -c 60 trace.swf.gz >cut.swf.gz &&
	refused "cut.swf.gz:[0-9]*: it is packed, and ends in the middle: fetch it once more" --workload swf:cut.swf.gz \
		--dry-run
'
test_expect_success '--dry-run: a workload of Batsim' '
	cat >w.json <<-END &&
	{"nb_res": 8, "jobs": [{"id": "w0!1", "subtime": 5, "walltime": 300, "res": 8, "profile": "d"},
		{"id": "w0!2", "subtime": 7, "res": 1, "profile": "d"}], "profiles": {"d": {"type": "delay", "delay": 3}}}
	END
	windtunnel run --workload batsim:w.json --dry-run --json >out &&
	jq -e ".name == \"batsim\" and .nodes == 8 and [.jobs[] | .name, .cpus, .run_time_s, .delay_s, .time_limit_min] ==
		[\"batsim.w0!1\", 8, 3, 0, 5, \"batsim.w0!2\", 1, 3, 2, 2]" out &&
	sed s/delay/parallel/ w.json >p.json &&
	refused "p.json:1: job 1: profile d is of type parallel" --workload batsim:p.json &&
	echo "{" >b.json && refused "b.json:[0-9]*: " --workload batsim:b.json
'
test_expect_success '--dry-run says how long it takes, and in virtual time what costs the wall time' '
	windtunnel run --workload spaced --dry-run >out &&
	grep "^it takes at least 2160.0 s (00:36:00), and what the cluster.s start takes" out &&
	windtunnel run --workload spaced --interval 100000 --clock virtual --dry-run >out &&
	sparse="an estimate .* most of it for the virtual seconds (sparse)" &&
	grep "^it takes at least 19900170.0 virtual s (230-07:49:30); $sparse" out &&
	windtunnel run --workload burst --clock virtual --dry-run --json >out &&
	jq -e ".estimate | .clock_s == 2125 and .costs == \"jobs\" and .wall_s > .jobs_wall_s and
		(.basis | test(\"busy machine\"))" out
'
test_expect_success 'progress has a percentage and about how long it will still take' '
	windtunnel run --workload spaced --jobs 160 --interval 0.1 --run-time 1 --nodes 16 --timeout 300 --output progress \
		>out 2>err &&
	grep "^ *[0-9][0-9]* %, about 00:[0-9:]* left  [0-9.]* s  [0-9]* of 160 jobs ended" err
'
test_expect_success 'a burst runs: all at once' '
	windtunnel run --workload burst --jobs 8 --run-time 1 --nodes 4 --timeout 300 --output burst >out 2>err &&
	tail -n 1 out | grep "^run folder: " &&
	summary burst ".workload == \"burst\" and .nodes == 4 and .cpus == 4 and .jobs_completed == 8 and
		.makespan_s >= 2" &&
	jq -e ".options.workload == {\"name\": \"burst\", \"jobs\": 8, \"job_cpus\": 1, \"run_time_s\": 1,
		\"interval_s\": 0} and .trace == null" burst/scenario.json
'
# column FILE NAME: of a CSV file without quoted fields before it
column() { awk -F, -v name="$2" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) n = i } NR > 1 { print $n }' "$1"; }
# counted FOLDER: each row of the series has what sdiag counts of the schedulers
counted() {
	for name in schedule_cycles schedule_cycle_sum_us schedule_depth_sum schedule_queue backfill_cycles \
		backfill_queue; do
		column "$1/series.csv" "$name" >counts && test -s counts && test_must_fail grep -v "^[0-9][0-9]*\$" counts ||
			return 1
	done
}
test_expect_success 'its summary has what each type of RPC cost slurmctld' '
	# counted when it has been answered: the last ones may be missing
	for type in REQUEST_SUBMIT_BATCH_JOB REQUEST_COMPLETE_BATCH_SCRIPT; do
		summary burst "[.rpc_costs[] | select(.type == \"$type\")] | length == 1 and .[0].count >= 4 and
			.[0].count <= 8 and .[0].total_us > 0" || return 1
	done &&
	summary burst ".rpc_costs | all(.count > 0 and (.type | test(\"^[A-Z_]+\$\"))) and
		([.[].total_us] == ([.[].total_us] | sort | reverse))"
'
test_expect_success 'its series has the cycles of the schedulers' '
	counted burst
'
# The most submissions under way at the same moment, by the times and latencies of their replies.
most_under_way() {
	awk -F, '$2 == "submit" { printf "%.6f 1\n%.6f -1\n", $1 - $7 + 0.000002, $1 - 0.000002 }' "$1/events.csv" |
		sort -n -k1,1 -k2,2 |
	awk '{ n += $2; if (n > most) most = n } END { print most + 0 }'
}
test_expect_success 'a burst has four submitters, or as many as are wanted, and each job is submitted once' '
	windtunnel run --workload burst --jobs 60 --run-time 1 --nodes 64 --timeout 300 --quiet --output four >out 2>err &&
	summary four ".jobs_completed == 60 and .jobs_resubmitted == 0" &&
	jq -e ".options.submitters == 4" four/scenario.json &&
	cut -d, -f1 four/jobs.csv | sort -u | wc -l >count && echo 61 >wanted && test_cmp wanted count &&
	most=$(most_under_way four) && echo "# $most" && test "$most" -ge 2 && test "$most" -le 4 &&
	windtunnel run --workload burst --jobs 20 --run-time 1 --nodes 64 --submitters 1 --timeout 300 --quiet --output one \
		>out 2>err &&
	summary one ".jobs_completed == 20" && test "$(most_under_way one)" = 1 &&
	refused "submitters 0" --workload burst --submitters 0
'
test_expect_success 'in virtual time there is one submitter' '
	windtunnel run --workload burst --jobs 20 --run-time 5 --nodes 20 --clock virtual --quiet --output still \
		>out 2>err &&
	jq -e ".options.submitters == 1" still/scenario.json && test "$(most_under_way still)" -le 1 &&
	refused "in virtual time there is one" --workload burst --submitters 2 --clock virtual
'
# Its jobs are due at 0, 5 and 10 s.  All times count from the first submission, which a busy machine may make late.
test_expect_success 'a trace runs at its own times; what was left out is told' '
	windtunnel run --workload swf:trace.swf --time-scale 0.1 --max-run-time 15 --timeout 300 --output swf \
		>out 2>err &&
	summary swf ".workload == \"swf\" and .nodes == 8 and .jobs_completed == 3 and .makespan_s >= 7" &&
	awk -F, "NR > 1 { print (\$4 >= 5 * (NR - 2) - 3) }" swf/jobs.csv | sort -u >late && echo 1 >wanted &&
	test_cmp wanted late &&
	tail -n 2 out | head -n 1 >last &&
	left="1 without a run time, 1 cancelled or failed before they ran" &&
	grep "^  trace.swf: 3 of 5 jobs; left out: $left; 2 time limits raised; 1 run times cut\$" last &&
	for file in scenario summary; do
		jq -e ".trace | .jobs == 3 and .jobs_in_file == 5 and .left_out.no_run_time == 1 and
			.left_out.not_run == 1 and .run_times_cut == 1 and
			.limits_raised == 2 and .name == \"trace.swf\" and (.sha256 | length) == 64" swf/$file.json ||
				return 1
	done
'
test_expect_success 'a workload of Batsim 5 runs; its ids and the names of its profiles are kept' '
	cat >five.json <<-END &&
	{"nb_res": 4, "jobs": [{"id": "first job", "subtime": 1700000000, "walltime": 300, "res": 4,
		"profile": "a profile with a long name"},
		{"id": 7, "subtime": 1700000001, "res": 1, "profile": "twice"},
		{"id": "p", "subtime": 1, "res": 1, "profile": "task"}],
	"profiles": {"a profile with a long name": {"type": "DelayProfile", "delay": 1},
		"task": {"type": "ParallelTaskProfile"},
		"twice": {"type": "SequentialCompositionProfile", "repeat": 2, "seq": ["a profile with a long name"]}}}
	END
	refused "five.json:[0-9]*: job 3: profile task is of type ParallelTaskProfile; only delays" \
		--workload batsim:five.json \
		--dry-run &&
	windtunnel run --workload batsim:five.json --leave-out profile --from @1700000000 --clock virtual --repeat 2 \
		--quiet --output five \
		>out 2>err && tail -n 2 out | head -n 1 >last &&
		grep "five.json: 2 of 3 jobs; left out: 1 with a profile that cannot be run" last &&
	jq -e ".trace.left_out.profile == 1" five/summary.json &&
	column five/1/jobs.csv trace_job_id >ids && printf "first job\n7\n" >wanted && test_cmp wanted ids &&
	column five/1/jobs.csv profile >profiles && printf "a profile with a long name\ntwice\n" >wanted &&
	test_cmp wanted profiles &&
	column five/1/jobs.csv requested_run_time_s >times && printf "1.000000\n2.000000\n" >wanted && test_cmp wanted times
'
test_expect_success 'a run can be run again from its jobs.swf' '
	windtunnel run --workload swf:swf/jobs.swf --nodes 8 --dry-run --json >out &&
	jq -e "[.jobs[].cpus] == [4, 8, 1]" out
'
test_expect_success 'in virtual time, repeated: means and spread over all, and which kind they are' '
	windtunnel run --workload spaced --jobs 20 --clock virtual --repeat 2 --quiet --output virtual >out 2>err &&
	summary virtual ".runs == 2 and .clock == \"virtual\" and .kinds.makespan_s == \"virtual\" and
		.kinds.wall_s == \"real\" and
		.makespan_s > 360 and .spread.makespan_s.count == 2 and .spread.wait_mean_s.ci95 >= 0 and
		.jobs_completed == 40" &&
	grep "makespan .* virtual\$" out && counted virtual/2 &&
	test "$(column virtual/2/series.csv schedule_cycles | sort -n | tail -n 1)" -ge 10
'
test_expect_success '--repeat and --resume; another workload is refused' '
	windtunnel run --workload burst --jobs 2 --run-time 0.1 --repeat 2 --output two >out 2>err &&
	rm two/2/summary.json &&
	windtunnel run --workload burst --jobs 2 --run-time 0.1 --repeat 2 --output two --resume >out 2>err &&
	grep -q "^windtunnel run: run 1 of 2: finished before" err &&
	summary two ".runs == 2 and .spread.makespan_s.count == 2" &&
	test_expect_code 1 windtunnel run --workload burst --jobs 3 --run-time 0.1 --repeat 2 --output two --resume 2>err &&
	grep -q "made with another workload" err
'
test_done
