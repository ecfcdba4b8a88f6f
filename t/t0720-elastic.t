#!/bin/sh
test_description='virtual time: nodes are switched off and on, boots fail, the nodes process dies in mid-boot'
. "$WT_SRCDIR/t/setup.sh"
. "$WT_SRCDIR/t/power.sh"

without_sanitizers
# Outside of a command that drives it, time passes at the rate of the machine: what is looked at there lasts much longer than
# a busy machine needs.
up() { windtunnel cluster up v --nodes 8 --clock virtual --charge none -q --set SuspendTime=600 "$@"; }

test_expect_success 'wrong use is told before anything starts' '
	test_expect_code 2 windtunnel cluster up v --nodes 2 --elastic fail=flood:5% 2>err && grep "stock-out" err &&
	test_expect_code 2 windtunnel cluster up v --nodes 2 --backend slurmd --elastic boot=x 2>err && grep "boot" err &&
	test_expect_code 2 windtunnel cluster up v --nodes 2 --elastic limit=5,60:6,60:7 2>err && grep "each later" err &&
	test_expect_code 1 windtunnel node off --cluster nobody n0 2>err && test -s err &&
	test_expect_code 2 windtunnel node off "n0 n1" && test_expect_code 2 windtunnel node off &&
	test_must_fail env -u SLURM_CONF windtunnel node off n0 2>err && grep -e "--cluster" err &&
	test_must_fail env SLURM_CONF=/etc/slurm/slurm.conf windtunnel node off n0 2>err && grep "no emulated" err
'
test_expect_success 'idle nodes are switched off, and refuse connections' '
	up --elastic boot=normal:900,50 --set ResumeTimeout=3600 && power off 8 && is "n[0-7]" off &&
	drive_until 5 "[ \"\$(sinfo -h -o \"%D %t\")\" = \"8 idle~\" ]" &&
	wt_poll 30 eval "test \"\$(jq .off \"$WINDTUNNEL_STATE/v/nodes/stats.json\")\" = 8" &&
	port=$(jq .nodes_port "$WINDTUNNEL_STATE/v/cluster.json") &&
	net=$(jq .network "$WINDTUNNEL_STATE/v/cluster.json") &&
	test_must_fail bash -c "exec 3<>/dev/tcp/127.$net.0.1/$port" 2>err && grep -i refused err
'
test_expect_success 'a job switches three on; the nodes process dies in mid-boot, and they come all the same' '
	in_v sbatch --parsable -N3 --wrap "sleep 100" >id && power booting 3 &&
	pid=$(jq ".daemons[] | select(.name == \"vnoded\") | .pid" "$WINDTUNNEL_STATE/v/state.json") && kill -9 "$pid" &&
	is "n[0-2]" booting && power registered 3 &&
	drive_until 10 "queue=\$(squeue -h) && [ -z \"\$queue\" ]" &&
	in_v scontrol show job "$(cat id)" >job && grep JobState=COMPLETED job && grep "Restarts=0" job && power off 11 &&
	cycles 1 0 1 2
'
test_expect_success 'by hand: power_up, a reboot that Slurm takes for one, power_down' '
	in_v scontrol update NodeName=n7 State=power_up && power registered 4 &&
	drive_until 5 "[ \"\$(sinfo -h -n n7 -o %t)\" = idle ]" &&
	in_v scontrol reboot n7 &&
	drive_until 5 "scontrol show node n7 | grep -q \"State=IDLE\" && ! scontrol show node n7 | grep REBOOT" &&
	is n7 on &&
	in_v scontrol update NodeName=n7 State=power_down && power off 12 && is n7 off &&
	in_v "$(command -v windtunnel)" node on n6 && is n6 booting &&
	test_must_fail windtunnel node on --cluster v "n[0-8]" 2>err && grep "no node n8" err &&
	test_must_fail windtunnel node on --cluster v "n[0-" 2>err && grep "no host list" err
'
test_expect_success 'the number of a job that is none switches nothing' '
	for job in 99999999999 4294967294 -1 +1 1x " "; do
		ask "on n5 $job" >out && grep "^error on|off|drop|fail|repair|take|state|address NODES" out ||
			{ cat out; return 1; }
	done && is n5 off && ask "state n5 4294967293" >out && grep "^ok 1 n5=off" out
