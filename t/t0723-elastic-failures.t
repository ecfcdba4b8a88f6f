#!/bin/sh
test_description='failures of switched nodes that users report, each staged by its name (--elastic fail=)'
. "$WT_SRCDIR/t/setup.sh"
. "$WT_SRCDIR/t/power.sh"

without_sanitizers
up() {
	windtunnel cluster down v 2>/dev/null	# of a test that failed
	windtunnel cluster up v --nodes 4 --clock virtual --charge none -q --set SuspendTime=600 --set ResumeTimeout=120 "$@"
}
# sticks NODE MACHINE SLURM WHY: that line alone is told.
sticks() {
	windtunnel node stuck --for 0 --cluster v >stuck && cat stuck && test_line_count = 2 stuck &&
	grep "^$1  *$2  *[0-9a]*[a-z]*  *[A-Z_+]*$3.*$4" stuck
}
ended() { drive_until 10 "scontrol show job $(cat id) | grep JobState=COMPLETED"; }
cloud() { up --elastic boot=30 --set NodeName+=State=CLOUD --set PrivateData=cloud "$@"; }
appears() { drive_until 10 "grep -q \"$1\" \"$2\""; }
row() { appears ",$1," "$WINDTUNNEL_STATE/v/nodes/power.csv"; }

test_expect_success 'taken: a spot machine is taken back under its job, which slurmctld finds out and requeues' '
	cloud --elastic fail=taken:100%:1000 && in_v sbatch --parsable -w n0 --wrap "sleep 5000" >id && row taken,n0 &&
	is n0 off && requeued && id=$(cat id) &&
	printf "%s\n" asked-on,n0,0,$id booting,n0,1,$id up,n0,1,$id registered,n0,1,$id taken,n0,1,$id \
		stopping,n0,1,$id off,n0,1,$id >wanted &&
	rows | grep ",n0,1\|,n0,0,$id" | head -n 7 >out && test_cmp wanted out && down
'
# A job of 5,000 s on a machine that is there for 1,000, and is given notice 120 s before it goes.
spot() {
	cloud --elastic fail=taken:100%:1000 --elastic notice=120 "$@" &&
	in_v sbatch --parsable -w n0 --wrap "sleep 5000" >id && row notice,n0
}
# What became of the boot that was given notice, and when.
noticed() {
	rows | grep -e "^notice,n0,1" -e "^taken,n0,1" -e "^asked-off,n0,1" -e "^off,n0,1" | cut -d, -f1 >out &&
	printf "%s\n" notice "$@" off >wanted && test_cmp wanted out
}
at() { sed -n "s/,$1,n0,[01],.*//p" "$WINDTUNNEL_STATE/v/nodes/power.csv" | head -n 1; }
after() { awk "BEGIN { d = $(at "$2") - $(at "$1"); exit d < $3 - 0.01 || d > $3 + 0.01 }"; }

test_expect_success 'notice, drain: the node is drained while its job runs on, to the loss; then it stays drained' '
	spot --elastic on-notice=drain && shows n0 drng && is n0 on && in_v scontrol show node n0 >node &&
	grep "Reason=spot: taken back in 120 s" node && row off,n0,1 && noticed taken && after up notice 880 &&
	after notice taken 120 && requeued && in_v scontrol show node n0 >node && grep "State=.*DRAIN" node && down
'
test_expect_success 'notice, requeue: the job is requeued before the machine is lost' '
	spot --elastic on-notice=requeue && requeued && is n0 on && test_must_fail grep ,taken, "$dir/nodes/power.csv" &&
	row off,n0,1 && noticed taken && after notice taken 120 && down
'
test_expect_success 'notice, power-down-asap: the machine is lost before Slurm comes to switch it off' '
	spot --elastic on-notice=power-down-asap && shows n0 "drng!" && row off,n0,1 && noticed taken && requeued && down
'
test_expect_success 'notice, power-down-force: the job is requeued, the node switched off before the loss, and boots again' '
	spot --elastic on-notice=power-down-force && requeued && row off,n0,1 && noticed asked-off &&
	row up,n0,2 && down
