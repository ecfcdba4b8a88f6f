#!/bin/sh
test_description='windtunnel site import: a site of single files; what is hostile ends in one line, and leaves nothing'
. "$WT_SRCDIR/t/setup.sh"

mkdir etc && cat >etc/slurm.conf <<END
ClusterName=lab	# a comment
SlurmctldHost=head.example.org
AccountingStorageType=accounting_storage/slurmdbd
AccountingStoragePass=secret
AccountingStorageEnforce=limits
Prolog=/site/prolog
SchedulerType=sched/backfill
HashPlugin=hash/k12
include nodes.conf
END
cat >etc/nodes.conf <<END
NodeName=n[1-4] CPUs=8 NodeAddr=10.0.0.[1-4] Gres=gpu:2
PartitionName=p Nodes=n[1-4] AllowGroups=chem AllowAccounts=phys Default=YES
END
cat >accounts.sh <<END
add qos high Priority=9
add account phys Fairshare=3 Description="the group of Ann"
add user ann account=phys DefaultAccount=phys
END
printf "ann:1:users:1\nbob:2:chem:3\n" >users
printf "chem:x:7:bob,cleo\n" >groups
cat >list.events <<END
-dt 0 -e submit_batch_job | -J first -sim-walltime 15 --uid=ann -t 00:07:00 -n 12 --ntasks-per-node=8 -A phys -q high x.job
-dt 2.5 -e submit_batch_job | -J second -sim-walltime -1 --uid=bob -t 5 -N 2 --mem=4G --gres=gpu:1 -C a x.job
-dt 3 -e submit_batch_job | -J third -sim-walltime 1000 --uid=bob -t 5 --hint=nomultithread x.job
END
f=$(printf "\037")
fields="JobID JobName User Group Account QOS Partition Submit Eligible Start End ElapsedRaw State ExitCode TimelimitRaw
	AllocNodes ReqTRES NodeList SubmitLine"
row() { for field; do printf "%s%s" "$field" "$f"; done; echo; }
{
	row $fields
	row 1 plain ann users phys high p 100 100 110 150 40 COMPLETED 0:0 10 2 cpu=16,mem=8000M,node=2,gres/gpu=4 "n[1-2]" \
		"sbatch -N 2 -n 16 x"
	row 2 "two
lines" bob chem phys normal p 120 140 150 170 20 FAILED 2:0 10 1 cpu=4,mem=4000M,node=1 n3 "sbatch -d afterany:1 x"
} >sacct.txt

import() { windtunnel site import "$@"; }
# failed TEXT ARGUMENT...: exit status 1, one line on stderr that contains TEXT, and nothing is made
failed() {
	text=$1
	shift
	ls -A >before && test_expect_code 1 timeout 120 windtunnel site import "$@" --output made >out 2>err &&
	test_line_count = 1 err && wt_empty out && { grep -q -e "$text" err || { cat err; false; }; } && ls -A >after &&
	sed "/^after\$/d; /^before\$/d" before >b && sed "/^after\$/d; /^before\$/d" after >a && test_cmp b a
}
touch out err a b

test_expect_success 'misuse ends with 2' '
	test_expect_code 2 windtunnel site 2>err && test_expect_code 2 windtunnel site import 2>err &&
	test_expect_code 2 windtunnel site import etc 2>err && grep -e "--output" err &&
	test_expect_code 2 windtunnel site import --output x 2>err &&
	test_expect_code 2 windtunnel site import a b --output x 2>err &&
	test_expect_code 2 windtunnel site import a --sacct x --events y --output x 2>err
