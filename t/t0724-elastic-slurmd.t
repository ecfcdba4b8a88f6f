#!/bin/sh
test_description='real slurmds that are switched off and on: by Slurm, by hand, under jobs, with boots that fail'
. "$WT_SRCDIR/t/setup.sh"
. "$WT_SRCDIR/t/power.sh"

without_sanitizers
up() { up_real 600 "$@"; }

test_expect_success 'up: all slurmds run; idle, they are switched off, and end' '
	up --elastic boot=30 --elastic stop=5 && slurmds 6 && is "n[0-5]" on && power off 6 && is "n[0-5]" off &&
	shows "n[0-5]" idle~ && wt_poll 30 slurmds 0 && slurmds_json ".off == 6 and .running == 0 and .restarts == 0" &&
	windtunnel cluster status v >out && grep "0 of 6 run, 6 are off, 0 restarts" out &&
	port=$(jq .nodes_port "$dir/cluster.json") && test_must_fail bash -c "exec 3<>/dev/tcp/127.0.0.1/$port" 2>err &&
	grep -i refused err
'
test "$test_failure" = 0 || test_done
test_expect_success 'a job switches three on, which boot, run it and are switched off again' '
	in_v sbatch --parsable -N3 -o /dev/null --wrap "srun sleep 100" >id && power booting 3 && is "n[0-2]" booting &&
	slurmds 0 && power registered 3 && slurmds_json ".off == 3 and .running == 3" &&
	drive_until 10 "queue=\$(squeue -h) && [ -z \"\$queue\" ]" &&
	in_v scontrol show job "$(cat id)" >job && grep JobState=COMPLETED job && grep "Restarts=0" job && power off 9 &&
	cycles 1 0 1 2
'
test_expect_success 'by hand: power_up, a reboot, a slurmd that dies is started again, not one that was switched off' '
	in_v scontrol update NodeName=n5 State=power_up && power registered 4 && shows n5 idle &&
	in_v scontrol reboot n5 &&
	drive_until 5 "scontrol show node n5 | grep -q \"State=IDLE\" && ! scontrol show node n5 | grep REBOOT" &&
	is n5 on &&
	kill -9 "$(cat "$dir/nodes/n5.pid")" && wt_poll 60 slurmds_json ".restarts == 1 and .running == 1 and .off == 5" &&
	windtunnel node off --cluster v n5 && is n5 stopping && wt_poll 30 slurmds 0 && slurmds_json ".restarts == 1" &&
	test_must_fail windtunnel node on --cluster v "n[0-6]" 2>err && grep "no node n6" err &&
	test_must_fail windtunnel node on --cluster v n05 2>err && grep "no node n05" err && down
'
# A task that has left its session is its slurmstepd'\''s descendant all the same.
test_expect_success 'the power of a node is lost under its job: all tasks are gone, slurmctld finds out and requeues' '
	up --elastic boot=30 --set SlurmdTimeout=60 &&
	in_v sbatch --parsable -w n1 -o /dev/null --wrap "setsid sleep 7211.$$ & srun sleep 7211.$$" >id &&
	drive_until 1 "squeue -h -s -o %i | grep \"\\.0\"" && commands &&
	grep "sleep 7211.$$" commands &&
	windtunnel node off --cluster v n1 && wt_poll 30 nothing_names "sleep 7211.$$" &&
	requeued && in_v scancel "$(cat id)" && rows | grep ,n1, >out &&
	printf "asked-off,n1,0,\nstopping,n1,0,\noff,n1,0,\n" >wanted && test_cmp wanted out && slurmds 5 && down
'
test_expect_success 'State=CLOUD: up waits for no node; all boots fail, and the job is requeued' '
	up --elastic boot=30 --elastic fail=boot:100% --set NodeName+=State=CLOUD --set PrivateData=cloud \
		--set ResumeTimeout=60 && slurmds 0 && is "n[0-5]" off && in_v sbatch --parsable -N2 --wrap true >id &&
	power failed 2 && requeued &&
	in_v sinfo -h -n "n[0-1]" -o "%D %t" >out && echo "2 down~" >wanted && test_cmp wanted out &&
	test_must_fail grep ,up, "$dir/nodes/power.csv" && slurmds 0 && down
