#!/bin/sh
test_description='windtunnel cluster stop, start: outages on purpose'
. "$WT_SRCDIR/t/setup.sh"

dir=$WINDTUNNEL_STATE/o
state() {	# state JQ-CONDITION
	jq -e "$1" "$dir/state.json" >/dev/null
}
daemon() {	# daemon NAME JQ-CONDITION
	state ".daemons[] | select(.name == \"$1\") | $2"
}
on() {	# on COMMAND...: a client that hangs fails the test
	timeout 120 windtunnel cluster exec o -- "$@"
}
all_idle() {
	test "$(on sinfo -h -o "%D %T")" = "20 idle"
}
job_is() {
	on scontrol -o show job "$1" | grep -q "JobState=$2"
}

test_expect_success 'a cluster with a job' '
	windtunnel cluster up o --nodes 20 -q && job=$(on sbatch --parsable -o /dev/null --wrap "sleep 12") &&
	wt_poll 20 job_is $job RUNNING
'
# They take all places but those that the commands of this script need.  None of them hears a word at its end.
cat >silent.pl <<\END
my @held = map { IO::Socket::UNIX->new(Peer => $ARGV[0]) or die } 1 .. 12;
print { $held[0] } "sto";
$held[0]->flush;
defined(scalar readline $_) and die for @held;
END
perl -MIO::Socket::UNIX silent.pl "$dir/control" && : >let-go &
test_expect_success 'stop slurmctld: it has ended, all see that it was on purpose, and the nodes go on' '
	windtunnel cluster stop o slurmctld &&
	daemon slurmctld ".pid == 0 and .stopped and .restarts == 0 and .last_exit == \"exit 0\"" &&
	windtunnel cluster list | grep "^o  *outage" &&
	windtunnel cluster list --json | jq -e ".[0].stopped == [\"slurmctld\"]" &&
	test_expect_code 1 windtunnel cluster status o >out && grep "^status  *outage" out &&
	grep "^slurmctld .*, stopped, 0 restarts" out &&
	grep "not asked: slurmctld or munged is stopped" out && daemon vnoded "(.stopped | not) and .pid > 0" &&
	wt_poll 20 grep ",end,$job," "$dir/nodes/events.csv"
'
test_expect_success 'twice is as good as once' '
	windtunnel cluster stop o slurmctld && daemon slurmctld ".pid == 0 and .stopped"
'
test_expect_success 'nobody restarts it; start does, and the job that ended meanwhile is told' '
	sleep 2 && ! grep "slurmctld: .*restart" "$dir/daemons.log" &&
	windtunnel cluster start o slurmctld && on scontrol ping | grep "is UP" && wt_poll 60 job_is $job COMPLETED &&
	daemon slurmctld "(.stopped | not) and .restarts == 0" && windtunnel cluster status o && windtunnel cluster list |
		grep "^o  *up" &&
	windtunnel cluster start o slurmctld && daemon slurmctld ".restarts == 0"
'
# It is held still, so that it cannot end before the start comes.  It goes on for a while after that, and answers: the
# start is not about it.
test_expect_success 'a start while something ends: the stop that waits is told, and the start waits for the next process' '
	pid=$(jq ".daemons[] | select(.name == \"slurmctld\") | .pid" "$dir/state.json") && kill -STOP "$pid" || return 1
	windtunnel cluster stop o slurmctld 2>stop.err & stopping=$!
	wt_poll 20 daemon slurmctld ".stopped" || return 1
	windtunnel cluster start o slurmctld & starting=$!
	test_expect_code 1 wait "$stopping" && grep "a .start. came before all had ended" stop.err &&
	daemon slurmctld ".pid == $pid" && kill -CONT "$pid" && wait "$starting" &&
	daemon slurmctld "(.stopped | not) and .pid > 0 and .pid != $pid and .restarts == 0" &&
	on scontrol ping | grep "is UP"
'
test_expect_success 'a stop while a start waits: the start is told' '
	pid=$(wt_daemon_pid "$dir" slurmctld) && kill -STOP "$pid" || return 1
	windtunnel cluster stop o slurmctld 2>stop.err & stopping=$!
	wt_poll 20 daemon slurmctld ".stopped" || return 1
	windtunnel cluster start o slurmctld 2>start.err & starting=$!
	test_expect_code 1 wait "$stopping" || return 1
	windtunnel cluster stop o slurmctld & stopping=$!
	test_expect_code 1 wait "$starting" && grep "a .stop. came before all had started" start.err &&
	kill -CONT "$pid" && wait "$stopping" && daemon slurmctld ".stopped and .pid == 0" && windtunnel cluster start o
