#!/bin/sh
test_description='bench/placement: the table from its records, no run'
. "$WT_SRCDIR/t/setup.sh"

placement() { "$WT_SRCDIR/bench/placement" --records records --output none "$@"; }
# record POLICY SEED BOTH MAKESPAN
record() {
	jq -n --arg policy "$1" --argjson seed "$2" --argjson both "$3" \
		--argjson makespan "$4" '{ variant: "light", unit: "nodes",
		$policy, $seed, jobs: 228, absolute: [$both, 228, $both], relative: [228, 228, 228], makespan_s: $makespan,
		utilization: 0.8, wait_mean_s: 300, wait_max_s: 700, held_jobs: 2, controller_cpu_s: 30, wall_s: 60,
		commit: "abc" }' >"records/light-nodes-$(echo "$1" | tr : _)-$2.json"
}

test_expect_success 'means, and differences of makespan within a seed' '
	mkdir records && record fine 1 70 1000 && record fine 2 80 1100 && record bestfit 1 200 1010 &&
	record bestfit 2 202 1122 &&
	record wait0:20 2 227 1111 &&
	file=records/light-nodes-bestfit-2.json && jq ".relative[2] = 226 | .offered = [228, 228, 227]" $file >new &&
	mv new $file && record fine 3 90 1 &&
	placement --seeds 1-2 --table >out && test_line_count = 5 out &&
	placed="| fine | 2 | 75/228/75 | 228/228/228 |  | 70-80" &&
	grep "^$placed | 1050 (71) |  | -1.48 (+-6.17) | 80 | 300 | 2 | 113/209/106, 1315 |\$" out &&
	placed="| bestfit | 2 | 201/228/201 | 228/228/227 | 228/228/227 (1) | 200-202" &&
	grep "^$placed | 1066 (79) | +1.5 (+-6.35) |  | 80 | 300 | 2 |  |\$" out &&
	grep "^| wait0:20 | 1 | 227/228/227 | 228/228/228 |  | 227-227 | 1111 | +1 | -0.98 | 80 | 300 | 2 |  |\$" out &&
	grep "held back | paper: S/L/both, s |\$" out
'
test_expect_success 'the figures of Georgiou and Hautreux 2012 are beside Light-ESP by nodes only' '
	jq ".unit = \"cpus\"" records/light-nodes-fine-1.json >records/light-cpus-fine-1.json &&
	placement --unit cpus --seeds 1 --table >out && grep "held back |\$" out && rm records/light-cpus-fine-1.json
'
test_expect_success 'a line for each cell' '
	placement --seeds 1-2 --policies "fine wait0:20" --csv >out && test_line_count = 4 out &&
	grep "^wait0:20,2,227,228,227,228,228,228,1111,80,300,700,2,228,30,60,abc\$" out
'
test_expect_success 'other units, clocks and charges are not mixed in; nothing there is told' '
	test_expect_code 1 placement --unit cpus --table 2>err && grep "no cell of these is in records" err &&
	test_expect_code 1 placement --charge real --table && test_expect_code 1 placement --clock real --table &&
	test_expect_code 1 placement --charge much --table 2>err && grep "charge is none, real or cpu, not .much" err
'
test_expect_success 'releases beside each other: how each differs from the first, seed by seed' '
	for seed in 1 2; do
		name=records/light-nodes-bestfit-$seed &&
		jq ".slurm = \"slurm-wlm 22.05.8\"" $name.json >new && mv new $name.json &&
		jq ".slurm = \"24.11.5\" | .absolute = [.absolute[] - 2 * $seed] | .makespan_s += 5" $name.json \
			>$name-slurm24.11.5.json || return 1
	done &&
	placement --seeds 1-2 --policies bestfit --slurm "own 24.11.5" --table >out && test_line_count = 4 out &&
	placed="201/228/201 | 228/228/227 | 228/228/227 (1) | 201 (+-12.7) |" &&
	grep "^| bestfit | 22.05.8 | 2 | $placed  | 1066 (+-711.5) |  | 300 |\$" out &&
	placed="198/225/198 | 228/228/227 | 228/228/227 (1) | 198 (+-0) | -3 (+-12.7)" &&
	grep "^| bestfit | 24.11.5 | 2 | $placed | 1071 (+-711.5) | 5 (+-0) | 300 |\$" out &&
	placement --seeds 1 --policies bestfit --slurm 24.11.5 --csv >out && grep "^bestfit,1,198,226,198," out &&
	test_expect_code 1 placement --slurm 24.11 --table 2>err && grep "as 24.11.5, not .24.11" err
'
test_done
