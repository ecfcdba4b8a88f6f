#!/bin/sh
test_description='windtunnel cluster up --site: a site'"'"'s own nodes, users and accounts; --passwd, --group, --file'
. "$WT_SRCDIR/t/setup.sh"

if grep -q "^WT_CFLAGS = .*-fsanitize" "$WT_BUILDDIR/Makefile"; then
	skip_all='libnss_wrapper cannot be preloaded into programs with sanitizers'
	test_done
fi
: >none
printf 'me2:x:70009:70009:::\n' >some
windtunnel cluster up x --nodes 1 --passwd some --group none --dry-run >out 2>err || {
	grep -q "libnss-wrapper" err && skip_all='libnss_wrapper.so is missing (Debian: libnss-wrapper)' && test_done
}
for program in mariadbd mariadb-install-db my_print_defaults slurmdbd sacct; do
	command -v $program >/dev/null || {
		skip_all="$program is missing (Debian: mariadb-server-core, mariadb-client-core, slurmdbd, slurm-client)"
		test_done
	}
done
site=$WT_TMP/site
mkdir "$site" && chmod 755 "$WT_TMP" "$site" && cat >"$site/slurm.conf" <<'EOF'
ClusterName=lab
SlurmctldHost=ctl1(10.1.2.3)
SlurmUser=slurm
StateSaveLocation=/var/spool/slurm/ctld
Prolog=/etc/slurm/prolog
TaskPlugin=task/cgroup
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
SchedulerParameters=bf_interval=30
PriorityType=priority/multifactor
PriorityWeightFairshare=10000
PriorityCalcPeriod=1
PriorityWeightTRES=CPU=10,gres/gpu=100
AccountingStorageType=accounting_storage/slurmdbd
AccountingStorageHost=db1
AccountingStorageTRES=gres/gpu,gres/gpu:a100
AccountingStorageEnforce=associations,limits,qos
JobSubmitPlugins=lua
GresTypes=gpu,fpga
TopologyPlugin=topology/tree
NodeName=DEFAULT Sockets=2 CoresPerSocket=4 RealMemory=16000 State=UNKNOWN
NodeName=cpu-[01-05] Feature=ib,skylake Weight=10 NodeAddr=10.1.0.[1-5]
NodeName=big-1 Sockets=4 CoresPerSocket=8 RealMemory=512000 Feature=ib,mem Weight=50
NodeName=gpu-[1-2] Gres=gpu:a100:4,fpga:1 Feature=gpu Weight=100 RealMemory=64000
NodeName=gpu-3 Gres=gpu:v100:2 Feature=gpu Weight=90 State=DOWN Reason="broken"
NodeName=old7 CPUs=4 Sockets=1 Feature=old Weight=1
PartitionName=main Nodes=cpu-[01-05],big-1,old7 Default=YES MaxTime=1-00:00:00
PartitionName=gpu Nodes=gpu-[1-3] AllowGroups=gpuusers MaxTime=12:00:00 QOS=gpuq TRESBillingWeights="CPU=1.0,gres/gpu=10"
EOF
cat >"$site/topology.conf" <<'EOF'
SwitchName=s0 Nodes=cpu-[01-05]
SwitchName=s1 Nodes=big-1,old7,gpu-[1-3]
SwitchName=root Switches=s[0-1]
EOF
cat >"$site/gres.conf" <<'EOF'
AutoDetect=nvml
NodeName=gpu-[1-2] Name=gpu Type=a100 File=/dev/nvidia[0-1] Cores=0-3
NodeName=gpu-[1-2] Name=gpu Type=a100 File=/dev/nvidia[2-3] Cores=4-7
EOF
cat >"$site/accounts.cfg" <<'EOF'
add cluster lab
add qos gpuq GrpTRES=gres/gpu=6
add account physics Fairshare=70
add account chemistry Fairshare=30
add user alice account=physics Fairshare=10
add user bob account=physics Fairshare=20
add user carol account=chemistry
EOF
cat >"$site/passwd" <<'EOF'
alice:x:2000000001:2000000001:::
bob:x:2000000002:2000000001:::
carol:x:2000000003:2000000002:::
EOF
echo "$(wt_as_user id -un):x:2000000004:2000000002:::" >>"$site/passwd"	# the caller, with the number that an import gave him
cat >"$site/group" <<'EOF'
phys:x:2000000001:
chem:x:2000000002:
gpuusers:x:2000000003:alice,carol,dave
EOF
job() {	# job ID SUBMIT RUN-TIME MEMORY USER ACCOUNT MORE
	printf '{"id": %s, "submit_s": %s, "run_time_s": %s, "memory_per_node_mib": %s, ' "$1" "$2" "$3" "$4"
	printf '"time_limit_s": 600, "user": "%s", "account": "%s"%s}\n' "$5" "$6" "$7"
}
{
	job 1 0 300 1000 alice physics ', "tasks": 4, "partition": "main"'
	job 2 5 100 1000 carol chemistry ', "nodes": 1, "gpus_per_node": "a100:2", "partition": "gpu"'
	job 3 9 100 1000 bob physics ', "tasks": 2, "constraint": "skylake", "group": "phys"'
	job 4 12 50 300000 bob physics
} >"$site/jobs.jsonl"
cat >"$WT_TMP/job_submit.lua" <<'EOF'
function slurm_job_submit(job_desc, part_list, submit_uid)
	job_desc.admin_comment = "by lua"
	return slurm.SUCCESS
