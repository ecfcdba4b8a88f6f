#!/bin/sh
test_description='windtunnel site capture: the script on a cluster with accounting, and what import makes of it'
. "$WT_SRCDIR/t/setup.sh"

for program in mariadbd mariadb-install-db my_print_defaults slurmdbd sacct; do
	command -v $program >/dev/null || {
		skip_all="$program is missing (Debian: mariadb-server-core, mariadb-client-core, slurmdbd, slurm-client)"
		test_done
	}
done
in_site() { timeout 300 windtunnel cluster exec site -- "$@"; }
ended() { test "$(in_site sacct -a -X -n -P -S now-1hours -o State | grep -vcE 'PENDING|RUNNING|REQUEUED')" -ge "$1"; }
settings() { in_site scontrol show config | grep -v -e "^Configuration data" -e BOOT_TIME -e "^Slurmctld("; }
# job ID KEY: of jobs.jsonl
job() { jq -r --arg id "$1" "select(.id == \$id) | .$2" site/jobs.jsonl; }

test_expect_success 'the script is printed, and is plain sh' '
	windtunnel site capture >capture.sh && sh -n capture.sh && windtunnel site capture --output again.sh &&
	test_cmp capture.sh again.sh && sh capture.sh --help | grep -e --anonymise &&
	test_expect_code 2 sh capture.sh && test_expect_code 2 sh capture.sh --frob 2>err &&
	test_expect_code 2 windtunnel site capture x 2>err && test_expect_code 1 windtunnel site capture -o no/such 2>err
'
test_expect_success 'a cluster with accounts, and jobs of many kinds' '
	cat >accounts.sh <<-END &&
	add qos high Priority=100 MaxJobsPerUser=3
	add account physics Fairshare=40 Description="the physicists"
	add account optics parent=physics Fairshare=10 GrpTRES=cpu=12
	add user $(id -un) account=physics,optics DefaultAccount=physics Fairshare=5
	modify user $(id -un) set qos+=high
	add user ann account=optics,physics DefaultAccount=optics MaxJobs=7
	END
	windtunnel cluster up site --nodes 4 --shape "pack:1 core:4 pu:1" --sacctmgr accounts.sh --default-run-time 2 \
		--quiet --set GresTypes=fpga --set NodeName+=Gres=fpga:2 --set "PartitionName=short Nodes=ALL" \
		--set AccountingStorageTRES=gres/fpga &&
	printf "#!/bin/sh\n" >job.sh &&
	for n in 1 2 3; do in_site sbatch -n $n -J "plain $n" --parsable --hold job.sh || return 1; done >ids &&
	in_site sbatch -A optics -q high -p main,short --mem 100 -N 2 --exclusive --nice=5 \
		--dependency=afterany:"$(head -n 1 ids)" -t 5 job.sh &&
	in_site sbatch -a 1-3%2 --gres=fpga:1 -t 10 job.sh &&
	in_site sbatch -J "two
lines|bar" --begin=now+20 -n 2 job.sh &&
	in_site scontrol update nodename=n3 state=drain reason=test && id=$(in_site sbatch -N 4 -t 5 --parsable job.sh) &&
	in_site scancel "$id" && in_site scontrol update nodename=n3 state=resume && echo "$id" >cancelled &&
	in_site scontrol create reservation=maint nodes=n1 users=root accounts=physics starttime=now+60minutes duration=30 \
		flags=maint &&
	in_site scontrol release "$(head -n 1 ids)" "$(sed -n 2p ids)" "$(sed -n 3p ids)" && wt_poll 120 ended 9
