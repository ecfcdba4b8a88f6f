# Sourced by t/t0210-conformance.t: how client actions are carried out and recorded, on one cluster.
#
# A lane is a partition of two nodes of its own, in which actions run one after the other; lanes run beside each other.
# $D: the cluster's folder.  $R: the folder of its record, with
#	watch		what state_watch prints: every change of a job's or a node's state that can be seen from outside
#	actions		LANE ACTION BEGIN END, times in seconds
#	brief		actions whose jobs run for less than a second: whether the watch sees them is chance
#	commands	ACTION NUMBER EXIT-CODE, and what each printed in ACTION.NUMBER.out
# Jobs are named ACTION/SOMETHING, so that all that is said of them can be told to belong to the action.

now() { date +%s.%N; }
say() { echo "$*" >>"$R/$A.said"; }	# the record of an action that went wrong: never equal on both sides

# last NAME FIELD: of the newest line of the job of that name: 3 id, 5 state, 6 reason.
last() { awk -F'\t' -v name="$A/$1" -v field="$2" '$2 == "job" && $4 == name { v = $field } END { print v }' "$R/watch"; }
id() { last "$1" 3; }
node_last() { awk -F'\t' -v name="$1" '$2 == "node" && $3 == name { v = $4 } END { print v }' "$R/watch"; }

# A test that was ended in the middle has no further wish.
wanted() { [ -d "$R" ] && [ ! -e "$WT_TMP/over" ] || exit 1; }

# till COMMAND...: wait until it succeeds.
till() {
	till_end=$(($(date +%s) + ${LIMIT:-100}))
	until "$@" >/dev/null 2>&1; do
		[ "$(date +%s)" -lt $till_end ] || { say "waited in vain, on $B: $*"; return 1; }
		wanted
		sleep 0.2
	done
}
# A state counts that the watch has seen since the last command began, although it may be over: who waits here may be slow.
since() { tail -n "+$((SEEN + 1))" "$R/watch"; }
job_matches() {
	{ echo "$(last "$1" 5):$(last "$1" 6)"
		since | awk -F'\t' -v name="$A/$1" '$2 == "job" && $4 == name { print $5 ":" $6 }'; } | grep -Eqx "$2"
}
node_matches() {
	{ node_last "$1"; since | awk -F'\t' -v name="$1" '$2 == "node" && $3 == name { print $4 }'; } | grep -Eqx "$2"
}

# job NAME REGEX: wait until "STATE:REASON" of the job is that.
job() { till job_matches "$@"; }
node() { till node_matches "$@"; }
has_id() { [ -n "$(id "$1")" ]; }
known() { till has_id "$1"; }