end
function slurm_job_modify(job_desc, job_rec, part_list, modify_uid)
	return slurm.SUCCESS
end
EOF
chmod 644 "$site"/* && chmod 604 "$WT_TMP/job_submit.lua"
# on COMMAND...: a client that hangs fails the test
on() { wt_as_user timeout 120 windtunnel cluster exec s -- "$@"; }
# slurmdbd hears of jobs a moment later, and usage is reckoned once a minute.
all_recorded() {
	on sacct -a -n -P -X -o JobName,User,Group,Account,Partition,QOS,State,NodeList >sacct &&
		test "$(grep -c "|COMPLETED|" sacct)" = 4
}
bob_charged() { on sshare -a -n -P -o User,RawUsage >sshare && grep "^bob|[1-9]" sshare; }
refused() {	# refused TEXT OPTION...: in one line, and nothing is started
	text=$1; shift
	windtunnel cluster up x "$@" >out 2>err
	code=$?
	test $code = 2 || test $code = 1 || { echo "exit status $code"; return 1; }
	test_line_count = 1 err && grep "$text" err && ! test -e "$WINDTUNNEL_STATE/x"
}
changed() {	# changed FILE TEXT: a copy of the site in 'bad' where that file has another text
	rm -rf bad && cp -R "$site" bad && rm -f "bad/$1" && printf "$2" >"bad/$1"
}

test_expect_success 'folders that are none' '
	refused "nowhere/slurm.conf: cannot open" --site nowhere && mkdir empty &&
	refused "empty/slurm.conf: cannot open" --site empty && refused "slurm.conf" --site "$site/slurm.conf" &&
	rm -rf bad && cp -R "$site" bad && rm bad/passwd && refused "is there, and no bad/passwd" --site bad &&
	rm bad/group && mkfifo bad/topology.conf.x && mv bad/topology.conf.x bad/topology.conf &&
	refused "topology.conf: is not a regular file" --site bad && rm bad/topology.conf &&
	ln -s /etc/shadow bad/passwd && refused "bad/passwd: is a link" --site bad && rm bad/passwd &&
	ln -s /nowhere bad/accounts.cfg.x && mv bad/accounts.cfg.x bad/accounts.cfg &&
	refused "accounts.cfg: is a link" --site bad && mv bad/slurm.conf bad/conf && ln -s conf bad/slurm.conf &&
	refused "slurm.conf: is a link" --site bad && rm bad/slurm.conf && mkdir bad/slurm.conf &&
	refused "slurm.conf: is not a regular file" --site bad &&
	changed topology.conf "Inc\\\\\nlude /etc/passwd\n" && refused "topology.conf: it has an Include" --site bad
'
test_expect_success 'users that may not be there, and what is no line of users' '
	changed passwd "toor:x:0:0:::\\n" && refused "bad/passwd: line 1: .toor.: 0 is root.s number" --site bad &&
	me=$(id -un) && changed passwd "alice:x:5000:0:::\\n" && refused "root.s number" --site bad &&
	changed passwd "root:x:5000:5000:::\\n" && refused "may be root here\|your own name" --site bad &&
	changed passwd "alice:x:$(id -u bin):5000:::\\n" && refused "another user.s on this machine" --site bad &&
	changed passwd "a:x:5000:5:::\\nb\\n:x:6000:5:::\\n" &&
	refused "line 2: .b.: a line of passwd(5) has seven" --site bad &&
	changed passwd "a:x:5000:5:::\\n\\000b:x:6000:5:::\\n" && refused "it has a NUL" --site bad &&
	changed group "wheel:x:0:alice\\n" && refused "bad/group: line 1: .wheel.: 0 is root" --site bad &&
	changed passwd "" &&
	awk "BEGIN { for (i = 1; i <= 100001; i++) print \"u\" i \":x:\" 100000 + i \":5:::\" }" >bad/passwd &&
	refused "more than 100000 lines" --site bad
'
test_expect_success 'settings that are none, and options that a site excludes' '
	changed slurm.conf "Include /etc/passwd\\n" &&
	refused "slurm.conf:1: Include /etc/passwd: a site.s folder has one" --site bad &&
	changed slurm.conf "ClusterName=x\\n" && refused "names no nodes" --site bad &&
	changed slurm.conf "NodeName=a[1-70000]\\n" && refused "slurm.conf:1: NodeName" --site bad &&
	changed slurm.conf "NodeName=a\\nNodeName=b,a\\n" && refused "node a stands there twice" --site bad &&
	changed slurm.conf "NodeName=a\\nNoSuchKey=1\\n" && refused "has no key .NoSuchKey" --site bad &&
	changed slurm.conf "" && yes a=1 | head -n 3000000 >bad/slurm.conf &&
	refused "bad/slurm.conf:100001: more than 100000 settings" --site bad &&
	changed accounts.cfg "shutdown\\n" && refused "accounts.cfg: line 1" --site bad &&
	refused "nodes: --site says that already" --site "$site" --nodes 3 &&
	refused "conf: --site says that" --site "$site" --conf some &&
	refused "backend slurmd: a site" --site "$site" --backend slurmd &&
	refused "group none: it needs --passwd" --nodes 1 --group none &&
	refused "NAME.conf or NAME.lua" --nodes 1 --file some &&
	mkfifo pipe.lua && refused "pipe.lua: is not a regular file" --nodes 1 --file pipe.lua &&
	refused "nowhere.lua: cannot open" --nodes 1 --file nowhere.lua &&
	refused "writes slurm.conf itself" --nodes 1 --file "$site/slurm.conf" &&
	WT_NSS_WRAPPER=/nowhere refused "Debian package libnss-wrapper" --site "$site"
'
test_expect_success 'dry run: what is forced and left out is told; nothing of the site is left' '
	windtunnel cluster up x --site "$site" --dry-run >conf 2>err &&
	grep "slurm.conf:5: Prolog=/etc/slurm/prolog; here nothing" err &&
	grep "NodeName State=DOWN; here UNKNOWN: all nodes begin in service" err &&
	grep "slurm.conf:18: JobSubmitPlugins=lua; here nothing: code" err &&
	grep "^1 members of groups are none of the cluster.s users" err &&
	grep -v "^#" conf >settings && ! grep -e "10\\.1\\." -e ctl1 -e "/etc/slurm" -e db1 -e cgroup settings &&
	grep "^NodeName=cpu-\[01-05\] Feature=ib,skylake Weight=10 NodeAddr=127\\.[0-9]*\\.0\\.\[0-4\] Port=" settings &&
	grep "^NodeName=old7 .* NodeAddr=127\\.[0-9]*\\.0\\.9 Port=" settings && ! test -e "$WINDTUNNEL_STATE/x"
'
test_expect_success 'an ordinary user has the site in virtual time: nodes, partitions, QOS as they were asked for' '
	wt_as_user windtunnel cluster up s --site "$site" --quiet --clock virtual --charge none \
		--keep JobSubmitPlugins --file "$WT_TMP/job_submit.lua" 2>err && ! grep "Accounts may be missing" err &&
	cleanup "wt_as_user windtunnel cluster down s" &&
	wt_as_user cat state/s/cluster.json >cluster.json && jq -e ".nodes == 10 and .cpus_per_node == 32" cluster.json &&
	test "$(wt_as_user stat -c %a state/s/job_submit.lua)" = 604 &&
	on sinfo -h -N -o "%N %c %m %f %w %T" | sort -u >nodes && test_line_count = 10 nodes &&
	grep "^cpu-03 8 16000 ib,skylake 10 idle" nodes && grep "^big-1 32 512000 ib,mem 50 idle" nodes &&
	grep "^old7 4 16000 old 1 idle" nodes && on scontrol show node gpu-2 >gpu && grep "Gres=gpu:a100:4.*,fpga:1" gpu &&
	on scontrol show partition gpu >part && grep "AllowGroups=gpuusers" part && grep "QoS=gpuq" part &&
	grep "TRESBillingWeights=CPU=1.0,gres/gpu=10" part &&
	on scontrol show topology | grep -e "Nodes=big-1,gpu-\[1-3\],old7" -e "Nodes=big-1,old7,gpu-\[1-3\]" &&
	on sacctmgr -n -P list qos format=name,grptres | grep -x "gpuq|gres/gpu=6" &&
	{ wt_errors "$(wt_as_user pwd)/state/s/ctld/slurmctld.log" >errors || :; } && ! grep -i -e gres -e group errors
'
test_expect_success 'its users are the site'"'"'s and the caller, and nobody else of this machine' '
	on id alice >out && grep "uid=2000000001(alice) gid=2000000001(phys)" out &&
	on id -un | grep -x "$(wt_as_user id -un)" && on id -u | grep -x "$(wt_as_user id -u)" &&
	on id -Gn "$(wt_as_user id -un)" | grep -w chem &&
	test_must_fail on id daemon && wt_as_user windtunnel cluster describe s | grep "those of the site $site"
'
test_expect_success 'a topology.conf that slurm.conf does not ask for is no part of the cluster, as at the site' '
	mkdir flat && printf "ClusterName=x\nNodeName=a,b CPUs=2\n" >flat/slurm.conf &&
	echo "SwitchName=s Nodes=a" >flat/topology.conf &&
	windtunnel cluster up x --site flat --dry-run >conf && ! grep "^TopologyPlugin" conf &&
	windtunnel cluster up x --site flat --dry-run --set TopologyPlugin=topology/tree >conf &&
	grep "^TopologyPlugin=topology/tree" conf
'
test_expect_success 'nodes that are not there: as elsewhere, told and not waited for' '
	mkdir cloud && printf "ClusterName=x\nNodeName=a\nNodeName=c[1-3] State=CLOUD\nNodeName=f State=FUTURE\n" \
		>cloud/slurm.conf &&
	printf "DownNodes=a State=DOWN\n" >>cloud/slurm.conf && windtunnel cluster up c --site cloud 2>err &&
	grep "DownNodes=a State=DOWN; here nothing: all nodes begin in service" err &&
	grep "1 nodes IDLE after .*; 4 are not there (State=CLOUD or FUTURE)" err &&
	# the default of the release
	windtunnel cluster exec c -- scontrol show config | grep "SelectType  *= select/\(linear\|cons_tres\)" &&
	windtunnel cluster status c | grep "nodes  *5 (.* CPUs and 1 MiB in the largest"
'
test_expect_success 'what costs and events name is looked for among the nodes of the site' '
	burst() { windtunnel run --workload burst --jobs 1 --run-time 1 --cluster c --quiet "$@" 2>err; } &&
	test_expect_code 2 burst --cost a:price=1 --cost "c[3-4]:price=2" --output cost &&
	grep -e "--cost: c\[3-4\]: the cluster has no node c4" err && ! test -e cost &&
	burst --cost a:price=1 --cost "c[1-3],f:price=2" --output cost &&
	printf "%s\n" "{\"id\":1,\"submit_s\":0,\"run_time_s\":1}" \
		"{\"event\":\"drain\",\"at_s\":9,\"nodes\":\"c2,n0\"}" >e.jsonl &&
	test_expect_code 2 windtunnel run --workload jobs:e.jsonl --cluster c --quiet --output e 2>err &&
	grep "e.jsonl:2: the cluster has no node n0" err && windtunnel cluster down c
'
test_expect_success 'jobs run as their users, with all that they ask for' '
	wt_as_user windtunnel run --workload "jobs:$site/jobs.jsonl" --cluster s --clock virtual --quiet --output run >out &&
	wt_as_user cat run/jobs.csv >jobs.csv && wt_as_user cat run/summary.json >summary.json &&
	jq -e ".jobs_completed == 4" summary.json &&
	wt_poll 120 all_recorded && cat sacct &&
	grep -x "jobs.1|alice|phys|physics|main|normal|COMPLETED|old7" sacct &&
	grep "^jobs.2|carol|chem|chemistry|gpu|[a-z]*|COMPLETED|gpu-[12]" sacct &&
	grep "^jobs.3|bob|phys|physics|main|normal|COMPLETED|cpu-0[1-5]" sacct &&
	grep "^jobs.4|bob|phys|physics|main|normal|COMPLETED|big-1" sacct &&
	cut -d, -f34-36 jobs.csv >who && grep "main,physics,alice" who && grep "gpu,chemistry,carol" who &&
	on scontrol -o show job >shown && grep "UserId=carol(2000000003) .* TresPerNode=gres[:/]gpu:a100:2" shown &&
	test "$(grep -c "AdminComment=by_lua\|AdminComment=by lua" shown)" = 4 &&
	wt_poll 120 bob_charged
'
# Since some release between 22.05 and 24.11 a job of a group that may not is taken, and waits (but for EnforcePartLimits).
test_expect_success 'a group that may not, an account that is none: refused as at the site' '
	job 1 0 5 10 bob physics ", \"partition\": \"gpu\"" >"$WT_TMP/no.jsonl" && chmod 644 "$WT_TMP/no.jsonl" &&
	test_must_fail wt_as_user windtunnel run --workload "jobs:$WT_TMP/no.jsonl" --cluster s --clock virtual --quiet \
		--output no1 2>err && grep -i -e "group" -e "waits for: AccountNotAllowed" err &&
	sed -i "s/physics/chemistry/; s/gpu/main/" "$WT_TMP/no.jsonl" &&
	test_must_fail wt_as_user windtunnel run --workload "jobs:$WT_TMP/no.jsonl" --cluster s --clock virtual --quiet \
		--output no2 2>err && grep -i "account" err
'
test_expect_success 'down leaves nothing' 'wt_as_user windtunnel cluster down s && wt_nothing_left cluster.json'
test_expect_success 'in real time, without accounting: users of any cluster' '
	printf "alice:x:2000000001:2000000001:::\\n" >passwd && printf "phys:x:2000000001:\\n" >group &&
	printf "%s\\n" "{\"id\": 1, \"submit_s\": 0, \"run_time_s\": 0.2, \"user\": \"alice\"}" >one.jsonl &&
	windtunnel cluster up u --nodes 2 --quiet --passwd passwd --group group && cp "$WINDTUNNEL_STATE/u/cluster.json" . &&
	windtunnel run --workload jobs:one.jsonl --cluster u --quiet --output real >out &&
	cut -d, -f36 real/jobs.csv | grep -x alice &&
	windtunnel cluster exec u -- scontrol -o show job >shown &&
	grep "UserId=alice(2000000001) GroupId=phys(2000000001)" shown &&
	windtunnel cluster down u && wt_nothing_left cluster.json
'
test_done
