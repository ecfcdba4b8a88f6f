#!/bin/sh
test_description='windtunnel topology score and show on a run of the real slurmctld'
. "$WT_SRCDIR/t/setup.sh"

# 72 nodes: 12 leaves of 6, 2 switches of 6 leaves.  Absolutely optimal jobs, counted without the command's help: from the
# node indexes of jobs.csv, and the sizes.
recount() {
	awk -F, 'NR > 1 && $14 != "" {
		split("", leaf); split("", group); n = leaves = groups = 0
		count = split($15, spans, " ")
		for (s = 1; s <= count; s++) {
			split(spans[s], ends, "-")
			if (ends[2] == "")
				ends[2] = ends[1]
			for (i = ends[1] + 0; i <= ends[2] + 0; i++) {
				n++
				leaves += !leaf[int(i / 6)]++
				groups += !group[int(i / 36)]++
			}
		}
		if (n == 72)
			next
		jobs++
		a = leaves == int((n + 5) / 6); b = groups == int((n + 35) / 36)
		one += a; two += b; both += a && b
	} END { print jobs, one + 0, two + 0, both + 0 }' "$1"
}

# A moment at which a job runs, on the time line of jobs.csv: the middle of the longest.
middle_of_a_job() {
	awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		$at["finish_time"] - $at["starting_time"] > longest { longest = $at["finish_time"] - $at["starting_time"];
		middle = $at["starting_time"] + longest / 2 }
		END { print middle }' "$1"
}

test_expect_success 'Light-ESP under topology/tree, whole nodes' '
	windtunnel topology generate fattree --arity 6,6,2 -o tree.conf &&
	windtunnel esp --nodes 72 --unit nodes --topology tree.conf --time-scale 0.005 --timeout 300 --quiet --output run \
		>out 2>err
'
test_expect_success 'score finds the tree in the folder, and counts what a recount counts' '
	windtunnel topology score run --json >score 2>err &&
	recount run/jobs.csv >want &&
	jq -r "[.jobs, .levels[0].optimal_absolute, .levels[1].optimal_absolute, .all_levels.optimal_absolute] |
		join(\" \")" score >got &&
	test_cmp want got && jq -e ".jobs == 228 and (.levels | length) == 2" score
'
test_expect_success 'what is absolutely optimal is relatively optimal' '
	jq -e "[.levels[], .all_levels] | all(.optimal_absolute <= .optimal_relative and .optimal_relative <= 228)" score
'
test_expect_success 'and no more than the bound' '
	windtunnel topology score run --bound --json >bound 2>err &&
	jq -e "[.levels[], .all_levels] | all(.optimal_absolute <= .bound_absolute and .bound_absolute <= 228)" bound
'
test_expect_success 'counted in CPUs, whole nodes are as often absolutely optimal' '
	windtunnel topology score run --unit cpus --json >cpus 2>err &&
	jq "[.jobs, (.levels[] | .optimal_absolute)]" score >want &&
	jq "[.jobs, (.levels[] | .optimal_absolute)]" cpus >got &&
	test_cmp want got
'
# job ID START NODES LIST: a line of jobs.csv, in the columns of the header on standard input
job() {
	awk -F, -v id="$1" -v start="$2" -v nodes="$3" -v list="$4" '{
		v["job_id"] = id; v["starting_time"] = start; v["finish_time"] = v["release_time_s"] = 50;
		v["execution_time"] = 50 - start
		v["node_list"] = "\"" list "\"";
		v["requested_nodes"] = v["allocated_nodes"] = v["requested_number_of_resources"] = nodes
		v["cpus"] = v["allocated_cpus"] = nodes; v["state"] = "COMPLETED";
		v["final_state"] = "COMPLETED_SUCCESSFULLY"
		v["success"] = 1; v["name"] = v["workload_name"] = v["profile"] = "x" id; v["metadata"] = v["node_cpus"] = ""
		for (i = 1; i <= NF; i++)
			printf "%s%s", $i in v ? v[$i] : 0, i < NF ? "," : "\n"
	}'
}
test_expect_success 'of jobs placed in one cycle each is judged by what those before it left, as slurmctld has logged it' '
	mkdir -p cycle/logs && cp run/summary.json run/topology.conf cycle && head -n 1 run/jobs.csv >header &&
	{ cat header && job 1 1 60 "n[0-55,58-59,64-65]" <header && job 2 10.002 6 "n[66-71]" <header &&
	  job 3 10.001 6 "n[56-57,60-63]" <header; } >cycle/jobs.csv &&
	windtunnel topology score cycle --json >node-side &&
	jq -e ".jobs == 3 and .levels[0].optimal_relative == 1" node-side &&
	printf "[2026-01-01T00:00:0%s] %s\n" 1.000 \
		"sched: Allocate JobId=1 NodeList=n[0-55,58-59,64-65] #CPUs=60 Partition=main" \
		2.000 "sched/backfill: _start_job: Started JobId=2 in main on n[66-71]" \
		2.001 "sched: Allocate JobId=9_1(3) NodeList=n[56-57,60-63] #CPUs=6 Partition=main" 3.000 "other" \
		>cycle/logs/slurmctld.log &&
	windtunnel topology score cycle --json >logged && jq -e ".jobs == 3 and .levels[0].optimal_relative == 2" logged
