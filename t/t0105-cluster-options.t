#!/bin/sh
test_description='windtunnel cluster: options, good and bad'
. "$WT_SRCDIR/t/setup.sh"

# refused TEXT ARGUMENT...: exit status 2, TEXT in the first line, nothing made.
refused() {
	text=$1
	shift
	test_expect_code 2 windtunnel cluster "$@" >out 2>err </dev/null &&
	head -n 1 err >first && grep -e "$text" first && ! test -s out && ! test -e "$WINDTUNNEL_STATE"
}
# conf ARGUMENT...: the slurm.conf of "up" with these arguments.
conf() {
	windtunnel cluster up c --nodes 4 --dry-run "$@"
}

test_expect_success 'every verb has --help' '
	for verb in up down list status exec env; do
		windtunnel cluster $verb --help >out && grep "^Usage: windtunnel cluster $verb" out || return 1
	done &&
	windtunnel cluster --help >out && for verb in up down list status describe logs exec env; do grep "^  $verb " out ||
		return 1; done &&
	! grep supervise out
'
test_expect_success 'wrong verbs and arguments' '
	refused "nonsense.* is not a verb" nonsense &&
	refused "NAME is missing" up --nodes 3 &&
	refused "one argument too many" up a b --nodes 3 &&
	refused "NAME is missing" down && refused "either NAME or --all" down a --all &&
	refused "one argument too many" list a &&
	refused "NAME is missing" status && refused "NAME is missing" env && refused "NAME is missing" exec &&
	refused "is not an option" up a --nodes 3 --nonsense &&
	test_expect_code 2 windtunnel cluster
'
test_expect_success 'wrong names' '
	for name in "" . .. .a a/b "a b" "a;b" "$(printf "%065d" 0)"; do
		refused "is no cluster name" up "$name" --nodes 1 && refused "is no cluster name" down "$name" || return 1
	done
'
test_expect_success '--nodes' '
	refused "nodes or --site is missing" up a &&
	for n in 0 -1 65537 1.5 "" nonsense 99999999999999999999; do refused "nodes" up a --nodes "$n" || return 1; done
'
test_expect_success '--backend, --shape, --memory' '
	refused "backend.*nonsense.*virtual" up a --nodes 1 --backend nonsense &&
	for s in "" nonsense "pack:0" "pack:2 core:99999 pu:1"; do refused "shape" up a --nodes 1 --shape "$s" ||
		return 1; done &&
	for m in 0 -1 1G ""; do refused "memory" up a --nodes 1 --memory "$m" || return 1; done &&
	test_expect_code 1 windtunnel cluster up a --nodes 1 --shape nowhere.xml 2>err &&
	grep "nowhere.xml: No such file" err
'
test_expect_success '--set' '
	for s in nonsense "" "=1" "A B=1" "Key-x=1" "Key=a
b"; do refused "set" up a --nodes 1 --set "$s" || return 1; done &&
	refused "SlurmctldPort cannot be set" up a --nodes 1 --set SlurmctldPort=1 &&
	refused "SlurmctldHost cannot be set" up a --nodes 1 --set slurmctldhost=x &&
	refused "set: Slurm.* has no key .NoSuchParameter" up a --nodes 1 --set NoSuchParameter=1 &&
	refused "set: EpilogMsgTime=x: give a whole number from 0 to 4294967295" up a --nodes 1 --set epilogmsgtime=x &&
	refused "set: TreeWidth=-1: give a whole number" up a --nodes 1 --set TreeWidth=-1 &&
	refused "set: TreeWidth+=1: it is one number" up a --nodes 1 --set TreeWidth+=1 &&
	refused "set: SchedulerParameters: bf_interval=x: give a whole number" up a --nodes 1 \
		--set SchedulerParameters+=bf_interval=x &&
	refused "set: Slurm.* has no attribute .Nonsense. for PartitionName" up a --nodes 1 \
		--set "PartitionName=x Nonsense=1" &&
	refused "StateSaveLocation cannot be set" up a --nodes 1 --set statesavelocation=/x &&
	refused "NodeAddr cannot be set" up a --nodes 1 --set NodeName+=NodeAddr=10.0.0.1 &&
	refused "NodeName lines come from" up a --nodes 1 --set "NodeName=x CPUs=3" &&
	refused "NodeName lines come from" up a --nodes 2 --set "NodeName=n[0-1] CPUs=3"
