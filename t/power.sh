# Sourced by t/t0720 and t0723 to t0726 after setup.sh: a cluster "v" whose nodes are switched off and on.
dir=$WINDTUNNEL_STATE/v
without_sanitizers() {
	grep -q "^WT_CFLAGS = .*-fsanitize" "$WT_BUILDDIR/Makefile" || return 0
	skip_all="a sanitizer and a preloaded library that replaces the same functions do not go together"
	test_done
}
down() { windtunnel cluster down v; }
# up_real SUSPEND_TIME OPTION...: six real slurmds.
up_real() {
	windtunnel cluster down v 2>/dev/null	# of a test that failed
	suspend_time=$1
	shift
	windtunnel cluster up v --nodes 6 --backend slurmd --clock virtual --charge none -q \
		--set SuspendTime="$suspend_time" --set ResumeTimeout=300 "$@"
}
commands() { for c in /proc/[0-9]*/cmdline; do tr '\000' ' ' <"$c"; echo; done 2>/dev/null >commands; }
# So many slurmds of this cluster run.
slurmds() { commands; test "$(grep -c "slurmd -D -f $dir/slurm.conf " commands)" = "$1"; }
slurmds_json() { windtunnel cluster status v --json | jq -e ".slurmds | $1"; }
names() { commands; grep -F "$1" commands; }
nothing_names() { commands; ! grep -F "$1" commands; }
in_v() { windtunnel cluster exec v -- "$@"; }
drive() { windtunnel cluster exec --drive v -- "$@"; }
# drive_until SECONDS CONDITION: looks so often, in the cluster's time, and gives up after 2,000 looks.
drive_until() { drive sh -c "n=0; until $2; do n=\$((n + 1)); [ \$n -lt 2000 ] || exit 1; sleep $1; done"; }
# What stands in its power.csv, without the times.
rows() { sed "s/^[0-9.]*,//" "$WINDTUNNEL_STATE/v/nodes/power.csv"; }
# ages EVENT NODE: of each such row of power.csv, the seconds since its first one, which is of the cluster's start.
ages() {
	awk -F, -v event="$1" -v node="$2" 'NR == 2 { begin = $1 } $2 == event && $3 == node { print $1 - begin }' \
		"$dir/nodes/power.csv"
}
# Until so many rows of this event are there: time is the cluster's.
power() { drive_until 10 "[ \$(grep -c ,$1, \"$WINDTUNNEL_STATE/v/nodes/power.csv\") -ge $2 ]"; }
shows() { drive_until 5 "[ \"\$(sinfo -h -n \"$1\" -o %t)\" = \"$2\" ]"; }
requeued() { drive_until 10 "scontrol show job $(cat id) | grep -q Restarts=1"; }
# All machines of these nodes are in that state.
is() { windtunnel node state --cluster v "$1" >state.out && sort -u -k 2,2 state.out | cut -d " " -f 2 >words &&
	echo "$2" >wanted && test_cmp wanted words; }
# cycles JOB NODE...: the rows of that job are these nodes' alone, which were switched on for it and off again, once.
cycles() {
	of=$1
	shift
	for n in "$@"; do
		printf "asked-on,n$n,0,$of\nbooting,n$n,1,$of\nup,n$n,1,$of\nregistered,n$n,1,$of\nasked-off,n$n,1,$of\n"
		printf "stopping,n$n,1,$of\noff,n$n,1,$of\n"
	done >wanted
	rows | grep ",$of\$" | sort -s -t, -k 2,2 >out
	test_cmp wanted out
}
# ask LINE: what the nodes' process, or the supervisor, answers to it.
ask() {
	python3 -c 'import socket, sys
s = socket.socket(socket.AF_UNIX)
s.connect(sys.argv[1])
s.sendall(sys.argv[2].encode() + b"\n")
print(s.makefile().readline().strip())' "$WINDTUNNEL_STATE/v/nodes/power" "$1"
}
