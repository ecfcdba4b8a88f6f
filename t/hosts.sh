# Hosts for a test of several: network namespaces a, b, c ... at 10.199.NET.1 and on, and s with the bridge between them.
# Before it: host_names ("a b c"), host_net (a number that no other test has).  NET is set where they could be made.

net=wt$$
net_end() {
	for host in $host_names s; do
		ip netns del "$net$host" || :
	done
}
net_make() {
	ip netns add "${net}s" && ip -n "${net}s" link add name br0 type bridge &&
		ip -n "${net}s" link set br0 up || return 1
	number=0
	for host in $host_names; do
		number=$((number + 1))
		ip netns add "$net$host" && ip -n "$net$host" link set lo up &&
		ip link add name eth netns "$net$host" type veth peer name "p$host" netns "${net}s" &&
		ip -n "$net$host" addr add 10.199.$host_net.$number/24 dev eth && ip -n "$net$host" link set eth up &&
		ip -n "${net}s" link set dev "p$host" master br0 up || return 1
	done
}
cleanup net_end
if [ "$(id -u)" = 0 ] && net_make 2>/dev/null; then
	test_set_prereq NET
fi

# A host whose file is there is dead: nobody gets in.
cat >"$WT_TMP/shell" <<END
#!/bin/sh
host=\$1
shift
test ! -e "$WT_TMP/dead.\$host" || exit 255
exec ip netns exec "$net\$host" "\$@"
END
# host_dies HOST: kill -9 of all that runs there, and of what that began meanwhile; nobody gets in until dead.HOST goes.
# A process that had ended by itself between the list and the signal is as dead as the others.
host_is_dead() {
	ip netns pids "$net$1" >"$WT_TMP/dead.pids" && { wt_empty "$WT_TMP/dead.pids" || {
		xargs kill -9 <"$WT_TMP/dead.pids" || :
		false
	}; }
}
host_dies() { : >"$WT_TMP/dead.$1" && wt_poll 60 host_is_dead "$1"; }
printf '#!/bin/sh\nshift\nexec "$@"\n' >"$WT_TMP/with"
chmod +x "$WT_TMP/shell" "$WT_TMP/with"

# on HOST COMMAND...
on() { ip netns exec "$net$1" "$WT_TMP/with" "$@"; }
states() { on a windtunnel cluster exec h -- sinfo -h -N -o %T -n "$1" | sort | uniq -c | tr -s ' '; }
are() { test "$(states "$1")" = " $2"; }
nothing_left() {
	for host in $host_names; do
		ip netns pids "$net$host" >pids && wt_empty pids || { xargs ps -fp <pids; return 1; }
	done && test ! -e "$WINDTUNNEL_STATE"
}
# The supervisor of a host's part of the cluster h.
agent() { jq .supervisor.pid "$WINDTUNNEL_STATE/h@$1/state.json"; }
# Each has said so: slurmctld may have the nodes of one a moment before.
hosts_are_up() { jq -e "all(.hosts[]; .phase == \"up\" or .phase == \"none\")" "$WINDTUNNEL_STATE/h/hosts.json"; }
lost() { jq -e ".hosts[] | select(.name == \"$1\") | .losses $2" "$WINDTUNNEL_STATE/h/hosts.json"; }

if test_have_prereq NET && command -v clush >/dev/null && command -v sshd >/dev/null; then
	test_set_prereq SSH
fi
# sshd in each host but a; the user's own keys and settings have no part in it.  SSH is set where it can be.
sshd_begin() {
	mkdir -p "$WT_TMP/ssh" && ssh-keygen -q -t ed25519 -N "" -f "$WT_TMP/ssh/host" &&
	ssh-keygen -q -t ed25519 -N "" -f "$WT_TMP/ssh/user" && cp "$WT_TMP/ssh/user.pub" "$WT_TMP/ssh/keys" &&
	number=1 && for host in ${host_names#a }; do
		number=$((number + 1))
		cat >"$WT_TMP/ssh/$host.conf" <<-END
			ListenAddress 10.199.$host_net.$number
			HostKey $WT_TMP/ssh/host
			PidFile $WT_TMP/ssh/$host.pid
			AuthorizedKeysFile $WT_TMP/ssh/keys
			UsePAM no
			StrictModes no
			PermitRootLogin yes
			SetEnv WINDTUNNEL_STATE=$WINDTUNNEL_STATE ${WT_LIBEXECDIR:+WT_LIBEXECDIR="$WT_LIBEXECDIR"}
		END
		printf "Host %s\nHostName 10.199.$host_net.%s\n" $host $number >>"$WT_TMP/ssh/config"
		mkdir -p /run/sshd && ip netns exec "$net$host" "$(command -v sshd)" -f "$WT_TMP/ssh/$host.conf" \
			-E "$WT_TMP/ssh/log" || return 1
	done &&
	cat >>"$WT_TMP/ssh/config" <<-END &&
		Host *
		IdentityFile $WT_TMP/ssh/user
		IdentitiesOnly yes
		StrictHostKeyChecking no
		UserKnownHostsFile $WT_TMP/ssh/known
		LogLevel ERROR
	END
	printf "[Main]\nssh_path: ssh -F %s\n" "$WT_TMP/ssh/config" >"$WT_TMP/ssh/clush.conf"
}
sshd_end() {
	for host in ${host_names#a }; do
		kill "$(cat "$WT_TMP/ssh/$host.pid")" || :
	done
}
cleanup 'test ! -d "$WT_TMP/ssh" || sshd_end'
only_sshd_left() {
	for host in ${host_names#a }; do
		ip netns pids "$net$host" >pids && test_line_count = 1 pids || { xargs ps -fp <pids; return 1; }
	done && test ! -e "$WINDTUNNEL_STATE"
}

# net_slow HOST DELAY_MS LOSS_PERCENT: from now on its cable is such a one, each way.
slow_pids=
cleanup 'test -z "$slow_pids" || kill $slow_pids'
net_slow() {
	slow_words=$(ip -n "$net$1" -o -4 addr show dev eth) && slow_address=${slow_words#*inet } &&
	ip -n "${net}s" link del "p$1" &&
	{ python3 "$WT_SRCDIR/t/slow-link.py" "$net$1" eth "${net}s" "p$1" "$2" "$3" 1 >"$WT_TMP/slow.$1" & } &&
	slow_pids="$slow_pids $!" && wt_poll 20 grep -q ready "$WT_TMP/slow.$1" &&
	ip -n "$net$1" addr add "${slow_address%% *}" dev eth && ip -n "$net$1" link set eth up &&
	ip -n "${net}s" link set dev "p$1" master br0 up
}
if test_have_prereq NET && test -c /dev/net/tun && command -v python3 >/dev/null; then
	test_set_prereq TUN
fi
