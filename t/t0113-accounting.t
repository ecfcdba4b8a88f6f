#!/bin/sh
test_description='windtunnel cluster up --accounting: a MariaDB and a slurmdbd of the cluster'"'"'s own'
. "$WT_SRCDIR/t/setup.sh"

for program in mariadbd mariadb-install-db my_print_defaults slurmdbd sacct; do
	command -v $program >/dev/null || {
		skip_all="$program is missing (Debian: mariadb-server-core, mariadb-client-core, slurmdbd, slurm-client)"
		test_done
	}
done
dir=$WINDTUNNEL_STATE/a
on() {	# on COMMAND...: a client that hangs fails the test
	timeout 120 windtunnel cluster exec a -- "$@"
}
record_is() {	# record_is JOB FIELD TEXT
	test "$(on sacct -X -n -P -j "$1" -o "$2")" = "$3"
}
listens_beyond() {	# listens_beyond PORT: on another address than a loopback one
	ss -Hltn "sport = :$1" | awk '$4 !~ /^127[.]/' | grep .
}
cat >accounts <<END
# as sites write them
sacctmgr -i add cluster Name=lab Fairshare=1 QOS=normal
add qos urgent Priority=100 MaxJobsPerUser=1
add account name=physics Fairshare=30 cluster=lab
add account name=biology Fairshare=70
add user name=$(id -un) account=physics DefaultAccount=physics
add user name=$(id -un) account=biology
modify user set qoslevel="normal,urgent"
list associations format=Account,Cluster,User,Fairshare tree
END

test_expect_success 'hostile accounts end in one line, and nothing is started' '
	for bad in shutdown "load /etc/passwd" "add account \$HOME" "add account a; id" "dump lab file=/tmp/x" \
		"delete cluster lab" "sacctmgr -i remove CL where name=lab" "add account a\\0b"; do
		printf "# a\n%b\n" "$bad" >bad &&
		test_expect_code 2 windtunnel cluster up a --nodes 2 --sacctmgr bad 2>err &&
		test_line_count = 1 err && grep "bad: line 2" err || return 1
	done &&
	printf "Cluster - '"'lab'"'\nrm -rf x\n" >bad &&
	test_expect_code 2 windtunnel cluster up a --nodes 2 --sacctmgr bad 2>err &&
	grep "line 2 is none of a file of .sacctmgr dump" err &&
	test_expect_code 2 windtunnel cluster up a --nodes 2 --accounting \
		--set AccountingStorageType=accounting_storage/none 2>err &&
	grep "slurmdbd of its own" err && test_expect_code 1 windtunnel cluster up a --nodes 2 --sacctmgr nowhere 2>err &&
	grep "nowhere: cannot open: No such file" err && ! test -e "$dir"
'
test_expect_success 'a pipe is not waited for, and of a binary file nothing is taken' '
	mkfifo pipe && test_expect_code 2 timeout 120 windtunnel cluster up a --nodes 2 --sacctmgr pipe 2>err &&
	test_line_count = 1 err && grep "pipe: is not a regular file" err &&
	printf "add account x\n" >good && printf "add account y\n\0add account z\n" >bad &&
	test_expect_code 2 windtunnel cluster up a --nodes 2 --sacctmgr good --sacctmgr bad 2>err &&
	test_line_count = 1 err && grep "bad: line 2 has a NUL" err && ! test -e "$dir"
'
test_expect_success 'a cluster with accounts: its own name, nothing listens beyond loopback, and only its owner looks in' '
	printf "add account sky colour=blue\nadd account sea colour=green\n" >odd &&
	windtunnel cluster up a --nodes 4 --quiet --sacctmgr accounts --sacctmgr odd 2>err && test_line_count = 1 err &&
	grep "sacctmgr said .Unknown option: colour=blue.; all that it said is in $dir/accounting/sacctmgr.log" err &&
	on sacctmgr -n -P list assoc where user="$(id -un)" format=cluster,account >out &&
	grep -x "a|biology" out && grep -x "a|physics" out &&
	port=$(jq .slurmdbd_port "$dir/cluster.json") && test -n "$(wt_listeners "$port")" &&
	{ jq -e .listens_everywhere "$dir/cluster.json" || ! listens_beyond "$port"; } &&
	test "$(stat -c %a "$dir/accounting")" = 700 && test "$(stat -c %a "$dir/slurmdbd.conf")" = 600 &&
	grep -v "^skip" "$dir/accounting/sacctmgr.log" >/dev/null
'
test_expect_success 'accounts count: who has none is refused, sacct and sshare know the jobs' '
	job=$(on sbatch --parsable -o /dev/null -A biology --qos urgent --wrap "sleep 1") &&
	test_must_fail on sbatch -A chemistry -o /dev/null --wrap "sleep 1" 2>err && grep "Invalid account" err &&
	wt_poll 120 record_is $job State,Account,QOS "COMPLETED|biology|urgent" &&
	on sshare -n -P -a -o Account,User,RawShares >out && grep "biology||70" out && grep "physics||30" out &&
	on sreport -n -P cluster utilization >out