'
test_expect_success 'notice, a program of the site: told of all nodes of a moment at once; the nodes process dies' '
	program="$WT_TMP/a site" told="$WT_TMP/told" &&
	printf "%s\n" "#!/bin/sh" "echo \$# \$1 \$2 \$SLURM_CONF >>$told" "squeue -h >/dev/null" "echo ended \$? >>$told" \
		>"$program" && chmod +x "$program" &&
	up --elastic notice=600 --elastic n3:notice=30 --elastic on-notice="$program" --set SuspendTime=60000 &&
	windtunnel node take --cluster v "n[0-1,3]" && wt_poll 60 eval "test \$(grep -c ended $told) = 2" && cat "$told" &&
	grep -x "2 n0,n1 600 $dir/slurm.conf" "$told" && grep -x "2 n3 30 $dir/slurm.conf" "$told" &&
	test "$(grep -c "ended 0" "$told")" = 2 &&
	pid=$(jq ".daemons[] | select(.name == \"vnoded\") | .pid" "$dir/state.json") && kill -9 "$pid" &&
	power taken 3 && after notice taken 600 && windtunnel node take --cluster v n0 && is n0 off && is n2 on && down
'
test_expect_success 'old-boot: a slurmd that tells an old boot is waited for in vain, and runs on unseen' '
	cloud --elastic fail=old-boot:100% && in_v sbatch --parsable -w n0 --wrap "sleep 10" >id && row up,n0 &&
	requeued && is n0 on && sticks n0 on POWERED_DOWN "told an old boot" && down
'
test_expect_success 'resume-program: ResumeProgram fails, nothing boots, the job is requeued' '
	cloud --elastic fail=resume-program:100% && in_v sbatch --parsable -w n0 --wrap "sleep 10" >id && requeued &&
	is n0 off && test_must_fail grep asked-on "$WINDTUNNEL_STATE/v/nodes/power.csv" &&
	test_expect_code 1 windtunnel node on --cluster v "n[0-3]" 2>err && grep "4 of 4 nodes.*resume-program" err && down
'
# Slurm names the nodes of each job in a file, and all of them as an argument.
test_expect_success 'resume-program: of several jobs, one whose nodes fail keeps no others from booting' '
	cloud --elastic fail=resume-program:50% --elastic seed=3 && {
		echo "{\"jobs\": [{\"job_id\": 7, \"nodes_resume\": \"n0\"},"
		echo "{\"job_id\": 8, \"nodes_resume\": \"n[1-2]\"}]}"
	} >resume &&
	test_expect_code 1 env SLURM_RESUME_FILE="$PWD/resume" windtunnel node on --cluster v "n[0-3]" 2>err &&
	grep "at 2 of 4 nodes" err && power booting 2 && rows | grep "^booting" | sort >out &&
	printf "%s\n" booting,n1,1,8 booting,n3,1, >wanted && test_cmp wanted out && down
'
test_expect_success 'suspend-program: Slurm takes machines for powered down that run on' '
	up --elastic fail=suspend-program:100% && shows n0 idle~ && is n0 on &&
	windtunnel node stuck --cluster v >stuck &&
	grep "^n0  *on  *always  *IDLE+POWERED_DOWN  *Slurm takes it for" stuck &&
	test_expect_code 1 windtunnel node off --cluster v n0 2>err && grep "1 of 1 nodes.*suspend-program" err &&
	test_must_fail grep stopping "$WINDTUNNEL_STATE/v/nodes/power.csv" && down
'
# Slurm believes at SuspendTimeout that the node is off, and resumes it; then the program gets to it.
test_expect_success 'suspend-slow: a late SuspendProgram stops the machine that was resumed meanwhile' '
	up --elastic fail=suspend-slow:60 --set SuspendTimeout=5 && shows n0 idle~ &&
	in_v sbatch --parsable -w n0 --wrap "sleep 10" >id && row off,n0 && rows | grep "^asked-on,n0,0,$(cat id)\$" &&
	rows | grep ,n0, | cut -d, -f1 | uniq >out && printf "%s\n" asked-on asked-off stopping off >wanted &&
	test_cmp wanted out && requeued && down
'
test_expect_success 'resume-slow: boots begin later' '
	cloud --elastic fail=resume-slow:50 && in_v sbatch --parsable -w n0 --wrap "sleep 10" >id &&
	submitted=$(in_v date +%s) && row booting,n0 &&
	begun=$(sed -n "s/\.[0-9]*,booting,n0,.*//p" "$WINDTUNNEL_STATE/v/nodes/power.csv") &&
	test $((begun - submitted)) -ge 49 && down
'
# The first two nodes wait, are paid for, and stay on when the job is requeued for the third.
test_expect_success 'one-of-job: one node of a job does not boot; the others stay on, and the job gets another' '
	cloud --elastic fail=one-of-job:100% && in_v sbatch --parsable -N3 --wrap "sleep 10" >id && power failed 1 &&
	requeued && rows | grep "^registered" >out && test_line_count = 2 out &&
	in_v sinfo -h -n "n[0-2]" -o "%D %t" | sort >out && printf "%s\n" "1 down~" "2 idle" >wanted &&
	test_cmp wanted out &&
	drive_until 10 "queue=\$(squeue -h) && [ -z \"\$queue\" ]" &&
	rows | grep "^booting,n3" && in_v scontrol show job "$(cat id)" >job && grep JobState=COMPLETED job && down
