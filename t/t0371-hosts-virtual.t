#!/bin/sh
test_description='virtual nodes over several hosts: each host process has its own, and messages go on between them'
. "$WT_SRCDIR/t/setup.sh"
host_names="a b c" host_net=78
. "$WT_SRCDIR/t/hosts.sh"

printf '%s\n' 'a address=10.199.78.1' 'b address=10.199.78.2' 'c address=10.199.78.3' >"$WT_TMP/hosts"
# 240 nodes, 80 on each host; of nine nodes of a message the first tells the others, most of them on other hosts.
up() {
	on a windtunnel cluster up h --nodes 240 --shape "pack:1 core:4 pu:1" --set TreeWidth=8 --quiet \
		--hosts "$WT_TMP/hosts" --host-shell "$WT_TMP/shell" "$@"
}
in_cluster() { on a windtunnel cluster exec h -- "$@"; }
# stat HOST FILTER: of the process that has the host's nodes
stat() { jq -e "$2" "$WINDTUNNEL_STATE/h@$1/nodes/stats.json"; }
vnoded() { jq '.daemons[] | select(.name == "vnoded") | .pid' "$WINDTUNNEL_STATE/h@$1/state.json"; }
all_run() { jq -e ".nodes.running == 240" "$WINDTUNNEL_STATE/h/state.json" && hosts_are_up; }
job_is() { test "$(in_cluster squeue -h -t all -j "$1" -o %T)" = "$2"; }
# steps_gone HOST: no slurmstepd is left there
steps_gone() { stat "$1" '.stepds_running == 0'; }
all_gone() { steps_gone a && steps_gone b && steps_gone c; }

test_expect_success NET 'a process for each host, with its nodes at its own address only' '
	up --set SlurmdTimeout=20 && wt_poll 60 are "n[0-239]" "240 idle" &&
	for host in a b c; do
		wt_poll 30 stat $host ".nodes == 80 and .registered == 80 and .off == 0" &&
		on $host ss -Hltn >out && ! grep -v "10.199.78" out && grep -q . out &&
		test "$(on $host ss -Hltn | grep -c "10.199.78")" -ge 80 || return 1
	done &&
	on a windtunnel cluster status h >out && grep "^host  *c (10.199.78.3): up, 80 of 80 nodes run" out &&
	test ! -e "$WINDTUNNEL_STATE/h/nodes/stats.json" && on a windtunnel cluster describe h >out &&
	grep "^host  *b (10.199.78.2): 80 nodes" out
'
test_expect_success NET 'srun on all nodes: each tells it how its tasks end, through others' '
	in_cluster srun -N240 --time 5 sleep 0 && in_cluster srun -N240 -n480 --time 5 true &&
	test_expect_code 3 in_cluster env WINDTUNNEL_EXIT_CODE=3 srun -N200 --time 5 true &&
	wt_poll 30 stat a ".forwarded > 0" && wt_poll 30 stat b ".forwarded > 0" &&	# c has the last of each list
	for host in a b c; do
		stat $host ".forward_failures == 0 and .dropped.header == 0 and .dropped.body == 0" || return 1
	done && wt_poll 30 all_gone && wt_poll 60 are "n[0-239]" "240 idle"
'
# told WHOM: messages that tell the end of steps
told() {
	if [ "$1" = slurmctld ]; then
		in_cluster sdiag | sed -n "s/.*REQUEST_STEP_COMPLETE .*count:\([0-9]*\).*/\1/p"
	else
		stat "$1" ".rpcs.REQUEST_STEP_COMPLETE.received // 0"
	fi
}
test_expect_success NET 'the end of a step goes up its tree over the hosts: slurmctld hears of it once' '
	a=$(told a) && b=$(told b) && once=$(told slurmctld) && in_cluster srun -N240 --time 5 true &&
	wt_poll 60 eval "test \$(told slurmctld) -eq $((once + 1))" && wt_poll 60 all_gone &&
	wt_poll 30 eval "test \$(told a) -gt $a" && wt_poll 30 eval "test \$(told b) -gt $b"
'
test_expect_success NET 'the script of a job has steps on nodes of all hosts' '
	printf "#!/bin/sh\nsrun sleep 1\nsrun -N100 sleep 600\n" >script &&
	id=$(in_cluster sbatch --parsable -N240 -o /dev/null script) && wt_poll 60 job_is $id RUNNING &&
	wt_poll 60 eval "in_cluster squeue -h -s -j $id -o %i | grep -q \"^$id[.]1\"" &&
	in_cluster scancel $id && wt_poll 60 job_is $id CANCELLED && wt_poll 60 all_gone &&
	wt_poll 60 are "n[0-239]" "240 idle"
'
test_expect_success NET 'a signal reaches the steps on all hosts' '
	{ in_cluster srun -N240 --time 5 sleep 600 2>err & } && run=$! &&
	wt_poll 60 eval "stat a .stepds_running==80 && stat b .stepds_running==80 && stat c .stepds_running==80" &&
	in_cluster scancel --user "$(id -un)" && { wait $run || :; } && wt_poll 60 all_gone &&
	wt_poll 60 are "n[0-239]" "240 idle"
