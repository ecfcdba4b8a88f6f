# Sourced after t/setup.sh by the tests of WILL_RUN from counts: random requests and events on 40 nodes, with
# bestfit_quick=verify: backfill's question about each job (when, and where?) is answered twice, and return code, start,
# nodes and CPUs are compared.
# $fit: what bestfit= is to be.  $scale: CPUs asked for are so many times those for nodes of 16.  $devices: each node's
# GRES, called $device, which some jobs ask for.
: "${scale:=1}" "${devices:=0}" "${device:=fpga}"
soak_s=${WT_SOAK_S:-20}
wt_seed
C=$WINDTUNNEL_STATE/w
log=$C/ctld/slurmctld.log
. "$WT_SRCDIR/t/bestfit.sh"
quick_only
# cluster_start SHAPE SELECTTYPEPARAMETERS SCHEDULERPARAMETERS; of GPUs SHAPE is what stands in a NodeName line: only
# the nodes of a site's file have any.  (Slurm weighs nodes by the GPUs near their free cores, and by no other device.)
cluster_start() {
	[ -f tree.conf ] || windtunnel topology generate fattree --arity 5,4,2 -o tree.conf || return 1
	: >jobs
	shape=$1 parameters=$2 scheduler=$3
	set -- --nodes 40 --shape "$shape" --memory 8192
	case $devices,$device in
	0,*) ;;
	*,gpu)
		mkdir -p site && cat >site/slurm.conf <<-END || return 1
			GresTypes=gpu
			SelectType=select/cons_tres
			NodeName=n[0-39] $shape RealMemory=8192 Gres=gpu:$devices
			PartitionName=main Nodes=ALL Default=YES
		END
		set -- --site site ;;
	*) set -- "$@" --set "GresTypes=$device" --set "NodeName+=Gres=$device:$devices" ;;
	esac
	windtunnel cluster up w "$@" --plugin bestfit --topology tree.conf --quiet \
		--set "SchedulerParameters=bestfit=$fit,bestfit_quick=verify,bestfit_report=0,bf_interval=2,$scheduler" \
		--set SelectTypeParameters="$parameters" --set DefMemPerCPU=100 --set OverTimeLimit=1 --set KillWait=5 \
		--set "PartitionName=half Nodes=n[20-39]" --set "PartitionName=alone Nodes=n[0-29] OverSubscribe=EXCLUSIVE" \
		--set "PartitionName=few Nodes=n[0-9] MaxCPUsPerNode=4" \
		--set "PartitionName=twice Nodes=n[0-3] OverSubscribe=YES:2 State=INACTIVE" \
		--set "PartitionName=pair Nodes=n[0-1]" --set "PartitionName=odd Nodes=n[0-1] MaxCPUsPerNode=5" &&
	eval "$(windtunnel cluster env w)"
}
# draw N: a number from 1 to N in $drawn; the same sequence for each seed.
state=$((T_SEED % 2147483648))
draw() {
	state=$(((state * 1103515245 + 12345) % 2147483648))
	drawn=$((state / 65536 % $1 + 1))
}
# one_of WORD...: in $one.
one_of() { draw $#; shift $((drawn - 1)); one=$1; }
submit_one() {
	draw 9; a=$drawn; draw 30; b=$drawn; draw 14; c=$drawn; draw 25; seconds=$drawn
	one_of "" "" "" "-p half" "-p alone" "-p few" "-p half,main"; part=$one
	gres=
	[ "$devices" = 0 ] || { one_of "" "" "" "--gres=$device:1" "--gres=$device:$devices"; gres=$one; }
	draw 17
	case $drawn in
	1) set -- -n $((b * 4 * scale)) ;; 2) set -- -N "$a" --exclusive ;;
	3) set -- -N $((a + 1))-$((a + 6)) -n $((a * 5)) ;; 4) set -- -n "$a" -c $(((c % 6 + 1) * scale)) ;;
	5) set -- -n "$b" --mem-per-cpu=$((c * 100)) ;; 6) set -- -N "$a" --mem=0 ;;
	7) set -- -N "$a" --mem=$((b * 100)) ;; 8) set -- -N "$a" --ntasks-per-node=$(((c % 8 + 1) * scale)) ;;
	9) set -- -N "$a" -x "n[$b-$((b + 9))]" ;; 10) set -- -N "$a" --contiguous ;; 11) set -- -N 2 -w "n$b,n$a" ;;
	12) set -- -N "$a" -C "fast|slow" ;; 13) set -- -N 1 -n $((c % 8 + 1)) ;; 14) set -- -n "$b" --hint=nomultithread ;;
	15) set -- -n "$b" -O ;; 16) set -- -N "$a" --spread-job ;; *) set -- -N $((b / 2 + 1)) ;;
	esac
	# shellcheck disable=SC2086	# options
	sbatch --parsable -o /dev/null -t "$c" $part $gres "$@" --wrap "sleep $seconds" >>jobs 2>>submit.err || :
}
submit_many() { i=0; while [ $i -lt "$1" ]; do submit_one; i=$((i + 1)); done; }
running() { squeue -h -t R -o %A | sort -n | awk -v n="$1" '{ j[NR] = $1 } END { if (NR) print j[n % NR + 1] }'; }
step_one() {
	draw 30
	case $drawn in
	1) draw 40; scontrol update nodename="n$((drawn - 1))" state=drain reason=t ;;
	2) for n in $(sinfo -h -N -t drain -o %N | sort -u); do scontrol update nodename="$n" state=resume; done ;;
	3) draw 99; scancel "$(running "$drawn")" ;;
	4 | 5) draw 20; minutes=$drawn; draw 99; scontrol update jobid="$(running "$drawn")" timelimit="$minutes" ;;
	6) scontrol reconfigure ;;
	7 | 8) draw 99; scontrol suspend "$(running "$drawn")" ;;
	9 | 10) for j in $(squeue -h -t S -o %A); do scontrol resume "$j"; done ;;
	11) scontrol create reservation reservationname=r starttime=now+60 duration=5 user="$(id -un)" nodes="n[10-14]" ||
		scontrol delete reservationname=r ;;
	12) draw 40; scontrol update nodename="n[0-$((drawn - 1))]" weight=$((drawn % 3 + 1)) ;;
	13) draw 20; scontrol update partitionname=half nodes="n[$((drawn + 9))-39]" ;;
	14) sbatch --test-only -N 7 --wrap true; squeue --start ;;
	15) draw 9; sbatch --parsable -o /dev/null --array=1-$drawn -n 3 -t $drawn --wrap "sleep $drawn" >>jobs ;;
	*) [ "$(squeue -h -r -t PD | wc -l)" -ge 90 ] && sleep 0.2 || { submit_one; submit_one; submit_one; } ;;
	esac >>steps.out 2>&1
	:
}
# soak WAY...: events until the time is over, and each way to an answer was taken, or four minutes more are over, too.
soak() {
	end=$(($(date +%s) + soak_s)) steps=0
	while [ "$(date +%s)" -lt "$end" ] || [ $steps -lt 80 ]; do
		step_one && steps=$((steps + 1))
	done
	end=$(($(date +%s) + 240))
	until count && paths_taken "$@" || [ "$(date +%s)" -ge "$end" ]; do
		for steps in 1 2 3 4 5 6 7 8 9 10; do step_one; done
	done
}
enough_run() { [ "$(squeue -h -r -t R | wc -l)" -ge "$1" ]; }
# figure KEY: of the counters that were logged last.
figure() { grep "bestfit: will-run:" "$log" | tail -n 1 | grep -o " $1=[0-9]*" | cut -d= -f2; }
logged() { [ "$(grep -c "bestfit: will-run:" "$log")" -gt "$1" ]; }
# The counters, logged anew.  (Tests have variables of their own, and a shell has one space of names for all.)
count() {
	count_lines=$(grep -c "bestfit: will-run:" "$log" || :)
	scontrol reconfigure && wt_poll 30 logged "$count_lines" && grep "bestfit: will-run:" "$log" | tail -n 1
}
# At least one answer more that was compared, and none that differs.
compared_more() { count && [ "$(figure compared)" -gt "$1" ]; }
# Besides, more than $2 answers were about jobs that had lost their cores to others.
cores_lost() { compared_more "$1" && [ "$(figure without-cores)" -gt "$2" ]; }
any_later() { count && [ "$(figure later)" -gt 0 ]; }
# Of WILL_RUN: best fit's other answers are compared by t0515.
all_same() {
	count && grep "verify: JobId=[0-9]* will-run" "$log" >differ || :
	for j in $(sed -n "s/.*verify: JobId=\([0-9]*\).*/\1/p" differ | sort -u); do scontrol -o show job "$j"; done
	wt_empty differ && [ "$(figure different)" = 0 ] && [ "$(figure compared)" -gt 0 ]
}
paths_taken() {
	for path in "$@"; do
		[ "$(figure "$path")" -gt 0 ] || { echo "no answer by $path"; return 1; }
	done
}