'
test_expect_success 'configuration, accounts, users and events' '
	import --conf etc/slurm.conf --sacctmgr accounts.sh --users users --groups groups --events list.events \
		--output site >out &&
	grep "^slurm.conf: .* kept, .* forced, .* dropped, 1 unknown" out && grep "slurm.conf:8 *unknown *HashPlugin" out &&
	grep "nodes.conf:1 *forced *NodeAddr" out && grep "^jobs: 3 of 3 records" out &&
	grep "1  asked for .* --hint" out &&
	! grep -r secret site && test "$(grep -c . site/jobs.jsonl)" = 4 &&
	test "$(head -n 1 site/jobs.jsonl)" = "{\"windtunnel_jobs\":1,\"cpus\":32,\"nodes\":4}" &&
	grep "^NodeName=n\[1-4\] CPUs=8" site/slurm.conf &&
	grep "^ann:x:2000000001:" site/passwd && grep "^chem:x:[0-9]*:bob,cleo$" site/group &&
	test "$(jq -r "select(.id == \"2\") | .end, .user, .gres" site/jobs.jsonl | xargs)" = "time_limit bob gpu:1" &&
	test "$(jq -r "select(.id == \"3\") | .end" site/jobs.jsonl)" = time_limit &&
	jq -e ".windtunnel_site == 1 and .cluster == \"lab\" and .jobs.written == 3 and .conf_counts.unknown == 1 and
		([.conf[] | select(.key == \"AccountingStorageEnforce\")][0].class == \"kept\") and
		([.conf[] | select(.key == \"AccountingStoragePass\")][0].value == \"(not told)\")" site/import.json &&
	windtunnel workload show site/jobs.jsonl >out && windtunnel cluster up --help >out
'
test_expect_success 'users as getent has them: their groups by number' '
	printf "%s\n" "ann:x:501:100:Ann,,,:/home/ann:/bin/bash" "bob:x:502:7::/:" "eve:*:503:999::/:" >getent &&
	printf "%s\n" "chem:x:7:bob,cleo" "users:x:100:" "odd:x::eve" >getent.groups &&
	import --conf etc/slurm.conf --users getent --groups getent.groups --output got >out &&
	gid() { sed -n "s/^$1:x:\([0-9]*\):.*/\1/p" got/group; } &&
	grep "^ann:x:[0-9]*:$(gid users):" got/passwd && grep "^bob:x:[0-9]*:$(gid chem):" got/passwd &&
	grep "^eve:x:[0-9]*:$(gid eve):" got/passwd && ! grep -e /home -e Ann, got/passwd
'
test_expect_success 'jobs of sacct, with newlines in a name, and what was recorded' '
	import --conf etc/slurm.conf --sacct sacct.txt --output sacct >out && grep "^jobs: 2 of 2" out &&
	test "$(jq -r "select(.id == \"1\") | .tasks, .nodes, .memory_per_node_mib, .gres" sacct/jobs.jsonl | xargs)" = \
		"16 2 4000 gpu:2" &&
	test "$(jq -r "select(.id == \"2\") | .end, .exit_code, .dependency, .name" sacct/jobs.jsonl | xargs)" = \
		"failed 2 afterany:1 two?lines" &&
	grep "^2,two?lines,120.000000,140.000000,150.000000,170.000000,FAILED,n3,1,,p,phys,bob,normal,0$" sacct/recorded.csv
'
test_expect_success 'SWF, with its numbers mapped' '
	printf "; MaxProcs: 8\n1 0 5 100 4 -1 -1 4 200 -1 1 1 7 1 3 1 -1 -1\n" >x.swf &&
	printf "2 10 -1 -1 1 -1 -1 1 60 -1 5 2 8 1 0 1 -1 -1\n" >>x.swf &&
	printf "# map\nuser 1 ann\ngroup 7 phys\nqueue 3 p\n" >map &&
	import --conf etc/slurm.conf --swf x.swf --map map --output swf >out && grep "^jobs: 1 of 2" out &&
	grep "^1,,0.000000,,5.000000,105.000000,COMPLETED,,,4,p,phys,ann,,0$" swf/recorded.csv &&
	printf "user x ann\n" >map && failed "map:1: " --conf etc/slurm.conf --swf x.swf --map map &&
	test_expect_code 2 windtunnel site import --conf etc/slurm.conf --map map -o x 2>err
'
test_expect_success 'a folder of a capture, whose files others take the place of' '
	mkdir cap && cp etc/* sacct.txt cap &&
	printf "format=1\ncluster=other\nslurm_version=24.11.5\ncaptured_s=1700000000\nfrom=110\n" >cap/capture.txt &&
	cp groups cap/group &&
	import cap --output one >out && jq -e ".cluster == \"lab\" and .slurm_version == \"24.11.5\" and
		.captured_s == 1700000000 and .anonymised == false" one/import.json &&
	grep "^ *1  submitted before the period" out && grep "chem" one/group &&
	import cap/ --events list.events --output two/ >out && grep "^jobs: 3 of 3" out
'
test_expect_success 'reservations: a job keeps the one that the capture has, and runs without one that is gone' '
	mkdir reserved && cp etc/* reserved &&
	sed "s/-n 16 x/-n 16 --reservation=kept x/; s/sbatch -d/sbatch --reservation=gone -d/" sacct.txt \
		>reserved/sacct.txt &&
	printf "ReservationName=%s StartTime=%s EndTime=%s Nodes=n1 Users=ann Accounts=(null)\n" kept 100 900 gone 50 90 \
		>reserved/reservations.txt &&
	printf "NodeName|TimeStart|TimeEnd|State|Reason\nn2|130|140|DOWN|call 555 ann\n" >reserved/events.txt &&
	import reserved --output kept >out &&
	grep "^ *1  jobs of a reservation that is not known, which run without it" out &&
	test "$(jq -r "select(.id == \"1\") | .reservation" kept/jobs.jsonl)" = kept &&
	test "$(jq -r "select(.id == \"2\") | .reservation" kept/jobs.jsonl)" = null &&
	jq -se "map(select(.event) | .event) == [\"reserve\", \"down\", \"resume\"]" kept/jobs.jsonl &&
	grep 555 kept/jobs.jsonl &&
	import reserved --anonymise key --output unknown >out && ! grep -rw -e 555 -e ann unknown &&
	jq -se "map(select(.event) | .event) == [\"reserve\", \"down\", \"resume\"]" unknown/jobs.jsonl && rm key
'
test_expect_success 'a copy of a site whose slurm.conf includes files by their own paths' '
	mkdir -p copy/conf.d &&
	printf "Include /etc/slurm/conf.d/nodes.conf\ninclude /etc/slurm/parts.conf\n" >copy/slurm.conf &&
	printf "NodeName=a CPUs=4\n" >copy/conf.d/nodes.conf && printf "PartitionName=q Nodes=a\n" >copy/parts.conf &&
	import --conf copy/slurm.conf --output copied && grep "^NodeName=a CPUs=4" copied/slurm.conf &&
	grep "^PartitionName=q" copied/slurm.conf && rm copy/parts.conf &&
	failed "slurm.conf:2: Include /etc/slurm/parts.conf: No such file" --conf copy/slurm.conf
'
test_expect_success 'other names by a key: the same with the same key, and none of the old ones' '
	all="--conf etc/slurm.conf --sacctmgr accounts.sh --users users --groups groups --sacct sacct.txt --anonymise key" &&
	import $all --output first >out && import $all --output second >again && diff -r first second &&
	test "$(stat -c %a key)" = 600 && jq -e .anonymised first/import.json &&
	! grep -rwi -e ann -e bob -e cleo -e phys -e chem -e plain -e head -e example first out && import $(echo "$all" |
		sed s/key/key2/) --output third >out && ! diff -q first/passwd third/passwd
'
test_expect_success 'broken lines end with file and line, or are left out and counted' '
	{
		cat sacct.txt && echo "3${f}x" &&
		row 4 x ann users phys high p 100 100 110 150 40 COMPLETED 0:0 10 1 cpu=1 n1 ""
	} >bad &&
	failed "bad:5: .*fields" --conf etc/slurm.conf --sacct bad &&
	import --conf etc/slurm.conf --sacct bad --skip-bad --output skipped >out && grep "^jobs: 3 of 4" out &&
	grep "bad:5" out && printf -- "-dt 0 submit x\n" >bad && failed "bad:1: " --conf etc/slurm.conf --events bad &&
	printf "JobID|x\n" >bad && failed "bad:1: no header of sacct" --conf etc/slurm.conf --sacct bad &&
	printf "add account x\nshutdown\n" >bad && failed "bad: line 2" --conf etc/slurm.conf --sacctmgr bad &&
	printf "a:b\n" >bad && failed "bad:1: " --conf etc/slurm.conf --users bad &&
	printf "ann:x:1:1:A:b:/:/bin/sh\n" >bad && failed "bad:1: not USER:UID" --conf etc/slurm.conf --users bad &&
	printf "hello\n" >bad && failed "bad:1: " --conf bad && printf "x\0y" >bad && failed "bad: " --conf bad
'
test_expect_success 'pipes, devices, folders, cycles of Include and files elsewhere are refused' '
	mkfifo pipe && ln -s /dev/zero zero && for bad in pipe zero etc /dev/null; do
		for option in --sacct --sacctmgr --topology --users --anonymise; do
			failed "regular\|director\|Is a\|key" --conf etc/slurm.conf $option $bad || return 1
		done
		[ $bad = /dev/null ] || failed "regular\|director\|Is a" --conf $bad || return 1
	done &&
	mkdir loop && printf "Include b.conf\n" >loop/slurm.conf && printf "Include slurm.conf\n" >loop/b.conf &&
	failed "b.conf:1: Include .*includes this one" --conf loop/slurm.conf &&
	printf "A=1\n" >elsewhere.conf && printf "Include ../elsewhere.conf\n" >loop/slurm.conf &&
	failed "outside of its folder" --conf loop/slurm.conf && ln -s ../elsewhere.conf loop/link.conf &&
	printf "Include link.conf\n" >loop/slurm.conf && failed "outside of its folder" --conf loop/slurm.conf &&
	for text in "machine x password hunter2" "# nothing" "A=hunter2"; do
		echo "$text" >elsewhere.conf && failed "slurm.conf:1: Include .*outside of its folder" \
			--conf loop/slurm.conf && ! grep hunter2 err || return 1
	done &&
	printf "Inc\\\\\nlude /etc/passwd\n" >joined &&
	failed "joined: it has an Include" --conf etc/slurm.conf --topology joined &&
	mkdir fake && ln -s /etc/group fake/group && cp etc/* fake && failed "fake/group: a link" fake && rm -r fake &&
	mkdir fake && ln -s /etc/passwd fake/slurm.conf && failed "fake/slurm.conf: a link" fake
'
test_expect_success 'what exists stays as it is, and a full disk leaves nothing' '
	mkdir there && test_expect_code 1 windtunnel site import --conf etc/slurm.conf --output there 2>err &&
	grep "there: it exists already" err && rmdir there && ln -s nowhere there &&
	test_expect_code 1 windtunnel site import --conf etc/slurm.conf --output there 2>err && ! test -e nowhere &&
	test_expect_code 1 windtunnel site import --conf etc/slurm.conf --output no/such/place 2>err &&
	test_line_count = 1 err &&
	(ulimit -f 1 && trap "" XFSZ && test_expect_code 1 windtunnel site import --conf etc/slurm.conf --output full \
		--events list.events 2>full.err >full.out) && ls -d full* >left && ! grep -e import -e "^full$" left
'
test_expect_success 'names that are no names run nothing and leave their lines' '
	{
		row $fields && row 1 "\$(touch ran); \`touch ran\`" "a:b" "x,y" "../../etc" "q" p 1 1 2 3 1 COMPLETED \
			0:0 1 1 cpu=1 n1 "sbatch --wrap=\$(touch ran) -w /etc/shadow"
	} >odd &&
	import --conf etc/slurm.conf --sacct odd --output odd-site >out && ! test -e ran && wt_empty odd-site/passwd &&
	jq -e "select(.id == \"1\") | .user == null and .account == \"../../etc\"" odd-site/jobs.jsonl
'
mkdir bin "odd\\nconf" && printf "#!/bin/sh\nexit 1\n" >bin/sacctmgr
cat >bin/scontrol <<'END' && cat >bin/sacct <<'END' &&
#!/bin/sh
[ "$1" != --version ] || echo slurm 22.05.8
END
#!/bin/sh
case $1 in --helpformat) echo JobIDRaw JobName User State SubmitLine ;; *) cat jobs.raw ;; esac
END
	cp bin/sacctmgr bin/sshare && chmod +x bin/*
cat >"odd\\nconf/slurm.conf" <<END
ClusterName=lab
include slurm.conf
AccountingStoragePass="two words" SchedulerType=sched/backfill Prolog=/acme/p TaskPlugin=task/affinity
MCSParameters=acme FrontendName=acme
JobCompLoc=http://acme:1
InteractiveStepOptions="--pty /home/acme" KillWait=7
FrontendName=acme1 AllowUsers=ann
NodeName=n[1-4] CPUs=8 NodeAddr=acme CertToken=hush Reason="acme broke it"
PartitionName=p Nodes=n[1-4] AllowAccounts="acme,phys" AllocNodes=acme DenyUsers=ann DenyAccounts=acme,chem MaxTime=60
END
echo "# acme" >"odd\\nconf/topology.yaml"
job() { for field; do printf "%s%s" "$field" "$f"; done; echo; }
{
	job JobIDRaw JobName User State SubmitLine
	job 1 a ann "CANCELLED by 4711" 'sbatch --wrap bash -c /home/acme/run.sh'
	job 2 a ann COMPLETED 'sbatch -W run.sh -d /home/acme/data'
	job 3 a ann COMPLETED 'sbatch -W -N 4 -w /home/acme/hosts --exclude=/home/acme -HAacme -sJsecret -t5 --nice x -p a'
	job 4 "a$f" ann COMPLETED 'sbatch hidden1'
	job 5 a ann COMPLETED ''
	job 6 a ann COMPLETED 'sbatch -E -K -l -Z --ignore-pbs --share --bb=acme --frob -N 7'
	job 7 a ann COMPLETED "sbatch --comment=$f x.sh hidden2"
	job 8 "an odd -N 3" ann COMPLETED 'srun -J an odd -N 3 -W 9 --part q --gres-f=x -F acme -n2 -- prog -N 9'
	job 9 a ann COMPLETED '/opt/acme/bin/sbatch --comment my acme -N 2 x'
} >jobs.raw
test_expect_success 'the script that captures: what is not to be told goes, field by field' '
	windtunnel site capture >capture.sh &&
	PATH="$PWD/bin:$PATH" timeout 120 sh capture.sh --conf "odd\\nconf/slurm.conf" --output cap2 --days 1 \
		--anonymise "t\\t" 2>said && grep "includes itself" said && grep "jobs left out: 2, whose fields" said &&
	! grep -rwi -e acme -e acme1 -e hush -e words -e ann -e secret -e hidden1 -e hidden2 -e 4711 cap2 &&
	test -f "t\\t" && ! ls -A cap2 | grep -e "^\\." -e yaml && cut -d "$f" -f 1,5 cap2/sacct.txt | tr "$f" " " >lines &&
	cat >want <<-END && test_cmp want lines &&
	JobIDRaw SubmitLine
	1 sbatch --not-told
	2 sbatch
	3 sbatch -N4 -H -s -t5 --nice --not-told
	5 $nothing
	6 sbatch --share --bb=x --not-told
	8 srun --partition=q --gres-flags=x --nodefile=x -n2
	9 sbatch --not-told
	END
	sed "s/=[agu][0-9]\{7\}/=X/g; s/,[agu][0-9]\{7\}/,X/g" cap2/slurm.conf >made &&
	cat >want <<-END && test_cmp want made
	ClusterName=lab
	SchedulerType=sched/backfill TaskPlugin=task/affinity
	KillWait=7
	NodeName=n[1-4] CPUs=8
	PartitionName=p Nodes=n[1-4] AllowAccounts=X,X DenyUsers=X DenyAccounts=X,X MaxTime=60
	END
'
test_done