'
test_expect_success NET 'Light-ESP: nothing is lost, and each host has its part of it' '
	on a windtunnel esp --cluster h --variant light --time-scale 0.005 --timeout 400 --quiet --output esp &&
	jq -e ".nodes == 240 and .jobs_submitted == 230 and .jobs_completed == 230 and .jobs_missing == 0 and
		.host_losses == 0 and .failure == \"\"" esp/summary.json &&
	awk -F, "\$2 == \"start\" { had[\$3] += \$7 } \$2 == \"release\" { released[\$3]++ }
		END { for (job in had) if (had[job] != released[job]) { print job, had[job], released[job]; bad = 1 }
			exit bad }" esp/events.csv &&
	for node in n5 n85 n165; do
		grep -q ",release,.*,$node," esp/events.csv || return 1
	done
'
test_expect_success NET 'fractions of nodes are those of one host: by number in the whole cluster' '
	on a windtunnel cluster down h && nothing_left &&
	up --node launch-fail=10% --node seed=5 && in_cluster srun -N240 --time 5 true 2>many || : &&
	windtunnel cluster up one --nodes 240 --shape "pack:1 core:4 pu:1" --quiet --node launch-fail=10% --node seed=5 &&
	{ windtunnel cluster exec one -- srun -N240 --time 5 true 2>single || :; } &&
	windtunnel cluster down one &&
	for words in many single; do
		grep -o "n[0-9]*: *task\|on node n[0-9]*\|launch failed.* n[0-9]*" $words | grep -o "n[0-9][0-9]*" |
		sort -u >$words.nodes
	done && test "$(wc -l <many.nodes)" -gt 5 && test_cmp single.nodes many.nodes && on a windtunnel cluster down h
'
test_expect_success NET 'what is below a switch is on one host' '
	for leaf in 0 1 2 3 4; do
		echo "SwitchName=s$leaf Nodes=n[$((leaf * 50))-$((leaf < 4 ? leaf * 50 + 49 : 239))]"
	done >topology.conf && echo "SwitchName=root Switches=s[0-4]" >>topology.conf &&
	up --topology topology.conf && on a windtunnel cluster describe h >out && grep "^host  *a .*: 100 nodes" out &&
	grep "^host  *b .*: 50 nodes" out && grep "^host  *c .*: 90 nodes" out && wt_poll 60 are "n[0-239]" "240 idle" &&
	in_cluster srun -N240 --time 5 true && on a windtunnel cluster down h && nothing_left
'
test_expect_success NET 'kill -9 of the node process of a host: jobs go on, nobody notices' '
	up --set SlurmdTimeout=20 &&
	id=$(in_cluster sbatch --parsable -N240 -o /dev/null --wrap "sleep 12") && wt_poll 60 job_is $id RUNNING &&
	for host in a b c; do
		kill -9 "$(vnoded $host)" && wt_poll 60 eval "test \"\$(vnoded $host)\" -gt 1" || return 1
	done && wt_poll 60 all_run && wt_poll 90 job_is $id COMPLETED && wt_poll 60 are "n[0-239]" "240 idle" &&
	lost b "== 0" && in_cluster srun -N240 --time 5 true
'
test_expect_success NET 'kill -9 of a whole host in a run: its nodes go down, the rest goes on, it is taken in again' '
	host_dies c && wt_poll 60 lost c ">= 1" &&
	wt_poll 120 are "n[160-239]" "80 down*" && wt_poll 120 are "n[0-159]" "160 idle" &&
	in_cluster srun -N160 --time 5 true &&
	rm "$WT_TMP/dead.c" && wt_poll 120 are "n[0-239]" "240 idle" && wt_poll 60 all_run &&
	in_cluster srun -N240 --time 5 true
'
test_expect_success NET 'scontrol shutdown reaches the nodes of all hosts' '
	in_cluster scontrol shutdown &&
	for host in a b c; do
		wt_poll 60 grep "all nodes were shut down" "$WINDTUNNEL_STATE/h@$host/nodes/vnoded.log" || return 1
	done && wt_poll 120 all_run && wt_poll 120 are "n[0-239]" "240 idle"
'
test_expect_success NET 'kill -9 of each host supervisor: taken in again; down leaves nothing on any host' '
	for host in a b c; do
		before=$(jq ".hosts[] | select(.name == \"$host\") | .losses" "$WINDTUNNEL_STATE/h/hosts.json") &&
		kill -9 "$(agent $host)" && wt_poll 60 lost $host "> $before" || return 1
	done && wt_poll 120 all_run && on a windtunnel cluster down h && nothing_left
'
test_expect_success NET 'kill -9 of all supervisors at once: down leaves nothing' '
	up && kill -9 "$(jq .supervisor.pid "$WINDTUNNEL_STATE/h/state.json")" $(agent a) $(agent b) $(agent c) &&
	on a windtunnel cluster down h && nothing_left
'
test_done
