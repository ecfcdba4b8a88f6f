#!/bin/sh
test_description='a production slurm.conf in the wind tunnel: not one byte, call or connection reaches that production'
. "$WT_SRCDIR/t/setup.sh"

# A folder that plays a production site: programs that write when they are called, state, logs, plugins, and daemons that
# write when somebody connects.  Clusters have the site's name, and its node names.
P=$WT_TMP/prod
conf=$P/etc/slurm.conf calls=$WT_TMP/calls
programs="EpilogSlurmctld Epilog HealthCheckProgram MailProg PrologSlurmctld Prolog RebootProgram
	ResumeFailProgram ResumeProgram
	ResvEpilog ResvProlog SlurmctldPrimaryOffProg SlurmctldPrimaryOnProg SrunEpilog
	SrunProlog SuspendProgram TaskEpilog TaskProlog
	UnkillableStepProgram"
# Reading shows in the time of access (not where the file system keeps none), writing in the others and in the checksums.
accessed() { find "$P" -type f ! -path "$P/etc/inc/*" ! -path "$conf" -printf "%p %A@\n" | sort; }
changed() { find "$P" -printf "%p %y %m %U %s %T@ %C@\n" | sort; }
sums() { find "$P" -type f -exec sha256sum {} + | sort; }
untouched() {
	wt_empty "$calls" && accessed >accessed.now && test_cmp accessed accessed.now && changed >changed.now &&
		test_cmp changed changed.now
}
in_cluster() { windtunnel cluster exec prod -- "$@"; }
queue_empty() { in_cluster squeue -h >queue && ! grep . queue; }
ended() { for job; do in_cluster squeue -h -t PD,CF,R -j "$job" 2>/dev/null | grep . && return 1; done; true; }
# work: jobs that start, fail, are mailed about, requeued and cancelled, and what an administrator does.
work() {
	in_cluster env WINDTUNNEL_RUN_TIME_S=1 sh -c '
		sbatch --parsable -o /dev/null --mail-type=ALL --mail-user=root --wrap "sleep 1; exit 3"
		WINDTUNNEL_EXIT_CODE=2 sbatch --parsable -o /dev/null --mail-type=ALL --mail-user=root \
		--wrap "sleep 1; false"
		sbatch --parsable -o /dev/null --wrap "srun true"' >jobs 2>work.err && test_line_count = 3 jobs &&
	wt_poll 60 ended $(cat jobs) &&
	in_cluster env WINDTUNNEL_RUN_TIME_S=60 sh -c '
		again=$(sbatch --parsable -o /dev/null --requeue --mail-type=ALL --wrap "sleep 60")
		scontrol create reservation reservationname=r starttime=now duration=1 nodes=ALL users=root \
		flags=ignore_jobs,flex
		WINDTUNNEL_RUN_TIME_S=1 timeout 20 srun --immediate=10 -t1 sleep 1
		scontrol requeue "$again"
		scontrol delete reservationname=r
		scancel -u "$(id -un)"
		scontrol update nodename=n0 state=power_down_asap
		scontrol reboot asap n1
		scontrol reconfigure; true' >>work.err 2>&1 && wt_poll 60 queue_empty
}

