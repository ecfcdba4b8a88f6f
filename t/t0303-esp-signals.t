#!/bin/sh
test_description='windtunnel esp: Ctrl-C, SIGTERM, kill -9 of itself and of slurmctld in a run; a cluster by name'
. "$WT_SRCDIR/t/setup.sh"

summary() { jq -e "$2" "$1/summary.json" >jq.out || { cat "$1/summary.json"; return 1; }; }
clusters_gone() { test -z "$(ls -A "$WINDTUNNEL_STATE" 2>/dev/null)"; }
# Every daemon has its cluster's folder on its command line or its cluster's uuid in its environment.
processes_gone() {
	! grep -zlsx "WINDTUNNEL_CLUSTER=$1" /proc/[0-9]*/environ | grep .
}
events_have() { grep -q ",$1," "$WINDTUNNEL_STATE"/esp-*/nodes/events.csv; }
uuid() { jq -r .uuid "$WINDTUNNEL_STATE"/esp-*/cluster.json; }
queue_has() { test "$(SLURM_CONF=$(echo "$WINDTUNNEL_STATE"/esp-*/slurm.conf) squeue -h -t all | wc -l)" -ge "$1"; }
# begin DIR OPTION...: start a run in the background; its first jobs have started when this returns
begin() {
	dir=$1
	shift
	windtunnel esp --nodes 16 --quiet --output "$dir" "$@" >"$dir.out" 2>"$dir.err" &
	pid=$!
	wt_poll 60 events_have start
}

test_expect_success 'Ctrl-C in a run: what was recorded is written, the cluster is gone' '
	begin stopped --time-scale 1 && id=$(uuid) && wt_poll 60 queue_has 50 &&
	kill -INT $pid && test_expect_code 130 wait $pid &&
	tail -n 1 stopped.out | grep -q "^run folder: .*/stopped\$" &&
	summary stopped ".interrupted == true and .jobs_submitted >= 50 and .jobs_completed < 230" &&
	test_line_count = 231 stopped/jobs.csv && grep -q ",start," stopped/events.csv &&
	clusters_gone && processes_gone $id
'
test_expect_success 'SIGTERM does the same with --repeat, and the next run is not begun' '
	begin term --time-scale 1 --repeat 2 && id=$(uuid) &&
	kill -TERM $pid && test_expect_code 130 wait $pid &&
	summary term/1 ".interrupted == true" && test ! -e term/2 &&
	clusters_gone && processes_gone $id
'
test_expect_success 'two signals: quicker, but the cluster is gone' '
	begin twice --time-scale 1 && id=$(uuid) &&
	kill -INT $pid && kill -INT $pid && test_expect_code 130 wait $pid &&
	clusters_gone && processes_gone $id
'
test_expect_success 'kill -9 of the command: its cluster ends with it' '
	begin killed --time-scale 1 && id=$(uuid) &&
	kill -KILL $pid && test_expect_code 137 wait $pid &&
	wt_poll 30 clusters_gone && wt_poll 30 processes_gone $id
'
# Jobs that slurmctld had accepted since it last saved its state are lost: they must be submitted again.  Ends of jobs
# that it had not saved are forgotten, too; such jobs reach their time limit, as they would on a real cluster: the run
# must then name them.
test_expect_success 'kill -9 of slurmctld in a run: it goes on, and every job is accounted for' '
	begin crashed --time-scale 0.03 --timeout 300 &&
	kill -KILL $(cat "$WINDTUNNEL_STATE"/esp-*/ctld/slurmctld.pid) &&
	{ wait $pid; code=$?; } &&
	summary crashed ".jobs_submitted == 230 and .jobs_missing == 0 and .controller_restarts == 1 and
		.jobs_resubmitted >= 0 and
		.problems == {} and (.jobs_completed == 230) == (.failure == \"\") and
		(.jobs_completed == 230) == ($code == 0)" &&
	cut -d, -f1 crashed/jobs.csv | sort -u >ids && test_line_count = 231 ids &&
	grep -q "slurmctld.*signal 9\|slurmctld.*SIGKILL\|slurmctld.*Killed\|slurmctld.*killed" crashed/logs/daemons.log &&
	clusters_gone
'
test_expect_success 'a cluster by name: two runs on it, the second one interrupted; it lives on without their jobs' '
	{ windtunnel cluster up named --nodes 16 >out 2>&1 || { cat out; false; }; } &&
	{ windtunnel esp --cluster named --time-scale 0.002 --timeout 300 --quiet --output first >out 2>&1 ||
		{ cat out; false; }; } &&
	summary first ".jobs_completed == 230 and .jobs_before == 0" &&
	{ windtunnel esp --cluster named --time-scale 1 --quiet --output second >second.out 2>&1 & pid=$!; } &&
	wt_poll 30 grep -q "^[0-9.]*,start,2[3-9][1-9]," "$WINDTUNNEL_STATE/named/nodes/events.csv" &&
	kill -INT $pid && test_expect_code 130 wait $pid &&
	summary second ".interrupted == true and .jobs_by_state.CANCELLED > 0" &&
	windtunnel cluster exec named -- squeue -h -t pending,running >left && test_line_count = 0 left &&
	grep -q ",submit,231," second/events.csv &&
	awk -F, "\$3 ~ /^[0-9]+\$/ && \$3 < 231" second/events.csv >foreign && wt_empty foreign
'
test_expect_success 'jobs that were there before, as those of a command that was killed, are told of' '
	id=$(windtunnel cluster exec named -- sbatch --parsable --hold --wrap true) &&
	windtunnel run --cluster named --workload burst --jobs 2 --run-time 0.1 --output beside >out 2>err ||
		{ cat err; false; } &&
	summary beside ".jobs_completed == 2 and .jobs_before == 1" &&
	grep "beside other work: when it began, 1 jobs that are not of this run waited or ran" out &&
	windtunnel cluster exec named -- scancel "$id"
'
test_expect_success 'slurmctld does not answer: two signals end the command, and it says which jobs may be left' '
	{ windtunnel esp --cluster named --time-scale 1 --quiet --output hung >hung.out 2>hung.err & pid=$!; } &&
	wt_poll 30 sh -c "squeue() { windtunnel cluster exec named -- squeue \"\$@\"; }; squeue -h -t running | grep ." &&
	ctld=$(cat "$WINDTUNNEL_STATE/named/ctld/slurmctld.pid") && kill -STOP $ctld &&
	test_when_finished "kill -CONT $ctld" &&
	kill -INT $pid && wt_poll 10 grep stopping hung.err && kill -INT $pid &&
	{ test_expect_code 130 wait $pid; code=$?; kill -CONT $ctld; test $code = 0; } &&
	summary hung ".interrupted == true and (.failure | test(\"jobs of this run may still be there\"))" &&
	tag=$(jq -r .tag hung/scenario.json) &&
	grep "jobs of this run may still be there: squeue .* | grep $tag\$" hung.err &&
	windtunnel cluster exec named -- squeue -h -o "%i %k" | grep $tag
'
test_expect_success 'the cluster goes down with them' '
	windtunnel cluster down named >/dev/null 2>&1 && clusters_gone
'
test_done