'
test_expect_success 'on-stock-out=down: a job gets real nodes of which there are machines; the others stick, and why' '
	up --elastic boot=30 --elastic "n[0-1]:fail=stock-out:100%" --elastic on-stock-out=down \
		--set NodeName+=State=CLOUD --set PrivateData=cloud &&
	in_v sbatch --parsable -N2 -o /dev/null --wrap true >id && requeued && shows "n[0-1]" down~ &&
	windtunnel node stuck --for 0 --cluster v >out && test_line_count = 3 out &&
	grep "^n1  *off  *[0-9]*  *DOWN.*until somebody resumes it.*stock-out: there is no machine" out &&
	drive_until 10 "scontrol show job $(cat id) | grep JobState=COMPLETED" &&
	in_v scontrol show job "$(cat id)" >job && grep "NodeList=n\[2-3\]" job &&
	test_must_fail windtunnel node address --cluster v n2 2>err && grep "there is no --elastic address=new" err && down
'
# Of six nodes each boot has the addresses behind those of the boot before.
moving() {
	windtunnel cluster down v 2>/dev/null	# of a test that failed
	backend=$1
	shift
	windtunnel cluster up v --nodes 6 --backend "$backend" --clock virtual --charge none -q --elastic boot=30 \
		--elastic address=new --set SuspendTime=120 --set ResumeTimeout=300 --set MinJobAge=1000000 \
		--set NodeName+=State=CLOUD --set PrivateData=cloud "$@" && net=$(jq .network "$dir/cluster.json")
}
completed() { drive_until 10 "scontrol show job $(cat id) | grep JobState=COMPLETED"; }
told() { in_v scontrol show node n0 >node && grep "NodeAddr=127.$net.0.$1 " node; }
answers() { bash -c "exec 3<>/dev/tcp/127.$net.0.$1/$(jq .nodes_port "$dir/cluster.json")" 2>err; }
two_boots() {
	moving "$1" && in_v sbatch --parsable -N2 -w n0,n1 -o /dev/null --wrap "srun sleep 200" >id && power registered 2 &&
	drive_until 5 "squeue -h -s -o %i | grep \"\\.0\"" && told 6 && answers 6 && ! answers 0 && completed &&
	in_v scontrol show job "$(cat id)" >job && grep Restarts=0 job && power off,n0,1 1 && ! answers 6 &&
	drive_until 5 "scontrol show node n0 | grep -q State=IDLE+.*POWERED_DOWN" &&
	in_v sbatch --parsable -w n0 -o /dev/null --wrap "srun true" >id && completed && told 12 && power off,n0,2 1 &&
	rows | grep ",n[01]," | sort -s -t, -k 2,2 >"rows.$1" && down
}
test_expect_success 'address=new: each boot is at another address and at no other, told to slurmctld; as virtual nodes do' '
	two_boots slurmd && two_boots virtual && test_cmp rows.virtual rows.slurmd && test_line_count -gt 20 rows.slurmd
'
case $(slurmctld -V) in
*" 22.05."*) test_set_prereq FORGETS && reg_addrs='--set SlurmctldParameters=cloud_reg_addrs --keep SlurmctldParameters' ;;
*) reg_addrs='' ;;
esac
# (sinfo may go on to call a node mixed on which a job had some of the CPUs.)
test_expect_success FORGETS 'no-address: a ResumeProgram forgets it: a slurmd that runs unseen, a job that is requeued' '
	for backend in slurmd virtual; do
		moving $backend --elastic fail=no-address:100% --set SuspendTime=60000 &&
		in_v sbatch --parsable -w n0 -o /dev/null --wrap "sleep 10" >id && power registered 1 && requeued &&
		drive_until 5 "scontrol show node n0 | grep -q State=DOWN.*NOT_RESPONDING" && is n0 on &&
		told 0 && answers 6 && rows | sed -n "/,n0,/p" >rows.$backend && down || return 1
	done && test_cmp rows.virtual rows.slurmd
'
test_expect_success 'no-address with cloud_reg_addrs: slurmctld takes the address that the slurmd comes from' '
	moving slurmd --elastic fail=no-address:100% $reg_addrs &&
	in_v sbatch --parsable -w n0 -o /dev/null --wrap "srun sleep 10" >id && completed && told 6 && down
'
test_expect_success 'limit= over time: a job waits until there are machines' '
	up --elastic boot=30 --elastic limit=0,3000:all --elastic on-stock-out=down:300 --set NodeName+=State=CLOUD \
		--set PrivateData=cloud && in_v sbatch --parsable -w n1 -o /dev/null --wrap true >id && power stock-out 2 &&
	slurmds 0 && drive_until 10 "scontrol show job $(cat id) | grep JobState=COMPLETED" &&
	ages booting n1 >begun && cat begun && test_line_count = 1 begun && awk "\$1 < 2950 { exit 1 }" begun && down
