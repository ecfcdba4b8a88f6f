#!/bin/sh
test_description='windtunnel cluster: starts that fail say why'
. "$WT_SRCDIR/t/setup.sh"

dir=$WINDTUNNEL_STATE/f

test_expect_success 'a plugin that Slurm does not have: the words of slurmctld' '
	test_expect_code 1 windtunnel cluster up f --nodes 2 -q --set SelectType=select/nosuch 2>err &&
	test_line_count = 1 err &&
	grep "slurmctld ended (exit 1).*nosuch" err && grep "fatal: " err
'
test_expect_success 'the failed cluster is kept for inspection, without any process' '
	windtunnel cluster list >out && grep "^f  *failed" out &&
	windtunnel cluster list --json >out.json && jq -e "length == 1 and .[0].status == \"failed\"" out.json &&
	grep nosuch "$dir/ctld/slurmctld.stderr" "$dir/daemons.log" &&
	wt_nothing_left "$dir/cluster.json" &&
	test_expect_code 1 windtunnel cluster exec f -- true 2>err && grep "nosuch" err
'
test_expect_success 'a value that slurmctld does not like' '
	test_expect_code 1 windtunnel cluster up f --nodes 2 -q --set SelectType=select/none 2>err &&
	test_line_count = 1 err && grep "slurmctld ended" err
'
test_expect_success 'a topology file that is none' '
	echo "SwitchName=s0 Nonsense=n[0-9]" >topo &&
	test_expect_code 1 windtunnel cluster up f --nodes 2 -q --topology topo 2>err &&
	test_line_count = 1 err && grep "slurmctld ended.*Nonsense" err
'
test_expect_success 'after failures the name works, and down removes a failed cluster' '
	echo "SwitchName=s0 Nodes=n[0-1]" >topo &&
	windtunnel cluster up f --nodes 2 -q --topology topo &&
	windtunnel cluster exec f -- scontrol show topology >out && grep "SwitchName=s0 .*Nodes=n\[0-1\]" out &&
	windtunnel cluster down f &&
	test_expect_code 1 windtunnel cluster up f --nodes 2 -q --set SelectType=select/nosuch &&
	windtunnel cluster down f && ! test -e "$WINDTUNNEL_STATE"
'
# refused PATTERN OPTION...: it fails before the 120 s that a start may take, in one line with the reason and with
# what to do.
refused() {
	pattern=$1; shift
	start=$(date +%s) && test_expect_code 1 windtunnel cluster up f -q "$@" 2>err &&
		test $(($(date +%s) - start)) -lt 110 &&
	test_line_count = 1 err && grep "not all nodes become IDLE: $pattern" err && wt_nothing_left "$dir/cluster.json"
}
test_expect_success 'nodes that slurmctld refuses: their reason and what to do, at once' '
	refused "n\[0-2\] (3 nodes) refused: gres/gpu count reported lower than configured (0 < 2); .* such as fpga:2" \
		--nodes 3 --set GresTypes=gpu --set NodeName+=Gres=gpu:2 &&
	grep "slurmctld.log)" err && windtunnel cluster list | grep "^f  *failed"
'
test_expect_success 'nodes that slurm.conf drains' '
	refused "n\[0-1\] (2 nodes) drained: no reason given; slurm.conf says so: leave its State= out" --nodes 2 \
		--set NodeName+=State=DRAIN
'
absent() {	# absent STATE OPTION...: nobody waits for nodes that are not there, and their process lives
	state=$1; shift
	windtunnel cluster up f --nodes 3 --set NodeName+=State=$state "$@" 2>err &&
	grep "is up: 0 nodes IDLE after .*; 3 are not there (State=CLOUD or FUTURE)" err &&
	windtunnel cluster status f --json >out && jq -e ".status == \"up\" and .node_states.not_there == 3 and
		.registered == 0 and ([.daemons[].alive] | all) and ([.daemons[].restarts] | add) == 0" out &&
			windtunnel cluster down f
}
test_expect_success 'State=CLOUD and State=FUTURE: a cluster without nodes as yet' '
	absent CLOUD && absent FUTURE &&
	absent CLOUD --set SuspendTime=60 --set SuspendProgram=/bin/true --set ResumeProgram=/bin/true