'
test_expect_success 'it captures, by asking alone; import makes a site of it' '
	settings >before && in_site sh capture.sh --output cap --days 1 2>err || { cat err; false; } &&
	settings >after && test_cmp before after && ! grep "cannot be had" err &&
	! grep "Pass=" cap/slurm.conf && test "$(stat -c %a cap)" = 700 &&
	windtunnel site import cap --output site >out && grep "^jobs: 9 of" out &&
	grep "^events of nodes, and reservations: [0-9]* records, 3 events" out &&
	grep "{\"event\":\"drain\",.*\"nodes\":\"n3\",\"reason\":\"test\"}" site/jobs.jsonl &&
	grep "{\"event\":\"resume\",.*\"nodes\":\"n3\"}" site/jobs.jsonl &&
	jq -se "any(.[]; .event == \"reserve\" and .duration_s == 1800 and .nodes == \"n1\" and .name == \"maint\" and
		.users == \"root\" and .accounts == \"physics\" and .flags == \"maint\")" site/jobs.jsonl &&
	test "$(job 1 name)" = "plain 1" && test "$(job 4 sharing)" = exclusive && test "$(job 4 partition)" = main,short &&
	test "$(job 4 dependency)" = afterany:1 && test "$(job 4 nice)" = 5 && test "$(job 4 qos)" = high &&
	test "$(job 5_2 gres)" = fpga:1 && test "$(job 5_2 begin_after_s)" = null &&
	test "$(job 6 tasks)" = 2 && test "$(job 6 name)" = "two?lines|bar" && test "$(job 6 "begin_after_s > 0")" = true &&
	id=$(cat cancelled) && test "$(job "$id" end)" = cancelled && test "$(job "$id" "cancel_after_s >= 0")" = true &&
	grep "^$id,job.sh,[0-9.]*,[0-9.]*,,[0-9.]*,CANCELLED,,,,main,physics," site/recorded.csv &&
	grep "^5_3,job.sh,.*,COMPLETED,n[0-3],1,1,main,physics," site/recorded.csv
'
test_expect_success 'names of people go, and only of people; the table is the key, and is used again' '
	! in_site sh capture.sh --output keyed --no-jobs --anonymise keyed/table 2>err && grep "it is the key" err &&
	test ! -e keyed && in_site sh capture.sh --output anon --days 1 --anonymise table 2>err || { cat err; false; } &&
	! grep -rwi -e physics -e optics -e ann -e plain -e bar -e physicists anon && test "$(stat -c %a table)" = 600 &&
	test "$(grep -c "^account" table)" = 2 && cp table before && ls anon >files &&
	! grep -e nodes.txt -e jobs.txt files &&
	in_site sh capture.sh --output anew --days 1 --anonymise table 2>err && test_cmp before table &&
	test_cmp anon/accounts.dump anew/accounts.dump && test_cmp anon/sacct.txt anew/sacct.txt &&
	grep "sbatch --begin=now+20 -n2" anon/sacct.txt &&
	windtunnel site import anon --output anon-site >out && grep "^jobs: 9 of" out &&
	account=$(awk "\$2 == \"physics\" { print \$3 }" table) && test -n "$account" &&
	jq -se "any(.[]; .event == \"reserve\" and .name == \"maint\" and .accounts == \"$account\" and
		.users == \"root\") and
		any(.[]; .event == \"drain\" and .nodes == \"n3\" and .reason == null)" anon-site/jobs.jsonl &&
	jq -e .anonymised anon-site/import.json && grep "\"sharing\":\"exclusive\"" anon-site/jobs.jsonl &&
	grep "\"dependency\":\"afterany:1\"" anon-site/jobs.jsonl && grep "\"gres\":\"fpga:1\"" anon-site/jobs.jsonl
'
test_expect_success 'addresses with passwords in them are left out' '
	mkdir own && printf "%s\n" "ClusterName=own" "JobCompType=jobcomp/elasticsearch JobCompLoc=http://u:hush@e:9200/i" \
		"JobCompParams = \"a=1,url=https://u:hush@e b\" Epilog=/x" "MailDomain=a@b" "Prolog=/p" >own/slurm.conf &&
	in_site sh capture.sh --conf own/slurm.conf --no-jobs --output urls 2>err && ! grep -r hush urls &&
	grep "JobCompType=jobcomp/elasticsearch" urls/slurm.conf && grep "Epilog=/x" urls/slurm.conf &&
	grep "MailDomain=a@b" urls/slurm.conf && grep "Prolog=/p" urls/slurm.conf
'
test_expect_success 'its accounts, taken to another cluster, are the same' '
	windtunnel cluster down site && windtunnel cluster up site --nodes 4 --sacctmgr site/accounts.cfg --quiet 2>err &&
	wt_empty err && in_site sacctmgr dump site file="$PWD/dump" >out && grep -v "^#" dump | sort >again &&
	grep -v "^#" cap/accounts.dump | sort >first && test_cmp first again &&
	in_site sacctmgr -P show qos >again && test_cmp cap/qos.txt again
'
test_done