'
offered() { printf "[2026-01-01T00:00:03.000] windtunnel bestfit: offered: JobId=%s\n" "$@" >cycle/logs/slurmctld.log; }
test_expect_success 'what the plugin logged that jobs were offered counts beside what was free' '
	offered "3 4:n[0-71]" "3 4:n[56-57,60-63] 1:n66" "77 4:n1" &&
	printf "[x] windtunnel bestfit: offered: JobId=2 4:n[" >>cycle/logs/slurmctld.log &&
	windtunnel topology score cycle --json >told 2>err &&
	jq -e ".levels[0] == {level: 0, optimal_absolute: 1, optimal_relative: 1, optimal_offered: 2} and
		.jobs_not_offered == 2" told &&
	grep "of 2 jobs it is not known what they were offered" err &&
	windtunnel topology score cycle | grep "of what was offered"
'
test_expect_success 'an offer that is none is an error in words' '
	offered "2 4=n1" && test_expect_code 1 windtunnel topology score cycle 2>err &&
	grep "cycle/logs/slurmctld.log: what job 2 was offered: .4=n1. is not CPUS:NODES" err
'
# Of each job on several shared nodes: its id, CPUs, nodes, and the sum and the nodes of node_cpus, column 33.
node_cpus_sum() {
	awk -F'"' -v OFS= '{ for (i = 2; i <= NF; i += 2) gsub(/,/, ";", $i); print }' "$1" |
	awk -F, 'NR > 1 && $23 == 0 && $25 > 1 {
		sum = nodes = 0; terms = split($33, term, ";")
		for (i = 1; i <= terms; i++) {
			split(term[i], part, /[(x)]+/); times = part[2] == "" ? 1 : part[2]
			sum += part[1] * times; nodes += times
		}
		print $1, $26, $25, sum, nodes
	}'
}
test_expect_success 'shared nodes: the record has the CPUs that each job had on each node' '
	windtunnel esp --nodes 72 --unit cpus --topology tree.conf --time-scale 0.005 --timeout 300 --quiet --output shared \
		--plugin bestfit --set SchedulerParameters+=bestfit=on,bestfit_offers=on >out 2>err &&
	node_cpus_sum shared/jobs.csv >sums && test_line_count -gt 20 sums &&
	awk "\$2 != \$4 || \$3 != \$5 { bad++; print } END { exit bad > 0 }" sums
'
test_expect_success 'and score takes them from there' '
	windtunnel topology score shared --json >exact 2>err && test_must_fail grep "not known" err &&
	jq -e ".jobs == 228 and (has(\"jobs_cpus_assumed\") | not)" exact
'
test_expect_success 'the plugin has logged what jobs were offered, and nearly all are as good as that allowed' '
	jq -e ".jobs_not_offered < 20 and .all_levels.optimal_offered > 200" exact
'
test_expect_success 'an older record has no such column: score says what it assumes' '
	mkdir older && cp -r shared/summary.json shared/topology.conf shared/events.csv shared/logs older &&
	sed "1s/,node_cpus,/,unheard_of,/" shared/jobs.csv >older/jobs.csv && test_must_fail grep node_cpus older/jobs.csv &&
	windtunnel topology score older --json >assumed 2>err &&
	jq -e ".jobs == 228 and .jobs_cpus_assumed > 0 and .jobs_cpus_assumed <= $(wc -l <sums)" assumed &&
	grep "of $(jq .jobs_cpus_assumed assumed) jobs it is not known how many CPUs" err
'
test_expect_success 'show draws the run: idle before it, busy in it' '
	windtunnel topology show tree.conf --run run --at -1 --json >before &&
	jq -e ".levels[2].switches[0] == {\"name\": \"root\", \"free\": 72, \"all\": 72}" before &&
	half=$(middle_of_a_job run/jobs.csv) &&
	windtunnel topology show tree.conf --run run --at "$half" --json >middle &&
	jq -e ".levels[2].switches[0].free < 72" middle
'
test_done