'
test_expect_success 'without its slurm.conf nobody waits a minute for that' '
	mv "$dir/slurm.conf" conf && windtunnel cluster status o >out && grep "not asked: .*slurm.conf: No such file" out &&
	test_expect_code 1 windtunnel cluster start o 2>err && grep "slurm.conf: No such file" err &&
	test_expect_code 1 windtunnel cluster exec o -- sinfo 2>err && grep "slurm.conf: No such file" err &&
	mv conf "$dir/slurm.conf" &&
	windtunnel cluster start o
'
test_expect_success 'after that a crash is restarted as before' '
	old=$(jq ".daemons[] | select(.name == \"slurmctld\") | .pid" "$dir/state.json") && kill -9 $old &&
	wt_poll 60 daemon slurmctld ".restarts == 1 and .pid > 0"
'
test_expect_success 'stop --kill of the nodes: they are down for slurmctld at some time, and come back' '
	windtunnel cluster stop o --kill nodes && daemon vnoded ".stopped and .last_exit == \"signal 9\"" &&
	windtunnel cluster start o nodes && wt_poll 60 all_idle && on srun -N3 true && daemon vnoded ".restarts == 0"
'
test_expect_success 'without munge nobody is understood; with it all go on' '
	windtunnel cluster stop o munge && daemon munged ".stopped and .pid == 0" &&
	test_must_fail on srun --immediate=1 -N1 true &&
	windtunnel cluster start o munge && wt_poll 60 on srun -N1 true
'
test_expect_success 'everything at once: munge goes last and comes first' '
	windtunnel cluster stop o && state "[.daemons[] | .stopped and .pid == 0] | all" &&
	grep -o "[a-z]*: pid [0-9]* ended: [a-z0-9 ]*" "$dir/daemons.log" | tail -n 1 | grep "^munged: .*exit 0" &&
	windtunnel cluster start o && wt_poll 60 all_idle && on srun -N2 true
'
test_expect_success 'wrong use is said in one line' '
	test_expect_code 2 windtunnel cluster stop o slurmd 2>err &&
	grep "slurmd. is not a part of a cluster: give slurmctld, nodes or munge" err &&
	test_expect_code 2 windtunnel cluster start 2>err && grep "NAME is missing" err &&
	test_expect_code 1 windtunnel cluster stop nowhere 2>err && test_line_count = 1 err &&
	grep "there is no cluster" err &&
	test "$(stat -c %a "$dir/control")" = 700
'
test "$(id -u)" -eq 0 && test_set_prereq ROOT
test_expect_success ROOT 'other users cannot' '
	chmod 755 "$WT_TMP" "$WINDTUNNEL_STATE" && chmod 777 "$dir/control" &&
	printf "stop\n" | setpriv --reuid=65534 --regid=65534 --clear-groups perl -MIO::Socket::UNIX -e "
		\$SIG{PIPE} = q(IGNORE); \$s = IO::Socket::UNIX->new(Peer => shift) or die;
			print \$s scalar <STDIN>; \$s->flush; print scalar <\$s> // qq(closed\n)" \
		"$dir/control" >out; grep closed out && state "[.daemons[] | .stopped | not] | all"
'
test_expect_success 'connections that ask for nothing lose their places' '
	wt_poll 180 test -e let-go
'
test_expect_success 'down in the middle of an outage leaves nothing' '
	windtunnel cluster stop o slurmctld munge && cp "$dir/cluster.json" . &&
	windtunnel cluster down o && ! test -e "$WINDTUNNEL_STATE" && wt_nothing_left cluster.json
'
test_expect_success 'in virtual time' '
	windtunnel cluster up o --nodes 20 -q --clock virtual &&
	job=$(on sbatch --parsable -o /dev/null --wrap "sleep 600") &&
	wt_poll 20 job_is $job RUNNING && windtunnel cluster stop o slurmctld && daemon slurmctld ".stopped and .pid == 0" &&
	windtunnel cluster start o slurmctld && windtunnel cluster exec --drive o -- srun -N2 sleep 700 &&
	wt_poll 60 job_is $job COMPLETED &&
	windtunnel cluster down o
'
slurmds() {
	state ".nodes | $1"
}
test_expect_success 'real nodes' '
	windtunnel cluster up o --nodes 3 --backend slurmd -q && on srun -N3 true && windtunnel cluster stop o nodes &&
	slurmds ".stopped and .running == 0 and .restarts == 0" &&
	windtunnel cluster status o | grep "^slurmd  *0 of 3 run (stopped), 0 restarts" &&
	windtunnel cluster start o nodes && wt_poll 60 slurmds ".running == 3 and .restarts == 0 and (.stopped | not)" &&
	wt_poll 60 on srun -N3 true && windtunnel cluster stop o --kill nodes && windtunnel cluster down o &&
	! test -e "$WINDTUNNEL_STATE"
'
test_done