'
test_expect_success '--conf and --topology' '
	test_expect_code 1 windtunnel cluster up a --nodes 1 --conf nowhere 2>err &&
	grep "conf.*nowhere: No such file" err &&
	test_expect_code 1 windtunnel cluster up a --nodes 1 --topology nowhere 2>err &&
	grep "topology.*nowhere: cannot open: No such" err &&
	printf "SwitchName=s0 Nodes=n0\n\000SwitchName=s1 Nodes=n1\n" >nul.conf &&
	refused "nul.conf has a NUL after 23 bytes" up a --nodes 1 --topology nul.conf &&
	test_expect_code 1 windtunnel cluster up a --nodes 1 --conf . 2>err && grep "conf.*Is a directory" err &&
	printf "TreeWidth=3\nnonsense\n" >bad.conf && refused "bad.conf:2: .nonsense" up a --nodes 1 --conf bad.conf &&
	printf "TreeWidth=3\n\nNoSuchParameter=1\n" >bad.conf &&
	refused "bad.conf:3: Slurm.* has no key" up a --nodes 1 --conf bad.conf &&
	echo "Include bad.conf" >bad.conf && refused "that file includes this one" up a --nodes 1 --conf bad.conf &&
	! test -e "$WINDTUNNEL_STATE"
'
# Of older and newer Slurms, from another system, of a site that has more nodes.
sed "s/\$/$(printf "\r")/; 1s/^/$(printf "\357\273\277")/" >site.conf <<-'END'
	ClusterName=elsewhere
	CacheGroups=0
	HashPlugin=hash/k12
	TaskPluginParam=Sched
	MaxNodeCount=2000
	GresTypes=fpga,mps,shard
	NodeName=DEFAULT Gres=fpga:2,shard:8
	PriorityType=priority/multifactor
	PriorityWeightFairshare=1000
	PartitionName=a Nodes=ALL \
	  MaxTime=60 MaxCPUsPerSocket=2
	PartitionName+=PriorityTier=3
END
test_expect_success 'files of sites: what another version has is left out, what none has is said at once; the rest is up' '
	windtunnel cluster up c --nodes 2 --conf site.conf -q 2>err && for key in CacheGroups HashPlugin TaskPluginParam \
		MaxNodeCount GresTypes Gres MaxCPUsPerSocket; do grep "^  site.conf:.* $key=" err || return 1; done &&
	windtunnel cluster exec c -- sinfo -h -p a -o "%G %l %a %D" >out &&
	echo "fpga:2 1:00:00 up 2" >want && test_cmp want out &&
	windtunnel cluster down c && printf "Fnord=1\nPartitionName=b Wrong=1\n" >>site.conf &&
	refused "site.conf:13: Slurm.* no key .Fnord.*site.conf:14: Slurm.* no attribute .Wrong" \
		up c --nodes 2 --conf site.conf
'
test_expect_success '20,000 partitions' '
	seq -f "PartitionName=p%.0f Nodes=ALL" 20000 >many.conf && conf --conf many.conf >out &&
	test "$(grep -c "^PartitionName=p" out)" = 20000
'
test_expect_success '--set replaces, appends and removes; it comes after --conf, which replaces, too' '
	printf "treewidth=11 # why\nKillWait=7\nSchedulerParameters=defer\n" >my.conf &&
	conf --conf my.conf --set KillWait=9 --set SchedulerParameters+=bf_interval=5 --set Epilog= >out &&
	test "$(grep -ci "^treewidth=" out)" = 1 && grep "^TreeWidth=11$" out &&
	test "$(grep -c "^KillWait=" out)" = 1 && grep "^KillWait=9$" out &&
	grep "^SchedulerParameters=defer,bf_interval=5$" out && ! grep "^Epilog" out
'
test_expect_success '--keep: only what may be kept' '
	refused "keep Nonsense: Slurm.* has no such key" up a --nodes 1 --keep Nonsense &&
	refused "keep statesavelocation cannot be" up a --nodes 1 --keep statesavelocation &&
	refused "keep NodeAddr cannot be" up a --nodes 1 --keep NodeAddr &&
	refused "add --keep AccountingStorageHost" up a --nodes 1 --keep AccountingStorageType \
		--set AccountingStorageType=accounting_storage/slurmdbd &&
	conf --set Prolog=/x --keep prolog >out 2>err && grep "^Prolog=/x$" out && wt_empty err
