#!/bin/sh
test_description='--cancel-after: all jobs of a run are cancelled together once they run'
. "$WT_SRCDIR/t/setup.sh"

summary() { jq -e "$2" "$1/summary.json" >jq.out || { cat "$1/summary.json"; return 1; }; }

test_expect_success 'wrong use' '
	test_expect_code 2 windtunnel run --workload burst --cancel-after soon 2>err && grep "cancel-after" err &&
	test_expect_code 2 windtunnel run --workload burst --cancel-after -1 2>err && grep "cancel-after" err
'
for clock in real virtual; do
	test_expect_success "$clock clock: jobs of different sizes are cancelled, and none of them waits before" '
		windtunnel run --workload burst --jobs 40 --job-cpus 1-4 --run-time 7200 --nodes 20 --clock $clock \
			--shape "pack:1 core:8 pu:1" --probe none --cancel-after 2 --quiet --output $clock >out 2>err ||
			{ cat err; false; }
		summary $clock ".jobs_completed == 0 and .jobs_by_state == {\"CANCELLED\": 40} and .failure == \"\" and
			.end_rate_per_s > 0 and .cancel_begin_s > .begin_s + 2 and .makespan_s < 3600" &&
		grep "termination throughput  *[0-9.]* *jobs/s" out
	'
	test_expect_success "$clock clock: the throughput is that of the jobs in jobs.csv" '
		python3 - $clock >want <<-\END &&
		import csv, json, sys
		s = json.load(open(sys.argv[1] + "/summary.json"))
		rows = list(csv.DictReader(open(sys.argv[1] + "/jobs.csv")))
		last = max(float(r["release_time_s"]) for r in rows)
		assert all(float(r["starting_time"]) < s["cancel_begin_s"] - s["begin_s"] for r in rows)
		assert all(r["final_state"] == "COMPLETED_KILLED" for r in rows)
		rate = len(rows) / (last - (s["cancel_begin_s"] - s["begin_s"]))
		assert abs(rate / s["end_rate_per_s"] - 1) < 1e-3, (rate, s["end_rate_per_s"])
		print(s["kinds"]["end_rate_per_s"])
		END
		case $clock in real) echo real ;; *) echo modelled ;; esac >kind && test_cmp kind want
	'
done
test_expect_success 'jobs that end before are COMPLETED; those that wait are waited for' '
	windtunnel run --workload burst --jobs 6 --run-time 100 --nodes 4 --shape "pack:1 core:1 pu:1" --clock virtual \
		--charge none --cancel-after 20 --quiet --output two >out 2>err || { cat err; false; }
	summary two ".jobs_by_state == {\"COMPLETED\": 4, \"CANCELLED\": 2} and .failure == \"\" and
		.cancel_begin_s - .begin_s > 120 and .cancel_begin_s - .begin_s < 200"
'
test_expect_success 'nothing is left to be cancelled: the run fails and says so' '
	test_expect_code 1 windtunnel run --workload burst --jobs 4 --run-time 10 --nodes 4 --clock virtual --charge none \
		--cancel-after 100 --quiet --output none >out 2>err && grep "cancel-after: all jobs had ended before" err &&
	summary none ".end_rate_per_s == null and .cancel_begin_s == null"
'
test_expect_success 'the page says the rate, and the command that repeats the run' '
	windtunnel report --output page.html real >/dev/null &&
	grep -q "ended a second when they were cancelled" page.html &&
	grep -q -e "--cancel-after=\{0,1\} \{0,1\}2" page.html
'
test_expect_success 'a run is not resumed with another time' '
	test_expect_code 1 windtunnel run --workload burst --jobs 6 --run-time 100 --nodes 4 --shape "pack:1 core:1 pu:1" \
		--clock virtual --charge none --cancel-after 30 --quiet --output two --resume 2>err &&
	grep "made with another cancel_after_s" err
'
test_done
