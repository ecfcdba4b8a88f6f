#!/bin/sh
test_description='windtunnel cluster: machines whose name is no loopback one'
. "$WT_SRCDIR/t/setup.sh"

if ! { test "$(id -u)" = 0 && unshare -um true; }; then
	skip_all='only root can give this machine other names'
	test_done
fi
cd "$WT_TMP" || exit 1

# named HOSTS COMMAND...: run COMMAND on a machine called "far" with HOSTS in its /etc/hosts.
cat >named.sh <<'END'
printf "127.0.0.1 localhost\n::1 localhost\n$1\n" >hosts && hostname far &&
		mount --bind hosts /etc/hosts && shift && exec "$@"
END
named() {
	unshare -um sh named.sh "$@"
}
cat >works <<'END'
windtunnel cluster up h --nodes 3 -q && windtunnel cluster exec h -- sbatch --output=/dev/null --wrap "sleep 1" >/dev/null &&
	windtunnel cluster exec h -- scontrol reconfigure
END
chmod 755 . works
# listens PORT: the addresses where something listens on PORT
listens() {
	ss -Hltn "sport = :$1" | awk '{ sub(/:[0-9]*$/, "", $4); print $4 }'
}
info() {
	jq -r "$1" "$WINDTUNNEL_STATE/h/cluster.json"
}
job_done() {
	windtunnel cluster exec h -- scontrol show job 1 | grep JobState=COMPLETED
}

for hosts in "192.0.2.7 far" "" "fd00::7 far" "127.0.1.1 far.example.org far\n192.0.2.7 far.example.org far"; do
	test_expect_success "slurmctld listens on loopback only, /etc/hosts: $hosts" '
		named "$hosts" sh "$PWD/works" 2>err && wt_empty err &&
		test "$(listens $(info .controller_port))" = 127.0.0.1 &&
		windtunnel cluster status h | grep "^controller 127.0.0.1:[0-9]*$" &&
		cp "$WINDTUNNEL_STATE/h/cluster.json" . && windtunnel cluster down h && wt_nothing_left cluster.json
	'
done
test_expect_success 'a restarted slurmctld, too; jobs run; the supervisor takes it along when it dies' '
	named "192.0.2.7 far" sh "$PWD/works" && wt_poll 30 job_done &&
	kill -9 $(jq ".daemons[1].pid" "$WINDTUNNEL_STATE/h/state.json") &&
	wt_poll 30 windtunnel cluster exec h -- scontrol ping &&
	test "$(listens $(info .controller_port))" = 127.0.0.1 &&
	cp "$WINDTUNNEL_STATE/h/cluster.json" . && kill -9 $(jq ".supervisor.pid" "$WINDTUNNEL_STATE/h/state.json") &&
	wt_poll 30 wt_nothing_left cluster.json && windtunnel cluster down h
'
test_expect_success 'a name with a loopback address is kept' '
	named "127.0.1.1 far" sh "$PWD/works" 2>err && wt_empty err &&
	test "$(listens $(info .controller_port))" = 127.0.1.1 &&
	grep "^SlurmctldHost=far(127.0.1.1)" "$WINDTUNNEL_STATE/h/slurm.conf" &&
	windtunnel cluster down h
'
test_expect_success 'without the right to do that: one line says that slurmctld listens on all addresses' '
	named "192.0.2.7 far" setpriv --bounding-set -sys_admin --inh-caps -sys_admin sh "$PWD/works" 2>err &&
	test_line_count = 1 err && grep "warning: slurmctld listens on all addresses, port $(info .controller_port)" err &&
	test "$(listens $(info .controller_port))" = 0.0.0.0 &&
	windtunnel cluster status h | grep "^controller 127.0.0.1:.*, and on all other addresses" &&
	windtunnel cluster down h
'
test_expect_success 'as an ordinary user: in a user namespace, or with that line where there is none' '
	wt_as_user true && cp works named.sh user/ && WINDTUNNEL_STATE=$WT_TMP/user/state &&
	as_nobody() { named "192.0.2.7 far" setpriv --reuid nobody --regid nogroup --clear-groups env HOME="$WT_TMP/user" \
		PATH="$WT_TMP/user:$PATH" WT_LIBEXECDIR="$WT_TMP/user" "$@"; } &&
	as_nobody sh "$PWD/works" 2>err &&
	port=$(info .controller_port) &&
	if setpriv --reuid nobody --regid nogroup --clear-groups unshare -U true; then
		wt_empty err && test "$(listens $port)" = 127.0.0.1
	else
		test_line_count = 1 err && grep warning err && test "$(listens $port)" = 0.0.0.0
	fi &&
	user_job_done() { as_nobody windtunnel cluster exec h -- scontrol show job 1 | grep JobState=COMPLETED; } &&
	wt_poll 30 user_job_done &&
	cp "$WINDTUNNEL_STATE/h/cluster.json" . && as_nobody windtunnel cluster down h && wt_nothing_left cluster.json
'
test_done