'
test_expect_success 'what is not taken over is said: in one block, and in the file' '
	mkdir -p inc && printf "# a comment\nProlog=/prod/prolog\n" >inc/more.conf &&
	printf "KillWait=7\nInclude inc/more.conf\nstatesavelocation=/prod/state\nTaskPlugin=affinity,\\\\\ncgroup\n" \
		>site.conf &&
	conf --conf site.conf --set SlurmctldParameters=cloud_dns,user_resv_delete -q >out 2>err &&
	head -n 1 err | grep "^4 of these settings.*--keep KEY" && test_line_count = 5 err &&
	grep "^  inc/more.conf:2: Prolog=/prod/prolog; here nothing: a program" err &&
	grep "^  site.conf:3: StateSaveLocation=/prod/state; here .*/c/ctld: .*(always)$" err &&
	grep "^  site.conf:4: TaskPlugin=affinity,cgroup; here task/none: hardware" err &&
	grep "^  --set: SlurmctldParameters=cloud_dns,user_resv_delete; here user_resv_delete: " err &&
	sed -n "s/^# //p" out >said && test_cmp err said && grep "^KillWait=7$" out && ! grep "^[^#].*prod" out &&
	windtunnel cluster up c --nodes 2 -q --conf site.conf 2>err && test_line_count = 4 err &&
	grep "^# .*/prod/prolog" "$WINDTUNNEL_STATE/c/slurm.conf" && windtunnel cluster down c
'
test_expect_success 'virtual time has a narrow tree, unless --set says otherwise' '
	conf >out && grep "^TreeWidth=50$" out && conf --clock virtual >out && grep "^TreeWidth=10$" out &&
	conf --clock virtual --nodes 4096 >out && grep "^TreeWidth=16$" out &&
	conf --clock virtual --set TreeWidth=50 >out && grep "^TreeWidth=50$" out && ! grep "^TreeWidth=1" out
'
test_expect_success '--set of partitions and node attributes' '
	conf --set "PartitionName=debug Nodes=n0" --set "NodeName+=Weight=5" --set "NodeName=DEFAULT Features=x" \
		--set "PartitionName=main Nodes=n[1-3] Default=YES" >out &&
	grep "^PartitionName=main Nodes=n\[1-3\] Default=YES$" out && grep "^PartitionName=debug Nodes=n0$" out &&
	grep "^NodeName=n\[0-3\] .* Weight=5$" out &&
	grep -n "^NodeName" out | head -n 1 | grep DEFAULT
'
test_expect_success '--shape and --memory reach slurm.conf, and the controller believes them' '
	conf --shape "pack:1 core:6 pu:2" --memory 7777 >out &&
	grep "CPUs=12 Boards=1 SocketsPerBoard=1 CoresPerSocket=6 ThreadsPerCore=2 RealMemory=7777" out &&
	conf | grep "CPUs=16 .* RealMemory=65536" &&
	windtunnel cluster up c --nodes 4 --shape "pack:1 core:6 pu:2" --memory 7777 -q \
		--set "PartitionName=debug Nodes=n0" --set "NodeName+=Weight=5" &&
	windtunnel cluster exec c -- sinfo -h -N -p main -o "%N %c %m %X %Y %Z %w %T" >out &&
	for i in 0 1 2 3; do echo "n$i 12 7777 1 6 2 5 idle"; done >want && test_cmp want out &&
	test "$(windtunnel cluster exec c -- sinfo -h -p debug -o %N)" = n0 &&
	windtunnel cluster exec c -- scontrol show node n3 | grep "NodeAddr=127\.[0-9]*\.0\.3 " &&
	windtunnel cluster down c
'
# With the munged of another cluster: from 24.11 on auth/munge asks it when it is loaded.
test_expect_success '65,536 nodes: slurm.conf is read as it is meant' '
	windtunnel cluster up c --nodes 1 -q && windtunnel cluster up d --nodes 65536 --dry-run >slurm.conf && mkdir nodes &&
	sed "s,^AuthInfo=.*,AuthInfo=socket=$WINDTUNNEL_STATE/c/munge/socket," slurm.conf >"$WT_TMP/slurm.conf" &&
	{ "$WT_LIBEXECDIR/wt-vnoded" --conf "$WT_TMP/slurm.conf" --dir "$PWD/nodes" 2>log & } && pid=$! &&
	wt_poll 120 grep "65536 nodes" log && kill -9 $pid && windtunnel cluster down c
'
test_done
