#!/bin/sh
test_description='windtunnel advise: what the measurements speak for, and nothing else'
. "$WT_SRCDIR/t/setup.sh"

clock="clock: virtual, charge: none"
# Sanitizers do not go together with a preloaded library.
if grep -q "^WT_CFLAGS = .*-fsanitize" "$WT_BUILDDIR/Makefile"; then
	clock="clock: real"
fi
# A burst on 2 nodes, on 4, and on 2 with an interval of the backfill scheduler that it never meets.
test_expect_success 'twice the nodes: for it; nothing that was not measured' '
	cat >nodes.yaml <<-END &&
	title: Two nodes or four?
	repeat: 3
	figures: [makespan_s, wait_mean_s]
	workload: {kind: burst, jobs: 8, run-time: 20, time-scale: 0.2}
	cluster: {nodes: 2, shape: "pack:1 core:1 pu:1", $clock}
	variants:
	  two:
	  four: {cluster: {nodes: 4}}
	  lazy: {slurm.conf: {SchedulerParameters+: bf_interval=600}}
	END
	windtunnel experiment run --quiet --no-report nodes.yaml >out 2>err && windtunnel advise nodes >said && cat said &&
	grep -A 3 "^The measurements speak for:\$" said >for && grep "^  four: --nodes=4, without --nodes=2\$" for &&
	grep "^    + four lowers makespan by .*\. \[[a-z]*, p [<0]" for &&
	grep -A 1 "^Nothing can be asserted of:\$" said |
		grep "^  lazy: --set=SchedulerParameters+=bf_interval=600\$" &&
	! grep -e "speak against" -e defer -e TreeWidth said &&
	grep "^4 differences were looked at at once" said
'
test_expect_success 'beside another case it is the other way round' '
	test_expect_code 3 windtunnel advise --against four nodes >said &&
	grep -A 1 "^The measurements speak against:\$" said | grep "^  two: --nodes=2, without --nodes=4\$" &&
	test_expect_code 1 windtunnel advise --against nine nodes 2>err && grep -q "no case .nine" err
'
test_expect_success 'JSON says the same' '
	windtunnel advise --json nodes >json && jq -e ".beside == \"two\" and
		(.advice | map(.verdict) == [\"for\", \"open\"]) and
		(.advice[0].figures.makespan_s | .better == 1 and .p_holm < 0.05)" json
'
test_expect_success 'a run alone speaks for nothing; what is no run is an error' '
	test_expect_code 3 windtunnel advise nodes/two/1 2>err >out && wt_empty out &&
	grep -q "speak for no setting" err && test_expect_code 1 windtunnel advise . 2>err &&
	test_expect_code 2 windtunnel advise 2>err
'
test_done
