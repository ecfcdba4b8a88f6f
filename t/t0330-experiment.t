#!/bin/sh
test_description='windtunnel experiment: cases in turns, their differences, going on after an interruption'
. "$WT_SRCDIR/t/setup.sh"

# Two variants that surely differ: a burst of 8 jobs on 4 CPUs, and on 8.
experiment() {
	cat >"$1.yaml" <<-END
	title: Four nodes or eight?
	seed: 5
	repeat: 2
	workload: {kind: burst, jobs: 8, run-time: 30}
	cluster: {nodes: 4, shape: "pack:1 core:1 pu:1", clock: virtual, charge: none}
	variants:
	  four:
	  eight: {cluster: {nodes: 8}}
	END
}
# refused WORDS ARGUMENT...: wrong use, nothing made
refused() {
	words=$1
	shift
	test_expect_code 2 windtunnel experiment run "$@" 2>err >out && test_line_count = 0 out &&
	{ grep -q -e "^windtunnel experiment run: .*$words" err || { cat err; false; }; }
}

test_expect_success 'wrong use, and files that are wrong: by their line, before anything is run' '
	refused "give the experiment" && refused "2: cluster has no .node" /dev/stdin <<-END &&
	cluster:
	  node: 4
	END
	experiment wrong && sed -i "s/nodes: 8/nodes: 80000/" wrong.yaml &&
	refused "wrong.yaml:8: eight: .*nodes" --dry-run wrong.yaml && refused "wrong.yaml:8: eight: .*nodes" wrong.yaml &&
	experiment wrong && printf "slurm.conf:\n  EpilogMsgTimee: 1\n" >>wrong.yaml &&
	refused "wrong.yaml:10: slurm.conf has no .EpilogMsgTimee.; did you mean" --dry-run wrong.yaml &&
	experiment wrong && printf "slurm.conf:\n  SchedulerParameters: defer,bf_intervall=3\n" >>wrong.yaml &&
	refused "wrong.yaml:10: SchedulerParameters has no .bf_intervall.; did you mean" wrong.yaml &&
	experiment wrong && printf "slurm.conf:\n  EpilogMsgTime: x\n" >>wrong.yaml &&
	refused "wrong.yaml:10: four: .*EpilogMsgTime=x: give a whole number" wrong.yaml &&
	experiment wrong && printf "grid:\n  slurm.conf.SchedulerParameters.bf_interval: [30, -30]\n" >>wrong.yaml &&
	refused "wrong.yaml:10: .*: bf_interval=-30: give a whole number" wrong.yaml &&
	experiment wrong && sed -i "s/kind: burst/kind: light-esp/" wrong.yaml &&
	refused "wrong.yaml:4: workload: kind: .light-esp. is none of esp, light, parallel-light, burst" wrong.yaml &&
	experiment wrong && printf "grid:\n  cluster.nodes: [2, 4]\n" >>wrong.yaml &&
	refused "wrong.yaml:8: variant .eight. sets cluster.nodes, and the grid" wrong.yaml &&
	refused "gone.yaml: No such file" gone.yaml &&
	experiment wrong && refused "no variant .nine" --variant nine wrong.yaml &&
	refused "precision" --repeat-until "ci95(makespan)" wrong.yaml && test ! -e wrong
'
test_expect_success 'a dry run names cases and commands' '
	experiment fours && windtunnel experiment run --dry-run fours.yaml >out && test ! -e fours &&
	grep -q "^  windtunnel run .*--nodes=8" out && grep -q "^2 cases, 2 runs of each, seeds from 5 on\$" out
