#!/bin/sh
test_description='windtunnel cluster: from up to down'
. "$WT_SRCDIR/t/setup.sh"

test_expect_success 'no cluster: an empty list, and no folder is made for it' '
	windtunnel cluster list >out &&
	test_line_count = 0 out &&
	test "$(windtunnel cluster list --json)" = "[]" &&
	! test -e "$WINDTUNNEL_STATE"
'
test_expect_success 'up returns when all nodes are IDLE' '
	windtunnel cluster up one --nodes 40 2>err &&
	grep "is up: 40 nodes IDLE" err &&
	windtunnel cluster exec one -- sinfo -h -o "%D %T" >out &&
	echo "40 idle" >want && test_cmp want out
'
test_expect_success 'a release that starts jobs by backfill alone without slurmdbd is warned of, no other one' '
	case $(slurmctld -V) in
	*23.11.*|*24.05.*) grep "warning: without slurmdbd .* use --accounting" err ;;
	*) ! grep -i warning err ;;
	esac
'
dir=$WINDTUNNEL_STATE/one
test_expect_success 'the key is private, the folder belongs to the caller' '
	test "$(stat -c "%a %u" "$dir/munge/key")" = "400 $(id -u)" &&
	test "$(stat -c "%a %u" "$dir")" = "755 $(id -u)"
'
test_expect_success 'list and status tell what runs' '
	windtunnel cluster list >out && grep "^one  *up  *40 " out &&
	windtunnel cluster status one >out && grep "^status  *up$" out && grep "(40 idle)" out &&
	windtunnel cluster status --json one >out.json &&
	jq -e ".status == \"up\" and .nodes == 40 and .registered == 40" out.json &&
	jq -e ".node_states.idle == 40 and .node_states.total == 40" out.json &&
	jq -e "[.daemons[].name] == [\"munged\", \"slurmctld\", \"vnoded\"]" out.json &&
	jq -e "all(.daemons[]; .alive and .restarts == 0)" out.json &&
	kill -0 $(jq ".daemons[].pid" out.json)
'
cat >connects.pl <<'END'
use Socket qw(:DEFAULT SOCK_NONBLOCK);	# how many connections of COUNT a socket takes that nobody accepts
my ($path, $count) = @ARGV;
my $taken = 0;
my @sockets;
for (1 .. $count) {
	socket(my $socket, AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0) or die "socket: $!";
	$taken++ if connect($socket, sockaddr_un($path));
	push @sockets, $socket;
}
print "$taken\n";
END
# As many as the kernel allows, up to 400: munged itself asks for 256.
somaxconn=$(cat /proc/sys/net/core/somaxconn)
want=$((somaxconn < 400 ? somaxconn : 400))
queue_is_long() {
	pid=$(jq ".daemons[] | select(.name == \"munged\") | .pid" "$dir/state.json") && test "${pid:-0}" -gt 1 &&
	kill -STOP $pid && perl connects.pl "$dir/munge/socket" 400 >taken
	kill -CONT $pid && test "$(cat taken)" -ge $want
}
test_expect_success 'a burst of clients finds room in the queue of munged, also after its restart' '
	wt_poll 20 queue_is_long && kill -9 $pid && killed=$pid &&
	restarted() { queue_is_long && test $pid != $killed; } &&
	wt_poll 40 restarted && wt_poll 20 windtunnel cluster exec one -- scontrol ping
'
test_expect_success 'exec hands over arguments, exit status and a clean environment' '
	test_expect_code 7 windtunnel cluster exec one -- sh -c "exit 7" &&
	SLURM_JOB_ID=5 SBATCH_PARTITION=x SLURM_CONF=/nowhere SLURM_TIME_FORMAT=%s \
		windtunnel cluster exec one -- sh -c "env" >out &&
	! grep "^SLURM_JOB_ID\|^SBATCH_" out &&
	grep "^SLURM_TIME_FORMAT=%s" out &&
	grep "^SLURM_CONF=$dir/slurm.conf$" out &&
	windtunnel cluster exec one printf "<%s>" "a b" --json >out && printf "<a b><--json>" >want && test_cmp want out &&
	test_expect_code 127 windtunnel cluster exec one -- /no/such/program 2>err && grep "no/such/program" err &&
	test_expect_code 2 windtunnel cluster exec one -- 2>err && grep "command is missing" err
'
test_expect_success 'env can be evaluated' '
	(eval "$(windtunnel cluster env one)" && scontrol ping) >out && grep "UP" out
'
test_expect_success 'a job runs to its end, through an epilog' '
	windtunnel cluster exec one -- sbatch -N2 --output=/dev/null --wrap "sleep 1" >out &&
	grep "Submitted batch job 1" out &&
	wt_poll 30 sh -c "windtunnel cluster exec one -- scontrol show job 1 | grep JobState=COMPLETED" &&
	grep "^Epilog=" "$dir/slurm.conf"
'
test_expect_success 'a running name is refused and goes on running' '
	test_expect_code 1 windtunnel cluster up one --nodes 3 2>err &&
	test_line_count = 1 err && grep "running" err &&
	windtunnel cluster status one
'
test_expect_success 'every daemon carries the cluster in its environment' '
	for pid in $(jq ".supervisor.pid, .daemons[].pid" "$dir/state.json"); do
		grep -q "WINDTUNNEL_CLUSTER=$(jq -r .uuid "$dir/cluster.json")" "/proc/$pid/environ" || return 1
	done
'
test_expect_success 'its ports are no ephemeral ones' '
	set -- $(cat /proc/sys/net/ipv4/ip_local_port_range) &&
	jq -e "all(.lock_port, .controller_port, .nodes_port; . < $1 or . > $2)" "$dir/cluster.json"
'
test_expect_success 'down leaves no process, port or file' '
	windtunnel cluster status --json one >status.json &&
	cp "$dir/cluster.json" . &&
	windtunnel cluster down one &&
	! test -e "$WINDTUNNEL_STATE" &&
	wt_nothing_left cluster.json
'
test_expect_success 'down of what is not there fails with one line' '
	test_expect_code 1 windtunnel cluster down one 2>err &&
	test_line_count = 1 err && grep "no cluster .one." err &&
	windtunnel cluster down --all
'
test_expect_success 'down --keep leaves the logs; the name can be used again' '
	windtunnel cluster up one --nodes 2 -q &&
	windtunnel cluster down one --keep &&
	test -s "$dir/ctld/slurmctld.log" && test -s "$dir/daemons.log" &&
	windtunnel cluster list >out && grep "^one  *stopped" out &&
	test_expect_code 1 windtunnel cluster exec one -- sinfo 2>err && grep "not up: it is stopped" err &&
	wt_nothing_left "$dir/cluster.json" &&
	windtunnel cluster up one --nodes 3 -q &&
	windtunnel cluster list | grep "^one  *up  *3 " &&
	windtunnel cluster down one && ! test -e "$WINDTUNNEL_STATE"
'
test_expect_success 'up and down without standard input, output and error' '
	windtunnel cluster up one --nodes 2 <&- >&- 2>&- &&
	windtunnel cluster status one && windtunnel cluster down one <&- >&- 2>&-
'
test_done
