#!/bin/sh
test_description='steps on virtual nodes: srun, salloc, scancel, towards a real slurmctld'
. "$WT_SRCDIR/t/setup.sh"

C=$WINDTUNNEL_STATE/s
SLURM_CONF=$C/slurm.conf
export SLURM_CONF
chmod 755 "$WT_TMP"

in_time() {	# in_time COMMAND...: a client that hangs fails the test
	timeout 180 "$@"
}
steps() {	# of all jobs: STEP STATE, one in a line
	scontrol show step -o | sed -n 's/^StepId=\([0-9.]*\) .* State=\([A-Z]*\) .*/\1 \2/p'
}
step_runs() {	# step_runs NAME [NODES]: it is known, and it is the only one that has tasks, on this many nodes
	test -n "$(squeue -h -s -n "$1" -o %i)" && grep -q "\"stepds_running\": ${2:-2}," "$C/nodes/stats.json"
}
all_idle() {
	test "$(sinfo -h -o '%T %D')" = "idle 256" && queue=$(squeue -h) && test -z "$queue"
}
no_stepds() {
	grep -q '"stepds_running": 0,' "$C/nodes/stats.json"
}

# The second SIGINT has to come within a second of the first: on a busy machine it may take several tries.
interrupted() {	# one more SIGINT, unless srun has ended, and it is answered; true when srun has passed one on
	lines=$(wc -l <err)
	kill -INT $srun_pid && wt_poll 10 err_longer $lines
	grep "sending Ctrl-C" err
}
err_longer() {
	test "$(wc -l <err)" -gt $1
}

test_expect_success 'a cluster of 256 nodes, with an Epilog and PrologFlags=Alloc' '
	windtunnel cluster up s --nodes 256 --set PrologFlags=Alloc --set KillWait=5 --default-run-time 3 &&
	jq -e ".default_run_time_s == 3" "$C/cluster.json"
'
test_expect_success 'srun on four nodes returns 0, prints nothing and takes no time to speak of' '
	in_time srun -N4 hostname >out 2>err && test_must_be_empty out && ! grep -i error err
'
test_expect_success 'exit codes: of the environment, and of false' '
	test_expect_code 7 env WINDTUNNEL_EXIT_CODE=7 timeout 180 srun -N2 -n4 hostname 2>err &&
	grep "Exited with exit code 7" err &&
	test_expect_code 1 timeout 180 srun -N2 false
'
test_expect_success 'a task that dies of a signal' '
	test_expect_code 139 env WINDTUNNEL_FAIL=signal:11 timeout 180 srun -N2 hostname 2>err &&
	grep "Segmentation fault" err
'
test_expect_success 'the run time is that of the command, or of the environment' '
	start=$(date +%s%N) && in_time srun -N2 sleep 1.5 && end=$(date +%s%N) && test $((end - start)) -ge 1500000000 &&
	start=$(date +%s%N) && WINDTUNNEL_RUN_TIME_S=1 in_time srun -N2 sleep 300 && end=$(date +%s%N) &&
	test $((end - start)) -ge 1000000000
'
took_ms() {	# took_ms COMMAND...
	start=$(date +%s%N) && in_time "$@" && echo $((($(date +%s%N) - start) / 1000000))
}
batch_took_s() {	# batch_took_s SCRIPT: by what the node says
	job=$(sbatch --parsable -o /dev/null "$1") && wt_poll 60 grep -q ",end,$job," "$C/nodes/events.csv" &&
	awk -F, -v id=$job '$3 == id && $2 == "start" { s = $1 } $3 == id && $2 == "end" { printf "%.1f\n", $1 - s }' \
		"$C/nodes/events.csv"
}
test_expect_success 'srun of a program and sbatch of a script take as long: their sleep lines, else --default-run-time' '
	printf "#!/bin/sh\nsleep 4\nsleep 0.5\n" >"$WT_TMP/sleeps" && printf "#!/bin/sh\n./solver\n" >"$WT_TMP/says-none" &&
	chmod 755 "$WT_TMP/sleeps" "$WT_TMP/says-none" && cp /bin/true "$WT_TMP/solver" &&
	test "$(batch_took_s "$WT_TMP/sleeps")" = 4.5 && ms=$(took_ms srun "$WT_TMP/sleeps") && test $ms -ge 4500 &&
	test $ms -lt 50000 &&
	test "$(batch_took_s "$WT_TMP/says-none")" = 3.0 && ms=$(took_ms srun "$WT_TMP/says-none") && test $ms -ge 3000 &&
	test $ms -lt 50000 &&
	ms=$(cd "$WT_TMP" && took_ms srun -N2 ./solver) && test $ms -ge 3000 && test $ms -lt 50000
