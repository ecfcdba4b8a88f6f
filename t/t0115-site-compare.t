#!/bin/sh
test_description='a run and an experiment on a site'"'"'s own cluster, and windtunnel site compare'
. "$WT_SRCDIR/t/setup.sh"

if grep -q "^WT_CFLAGS = .*-fsanitize" "$WT_BUILDDIR/Makefile"; then
	skip_all='libnss_wrapper cannot be preloaded into programs with sanitizers'
	test_done
fi
mkdir site && cat >site/slurm.conf <<'EOF'
ClusterName=lab
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
NodeName=DEFAULT CPUs=4 RealMemory=1000
NodeName=a[1-2] Feature=old
NodeName=b1 CPUs=8 RealMemory=9000 Feature=new
PartitionName=main Nodes=a[1-2] Default=YES
PartitionName=new Nodes=b1 AllowGroups=chem
EOF
printf 'ann:x:2000000001:2000000001:::\nbea:x:2000000002:2000000002:::\n' >site/passwd
printf 'phys:x:2000000001:\nchem:x:2000000002:bea\n' >site/group
job() {	# job ID SUBMIT CPUS USER PARTITION RECORDED-WAIT: runs for 100 s
	{
		printf '{"id": %s, "submit_s": %s, "run_time_s": 100, "time_limit_s": 300, "tasks": 1, ' "$1" "$2"
		printf '"cpus_per_task": %s, "user": "%s", "partition": "%s"}\n' "$3" "$4" "$5"
	} >>site/jobs.jsonl
	printf '%s,j,%s,,%s,%s,COMPLETED,,1,%s,%s,,%s,,0\n' "$1" $(($2 + 5000)) $(($2 + 5000 + $6)) \
		$(($2 + 5100 + $6)) "$3" "$5" "$4" >>site/recorded.csv
}
columns=id,name,submit_s,eligible_s,start_s,end_s,state,nodes,node_count,cpus,partition,account,user,qos,requeues
echo $columns >site/recorded.csv
job 1 0 4 ann main 1
job 2 0 4 ann main 1
job 3 10 4 bea main 91
job 4 10 2 ann main 90
job 5 20 8 bea new 1
job 6 30 8 bea new 200
printf '%s\n' "7,j,5031,,,5040,CANCELLED,,0,,main,,ann,,0" >>site/recorded.csv
windtunnel cluster up x --site site --dry-run >out 2>err || {
	grep -q "libnss-wrapper" err && skip_all='libnss_wrapper.so is missing (Debian: libnss-wrapper)' && test_done
}
refused() {	# refused TEXT RUN SITE: in one line
	text=$1; shift
	test_expect_code 1 windtunnel site compare "$@" >out 2>err && test_line_count = 1 err && grep "$text" err
}

test_expect_success 'a dry run knows how large the site is, and nothing else is needed' '
	windtunnel run --workload jobs:site/jobs.jsonl --site site --dry-run >out && grep "3 nodes.*16\|16.*3 nodes" out &&
	test_must_fail windtunnel run --workload jobs:site/jobs.jsonl --site nowhere --dry-run 2>err && grep nowhere err
'
test_expect_success 'a run with the site as its own cluster; it says so' '
	windtunnel run --workload jobs:site/jobs.jsonl --site site --clock virtual --charge none --quiet --output run >out &&
	jq -e ".jobs_completed == 6" run/summary.json &&
	jq -e "[.. | .own_cluster? | select(. != null) | .site] == [\"site\"]" run/scenario.json &&
	cut -d, -f34,36 run/jobs.csv >who && test "$(grep -c "^new,bea$" who)" = 2 && test "$(grep -c "^main,ann$" who)" = 3
'
test_expect_success 'waits beside those recorded, by partition and size' '
	windtunnel site compare run site >out && cat out &&
	grep "^6 waits compared; 6 of these jobs ended as recorded" out &&
	grep "not compared: 1 that the site recorded without a start\|not compared: 0 .* 1 that are not in the run" out &&
	windtunnel site compare --json run site >json && jq -e ".jobs.compared == 6 and .intervals_over == \"jobs\"" json &&
	jq -e "[.groups[] | select(.by == \"partition\") | [.value, .jobs]] == [[\"main\", 4], [\"new\", 2]]" json &&
	jq -e "[.groups[] | select(.by == \"size\") | .jobs] == [6]" json &&
	jq -e ".groups[] | select(.value == \"main\") | (.difference.mean_s | fabs) < 5 and .difference.ci95_s < 30" json &&
	jq -e ".groups[] | select(.value == \"new\") | .difference.mean_s < -40 and .recorded.mean_s == 100.5" json
'
test_expect_success 'repeated runs: intervals over the runs' '
	mkdir two && cp -R run two/1 && cp -R run two/2 &&
	windtunnel site compare two site | grep "^12 waits compared of 2 runs" &&
	windtunnel site compare two site --json | jq -e ".intervals_over == \"runs\" and .groups[0].difference.ci95_s == 0"
'
test_expect_success 'folders that are none, and files that are wrong' '
	refused "nowhere/recorded.csv: cannot open" run nowhere && refused "it is no run.s folder" site site &&
	cp -R site bad && rm bad/recorded.csv && mkfifo bad/recorded.csv && refused "is not a regular file" run bad &&
	rm bad/recorded.csv && sed "p" site/recorded.csv >bad/recorded.csv &&
	refused "bad/recorded.csv:2: \|twice" run bad &&
	sed "2{p}" site/recorded.csv >bad/recorded.csv && refused "job 1 stands there twice" run bad &&
	sed "s/,5001,/,4999,/" site/recorded.csv >bad/recorded.csv && refused "starts before it is submitted" run bad &&
	head -n 1 site/recorded.csv >bad/recorded.csv && refused "no job of the run has a wait" run bad &&
	cp -R run scaled && jq "(.. | .time_scale? | select(. != null)) = 0.5" run/scenario.json >scaled/scenario.json &&
	refused "its times are scaled" scaled site && test_expect_code 2 windtunnel site compare run 2>err &&
	grep "a run.s folder and a site.s" err
'
test_expect_success 'an experiment whose cluster is the site' '
	cat >site.yaml <<-EOF &&
	workload: {kind: "jobs:site/jobs.jsonl"}
	cluster: {site: site, clock: virtual, charge: none}
	variants:
	  as it is:
	  later: {slurm.conf: {SchedulerParameters: "bf_interval=300"}}
	repeat: 1
	EOF
	windtunnel experiment run site.yaml --output exp --quiet >out 2>err || { cat err; false; } &&
	test "$(find exp -name jobs.csv | wc -l)" = 2 && find exp -name summary.json -exec jq -e ".jobs_completed == 6" {} +
'
test_done
