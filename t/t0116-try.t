#!/bin/sh
test_description='windtunnel try: a setting of a site, who waits longer for it, and who less'
. "$WT_SRCDIR/t/setup.sh"
. "$WT_SRCDIR/t/browse.sh"

if grep -q "^WT_CFLAGS = .*-fsanitize" "$WT_BUILDDIR/Makefile"; then
	skip_all='libnss_wrapper cannot be preloaded into programs with sanitizers'
	test_done
fi
# Large jobs of bea and small ones of ann wait for a first job that has all; the site lets large ones go first.
mkdir site && cat >site/slurm.conf <<'EOF'
ClusterName=lab
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
PriorityType=priority/multifactor
PriorityWeightJobSize=100000
SchedulerParameters=bf_continue,bf_interval=45
NodeName=a[1-2] CPUs=4 RealMemory=1000
PartitionName=main Nodes=a[1-2] Default=YES
EOF
printf 'ann:x:2000000001:2000000001:::\nbea:x:2000000002:2000000002:::\n' >site/passwd
printf 'phys:x:2000000001:\nchem:x:2000000002:bea\n' >site/group
job() {	# job ID SUBMIT TASKS USER ACCOUNT RUN-TIME
	printf '{"id": "%s", "submit_s": %s, "run_time_s": %s, "time_limit_s": 600, "tasks": %s, ' "$1" "$2" "$6" "$3"
	printf '"user": "%s", "account": "%s"}\n' "$4" "$5"
}
{
	job first 0 8 bea large 100
	for i in 1 2 3 4; do
		job "l$i" "$i" 8 bea large 50
		job "s$i" "$i" 1 ann small 60
	done
} >site/jobs.jsonl
windtunnel cluster up x --site site --dry-run >out 2>err || {
	grep -q "libnss-wrapper" err && skip_all='libnss_wrapper.so is missing (Debian: libnss-wrapper)' && test_done
}
refused() {	# refused WORDS ARGUMENT...
	words=$1
	shift
	test_expect_code 2 windtunnel try "$@" >out 2>err && wt_empty out && grep -q -e "$words" err || { cat err; false; }
}

test_expect_success 'wrong use, before anything is made' '
	refused "give the site" && refused "give what is changed" site && refused "two values" site --vary bf_interval=3 &&
	refused "did you mean .bf_interval" site --vary bf_intervall=1,2 && refused "twice" site --vary bf_interval=1,1 &&
	refused "bf_interval=x: give a whole number" site --vary bf_interval=site,x &&
	refused "EpilogMsgTime=-1: give a whole number" site --vary EpilogMsgTime=site,-1 &&
	refused "NAME=VALUE" site --vary bf_interval && refused "neither a key" site --vary bf_interval=1,2 \
		--with Epilogue=1 &&
	refused "perturb" site --vary bf_interval=1,2 --perturb often &&
	refused "from 1 to" site --vary bf_window=1,2 --repeat 0 &&
	test_expect_code 1 windtunnel try nowhere --vary bf_interval=1,2 2>err && grep "nowhere: No such file" err &&
	mkdir empty && test_expect_code 1 windtunnel try empty --vary bf_interval=1,2 2>err &&
	grep "slurm.conf: is it" err &&
	cp site/slurm.conf empty && test_expect_code 1 windtunnel try empty --vary bf_interval=1,2 2>err &&
	grep "jobs.jsonl: is it a site.s folder with jobs" err && test ! -e try-site && test ! -e try-empty
'
test_expect_success 'a dry run names the cases: each value with each, and the site as it is' '
	windtunnel try site --vary bf_interval=site,120 --vary EpilogMsgTime=1,2 --with NodeName+=Weight=5 --dry-run >out &&
	cat out && grep "^bf_interval as it is, EpilogMsgTime 1\$" out && grep "^bf_interval 120, EpilogMsgTime 2\$" out &&
	grep -c -e "--set=SchedulerParameters+=bf_interval=120" out >count && echo 2 >want && test_cmp want count &&
	grep -c -e "--set=NodeName+=Weight=5.* .*--set=EpilogMsgTime=[12]" out >count && echo 4 >want &&
	test_cmp want count &&
	grep "^4 cases, 4 runs of each, seeds from 1 on\$" out && test ! -e try-site
