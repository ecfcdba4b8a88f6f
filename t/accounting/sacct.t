#!/bin/sh
# make check-accounting
test_description='copies in sacct and under the limits of associations: a private MariaDB and slurmdbd'
. "$WT_SRCDIR/t/setup.sh"
. "$WT_SRCDIR/t/speculate.sh"

for program in mariadbd mariadb-install-db my_print_defaults slurmdbd sacct sacctmgr; do
	command -v $program >/dev/null && continue
	skip_all="$program is missing (Debian: mariadb-server-core, mariadb-client-core, slurmdbd, slurm-client)"
	test_done
done
PATH="$WT_BUILDDIR/plugins/straggler:$PATH"
dir="$WINDTUNNEL_STATE/a" log="$dir/ctld/slurmctld.log" dbd="$WT_TMP/dbd"
in_cluster() { windtunnel cluster exec a -- "$@"; }
port_free() { perl -MIO::Socket::INET -e 'print IO::Socket::INET->new(LocalAddr => "127.0.0.1", Listen => 1)->sockport'; }
listens() { test -n "$(wt_listeners "$1")"; }
record() { in_cluster sacct -X -n -P -j "$1" -o "$2"; }
chmod 755 "$WT_TMP" && mkdir "$dbd"

speculate_task task.sh
run_array() {
	OUT=$(mktemp -d "$WT_TMP/out.XXXXXX") && export OUT &&
	job=$(in_cluster sbatch --parsable -n1 -o "$OUT/%A_%a" --speculate --array=0-6 "$@" task.sh)
}

test_expect_success 'a private database' '
	db_port=$(port_free) &&
	printf "GRANT ALL ON *.* TO slurm@%s IDENTIFIED BY \"windtunnel\";\n" localhost "\"127.0.0.1\"" >"$dbd/init.sql" &&
	mariadb-install-db --no-defaults --datadir="$dbd/db" --skip-test-db --user="$(id -un)" >install.log 2>&1 ||
		{ cat install.log; false; } &&
	{ mariadbd --no-defaults --datadir="$dbd/db" --socket="$dbd/db.sock" --pid-file="$dbd/db.pid" \
		--bind-address=127.0.0.1 --port="$db_port" --user="$(id -un)" --init-file="$dbd/init.sql" \
		>"$dbd/db.log" 2>&1 & db_pid=$!; } &&
	cleanup "kill $db_pid" && wt_poll 60 listens "$db_port"
'
# slurmctld does not begin without its database, and slurmdbd needs the munged that comes with the cluster: so slurmctld is
# started anew.
test_expect_success 'a cluster that is told of slurmdbd' '
	windtunnel cluster up a --backend slurmd --nodes 5 --shape "core:2 pu:1" --plugin straggler --quiet &&
	dbd_port=$(port_free) &&
	cat >"$dbd/slurmdbd.conf" <<-END && chmod 600 "$dbd/slurmdbd.conf" &&
		AuthType=auth/munge
		AuthInfo=socket=$dir/munge/socket
		DbdHost=$(hostname)
		DbdAddr=127.0.0.1
		DbdPort=$dbd_port
		SlurmUser=$(id -un)
		StorageType=accounting_storage/mysql
		StorageHost=127.0.0.1
		StoragePort=$db_port
		StorageUser=slurm
		StoragePass=windtunnel
		LogFile=$dbd/slurmdbd.log
		PidFile=$dbd/slurmdbd.pid
	END
	{ SLURM_CONF="$dbd/slurm.conf" slurmdbd -D >"$dbd/slurmdbd.stderr" 2>&1 & dbd_pid=$!; } &&
	cleanup "kill $dbd_pid" && wt_poll 60 listens "$dbd_port" &&
	sed -i "/^AccountingStorage/d" "$dir/slurm.conf" && cat >>"$dir/slurm.conf" <<-END &&
		AccountingStorageType=accounting_storage/slurmdbd
		AccountingStorageHost=127.0.0.1
		AccountingStoragePort=$dbd_port
		AccountingStoragePass=$dir/munge/socket
		AccountingStorageEnforce=associations,limits
		AccountingStoreFlags=job_comment
	END
	in_cluster sacctmgr -i add cluster "$(in_cluster scontrol show config | sed -n "s/^ClusterName  *= //p")" &&
	in_cluster sacctmgr -i add account lab &&
	in_cluster sacctmgr -i add user "$(id -un)" account=lab defaultaccount=lab &&
	printf "Window=1\nSilence=30\nMinAge=2\n" >>"$dir/straggler.conf" &&
	pid=$(daemon_pid slurmctld) && kill $pid && wt_poll 60 eval "test \"\$(daemon_pid slurmctld)\" != $pid" &&
	wt_poll 60 status && in_cluster scontrol show config | grep "AccountingStorageType  *= accounting_storage/slurmdbd"
'
test_expect_success 'sacct has both attempts: the original completed with exit code 0, and the copy with its comment' '
	run_array -A lab && wt_poll 120 has_copy $job && copy=$(copy_of $job) && wt_poll 120 empty && each_once 7 "$OUT" &&
	task=$(status $job | jq ".arrays[].task[] | select(.copies == 1).task") &&
	done_rows() { record ${job}_$task,$copy State | grep -c COMPLETED | grep -x 2; } &&
	wt_poll 30 done_rows && record ${job}_$task State,ExitCode,Comment >out &&
	grep "COMPLETED|0:0|.*windtunnel: completed by job $copy" out &&
	record $copy State,ExitCode,Comment,Account >out &&
	grep "COMPLETED|0:0|windtunnel: attempt 2 of ${job}_$task.*|lab" out &&
	record $job State >out && test_line_count = 7 out
'
test_expect_success "a copy stays within its user's limits: it waits for a CPU of the account" '
	in_cluster sacctmgr -i modify user "$(id -un)" set GrpTRES=cpu=7 &&
	limited() { in_cluster sacctmgr -n show assoc format=GrpTRES | grep cpu=7; } &&
	wt_poll 30 limited && run_array -A lab && highest=0 && while ! empty; do
		now=$(in_cluster squeue -h -t R -r | wc -l) && test $now -le $highest || highest=$now
		sleep 0.5
	done && test $highest = 7 && has_copy $job && each_once 7 "$OUT"
'
test_expect_success 'a copy that would break a limit is refused, and said why; the task ends by itself' '
	in_cluster sacctmgr -i modify user "$(id -un)" set GrpTRES=cpu=-1 MaxSubmitJobs=7 && sleep 2 &&
	refused=$(status | jq .counters.copies_refused) &&
	run_array -A lab && more() { test "$(status | jq .counters.copies_refused)" -gt $refused; } &&
	wt_poll 60 more && grep "no copy is possible" "$log" && wt_poll 180 empty && each_once 7 "$OUT" &&
	! grep "ended: signal \(11\|6\)" "$dir/daemons.log"
'
test_expect_success 'nothing is left' '
	cp "$dir/cluster.json" cluster.json && kill $dbd_pid && windtunnel cluster down a && wt_nothing_left cluster.json &&
	kill $db_pid && wait $db_pid
'
test_done