'
test_expect_success 'a program that cannot be run: the words and the exit code of a real slurmstepd' '
	code=0 && { (cd "$WT_TMP" && in_time srun -w "n[0-1]" ./no-such-program 2>"$WT_TMP/err") || code=$?; } &&
	test $code = 2 &&
	for n in 0 1; do grep -Ex "(slurmstepd-n$n:|\[[-0-9T:.]+\]) error: execve\(\): $WT_TMP/./no-such-program:.*" \
		"$WT_TMP/err" || return 1; done &&	# with the time in place of the name from 25.05 on
	grep "Exited with exit code 2" "$WT_TMP/err" &&
	test_expect_code 13 timeout 180 srun -l -n2 /etc/passwd 2>err &&
	grep -Ex "1: (slurmstepd-n.*:|\[.*\]) error: execve\(\): /etc/passwd: Permission denied" err &&
	test_expect_code 2 timeout 180 srun no-such-program -x 2>err && grep "execve(): no-such-program: No such file" err &&
	test_expect_code 2 timeout 180 srun --error=none no-such-program 2>err && ! grep execve err
'
test_expect_success 'Ctrl-C, twice' '
	srun -N3 -J ctrlc sleep 600 2>err & srun_pid=$! &&
	wt_poll 20 step_runs ctrlc 3 && ! interrupted && wt_poll 20 interrupted && test_expect_code 130 wait $srun_pid
'
test_expect_success 'salloc with two steps at once, and a third one' '
	cat >"$WT_TMP/steps.sh" <<-\END &&
	srun -N4 -J long sleep 2 & long=$!
	srun --overlap -N2 hostname || exit 10
	scontrol show job $SLURM_JOB_ID | grep JobState=RUNNING || exit 11
	wait $long || exit 12
	srun -N1 -n1 false && exit 13
	exit 5
	END
	test_expect_code 5 timeout 180 salloc -N4 sh "$WT_TMP/steps.sh"
'
test_expect_success 'squeue and scontrol show a step while it runs, and as many tasks as asked for' '
	srun -N2 -n6 -J shown sleep 600 2>err & srun_pid=$! &&
	wt_poll 20 step_runs shown && step=$(squeue -h -s -n shown -o %i) &&
	scontrol show step $step >out && grep "State=RUNNING" out && grep "Nodes=2 CPUs=. Tasks=6" out &&
	job=${step%.*} && scancel $job && test_expect_code 143 wait $srun_pid &&
	wt_poll 20 test_must_fail scontrol show step $step
'
test_expect_success 'scancel of one step: the allocation goes on' '
	cat >"$WT_TMP/cancel.sh" <<-\END &&
	srun -N2 -J victim sleep 600; echo victim $?
	srun -N2 hostname; echo next $?
	END
	salloc -N2 sh "$WT_TMP/cancel.sh" >out 2>err & salloc_pid=$! &&
	wt_poll 20 step_runs victim && scancel $(squeue -h -s -n victim -o %i) && wait $salloc_pid &&
	grep "victim 137" out && grep "next 0" out
