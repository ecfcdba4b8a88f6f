#!/bin/sh
test_description='a Prolog and launches that fail: what slurmctld makes of it is the same with real and with virtual nodes'
. "$WT_SRCDIR/t/setup.sh"

# On n1 the Prolog fails, on n2 the launch of batch jobs: a real slurmstepd cannot make the job's folder where there is a
# file.
# up BACKEND FLAGS
up() {
	fails="--node prolog-fail=n1 --node launch-fail=n2" && if [ "$1" = slurmd ]; then fails=; fi &&
	windtunnel cluster up --nodes 4 --backend "$1" -q $fails --set "PrologFlags=$2" --set SlurmctldDebug=debug "$1" ||
		return 1
	test "$1" = slurmd || return 0
	D=$WINDTUNNEL_STATE/slurmd
	printf '#!/bin/sh\ntest "$SLURMD_NODENAME" != n1\n' >"$D/prolog" && chmod 755 "$D/prolog" &&
		echo "Prolog=$D/prolog" >>"$D/slurm.conf" &&
	for i in 1 2 3 4 5 6 7 8 9; do : >"$D/nodes/n2/job0000$i" || return 1; done &&
	windtunnel cluster stop slurmd && windtunnel cluster start slurmd &&
	wt_poll 60 sh -c "SLURM_CONF=$D/slurm.conf sinfo -h -o '%D %T' | grep -x '4 idle'"
}
job() {	# job FIELD...: of job $id, in one line
	# Of a job that slurmctld cancels it is chance whether it still waited for the Prolog at that moment.
	scontrol -o show job $id | tr ' ' '\n' | grep -E "^(JobState|Reason|Restarts|ExitCode)=" | xargs |
		sed "s/^JobState=CANCELLED Reason=Prolog /JobState=CANCELLED Reason=None /"
}
nodes() {
	sinfo -h -N -o "%n %T %E" -n n0,n1,n2 | sort -u
}
settled() {	# what was to happen has happened: the job is over or held, and no node works on it; all were asked
	queue=$(squeue -h -t CG) && test -z "$queue" &&
		{ [ -z "$id" ] || job | grep -qE "JobState=(PENDING .*held|CANCELLED|COMPLETED|FAILED)"; } &&
	states=$(nodes) && test "$(echo "$states" | wc -l)" -ge 3 &&
	{ [ "$1" != drained ] || echo "$states" | grep -qx "n1 drained Prolog error"; } &&
	! echo "$states" | grep -E "n[012] (alloc|mix|comp|draining)"
}
scene() {	# scene WORDS idle|drained COMMAND...: the command, then what became of it; n1 serves again
	echo "-- $1" && state=$2 && shift 2 && id= && "$@"
	wt_poll 60 settled $state || return 1
	[ -z "$id" ] || job
	nodes
	[ $state = idle ] || { scontrol update NodeName=n1 State=RESUME &&
		wt_poll 60 sh -c "sinfo -h -n n1 -o %T | grep -qx idle"; }
}
batch() {
	id=$(timeout 60 sbatch --parsable -o /dev/null "$@" --wrap "sleep 1")
}
# With PrologFlags=Alloc it is chance whether srun still waits for its nodes when the job is ended, and whether it hears why
# before it ends: what it says is not looked at then.  Without, the job may have ended before its launch has reached the
# other node, which then says that the credential is revoked, and srun ends with the error that comes first.  slurmctld's own
# message ("Prolog failure on node n1") goes to srun beside the launch's answers: whether srun still reads it is chance, too.
interactive() {
	code=0; timeout 100 srun "$@" true >"$R.srun" 2>&1 || code=$?
	[ "$FLAGS" = Alloc ] || { [ $code = 0 ] || echo "srun fails"; grep -E "Task launch .* n1: " "$R.srun" |
		sed "s/StepId=[0-9.]*/STEP/"; }
}
acts() (	# acts BACKEND
	SLURM_CONF=$WINDTUNNEL_STATE/$1/slurm.conf R=$WT_TMP/$1 && export SLURM_CONF
	scene "a batch job whose Prolog fails" drained batch -w n1 || return 1
	scene "one that may not be requeued" drained batch -w n1 --no-requeue || return 1
	if [ "$FLAGS" = Alloc ]; then
		scene "one with two nodes, of which it is not the first" drained batch -w "n[0-1]" || return 1
	else
		scene "one with two nodes, of which it is not the first: it never runs there" idle batch -w "n[0-1]" ||
			return 1
	fi
	scene "srun" drained interactive -w "n[0-1]" || return 1
	scene "a batch job whose launch fails" idle batch -w n2 || return 1
	scene "one that may not be requeued" idle batch -w n2 --no-requeue || return 1
	grep -oE -e "error: (Prolog launch failure|validate_node_specs: Prolog or job env).*" -e "Requeuing JobId=.*" \
		-e "_slurm_rpc_requeue: .*" \
		"$WINDTUNNEL_STATE/$1/ctld/slurmctld.log" | sort
)
both() {	# both FLAGS
	FLAGS=$1
	{ up slurmd "$1" & real=$! && up virtual "$1" && wait $real; } || return 1
	{ acts slurmd >slurmd.out & } && real=$! && acts virtual >virtual.out && wait $real && cat virtual.out &&
	windtunnel cluster down slurmd && windtunnel cluster down virtual
}

test_expect_success 'the Prolog of a launch fails' '
	both "" && test_line_count -gt 30 slurmd.out && grep -c "Reason=launch_failed_requeued_held Restarts=1" slurmd.out |
		grep -x 2 &&
	grep "n1 drained Prolog error" slurmd.out && test_cmp slurmd.out virtual.out
'
test_expect_success 'the Prolog of an allocation fails (PrologFlags=Alloc)' '
	both Alloc && test_line_count -gt 30 slurmd.out &&
	grep -c "Reason=launch_failed_requeued_held Restarts=1" slurmd.out | grep -x 3 &&
	test_cmp slurmd.out virtual.out
'
test_expect_success 'a share of the jobs, and mistakes' '
	windtunnel cluster up s --nodes 20 -q --node launch-fail=n[0-9]:0.5 --node seed=3 &&
	id=$(windtunnel cluster exec s -- sbatch --parsable -o /dev/null -w n4 -n1 --array=0-39 --wrap "sleep 0.1") &&
	held() { windtunnel cluster exec s -- squeue -h -r -j $id -t PD -o "%r" | grep -c "launch failed requeued held"; } &&
	over() { test $(($(held) + $(windtunnel cluster exec s -- scontrol -o show job $id | grep -c JobState=COMPLETED))) \
		-eq 40; } &&
	wt_poll 60 over && held && test $(held) -gt 5 && test $(held) -lt 35 && windtunnel cluster down s &&
	test_expect_code 2 windtunnel cluster up s --nodes 3 -q --node prolog-fail=n1:2 2>err &&
	grep "prolog-fail=n1:2: NODES or NODES:SHARE" err &&
	test_expect_code 1 windtunnel cluster up s --nodes 3 -q --node launch-fail=n3 2>err &&
	grep "launch-fail=n3: it names nodes that slurm.conf does not have" err && windtunnel cluster down s
'
test_done
