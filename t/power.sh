# Sourced by t/t0720, t0723, t0724 and t0725 after setup.sh: a cluster "v" whose nodes are switched off and on.
in_v() { windtunnel cluster exec v -- "$@"; }
drive() { windtunnel cluster exec --drive v -- "$@"; }
# What stands in its power.csv, without the times.
rows() { sed "s/^[0-9.]*,//" "$WINDTUNNEL_STATE/v/nodes/power.csv"; }
# Until so many rows of this event are there: time is the cluster's.
power() { drive sh -c "until [ \$(grep -c ,$1, \"$WINDTUNNEL_STATE/v/nodes/power.csv\") -ge $2 ]; do sleep 10; done"; }
shows() { drive sh -c "until [ \"\$(sinfo -h -n \"$1\" -o %t)\" = \"$2\" ]; do sleep 5; done"; }
requeued() { drive sh -c "until scontrol show job $(cat id) | grep -q Restarts=1; do sleep 10; done"; }
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