'
# fake_daemon SCRIPT: a stand-in for wt-vnoded in a folder of its own.
fake_daemon() {
	mkdir -p fake && printf "#!/bin/sh\n%s\n" "$1" >fake/wt-vnoded && chmod +x fake/wt-vnoded
}
test_expect_success 'a node process that dies at once' '
	fake_daemon "echo \"wt-vnoded: error: no memory for nodes\" >&2; exit 3" &&
	WT_LIBEXECDIR=$PWD/fake test_expect_code 1 windtunnel cluster up f --nodes 2 -q 2>err &&
	test_line_count = 1 err && grep "vnoded ended (exit 3) and said: error: no memory for nodes" err &&
	wt_nothing_left "$dir/cluster.json" && windtunnel cluster down f
'
test_expect_success 'a node process that cannot be run' '
	printf "not a program" >fake/wt-vnoded &&
	WT_LIBEXECDIR=$PWD/fake test_expect_code 1 windtunnel cluster up f --nodes 2 -q 2>err &&
	test_line_count = 1 err && grep "fake/wt-vnoded.*Exec format error" err &&
	wt_nothing_left "$dir/cluster.json" && windtunnel cluster down f
'
test_expect_success 'a busy port that shows only when the daemon binds: other ports are tried' '
	fake_daemon "[ -e \"$PWD/first\" ] && exec \"$WT_LIBEXECDIR/wt-vnoded\" \"\$@\"
		sed -n s/^SlurmdPort=//p \"$dir/slurm.conf\" >\"$PWD/first\"; 
		echo \"error: bind: Address already in use\" >&2; exit 1" &&
	WT_LIBEXECDIR=$PWD/fake windtunnel cluster up f --nodes 2 -q &&
	test "$(cat first)" -gt 0 && test "$(jq .nodes_port "$dir/cluster.json")" != "$(cat first)" &&
	windtunnel cluster status f && windtunnel cluster down f
'
test_expect_success 'no node process at all' '
	WT_LIBEXECDIR=$PWD/nowhere test_expect_code 1 windtunnel cluster up f --nodes 2 -q 2>err &&
	test_line_count = 1 err && grep "wt-vnoded cannot be run from .*nowhere.*WT_LIBEXECDIR" err &&
	! test -e "$WINDTUNNEL_STATE"
'
test_expect_success 'a folder that cannot be made' '
	WINDTUNNEL_STATE=/proc/nowhere test_expect_code 1 windtunnel cluster up f --nodes 2 2>err &&
	test_line_count = 1 err && grep "/proc/nowhere: No such file" err &&
	touch file &&
	WINDTUNNEL_STATE=$PWD/file test_expect_code 1 windtunnel cluster up f --nodes 2 2>err &&
	test_line_count = 1 err && grep "file is not a folder" err
'
test_expect_success 'a folder that is not writable' '
	wt_as_user sh -c "mkdir -p locked && chmod 555 locked" &&
	wt_as_user sh -c "WINDTUNNEL_STATE=\$PWD/locked/state windtunnel cluster up f --nodes 2" 2>err;
	test $? = 1 && test_line_count = 1 err && grep "locked/state: Permission denied" err &&
	wt_as_user sh -c "WINDTUNNEL_STATE=\$PWD/locked windtunnel cluster up f --nodes 2" 2>err;
	test $? = 1 && test_line_count = 1 err && grep "locked/f: Permission denied" err
'
test_expect_success 'a folder that others could write into' '
	mkdir open && chmod 777 open &&
	WINDTUNNEL_STATE=$PWD/open test_expect_code 1 windtunnel cluster up f --nodes 2 2>err &&
	test_line_count = 1 err && grep "writable by you only" err
'
test_expect_success 'a folder too deep for a socket' '
	deep=$WT_TMP/$(printf "%0100d" 0) && mkdir "$deep" &&
	WINDTUNNEL_STATE=$deep test_expect_code 1 windtunnel cluster up f --nodes 2 2>err &&
	test_line_count = 1 err && grep "too long for a Unix socket" err
'
test_expect_success 'a folder with a blank in its name works' '
	WINDTUNNEL_STATE="$WT_TMP/a b" && export WINDTUNNEL_STATE &&
	windtunnel cluster up f --nodes 2 -q &&
	(eval "$(windtunnel cluster env f)" && sinfo -h -o %D) >out && grep "^2$" out &&
	windtunnel cluster down f && ! test -e "$WINDTUNNEL_STATE"
'
test_done