# runs NAME: wait until the watch has seen that it runs, and that its nodes are busy (or that it has ended).
seen_busy() {
	awk -F'\t' -v name="$A/$1" -v lane="$NODES" '
		$2 == "job" && $4 == name { state = $5; nodes = $10 } $2 == "node" { seen[$3] = $4 }
		END { for (n = split(lane, node, " "); n; n--)
			if (state ~ /^RUNNING/ && (nodes == node[n] || nodes ~ /\[/) && seen[node[n]] ~ /^IDLE/) exit 1 }' \
				"$R/watch"
}
runs() { job "$1" "(RUNNING|COMPLETED|FAILED|CANCELLED).*" && till seen_busy "$1"; }

# began NAME [LIFE]: wait until its script runs (for the second time ...), and the watch has seen it.
began_now() { [ "$(grep -c ",start,$(id "$1")," "$D/nodes/events.csv")" -ge "$2" ]; }
began() { runs "$1" && till began_now "$1" "${2:-1}" && runs "$1"; }

brief() { echo "$A" >>"$R/brief"; }

# Commands are numbered in the order of their start; what they print and return is recorded.
record() {	# record NUMBER COMMAND...
	record_number=$1 record_code=0
	shift
	timeout -k 5 150 "$@" >"$R/$A.$record_number.out" 2>&1 </dev/null || record_code=$?
	printf '%s\t%s\t%s\n' "$A" "$record_number" "$record_code" >>"$R/commands"
}
run() { N=$((N + 1)) SEEN=$(wc -l <"$R/watch"); record $N "$@"; }
bg() { N=$((N + 1)) SEEN=$(wc -l <"$R/watch"); record $N "$@" & }

# submit NAME LINE [SBATCH-OPTION]...: a script that says that it began, runs LINE, and ends as the environment says.
submit() {
	submit_name=$1
	cat >"$R/$A.$submit_name.sh" <<-END
	#!/bin/sh
	test -z "\$WINDTUNNEL_IGNORE_TERM" || trap "" TERM
	test ! -w "$D" -o -e "$D/nodes/journal" || echo "0,start,\$SLURM_JOB_ID,,,,1" >>"$D/nodes/events.csv"
	$2
	test -z "\$WINDTUNNEL_FAIL" || kill -"\${WINDTUNNEL_FAIL#signal:}" \$\$
	exit "\${WINDTUNNEL_EXIT_CODE:-0}"
	END
	shift 2
	run sbatch -J "$A/$submit_name" -o /dev/null "$@" "$R/$A.$submit_name.sh"
	[ $record_code != 0 ] || known "$submit_name"
}

# step NAME COMMAND...: srun on both nodes, in the background; returns when its tasks run there, which "-v" says, and take
# signals (an slurmstepd refuses them for a moment after it has said that): SIGCONT does nothing to them.
tasks_run() {	# until 22.05 it is a plugin that says so
	[ "$(grep -Ec "^srun: (launch/slurm: _task_start: )?Node [^ ]*, [0-9]* tasks started" "$R/$A.$1.out")" -ge 2 ]
}
signal_taken() { scancel --signal=CONT "$(id "$1").0"; }
step() {
	step_name=$1
	shift
	bg srun -v -J "$A/$step_name" -N2 "$@"
	till tasks_run $N && runs "$step_name" && till signal_taken "$step_name"
}

# halted NAME, going NAME: slurmctld says at once that a job is suspended or resumed; its slurmstepds take 2 s to stop it.
#  The processes themselves say how far they are.  Virtual nodes have none, and no delay.
process_states() {
	for file in $(grep -lsz "^SLURM_JOB_ID=$(id "$1")\$" /proc/[0-9]*/environ); do
		if grep -qsz "^SLURM_CONF=$SLURM_CONF\$" "$file"; then sed 's/.*) \(.\).*/\1/' "${file%environ}stat"; fi
	done | sort -u
}
halted() { [ "$B" = virtual ] || [ "$(process_states "$1")" = T ]; }
going() { [ "$B" = virtual ] || case $(process_states "$1") in '' | *T*) false ;; esac; }
suspend() { run scontrol suspend "$(id "$1")" && job "$1" "SUSPENDED:.*" && till halted "$1"; }
resume() { run scontrol resume "$(id "$1")" && job "$1" "RUNNING:.*" && till going "$1"; }

# The action ends when its commands have, its jobs have ended, and its nodes are free: says slurmctld, and the watch has
# seen it.
lane_free() {
	lane_queue=$(squeue -h -p "$PARTITION" -t all -o %t) &&
		[ -z "$(echo "$lane_queue" | grep -vE "^(CD|CA|F|TO|NF|PR|DL|OOM|\$)")" ] &&
		[ "$(sinfo -h -N -p "$PARTITION" -o %T | sort -u)" = idle ]
}
watch_seen() {
	awk -F'\t' -v nodes=" $NODES " -v prefix="$A/" '
		$2 == "job" && index($4, prefix) == 1 { s[$3] = $5 } $2 == "node" && index(nodes, " " $3 " ") { n[$3] = $4 }
		END {
			for (j in s) if (s[j] !~ /^(COMPLETED|CANCELLED|FAILED|TIMEOUT|NODE_FAIL)$/) exit 1
			for (i in n) if (n[i] != "IDLE") exit 1
		}' "$R/watch"
}

action() {	# action NAME
	wanted
	A=$1 N=0 SEEN=0 BEGIN=$(now)
	"do_$A"
	wait
	till lane_free
	till watch_seen
	printf '%s\t%s\t%s\t%s\n' "$LANE" "$A" "$BEGIN" "$(now)" >>"$R/actions"
}

lane() {	# lane NUMBER ACTION..., or "lane main ACTION...": on all nodes
	LANE=$1 NODES= PARTITION=main
	if [ "$1" != main ]; then
		NODE_A=n$((2 * $1)) NODE_B=n$((2 * $1 + 1))
		NODES="$NODE_A $NODE_B" PARTITION=l$1
	fi
	SBATCH_PARTITION=$PARTITION SALLOC_PARTITION=$PARTITION SLURM_PARTITION=$PARTITION
	export SBATCH_PARTITION SALLOC_PARTITION SLURM_PARTITION
	shift
	for name in "$@"; do
		action "$name"
	done
}
