#!/bin/sh
test_description='several hosts: one that hangs, one that is cut off, and kill -9 of each daemon on each of them'
. "$WT_SRCDIR/t/setup.sh"
host_names="a b c" host_net=79
. "$WT_SRCDIR/t/hosts.sh"

printf '%s\n' 'a address=10.199.79.1' 'b address=10.199.79.2' 'c address=10.199.79.3' >"$WT_TMP/hosts"
up() {
	on a windtunnel cluster up h --nodes 60 --shape "pack:1 core:1 pu:1" --quiet --hosts "$WT_TMP/hosts" \
		--set MessageTimeout=5 --set SlurmdTimeout=12 --set TreeWidth=8 "$@"
}
by_shell() { up --host-shell "$WT_TMP/shell" "$@"; }
in_cluster() { on a windtunnel cluster exec h -- "$@"; }
daemon() { jq ".daemons[] | select(.name == \"$2\") | .pid" "$WINDTUNNEL_STATE/h@$1/state.json"; }
# comes_again HOST DAEMON PID: another one is there
comes_again() { now=$(daemon "$1" "$2") && test "$now" -gt 1 && test "$now" != "$3"; }
all_run() { jq -e ".nodes.running == 60" "$WINDTUNNEL_STATE/h/state.json" && hosts_are_up; }
stopped=
cleanup 'test -z "$stopped" || kill -CONT $stopped'

# Each node that slurmctld has ever set down.
ever_down() {
	sed -n "s/.*Nodes \(.*\) not responding, setting DOWN.*/\1/p" "$WINDTUNNEL_STATE/h/ctld/slurmctld.log" |
		while read -r names; do in_cluster scontrol show hostnames "$names" </dev/null; done | sort -u
}
# only_down COUNT PATTERN: so many nodes have been down, all of that name.  slurmctld of later releases waits 40 s for the
# answers to a ping of nodes some of which hang, and then takes for dead who last answered before (SlurmdTimeout is 12 s):
# the nodes that it had asked to register, too, until they are heard of again a moment later.
only_down() {
	case $(slurmctld -V) in *" 22.05."*) ;; *) return 0 ;; esac
	ever_down >out && test_line_count = "$1" out && ! grep -v "^$2\$" out
}
# Messages for nodes of all hosts wait for those that hang, and say of which that is true.
test_expect_success NET 'the node process of a host hangs: its nodes go down, those behind it in messages do not' '
	by_shell && wt_poll 60 are "n[0-59]" "60 idle" && stopped=$(daemon b vnoded) && kill -STOP $stopped &&
	wt_poll 180 are "n[20-39]" "20 down*" && wt_poll 60 are "n[0-19],n[40-59]" "40 idle" &&
	only_down 20 "n[23]." &&
	in_cluster srun -N40 --time 5 true && lost b "== 0" && kill -CONT $stopped && stopped= &&
	wt_reconfigure "$WINDTUNNEL_STATE/h/ctld/slurmctld.log" in_cluster && wt_poll 180 are "n[0-59]" "60 idle" &&
	in_cluster srun -N60 --time 5 true &&
	wt_poll 120 are "n[0-59]" "60 idle"
'
test_expect_success NET 'a host is cut off and comes back: only its nodes go down' '
	ip -n "${net}s" link set pc down && wt_poll 180 are "n[40-59]" "20 down*" && wt_poll 60 are "n[0-39]" "40 idle" &&
	only_down 40 "n[2-5]." &&
	in_cluster srun -N40 --time 5 true && ip -n "${net}s" link set pc up && kill -9 "$(daemon c vnoded)" &&
	wt_poll 120 are "n[0-59]" "60 idle" && in_cluster srun -N60 --time 5 true
'
test_expect_success NET 'kill -9 of each daemon of virtual nodes on each host: they come again, down leaves nothing' '
	for host in a b c; do
		for name in munged vnoded; do
			pid=$(daemon $host $name) && kill -9 "$pid" && wt_poll 60 comes_again $host $name "$pid" || return 1
		done
	done && wt_poll 120 all_run && wt_poll 120 are "n[0-59]" "60 idle" && in_cluster srun -N60 --time 5 true &&
	for host in a b c; do
		lost $host "== 0" || return 1
	done && on a windtunnel cluster down h && nothing_left
'
test_expect_success NET 'the whole part of a host hangs: it is lost, and begun anew' '
	by_shell && stopped=$(ip netns pids "${net}b") && kill -STOP $stopped && wt_poll 120 lost b ">= 1" &&
	wt_poll 120 all_run && { kill -CONT $stopped 2>/dev/null || :; } && stopped= &&
	wt_poll 120 are "n[0-59]" "60 idle" && on a windtunnel cluster down h && nothing_left
'
test_expect_success NET 'the same daemons, and a slurmd, of real nodes' '
	on a windtunnel cluster up h --nodes 6 --shape "pack:1 core:1 pu:1" --backend slurmd --quiet \
		--hosts "$WT_TMP/hosts" --host-shell "$WT_TMP/shell" &&
	for host in a b c; do
		pid=$(daemon $host munged) && kill -9 "$pid" && wt_poll 60 comes_again $host munged "$pid" &&
		ps -o pid=,comm= -p $(ip netns pids "$net$host") >processes &&
		slurmd=$(sed -n "s/^ *\([0-9]*\) slurmd$/\1/p" processes | head -1) && kill -9 "$slurmd" &&
		wt_poll 60 eval "! kill -0 $slurmd" || return 1
	done && wt_poll 120 jq -e ".nodes.running == 6" "$WINDTUNNEL_STATE/h/state.json" &&
	wt_poll 120 are "n[0-5]" "6 idle" && in_cluster srun -N6 true && on a windtunnel cluster down h && nothing_left
'

# The engine finds ssh by PATH: with the test's own configuration.
mkdir "$WT_TMP/bin"
printf '#!/bin/sh\nexec "%s" -F "%s" "$@"\n' "$(command -v ssh)" "$WT_TMP/ssh/config" >"$WT_TMP/bin/ssh"
chmod +x "$WT_TMP/bin/ssh"
by_ssh() { PATH=$WT_TMP/bin:$PATH up --engine ssh "$@"; }
down_by_ssh() { PATH=$WT_TMP/bin:$PATH on a windtunnel cluster down h && wt_poll 30 only_sshd_left; }
test_expect_success SSH '--engine ssh: up, srun, a part that is killed, down' '
	sshd_begin && by_ssh && in_cluster srun -N60 --time 5 true && kill -9 "$(agent c)" && wt_poll 60 lost c ">= 1" &&
	wt_poll 120 all_run && wt_poll 120 are "n[0-59]" "60 idle" && down_by_ssh
'
# ssh notices after 15 s, a part that hears nothing of its cluster ends after 60 s.
test_expect_success SSH 'the connection of ssh is cut: the host is lost, its part ends by itself, and is begun anew' '
	by_ssh && pid=$(agent c) && ip -n "${net}s" link set pc down && wt_poll 90 lost c ">= 1" &&
	wt_poll 120 eval "! kill -0 $pid" && ip -n "${net}s" link set pc up && wt_poll 120 all_run &&
	wt_poll 120 are "n[0-59]" "60 idle" && in_cluster srun -N60 --time 5 true && down_by_ssh
'
test_done
