#!/bin/sh
test_description='windtunnel cluster --backend slurmd: a real slurmd for each node'
. "$WT_SRCDIR/t/setup.sh"
dir=$WINDTUNNEL_STATE/real

# job ID KEY: a value of scontrol show job.
job() { scontrol -o show job "$1" | tr ' ' '\n' | sed -n "s/^$2=//p" | head -n 1; }
job_is() { test "$(job "$1" JobState)" = "$2"; }
commands() { for c in /proc/[0-9]*/cmdline; do tr '\000' ' ' <"$c"; echo; done 2>/dev/null >commands; }
# A sleep of that many seconds runs COUNT times (or more; or not at all).
sleeps() { commands; test "$(grep -cE "^(/[a-z/]*)?sleep $1 " commands)" -ge "$2"; }
none_sleeps() { commands; ! grep "sleep $1" commands; }
nothing_names() { commands; ! grep -F "$1" commands; }
all_idle() { test "$(sinfo -h -o '%D %T')" = "$1 idle"; }
node_port() { scontrol -o show node "$1" | sed 's/.* Port=\([0-9]*\).*/\1/'; }
slurmds() { windtunnel cluster status real --json | jq -e ".slurmds | $1"; }

test_expect_success 'up returns when all slurmds have registered' '
	windtunnel cluster up real --nodes 6 --backend slurmd --set SlurmdTimeout=15 2>err || { cat err; false; }
	grep "is up: 6 nodes IDLE" err &&
	eval "$(windtunnel cluster env real)" &&
	sinfo -h -o "%D %T" >out && echo "6 idle" >want && test_cmp want out
'
test "$test_failure" = 0 || test_done

test_expect_success 'each node has a slurmd, a port and a folder of its own' '
	first=$(jq .nodes_port "$dir/cluster.json") &&
	for i in 0 1 2 3 4 5; do
		pid=$(cat "$dir/nodes/n$i.pid") && tr "\000" " " <"/proc/$pid/cmdline" >out &&
		grep "slurmd.* -N n$i $" out &&
		test -d "$dir/nodes/n$i" && { test $i = 0 || test "$(node_port n$i)" = $((first + i)); } ||
			return 1
	done &&
	set -- $(cat /proc/sys/net/ipv4/ip_local_port_range) && test $((first + 5)) -lt $1 -o $first -gt $2
'
test_expect_success 'status and state.json tell of all of them in one line' '
	windtunnel cluster status real >out && grep "^slurmd  *6 of 6 run, 0 restarts" out && grep "^backend  *slurmd" out &&
	windtunnel cluster status --json real >out.json &&
	jq -e ".registered == 6 and .slurmds.total == 6 and .slurmds.running == 6 and .slurmds.restarts == 0" out.json &&
	jq -e "[.daemons[].name] == [\"munged\", \"slurmctld\"]" out.json &&
	jq -e ".nodes.running == 6" "$dir/state.json"
'
test_expect_success 'windtunnel node: real slurmds have power, too' '
	windtunnel node state --cluster real "n[4-5]" >out && printf "n4 on\nn5 on\n" >want && test_cmp want out
'
test_expect_success 'srun runs its tasks on the nodes' '
	srun -N6 printenv SLURMD_NODENAME | sort >out && printf "n%s\n" 0 1 2 3 4 5 >want && test_cmp want out &&
	srun -N6 hostname >out && test_line_count = 6 out &&
	test_expect_code 3 srun -N1 sh -c "exit 3"
'
test_expect_success 'a batch script runs, with steps on its nodes' '
	cat >script <<-\END &&
	#!/bin/sh
	srun printenv SLURMD_NODENAME | sort
	END
	id=$(sbatch --parsable -N4 -o "$PWD/batch.out" script) &&
	wt_poll 30 job_is $id COMPLETED && test_line_count = 4 batch.out && grep "^n0$" batch.out
'
test_expect_success 'scancel ends a job and its processes' '
	id=$(sbatch --parsable -N2 -o /dev/null --wrap "srun sleep 7101.$$; sleep 7101.$$") &&
	wt_poll 30 sleeps 7101.$$ 2 &&
	scancel $id && wt_poll 30 job_is $id CANCELLED && wt_poll 30 none_sleeps 7101.$$
