#!/bin/sh
test_description='several hosts: the nodes of an allocation of another Slurm cluster, reached by its srun'
. "$WT_SRCDIR/t/setup.sh"
host_names="a b c d" host_net=80 low_hosts=d
. "$WT_SRCDIR/t/hosts.sh"

. "$WT_SRCDIR/t/hosts-slurm.sh"

# On each node its slurmd alone.
only_slurmds_left() {
	for host in ${host_names#a }; do
		ip netns pids "$net$host" >pids && xargs ps -o comm= -p <pids >names && test "$(cat names)" = slurmd ||
			{ cat names; return 1; }
	done
}
# And of ours neither process nor folder anywhere.
only_outer_left() {
	only_slurmds_left && ip netns pids "${net}a" >pids && xargs ps -o comm= -p <pids >names &&
		! grep -v "^slurmctld$\|^slurmscriptd$" names && test ! -e "$WINDTUNNEL_STATE"
}

# refused STATUS WORDS COMMAND...: to which windtunnel is added
refused() {
	status=$1 words=$2
	shift 2
	test_expect_code $status "$@" windtunnel cluster up c --nodes 8 --quiet --hosts slurm 2>err >out &&
	test_line_count = 0 out && test_line_count = 1 err && { grep -q -e "$words" err || { cat err; false; }; } &&
	test ! -e "$WINDTUNNEL_STATE/c"
}
inside() { env SLURM_JOB_ID=7 SLURM_JOB_NODELIST=r[0-1] "$@"; }
# nodes TEXT: a PATH with a scontrol that prints it
nodes() {
	mkdir -p "$WT_TMP/bin" && printf "#!/bin/sh\ncat <<'END'\n%s\nEND\n" "$1" >"$WT_TMP/bin/scontrol" &&
	for name in srun squeue; do
		printf "#!/bin/sh\nexit 1\n" >"$WT_TMP/bin/$name" || return 1
	done && chmod +x "$WT_TMP/bin/"*
}
wt=$(dirname "$(command -v windtunnel)")
test_expect_success 'what is wrong is one line, and nothing is started' '
	refused 2 "this is no allocation" env && refused 2 "no allocation" env SLURM_JOB_ID=7 &&
	refused 2 "no allocation" env SLURM_JOB_ID="7 -x" SLURM_JOB_NODELIST=r0 &&
	refused 2 "several components" inside env SLURM_HET_SIZE=2 &&
	refused 1 "there is no srun in PATH" inside env PATH="$wt" &&
	nodes "NodeName=r0 NodeAddr=127.0.0.1" &&
	refused 2 "job 7 has this node alone" inside env PATH="$WT_TMP/bin:$PATH" &&
	nodes "no such node" && refused 2 "names no node" inside env PATH="$WT_TMP/bin:$PATH" &&
	nodes "NodeName=r0 NodeAddr=192.0.2.1
NodeName=-x NodeAddr=192.0.2.2" && refused 2 "no host name" inside env PATH="$WT_TMP/bin:$PATH" &&
	nodes "NodeName=r0 NodeAddr=wt-none.invalid" && refused 2 "node r0: .*IPv4" inside env PATH="$WT_TMP/bin:$PATH" &&
	printf "#!/bin/sh\necho some words; echo cannot connect\nexit 3\n" >"$WT_TMP/bin/scontrol" &&
	refused 1 "exit 3. and said: cannot connect" inside env PATH="$WT_TMP/bin:$PATH" &&
	test_expect_code 2 inside windtunnel cluster up c --nodes 8 --quiet --hosts slurm --engine ssh 2>err &&
	grep "by its srun: leave it out" err
'

# d has a low limit of files.
test_expect_success NET 'the other cluster, over three hosts' '
	outer_begin && start_slurmd d 4200 && wt_poll 60 outer_idle || { cat "$D"/*.log "$D/daemons.out"; false; }
'
test "$test_failure" = 0 || test_done	# the rest would wait for these slurmds

# In an allocation as a login node has it, and with variables of it that would mislead ours.
salloc() { outer env SLURM_TIME_FORMAT=%s salloc --quiet --no-kill "$@"; }
up() {
	echo "windtunnel cluster up h --nodes 60 --quiet --shape \"pack:1 core:1 pu:1\" --hosts slurm" \
		"--set SlurmdTimeout=20 $*"
}
up_or_not() { test -e up || ! kill -0 $holder; }
# hold NAME: an allocation whose command has brought the cluster up, and ends when the file NAME is there
hold() {
	words="$(up) && : >up && until test -e \"$1\"; do sleep 0.2; done; windtunnel cluster down h"
	rm -f up || return 1
	salloc -N2 sh -c "$words" >hold.out 2>&1 & holder=$!
	wt_poll 120 up_or_not && test -e up || { cat hold.out "$WINDTUNNEL_STATE/h/hosts.log"; return 1; }
}
all_run() { jq -e ".nodes.running == 60" "$WINDTUNNEL_STATE/h/state.json" && hosts_are_up; }
srun_of() {
	pgrep -P "$(jq .supervisor.pid "$WINDTUNNEL_STATE/h/state.json")" -f "srun --jobid=.* -w real-$1 " >srun.pid &&
	test_line_count = 1 srun.pid
}

test_expect_success NET 'from a machine that is none of its nodes: a run, kill -9 of an srun, down' '
	hold go && jq -e "[.hosts[].nodes] == [0, 30, 30]" "$WINDTUNNEL_STATE/h/hosts.json" &&
	jq -e ".hosts[1:] | map(.address) == [\"10.199.80.2\", \"10.199.80.3\"]" "$WINDTUNNEL_STATE/h/hosts.json" &&
	wt_poll 60 are "n[0-59]" "60 idle" && on a windtunnel cluster exec h -- srun -N60 --time 5 true &&
	on b ss -Hltn >out && ! grep -v "10.199.80.2:\|:$((port + 1)) " out && test "$(wc -l <out)" -gt 30 &&
	on a windtunnel run --cluster h --workload burst --jobs 60 --run-time 0.5 --quiet --output burst &&
	jq -e ".jobs_completed == 60 and .jobs_missing == 0 and .host_losses == 0" burst/summary.json &&
	srun_of c && kill -9 "$(cat srun.pid)" && wt_poll 60 lost real-c ">= 1" && wt_poll 120 all_run &&
	wt_poll 120 are "n[0-59]" "60 idle" && : >go && wait $holder && wt_poll 60 queue_empty &&
	wt_poll 60 only_outer_left
'
# A step whose srun is killed is ended by SIGKILL, which that leaves a watcher behind for: what lies there down removes.
test_expect_success NET 'no daemon of ours has a variable of the allocation, and kill -9 of the supervisor ends all' '
	hold go2 && for host in b c; do
		for name in munged vnoded; do
			pid=$(wt_daemon_pid "$WINDTUNNEL_STATE/h@real-$host" $name) &&
			tr "\0" "\n" <"/proc/$pid/environ" >environment &&
			grep -q "^SLURM_CONF=.*h@real-$host/" environment &&
			! grep "^SLURM\|^SRUN\|^SALLOC\|^SBATCH" environment | grep -v "^SLURM_\(CONF\|TIME_FORMAT\)=" ||
				return 1
		done
	done && ps axww -o args >out &&
	! grep -F "$(od -An -tx1 -v "$WINDTUNNEL_STATE/h/munge/key" | tr -d " \n" | cut -c 1-16)" out &&
	kill -9 "$(jq .supervisor.pid "$WINDTUNNEL_STATE/h/state.json")" &&
	wt_poll 60 only_slurmds_left && : >go2 && wait $holder && wt_poll 60 queue_empty && wt_poll 60 only_outer_left
'
test_expect_success NET 'kill -9 of all supervisors at once, then down: nothing is left' '
	hold go3 && kill -9 "$(jq .supervisor.pid "$WINDTUNNEL_STATE/h/state.json")" $(agent real-b) $(agent real-c) &&
	: >go3 && wait $holder && wt_poll 60 queue_empty && wt_poll 60 only_outer_left
'
test_expect_success NET 'scancel of the allocation with jobs that run: all ends, nothing is left on any host' '
	hold never && on a windtunnel cluster exec h -- sbatch -N60 -o /dev/null --wrap "sleep 600" &&
	outer squeue -h -o %i >job && test_line_count = 1 job && outer scancel "$(cat job)" &&
	wt_poll 60 queue_empty && wt_poll 120 only_slurmds_left && wt_poll 60 test ! -e "$WINDTUNNEL_STATE" &&
	: >never && { wait $holder || :; } && wt_poll 60 only_outer_left
'
test_expect_success NET 'a host whose limits are too low is named, and why' '
	test_expect_code 2 salloc -p low -N2 sh -c "$(up --nodes 600)" 2>err &&
	grep "host real-d: nofile (ulimit -Hn) is 4200 and too low" err &&
	{ on a windtunnel cluster down h || :; } && wt_poll 60 queue_empty && wt_poll 60 only_outer_left
'
# From within: the first node has the batch script, slurmctld and its share of slurmds, whose jobs run on all.
cat >"$WT_TMP/batch" <<END
#!/bin/sh
cd "$PWD" && windtunnel run --nodes 4 --shape "pack:1 core:1 pu:1" --backend slurmd --hosts slurm --workload burst --jobs 8 \
	--run-time 0.5 --quiet --output inside >inside.out 2>&1
END
test_expect_success NET 'in a batch job, which ends as the run does: slurmds on its nodes' '
	outer sbatch -W -N2 -o "$WT_TMP/batch.out" "$WT_TMP/batch" || { cat inside.out "$WT_TMP/batch.out"; false; } &&
	jq -e ".jobs_completed == 8 and .backend == \"slurmd\" and .nodes == 4" inside/summary.json &&
	for node in 0 1 2 3; do
		grep -q ",start,.*,n$node," inside/events.csv || return 1
	done && wt_poll 60 queue_empty && wt_poll 60 only_outer_left
'
test_done