test_expect_success 'a site: programs, plugins, daemons, state' '
	mkdir -p "$P/bin" "$P/etc/inc" "$P/spool" "$P/log" "$P/plugins" && : >"$calls" && chmod 666 "$calls" &&
	chmod 755 "$WT_TMP" && chmod -R a+rwX "$P" &&
	for key in $programs bb power helper xauth; do
		printf "#!/bin/sh\necho \"\$0 \$*\" >>%s\n" "$calls" >"$P/bin/$key" && chmod 755 "$P/bin/$key" || return 1
	done &&
	printf "required %s/nothing.so\n" "$P/plugins" >"$P/plugins/plugstack.conf" &&
	for lua in job_submit cli_filter jobcomp; do
		echo "io.open(\"$calls\", \"a\"):write(\"$lua\\n\")" >"$P/etc/$lua.lua" || return 1
	done &&
	for name in acct_gather burst_buffer cgroup gres helpers job_container mpi oci plugstack slurmdbd topology; do
		echo "Nonsense=$P/bin/helper" >"$P/etc/$name.conf" || return 1
	done &&
	perl -MIO::Socket::INET -MIO::Socket::UNIX -MIO::Select -e '"'"'
		my ($calls, $ports, $unix) = @ARGV;
		my @all = map { IO::Socket::INET->new(LocalAddr => "127.77.0.1", Listen => 50) or die $@ } 1 .. 5;
		push @all, IO::Socket::UNIX->new(Local => $unix, Listen => 50) or die $!;
		open(my $f, ">", "$ports.new"); print $f join(" ", map { $_->sockport } @all[0 .. 4]), "\n"; close($f);
		rename("$ports.new", $ports);
		my $select = IO::Select->new(@all);
		while (my @ready = $select->can_read) {
			for my $socket (@ready) {
				my $peer = $socket->accept;
				open(my $c, ">>", $calls);
				print $c "connection to ", ($socket->can("sockport") ? $socket->sockport : $unix), "\n";
			}
		}'"'"' "$calls" "$WT_TMP/ports" "$P/munge.socket" 2>listener.err & listener=$!; cleanup "kill $listener" &&
	wt_poll 30 test -e "$WT_TMP/ports" && read -r dbd ctld slurmd comp web <"$WT_TMP/ports" &&
	windtunnel cluster up prod --nodes 4 -q && in_cluster sbatch -H -o /dev/null --wrap "sleep 100" &&
	windtunnel cluster down prod --keep &&
	cp -R "$WINDTUNNEL_STATE/prod/ctld" "$P/state" && test -s "$P/state/job_state" && test -s "$P/state/clustername" &&
	cp "$WINDTUNNEL_STATE/prod/munge/key" "$P/etc/munge.key" && windtunnel cluster down prod
'
# The site in all its keys; some by old names, in other letters, by Include, over several lines.
test_expect_success 'its slurm.conf' '
	for key in $programs; do echo "$key=$P/bin/$key"; done >"$P/etc/inc/programs-prod.conf" &&
	cat >"$conf" <<-END &&
		ClusterName=prod
		include inc/programs-%c.conf
		CONTROLMACHINE=$(hostname -s)
		ControlAddr=127.77.0.1
		SlurmctldHost=$(hostname -s)(127.77.0.1)
		SlurmctldHost=backup(127.77.0.1)
		BackupController=backup
		BackupAddr=127.77.0.1
		SlurmctldAddr=127.77.0.1
		SlurmctldPort=$ctld
		SlurmdPort=$slurmd
		SlurmUser=nobody
		SlurmdUser=root
		StateSaveLocation = "$P/state"
		SlurmctldPidFile=$P/spool/slurmctld.pid
		SlurmctldLogFile=$P/log/slurmctld.log
		SlurmSchedLogFile=$P/log/sched.log
		SlurmSchedLogLevel=1
		slurmdspooldir=$P/spool/%n
		SlurmdPidFile=$P/spool/%n.pid
		SlurmdLogFile=$P/log/\\
		%n.log
		AuthType=auth/munge
		AuthInfo=socket=$P/munge.socket,ttl=60
		AuthAltTypes=auth/jwt
		AuthAltParameters=jwt_key=$P/etc/munge.key
		CryptoType=crypto/munge
		JobCredentialPrivateKey=$P/etc/munge.key
		AccountingStorageType=accounting_storage/slurmdbd
		AccountingStorageHost=127.77.0.1
		AccountingStorageBackupHost=127.77.0.1
		AccountingStorageExternalHost=127.77.0.1:$dbd
		AccountingStoragePort=$dbd
		AccountingStoragePass=$P/munge.socket
		AccountingStorageEnforce=associations,limits,qos
		AccountingStorageTRES=gres/gpu
		AcctGatherProfileType=acct_gather_profile/influxdb
		JobCompType=jobcomp/elasticsearch
		JobCompLoc=http://127.77.0.1:$comp/jobs
		JobCompHost=127.77.0.1
		JobCompPort=$comp
		MailDomain=example.org
		HealthCheckInterval=1
		HealthCheckNodeState=ANY,CYCLE
		SuspendTime=1
		SuspendTimeout=1
		ResumeTimeout=2
		SuspendRate=0
		ResumeRate=0
		SuspendExcNodes=login1
		PluginDir=$P/plugins:/usr/lib/$(uname -m)-linux-gnu/slurm-wlm
		PlugStackConfig=$P/plugins/plugstack.conf
		SlurmctldPlugstack=site
		JobSubmitPlugins=lua
		CliFilterPlugins=lua
		BurstBufferType=burst_buffer/lua
		BurstBufferParameters=GetSysState=$P/bin/bb
		PowerPlugin=power/cray_aries
		PowerParameters=capmc_path=$P/bin/power
		NodeFeaturesPlugins=node_features/helpers
		PrEpPlugins=prep/script,prep/site
		PrEpParameters=$P/bin/helper
		InteractiveStepOptions=$P/bin/helper
		BcastParameters=DestDir=$P/spool,send_libs
		TmpFS=$P/spool
		SlurmctldParameters=cloud_dns,reboot_from_controller,enable_configless,idle_on_node_suspend
		LaunchParameters=slurmstepd_memlock_all,use_interactive_step
		CommunicationParameters=EnableIPv6
		PrologFlags=Alloc,X11
		SrunPortRange=$slurmd-$((slurmd + 1))
		UsePAM=1
		TopologyPlugin=topology/tree
		RoutePlugin=route/topology
		ProctrackType=proctrack/cgroup
		TaskPlugin=task/cgroup,task/affinity
		JobAcctGatherType=jobacct_gather/cgroup
		JobContainerType=job_container/tmpfs
		MCSPlugin=mcs/group
		MCSParameters=ondemand,select:staff
		SlurmctldSyslogDebug=debug
		SlurmdSyslogDebug=debug
		GresTypes=gpu
		PriorityType=priority/multifactor
		PriorityWeightFairshare=1000
		PriorityWeightTRES=CPU=100,gres/gpu=10
		ReturnToService=1
		NodeName=DEFAULT CPUs=64 Gres=gpu:4 State=UNKNOWN
		NodeName=n[0-3] NodeAddr=127.77.0.1 NodeHostname=login1 Port=$slurmd
		NodeName=c[1-9] NodeAddr=127.77.0.1 Port=$slurmd
		NodeSet=all Nodes=c[1-9]
		DownNodes=c1 State=DOWN
		PartitionName=DEFAULT AllocNodes=login1 AllowGroups=staff QOS=part DisableRootJobs=YES
		PartitionName=batch Nodes=all Default=YES MaxTime=60
		PartitionName=two Nodes=n[0-3] TRESBillingWeights=CPU=1.0,gres/gpu=2
	END
	sums >sums && find "$P" -type f -exec touch -a -d "2001-01-01" {} + && accessed >accessed && changed >changed &&
	untouched
