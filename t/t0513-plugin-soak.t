#!/bin/sh
test_description='best fit inside slurmctld: random jobs, cancellations, node failures, reconfigurations'
. "$WT_SRCDIR/t/setup.sh"
. "$WT_SRCDIR/t/vnode.sh"
log=$WT_TMP/c/slurmctld.log
. "$WT_SRCDIR/t/bestfit.sh"
in_cluster() { "$@"; }

# How long, and under what: WT_SOAK_TOOL=valgrind runs slurmctld under it and wants no error and no leak of ours.
soak_s=${WT_SOAK_S:-20}
soak_tool=${WT_SOAK_TOOL:-}
wt_seed
plugin="$WT_BUILDDIR/plugins/select_bestfit/slurm"
names=$(cd "$WT_SRCDIR" && ls plugins/select_bestfit/*.c topology/*.c lib/error.c lib/clock.c | sed 's,.*/,,; s,\.c$,,' |
	tr '\n' '|')
ours="[(](${names%|})[.]c:[0-9]+|select_bestfit"

vnode_start_ctld() {
	case $soak_tool in
	valgrind) set -- valgrind --quiet --leak-check=full --show-leak-kinds=definite,indirect,possible --num-callers=30 \
		--keep-debuginfo=yes --log-file="$C/valgrind.log" slurmctld ;;
	*) set -- slurmctld ;;
	esac
	cp tree.conf "$C/topology.conf"
	"$@" -D -f "$C/slurm.conf" >"$C/slurmctld.out" 2>&1 3>&- 4>&- 5>&- 6>&- &
	CTLD_PID=$!
}
answers() { scontrol ping | grep -q UP; }
# draw N: a number from 1 to N in $drawn; the same sequence for each seed.
state=$((T_SEED % 2147483648))
draw() {
	state=$(((state * 1103515245 + 12345) % 2147483648))
	drawn=$((state / 65536 % $1 + 1))
}
# slurmctld may be slow (valgrind, a loaded machine): the queue must not outgrow it.
submit_one() {
	[ "$(squeue -h -t PD | wc -l)" -lt 40 ] || { sleep 0.3; return 0; }
	draw 16
	case $drawn in
	1)
		set -- -N 1 ;; 2) set -- -N 3 --exclusive ;; 3) set -- -n 5 ;; 4) set -- -n 13 -c 2 ;;
		5) set -- -N 2-6 --exclusive ;;
	6)
		set -- -N 12 --exclusive ;; 7) set -- -N 2 -n 6 ;; 8) set -- -N 40 ;; 9) set -- -n 60 ;;
		10) set -- --array=1-4 -N 2 ;;
	11) set -- -N 2 --switches=1@00:05 ;; 12) set -- -N 3 --contiguous ;; 13) set -- -N 5 -x "n[0-20]" ;;
	14) set -- -p high -N 8 --exclusive ;;	# these two preempt the others: start again those of p, end those of half
	15) set -- -p high -n 30 ;;
	*) set -- -p half,p -N 4 --exclusive ;;
	esac
	draw 8
	sbatch --parsable --output=/dev/null -t 2 "$@" --wrap "sleep $drawn" >>jobs 2>>submit.err
}
settings_change() {
	draw 8
	mode=on quick=on
	case $drawn in 5) mode=off ;; 6) mode=shadow ;; 7) quick=off ;; 8) quick=verify ;; esac
	now=bestfit=$mode,bestfit_wait=$((drawn / 2)):$((drawn % 3)),bestfit_quick=$quick
	sed -i "s/bestfit=[a-z]*,bestfit_wait=[0-9:]*,bestfit_quick=[a-z]*/$now/" "$C/slurm.conf" &&
	scontrol reconfigure
}
step_one() {
	draw 20
	case $drawn in
	1) draw 72; scontrol update nodename="n$((drawn - 1))" state=down reason=soak ;;
	2) draw 72; scontrol update nodename="n$((drawn - 1))" state=drain reason=soak ;;
	3 | 4) nodes_resume ;;
	5) settings_change ;;
	6 | 7) job=$(tail -n 5 jobs | head -n 1) && scancel "$job" ;;
	8) scontrol create reservation reservationname=r starttime=now duration=1 users="$(id -un)" nodes="n[10-30]" \
		flags=ignore_jobs ||
		scontrol delete reservationname=r ;;
	9) squeue --start >/dev/null && sinfo >/dev/null && sbatch --test-only -N 7 --wrap true ;;
	10) draw 72; scontrol update nodename="n[0-$((drawn - 1))]" weight=$((drawn % 3 + 1)) ;;
	*) submit_one ;;
	esac >>steps.out 2>&1
	:
}
all_idle() { [ "$(sinfo -h -p p -t idle -o %D)" = 72 ]; }
# Nodes that are neither down nor drained cannot be resumed: one by one.
nodes_resume() {
	scontrol -o show node | sed -n 's/^NodeName=\([^ ]*\) .*State=[A-Z+]*\(DOWN\|DRAIN\).*/\1/p' | while read -r node; do
		scontrol update nodename="$node" state=resume
	done
}
resumed() { nodes_resume; vnode_queue_empty && all_idle; }