state_is() { [ "$(squeue -h -j "$1" -o %T)" = "$2" ]; }
# run_on NODE PARTITION MINUTES: a job that has that node alone, in $job, as soon as it runs.
run_on() {
	job=$(sbatch --parsable -o /dev/null -p "$2" -w "$1" -N 1 --exclusive -t "$3" --wrap "sleep 600") &&
	wt_poll 60 state_is "$job" RUNNING
}
quiet() { scancel -u "$(id -un)"; queue=$(squeue -h) && [ -z "$queue" ]; }
all_nodes_back() {
	for n in $(sinfo -h -N -t drain -o %N | sort -u); do scontrol update nodename="$n" state=resume; done
	scontrol delete reservationname=r 2>/dev/null
	scontrol update partitionname=half nodes="n[20-39]"
}
# overflow NODE PARTITION1 PARTITION2: a job is suspended, another gets its cores, and the first is resumed; then others wait
# for the node.
overflow() {
	run_on "$1" "$2" 9 && first=$job && scontrol suspend "$first" && wt_poll 20 state_is "$first" SUSPENDED &&
	run_on "$1" "$3" 4 && scontrol resume "$first" && wt_poll 20 state_is "$first" RUNNING &&
	sbatch -o /dev/null -p "$2" -w "$1" -N 1 --exclusive -t 2 --wrap true &&
	sbatch -o /dev/null -w "$1" -n 3 -t 2 --wrap true &&
	sbatch -o /dev/null -p alone -w "n0,$1" -N 2 -t 2 --wrap true
}
# busy_decides CPUS MEMORY OPTION...: a job has so much of n0, another all CPUs of n1 but little of its memory.  The request
# is one that n0 can take as it is, but could not if all of its cores were free (fewer cores, more CPUs: willrun_rules.c):
# Slurm says now, because n1 could take it if all were free.
busy_decides() {
	wt_poll 60 quiet && { all_nodes_back || :; } && scontrol update nodename="n[0-1]" weight=1 &&
	job=$(sbatch --parsable -o /dev/null -w n0 -n "$1" --mem="$2" -t 9 --wrap "sleep 600") &&
	wt_poll 60 state_is "$job" RUNNING &&
	job=$(sbatch --parsable -o /dev/null -w n1 -N 1 -n 16 --mem=100 -t 9 --wrap "sleep 600") &&
	wt_poll 60 state_is "$job" RUNNING && shift 2 && count && compared=$(figure compared) now=$(figure now) &&
	sbatch --test-only "$@" --wrap true 2>said && cat said && grep "nodes n0 " said && compared_more "$compared" &&
	all_same && [ "$(figure now)" -gt "$now" ]
}
