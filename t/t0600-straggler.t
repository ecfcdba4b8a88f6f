#!/bin/sh
test_description='windtunnel straggler: simulate, replay, reproduce'
. "$WT_SRCDIR/t/setup.sh"

command -v gnuplot >/dev/null && test_set_prereq GNUPLOT

# value KEY <FILE: the number behind "KEY": in JSON
value() { sed -n "s/.*\"$1\": \([-0-9.e]*\),*$/\1/p"; }
# between LOW HIGH VALUE
between() { awk -v low="$1" -v high="$2" -v value="$3" 'BEGIN { exit !(low <= value && value <= high) }' ||
	{ echo "$3 is not between $1 and $2"; false; } }
simulate() { windtunnel straggler simulate "$@"; }

test_expect_success 'rate flags half of the normal tasks, as in Lambert et al. 2022' '
	simulate --detector rate --tasks 50 --duration 20 --spread 0.25 --starts skewed --latency none --runs 200 \
		--seed 3 --json >rate &&
	between 0.51 0.56 "$(value false_positive_mean <rate)" &&
	between 0.50 0.57 "$(value false_positive_median <rate)" &&
	between 0 0 "$(value false_negative_mean <rate)"
'
test_expect_success 'score misses the stragglers of long tasks' '
	simulate --detector score --duration 50 --runs 200 --json >score &&
	between 0.9 1 "$(value false_negative_mean <score)" &&
	between 0 0.001 "$(value false_positive_mean <score)"
'
test_expect_success 'fresh does neither' '
	for duration in 20 50 100; do
		simulate --detector fresh --duration $duration --starts skewed --latency pareto --runs 100 --json >fresh &&
		between 0 0.001 "$(value false_positive_mean <fresh)" &&
		between 0 0.005 "$(value false_negative_mean <fresh)" || return 1
	done
'
test_expect_success 'fresh is the detector unless told, the settings are those of Lambert et al. 2022' '
	simulate --json >defaults &&
	grep -q "\"detector\": \"fresh\"" defaults &&
	test "$(value tasks <defaults)" = 50 && test "$(value runs <defaults)" = 50 &&
	test "$(value window_s <defaults)" = 6.0
'
test_expect_success 'the same seed gives the same figures, another one others' '
	simulate --detector all --latency pareto --seed 5 >a &&
	simulate --detector all --latency pareto --seed 5 >b &&
	simulate --detector all --latency pareto --seed 6 >c &&
	test_cmp a b && test_must_fail cmp -s a c
'
test_expect_success 'silence gives hung tasks away' '
	simulate --spread 0.1 --hang 0.04 --json >silence &&
	test "$(value hung <silence)" = 100 && test "$(value hung_missed <silence)" = 0 &&
	simulate --spread 0.1 --hang 0.04 --silence inf --json >patience &&
	test "$(value hung_missed <patience)" = 100
'
test_expect_success 'a replay of the log gives the figures of the simulation' '
	simulate --detector all --starts skewed --latency pareto --noise 0.1 --offset 0.5 --loss 0.1 --hang 0.04 \
		--slow 0.1 --runs 20 --log log --csv simulated.csv --json >simulated &&
	windtunnel straggler replay log --csv replayed.csv --json >replayed &&
	test_cmp simulated.csv replayed.csv &&
	grep -E "\"(refused|heartbeats|unknown|hung_missed|stragglers)\"" simulated >a &&
	grep -E "\"(refused|heartbeats|unknown|hung_missed|stragglers)\"" replayed >b &&
	test_cmp a b && test_line_count = 25 a
'
test_expect_success 'without what only a simulator knows, the ends tell nearly the same' '
	simulate --detector rate --starts skewed --runs 20 --log told --json >simulated &&
	grep -v "\"type\":\"task\"" told >log &&
	windtunnel straggler replay --detector rate --json - <log >replayed &&
	test "$(value stragglers <simulated)" = "$(value stragglers <replayed)" &&
	test "$(value false_positive_mean <simulated)" = "$(value false_positive_mean <replayed)"
'
test_expect_success 'refused heartbeats are counted, the others used' '
	simulate --runs 1 --log log >/dev/null &&
	sed "s/\"elapsed_s\":6,\"progress\":[0-9.]*/\"elapsed_s\":6,\"progress\":1.5/" log >bad &&
	windtunnel straggler replay --detector fresh --json bad >out &&
	test "$(value refused <out)" = 50
'
test_expect_success 'a broken log is refused with its line' '
	echo "{\"type\":\"heartbeat\"}" >>log &&
	test_expect_code 1 windtunnel straggler replay log 2>err &&
	test_line_count = 1 err && grep -q "^windtunnel straggler replay: log:[0-9]*: a string is missing: job" err &&
	test_expect_code 1 windtunnel straggler replay nothing 2>err && grep -q "nothing: No such file" err &&
	: >empty && test_expect_code 1 windtunnel straggler replay empty 2>err && grep -q "empty" err &&
	echo "{\"type\":\"windtunnel-heartbeats\",\"version\":1}" >jobless &&
	test_expect_code 1 windtunnel straggler replay jobless 2>err && grep -q "no job" err