'
test_expect_success 'old-boot: a slurmd without -b is waited for in vain, and runs on unseen' '
	up --elastic boot=30 --elastic fail=old-boot:100% --set NodeName+=State=CLOUD --set PrivateData=cloud \
		--set ResumeTimeout=60 && in_v sbatch --parsable -w n0 --wrap "sleep 10" >id && power up 1 &&
	requeued && is n0 on && slurmds 1 && down
'
test_expect_success 'State=FUTURE, no --elastic: all slurmds are stopped and started, but for those that are off' '
	up --set NodeName+=State=FUTURE && slurmds 0 && windtunnel node on --cluster v "n[2-3]" &&
	power registered 2 && shows "n[2-3]" idle && windtunnel cluster stop v nodes && slurmds 0 &&
	windtunnel node off --cluster v n2 && windtunnel node on --cluster v n4 && power up 3 && slurmds 0 &&
	windtunnel cluster start v nodes && power registered 3 && slurmds 2 && shows "n[3-4]" idle && down
'
test_expect_success 'a run: its folder has power.csv, each change of it is accounted for, and nodes and boots are billed' '
	windtunnel run --backend slurmd --workload spaced --jobs 2 --interval 900 --run-time 100 --job-cpus 4 --nodes 4 \
		--shape pu:2 --clock virtual --charge none --quiet --elastic boot=60 --set SuspendTime=120 \
		--set ResumeTimeout=600 --cost price=1 --output a >out &&
	jq -e ".boots == 2 and .boots_lost == 0 and .jobs_completed == 2 and .cost < .cost_always_on" a/summary.json &&
	"$WT_SRCDIR/bench/power-account" a >out && grep "nodes stuck: 0 " out
'
# As users do it: the site's program signals the batch scripts, which save their state and requeue themselves.
test_expect_success 'notice: jobs save their state, and go on from it elsewhere' '
	printf "%s\n" "#!/bin/sh" "scontrol update NodeName=\$1 State=drain Reason=spot" \
		"scancel --batch --signal=USR1 --state=running -w \$1" >"$WT_TMP/spot" && chmod +x "$WT_TMP/spot" &&
	cat >job.sh <<-END &&
	#!/bin/sh
	trap "echo saved by \$SLURM_RESTART_COUNT on \$SLURMD_NODENAME >>$WT_TMP/saved; scontrol requeue \$SLURM_JOB_ID" USR1
	if test -e $WT_TMP/saved; then echo done on \$SLURMD_NODENAME >>$WT_TMP/saved; exit 0; fi
	sleep 9000 & wait
	sleep 9000
	END
	up --elastic boot=30 --elastic notice=120 --elastic n0:fail=taken:100%:1000 --elastic on-notice="$WT_TMP/spot" \
		--set NodeName+=State=CLOUD --set PrivateData=cloud &&
	in_v sbatch --parsable --requeue -o /dev/null job.sh >id &&
	power taken 1 && drive_until 10 "grep done \"$WT_TMP/saved\"" && cat "$WT_TMP/saved" &&
	printf "saved by on n0\ndone on n1\n" >wanted && test_cmp wanted "$WT_TMP/saved" && requeued &&
	rows | grep ",n0,1" >out && grep ^notice out && ! grep ^asked-off out && slurmds_json ".restarts == 0" && down
'
# Under a busy machine slurmds take seconds to start: the time limits are long, what is waited for is polled.
test_expect_success 'real time: boots take theirs, and up that is interrupted leaves nothing' '
	windtunnel cluster up r --nodes 4 --backend slurmd -q --elastic boot=2 --elastic stop=1 --set SuspendTime=5 \
		--set SuspendTimeout=5 --set NodeName+=State=CLOUD --set PrivateData=cloud &&
	windtunnel cluster exec r -- srun -N2 hostname >out && test_line_count = 2 out &&
	wt_poll 120 grep -q ,off,n1,1, "$WINDTUNNEL_STATE/r/nodes/power.csv" && windtunnel cluster down r &&
	nothing_names "$WINDTUNNEL_STATE/r/" &&
	{ windtunnel cluster up r --nodes 4 --backend slurmd --elastic on >up.out 2>&1 & up=$!; } &&
	wt_poll 60 test -e "$WINDTUNNEL_STATE/r/nodes/power" && kill -TERM $up && ! wait $up &&
	wt_poll 60 nothing_names "$WINDTUNNEL_STATE/r/" && test ! -e "$WINDTUNNEL_STATE/r"
'
cleanup 'windtunnel cluster down v 2>/dev/null; windtunnel cluster down r 2>/dev/null; true'
test_done
