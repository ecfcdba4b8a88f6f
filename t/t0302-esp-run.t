#!/bin/sh
test_description='windtunnel esp: whole runs on clusters of their own'
. "$WT_SRCDIR/t/setup.sh"

# cells FILE COLUMN: that column of a CSV file whose fields have no commas before it
cells() {
	awk -F, -v name="$2" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) c = i; next } { print $c }' "$1"
}
summary() { jq -e "$2" "$1/summary.json" >jq.out || { cat "$1/summary.json"; return 1; }; }
# releases_good EVENTS.CSV: each job is released by as many nodes as it had, by each once; what is wrong is said.
releases_good() {
	awk -F, '
		$2 == "start" { had[$3] += $7 }
		$2 == "release" { released[$3]++; if (times[$3, $6]++) { print "job " $3 " released by " $6 " again at " $1;
		bad = 1 } }
		END {
			for (job in had)
				if (had[job] != released[job]) {
				print "job " job ": " had[job] " nodes, " released[job] + 0 " releases"; bad = 1 }
			for (job in released)
				if (!(job in had)) { print "job " job ": released, but never begun"; bad = 1 }
			exit bad
		}' "$1"
}
clusters_gone() { test -z "$(ls -A "$WINDTUNNEL_STATE" 2>/dev/null)"; }

test_expect_success 'Light-ESP on 64 virtual nodes: every job is COMPLETED' '
	windtunnel esp --variant light --nodes 64 --time-scale 0.005 --timeout 300 --output run >out 2>err &&
	tail -n 1 out >last && echo "run folder: $(realpath run)" >wanted && test_cmp wanted last &&
	clusters_gone &&
	summary run ".nodes == 64 and .cpus == 1024 and .backend == \"virtual\" and .clock == \"real\" and
		.jobs_submitted == 230 and .jobs_completed == 230 and .jobs_missing == 0 and .interrupted == false and
		.failure == \"\" and .problems == {} and .jobs_resubmitted == 0 and .controller_restarts == 0" &&
	summary run ".makespan_s > .ideal_s and .utilization > 0 and .utilization <= 1 and .wait_mean_s >= 0 and
		.wall_s > .makespan_s and .controller_cpu_s > 0 and .probe_latency_mean_s > 0 and .probes_failed == 0 and
		.completing_max_s >= 0"
'
test_expect_success 'the folder holds all that the documentation says' '
	for file in scenario.json slurm.conf jobs.csv jobs.swf events.csv series.csv summary.json \
		logs/slurmctld.log logs/vnoded.log logs/daemons.log; do
		test -s run/$file || { echo "$file is missing or empty"; return 1; }
	done &&
	test ! -e run/logs/node-events.csv &&
	jq -e ".options.seed == \"1\" and .options.own_cluster.nodes == 64 and .workload.jobs == 230 and
		.machine.cpus > 0 and
		(.versions.slurm | length) > 0 and .options.probe == \"job\" and .clock == \"real\"" run/scenario.json &&
	grep -q "^ClusterName=" run/slurm.conf
'
test_expect_success 'jobs.csv: each job once, with its nodes, CPUs and times' '
	test_line_count = 231 run/jobs.csv &&
	cells run/jobs.csv job_id | sort -u >ids && test_line_count = 230 ids &&
	cells run/jobs.csv workload_name | sort -u >names && echo light-esp >wanted && test_cmp wanted names &&
	cells run/jobs.csv profile | grep -c Z >count && test "$(cat count)" = 2
'
test_expect_success 'events.csv: each job is submitted, started, probed and ended once, by time' '
	cells run/events.csv event | sort | uniq -c | awk "{ print \$2, \$1 }" >counts && cat counts &&
	for event in submit start probe end; do
		grep "^$event 230\$" counts || { echo "$event: not 230"; return 1; }
	done &&
	cells run/events.csv time_s | sort -c -n && releases_good run/events.csv
'
test_expect_success 'series.csv has samples, jobs.swf every job' '
	test_line_count -gt 3 run/series.csv &&
	grep -v "^;" run/jobs.swf >jobs && test_line_count = 230 jobs &&
	awk "NF != 18" jobs >bad && test_line_count = 0 bad
'
test_expect_success 'jobs.csv is what evalys loads: its columns, numbers and sets of resources' '
	python3 "$WT_SRCDIR/t/check-evalys.py" run/jobs.csv >out && echo "230 jobs, 230 with resources" | test_cmp - out &&
	sed "1s/stretch/strech/" run/jobs.csv >other.csv && ! python3 "$WT_SRCDIR/t/check-evalys.py" other.csv 2>err &&
	grep "not there: ..stretch" err