'
test_expect_success 'nonsense in every option is refused' '
	while read -r option; do
		test_expect_code 2 windtunnel straggler $option 2>err || { echo "$option"; return 1; }
		grep -q "^windtunnel straggler" err || { echo "$option"; cat err; return 1; }
	done <<-EOF
	nonsense
	simulate --tasks 0
	simulate --tasks 1e3
	simulate --duration x
	simulate --duration -5
	simulate --duration nan
	simulate --spread 1
	simulate --starts late
	simulate --latency some
	simulate --runs 0
	simulate --runs -1
	simulate --seed 0
	simulate --seed 4294967296
	simulate --window 0
	simulate --window 1e-9
	simulate --noise 1
	simulate --offset -1
	simulate --loss 2
	simulate --hang nan
	simulate --hang-wait -1
	simulate --slow 1.5
	simulate --slow-range 3
	simulate --slow-range 3:1.5
	simulate --detector best
	simulate --detector rate,best
	simulate --lag soon
	simulate --tick 0
	simulate --slow-ratio 1
	simulate --score-gap 1
	simulate --z -1
	simulate --silence -1
	simulate too much
	replay
	replay a b
	reproduce --runs 1
	reproduce --seed 0
	reproduce --robustness --svg x
	EOF
'
test_expect_success 'files that cannot be written are reported' '
	test_expect_code 1 simulate --csv nowhere/x 2>err && grep -q "nowhere/x" err &&
	test_expect_code 1 simulate --log nowhere/x 2>err && grep -q "nowhere/x" err
'
test_expect_success 'CSV has a row for each detector and figure' '
	simulate --detector score,rate,fresh --csv out.csv >/dev/null &&
	test_line_count = 13 out.csv &&
	grep -q "^detector,figure,count,mean,sd,min,decile1,quartile1,median,quartile3,decile9,max$" out.csv &&
	test "$(cut -d, -f1,2 out.csv | grep -c "^rate,")" = 4
'
test_expect_success GNUPLOT 'SVG has box plots' '
	simulate --detector all --runs 20 --svg out.svg >/dev/null &&
	grep -q "</svg>" out.svg && grep -q "false positives, %" out.svg && grep -q ">fresh<" out.svg
'
test_expect_success GNUPLOT 'SVG of jobs without stragglers has no boxes for what is not there' '
	simulate --detector all --spread 0.1 --svg none.svg >/dev/null 2>err && wt_empty err &&
	grep -q "</svg>" none.svg && grep -q "detection delay" none.svg
'
test_expect_success 'without gnuplot the package is named, and no file is left' '
	mkdir bin && ln -s "$(command -v windtunnel)" bin/windtunnel &&
	test_expect_code 1 env PATH="$PWD/bin" windtunnel straggler simulate --svg other.svg 2>err &&
	grep -q "gnuplot-nox" err && ! ls other.svg* 2>/dev/null
'
test_expect_success 'a picture that gnuplot did not draw to its end is no success, and no file is left' '
	mkdir liar && printf "#!/bin/sh\ncat >/dev/null\necho \"<svg>\"\n" >liar/gnuplot && chmod +x liar/gnuplot &&
	test_expect_code 1 env PATH="$PWD/liar:$PATH" windtunnel straggler simulate --runs 2 --svg cut.svg 2>err &&
	test_line_count = 1 err && grep "cut.svg: gnuplot did not write all of it; is the disk full?" err &&
	! ls cut.svg* 2>/dev/null
'
test_expect_success 'reproduce prints the figures of Lambert et al. 2022 beside ours' '
	windtunnel straggler reproduce --runs 20 --seed 2 --csv cells.csv >out &&
	grep -Eq "rate, 15-25 s, skewed +false pos., mean +53.27 +5[0-9]\." out &&
	test_line_count = $((1 + 96 * 3 * 4)) cells.csv &&
	windtunnel straggler reproduce --runs 2 --json >json && test "$(grep -c paper_percent json)" = 24
'
test_expect_success 'reproduce --robustness has the other tables' '
	windtunnel straggler reproduce --robustness --runs 5 >out &&
	grep -q "^Speed noise" out && grep -q "^Separated" out && grep -q "^Silent hangs" out &&
	grep -q "^Lost heartbeats" out && grep -q "^Clocks" out
'
test_expect_success 'without a plugin to ask, its settings are what is missing' '
	for part in status nodes "record log"; do
		test_expect_code 1 env SLURM_CONF="$PWD/slurm.conf" windtunnel straggler $part 2>err &&
		test_line_count = 1 err &&
		grep "$PWD/straggler.conf: there is none.*--conf.*SLURM_CONF" err || return 1
	done
'
test_expect_success 'each part has --help' '
	for part in simulate replay reproduce status nodes record; do
		windtunnel straggler $part --help >out && grep -q "^Usage: windtunnel straggler $part" out || return 1
	done &&
	windtunnel straggler --help >out && grep -q "^  simulate" out
'
test_done
