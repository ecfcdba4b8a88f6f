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
		windtunnel run --workload burst --jobs 4 --run-time 0.2 --nodes 4 --repeat 2 --quiet --output $set >out 2>err || return 1
	done &&
	windtunnel compare a b >out && grep -q "^A: a: burst on 4 virtual nodes (4 CPUs), time scale 1, real clock, 2 runs\$" out &&
	grep -q "^paired by seed\$" out && grep -q "^  makespan .* real\$" out &&
	windtunnel compare --json --figure makespan_s a b a/1 >out &&
	jq -e "length == 2 and .[0].paired and (.[1].paired | not) and (.[0].figures | keys) == [\"makespan_s\"] and
		.[0].figures.makespan_s.difference_ci95 >= 0 and .[1].b.runs == 1 and .[1].figures.makespan_s.difference_ci95 == null" out &&
	windtunnel compare --json a b >out &&
	jq -e -s ".[0][0].figures.wait_mean_s.a as \$mean | .[1].wait_mean_s - \$mean | fabs < 1e-4" out a/summary.json
'
test_expect_success 'figures of different kinds are refused, unless one says that one wants it' '
	cp -r b v && for run in 1 2; do
		jq "(.kinds[] | select(. == \"real\")) = \"virtual\" | .clock = \"virtual\"" b/$run/summary.json >v/$run/summary.json || return 1
	done &&
	refused 1 "makespan_s is real in a but virtual in v.*--across-kinds" a v &&
	windtunnel compare --across-kinds a v >out && grep -q "^  makespan .* real, virtual\$" out &&
	windtunnel compare --figure ideal_s a v >out && test_line_count = 6 out
'
test_expect_success 'bench/clock-validate: the table of real and virtual runs' '
	mkdir -p val/burst-fifo && cp -r a val/burst-fifo/real && cp -r v val/burst-fifo/virtual &&
	for figure in makespan_s wait_mean_s; do
		for run in 1 2; do
			jq --slurpfile real a/$run/summary.json ".$figure = \$real[0].$figure * 1.001" val/burst-fifo/virtual/$run/summary.json >x &&
			mv x val/burst-fifo/virtual/$run/summary.json || return 1
		done
	done &&
	"$WT_SRCDIR/bench/clock-validate" table --dir val >out && test_line_count = 4 out &&
	grep -q "^| burst-fifo | makespan | .* 2 pairs |\$" out &&
	jq ".makespan_s = 9" val/burst-fifo/virtual/2/summary.json >x && mv x val/burst-fifo/virtual/2/summary.json &&
	test_expect_code 1 "$WT_SRCDIR/bench/clock-validate" table --dir val >out && grep -c " MISS\$" out >count && test "$(cat count)" = 1 &&
	rm val/burst-fifo/virtual/*/summary.json &&
	test_expect_code 1 "$WT_SRCDIR/bench/clock-validate" table --dir val >out &&
	test_expect_code 2 "$WT_SRCDIR/bench/clock-validate" run --cases nonsense 2>err && grep -q "nonsense is not a case" err
'
test_expect_success 'a failed run is left out; another workload is told' '
	jq ".failure = \"broken\"" b/2/summary.json >x && mv x b/2/summary.json &&
	windtunnel compare a b >out && grep -q "^B: b: .*, 1 run (1 more did not end well)\$" out &&
	jq ".workload = \"spaced\"" b/1/summary.json >x && mv x b/1/summary.json &&
	windtunnel compare a b >out 2>err && grep -q "a and b have not the same workload" err
'
test_expect_success 'output that cannot be written is a failure' '
	test_expect_code 1 windtunnel compare a a/1 >/dev/full 2>err && test_line_count = 1 err
'
test_done
