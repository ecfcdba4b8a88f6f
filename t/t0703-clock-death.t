#!/bin/sh
test_description='virtual time: what is killed ends the run, or is replaced; nothing hangs, nothing is left'
. "$WT_SRCDIR/t/setup.sh"

if grep -q "^WT_CFLAGS = .*-fsanitize" "$WT_BUILDDIR/Makefile"; then
	skip_all="a sanitizer and a preloaded library that replaces the same functions do not go together"
	test_done
fi
clusters_gone() { test -z "$(ls -A "$WINDTUNNEL_STATE" 2>/dev/null)"; }

# run_start NAME OPTION...: a run of its own in the background; its pid is in $run, its clock in $memory, its
# coordinator's pid in $clockd.
# With --variant parallel-light it has ten times as many jobs, and is not over before something is done to it.
run_start() {
	name=$1 && shift
	windtunnel esp --nodes 16 --clock virtual --quiet --output "$name" "$@" >"$name.out" 2>"$name.err" &
	run=$!
	memory=/dev/shm/windtunnel-clock-$(id -u)-$run
	dir=$WINDTUNNEL_STATE/esp-$run
	wt_poll 60 grep -q "\"phase\": \"up\"" "$dir/state.json" &&
	cp "$dir/cluster.json" "$name.json" &&
	wt_poll 60 sh -c "test \$(SLURM_CONF=$dir/slurm.conf squeue -h -t R | wc -l) -ge 1" &&
	clockd=$(pgrep -f -- "^wt-clockd --shm $memory ")
}
daemon_pid() { jq ".daemons[] | select(.name == \"$1\") | .pid" "$2/state.json"; }
run_ended() { ! kill -0 "$run" 2>/dev/null; }

test_expect_success 'the coordinator is killed: the command ends and says why; its daemons end, too' '
	run_start a --variant parallel-light && kill -9 "$clockd" && wt_poll 60 run_ended && test_expect_code 75 wait $run &&
	grep "virtual clock: the coordinator of $memory (pid $clockd) has died" a.err &&
	wt_poll 60 wt_nothing_left a.json && wt_poll 60 test ! -e "$memory" && windtunnel cluster down --all && clusters_gone
'
test_expect_success 'the coordinator of a cluster is killed: the cluster is dead, and its clients are told why' '
	windtunnel cluster up c --nodes 4 --clock virtual -q &&
	memory=$(jq -r .virtual_clock "$WINDTUNNEL_STATE/c/cluster.json") &&
	{ windtunnel cluster exec c -- sleep 1000 2>client & client=$!; } &&
	wt_poll 60 grep -q libwtclock "/proc/$client/maps" &&
	kill -9 "$(pgrep -f -- "^wt-clockd --shm $memory ")" &&
	test_expect_code 75 wait $client && grep "has died" client &&
	wt_poll 60 sh -c "windtunnel cluster list | grep -q \"^c *dead\"" &&
	test_expect_code 1 windtunnel cluster exec c -- true 2>err && grep "its virtual clock has ended" err &&
	windtunnel cluster down c && test ! -e "$memory" && clusters_gone
'
test_expect_success 'the command is killed: cluster and clock end' '
	run_start b --variant parallel-light && kill -9 $run && wait $run; test $? = 137 &&
	wt_poll 60 clusters_gone && wt_poll 60 test ! -e "$memory" && wt_poll 60 wt_nothing_left b.json
'
test_expect_success 'Ctrl-C: results so far, nothing left' '
	run_start c --variant parallel-light && kill -INT $run && test_expect_code 130 wait $run &&
	jq -e ".interrupted and .clock == \"virtual\"" c/summary.json && clusters_gone &&
	wt_poll 60 test ! -e "$memory" && wt_nothing_left c.json
'
test_expect_success 'the process of the nodes is killed: it is started again, and the run ends well' '
	run_start d && kill -9 "$(daemon_pid vnoded "$dir")" && wait $run &&
	jq -e ".jobs_completed == 230 and .failure == \"\"" d/summary.json && grep "vnoded: .*restart" d/logs/daemons.log