'
test_expect_success 'together=job: there is no machine for one of three, so none boots, and all are down' '
	cloud --elastic together=job --elastic limit=2 && in_v sbatch --parsable -N3 --wrap "sleep 10" >id &&
	power stock-out 3 && is "n[0-3]" off && requeued && in_v sinfo -h -n "n[0-2]" -o "%D %t" >out &&
	echo "3 down~" >wanted && test_cmp wanted out && test_must_fail grep ,booting, "$dir/nodes/power.csv" && down
'
# A job of two nodes, of which there are no machines; the two that it could have as well are there.
out_of_stock() {
	cloud --elastic "n[0-1]:fail=stock-out:100%" "$@" && in_v sbatch --parsable -N2 --wrap "sleep 10" >id &&
	power stock-out 2
}
elsewhere() { ended && in_v scontrol show job "$(cat id)" >job && grep "NodeList=n\[2-3\]" job && grep Restarts=1 job; }
reason() { in_v scontrol show node "$1" >node && grep "Reason=stock-out: there is no machine" node; }
test_expect_success 'on-stock-out=down: the job is requeued at once, and gets other nodes; these stay down' '
	out_of_stock --elastic on-stock-out=down && requeued && shows "n[0-1]" down~ && reason n0 &&
	windtunnel node stuck --for 0 --cluster v >stuck &&
	grep "^n1  *off .*until somebody resumes it.*stock-out" stuck && elsewhere &&
	awk "BEGIN { d = $(at asked-off) - $(at stock-out); exit d < 0 || d > 40 }" && shows n0 down~ && down
'
test_expect_success 'on-stock-out=down:SECONDS: the nodes can be used again, and are out of stock again' '
	out_of_stock --elastic on-stock-out=down:300 && requeued && elsewhere && shows "n[0-1]" idle~ &&
	in_v sbatch --parsable -w n0 --wrap true >id && row stock-out,n0,2 && down
'
# (Of later releases it was not looked at which nodes the job gets.)
case $(slurmctld -V) in
*" 22.05."*) test_set_prereq SAME_AGAIN ;;
esac
test_expect_success SAME_AGAIN 'on-stock-out=power-down-force: the job is requeued, and asks for the same nodes again' '
	out_of_stock --elastic on-stock-out=power-down-force --set SuspendTimeout=30 && requeued &&
	row stock-out,n0,2 && row stock-out,n0,3 && is "n[0-1]" off && down
'
test_expect_success 'on-stock-out=PROGRAM: the site has all nodes of a moment at once, also by a limit' '
	printf "%s\n" "#!/bin/sh" "echo \$# \$1 >>$WT_TMP/stock" >"$WT_TMP/stock out" && chmod +x "$WT_TMP/stock out" &&
	cloud --elastic limit=1 --elastic together=call --elastic on-stock-out="$WT_TMP/stock out" --set ResumeRate=0 &&
	in_v sbatch --parsable -N3 --wrap "sleep 10" >id && wt_poll 60 grep . "$WT_TMP/stock" && echo "1 n0,n1,n2" >wanted &&
	test_cmp wanted "$WT_TMP/stock" && is "n[0-3]" off && down
'
# The process that begins anew goes on in the cluster's time: for it, too, the shortage is not over before its end.
test_expect_success 'limit= over time: a shortage that takes no machine away, and outlives the nodes process' '
	cloud --elastic limit=all,2000:1,6000:all --elastic on-stock-out=down:300 &&
	in_v sbatch -w n0 --wrap "sleep 90000" && row up,n0,1 && drive sleep 2000 &&
	in_v sbatch --parsable -w n1 --wrap "sleep 10" >id && row stock-out,n1,1 && is n0 on &&
	pid=$(jq ".daemons[] | select(.name == \"vnoded\") | .pid" "$dir/state.json") && kill -9 "$pid" &&
	row stock-out,n1,2 && ended && is n0 on && ages stock-out n1 >short && ages booting n1 >begun && cat short begun &&
	awk "\$1 < 1950 || \$1 > 6050 { exit 1 }" short && awk "\$1 < 5950 { exit 1 }" begun && down
