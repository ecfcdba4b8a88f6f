#!/bin/sh
test_description='bench/calibrate-delays: delays of real nodes, as settings of virtual ones'
. "$WT_SRCDIR/t/setup.sh"

CALIBRATE=$WT_SRCDIR/bench/calibrate-delays
# folder DIR LAUNCH TOLD RELEASED: of a run of two jobs of 1 s on two of three nodes; job j begins LAUNCH x j late.
folder() {
	mkdir -p "$1" "$1/logs" &&
	echo '{ "nodes": 3, "time_scale": 0.05, "seed": 1, "jobs_completed": 2, "jobs_total": 2, "failure": "" }' \
		>"$1/summary.json" &&
	printf 'job_id,allocated_resources,requested_run_time_s,allocated_nodes\n1,"0,2",1,2\n2,0-1,1,2\n' >"$1/jobs.csv" &&
	: >"$1/events.csv" && : >"$1/logs/slurmctld.log" &&
	stamp=$(date -d 2026-01-02T03:04:05 +%s) &&
	for job in 1 2; do
		printf '[2026-01-02T03:04:05.000] sched: Allocate JobId=%d NodeList=x #CPUs=1 Partition=p\n' $job \
			>>"$1/logs/slurmctld.log" &&
		end=$(awk -v s=$stamp -v d="$2" -v job=$job 'BEGIN { printf "%.6f", s + 1 + d * job }') &&
		told=$(awk -v d="$2" -v e="$3" -v job=$job 'BEGIN { printf "%.3f", 6 + d * job + e }') &&
		printf '[2026-01-02T03:04:%06.3f] _job_complete: JobId=%d done\n' $told $job >>"$1/logs/slurmctld.log" &&
		echo "$end,end,$job,,,n0,0" >>"$1/events.csv" &&
		last=$(awk -v s=$stamp -v t=$told -v r="$4" 'BEGIN { printf "%.6f", s - 5 + t + r }') &&
		printf "%s,release,$job,,,n0,\n%s,release,$job,,,n1,\n" $last $last >>"$1/events.csv" || return 1
	done
}

test_expect_success 'the settings are what the real nodes took longer' '
	cd "$WT_TMP" && folder c/slurmd 0.2 0.05 0.3 && folder c/virtual 0 0.01 0 &&
	"$CALIBRATE" --nodes 3 --output c >out 2>err && cat out err &&
	test "$(cat out)" = "--node launch-delay=gamma:0.300000,0.100000 --node end-delay=gamma:0.040000,0.000440 \
--node epilog-time=exp:0.200000" &&
	jq -e ".real.launch_mean_s == 0.3 and .virtual.launch_mean_s == 0 and .real.jobs == 2" c/delays.json
'
test_expect_success 'windtunnel takes them' '
	windtunnel cluster up x --nodes 3 --dry-run $(cat out) >/dev/null
'
test_expect_success 'mistakes are said' '
	test_expect_code 2 "$CALIBRATE" --nodes many 2>err && grep "needs a number" err &&
	folder c/virtual 0.2 0.05 0.3 && test_expect_code 1 "$CALIBRATE" --nodes 3 --output c 2>err &&
	grep "nothing to model" err
'
test_done
