#!/bin/sh
test_description='windtunnel compare: run folders side by side'
. "$WT_SRCDIR/t/setup.sh"

# refused STATUS TEXT ARGUMENT...: nothing on stdout, TEXT on stderr
refused() {
	status=$1 text=$2
	shift 2
	test_expect_code "$status" windtunnel compare "$@" >out 2>err && test_line_count = 0 out &&
	{ grep -q -e "^windtunnel compare: .*$text" err || { cat err; false; }; }
}

test_expect_success 'wrong use' '
	refused 2 "two run folders" && refused 2 "two run folders" a &&
	refused 2 "nonsense: not a figure" --figure nonsense a b &&
	refused 1 "a: No such file" a b &&
	mkdir empty && refused 1 "empty: no run that ended well" empty empty
'
test_expect_success 'two sets of real runs: their folders, pairs, intervals' '
	for set in a b; do
		windtunnel run --workload burst --jobs 4 --run-time 0.2 --nodes 4 --repeat 2 --quiet --output $set \
			>out 2>err || return 1
	done &&
	windtunnel compare a b >out &&
	grep -q "^A: a: burst on 4 virtual nodes (4 CPUs), time scale 1, real clock, Slurm [0-9.]*, 2 runs\$" out &&
	grep -q "^paired by seed\$" out && grep -q "^  makespan .* %\$" out &&
	sed -n "/^Measured on the real clock:/,/^\$/p" out >measured && grep "^  wait, mean " measured &&
	! grep "^  ideal makespan" measured && sed -n "/^Modelled, not measured:/,/^\$/p" out >modelled &&
	grep "^  ideal makespan " modelled && grep "The same in each run: ideal makespan" modelled &&
	grep "^[0-9]* comparisons at once: .*Holm" out && ! grep "One run on a side" out &&
	{ grep -E "^  b (raises|lowers|and a cannot be told apart in|and a have the same) ?[a-z ]*makespan" out ||
		{ cat out; false; }; } &&
	windtunnel compare --json --figure makespan_s a b a/1 >out &&
	jq -e "length == 2 and .[0].paired and (.[1].paired | not) and (.[0].figures | keys) == [\"makespan_s\"] and
		.[0].figures.makespan_s.difference_ci95 >= 0 and .[1].b.runs == 1 and
		(.[0].figures.makespan_s | (.sentence | test(\"^b .*makespan\")) and .p_holm == .p and
			.asserted == (.p < 0.05)) and .[0].comparisons == 1 and .[1].comparisons == 1 and
		.[1].figures.makespan_s.difference_ci95 == null" out &&
	windtunnel compare --figure makespan_s a b b >out &&
	test "$(grep -c "^2 comparisons at once: .*Holm" out)" = 1 &&
	windtunnel compare --json --figure makespan_s a b b >out &&
	jq -e ".[0].comparisons == 2 and ([.[].figures.makespan_s.p_holm] | .[0] == .[1]) and
		(.[0].figures.makespan_s | .p_holm >= .p)" out &&
	windtunnel compare a/1 b/1 >out && grep "^One run on a side: whether a difference is more than chance" out &&
	windtunnel compare --json a b >out &&
	jq -e -s ".[0][0].figures.wait_mean_s.a as \$mean | .[1].wait_mean_s - \$mean | fabs < 1e-4" out a/summary.json
'
test_expect_success 'figures of different kinds are refused, unless one says that one wants it' '
	cp -r b v && for run in 1 2; do
		jq "(.kinds[] | select(. == \"real\")) = \"virtual\" | .clock = \"virtual\"" b/$run/summary.json \
			>v/$run/summary.json || return 1
	done &&
	refused 1 "makespan_s is real in a but virtual in v.*--across-kinds" a v &&
	windtunnel compare --across-kinds a v >out &&
	sed -n "/^Of two kinds, A real and B virtual:/,/^\$/p" out >two && grep "^  makespan " two &&
	windtunnel compare --figure ideal_s a v >out && test_line_count = 8 out
'
test_expect_success 'bench/clock-validate: the table of real and virtual runs' '
	mkdir -p val/burst-fifo && cp -r a val/burst-fifo/real && cp -r v val/burst-fifo/virtual &&
	for figure in makespan_s wait_mean_s; do
		for run in 1 2; do
			jq --slurpfile real a/$run/summary.json ".$figure = \$real[0].$figure * 1.001" \
				val/burst-fifo/virtual/$run/summary.json >x &&
			mv x val/burst-fifo/virtual/$run/summary.json || return 1
		done
	done &&
	"$WT_SRCDIR/bench/clock-validate" table --dir val >out && test_line_count = 4 out &&
	grep -q "^| burst-fifo | makespan | .* 2 pairs |\$" out &&
	jq ".makespan_s = 9" val/burst-fifo/virtual/2/summary.json >x && mv x val/burst-fifo/virtual/2/summary.json &&
	test_expect_code 1 "$WT_SRCDIR/bench/clock-validate" table --dir val >out && grep -c " MISS\$" out >count &&
	test "$(cat count)" = 1 &&
	rm val/burst-fifo/virtual/*/summary.json &&
	test_expect_code 1 "$WT_SRCDIR/bench/clock-validate" table --dir val >out &&
	test_expect_code 2 "$WT_SRCDIR/bench/clock-validate" run --cases nonsense 2>err &&
	grep -q "nonsense is not a case" err
'
test_expect_success 'a failed run is left out; another workload is refused, unless one says that one wants it' '
	jq ".failure = \"broken\"" b/2/summary.json >x && mv x b/2/summary.json &&
	windtunnel compare a b >out && grep -q "^B: b: .*, 1 run (1 more did not end well)\$" out &&
	jq ".workload = \"spaced\"" b/1/summary.json >x && mv x b/1/summary.json &&
	refused 1 "a and b are runs of different workloads: workload burst and spaced (--across-workloads" a b &&
	windtunnel compare --across-workloads a b >out && grep -q "^B: b: " out
'
# Submission, run time, processors.
job() { echo "$1 $2 -1 $3 $4 -1 -1 $4 $3 -1 1 1 1 -1 -1 1 -1 -1"; }
test_expect_success 'runs of two traces, and of two slices of one, are refused; the name of the file does not matter' '
	mkdir other && { echo "; MaxProcs: 4" && job 1 0 1 1 && job 2 1 1 1; } >t.swf &&
	sed "s/^2 1/2 2/" t.swf >other/t.swf && gzip -c t.swf >same.swf.gz &&
	for run in "t t.swf" "o other/t.swf" "g same.swf.gz" "s t.swf --last-job 1" "x t.swf --time-scale 0.5" \
		"f t.swf --limit-factor 3"; do
		set -- $run && folder=$1 trace=$2 && shift 2 &&
		windtunnel run --workload swf:$trace --clock virtual --charge none --quiet --output $folder "$@" \
			>out 2>err || return 1
	done &&
	refused 1 "t and o are runs of different workloads: trace t.swf (SHA-256 [0-9a-f]*) and t.swf (SHA-256 " t o &&
	test_line_count = 1 err &&
	refused 1 "t and s are runs of different workloads: number of jobs 2 and 1, --last-job 0 and 1" t s &&
	refused 1 "t and x are runs of different workloads: time scale 1.0 and 0.5 " t x &&
	refused 1 "t and f are runs of different workloads: --limit-factor 2.0 and 3.0 " t f &&
	windtunnel compare t g >out 2>err && wt_empty err && grep "^B: g: swf:same.swf.gz on 4 virtual nodes" out &&
	windtunnel compare --json t g >out && jq -e ".[0].same_workload" out &&
	mkdir both && cp -r t both/1 && cp -r o both/2 &&
	refused 1 "both/2/summary.json: not the workload of the runs before it: trace t.swf" t both
'
test_expect_success 'of a run that did not write it down it is said what is not known' '
	cp -r o old && jq "del(.options.workload.sha256)" o/scenario.json >old/scenario.json &&
	windtunnel compare t old >out 2>err &&
	grep "^windtunnel compare: t and old: one is of an older version, which wrote down no checksum" err &&
	windtunnel compare --json t old >out 2>err && jq -e ".[0].same_workload == null" out &&
	cp -r s older && jq "del(.options.workload.sha256)" s/scenario.json >older/scenario.json &&
	refused 1 "number of jobs 2 and 1" t older &&
	mkdir -p none/1 && cp o/summary.json none/1 && windtunnel compare t none >out 2>err &&
	grep "one has no scenario.json" err
'
test_expect_success 'output that cannot be written is a failure' '
	test_expect_code 1 windtunnel compare a a/1 >/dev/full 2>err && test_line_count = 1 err
'
test_done
