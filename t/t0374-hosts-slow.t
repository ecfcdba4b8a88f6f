#!/bin/sh
test_description='several hosts: 20 ms and a loss of 1 % on the way to one, and another that dies in a run'
. "$WT_SRCDIR/t/setup.sh"
host_names="a b c" host_net=82
. "$WT_SRCDIR/t/hosts.sh"

printf '%s\n' 'a address=10.199.82.1' 'b address=10.199.82.2' 'c address=10.199.82.3' >"$WT_TMP/hosts"
up() {
	on a windtunnel cluster up h --nodes 60 --shape "pack:1 core:1 pu:1" --quiet --hosts "$WT_TMP/hosts" \
		--host-shell "$WT_TMP/shell" --set SlurmdTimeout=12 --set MessageTimeout=5 --set TreeWidth=8 "$@"
}
run() { on a windtunnel run --cluster h --workload burst --quiet "$@"; }
# started_behind ROWS NODE: a job on NODE, behind so many rows of events
started_behind() { tail -n "+$(($1 + 1))" "$WINDTUNNEL_STATE/h/nodes/events.csv" | grep -q ",start,.*,$2,"; }

# A way there and back, as a connection that is refused takes it.
cat >"$WT_TMP/way.py" <<END
import socket, time
begin = time.monotonic()
try:
    socket.create_connection(("10.199.82.3", 9), 5)
except ConnectionRefusedError:
    took = time.monotonic() - begin
    print(took)
    assert took >= 0.04
END
test_expect_success TUN 'the cable is slow' '
	net_slow c 20 1 && wt_poll 20 on a python3 "$WT_TMP/way.py" && on a python3 "$WT_TMP/way.py" >out && grep . out
'
test_expect_success TUN 'nothing is lost for it: all nodes, steps over all of them, each job' '
	up && wt_poll 60 are "n[0-59]" "60 idle" && on a windtunnel cluster exec h -- srun -N60 --time 5 true &&
	run --jobs 120 --run-time 0.5 --output slow &&
	jq -e ".jobs_submitted == 120 and .jobs_completed == 120 and .jobs_missing == 0 and .host_losses == 0" \
		slow/summary.json
'
test_expect_success TUN 'another host dies in a run: each job is accounted for, and the summary says what became of it' '
	rows=$(wc -l <"$WINDTUNNEL_STATE/h/nodes/events.csv") &&
	{ run --jobs 240 --run-time 1 --output death 2>err & } && run=$! && wt_poll 60 started_behind "$rows" n20 &&
	host_dies b && wt_poll 60 lost b ">= 1" && wt_poll 120 are "n[20-39]" "20 down*" && rm "$WT_TMP/dead.b" &&
	{ wait $run || { cat err; false; }; } && jq . death/summary.json &&
	jq -e ".jobs_submitted == 240 and .jobs_missing == 0 and .host_losses == 1 and .jobs_completed == 240 and
		.jobs_requeued > 0" death/summary.json &&
	grep "^host lost,[0-9.]*,n\[20-39\],n\[20-39\],b,." death/hosts.csv &&
	grep "^host back,[0-9.]*,n\[20-39\],n\[20-39\],b,$" death/hosts.csv && test_line_count = 3 death/hosts.csv &&
	windtunnel report death --output death.html && grep -c "host \(lost\|back\) b" death.html &&
	wt_poll 120 are "n[0-59]" "60 idle" && on a windtunnel cluster down h && nothing_left
'
test_done