'
test_expect_success 'one setting helps some and harms others: told on the terminal, in JSON, on the page' '
	windtunnel try site --vary PriorityFavorSmall=site,YES --with bf_interval=30 --repeat 3 >out 2>err ||
		{ cat err; false; } &&
	cat out &&
	grep "^Who waits longer in PriorityFavorSmall YES than in PriorityFavorSmall as it is, and who less?\$" out &&
	grep "^  longer waits: .*account large (+[0-9.]* s)" out &&
	grep "^  shorter waits: .*account small (-[0-9.]* s)" out &&
	windtunnel experiment compare --json try-site >json && jq -e ".cases[1].waits_by_class | .pairs == 3 and
		([.groups[] | select(.by == \"account\") | {(.value): .verdict}] | add) ==
			{large: \"longer\", small: \"shorter\"} and
		([.groups[] | select(.by == \"size\") | .value] == [\"1 CPU\", \"2 to 8\"]) and .jobs_unmatched == 0" json &&
	jq -e ".cases[0].waits_by_class == null" json && grep "Longer waits: .*account large" try-site/report.html &&
	! grep "How do the figures go over the grid" try-site/report.html
'
test_expect_success 'a word of SchedulerParameters takes the place of the site'"'"'s own' '
	find try-site -name slurm.conf >confs && test_line_count -gt 0 confs &&
	xargs grep -h "^SchedulerParameters=" <confs | sort -u >words &&
	echo SchedulerParameters=bf_continue,bf_interval=30 >want &&
	test_cmp want words
'
command -v python3 >/dev/null && test_set_prereq PYTHON
recomputed() { PYTHONDONTWRITEBYTECODE=1 python3 "$WT_SRCDIR/t/check-classes.py" "$@" >recomputed; }
test_expect_success PYTHON 'all of it recomputed from the runs; a change is noticed' '
	{ recomputed try-site json try-site/report.html || { cat recomputed; false; }; } && cat recomputed &&
	grep "^1 cases\$" recomputed &&
	grep "^25 numbers of classes\$" recomputed && grep "^25 numbers of the page\$" recomputed &&
	jq "(.cases[1].waits_by_class.groups[1].difference.mean_s) += 1" json >spoilt && ! recomputed try-site spoilt \
		try-site/report.html && grep "^fault: .*difference is" recomputed &&
	jq "(.cases[1].waits_by_class.groups[] | select(.value == \"large\").verdict) = \"open\"" json >spoilt &&
	! recomputed try-site spoilt try-site/report.html && grep "^fault: .*account large: open, not longer" recomputed &&
	sed "/<table class=\"differences c/,/<\/table>/ s/value=\"[^\"]*\" \(data-key=\"here_m\)/value=\"1\" \1/" \
		try-site/report.html >spoilt.html && ! recomputed try-site json spoilt.html &&
	grep "^fault: .*here_mean_s on the page" recomputed
'
test_expect_success BROWSER 'its page in a browser: who waits longer can be read on a small screen' '
	cp try-site/report.html "$WT_TMP/page.html" && browse fits "$WT_TMP/page.html"
'
test_expect_success 'its file is an experiment'"'"'s: it goes on, is edited, and run again elsewhere' '
	head -n 1 try-site/experiment.yaml | grep "^# Made by: windtunnel try .*--vary PriorityFavorSmall=site,YES" &&
	windtunnel experiment run --resume --no-report --json --output try-site try-site/experiment.yaml >again 2>err &&
	jq ".cases[1].waits_by_class" json >a && jq ".cases[1].waits_by_class" again >b && wt_near a b &&
	mkdir elsewhere && sed "s/^repeat: .*/repeat: 1/" try-site/experiment.yaml >elsewhere/one.yaml &&
	windtunnel experiment run --quiet --no-report --output one elsewhere/one.yaml >out 2>err &&
	grep "one run of each: whether a difference is more than chance is not known" out &&
	test_expect_code 1 windtunnel try site --vary bf_interval=1,2 2>err && grep "try-site has an experiment already" err
'
test_expect_success 'runs whose jobs.csv is lost or damaged are counted, and harm nobody' '
	cp -R try-site hurt && rm "hurt/PriorityFavorSmall=YES/1/jobs.csv" &&
	echo nonsense >"hurt/PriorityFavorSmall=YES/2/jobs.csv" && windtunnel experiment compare --json hurt >json2 &&
	jq -e ".cases[1].waits_by_class | .pairs == 1 and .pairs_unread == 2 and (.groups | length) == 5" json2 &&
	windtunnel experiment compare hurt >out && grep "2 pairs of runs are missing: .*1/jobs.csv" out &&
	rm hurt/*/*/jobs.csv && windtunnel experiment compare hurt >out && grep "3 pairs of runs are missing" out
'
test_done
