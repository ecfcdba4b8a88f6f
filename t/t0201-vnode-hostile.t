#!/bin/sh
test_description='wt-vnoded: who may ask what, and frames that are no messages'
. "$WT_SRCDIR/t/setup.sh"
. "$WT_SRCDIR/t/vnode.sh"
wt_seed

# Ordinary users cannot change their uid: what only another user shows is left out for them.
test "$(id -u)" -eq 0 && command -v setpriv >/dev/null && wt_slurm_is_everybodys && test_set_prereq OTHER_USER

ask() {	# ask TYPE [JOB-ID [SIGNAL]]: as this user, who is SlurmUser
	"$RPC" 127.77.0.1 $((vnode_port + 1)) "$@"
}

ask_other() {
	setpriv --reuid=65534 --regid=65534 --clear-groups "$RPC" 127.77.0.1 $((vnode_port + 1)) "$@"
}

# hostile CODE: perl with connect_to () for a connected socket; only the loopback device accepts.
hostile() {
	perl -MSocket -e 'sub connect_to { socket(my $s, AF_INET, SOCK_STREAM, 0) or die;
			connect($s, pack_sockaddr_in($ARGV[0],
		inet_aton("127.77.0.2"))) or die "$!"; select((select($s), $| = 1)[0]); $s }
		sub closed { my ($s) = @_; my $in = ""; vec($in, fileno $s, 1) = 1;
			select($in, undef, undef, 60) && !sysread($s, my $b, 1) }
		$SIG{PIPE} = "IGNORE"; '"$1" $((vnode_port + 1))
}

# The newest of its versions of the protocol whose header has no more in it than that of 22.05.
protocol=41
case $("$VNODED" --version) in *"(Slurm 22.05"*) protocol=38 ;; esac

dropped() {
	wt_poll 5 vnode_stat_at_least "$1" "$2"
}

alive() {
	id=$(vnode_submit "sleep 0.1") && wt_poll 20 vnode_job_is $id COMPLETED
}

test_expect_success 'a small cluster' 'vnode_up 4'
test_expect_success 'the controller itself is answered' '
	test "$(ask ping)" = ping && test "$(ask health)" = "rc 0" && test "$(ask status)" = "status n0"
'
test_expect_success 'what a slurmd does not know is refused with EINVAL' '
	test "$(ask unknown)" = "rc 22"
'
test_expect_success OTHER_USER 'launches of steps: not for others, nor with a credential made at home' '
	if test $protocol = 38; then
		test "$(ask_other launch-other)" = "rc 2010" && test "$(ask_other launch-no-alloc)" = "rc 2002" &&
		test "$(ask_other launch)" = "rc 4004"
	else	# a credential that is not signed by SlurmUser makes the message unreadable
		for type in launch-other launch-no-alloc launch; do
			test "$(ask_other $type)" = none || return 1
		done
	fi && alive
'
test_expect_success OTHER_USER 'requests for the controller only: refused, as slurmd does it, and counted' '
	chmod 711 "$C" &&
	for type in ping register health energy terminate timelimit preempted abort suspend; do
		test "$(ask_other $type)" = "rc 2010" || { echo $type; ask_other $type; return 1; }
	done &&
	for type in reconfigure shutdown; do
		test "$(ask_other $type 2>/dev/null)" = none || { echo $type; return 1; }
	done &&
	dropped refused 11 && alive
'
test_expect_success OTHER_USER 'signals, and questions about steps: only from the owner' '
	id=$(vnode_submit "sleep 3600" -w n0) && wt_poll 20 vnode_begun $id &&
	test "$(ask_other signal $id 15)" = "rc 2010" && test "$(ask_other end-step $id)" = "rc 2010" &&
	test "$(ask signal 4711 15)" = "rc 2017" && vnode_job_is $id RUNNING &&
	test "$(ask_other stat $id)" = "rc 2010" && test "$(ask_other pids $id)" = "rc 2010" &&
	test "$(ask stat $id)" = "stat n0" && test "$(ask pids $id)" = "pids n0" &&
	test "$(ask stat 4711)" = "rc 2017" && test "$(ask pids 4711)" = "rc 2017" &&
	test "$(ask signal $id 10)" = "rc 0" && wt_poll 20 vnode_job_is $id FAILED
'
test_expect_success 'garbage, huge, short and truncated frames are dropped and counted' '
	hostile "my \$s; for (1 .. 20) { \$s = connect_to; print \$s pack(\"N\", 0xffffffff) . \"x\" x 100;
		closed(\$s) or die 1;
		\$s = connect_to; print \$s pack(\"N\", 1); closed(\$s) or die 2;
		\$s = connect_to; print \$s pack(\"N\", 50) . \"x\" x 50; closed(\$s) or die 3;
		\$s = connect_to; print \$s pack(\"N\", 5000) . \"x\" x 50; shutdown(\$s, 1); closed(\$s) or die 4; 
		\$s = connect_to; close \$s; }" &&
	dropped huge 20 && dropped short 20 && dropped header 20 && dropped truncated 20 && alive
'
test_expect_success 'random bytes behind a good length' '
	hostile "srand $T_SEED; for my \$i (1 .. 500) { my \$s = connect_to; my \$n = 2 + int rand 300;
		my \$b = join \"\", map chr int rand 256, 1 .. \$n;
		substr(\$b, 0, 2) = pack(\"n\", ($protocol - \$i % 3) << 8) if \$i % 4;
		print \$s pack(\"N\", \$n) . \$b; closed(\$s) or die \$i; }" &&
	dropped header 500 && alive
'
test_expect_success 'a message whose credential is not one' '
	hostile "my \$s = connect_to; my \$body = pack(\"n\", 0); my \$m = \"MUNGE:AwQDAAB:\0\";
		my \$f = pack(\"nnnNnnn\", $protocol << 8, 0, 1008, length \$body, 0, 0, 0) .
			pack(\"NN\", 101, length \$m) . \$m . \$body;
		print \$s pack(\"N\", length \$f) . \$f; closed(\$s) or die;" &&
	dropped credential 1 && alive
'
test_expect_success 'many connections that say nothing leave room for the controller' '
	ulimit -n 4096 2>/dev/null; test "$(ulimit -n)" -lt 1600 ||
	{ hostile "my @s = map { my \$s = connect_to; print \$s \"\0\0\"; \$s } 1 .. 1500;
		system q(sinfo -h >/dev/null); sleep 1;" &&
	alive; }
'
test_expect_success 'nothing but the loopback device is listened on' '
	wt_poll 5 vnode_all_idle && ss -Hltn "sport = :$((vnode_port + 1))" | grep "%lo:" || ! command -v ss
'
test_done