'
# refused WORDS OPTION...: told before anything is made, also by a dry run.
refused() {
	words=$1
	shift
	test_must_fail windtunnel cluster up w --nodes 4 "$@" 2>err && grep -e "$words" err &&
	test_must_fail windtunnel cluster up w --nodes 4 --dry-run "$@" 2>err && grep -e "$words" err &&
	test ! -e "$WINDTUNNEL_STATE/w"
}
test_expect_success 'settings that would do nothing, programs that cannot be run, nodes that are none: told at once' '
	refused "nobody is given notice without" --elastic on-notice=drain &&
	refused "without address=new" --elastic fail=no-address:5% &&
	refused "always to be had" --elastic on-stock-out=down && : >"$WT_TMP/no-program" &&
	refused "no-program.*Permission\|no-program.*denied" --elastic notice=5 --elastic on-notice="$WT_TMP/no-program" &&
	refused "nowhere: No such" --elastic on-resume-fail=/nowhere &&
	refused "this is no program" --elastic limit=1 --elastic on-stock-out=/tmp &&
	refused "there is no node n4" --elastic n4:boot=5 && refused "there is no node n007" --elastic n007:boot=5 &&
	refused "32768 are the most" --nodes 40000 --elastic address=new
'
never() {
	cloud --elastic fail=never:100% "$@" && in_v sbatch --parsable -w n0 --wrap "sleep 10" >id && row booting,n0 &&
	requeued
}
test_expect_success 'on-resume-fail=off: what has not come in time is switched off, and the node down' '
	never --elastic on-resume-fail=off && row off,n0,1 && is n0 off && shows n0 down~ && down
'
test_expect_success 'on-resume-fail=resume: and the node can be used again, so that the job waits for its next boot' '
	never --elastic on-resume-fail=resume && row booting,n0,2 && rows | grep "^booting,n0,2,$(cat id)\$" && down
'
test_expect_success 'resume-fail-program: a machine that never comes is left, and paid for, with its node down' '
	never --elastic fail=resume-fail-program:100% && shows n0 down~ && is n0 booting &&
	sticks n0 booting "DOWN.*POWERED_DOWN" "node drop.*ResumeTimeout reached" &&
	test_expect_code 1 windtunnel node drop --cluster v n0 2>err && grep "1 of 1 nodes.*resume-fail-program" err &&
	test_must_fail grep asked-off,n0,1 "$dir/nodes/power.csv" && down
'
# Later releases end each of these programs after ResumeTimeout (slurmscriptd).
case $(slurmctld -V) in
*" 22.05."*) hangs() {
	row off,n0,1 && awk "BEGIN { d = $(at asked-off) - $(at booting); exit d < 1020 || d > 1060 }"
} ;;
*) hangs() { appears "resumefailprog poll timeout @ 120000 msec" "$dir/ctld/slurmctld.log" && is n0 booting; } ;;
esac
test_expect_success 'resume-fail-slow: a program that hangs keeps slurmctld from nothing' '
	never --elastic fail=resume-fail-slow:900 && is n0 booting &&
	in_v sbatch --parsable -w n1 --wrap "sleep 10" >id &&
	row booting,n1 && test_must_fail grep asked-off,n0,1 "$dir/nodes/power.csv" && hangs && down
'
test_expect_success 'on-resume-fail=PROGRAM: the site has the nodes' '
	printf "%s\n" "#!/bin/sh" "echo \$# \$1 >>$WT_TMP/failed" "exec scontrol update NodeName=\$1 State=resume" \
		>"$WT_TMP/site fail" && chmod +x "$WT_TMP/site fail" && never --elastic on-resume-fail="$WT_TMP/site fail" &&
	drive_until 5 "grep . \"$WT_TMP/failed\"" && echo "1 n0" >wanted &&
	test_cmp wanted "$WT_TMP/failed" && shows n0 idle~ && is n0 booting && down
'
# Two seconds behind its registration: Slurm starts a batch job up to half a minute later.
test_expect_success 'notice, requeue: also a job whose machine has just come, and that has not begun' '
	cloud --elastic fail=taken:100%:602 --elastic notice=600 --elastic on-notice=requeue &&
	in_v sbatch --parsable -w n0 --wrap "sleep 5000" >id && row notice,n0 && requeued &&
	after up notice 2 && test_must_fail grep ,start, "$dir/nodes/events.csv" && down