'
test_expect_success 'a machine that fails is repaired, not one that was switched off; also behind a new nodes process' '
	drive_until 30 "grep -q ,up,n6, \"$WINDTUNNEL_STATE/v/nodes/power.csv\"" && is n6 on &&
	ask "repair n5" >out && grep "^ok 1" out && is n5 off &&
	ask "fail n6" >out && grep "^ok 1" out && is n6 off &&
	pid=$(jq ".daemons[] | select(.name == \"vnoded\") | .pid" "$WINDTUNNEL_STATE/v/state.json") && kill -9 "$pid" &&
	is n6 off && ask "repair n6" >out && grep "^ok 1" out && is n6 on &&
	wt_poll 30 grep -q ,up,n6,2, "$WINDTUNNEL_STATE/v/nodes/power.csv" &&
	rows | grep ",n6," | grep -v registered | tail -n 4 >out &&
	printf "stopping,n6,1,\noff,n6,1,\nbooting,n6,2,\nup,n6,2,\n" >wanted && test_cmp wanted out &&
	windtunnel cluster down v
'
test_expect_success 'SuspendExcNodes and SuspendRate: some nodes stay on, the others go two a minute' '
	up --elastic boot=30 --set SuspendTime=60 --set SuspendExcNodes="n[0-1]" --set SuspendRate=2 && power off 6 &&
	is "n[0-1]" on && is "n[2-7]" off &&
	sed -n "s/\..*,asked-off,.*//p" "$WINDTUNNEL_STATE/v/nodes/power.csv" >times && test_line_count = 6 times &&
	uniq -c times | awk "{ if (\$1 > 2) exit 1 }" && test $(($(tail -n 1 times) - $(head -n 1 times))) -ge 45 &&
	windtunnel cluster down v
'
test_expect_success 'State=CLOUD: nodes begin off; all boots fail, and the job is requeued' '
	up --elastic boot=30 --elastic fail=boot:100% --set NodeName+=State=CLOUD --set PrivateData=cloud \
		--set ResumeTimeout=60 && is "n[0-7]" off && in_v sbatch --parsable -N2 --wrap true >id && power failed 2 &&
	drive_until 10 "scontrol show job $(cat id) | grep -q Restarts=1" &&
	in_v sinfo -h -n "n[0-1]" -o "%D %t" >out && echo "2 down~" >wanted && test_cmp wanted out &&
	test_must_fail grep ,up, "$WINDTUNNEL_STATE/v/nodes/power.csv" && windtunnel cluster down v
'
test_expect_success 'State=FUTURE: a node that is switched on is there' '
	up --elastic boot=600 --set NodeName+=State=FUTURE && windtunnel node on --cluster v n2 &&
	power registered 1 && drive_until 5 "[ \"\$(sinfo -h -n n2 -o %t)\" = idle ]" &&
	windtunnel cluster down v
'
# Each of the two machines takes 100 s for it; the one that loses power meanwhile has come back before that.
test_expect_success 'reboots go on while the nodes process dies, and end with the power' '
	up --elastic boot=20 --elastic stop=5 --node reboot-time=100 --set ResumeTimeout=900 &&
	in_v scontrol reboot "n[0-1]" &&
	drive_until 1 "[ \$(scontrol -o show node n[0-1] | grep -c REBOOT_ISSUED) = 2 ]" && begun=$(in_v date +%s) &&
	pid=$(jq ".daemons[] | select(.name == \"vnoded\") | .pid" "$dir/state.json") && kill -9 "$pid" &&
	windtunnel node off --cluster v n1 && windtunnel node on --cluster v n1 &&
	drive_until 1 "! scontrol show node n1 | grep -q REBOOT" && test $(($(in_v date +%s) - begun)) -lt 90 &&
	drive_until 1 "! scontrol show node n0 | grep -q REBOOT" && test $(($(in_v date +%s) - begun)) -ge 90 &&
	in_v sinfo -h -o "%D %t" >out && echo "8 idle" >wanted && test_cmp wanted out &&
	test_must_fail grep "timed out" "$dir/ctld/slurmctld.log" && windtunnel cluster down v
'
cleanup 'windtunnel cluster down v 2>/dev/null; true'
test_done
