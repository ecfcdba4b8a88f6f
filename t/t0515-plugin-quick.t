#!/bin/sh
test_description='tests of jobs from counts and from memory say what Slurm itself says, whatever happens to nodes meanwhile'
. "$WT_SRCDIR/t/setup.sh"

# 96 nodes of 16 CPUs: 12 leaves of 8, 2 switches of 6 leaves.  Partition half: the second switch; alone: whole nodes only.
# More by hand: WT_ROUNDS=150 T_SEED=7; WT_CR=CR_CPU_Memory; WT_SHAPE="pack:2 core:4 pu:2".  (With sockets all are tested
# on all nodes, so that those tests fail that want answers from few.)
log="$WINDTUNNEL_STATE/q/ctld/slurmctld.log"
conf="$WINDTUNNEL_STATE/q/slurm.conf"
. "$WT_SRCDIR/t/bestfit.sh"
quick_only
in_cluster() { windtunnel cluster exec q -- "$@"; }
wt_seed
# A reconfiguration logs the counters.  figure LINE KEY: of them.
reconfigure() {
	lines=$(grep -c "quick: compared" "$log")
	in_cluster scontrol reconfigure && wt_poll 30 eval '[ "$(grep -c "quick: compared" "$log")" -gt "$lines" ]'
}
running() { in_cluster squeue -h -t R -o %i | grep -qx "$1"; }
figure() { grep "bestfit: quick: $1" "$log" | tail -n 1 | grep -o " $2=[0-9]*" | cut -d= -f2; }
# The same of the answers to WILL_RUN that are compared exactly.
will_run() { grep "bestfit: will-run:" "$log" | tail -n 1 | grep -o " $1=[0-9]*" | cut -d= -f2; }

# requests COUNT SEED: so many commands, one a line, the same for the same seed.  Some requests nothing can run.
requests() {
	awk -v n="$1" -v seed="$2" '
		function r(k) { return int(rand() * k) }
		function time_limit() { return " -t " (1 + r(30)) }
		BEGIN {
			srand(seed)
			split("-n;-N;-X;-c;-m;-M;-t;-k;-w;-x;-C;-i;-r;-s;-b;-p", kinds, ";")
			for (i = 0; i < n; i++) {
				k = kinds[1 + r(16)]
				part = r(4) == 0 ? " -p half" : r(6) == 0 ? " -p alone" : ""
				if (k == "-n") o = "-n " (1 + r(60))
				else if (k == "-N") o = "-N " (1 + r(12))
				else if (k == "-X") o = "-N " (1 + r(20)) " --exclusive"
				else if (k == "-c") o = "-n " (1 + r(10)) " -c " (1 + r(6))
				else if (k == "-m") o = "-n " (1 + r(20)) " --mem-per-cpu=" (1000 * (1 + r(8)))
				else if (k == "-M") o = "-N " (1 + r(4)) " --mem=" (1000 * (1 + r(70)))
				else if (k == "-t") o = "-N " (1 + r(4)) " --ntasks-per-node=" (1 + r(18))
				else if (k == "-k") o = "-N " (1 + r(4)) "-" (4 + r(6)) " -n " (1 + r(30))
				else if (k == "-w") o = "-N 2 -w n" r(48) ",n" (48 + r(48))
				else if (k == "-x") o = "-N " (1 + r(6)) " -x n[" r(40) "-" (41 + r(40)) "]"
				else if (k == "-C") o = "-n " (1 + r(8)) " --hint=nomultithread"
				else if (k == "-i") o = "-N 1 -n " (17 + r(40))
				else if (k == "-r") o = "-N " (90 + r(12)) " --exclusive"
				else if (k == "-s") o = "-N 1 --sockets-per-node=" (1 + r(3)) \
			" --cores-per-socket=" (1 + r(9))
				else if (k == "-b") o = "-n " (1 + r(8)) " --contiguous"
				else o = "-n " (1 + r(2000))
				print o part time_limit()
			}
		}'
}
# submit COUNT SEED: all of them; refusals are answers, too.  Every fourth is asked for as --test-only (WILL_RUN) as well.
submit() {
	requests "$1" "$T_SEED$2" >requests && i=0
	while read -r line; do
		i=$((i + 1))
		# shellcheck disable=SC2086	# options
		in_cluster sbatch --parsable --output=/dev/null $line --wrap "sleep $((1 + i % 7))" >>out 2>>refused || :
		# shellcheck disable=SC2086
		[ $((i % 4)) != 0 ] || in_cluster sbatch --test-only $line --wrap true >>out 2>&1 || :
	done <requests
}
# What may happen to nodes, one after the other.  Some of it is refused, as giving back a node that is back already.
disturb() {
	case $(($1 % 8)) in
	0) in_cluster scontrol update nodename="n[$1-$(($1 + 9))]" state=drain reason=t ;;
	1) in_cluster scontrol update nodename="n[60-63]" state=down reason=t ;;
	2)
		in_cluster scontrol create reservation reservationname="r$1" starttime=now duration=1 nodes="n[20-31]" \
			users=root flags=ignore_jobs ;;
	3) in_cluster scontrol update nodename="n[0-11]" weight="$1" ;;
	4) in_cluster scontrol update nodename="n[$(($1 - 4))-$(($1 + 5))]" state=resume ;;
	5) in_cluster scontrol update partitionname=half nodes="n[$((40 + $1))-95]" ;;
	6) in_cluster scontrol reconfigure ;;
	7)
		in_cluster scontrol update nodename="n[0-11]" weight=1 &&
			in_cluster scontrol update nodename="n[60-63]" state=resume ;;
	esac
}