'
# Nor by way of the caller: a shell in which the production is set up.
test_expect_success 'a shell of the site' '
	for setting in SLURM_CONF="$conf" SLURM_CLUSTERS=prod SBATCH_CLUSTERS=prod SLURMDBD_CONF="$P/etc/slurmdbd.conf" \
		SLURM_PLUGSTACK=x \
		SLURM_TASK_PROLOG="$P/bin/TaskProlog" SLURM_PROLOG="$P/bin/SrunProlog" SLURM_EPILOG="$P/bin/SrunEpilog" \
		SLURM_JWT=x; do
		export "$setting"
	done
'
test_expect_success 'virtual nodes, of which some fail' '
	windtunnel cluster up prod --nodes 4 --conf "$conf" --node fail="n[2-3]@3+3" -q 2>err &&
	grep -c "^  .*: .*; here " err >count &&
	test "$(cat count)" -gt 80 &&
	grep "^  .*inc/programs-prod.conf:2: Epilog=.*; here $WINDTUNNEL_STATE/prod/epilog" err &&
	work && untouched &&
	sh -c "eval \"\$(windtunnel cluster env prod)\" && env" >env && ! grep "^_*S[A-Z]*_.*$P" env &&
	! grep "^SLURM_CLUSTERS\|^SBATCH" env &&
	grep "^SLURM_CONF=$WINDTUNNEL_STATE/prod/slurm.conf$" env
'
test_expect_success 'daemons that are killed and started again' '
	kill -9 "$(jq ".daemons[] | select(.name == \"slurmctld\") | .pid" "$WINDTUNNEL_STATE/prod/state.json")" &&
	wt_poll 60 in_cluster squeue && windtunnel cluster down prod && untouched
