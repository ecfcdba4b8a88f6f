#!/bin/sh
test_description='esp and run --profile: where slurmctld spends its CPU time in a run, by queue length'
. "$WT_SRCDIR/t/setup.sh"

# What perf says is the machine's whim: here it is always the same, and it looks until it is told to end.
mkdir planted tmp
cat >planted/perf <<'END'
#!/bin/sh
if test "$1" = script; then
	printf "bckfl 1 \n\t1 inner (/a/b.so)\n\t2 [unknown] (/a/slurmctld)\n\nrpc 2 \n\t1 <b> (/a/b.so)\n\n"
	exit 0
fi
echo "$*" >"$WT_TMP/asked"
trap "echo ended >>\"$WT_TMP/asked\"; exit 0" INT
while :; do
	sleep 0.1
done
END
chmod +x planted/perf
profiled() {
	PATH="$PWD/planted:$PATH" TMPDIR="$PWD/tmp" windtunnel run --workload burst --jobs 40 --run-time 30 --nodes 4 \
		--shape "pack:1 core:2 pu:1" --clock virtual --charge none --quiet "$@"
}

test_expect_success 'wrong use' '
	for hz in 0 1001 x ""; do
		test_expect_code 2 profiled --profile="$hz" --output wrong 2>err && test ! -e wrong || return 1
	done
'
test_expect_success 'threads by queue length, functions and stacks are in the folder; perf is told to end' '
	profiled --profile --output run >out 2>err || { cat err; false; }
	grep -e "-F 49 .*-p [0-9]* .*--pid=[0-9]* -f /dev/null" "$WT_TMP/asked" && grep "^ended" "$WT_TMP/asked" &&
	jq -e ".format == 1 and .daemon == \"slurmctld\" and .looks >= 3 and .cpu_s > 0 and .rate_hz == 49 and
		.samples == 2 and
		.functions_missing == null and ([.functions[].name] | sort) == [\"<b>\", \"[slurmctld]\", \"inner\"] and
		([.threads[].cpu_s] | add) - .cpu_s < 0.05 and any(.threads[]; .name == \"bckfl\" or .name == \"rpcmgr\")" \
		run/profile.json &&
	jq -e "([.queues[].from] == [0, 1, 10, 100, 1000, 10000]) and .queues[5].to == null and
		(([.queues[].time_s] | add) - .time_s | fabs) < 1e-6 and
		(([.queues[].cpu_s] | add) - .cpu_s | fabs) < 1e-6 and
		.queues[2].time_s > 0 and .queues[3].time_s == 0 and .queues[3].threads == []" run/profile.json &&
	printf "bckfl;[slurmctld];inner 1\nrpc;<b> 1\n" >want && test_cmp want run/profile.stacks &&
	jq -e ".options.profile_hz == 49" run/scenario.json && test -z "$(ls tmp)"
'
test_expect_success 'the page shows them; names of functions are text' '
	windtunnel report run --output page.html && grep "Where does slurmctld.s CPU time go?" page.html &&
	grep "<th scope=\"col\">10 to 99 wait</th>" page.html && ! grep "<th scope=\"col\">100 to 999 wait</th>" page.html &&
	grep "<th scope=\"row\">&lt;b&gt;</th>" page.html && grep "<title>&lt;b&gt;: 50.0 %</title>" page.html &&
	! grep "<b>:" page.html
'
test_expect_success 'a folder of a stranger: what is damaged costs its part of the page' '
	cp -r run odd && echo "{" >odd/profile.json && windtunnel report odd --output odd.html &&
	grep "profile.json is damaged" odd.html && grep "What did it cost the controller" odd.html &&
	rm odd/profile.json && mkfifo odd/profile.json && windtunnel report odd --output odd.html &&
	grep "profile.json.*not a regular file" odd.html && rm odd/profile.json &&
	echo "{\"threads\": [7, {\"name\": 3, \"cpu_s\": \"x\"}], \"queues\": [{}, {\"from\": 1, \"time_s\": 1e400}],
		\"functions\": [null, {\"name\": \"<i>\"}]}" >odd/profile.json &&
	printf "a;b 99999999999\n;; 4\n\001 3\nok;<u> 2\n" >odd/profile.stacks &&
	windtunnel report odd --output odd.html && grep "profile.json is damaged" odd.html &&
	sed -i "s/1e400/0/" odd/profile.json && windtunnel report odd --output odd.html &&
	grep "<th scope=\"row\">&lt;i&gt;</th>" odd.html && grep "<title>&lt;u&gt;: 100.0 %</title>" odd.html &&
	rm odd/profile.* && windtunnel report odd --output odd.html && ! grep "CPU time go?" odd.html
'
test_expect_success 'a run that is interrupted tells what was seen, and leaves nothing of perf' '
	rm "$WT_TMP/asked" && { PATH="$PWD/planted:$PATH" TMPDIR="$PWD/tmp" windtunnel run --workload burst --jobs 4 \
		--run-time 300 --nodes 4 --profile=7 --output cut --quiet >out 2>err & pid=$!; } &&
	wt_poll 60 grep -qs "^record .*-F 7 " "$WT_TMP/asked" && wt_poll 60 test -s cut/scenario.json &&
	kill -INT $pid && { wait $pid; test $? = 130; } && grep "^ended" "$WT_TMP/asked" &&
	jq -e ".rate_hz == 7 and .samples == 2" cut/profile.json && test -z "$(ls tmp)"
'
test_expect_success 'without perf, or when it may not look, threads are told all the same' '
	printf "#!/bin/sh\necho \"Access to performance monitoring is limited.\" >&2\nexit 255\n" >planted/perf &&
	profiled --profile=5 --output none >out 2>err && wt_empty err && test ! -e none/profile.stacks &&
	jq -e ".functions == null and .rate_hz == 5 and .cpu_s > 0 and
		(.functions_missing | test(\"Access to performance\"))" none/profile.json &&
	windtunnel report none --output none.html && grep "functions are not known: .*Access to perf" none.html &&
	test -z "$(ls tmp)"
'
test_expect_success 'the schedule is the one without it' '
	profiled --output plain >out && for run in plain run none; do
		jq "{makespan_s, wait_mean_s, utilization}" $run/summary.json >$run.json || return 1
	done && wt_near plain.json run.json && wt_near plain.json none.json && test ! -e plain/profile.json
'
test_done