'
test_expect_success 'it runs, compares, and writes a page and an index' '
	windtunnel experiment run --json fours.yaml >json 2>progress && cat progress &&
	grep -q "experiment: 4 of 4: " progress && grep -q ": eight, run 2 in " progress &&
	jq -e ".first == \"four\" and (.cases | map(.runs) == [2, 2]) and (.cases[1].with_first |
		.paired and .figures.makespan_s.relative_high < -0.3)" json &&
	for run in four/1 four/2 eight/1 eight/2; do
		jq -e ".jobs_completed == 8" fours/$run/summary.json || return 1
	done &&
	jq -e ".seed == 6" fours/four/2/summary.json && test -s fours/report.html &&
	cmp fours.yaml fours/experiment.yaml && test -s fours/index.sqlite
'
# Its figures, without the time that a run took on this machine, to be compared by wt_near: on a busy machine a job of a run
# of charge none may come some microseconds later.
figures() { jq "[.cases[] | .figures]" "$1"; }
test_expect_success 'list and compare read it' '
	windtunnel experiment list fours >out && grep -q "^  four  *2 runs  .* each\$" out &&
	windtunnel experiment compare fours >out && grep -q "^Four nodes or eight?\$" out &&
	grep -q "^  eight  2 runs  .*-[0-9.]* % (-" out &&
	windtunnel experiment compare --json --against eight fours >other &&
	jq -e ".first == \"eight\" and .cases[0].with_first.figures.makespan_s.relative > 0.5" other &&
	grep "^eight .*makespan" out && grep "^3 comparisons at once: .*Holm" out &&
	windtunnel experiment compare --json fours >json2 &&
	jq -e ".comparisons == 3 and (.cases[1].with_first.figures.makespan_s |
		.asserted == (.p_holm < 0.05) and .p_holm >= .p and (.sentence | test(\"^eight .*makespan\")))" json2 &&
	test_expect_code 1 windtunnel experiment compare --against nine fours 2>err && grep -q "no case .nine" err
'
test_expect_success 'a folder that is in use is not taken; --resume finds all done' '
	test_expect_code 1 windtunnel experiment run fours.yaml 2>err && grep -q "has an experiment already.*--resume" err &&
	before=$(stat -c %Y fours/four/1/summary.json) &&
	windtunnel experiment run --resume --no-report --json fours.yaml >again 2>err && ! grep "in 00:" err &&
	test "$before" = "$(stat -c %Y fours/four/1/summary.json)" && figures json >a && figures again >b && wt_near a b
'
test_expect_success 'a run of which the index says that it ended well, and its folder that it failed, is run again' '
	jq ".failure = \"x\"" fours/four/1/summary.json >failed && cp failed fours/four/1/summary.json &&
	windtunnel experiment run --resume --no-report fours.yaml >out 2>err && grep "four, run 1 in 00:" err &&
	! grep "eight, run" err && jq -e ".failure == \"\"" fours/four/1/summary.json
'
test_expect_success 'more runs, and an index that was lost, are made up' '
	rm fours/index.sqlite && windtunnel experiment run --resume --repeat 3 --no-report fours.yaml >out 2>err &&
	windtunnel experiment list fours >out && grep -q "^  eight  *3 runs" out &&
	jq -e ".seed == 7" fours/eight/3/summary.json
'
test_expect_success 'runs of other options are not mixed' '
	sed -i "s/jobs: 8/jobs: 9/" fours.yaml && test_expect_code 2 windtunnel experiment run --resume fours.yaml 2>err &&
	grep -q "four was run with other options before" err && ! grep "jobs: 9" fours/experiment.yaml
'
test_expect_success 'Ctrl-C: clusters end, and --resume gives what an undisturbed one gives' '
	experiment cut && rm -f err && { windtunnel experiment run --jobs 1 cut.yaml >out 2>err & pid=$!; } &&
	wt_poll 60 grep -q "1 of 4" err && kill -INT $pid &&
	{ wait $pid; test $? = 130; } && grep -q "go on with: windtunnel experiment run --resume" err &&
	windtunnel cluster list 2>&1 >left && wt_empty left &&
	windtunnel experiment run --resume --no-report --json --output cut cut.yaml >json2 2>err &&
	figures json >a && figures json2 >b && wt_near a b
'
test_expect_success 'a run that dies with its cluster is told, with its log, and is run again' '
	experiment dead && echo "run: {timeout: 1}" >>dead.yaml &&
	test_expect_code 1 windtunnel experiment run --no-report --variant four --repeat 1 dead.yaml >out 2>err &&
	grep -q "experiment: four, run 1 failed (status 1): .*(dead/logs/four-1.log)" err &&
	windtunnel experiment list dead >out && grep -q "^  four  *0 runs  1 failed" out
'
test_expect_success 'precision: runs are added until it is there' '
	experiment until && windtunnel experiment run --no-report --repeat-until "ci95(makespan)<50%" \
		--repeat 5 until.yaml >out 2>err &&
	grep -q "the precision was reached after 3 runs of each case" err && test -d until/four/3 && test ! -e until/four/4
'
test_expect_success 'check: holds, broken, open' '
	windtunnel experiment check --output until --repeat 3 --resume --expect "makespan_s <= -10%" \
		--no-report until.yaml >out &&
	grep -q "^eight: makespan_s <= -10%: holds\$" out &&
	test_expect_code 1 windtunnel experiment check --output until --repeat 3 --resume --expect "makespan <= -90%" \
		--no-report until.yaml >out && grep -q "BROKEN" out &&
	experiment one && test_expect_code 3 windtunnel experiment check --repeat 1 --expect "makespan <= 0%" \
		--no-report one.yaml >out && grep -q "open: more runs would tell" out
'
# verdict STATUS VERDICTS ARGUMENT...: what check --json says into the file judged
verdict() {
	status=$1 text=$2 && shift 2 &&
	test_expect_code "$status" windtunnel experiment check --json --no-report --resume "$@" >judged 2>err &&
	jq -c "[.expectations[].verdict]" judged >got && echo "$text" >want && test_cmp want got
}
test_expect_success 'check --json: verdicts with difference, interval and bound' '
	verdict 1 "[\"holds\",\"broken\"]" --output until --repeat 3 --expect "makespan_s <= -10%" \
		--expect "makespan <= -90%" until.yaml &&
	jq -e ".expectations[0] | .figure == \"makespan_s\" and .case == \"eight\" and .beside == \"four\" and
		.kind == \"virtual\" and .expected == \"makespan_s <= -10%\" and
		(.bound + .beside_mean * 0.1 | fabs) < 1e-6 and .difference.low <= .difference.mean and
		.difference.mean <= .difference.high and .difference.high <= .bound" judged &&
	verdict 3 "[\"cannot be told\"]" --repeat 1 --expect "makespan <= 0%" one.yaml &&
	jq -e ".expectations[0].difference | .mean != null and .low == null and .high == null" judged
'
test_expect_success 'side by side in virtual time: the same figures' '
	experiment twice && windtunnel experiment run --jobs 2 --no-report --json twice.yaml >json2 2>err &&
	figures json >a && figures json2 >b && wt_near a b
'
# ... and every option that is not there is the experiment's own business.
test_expect_success 'the settings of a file are the options of esp and run' '
	{ windtunnel esp --help=all && windtunnel run --help=all; } | grep -oE -- "^ {6}--[a-z][a-z-]+" |
		tr -d " " | sort -u >options &&
	grep -o "\"[a-z.]*\", \"[a-z-]*\", SETTING" "$WT_SRCDIR/harness/experiment/settings_table.c" |
		sed "s/.* \"/--/; s/\",.*//" | sort -u >keys && test_line_count -gt 20 keys &&
	printf -- "--%s\n" account clean cluster cost dry-run elastic engine host-shell hosts json max-jobs \
		max-node-hours max-nodes node output qos quiet real repeat reservation resume seed serve set \
		shared variant workload | sort >own &&
	grep -vx -e --kind -e --slurm keys | sort - own -u >known && test_cmp known options
'
test_done
