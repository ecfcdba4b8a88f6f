#!/bin/sh
test_description='windtunnel montecarlo: runs with drawn run times'
. "$WT_SRCDIR/t/setup.sh"

# simulated DIR SEED N: a burst of jobs one behind the other, so that the makespan is the sum of their run times
simulated() {
	windtunnel run --workload burst --jobs 6 --run-time 20 --nodes 1 --perturb "uniform 20" --seed "$2" --repeat "$3" \
		--clock virtual --charge none --quiet --timeout 600 --output "$1" >"$1.out" 2>"$1.err" ||
		{ cat "$1.err"; false; }
}
# asked DIR: the CPU time that the runs' jobs were drawn to need, run by run
asked() {
	for run in "$1"/[1-9]*/jobs.csv; do
		awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "requested_run_time_s") n = i }
			NR > 1 { s += $n } END { printf "%.6f\n", s }' "$run"
	done
}

test_expect_success 'wrong use' '
	test_expect_code 2 windtunnel montecarlo 2>err && grep "which runs" err &&
	test_expect_code 2 windtunnel montecarlo --figure speed x 2>err && grep "speed: not a figure" err &&
	test_expect_code 1 windtunnel montecarlo none 2>err && grep "^windtunnel montecarlo: none" err
'
test_expect_success 'runs of other seeds have other run times; scenario.json says how' '
	simulated sim 1 6 && asked sim | sort -u >sums && test_line_count = 6 sums &&
	jq -e ".options.perturb == \"uniform 20\"" sim/3/scenario.json
'
test_expect_success 'the fit is that of the runs'"'"' makespans' '
	windtunnel montecarlo --json sim >json &&
	for run in 1 2 3 4 5 6; do jq .makespan_s sim/$run/summary.json; done | jq -s . >makespans &&
	jq -e --slurpfile m makespans "(\$m[0] | add / 6) as \$mean |
		(\$m[0] | map((. - \$mean) * (. - \$mean)) | add / 6 | sqrt) as \$sd |
		(.fits | length) == 6 and (.fits[5].mean - \$mean | fabs) < 1e-6 and (.fits[5].sd - \$sd | fabs) < 1e-6 and
		\$sd > 0 and (.fits[5].mean_error * (6 | sqrt) - \$sd | fabs) < 1e-6 and
		(.interval_95.high - \$mean - 2 * \$sd | fabs) < 1e-6 and .interval_95.observed == 0 and .level == null" json
'
test_expect_success 'observed runs: how many are caught, and how much they vary' '
	windtunnel montecarlo --json --observed sim sim >json &&
	jq -e ".interval_99.rate == 1 and .interval_99.observed == 6 and .level > 0.05 and .level < 0.25" json &&
	windtunnel montecarlo --observed sim sim >out &&
	grep "99 % interval (3 deviations): .*6 of 6 observed runs, 100.0 %" out &&
	grep "vary by P = [0-9.]* % (equation 4.3, 6 jobs)" out
'
test_expect_success 'that the observed runs are of another workload is told; that theirs was drawn otherwise is not' '
	cp -r sim other && for run in 1 2 3 4 5 6; do
		jq ".options.workload.run_time_s = 7 | .options.perturb = \"uniform 5\"" sim/$run/scenario.json \
			>other/$run/scenario.json || return 1
	done && windtunnel montecarlo --observed other sim >out 2>err && test_line_count = 1 err &&
	grep "sim and other are runs of different workloads: --run-time [0-9.]* and 7\$" err &&
	windtunnel montecarlo --observed sim sim >out 2>err && wt_empty err
'
test_expect_success 'simulations beside each other, in JSON, in words and on a page' '
	simulated many 100 12 && windtunnel montecarlo --json --observed sim many >json &&
	jq -e "(.between | map(.runs)) == [10] and (.between[0] | .sd_sd > 0 and .mean_sd > 0 and .mean_error > 0) and
		(.fits[11].mean as \$mean | .between[0].mean / \$mean | . > 0.9 and . < 1.1)" json &&
	windtunnel montecarlo --json --observed sim many >again && test_cmp json again &&
	"$WT_SRCDIR/bench/plots" montecarlo json many.svg && xmllint --noout many.svg && grep -q "holds 95 %" many.svg &&
	windtunnel montecarlo --observed sim --page page.html many >out &&
	grep "100 simulations of 10 such runs vary by [0-9.]* % (mean) and [0-9.]* % (deviation)" out &&
	grep -q "of 6, [0-9.]* %</td>" page.html && grep -q "How many runs are enough?" page.html &&
	grep -q "Would another simulation say the same?" page.html && test "$(grep -c "<figure" page.html)" -ge 4
'
test_expect_success 'a page that cannot be written is an error' '
	test_expect_code 1 windtunnel montecarlo --page nowhere/page.html sim 2>err && grep "nowhere/page.html" err