test_expect_success 'a controller with the plugin' '
	windtunnel topology generate fattree --arity 6,6,2 -o tree.conf && : >jobs &&
	stock=$(sed -n "s/^#define SLURM_PLUGIN_DIR \"\(.*\)\"/\1/p" "$WT_BUILDDIR/config.h") && test -n "$stock" &&
	parameters=bestfit=on,bestfit_wait=0:1,bestfit_quick=on,bestfit_report=20,bf_interval=2,sched_interval=2 &&
	vnode_up_s=300 && vnode_up 72 TopologyPlugin=topology/tree "PluginDir=$plugin:$stock" \
		"SchedulerParameters=$parameters" MinJobAge=86400 PreemptType=preempt/partition_prio PreemptMode=REQUEUE \
		"PartitionName=half Nodes=n[36-71] PreemptMode=CANCEL
PartitionName=high Nodes=ALL PriorityTier=10" SlurmctldDebug=info MessageTimeout=60 &&
	wt_poll 60 grep "bestfit: version" "$C/slurmctld.log" && grep "nodes below\|mode=on" "$C/slurmctld.log"
'
# A busy machine needs longer for the least number of them.
test_expect_success "$soak_s s of random events" '
	end=$(($(date +%s) + soak_s)) steps=0 &&
	while [ "$(date +%s)" -lt "$end" ] || [ $steps -lt 60 ]; do
		step_one && kill -0 "$CTLD_PID" && steps=$((steps + 1)) || return 1
	done && wt_poll 60 answers && test_line_count -gt 3 jobs
'
test_expect_success 'every job that was accepted is known, none is held for ever, all nodes come back' '
	sed -i "s/bestfit=[a-z]*,/bestfit=on,/" "$C/slurm.conf" && wt_poll 120 scontrol reconfigure && wt_poll 300 resumed &&
	sort -u jobs | while read -r job; do
		scontrol -o show job "$job" >/dev/null || echo "$job"
	done >lost && wt_empty lost
'
test_expect_success 'slurmctld ends well, with the counters in its log, and without an error of ours' '
	wt_poll 120 reconfigure && wt_poll 60 answers && kill "$CTLD_PID" && { wait "$CTLD_PID"; code=$?; } && CTLD_PID= &&
	test "$code" = 0 &&
	! grep "preempted JobId=.*had to be killed" "$C/slurmctld.log" &&
	grep "bestfit: counters:" "$C/slurmctld.log" | tail -n 1 | tee "${WT_SOAK_REPORT:-/dev/null}" &&
	{ echo "$(wc -l <jobs) submissions accepted; preempted: $(grep \
		-c "preempted JobId=.*requeued" "$C/slurmctld.log") requeued," \
		"$(grep -c "preempted JobId=.*killed" "$C/slurmctld.log") ended" >>"${WT_SOAK_REPORT:-/dev/null}"; } &&
	{ [ "$soak_s" -lt 120 ] || grep "preempted JobId=.*requeued" "$C/slurmctld.log"; } >/dev/null &&
	grep "counters:.* chosen=[1-9]" "$C/slurmctld.log" >/dev/null &&
	grep "error: windtunnel" "$C/slurmctld.log" >out || : && wt_empty out
'
# Ours: what is allocated or touched by our code, itself or through Slurm's library; and all that is lost for certain
# after it passed through our code.  (At its end slurmctld forgets its jobs with all they have, which is "possibly lost",
# and its tables of nodes and partitions.)  The cores of tables of the future are kept from test to test, a map for each of
# 72 nodes in 3 partitions; slurmctld ends without asking plugins to free anything, and xmalloc () hides where its blocks
# begin: "possibly lost", as long as they are no more.
cat >"$WT_TMP/ours.awk" <<'END'
function is_kept(blocks) {
	if (first !~ /cores_copy/ || !match(record, / in [0-9,]+ blocks are possibly lost/))
		return 0
	blocks = substr(record, RSTART + 4, RLENGTH)
	gsub(/,/, "", blocks)
	return blocks + 0 <= 216
}
function judge() {
	if (!is_kept() && record != "" && (first ~ ours ||
			(record ~ /definitely lost/ && record ~ ours && record !~ /select_p_node_init/)))
		printf "%s\n", record
	record = first = ""
}
/^==[0-9]+== *$/ { judge(); next }
{ record = record $0 "\n" }
/ (at|by) 0x/ && first == "" && !/vgpreload|libslurmfull\.so|libc\.so|vg_replace/ { first = $0 }
END { judge() }
END
test "$soak_tool" != valgrind || test_expect_success 'valgrind has found no error of ours and nothing that we leak' '
	grep -c "loss record" "$C/valgrind.log" && awk -v ours="$ours" -f "$WT_TMP/ours.awk" "$C/valgrind.log" >found &&
	wt_empty found
'
test_done