'
test_expect_success 'a plugin of ours, nodes that are switched, an outage, a supervisor that is killed' '
	windtunnel cluster up prod --nodes 3 --conf "$conf" --plugin straggler --elastic boot=1 -q 2>err &&
	in_cluster env WINDTUNNEL_RUN_TIME_S=1 sbatch --parsable -o /dev/null --mail-type=ALL --wrap "sleep 1" >jobs &&
	windtunnel node off --cluster prod n1 && windtunnel node on --cluster prod n1 &&
	wt_poll 60 ended $(cat jobs) && windtunnel cluster stop prod && untouched &&
	windtunnel cluster start prod && wt_poll 60 in_cluster squeue && cp "$WINDTUNNEL_STATE/prod/cluster.json" . &&
	kill -9 "$(jq .supervisor.pid "$WINDTUNNEL_STATE/prod/state.json")" &&
	windtunnel cluster down prod && wt_nothing_left cluster.json && untouched
'
test_expect_success 'real slurmds' '
	windtunnel cluster up prod --nodes 3 --backend slurmd --shape "core:2 pu:1" --conf "$conf" -q 2>err && work &&
	untouched && windtunnel cluster down prod && untouched
'
# What is windtunnel's own is refused then.  (Nodes that are to have GPUs are none of this test's.)
test_expect_success 'the same by --set, in other letters; virtual time' '
	cat "$P/etc/inc/programs-prod.conf" "$conf" | grep "^[A-Za-z]* *=" |
		grep -v "^SlurmdLogFile\|^NodeName=DEFAULT" >lines &&
	cut -d= -f1 lines | tr A-Z a-z | tr -d " " >keys && sed "s/^[^=]*= *//" lines >values &&
	paste -d= keys values >settings && set -- &&
	while read -r setting; do
		if windtunnel cluster up prod --nodes 4 --dry-run --set "$setting" >out 2>err; then
			set -- "$@" --set "$setting"
		else
			grep -q "cannot be set\|lines come from" err || { echo "$setting:"; cat err; return 1; }
		fi
		! grep "^[^#].*$P" out || return 1
	done <settings &&
	test $# -gt 120 && { windtunnel cluster up prod --nodes 4 --clock virtual --charge none -q "$@" 2>err ||
		{ cat err; return 1; }; } && work &&
	windtunnel cluster down prod && untouched
'
test_expect_success 'starts that fail, Ctrl-C, kill -9' '
	test_expect_code 1 windtunnel cluster up prod --nodes 4 -q --conf "$conf" --set SelectType=select/nosuch 2>err &&
	windtunnel cluster down prod && untouched &&
	for how in "INT --nodes 4000" "KILL --nodes 4000" "INT --nodes 3 --backend slurmd" \
			"KILL --nodes 3 --backend slurmd"; do
		perl -e "\$SIG{INT} = \"DEFAULT\"; exec @ARGV" windtunnel cluster up prod ${how#* } --conf "$conf" \
			2>err & pid=$!
		wt_poll 60 test -e "$WINDTUNNEL_STATE/prod/ctld/slurmctld.stderr" &&
		cp "$WINDTUNNEL_STATE/prod/cluster.json" . && kill -${how%% *} $pid
		wait $pid && windtunnel cluster down prod	# it was quicker
		wt_poll 60 test ! -e "$WINDTUNNEL_STATE/prod" && wt_poll 10 wt_nothing_left cluster.json &&
		untouched || return 1
	done
'
test_expect_success 'verbs that make a cluster of their own: esp, run' '
	windtunnel run --workload burst --jobs 8 --run-time 1 --nodes 4 --conf "$conf" --clock virtual --charge none \
		--quiet --output run >out 2>err &&
	grep "^  .*: Prolog=.*; here nothing" err && grep "^# .*: Prolog=" run/slurm.conf && untouched &&
	windtunnel esp --nodes 4 --time-scale 0.001 --conf "$conf" --clock virtual --charge none --quiet --output esp \
		>out 2>err && untouched
'
test_expect_success 'what --keep names is reached: the site can tell' '
	windtunnel cluster up prod --nodes 2 --conf "$conf" --keep PrologSlurmctld --keep SlurmctldPrimaryOnProg -q 2>err &&
	in_cluster sbatch -o /dev/null --wrap "sleep 1" && wt_poll 60 grep "bin/PrologSlurmctld" "$calls" &&
	windtunnel cluster down prod &&
	! grep -v "bin/PrologSlurmctld\|bin/SlurmctldPrimaryOnProg" "$calls" &&
	perl -MIO::Socket::INET -e "IO::Socket::INET->new(PeerAddr => \"127.77.0.1:$dbd\") or die" &&
	wt_poll 30 grep "connection to $dbd" "$calls" &&
	sums >sums.now && test_cmp sums sums.now
'
test_done
