#!/bin/sh
test_description='windtunnel advise: what the measurements speak for, and nothing else'
. "$WT_SRCDIR/t/setup.sh"

clock="clock: virtual, charge: none"
clock_options="--clock virtual --charge none"
# Sanitizers do not go together with a preloaded library.
if grep -q "^WT_CFLAGS = .*-fsanitize" "$WT_BUILDDIR/Makefile"; then
	clock="clock: real"
	clock_options=
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
	! grep -e "speak against" said && test "$(grep -c -e defer -e TreeWidth said)" = 1 &&
	missing="EpilogMsgTime, TreeWidth, defer, bf_max_job_test, bf_window, bf_resolution, topology, plugin" &&
	grep "^Nothing was measured for $missing\.\$" said &&
	grep "^  windtunnel try SITE --vary .EpilogMsgTime=site,N. would tell" said &&
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
		(.not_measured | length == 8 and index(\"defer\") and (index(\"bf_interval\") | not)) and
		(.advice[0].figures.makespan_s | .better == 1 and .p_holm < 0.05)" json
'
test_expect_success 'a run alone in which nothing stands out; what is no run is an error' '
	test_expect_code 3 windtunnel advise nodes/two/1 >out && grep -q "its measurements speak for no setting" out &&
	test_expect_code 3 windtunnel advise --json nodes/two/1 >json && jq -e ".settings == []" json &&
	test_expect_code 1 windtunnel advise --against two nodes/two/1 2>err && grep "is no experiment" err &&
	test_expect_code 1 windtunnel advise . 2>err && test_expect_code 2 windtunnel advise 2>err
'
# Seventy nodes that each wait 0.01 s for their turn: the jobs complete for nothing else.
test_expect_success 'a run alone whose nodes wait for EpilogMsgTime says so, with what was measured' '
	windtunnel run --workload burst --jobs 12 --job-cpus 70 --run-time 20 --time-scale 0.2 --nodes 140 \
		--shape "pack:1 core:1 pu:1" --set EpilogMsgTime=10000 ${clock_options} --quiet --output slow >out 2>err ||
		{ cat err; false; }
	windtunnel advise slow >said && cat said && grep "^  EpilogMsgTime 10000: 12 jobs on more than 64 nodes" said &&
	grep "Nothing was changed in one run" said && ! grep -e defer -e bf_ said &&
	windtunnel advise --json slow >json && jq -e ".settings | length == 1 and .[0].value == 10000 and
		(.[0].measured | test(\"times nodes x EpilogMsgTime\"))" json
'
# one_measured RUN: both cases have what one of them has measured: on a busy machine a job of a run of charge none may come
# some microseconds later, which is not the same.
one_measured() {
	cp same/now/$1/jobs.csv same/now/$1/summary.json same/now/$1/series.csv same/same/$1/
}
test_expect_success 'cases that gave the same: that is said, not that nothing is known' '
	cat >same.yaml <<-END &&
	repeat: 2
	figures: [makespan_s, wait_mean_s]
	workload: {kind: burst, jobs: 4, run-time: 20, time-scale: 0.2}
	cluster: {nodes: 4, shape: "pack:1 core:1 pu:1", clock: virtual, charge: none}
	variants:
	  now:
	  same: {slurm.conf: {MailDomain: example.org}}
	END
	case $clock in *real) : ;; *)
		windtunnel experiment run --quiet --no-report same.yaml >out && one_measured 1 && one_measured 2 &&
		windtunnel experiment run --quiet --resume same.yaml >out && grep "^All cases gave the same:" out &&
		grep -q "All cases gave the same:" same/report.html && ! grep "can be asserted" same/report.html &&
		test_expect_code 3 windtunnel advise same >said && grep "^All cases gave the same:" said ;;
	esac
'
test_done