'
test_expect_success 'bench/montecarlo: wrong use' '
	test_expect_code 2 "$WT_SRCDIR/bench/montecarlo" --runs 0 2>err && grep "runs 0: give a whole number" err &&
	test_expect_code 2 "$WT_SRCDIR/bench/montecarlo" --speed 2>err && grep "speed.*not an option" err &&
	test_expect_code 2 "$WT_SRCDIR/bench/montecarlo-bag" --runs x 2>err && grep "runs x: give a whole number" err &&
	test_expect_code 2 "$WT_SRCDIR/bench/montecarlo-bag" --observed 5 --learn 5 2>err && grep "left to be caught" err &&
	test_expect_code 2 "$WT_SRCDIR/bench/montecarlo-bag" --scale 1.2.3 2>err && grep "scale 1.2.3: give a number" err &&
	test_expect_code 2 "$WT_SRCDIR/bench/montecarlo-bag" --together 0 2>err && grep "together 0: give a whole" err &&
	test_expect_code 2 "$WT_SRCDIR/bench/montecarlo-bag" --provision slurm 2>err && grep "give asap, afap" err &&
	test_expect_code 2 "$WT_SRCDIR/bench/montecarlo-bag" --unit 120 2>err && grep "unit is for nodes" err &&
	test_expect_code 2 "$WT_SRCDIR/bench/predict-boots" --kind hrs 2>err && grep "bag or montage" err &&
	test_expect_code 2 "$WT_SRCDIR/bench/predict-boots" --first 0 2>err && grep "first 0: give a whole number" err &&
	test_expect_code 1 "$WT_SRCDIR/bench/predict-boots" --report --dir none 2>err && grep "no run has been observed" err
'
# A windtunnel whose runs have two tasks, one after the other on a node, and are written down.
cat >stand-in <<'END'
#!/bin/sh
case "$1 $2" in
"workload generate") printf "{\"id\":\"brs%d\",\"run_time_s\":%d}\n" 1 40 2 60 >"$4"; exit ;;
"run --nodes") ;;
*) echo "{\"level\": 0.05}"; exit ;;
esac
echo "$*" >>asked
while [ "$1" != --output ]; do shift; done
case $2 in */simulated/1) units=11 ;; *) units=12 ;; esac
mkdir "$2" && echo "{\"failure\": \"\", \"billed_units\": $units}" >"$2/summary.json"
printf "%s\n" name,starting_time,execution_time,release_time_s,node_list jobs.brs1,1,1.5,3,n0 \
	jobs.brs2,4,4.5,9,n0 >"$2/jobs.csv"
END
chmod +x stand-in
bag() { WINDTUNNEL=./stand-in "$WT_SRCDIR/bench/montecarlo-bag" --dir bag --observed 3 --learn 2 "$@" >out; }
test_expect_success 'bench/montecarlo-bag: tasks keep their names, runs their seeds, and what has ended stays' '
	bag --runs 2 --together 2 --scale 0.05 && grep "^learnt from 2 runs: P = 5 %" out &&
	echo "{\"id\":\"brs1\",\"submit_s\":0,\"run_time_s\":3,\"tasks\":1}" >want &&
	echo "{\"id\":\"brs2\",\"submit_s\":0,\"run_time_s\":5,\"tasks\":1}" >>want &&
	test_cmp want bag/lengths.jsonl &&
	test_line_count = 5 asked &&
	sed "s/.*--seed \([0-9]*\) .*/\1/" asked | sort -n | xargs >seeds &&
	echo 1 2 3 1001 1002 >want && test_cmp want seeds &&
	test "$(grep -c "time-scale 0.05 --backend slurmd" asked)" = 3 &&
	rm bag/observed/1/summary.json && bag --runs 3 && test_line_count = 7 asked
'
test_expect_success 'bench/montecarlo-bag --provision: rented alike in all runs, tasks expected to take their own time' '
	rm -rf asked bag && bag --runs 2 --scale 0.05 --provision afap --quota 7 && test_line_count = 5 asked &&
	echo "{\"id\":\"brs1\",\"submit_s\":0,\"run_time_s\":1.5,\"tasks\":1,\"expected_s\":2}" >want &&
	echo "{\"id\":\"brs2\",\"submit_s\":0,\"run_time_s\":4.5,\"tasks\":1,\"expected_s\":3}" >>want &&
	test_cmp want bag/lengths.jsonl &&
	rented="--provision afap --provision-quota 7 --provision-margin 20 --provision-boot 3 --cost unit=180" &&
	rented="$rented --elastic boot=normal:3,0.25 --elastic stop=1" &&
	test "$(grep -c -e "$rented --elastic seed=" asked)" = 5 &&
	sed "s/.*--seed \([0-9]*\) .* seed=\([0-9]*\)$/\1 \2/" asked >seeds &&
	awk "\$1 != \$2" seeds >unlike &&
	test_must_be_empty unlike &&
	grep "simulated 11 (1 runs), 12 (1 runs); observed 12 (1 runs)" out && grep "1 of 1 observed runs paid" out &&
	rm -rf asked bag && bag --runs 1 --scale 0.005 --provision asap --unit 240 --boot 5 &&
	test "$(grep -c "unit=240 --elastic boot=5 " asked)" = 4 && rm -rf bag && bag --runs 1 --provision asap &&
	grep "unit=120 --elastic boot=normal:0.3,0.025 " asked
'
test_done