test_expect_success 'a cluster that asks both ways' '
	windtunnel topology generate fattree --arity 8,6,2 -o tree.conf &&
	cat >parts.conf <<-END &&
	SelectTypeParameters=${WT_CR:-CR_Core_Memory}
	DefMemPerCPU=1000
	SchedulerParameters=bestfit=on,bestfit_quick=verify,bf_interval=2,sched_interval=2
	END
	windtunnel cluster up q --nodes 96 --shape "${WT_SHAPE:-pack:2 core:8 pu:1}" --topology tree.conf --plugin bestfit \
		--conf parts.conf --quiet &&
	echo "PartitionName=half Nodes=n[48-95] State=UP" >>"$conf" &&
	echo "PartitionName=alone Nodes=n[0-63] OverSubscribe=EXCLUSIVE State=UP" >>"$conf" && reconfigure &&
	grep "bestfit: mode=on" "$log"
'
# Whole nodes, of which few CPUs count for the job: its memory by CPUs is that of those few.
test_expect_success 'memory for each CPU of whole nodes, of which a job can use a part: not refused by counts' '
	mem=$(in_cluster sinfo -h -p alone -o %m | tr -d +) && each=$((mem / 8)) &&
	for i in 1 2 3; do
		in_cluster sbatch --parsable --output=/dev/null -p alone -N $i --ntasks-per-socket=2 --mem-per-cpu=$each \
			--wrap "sleep 1" || return 1
	done && in_cluster scancel -u "$(id -un)" && reconfigure && test "$(figure ".*compared" mismatches)" = 0 &&
	test "$(figure test-only refused)" = 0
'
test_expect_success 'random requests while nodes go down, drain, change and are reserved: not one other answer' '
	: >out && : >refused && round=0 &&
	while [ $round -lt "${WT_ROUNDS:-16}" ]; do
		submit 12 $round && { disturb $round || :; } && round=$((round + 1)) || return 1
	done &&
	reconfigure && { grep "bestfit: quick:" "$log" | tail -n 4; grep "bestfit: verify:" "$log" | head -n 20; :; } &&
	test "$(figure ".*compared" mismatches)" = 0 && test "$(will_run different)" = 0 &&
	test $(($(figure ".*compared" compared) + $(will_run compared))) -ge 300
'
test_expect_success 'requests were refused by both, and jobs were started' '
	test_line_count -ge 5 refused &&
	test "$(grep -c "sched: Allocate\|sched/backfill: _start_job: Started" "$log")" -ge 20
'
test_expect_success 'answers came from memory, from proofs, from few nodes and from all nodes' '
	test "$(figure test-only cached)" -gt 0 && test "$(figure test-only small)" -gt 0 &&
	test "$(figure test-only full)" -gt 0 &&
	test "$(figure run-now small)" -gt 0
'
# A proof is forgotten when jobs or nodes change otherwise meanwhile, as by an answer that comes just then: the same
# request again, while one node after the other goes, until one is proven.
gone=5
proven() {
	for i in 1 2 3 4; do
		in_cluster scontrol update nodename="n$gone" state=drain reason=t &&
		in_cluster sbatch --parsable --output=/dev/null -N 3 --wrap "sleep 1" || return 2
		gone=$((gone + 1))
	done
	reconfigure || return 2
	test "$(figure test-only proven)" -gt 0
}
test_expect_success 'equal requests for other nodes of the same hardware are proven' '
	in_cluster scancel -u "$(id -un)" && was=1 && for round in 1 2 3 4 5 6 7 8 9 10 11 12; do
		was=0 && proven || was=$?; test $was = 1 || break
	done && test $was = 0 && test "$(figure ".*compared" mismatches)" = 0
'
# all_free: no job, no reservation, and all nodes are idle.  A reservation stays as long as a job in it is ending; a node
# that drained may be back by the time that we tell it so.
all_free() {
	for thing in $(in_cluster scontrol -o show reservation | sed -n "s/^ReservationName=\([^ ]*\).*/\1/p"); do
		in_cluster scontrol delete reservationname="$thing"
	done
	for thing in $(in_cluster sinfo -h -N -p main -t drain,down,drng -o %N | sort -u); do
		in_cluster scontrol update nodename="$thing" state=resume
	done
	[ -z "$(in_cluster squeue -h)" ] && [ "$(in_cluster sinfo -h -p main -t idle -o %D)" = 96 ]
}
test_expect_success 'with a full machine the answer is no, from counts, and jobs start when there is room again' '
	in_cluster scancel -u "$(id -un)" && wt_poll 120 all_free &&
	big=$(in_cluster sbatch --parsable --output=/dev/null -n 1536 --mem-per-cpu=1 --wrap "sleep 1000") &&
	wt_poll 60 running $big &&
	small=$(in_cluster sbatch --parsable --output=/dev/null -n 4 --mem-per-cpu=1 --wrap "sleep 1000") &&
	wt_poll 30 eval "in_cluster squeue -h -j $small -o %r | grep -q Resources" && reconfigure &&
	test "$(figure run-now refused)" -gt 0 && in_cluster scancel "$big" &&
	wt_poll 60 running $small && reconfigure && test "$(figure ".*compared" mismatches)" = 0
'
test_expect_success 'the kill switch' '
	sed -i "s/bestfit_quick=verify/bestfit_quick=off/" "$conf" && reconfigure && reconfigure &&
	figure run-now ours-count >before &&
	in_cluster sbatch --parsable --output=/dev/null -N 3 --wrap "sleep 1" && reconfigure &&
	figure run-now ours-count >after &&
	test_cmp before after
'
test_expect_success 'slurmctld lives, and has logged no error of ours' '
	in_cluster scontrol ping && grep "error: windtunnel" "$log" >out || : && wt_empty out
'
test_done