'
test_expect_success 'scancel --signal reaches the tasks' '
	srun -N2 -J usr1 sleep 600 2>err & srun_pid=$! &&
	wt_poll 20 step_runs usr1 && scancel --signal=USR1 $(squeue -h -s -n usr1 -o %i) &&
	test_expect_code 138 wait $srun_pid
'
# Node and slurmctld need not be equally quick in both: more than the 4 s that are asked for.
test_expect_success 'suspended steps go on later' '
	start=$(date +%s%N); srun -N2 -J susp sleep 20 & srun_pid=$! && wt_poll 20 step_runs susp &&
	job=$(squeue -h -n susp -o %i) &&
	scontrol suspend $job && sleep 8 && kill -0 $srun_pid && scontrol resume $job && wait $srun_pid &&
	test $(($(date +%s%N) - start)) -ge 24000000000
'
test_expect_success 'tasks that fail end the others with --kill-on-bad-exit' '
	code=0 && { WINDTUNNEL_EXIT_CODE=3 in_time srun --kill-on-bad-exit=1 -N3 sleep 1 2>err || code=$?; } &&
	case $code in 3|137|143) ;; *) false ;; esac && grep "Exited with exit code 3" err
'
test_expect_success 'a step on all 256 nodes, with two tasks each' '
	in_time srun -N256 -n512 sleep 0.5
'
test_expect_success 'input, labels, files and a pty of srun' '
	echo text | in_time srun -N2 --label cat && in_time srun -N2 -o "$WT_TMP/out-%t" -e none hostname &&
	in_time srun -N2 --output=0 hostname
'
test_expect_success 'sbcast and sattach are refused clearly' '
	cat >"$WT_TMP/bcast.sh" <<-\END &&
	sbcast "$0" /tmp/nowhere; echo sbcast $?
	srun -N2 -J attach sleep 600 & srun=$!
	until squeue -h -s -n attach -o %i | grep .; do sleep 0.1; done >id
	timeout 60 sattach $(cat id); echo sattach $?
	scancel $(cat id); wait $srun
	END
	in_time salloc -N2 sh "$WT_TMP/bcast.sh" >out 2>err; grep "sbcast [1-9]" out &&
	grep "REQUEST_FILE_BCAST(n[0-9]*).*not supported" err && grep "sattach: Node n[0-9]*: no tasks running" err
'
test "$(id -u)" -eq 0 && wt_slurm_is_everybodys && test_set_prereq OTHERS
test_expect_success OTHERS 'a step of an ordinary user on 60 nodes, and nobody elses' '
	as_user="setpriv --reuid=65534 --regid=65534 --clear-groups env -u HOME" &&
	(cd / && in_time $as_user srun -N60 hostname) && {
		(cd / && exec $as_user srun -N2 -J owned sleep 600 2>"$WT_TMP/owned") & srun_pid=$!
	} &&
	wt_poll 20 step_runs owned && step=$(squeue -h -s -n owned -o %i) &&
	test_must_fail setpriv --reuid=65533 --regid=65533 --clear-groups scancel $step &&
	step_runs owned && (cd / && $as_user scancel $step) && test_expect_code 137 wait $srun_pid
'
# srun may have ended before it takes the news of its step's end (as the comment at _send_msg_maybe () in Slurm's agent.c
# says); from 23.02 on slurmctld logs that as an error, on real nodes, too.
unread="SRUN_JOB_COMPLETE) failed: \(Connection reset by peer\|Broken pipe\)"
test_expect_success 'in the end all is idle, no slurmstepd is left, and the controller has seen no error' '
	wt_poll 30 all_idle && wt_poll 10 no_stepds && test -z "$(steps)" &&
	wt_errors "$C/ctld/slurmctld.log" | grep -v -e _slurm_rpc_complete_job_allocation -e "uid 65533" -e "$unread" >errors
	wt_empty errors && ! grep -i "error" "$C/nodes/vnoded.log"
'
test_expect_success 'the cluster ends' '
	windtunnel cluster down s
'
test_done