'
# The supervisor's end would take slurmctld with it (PR_SET_PDEATHSIG), and a living one would start it anew.
test_expect_success 'the supervisor is killed, and slurmctld: the run fails, in virtual time, and says why' '
	run_start e --variant parallel-light && supervisor=$(jq .supervisor.pid "$dir/state.json") &&
	controller=$(daemon_pid slurmctld "$dir") &&
	kill -STOP "$supervisor" && kill -9 "$controller" && kill -9 "$supervisor" && test_expect_code 1 wait $run &&
	cat e.err && test -s e.err
'
test_expect_success 'a slurmd, a waiting client and munged are killed: jobs and clients go on in virtual time' '
	windtunnel cluster up s --nodes 2 --backend slurmd --clock virtual -q && dir=$WINDTUNNEL_STATE/s &&
	in_s() { windtunnel cluster exec "$@"; } &&
	in_s s -- sbatch --parsable -w n1 -o /dev/null --wrap "sleep 3000" >id && in_s --drive s -- sleep 5 &&
	{ in_s s -- srun -w n0 sleep 2000 & client=$!; } &&
	wt_poll 60 sh -c "test \$(SLURM_CONF=$dir/slurm.conf squeue -h -t R | wc -l) = 2" &&
	kill -9 "$(cat "$dir/nodes/n1.pid")" $client "$(daemon_pid munged "$dir")" && { wait $client || :; } &&
	in_s --drive s -- sleep 5000 &&
	in_s s -- scontrol show job "$(cat id)" >job && grep "JobState=COMPLETED" job && grep "RunTime=00:50:" job &&
	in_s s -- squeue -h >out && wt_empty out && in_s --drive s -- srun -N2 true &&
	grep "slurmd n1: ended: signal 9" "$dir/daemons.log" &&
	grep "munged: pid [0-9]* ended: signal 9" "$dir/daemons.log" &&
	windtunnel cluster down s && clusters_gone
'
# The whole path: another clock's may begin with it.
takers() { grep -ls " $memory\( (deleted)\)*\$" /proc/[0-9]*/maps; }
cleanup 'test -z "$memory" || takers | cut -d/ -f3 | xargs -r kill -9'
test_expect_success 'a burst of daemons begun in a cluster ends with it, whatever they do about SIGTERM' '
	windtunnel cluster up c --nodes 4 --clock virtual -q &&
	memory=$(jq -r .virtual_clock "$WINDTUNNEL_STATE/c/cluster.json") && before=$(takers | wc -l) &&
	windtunnel cluster exec c -- sh \
		-c "for i in 1 2 3 4 5 6 7 8; do
			setsid sh -c \"trap : TERM; while :; do sleep 100000; done\" </dev/null >/dev/null 2>&1 & done" &&
	wt_poll 60 eval "test \$(takers | wc -l) -ge $((before + 16))" &&
	windtunnel cluster down c && test ! -e "$memory" && test ! -e "$memory.view" && ! takers &&
	! pgrep -f -- "^wt-clockd --shm $memory " && clusters_gone
'
test_expect_success 'a run that has ended has no clock any more, not even for a moment' '
	run_start f && wait $run && test ! -e "$memory" && test ! -e "$memory.view" && ! kill -0 "$clockd"
'
test_expect_success 'a start that fails leaves no clock either' '
	{ windtunnel cluster up c --nodes 4 --clock virtual -q --set SchedulerType=sched/nosuch 2>err & up=$!; } &&
	test_expect_code 1 wait $up && grep sched/nosuch err &&
	! ls /dev/shm/windtunnel-clock-$(id -u)-$up &&
	! pgrep -f -- "^wt-clockd --shm /dev/shm/windtunnel-clock-$(id -u)-$up " && windtunnel cluster down --all &&
	clusters_gone
'
test_done
