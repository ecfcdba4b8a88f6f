#!/bin/sh
test_description='--serve: the live page and its metrics during a run, and of a cluster; who may look, and how it ends'
. "$WT_SRCDIR/t/setup.sh"

command -v python3 >/dev/null || { skip_all="python3 is missing (Debian package python3)"; test_done; }
. "$WT_SRCDIR/t/browse.sh"
live() { python3 "$WT_SRCDIR/t/live.py" "$@"; }

# url FILE: what was printed; port: of $url; served PORT: the server's pid
url() { sed -n 's/^live page: //p' "$1" | grep .; }
port() { echo "$url" | cut -d: -f3 | cut -d/ -f1; }
served() { wt_listeners "$1" | grep .; }
gone() { ! served "$1"; }
holds() { windtunnel cluster exec h -- squeue -h -j "$holder" -t R -o %i | grep -x "$holder"; }
# begin DIR OPTION...: a run in the background; its page is there when this returns, as $url, and the server is $server
begin() {
	dir=$1
	shift
	windtunnel esp --nodes 64 --quiet --output "$dir" "$@" >"$dir.out" 2>"$dir.err" &
	pid=$!
	wt_poll 30 url "$dir.err" && url=$(url "$dir.err") && server=$(served "$(port)")
}

test_expect_success 'virtual time: the page fills while the run goes on, and ends with it' '
	begin virtual --clock virtual --serve && live follow "$url" followed.json && wait $pid &&
	jq -e ".seen.snapshot == 1 and .seen.delta > 5 and .seen.end == 1 and .ordered and .points > 20 and
		.busiest > 0.5 and .values_of_ended > 5 and .phase == \"ended\" and .exit_status == 0 and .jobs == 230 and
		.ended == 230 and .started == 230 and .clock == \"virtual\" and .nodes == 64 and .clock_s > .wall_s and
		.phases - [\"starting\", \"running\", \"finishing\", \"ended\"] == [] and
		(.phases | index(\"running\")) and .phases[-1] == \"ended\"" followed.json &&
	wt_poll 10 gone "$(port)" && test ! -e virtual/serve.url &&
	jq -e ".jobs_completed == 230 and .failure == \"\"" virtual/summary.json
'
# The page is of what the recorder asks for anyway: as often as without a page, and nothing else.
test_expect_success 'slurmctld is asked for nothing that the recorder does not ask' '
	samples=$(wc -l <virtual/series.csv) && jq -c "[.rpc_costs[] | [.type, .count]]" virtual/summary.json &&
	jq -e "[.rpc_costs[].type | select(test(\"INFO\"))] - [\"REQUEST_STATS_INFO\", \"REQUEST_NODE_INFO\",
		\"REQUEST_JOB_INFO\", \"REQUEST_JOB_INFO_SINGLE\", \"REQUEST_PARTITION_INFO\"] == []" virtual/summary.json &&
	jq -e --argjson samples $samples "[.rpc_costs[] | select(.type == \"REQUEST_STATS_INFO\" or
		.type == \"REQUEST_NODE_INFO\")] | length == 2 and all(.count <= 1.1 * $samples + 5)" virtual/summary.json
'
test_expect_success 'the server lives by the machine'\''s clock, with no rights and no surroundings' '
	begin apart --clock virtual --variant parallel-light --serve &&
	test "$(stat -c %a apart/serve.url)" = 600 && test "$(cat apart/serve.url)" = "$url" &&
	! grep -q -e libwtclock -e windtunnel-clock /proc/$server/maps &&
	wt_empty /proc/$server/environ &&
	test "$(ps -o ni= -p $server | tr -d " ")" = 19 && test "$(readlink /proc/$server/cwd)" = / &&
	{ test "$(id -u)" != 0 ||
		test "$(awk "/^[UG]id:/ { print \$2, \$3 }" /proc/$server/status | sort -u)" = "65534 65534"; } &&
	grep -q "^NoNewPrivs:	1" /proc/$server/status &&
	kill -INT $pid && test_expect_code 130 wait $pid
'
test_expect_success 'real time: the state is that of the run' '
	begin real --time-scale 0.02 --serve=127.0.0.1:0 && live follow "$url" real.json && wait $pid &&
	jq -e ".ended == 230 and .exit_status == 0 and .clock == \"real\" and .seen.delta > 10" real.json &&
	jq -e ".jobs_completed == 230" real/summary.json && wt_poll 10 gone "$(port)"
'
# Of a run that would last a quarter of an hour: it is not over before a busy machine has looked.
test_expect_success 'metrics in both formats; who may look' '
	begin stopped --serve && { live follow "$url" stopped.json & follower=$!; } &&
	wt_poll 60 test -e stopped.json.began &&
	live wait "$url" "phase == \"running\" and started > 5" && live metrics "$url" && live rules "$url"
'
test_expect_success '200 readers, half requests and one who never reads: bounded, and the run goes on' '
	live crowd "$url" $server
'
test_expect_success 'Ctrl-C: the page tells it' '
	kill -INT $pid && test_expect_code 130 wait $pid && wait $follower &&
	jq -e ".phase == \"ended\" and .exit_status == 130 and .seen.end == 1" stopped.json && wt_poll 10 gone "$(port)"
'
# Two of its jobs end, the third one waits for all nodes: another job has one of them until the browser has seen enough.
test_expect_success BROWSER 'in a browser: values move, the end is told, nothing else is asked for; names that are markup' '
	cat >hostile.json <<-\END &&
	{ "nb_res": 4, "jobs": [
		{ "id": "<img src=x onerror=alert(1)>", "subtime": 0, "res": 1, "walltime": 120, "profile": "p" },
		{ "id": "\u202e\u2066x", "subtime": 0, "res": 1, "walltime": 120, "profile": "p" },
		{ "id": "2", "subtime": 2, "res": 4, "walltime": 120, "profile": "p" } ],
	  "profiles": { "p": { "type": "delay", "delay": 2 } } }
	END
	perl -pi -e "s/\"2\"/q(\") . q(y) x 255 . q(\")/e" hostile.json &&
	windtunnel cluster up h --nodes 4 --shape "pack:1 core:1 pu:1" --quiet &&
	holder=$(windtunnel cluster exec h -- sbatch --parsable -N1 --output=/dev/null --wrap="sleep 36000") &&
	wt_poll 60 holds &&
	{ windtunnel run --cluster h --workload batsim:hostile.json --quiet --serve --output "ho <b>stile" \
		>hostile.out 2>hostile.err & pid=$!; } &&
	wt_poll 30 url hostile.err &&
	live browse "$(url hostile.err)" "windtunnel cluster exec h -- scancel $holder" hostile && wait $pid &&
	windtunnel cluster down h
'
test_expect_success 'kill -9: no server is left, and the page tells it' '
	begin killed --serve && { live follow "$url" killed.json & follower=$!; } &&
	wt_poll 60 test -e killed.json.began &&
	live wait "$url" "started > 0" &&
	kill -KILL $pid && test_expect_code 137 wait $pid && wait $follower &&
	jq -e ".phase == \"ended\" and .exit_status == -1 and .seen.end == 1" killed.json && wt_poll 10 gone "$(port)"
'
test_expect_success '--repeat: one page for all runs' '
	begin repeated --clock virtual --repeat 2 --serve && live follow "$url" repeated.json && wait $pid &&
	jq -e ".run_number == 2 and .run_count == 2 and .ended == 230 and .exit_status == 0 and
		.seen.end == 1" repeated.json
'
test_expect_success 'a cluster: its daemons and nodes, until it is down' '
	windtunnel cluster up c --nodes 8 --quiet --serve 2>up.err && url=$(url up.err) && port=$(port) &&
	test "$(cat "$WINDTUNNEL_STATE/c/serve.url")" = "$url" && windtunnel cluster status c | grep -F "$url" &&
	{ live follow "$url" cluster.json & follower=$!; } &&
	wt_poll 60 test -e cluster.json.began &&
	live wait "$url" "registered == 8 and len([d for d in daemons if d[\"alive\"]]) == 3 and controller_cpu_s > 0" &&
	windtunnel cluster exec c -- sbatch -N2 --output=/dev/null --wrap="sleep 1" &&
	live wait "$url" "started == 1 and ended == 1" && live metrics "$url" && live rules "$url" &&
	windtunnel cluster down c && wait $follower &&
	jq -e ".phase == \"ended\" and .seen.end == 1" cluster.json && wt_poll 10 gone "$port"
'
test_expect_success 'a cluster in virtual time, killed with its supervisor' '
	windtunnel cluster up v --nodes 4 --clock virtual --quiet --serve 2>up.err && url=$(url up.err) && port=$(port) &&
	server=$(served "$port") && ! grep -q -e libwtclock -e windtunnel-clock /proc/$server/maps &&
	live wait "$url" "registered == 4 and clock == \"virtual\"" &&
	{ windtunnel cluster exec --drive v -- windtunnel run --cluster v --workload burst --jobs 4 --run-time 60 --quiet \
		--serve --output inside >inside.out 2>inside.err & pid=$!; } &&
	wt_poll 30 url inside.err && inside=$(url inside.err) && of_inside=$(url=$inside && served "$(port)") &&
	! grep -q -e libwtclock -e windtunnel-clock /proc/$of_inside/maps && wait $pid &&
	jq -e ".jobs_completed == 4" inside/summary.json &&
	kill -KILL "$(jq .supervisor.pid "$WINDTUNNEL_STATE/v/state.json")" && wt_poll 10 gone "$port" &&
	windtunnel cluster down v
'
test_expect_success 'a port that is taken is told before anything starts' '
	windtunnel cluster up c --nodes 4 --quiet --serve 2>up.err && url=$(url up.err) && port=$(port) &&
	test_expect_code 1 windtunnel esp --nodes 16 --output taken --serve=$port >out 2>err &&
	wt_empty out && test_line_count = 1 err && grep -q "^windtunnel esp: --serve=$port: the port is taken" err &&
	test ! -e taken &&
	test_expect_code 1 windtunnel cluster up d --nodes 4 --serve=127.0.0.1:$port 2>err &&
	grep -q "the port is taken" err && test ! -e "$WINDTUNNEL_STATE/d" && windtunnel cluster down c
'
test_expect_success 'wrong addresses, and what does not go together' '
	for address in "" evil.example:80 127.0.0.1:70000 127.0.0.1: "[::1"; do
		test_expect_code 2 windtunnel esp --nodes 16 --output wrong "--serve=$address" 2>err &&
		grep -q -e "--serve" err && test ! -e wrong &&
		test_expect_code 2 windtunnel cluster up w --nodes 4 "--serve=$address" 2>err &&
		grep -q -e "--serve" err || return 1
	done &&
	test_expect_code 2 windtunnel esp --nodes 16 --dry-run --serve 2>err && grep -q -e "leave out.*--serve" err &&
	test_expect_code 2 windtunnel cluster up w --nodes 4 --dry-run --serve 2>err &&
	grep -q -e "leave out --serve" err
'
test_expect_success 'an address that others can reach is warned of' '
	begin open --clock virtual --variant parallel-light --serve=0.0.0.0:0 &&
	grep -q "warning: --serve listens where others can reach it" open.err &&
	kill -INT $pid && test_expect_code 130 wait $pid
'
if grep -q "^0\{31\}1 .* lo\$" /proc/net/if_inet6 2>/dev/null; then
	test_set_prereq IPV6
fi
test_expect_success IPV6 'over IPv6: the same page for the same callers' '
	windtunnel cluster up six --nodes 4 --quiet "--serve=[::1]:0" 2>six.err && url=$(url six.err) && cat six.err &&
	! grep warning six.err && echo "$url" | grep "^http://\[::1\]:[0-9]*/[0-9a-f]\{32\}/\$" &&
	live wait "$url" "registered == 4" && live rules "$url" && live metrics "$url" &&
	port=$(echo "$url" | sed "s/.*\]:\([0-9]*\).*/\1/") &&
	test_expect_code 1 windtunnel cluster up taken --nodes 4 "--serve=[::1]:$port" 2>err &&
	grep "the port is taken" err && windtunnel cluster down six
'
test_expect_success 'for an ordinary user' '
	wt_as_user windtunnel esp --nodes 16 --clock virtual --quiet --serve --output mine 2>user.err >user.out &
	pid=$! &&
	wt_poll 30 url user.err && live wait "$(url user.err)" "phase == \"running\"" && wait $pid
'
test_done