'
# Of four nodes the second boot has the addresses behind the first four.
address() {
	net=$(jq .network "$dir/cluster.json") && in_v scontrol show node n0 >node && grep "NodeAddr=127.$net.0.$1 " node &&
	windtunnel node address --cluster v "n[0-3]" >out && echo "n0 127.$net.0.$2" >wanted && head -n 1 out >first &&
	test_cmp wanted first
}
# (sinfo may go on to call a node mixed on which a job had some of the CPUs.)
powered_down() { drive_until 5 "scontrol show node $1 | grep -q State=IDLE+.*POWERED_DOWN"; }
test_expect_success 'address=new: each boot has another address, of which slurmctld is told; the nodes process dies' '
	cloud --elastic address=new --set SuspendTime=120 &&
	in_v sbatch --parsable -N2 -w n0,n1 --wrap "srun sleep 200" >id &&
	power registered 2 &&
	drive_until 5 "squeue -h -s -o %i | grep \"\.0\"" && address 4 4 && test_line_count = 2 out &&
	pid=$(jq ".daemons[] | select(.name == \"vnoded\") | .pid" "$dir/state.json") && kill -9 "$pid" &&
	ended && in_v scontrol show job "$(cat id)" >job && grep Restarts=0 job && row off,n0,1 &&
	windtunnel node address --cluster v "n0" >out && wt_empty out && powered_down n0 &&
	in_v sbatch --parsable -w n0 --wrap true >id && ended && address 8 8 && down
'
# In one call of ResumeProgram: their names and addresses are longer than an argument may be.
test_expect_success 'address=new: slurmctld is told of 10,000 nodes that are resumed at once' '
	windtunnel cluster up v --nodes 10000 --clock virtual --charge none -q --elastic boot=30 --elastic address=new \
		--set NodeName+=State=CLOUD --set PrivateData=cloud --set ResumeRate=0 --set ResumeTimeout=600 &&
	in_v scontrol update NodeName="n[0-9999]" State=power_up && power registered 10000 &&
	in_v scontrol -o show node >nodes &&
	sed -n "s/.* NodeAddr=\([0-9.]*\) .*/\1/p" nodes | sort -u >addresses && test_line_count = 10000 addresses &&
	grep "NodeName=n0 .* NodeAddr=127.[0-9]*.39.16 " nodes && down
'
# From 23.11 on slurmctld takes the address of each cloud node's registration; before, if it is told to.
case $(slurmctld -V) in
*" 22.05."*) test_set_prereq FORGETS && reg_addrs='--set SlurmctldParameters=cloud_reg_addrs --keep SlurmctldParameters' ;;
*) reg_addrs='' ;;
esac
test_expect_success FORGETS 'no-address: a ResumeProgram forgets it: nodes that run unseen, a job that is requeued' '
	cloud --elastic address=new --elastic fail=no-address:100% &&
	in_v sbatch --parsable -w n0 --wrap "sleep 10" >id && power registered 1 && requeued && shows n0 "down*" &&
	is n0 on && windtunnel node address --cluster v n0 >out && wt_empty out &&
	in_v scontrol show node n0 >node && grep "NodeAddr=127.$(jq .network "$dir/cluster.json").0.0 " node && down
'
test_expect_success 'no-address with cloud_reg_addrs: slurmctld takes the address from the registration' '
	cloud --elastic address=new --elastic fail=no-address:100% $reg_addrs &&
	in_v sbatch --parsable -w n0 --wrap "sleep 10" >id && ended &&
	in_v scontrol show node n0 >node && grep "NodeAddr=127.$(jq .network "$dir/cluster.json").0.4 " node && down
'
test_expect_success 'classes of nodes: laws, stock-outs and limits of some nodes alone' '
	cloud --elastic n0:fail=stock-out:100% --elastic "n[1-2]:boot=5" --elastic "n[1-2]:limit=1" && windtunnel node on \
		--cluster v "n[0-3]" && power up 2 && rows | grep -v -e asked -e registered | tail -n +6 >out &&
	printf "%s\n" stock-out,n0,1, booting,n1,1, stock-out,n2,1, booting,n3,1, up,n1,1, up,n3,1, >wanted &&
	test_cmp wanted out && down &&
	test_must_fail windtunnel cluster up v --nodes 4 --elastic "n[3-4]:boot=5" 2>err && grep "there is no node n4" err &&
	test_expect_code 2 windtunnel node stuck --cluster v n0 2>err && grep "nothing to be said here" err &&
	test_expect_code 1 windtunnel node stuck --cluster v 2>err && test_line_count = 1 err &&
	test_expect_code 2 windtunnel cluster up v --nodes 4 --elastic n0:seed=5 2>err && grep "cannot be said of some" err
'
cleanup 'windtunnel cluster down v 2>/dev/null; true'
test_done
