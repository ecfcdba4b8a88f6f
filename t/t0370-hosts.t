#!/bin/sh
test_description='one cluster over several hosts: network namespaces on a bridge, by a helper and by clush and sshd'
. "$WT_SRCDIR/t/setup.sh"

# refused WORDS ARGUMENT...: wrong use, nothing started
refused() {
	words=$1
	shift
	test_expect_code 2 windtunnel cluster up c --nodes 8 --backend slurmd --quiet "$@" 2>err >out &&
	test_line_count = 0 out &&
	{ grep -q -e "$words" err || { cat err; false; }; } && test ! -e "$WINDTUNNEL_STATE/c"
}

test_expect_success 'wrong use, and files that are wrong' '
	printf "a address=127.0.0.1\nb adress=127.0.0.2\n" >bad && refused "bad:2: .adress=" --hosts bad &&
	printf "a address=127.0.0.1 nodes=9\n" >bad && refused "are 9 together, and --nodes says 8" --hosts bad &&
	printf "a address=192.0.2.1\nb address=127.0.0.2\n" >bad &&
	printf "a address=127.0.0.1\nb address=127.0.0.2\n\0\nc address=127.0.0.3\n" >nul &&
	refused "nul has a NUL after 40 bytes" --hosts nul &&
	refused "192.0.2.1 is no address of this machine: the first host" --hosts bad &&
	for address in 255.255.255.255 224.0.0.1; do
		printf "a address=$address\nb address=127.0.0.2\n" >bad &&
		refused "$address is no address of this machine" --hosts bad || return 1
	done &&
	printf "a address=127.0.0.1\nb address=127.0.0.2\nc address=192.0.2.1\n" >bad &&
	refused "hosts a (127.0.0.1) and c (192.0.2.1) cannot reach each other" --hosts bad &&
	printf "a address=127.0.0.1\nno-such-host.invalid\n" >bad &&
	refused "host no-such-host.invalid has no IPv4 address (.*): add address=\$" --hosts bad &&
	printf "a address=127.0.0.1\nb address=127.0.0.2\n" >two &&
	refused "it needs --hosts" --engine ssh &&
	refused "there are clush and ssh" --hosts two --engine rsh &&
	refused "give one of them" --hosts two --engine ssh --host-shell sh &&
	refused "give 1 to" --hosts two --host-shell " " &&
	refused "virtual time" --hosts two --clock virtual && refused "accounting" --hosts two --accounting &&
	refused "elastic" --hosts two --backend virtual --elastic boot=1
'
test_expect_success 'what runs commands on the hosts fails: its words, and nothing stays' '
	test_expect_code 1 windtunnel cluster up c --nodes 4 --backend slurmd --quiet --hosts two \
		--host-shell "sh -c false" 2>err && grep "host b: what runs commands there (sh) ended (exit 1)" err &&
	test_expect_code 1 windtunnel cluster up c --nodes 4 --backend slurmd --quiet --hosts two \
		--host-shell wt-no-such-shell 2>err && grep "wt-no-such-shell.*No such file" err &&
	{ windtunnel cluster down c || :; } && test ! -e "$WINDTUNNEL_STATE"
'
test_expect_success 'what runs commands on the hosts talks without end, or is silent: it is ended, and no disk fills up' '
	printf "#!/bin/sh\nexec yes nobody asked\n" >"$WT_TMP/talks" && chmod +x "$WT_TMP/talks" &&
	test_expect_code 1 windtunnel cluster up c --nodes 4 --backend slurmd --quiet --hosts two \
		--host-shell "$WT_TMP/talks" 2>err && grep "host b: what runs commands there .* ended (silent for" err &&
	test "$(grep -c "host b said: nobody asked" "$WINDTUNNEL_STATE/c/daemons.log")" = 20 &&
	{ windtunnel cluster down c || :; } && test ! -e "$WINDTUNNEL_STATE"
'
test_expect_success 'the verb for hosts is none for people' '
	test_expect_code 1 windtunnel cluster host </dev/null >out && grep "^E .*too early" out &&
	echo hello | test_expect_code 1 windtunnel cluster host >out &&
	grep "^E .*for the supervisor of a cluster only" out &&
	printf "4\n{{{{" | test_expect_code 1 windtunnel cluster host >out && grep "^E .*no JSON" out &&
	printf "2\n{}" | test_expect_code 1 windtunnel cluster host >out && grep "^E .*windtunnel_version" out &&
	test_expect_code 2 windtunnel cluster host more 2>err && test ! -e "$WINDTUNNEL_STATE"
