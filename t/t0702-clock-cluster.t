#!/bin/sh
test_description='windtunnel cluster --clock virtual: clients inside and outside, restarts, two at once, real slurmds'
. "$WT_SRCDIR/t/setup.sh"

if grep -q "^WT_CFLAGS = .*-fsanitize" "$WT_BUILDDIR/Makefile"; then
	skip_all="a sanitizer and a preloaded library that replaces the same functions do not go together"
	test_done
fi
in_v() { windtunnel cluster exec v -- "$@"; }
drive() { windtunnel cluster exec --drive v -- "$@"; }
memory_of() { jq -r .virtual_clock "$WINDTUNNEL_STATE/$1/cluster.json"; }
summary() { jq -e "$2" "$1/summary.json" >jq.out || { cat "$1/summary.json"; return 1; }; }

test_expect_success 'up, and clients inside' '
	windtunnel cluster up v --nodes 8 --clock virtual --charge none -q &&
	windtunnel cluster list --json >list && jq -e ".[0].clock == \"virtual\" and .[0].status == \"up\"" list &&
	in_v squeue -h >out && wt_empty out && in_v sinfo -h -o "%D %t" >out && echo "8 idle" >wanted && test_cmp wanted out
'
test_expect_success 'an hour passes at once for a command that drives the clock' '
	in_v date +%s >before && drive sleep 3600 && in_v date +%s >after &&
	test $(($(cat after) - $(cat before))) -ge 3600 && in_v sinfo -h -o "%D %t" >out && test_cmp wanted out
'
test_expect_success 'jobs and steps run in virtual time, and clients wait for them in it' '
	drive srun -N4 sleep 900 &&
	in_v sbatch --parsable -N8 --wrap "sleep 1800" >id && drive sleep 2000 &&
	in_v scontrol show job "$(cat id)" >job && grep "JobState=COMPLETED" job && grep "RunTime=00:30:0" job &&
	drive sbatch --wait --wrap "sleep 700" &&
	in_v date +%s >after && test $(($(cat after) - $(cat before))) -ge 7200
'
# A job's nodes are free a moment after its end.
all_free() { in_v sinfo -h -o "%D %t" >out && test_cmp wanted out && in_v squeue -h >out && wt_empty out; }
test_expect_success 'a client from outside is served, at the rate of the machine' '
	wt_poll 60 all_free &&
	{ drive sh -c "for i in 1 2 3 4 5 6 7 8 9 10; do sleep 100; squeue -h; done" >out 2>&1 & driver=$!; } &&
	for i in 1 2 3 4 5; do
		SLURM_CONF=$WINDTUNNEL_STATE/v/slurm.conf sinfo -h -o "%D %t" >outside && test_cmp wanted outside || return 1
	done &&
	{ wait $driver || { cat out; false; }; } && wt_empty out &&
	windtunnel cluster env v >env 2>err && grep "^export SLURM_CONF=" env && grep "virtual time" err
'
# munged waits two seconds for a request, and its clock is virtual, too.
slow_client() {
	perl -MIO::Socket::UNIX -e "
		\$s = IO::Socket::UNIX->new(Peer => shift) or die \"no connection: \$!\n\";
		for (1 .. 6) {
			vec(\$ready = \"\", fileno(\$s), 1) = 1;
			select(\$ready, undef, undef, 0.05) and die \"munged has closed it\n\";
		}" "$WINDTUNNEL_STATE/v/munge/socket"
}
test_expect_success 'a client from outside that is slow is waited for by munged' '
	{ drive sh -c "while ! test -e $WT_TMP/served; do sleep 100; done" >out 2>&1 & driver=$!; } &&
	rc=0 && for i in 1 2 3; do slow_client || rc=1; done; : >"$WT_TMP/served" && wait $driver && test $rc = 0
'
test_expect_success 'windtunnel esp --cluster joins its clock' '
	windtunnel esp --cluster v --time-scale 0.1 --quiet --output joined >out 2>err &&
	summary joined ".clock == \"virtual\" and .jobs_completed == 230 and .virtual_clock.charge == \"none\"" &&
	windtunnel cluster up r --nodes 2 -q &&
	test_expect_code 2 windtunnel esp --cluster r --clock virtual --output no 2>err && grep "lives in real time" err &&
	test_expect_code 2 windtunnel cluster exec --drive r -- true 2>err && grep "virtual clock" err &&
	windtunnel cluster down r
'
test_expect_success 'slurmctld is killed during a run: the run goes on after its restart, in virtual time' '
	pid=$(windtunnel cluster status v --json | jq ".daemons[] | select(.name == \"slurmctld\") | .pid") &&
	{ windtunnel esp --cluster v --quiet --output killed >out 2>err & run=$!; } &&
	wt_poll 60 sh -c "test \$(SLURM_CONF=$WINDTUNNEL_STATE/v/slurm.conf squeue -h -t R | wc -l) -ge 3" &&
	kill -9 "$pid" && wait $run &&
	summary killed ".jobs_completed == 230 and .jobs_missing == 0 and .controller_restarts >= 1"
'
test_expect_success 'two virtual clusters at once have a time each' '
	windtunnel cluster up w --nodes 4 --clock virtual -q &&
	windtunnel cluster exec w -- date +%s >before && drive sleep 3000 &&
	windtunnel cluster exec w -- date +%s >after && test $(($(cat after) - $(cat before))) -lt 2000 &&
	{ windtunnel esp --cluster w --time-scale 0.1 --quiet --output both-w >w.out 2>&1 & w=$!; } &&
	windtunnel esp --cluster v --time-scale 0.1 --quiet --output both-v >v.out 2>&1 && wait $w &&
	summary both-v ".jobs_completed == 230" && summary both-w ".jobs_completed == 230" &&
	windtunnel cluster down w
'
test_expect_success 'down ends the clock, too' '
	memory=$(memory_of v) && test -e "$memory" && windtunnel cluster down v && test ! -e "$memory"
'
test_expect_success 'real slurmds, with their stepds and tasks' '
	WINDTUNNEL_CLOCK_TRACE=$WT_TMP/trace windtunnel cluster up v --nodes 4 --backend slurmd --clock virtual -q &&
	in_v date +%s >before &&
	drive srun -N4 sh -c "sleep 600; date +%s" >out && test_line_count = 4 out &&
	drive sbatch --wait -N2 --wrap "srun sleep 1200" &&
	in_v date +%s >after && test $(($(cat after) - $(cat before))) -ge 1800 &&
	drive sleep 500 && grep -c "jump windtunnel/" "$WT_TMP/trace" >supervisor && test "$(cat supervisor)" -lt 1500 &&
	windtunnel esp --cluster v --time-scale 0.2 --quiet --output real >out 2>err &&
	summary real ".clock == \"virtual\" and .backend == \"slurmd\" and .jobs_completed == 230 and
		.virtual_clock.fallback_s < .virtual_clock.virtual_s / 2 and .virtual_clock.outsiders == 0" &&
	windtunnel cluster down v
'
test_expect_success 'a step on sixteen real slurmds, charge none: all tasks end in the same second' '
	windtunnel cluster up v --nodes 16 --backend slurmd --clock virtual --charge none -q &&
	together() {
		drive sbatch --wait -N16 -o "$PWD/all" --wrap "srun sh -c \"sleep 120; date +%s\"" &&
		test_line_count = 16 all && sort -n all >moments &&
		test $(($(tail -n 1 moments) - $(head -n 1 moments))) -le 1
	} &&
	wt_poll 120 together &&	# a machine that stalls may have put a second between them
	windtunnel cluster down v
'
test_done
