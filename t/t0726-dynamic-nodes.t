#!/bin/sh
test_description='nodes that join a running cluster, as slurmd -Z does, and leave it (--dynamic)'
. "$WT_SRCDIR/t/setup.sh"
. "$WT_SRCDIR/t/power.sh"

without_sanitizers
up() {
	windtunnel cluster down v 2>/dev/null	# of a test that failed
	windtunnel cluster up v --nodes 2 --dynamic 3 --clock virtual --charge none --set MinJobAge=1000000 -q "$@"
}
# counted WANTED: what sinfo says of all nodes.
counted() { drive_until 5 "[ \"\$(sinfo -h -o %D,%t)\" = \"$1\" ]"; }
ended() { drive_until 5 "scontrol show job $(cat id) | grep JobState=COMPLETED"; }
status_json() { windtunnel cluster status v --json >status.json && jq -e "$1" status.json; }
node() { windtunnel node "$1" --cluster v "$2"; }
vnoded_dies() {
	pid=$(jq ".daemons[] | select(.name == \"vnoded\") | .pid" "$dir/state.json") && kill -9 "$pid" &&
	wt_poll 30 eval "test \"\$(jq \".daemons[] | select(.name == \\\"vnoded\\\") | .pid\" \"$dir/state.json\")\" != $pid"
}

# refused WORDS OPTION...: told before anything is made.
refused() {
	words=$1
	shift
	test_expect_code 2 windtunnel cluster up w --nodes 2 --dynamic 3 "$@" 2>err && grep -e "$words" err &&
	test ! -e "$WINDTUNNEL_STATE/w"
}
test_expect_success 'what Slurm does not do with such nodes, and what is not done here, is told at once' '
	echo "SwitchName=s Nodes=n[0-1]" >topology.conf &&
	refused "topology has no place" --topology topology.conf && refused "go with --plugin" --plugin straggler &&
	refused "more than 65536" --nodes 65534 &&
	refused "cons_tres only.*select/linear" --set SelectType=select/linear && refused "from 1 on" --dynamic 0 &&
	refused "more than 65536" --dynamic 65535 &&
	refused "there is no node n5" --elastic n5:boot=5 && refused "give a number" --dynamic x &&
	test_expect_code 2 windtunnel run --dynamic 3 2>err
'
test_expect_success 'slurmctld does not know them; switched on, they join, and jobs and steps run there' '
	up --elastic n2:boot=30 --set SuspendTime=60000 && counted 2,idle && is "n[2-4]" off &&
	test_must_fail grep "NodeName=.*n2" "$dir/slurm.conf" && windtunnel cluster describe v >out &&
	grep "may join  *3: n2 to n4" out &&
	windtunnel cluster status v >out && grep "^nodes  *2, 3 of 3 places free (2 idle), .* 2 registered" out &&
	mkdir other && test_must_fail timeout 30 "$WT_LIBEXECDIR/wt-vnoded" --conf "$dir/slurm.conf" --dir "$PWD/other" \
		--dynamic "NodeName=n1 NodeAddr=127.0.0.9" 2>err && grep "n1 is there twice" err &&
	test_must_fail in_v scontrol show node n2 && node on "n[2-3]" && power registered 2 && counted 4,idle &&
	windtunnel cluster status v >out && grep "^nodes  *4, 2 of them joined, 1 of 3 places free (4 idle), " out &&
	wt_poll 30 status_json ".nodes == 4 and .nodes_joined == 2 and .places == 3 and .places_free == 1 and
		.registered == 4 and .node_states.total == 4 and .node_states.idle == 4 and .node_states.not_there == 0" &&
	windtunnel cluster list --json >list && jq -e ".[0] | .nodes == 4 and .places_free == 1" list &&
	in_v scontrol show node n2 >node && grep "State=IDLE+DYNAMIC_NORM" node && grep "CPUTot=$(jq .cpus_per_node \
		"$dir/cluster.json") " node && grep "NodeAddr=127.$(jq .network "$dir/cluster.json").0.2 " node &&
	in_v sbatch --parsable -N4 --wrap "srun sleep 100" >id && ended && in_v scontrol show job "$(cat id)" >job &&
	grep "NodeList=n\[0-3\]" job && in_v srun -N4 sleep 10 && in_v srun -w n3 sleep 10 &&
	test_must_fail in_v sbatch -w n4 --wrap true
'
test "$test_failure" = 0 || test_done
test_expect_success 'they outlive the nodes process, a reconfiguration and slurmctld' '
	in_v sbatch --parsable -w "n[0,2]" --wrap "sleep 900" >id && drive_until 5 "squeue -h -t R -o %N | grep n" &&
	vnoded_dies && in_v scontrol reconfigure && windtunnel cluster stop v --kill slurmctld &&
	windtunnel cluster start v slurmctld && ended && counted 4,idle && in_v scontrol show job "$(cat id)" >job &&
	grep Restarts=0 job && in_v srun -N4 sleep 10