'

host_names="a b c d" host_net=77
. "$WT_SRCDIR/t/hosts.sh"
printf '%s\n' 'a address=10.199.77.1 nodes=0' 'b address=10.199.77.2' 'c address=10.199.77.3' 'd address=10.199.77.4' \
	>"$WT_TMP/hosts"
up() {
	on a windtunnel cluster up h --nodes 6 --shape "pack:1 core:1 pu:1" --backend slurmd --quiet \
		--hosts "$WT_TMP/hosts" "$@"
}
# started_behind ROWS NODE: a job on NODE, behind so many rows of events: those of earlier runs do not count.
started_behind() { tail -n "+$(($1 + 1))" "$WINDTUNNEL_STATE/h/nodes/events.csv" | grep -q ",start,.*,$2,"; }

test_expect_success NET 'it comes up, on the given addresses only, with the key for nobody else' '
	up --host-shell "$WT_TMP/shell" --set SlurmdTimeout=10 && are n[0-5] "6 idle" &&
	on a windtunnel cluster exec h -- srun -N6 sh -c "echo \$SLURMD_NODENAME" | sort >out && seq -f n%g 0 5 >want &&
	test_cmp want out &&
	for host in b c d; do
		on $host ss -Hltn >out && test_line_count = 2 out && ! grep -v "10.199.77" out &&
		test "$(stat -c %a "$WINDTUNNEL_STATE/h@$host/munge/key")" = 400 || return 1
	done &&
	on a ss -Hltn >out && test_line_count = 1 out && grep "10.199.77.1" out &&
	ps axww -o args >out &&
	! grep -F "$(od -An -tx1 -v "$WINDTUNNEL_STATE/h/munge/key" | tr -d " \n" | cut -c 1-16)" out &&
	on a windtunnel cluster status h >out && grep "^host  *c (10.199.77.3): up, 2 of 2 nodes run, lost 0 times" out &&
	on a windtunnel cluster status --json h >out && jq -e ".hosts | length == 4" out &&
	on a windtunnel cluster describe h >out && grep "^host  *a (10.199.77.1): 0 nodes" out
'
test_expect_success NET 'a run has the events of all hosts' '
	on a windtunnel run --cluster h --workload burst --jobs 12 --run-time 0.5 --quiet --output plain &&
	jq -e ".jobs_completed == 12 and .host_losses == 0" plain/summary.json &&
	for node in 0 1 2 3 4 5; do
		grep -q ",release,.*n$node" plain/events.csv || { cat plain/events.csv; return 1; }
	done && test "$(grep -c ",start," plain/events.csv)" = 12 && test -s plain/logs/hosts.json
'
test_expect_success NET 'one host is stopped and started' '
	on a windtunnel cluster stop h --host c && jq -e ".nodes.running == 4" "$WINDTUNNEL_STATE/h/state.json" &&
	test_expect_code 1 on a windtunnel cluster stop h --host a 2>err && grep "no such host" err &&
	test_expect_code 2 on a windtunnel cluster stop h munge --host b 2>err && grep "for nodes only" err &&
	on a windtunnel cluster start h --host c &&
	wt_poll 60 jq -e ".nodes.running == 6" "$WINDTUNNEL_STATE/h/state.json" &&
	lost c "== 0" && wt_poll 60 are n[0-5] "6 idle"
'
test_expect_success NET 'a host dies in a run: its nodes go down, the run goes on, the host is taken in again' '
	rows=$(wc -l <"$WINDTUNNEL_STATE/h/nodes/events.csv") &&
	{ on a windtunnel run --cluster h --workload burst --jobs 60 --run-time 2 --quiet --output death 2>err & } &&
	run=$! && wt_poll 60 started_behind "$rows" n2 &&
	host_dies c && wt_poll 60 lost c ">= 1" &&
	wt_poll 120 are n[2-3] "2 down*" && rm "$WT_TMP/dead.c" && wt_poll 120 are n[2-3] "2 idle" &&
	wait $run || { cat err; false; } &&
	jq -e ".jobs_submitted == 60 and .jobs_missing == 0 and .host_losses >= 1" death/summary.json &&
	grep "host c: lost" death/logs/daemons.log && grep "host c: is there again" "$WINDTUNNEL_STATE/h/daemons.log"