'
test_expect_success 'a crash of either is survived: nothing is lost' '
	wt_daemon_restart "$dir" mariadbd KILL && wt_daemon_restart "$dir" slurmdbd KILL &&
	wt_poll 120 record_is $job State COMPLETED &&
	next=$(on sbatch --parsable -o /dev/null -A physics --wrap "sleep 1") && wt_poll 120 record_is $next State COMPLETED
'
test_expect_success 'an outage of slurmdbd: jobs run on, and are told afterwards' '
	windtunnel cluster stop a slurmdbd mariadbd && windtunnel cluster list | grep "^a  *outage" &&
	next=$(on sbatch --parsable -o /dev/null -A physics --wrap "sleep 1") &&
	ended() { on scontrol -o show job $next | grep JobState=COMPLETED; } && wt_poll 60 ended &&
	windtunnel cluster start a && wt_poll 120 record_is $next State COMPLETED
'
test_expect_success 'all at once: the database after slurmdbd, munge last' '
	windtunnel cluster stop a && grep -o "[a-z]*: pid [0-9]* ended" "$dir/daemons.log" |
		tail -n 3 | cut -d: -f1 | tr "\n" " " >order &&
	grep "^slurmdbd mariadbd munged" order && windtunnel cluster start a && wt_poll 60 record_is $next State COMPLETED
'
test_expect_success 'what was dumped comes back in another cluster, and down leaves nothing' '
	on sacctmgr -P show qos >qos && (on sacctmgr dump a file="$PWD/dump") && cp "$dir/cluster.json" . &&
	windtunnel cluster down a && ! test -e "$dir" && wt_nothing_left cluster.json
'
# A listener that plays the site's slurmdbd and database says when somebody connects.
test_expect_success 'with the slurm.conf of a site whose own slurmdbd listens: nobody connects there' '
	perl -MIO::Socket::INET -e '"'"'
		my $s = IO::Socket::INET->new(LocalAddr => "127.77.0.2", Listen => 9) or die;
		open(my $f, ">", "port.new"); print $f $s->sockport; close($f); rename("port.new", "port");
		$s->accept and print "connected\n"'"'"' >calls & listener=$!; cleanup "kill $listener" &&
	wt_poll 30 test -e port &&
	printf "AccountingStorage%s=127.77.0.2\n" Host BackupHost >site.conf &&
	printf "ClusterName=prod\nAccountingStorageType=accounting_storage/slurmdbd\nAccountingStoragePort=%s\n" \
		"$(cat port)" >>site.conf &&
	windtunnel cluster up a --nodes 2 --quiet --accounting --conf site.conf 2>err &&
	job=$(on sbatch --parsable -o /dev/null --wrap "sleep 1") && wt_poll 120 record_is $job State COMPLETED &&
	windtunnel cluster down a && kill -0 $listener && wt_empty calls
'
test_expect_success 'without accounting there is no such part' '
	windtunnel cluster up b --nodes 2 --quiet && test_expect_code 2 windtunnel cluster stop b slurmdbd 2>err &&
	grep "started without --accounting" err &&
	windtunnel cluster stop b && windtunnel cluster start b && windtunnel cluster down b
'
if ! grep -q "^WT_CFLAGS = .*-fsanitize" "$WT_BUILDDIR/Makefile"; then
	test_expect_success 'in virtual time, of an ordinary user, from the dump and the QOS' '
		cp qos dump "$WT_TMP" && chmod 711 "$WT_TMP" && chmod 644 "$WT_TMP/qos" "$WT_TMP/dump" &&
		wt_as_user windtunnel cluster up v --nodes 2 --quiet --clock virtual --charge none \
			--sacctmgr "$WT_TMP/qos" --sacctmgr "$WT_TMP/dump" --set AccountingStorageEnforce= 2>err &&
		! grep "Accounts may be missing" err &&
		cleanup "wt_as_user windtunnel cluster down v" &&
		wt_as_user windtunnel cluster exec v -- sacctmgr -n -P list qos format=name,maxjobspu >out &&
		grep -x "urgent|1" out &&
		wt_as_user windtunnel cluster exec v -- sacctmgr -n -P list assoc format=cluster,account,share >out &&
		grep -x "v|biology|70" out &&
		wt_as_user windtunnel cluster exec --drive v -- \
			sh -c "sbatch -o /dev/null --wrap \"sleep 500\"; sleep 600; sacct -X -n -P -o State" >out &&
		grep -x COMPLETED out && wt_as_user windtunnel cluster down v
	'
	test_expect_success 'a run with a cluster of its own; its scenario says so' '
		windtunnel run --workload burst --jobs 6 --run-time 20 --nodes 2 --accounting \
			--clock virtual --charge none --quiet --output run >out &&
		jq -e ".own_cluster.accounting or .options.own_cluster.accounting" run/scenario.json &&
		jq -e ".jobs_completed == 6" run/summary.json
	'
fi
test_done