'
test_expect_success 'one leaves: not under a job, then for good, until its machine is on again' '
	in_v sbatch --parsable -w n2 --wrap "sleep 300" >id && drive_until 5 "squeue -h -t R -o %N | grep n2" &&
	test_must_fail in_v scontrol delete nodename=n2 && ended && counted 4,idle &&
	in_v scontrol delete nodename=n2 && counted 3,idle && node off n2 && power off,n2 2 &&
	wt_poll 30 status_json ".nodes == 3 and .nodes_joined == 1 and .places_free == 2 and .registered == 3 and
		.node_states.total == 3" &&
	in_v srun -N3 sleep 10 && counted 3,idle && node on n2 && power registered,n2 2 && counted 4,idle &&
	in_v srun -N4 sleep 10 && down
'
command -v python3 >/dev/null && test_set_prereq PYTHON
live_says() {
	wt_poll 30 python3 -c 'import re, sys, urllib.request
text = urllib.request.urlopen(sys.argv[1] + "metrics").read().decode()
sys.exit(not re.search(sys.argv[2] + "$", text, re.M))' "$url" "$1"
}
begun() { in_v squeue -h -t all -o %i >begun.out && test -s begun.out; }
# The nodes at each moment are those that are idle, allocated, completing or down then.
test_expect_success PYTHON 'a run, the live page and the metrics count who has joined, from then on' '
	windtunnel cluster down v 2>/dev/null
	windtunnel cluster up v --nodes 2 --dynamic 3 -q --serve --elastic boot=2 --set SuspendTime=60000 2>up.err &&
	url=$(cat "$dir/serve.url") &&
	live_says "^windtunnel_cluster_nodes 2" && live_says "^windtunnel_node_places_free 3" &&
	{ windtunnel run --cluster v --workload spaced --jobs 8 --interval 4 --run-time 2 --job-cpus 1 --sample-interval 1 \
		--quiet --output joined & run=$!; } && wt_poll 60 begun &&
	windtunnel node on --cluster v "n[2-3]" && wait $run &&
	live_says "^windtunnel_cluster_nodes 4" && live_says "^windtunnel_nodes_joined 2" &&
	live_says "^windtunnel_node_places_free 1" &&
	python3 - joined/series.csv >sums <<-\END && test "$(head -n 1 sums)" = 2 && test "$(tail -n 1 sums)" = 4 && down
	import csv, sys
	for row in csv.DictReader(open(sys.argv[1])):
	    print(sum(int(row["nodes_" + k]) for k in ("idle", "allocated", "completing", "down")))
	END
'
# As a site does it whose tools create nodes first, and boot them when Slurm asks.
test_expect_success 'scontrol create: a node that Slurm switches on for a job, and off behind it' '
	up --elastic boot=30 --set SuspendTime=600 --set PrivateData=cloud && network=$(jq .network "$dir/cluster.json") &&
	in_v scontrol create nodename="n[3-4]" nodeaddr="127.$network.0.[3-4]" cpus=1 state=cloud && is "n[3-4]" off &&
	in_v sbatch --parsable -w n4 --wrap "sleep 10" >id && power registered,n4 1 && ended && power off,n4 2 &&
	is n4 off && shows n4 idle~ && down
'
# SlurmdPort, which nobody listens on before a node has joined: another cluster could take it for good
port_is_held() {
	port=$(sed -n "s/^SlurmdPort=//p" "$dir/slurm.conf")
	python3 -c "import socket; socket.socket().bind((\"\", $port))" 2>bind.err
	grep "Address already in use" bind.err
}
# Each at an address of its own: Slurm takes no other port of them than SlurmdPort, and the address that they come from.
test_expect_success 'real slurmds join, too, and leave' '
	windtunnel cluster down v 2>/dev/null
	windtunnel cluster up v --nodes 2 --dynamic 2 --backend slurmd --clock virtual --charge none -q \
		--set MinJobAge=1000000 && counted 2,idle && is "n[2-3]" off && slurmds 2 && port_is_held &&
	windtunnel cluster status v >out && grep "^nodes  *2, 2 of 2 places free (2 idle)" out &&
	grep "2 of 4 run, 2 are off" out && node on "n[2-3]" && power registered 2 && counted 4,idle && slurmds 4 &&
	status_json ".nodes == 4 and .nodes_joined == 2 and .places_free == 0 and .node_states.total == 4" &&
	in_v scontrol show node n3 >node && grep "State=IDLE+DYNAMIC_NORM" node &&
	grep "NodeAddr=127.$(jq .network "$dir/cluster.json").0.3 " node &&
	in_v sbatch --parsable -N4 -o out.job --wrap "srun hostname" >id && ended && test_line_count = 4 out.job &&
	in_v srun -N4 hostname >out && test_line_count = 4 out && kill -9 "$(cat "$dir/nodes/n3.pid")" &&
	wt_poll 60 eval "windtunnel cluster status v --json | jq -e \".slurmds.restarts == 1 and .slurmds.running == 4\"" &&
	in_v srun -w n3 hostname && in_v scontrol delete nodename=n2 && counted 3,idle && node off n2 && power off,n2 2 &&
	wt_poll 30 slurmds 3 && in_v srun -N3 hostname && node on n2 && power registered,n2 2 && counted 4,idle &&
	in_v srun -N4 hostname && down
'
cleanup 'windtunnel cluster down v 2>/dev/null; true'
test_done