'
test_expect_success NET 'kill -9 of a host supervisor: it is taken in again, and down leaves nothing' '
	for host in b c d; do
		before=$(jq ".hosts[] | select(.name == \"$host\") | .losses" "$WINDTUNNEL_STATE/h/hosts.json") &&
		kill -9 "$(agent $host)" && wt_poll 60 lost $host "> $before" || return 1
	done &&
	wt_poll 120 jq -e ".nodes.running == 6" "$WINDTUNNEL_STATE/h/state.json" && wt_poll 60 are n[0-5] "6 idle" &&
	on a windtunnel cluster down h && nothing_left
'
test_expect_success NET 'kill -9 of all supervisors at once, with a job that runs: down leaves nothing' '
	up --host-shell "$WT_TMP/shell" &&
	on a windtunnel cluster exec h -- sbatch -N6 -o /dev/null --wrap "srun sleep 600" &&
	wt_poll 60 eval "test \"\$(ip netns pids ${net}c | xargs ps -o comm= -p | grep -c sleep)\" = 2" &&
	kill -9 "$(jq .supervisor.pid "$WINDTUNNEL_STATE/h/state.json")" $(agent b) $(agent c) $(agent d) &&
	on a windtunnel cluster down h && nothing_left
'
test_expect_success NET 'kill -9 of the cluster supervisor: the hosts end by themselves' '
	up --host-shell "$WT_TMP/shell" && kill -9 "$(jq .supervisor.pid "$WINDTUNNEL_STATE/h/state.json")" &&
	wt_poll 60 test ! -e "$WINDTUNNEL_STATE/h@b" -a ! -e "$WINDTUNNEL_STATE/h@c" -a ! -e "$WINDTUNNEL_STATE/h@d" &&
	on a windtunnel cluster down h && nothing_left
'
test_expect_success NET 'a host that cannot be asked at the end is named, and the rest is ended' '
	up --host-shell "$WT_TMP/shell" && : >"$WT_TMP/dead.d" && kill -9 "$(agent d)" && wt_poll 60 lost d ">= 1" &&
	test_expect_code 1 on a windtunnel cluster down h 2>err && grep "could not be asked.*: d; " err &&
	test ! -e "$WINDTUNNEL_STATE/h" && rm "$WT_TMP/dead.d" && up --host-shell "$WT_TMP/shell" &&
	on a windtunnel cluster down h && nothing_left
'

test_expect_success SSH 'by clush over ssh: up, srun on all, kill -9 of a supervisor and of clush; down leaves nothing' '
	sshd_begin && CLUSTERSHELL_CFGDIR=$WT_TMP/ssh && export CLUSTERSHELL_CFGDIR &&
	{ up || { cat "$WINDTUNNEL_STATE/h/hosts.log" "$WT_TMP/ssh/log"; false; }; } &&
	on a windtunnel cluster exec h -- srun -N6 true && kill -9 "$(agent c)" && wt_poll 60 lost c ">= 1" &&
	wt_poll 60 jq -e ".nodes.running == 6" "$WINDTUNNEL_STATE/h/state.json" &&
	pgrep -P "$(jq .supervisor.pid "$WINDTUNNEL_STATE/h/state.json")" -f "clush.* -w d " >pid &&
	kill -9 "$(head -1 pid)" && wt_poll 60 lost d ">= 1" &&
	wt_poll 60 jq -e ".nodes.running == 6" "$WINDTUNNEL_STATE/h/state.json" &&
	on a windtunnel cluster down h && wt_poll 30 only_sshd_left
'
test_expect_success SSH 'kill -9 of the cluster supervisor: by the end of ssh, the hosts end by themselves' '
	up && kill -9 "$(jq .supervisor.pid "$WINDTUNNEL_STATE/h/state.json")" &&
	on a windtunnel cluster down h && wt_poll 30 only_sshd_left
'
test_done
