#!/bin/sh
test_description='windtunnel cluster: beside other clusters and programs'
. "$WT_SRCDIR/t/setup.sh"

# port_take: a listener, $listener, on the port that "up" would take next; clusters of other tests may take it before us.
port_take() {
	port=$(conf_value SlurmdPort) && rm -f busy
	perl -MIO::Socket::INET -e "
		\$s = IO::Socket::INET->new(LocalAddr => q(127.0.0.1), LocalPort => $port, Listen => 1);
		open(F, \$s ? q(>listening) : q(>busy)); close(F); sleep 600 if \$s" &
	listener=$!
	until test -e listening; do
		test ! -e busy || return 1
		sleep 0.1
	done
}
conf_value() {
	windtunnel cluster up x --nodes 1 --dry-run | sed -n "s/^$1=//p"
}

test_expect_success 'two clusters at once do not know each other' '
	{ windtunnel cluster up first --nodes 5 -q & } &&
	pid=$! &&
	windtunnel cluster up second --nodes 7 -q && wait $pid &&
	test "$(windtunnel cluster exec first -- sinfo -h -o %D)" = 5 &&
	test "$(windtunnel cluster exec second -- sinfo -h -o %D)" = 7 &&
	test "$(jq .nodes_port "$WINDTUNNEL_STATE/first/cluster.json")" != \
		"$(jq .nodes_port "$WINDTUNNEL_STATE/second/cluster.json")" &&
	windtunnel cluster exec first -- sbatch --output=/dev/null --wrap "sleep 60" &&
	test "$(windtunnel cluster exec second -- squeue -h | wc -l)" = 0
'
test_expect_success 'the credentials of one are worth nothing in the other' '
	sed "s,^AuthInfo=.*,AuthInfo=socket=$WINDTUNNEL_STATE/first/munge/socket," "$WINDTUNNEL_STATE/second/slurm.conf" \
		>mixed.conf &&
	test_expect_code 1 env SLURM_CONF="$PWD/mixed.conf" squeue &&
	wt_poll 20 grep "authentication error" "$WINDTUNNEL_STATE/second/ctld/slurmctld.log"
'
test_expect_success 'down of one leaves the other' '
	cp "$WINDTUNNEL_STATE/first/cluster.json" . &&
	windtunnel cluster down first && wt_nothing_left cluster.json &&
	windtunnel cluster status second
'
test_expect_success 'two "up" of one name at once: one wins, one is refused' '
	test_when_finished "windtunnel cluster down same" &&
	{ (windtunnel cluster up same --nodes 2 -q 2>err1; echo $? >status1) & } &&
	pid=$! &&
	(windtunnel cluster up same --nodes 2 -q 2>err2; echo $? >status2) && wait $pid &&
	test "$(cat status1 status2 | sort | tr -d "\n")" = 01 &&
	grep running err1 err2 &&
	windtunnel cluster status same
'
test_expect_success 'taken ports are passed over, whoever has them' '
	wt_poll 30 port_take && test_when_finished "kill $listener" &&
	test "$(conf_value SlurmdPort)" != "$port" &&
	windtunnel cluster up third --nodes 2 -q &&
	test "$(jq .nodes_port "$WINDTUNNEL_STATE/third/cluster.json")" != "$port" &&
	windtunnel cluster down third
'
test_expect_success 'down --all ends what is left' '
	cp "$WINDTUNNEL_STATE/second/cluster.json" . &&
	windtunnel cluster up fourth --nodes 1 -q &&
	windtunnel cluster down --all && ! test -e "$WINDTUNNEL_STATE" &&
	wt_nothing_left cluster.json
'
test_done