'
test_expect_success 'kill -9 of a slurmd: restarted and recorded; its job runs on' '
	# a launch on its way would be lost
	id=$(sbatch --parsable -w n3 -o /dev/null --wrap "sleep 8.$$") && wt_poll 30 sleeps 8.$$ 1 &&
	pid=$(cat "$dir/nodes/n3.pid") && kill -9 $pid &&
	wt_poll 30 slurmds ".restarts == 1 and .running == 6" &&
	windtunnel cluster status real >out && grep "^slurmd  *6 of 6 run, 1 restarts on 1 nodes, last n3 signal 9" out &&
	grep "slurmd n3: ended: signal 9" "$dir/daemons.log" && grep "slurmd n3: started, .*(restart)" "$dir/daemons.log" &&
	test "$(cat "$dir/nodes/n3.pid")" != $pid &&
	wt_poll 30 job_is $id COMPLETED &&
	srun -w n3 true
'
test_expect_success 'scontrol reconfigure and a restart of slurmctld leave all nodes in service' '
	wt_reconfigure "$dir/ctld/slurmctld.log" &&
	wt_daemon_restart "$dir" slurmctld &&
	wt_poll 60 all_idle 6 && srun -N6 true
'
test_expect_success 'down leaves nothing of a running job, however it hides' '
	sbatch -N3 -o /dev/null --wrap "setsid sleep 7102.$$ & srun sleep 7102.$$" &&
	wt_poll 30 sleeps 7102.$$ 4 &&
	cp "$dir/cluster.json" . && windtunnel cluster down real &&
	none_sleeps 7102.$$ && ! test -e "$WINDTUNNEL_STATE" && wt_nothing_left cluster.json &&
	nothing_names "$dir"
'
test_expect_success 'so it does after the supervisor was killed' '
	windtunnel cluster up real --nodes 4 --backend slurmd -q &&
	sbatch -N2 -o /dev/null --wrap "(sleep 7103.$$ & ) ; srun sleep 7103.$$" &&
	wt_poll 30 sleeps 7103.$$ 3 && { SLURMD_NODENAME=n0 sleep 7104.$$ & } && other=$! && cleanup "kill $other" &&
	cp "$dir/cluster.json" . && kill -9 $(jq .supervisor.pid "$dir/state.json") &&
	windtunnel cluster down real && wt_nothing_left cluster.json && none_sleeps 7103.$$ &&
	kill -0 $other && tr "\0" "\n" </proc/$other/environ >environ && kill $other &&	# not its task: it only says so
	grep "^SLURM_CONF=$dir/slurm.conf" environ && grep "^SLURMD_NODENAME=n0" environ && nothing_names "$dir"
'
unset SLURM_CONF
test_expect_success 'esp on 8 real nodes: every job COMPLETED, times from the nodes' '
	windtunnel esp --backend slurmd --nodes 8 --time-scale 0.001 --burst 230 --probe job --timeout 200 \
		--quiet --output run >out 2>err || { cat err; false; } &&
	jq -e ".backend == \"slurmd\" and .jobs_completed == 230 and .nodes == 8" run/summary.json &&
	test "$(grep -c ",start," run/events.csv)" = 230 && test "$(grep -c ",end," run/events.csv)" = 230 &&
	test "$(grep -c ",probe,.*,[0-9]*\.[0-9]*$" run/events.csv)" = 230 &&
	test "$(grep -c ",release," run/events.csv)" -ge 230 && grep ",release,[0-9]*,,,n[0-7],$" run/events.csv &&
	! test -e "$WINDTUNNEL_STATE"
'
test_expect_success 'a job of so many nodes that they tell no releases is not waited for, and no problem' '
	echo "{\"id\":1,\"submit_s\":0,\"nodes\":65,\"run_time_s\":0.1}" >large.jsonl &&
	windtunnel run --workload jobs:large.jsonl --backend slurmd --nodes 65 --timeout 200 --quiet --output large \
		>out 2>err || { cat err; false; } &&
	jq -e ".jobs_completed == 1 and .problems == {}" large/summary.json && ! grep ",release," large/events.csv
'
test_expect_success 'more nodes than fit are refused with the number that would' '
	test_expect_code 2 windtunnel cluster up big --backend slurmd --nodes 65000 2>err && test_line_count = 1 err &&
	grep "65000 do not fit: [0-9]* real nodes with a job each do" err &&
	! test -e "$WINDTUNNEL_STATE"
'
wt_slurm_is_everybodys && test_set_prereq USER
test_expect_success USER 'an ordinary user has real nodes, too' '
	wt_as_user windtunnel cluster up u --nodes 2 --backend slurmd -q &&
	wt_as_user windtunnel cluster exec u -- srun -N2 id -un >out &&
	test_line_count = 2 out && grep "^$(test "$(id -u)" = 0 && echo nobody || id -un)$" out &&
	wt_as_user windtunnel cluster down u
'
test_done