'
test_expect_success 'the figures are those of jobs.csv' '
	perl -MText::ParseWords -e "
		@h = parse_line(q(,), 0, scalar <> =~ s/\n//r);
		while (<>) {
			chomp; @r{@h} = parse_line(q(,), 0, \$_); \$n++;
			\$wait = \$r{starting_time} - \$r{submission_time}; \$run = \$r{finish_time} - \$r{starting_time};
			\$waits += \$wait; \$cpu_s += \$run * \$r{allocated_cpus};
			\$end = \$r{finish_time} if \$r{finish_time} > \$end;
			\$slow = (\$wait + \$run) / (\$run > 0.05 ? \$run : 0.05); \$slows += \$slow > 1 ? \$slow : 1;
		}
		printf qq(%.4f %.4f %.4f %.3f\n), \$end, \$cpu_s / (1024 * \$end), \$waits / \$n, \$slows / \$n;
	" run/jobs.csv >wanted &&
	jq -r "[.makespan_s, .utilization, .wait_mean_s, .bounded_slowdown_mean] | @tsv" run/summary.json |
		{ read m u w s && printf "%.4f %.4f %.4f %.3f\n" $m $u $w $s; } >got &&
	test_cmp wanted got
'
test_expect_success 'results that cannot be written: status 1, the file is named, the figures are shown' '
	{ windtunnel esp --nodes 8 --time-scale 0.002 --timeout 300 --quiet --output unwritten >out 2>err & pid=$!; } &&
	wt_poll 30 mkdir unwritten/jobs.csv && touch unwritten/jobs.csv/x &&
	test_expect_code 1 wait $pid && grep "unwritten/jobs.csv" err &&
	grep "230 of 230 jobs submitted, 230 COMPLETED" out && clusters_gone &&
	jq -e ".not_written == \"jobs.csv\" and (.failure | test(\"unwritten/jobs.csv\")) and .jobs_completed == 230" \
		unwritten/summary.json
'
test_expect_success 'Parallel Light-ESP: 2282 jobs from 14 submitters at once' '
	windtunnel esp --variant parallel-light --nodes 64 --time-scale 0.005 --timeout 300 --quiet --output many \
		>out 2>err &&
	summary many ".jobs_completed == 2282 and .jobs_missing == 0" && test_line_count = 2283 many/jobs.csv &&
	cells many/jobs.csv job_id | sort -u >ids && test_line_count = 2282 ids
'
test_expect_success '--repeat: a folder and a seed for each run, one summary' '
	windtunnel esp --nodes 16 --time-scale 0.002 --timeout 300 --repeat 2 --seed 5 --quiet --json --output twice \
		>out 2>err &&
	jq -e ".runs == 2 and .jobs_completed == 460" out && jq -e ".runs == 2" twice/summary.json &&
	tail -n 1 err | grep -q "^run folder: .*/twice\$" &&
	summary twice/1 ".seed == 5" && summary twice/2 ".seed == 6" && clusters_gone
'
test_expect_success '--resume: keeps what is finished, runs what is missing' '
	cp twice/1/summary.json kept && rm -r twice/2/summary.json twice/summary.json &&
	test_expect_code 1 windtunnel esp --nodes 16 --time-scale 0.003 --repeat 2 --seed 5 --resume --output twice 2>err &&
	grep -q "time_scale" err &&
	test_expect_code 1 windtunnel esp --nodes 16 --time-scale 0.002 --repeat 2 --seed 5 --cost price=1 --resume \
		--output twice 2>err && grep -q "another cost" err &&
	windtunnel esp --nodes 16 --time-scale 0.002 --timeout 300 --repeat 2 --seed 5 --resume --quiet --output twice \
		>out 2>err &&
	grep -q "run 1 of 2: finished before" err && grep -q "/2 was not finished: it is run again" err &&
	test_cmp kept twice/1/summary.json && summary twice/2 ".jobs_completed == 230" && summary twice ".runs == 2"
'
test_expect_success 'a daemon that does not start: one line, its logs in the run folder, nothing else left' '
	test_expect_code 1 windtunnel esp --nodes 4 --set SelectType=select/nonsense --quiet --output failed >out 2>err &&
	test_line_count = 1 err && grep -q "slurmctld.*nonsense.*failed/logs/" err && test -s failed/logs/slurmctld.stderr &&
	clusters_gone &&
	test_expect_code 2 windtunnel esp --nodes 4 --shape nonsense --quiet --output misused >out 2>err &&
	test_line_count = 1 err && test ! -e misused &&
	test_expect_code 2 windtunnel esp --nodes 4 --partition nowhere --quiet --output misused >out 2>err &&
	grep -q "nowhere.*known: main" err && test ! -e misused && clusters_gone
'
test_expect_success 'a job that slurmctld refuses ends the run and is named' '
	test_expect_code 1 windtunnel esp --nodes 4 --time-scale 0.002 --conf "$WT_SRCDIR/t/data/inactive.conf" \
		--partition closed --quiet --output refused >out 2>err &&
	grep -q "slurmctld refused light-esp" err && clusters_gone
'
test_done
