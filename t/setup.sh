# Sourced by every t/*.t.  WT_SRCDIR and WT_BUILDDIR come from "make check"; by hand give them absolute, because tests
# change the folder:
#   WT_SRCDIR=$PWD WT_BUILDDIR=$PWD/build prove t/t0001-command.t
# With WT_SLURM=24.11.5 the build for that release is tested, which "./quickstart slurm 24.11.5" has made below it.
: "${WT_SRCDIR:?}" "${WT_BUILDDIR:?}"
if [ -n "$WT_SLURM" ]; then
	WT_BUILDDIR=$WT_BUILDDIR/slurm-$WT_SLURM
	[ -x "$WT_BUILDDIR/cmd/windtunnel" ] ||
		{ echo "Bail out! there is no build for Slurm $WT_SLURM in $WT_BUILDDIR"; exit 1; }
	unset WT_SLURM
fi
# Clients of a Slurm that is not the distribution's come first.
wt_slurm_prefix=$(sed -n 's/^prefix=//p' "$WT_BUILDDIR/cmd/slurm.build" 2>/dev/null)
PATH="$WT_BUILDDIR/cmd:${wt_slurm_prefix:+$wt_slurm_prefix/bin:$wt_slurm_prefix/sbin:}$PATH:/usr/sbin:/sbin"
export PATH

# Nothing of the caller's own Slurm or locale reaches a test.
for name in $(env | sed -n 's/^\(\(SLURM\|SBATCH\|SRUN\|SINFO\|SQUEUE\|SCANCEL\|WINDTUNNEL\)_[A-Z0-9_]*\)=.*/\1/p'); do
	unset "$name"
done
LC_ALL=C
export LC_ALL

# Sockets and configuration live in a folder without spaces and with a short name; sharness' own folder has a space.
PYTHONDONTWRITEBYTECODE=1	# no folder of python's beside its sources
export PYTHONDONTWRITEBYTECODE
WT_TMP=$(mktemp -d "${TMPDIR:-/tmp}/wt-t.XXXXXX") || exit 1
WINDTUNNEL_STATE="$WT_TMP/state"
export WT_TMP WINDTUNNEL_STATE
SHARNESS_TEST_DIRECTORY=$WT_TMP
SHARNESS_TEST_OUTDIR=$WT_TMP
SHARNESS_TEST_SRCDIR=/usr/share/sharness	# where sharness from 1.2 on looks for the rest of itself
export SHARNESS_TEST_DIRECTORY SHARNESS_TEST_OUTDIR SHARNESS_TEST_SRCDIR

if [ -f /usr/share/sharness/sharness.sh ]; then
	. /usr/share/sharness/sharness.sh
else
	echo "Bail out! sharness is missing (Debian package sharness)"
	exit 1
fi
# What sharness shows with -v only goes to a file; of a script that failed we show the end of what each failed test said
# there, or, when it did not come to its end, the last of all.
test "$verbose" = t || exec 3>"$WT_TMP/log" 4>&3
# sharness has no hook for a failure: its own function gets another name, and ours marks the place.
eval "wt_$(sed -n '/^test_failure_() {/,/^}/p' /usr/share/sharness/sharness.sh)" || exit 1
test_failure_() {
	echo "wt: not ok ${SHARNESS_TEST_NB:-$test_count}" >&3	# its name from sharness 1.2 on, or before
	wt_test_failure_ "$@"
}
wt_log_show() {
	test -e "$WT_TMP/log" || return 0
	awk -v name="${0##*/}" '
		function show(what, keep) {
			print "# " name ": " what ", the last of what -v shows:"
			for (i = n > keep ? n - keep : 0; i < n; i++)
				print "#   " line[i]
		}
		/^(expecting success|checking known breakage): / { n = 0 }
		/^wt: not ok [0-9]+$/ { show("test " $4, ++shown <= 3 ? 100 : 20); next }
		{ line[n++] = $0 }
		END { if (!shown) show("it ended in the middle", 100) }' "$WT_TMP/log" >&2
}

# sharness cleans up after success only: the daemons of a failed test would live on, and prove wait for them.
wt_cleanup=:
cleanup() {
	wt_cleanup="{ $*
	}; $wt_cleanup"
}
trap 'wt_code=$?; test $wt_code = 0 || wt_log_show; eval "$wt_cleanup" >/dev/null 2>&1; (exit $wt_code); die' EXIT
trap 'exit 130' INT TERM
cleanup 'windtunnel cluster down --all; cd /; test -n "$WT_KEEP" || rm -rf "$WT_TMP"'

# wt_poll SECONDS COMMAND...: run COMMAND every 0.1 s until it succeeds; after two seconds every 0.2 s, after six
# every 0.4 s, for what it asks (squeue, jq) costs others the CPU time that they wait for.  SECONDS are what a machine with
# nothing else to do needs at most; it fails after twice as many, but not before four minutes have passed: it ends soon
# when COMMAND succeeds, so patience costs time only where something is wrong.
wt_poll() {
	wt_poll_s=$(($1 > 120 ? 2 * $1 : 240))
	shift
	wt_uptime_read && wt_poll_until "$((wt_uptime_s + wt_poll_s))" "$wt_uptime_s" "$@"
}
# wt_poll_until TIME BEGIN COMMAND...: COMMAND may use wt_poll itself, so the times stay arguments.
wt_poll_until() {
	while ! wt_rest "$@" >/dev/null 2>&1; do
		wt_uptime_read
		[ "$wt_uptime_s" -lt "$1" ] || { echo "wt_poll: in vain:$(shift 2; printf " %s" "$@")"; return 1; }
		sleep "0.$((wt_uptime_s - $2 < 2 ? 1 : wt_uptime_s - $2 < 6 ? 2 : 4))"
	done
}
wt_rest() {
	shift 2
	"$@"
}
# wt_uptime_read: wt_uptime_s, without a process for it
wt_uptime_read() {
	read -r wt_uptime_s _ </proc/uptime && wt_uptime_s=${wt_uptime_s%.*}
}

# wt_seed: a script with a random part calls it: T_SEED is its seed, one of digits, which is printed and repeats it.
T_SEED=${T_SEED:-1}
wt_seed() {
	case $T_SEED in *[!0-9]*) echo "Bail out! T_SEED=$T_SEED is not a number"; exit 1 ;; esac
	echo "# T_SEED=$T_SEED"
}

# wt_empty FILE: it is there and has no line; else its lines are shown.
wt_empty() {
	test -f "$1" || { echo "$1 was not written"; return 1; }
	! grep . "$1"
}

# wt_near FILE FILE: the same JSON, but for a thousandth in each number.
wt_near() {
	jq -en --slurpfile a "$1" --slurpfile b "$2" '
		def near($x; $y):
			if ($x | type) != ($y | type) then false
			elif ($x | type) == "number" then ($x - $y | fabs) <= 0.001
			elif ($x | type) == "object" then ($x | keys) == ($y | keys) and all($x | keys[]; near($x[.]; $y[.]))
			elif ($x | type) == "array" then
				($x | length) == ($y | length) and all(range($x | length); near($x[.]; $y[.]))
			else $x == $y end;
		($a | length) > 0 and near($a; $b)' >/dev/null || { diff "$1" "$2"; false; }
}

# wt_names_local: daemons that a test starts by itself ask no server of names, as those of "windtunnel cluster" do not.  From
# 23.11 on slurmctld asks for the name of each address that connects, and one answer that is lost holds it up for 5 s.
wt_names_local() {
	RES_OPTIONS="${RES_OPTIONS:+$RES_OPTIONS }attempts:0"
	export RES_OPTIONS
}

# wt_errors SLURMCTLD.LOG: its errors, but for those that say nothing of nodes and jobs: a first start, no PMIx library, a
# host name that nothing resolves, a slow machine, a Slurm without libhttp_parser (25.11 looks for it), 23.11 without
# slurmdbd.
wt_errors() {
	grep "error:" "$1" | grep -v -e " state file" -e " state save file" -e [Pp][Mm][Ii]x -e auth_p_get_host \
		-e "High latency for" -e "cannot create .*_parser context" \
		-e "_refresh_assoc_mgr_qos_list: no new list given back"
}

if ! command -v test_line_count >/dev/null; then
	test_line_count() {
		test "$(wc -l <"$3")" "$1" "$2" || { echo "$3 has $(wc -l <"$3") lines, wanted $1 $2"; cat "$3"; false; }
	}
fi

# wt_listeners PORT: the pids, as far as we may see them, of the processes that listen on it.  (ss has the kernel list those
# that listen; /proc/net/tcp has all that are closed since a minute, too: tens of thousands while scripts run, 0.4 s of CPU.)
wt_listeners() {
	ss -Hltne "sport = :$1" | sed -n 's/.* ino:\([0-9]*\) .*/\1/p' | while read -r wt_inode; do
		find /proc/[0-9]*/fd -lname "socket:\[$wt_inode\]" 2>/dev/null
	done | cut -d/ -f3 | sort -u
}

# wt_daemon_pid FOLDER NAME: the process id of a daemon of the cluster in that folder; fails while it is being started again.
wt_daemon_pid() {
	jq -r --arg name "$2" '.daemons[] | select(.name == $name and .pid > 0) | .pid' "$1/state.json" | grep .
}
wt_daemon_is_new() {
	wt_new=$(wt_daemon_pid "$1" "$2") && test "$wt_new" != "$3"
}
# wt_daemon_restart FOLDER NAME [SIGNAL]: send it SIGNAL (TERM), and wait until the supervisor has started another one. 
# (Whether a process of the old id is there says nothing: others get ids that are free.)
wt_daemon_restart() {
	wt_old=$(wt_daemon_pid "$1" "$2") && kill "-${3:-TERM}" "$wt_old" && wt_poll 60 wt_daemon_is_new "$1" "$2" "$wt_old"
}

# wt_reconfigure LOG [COMMAND...], which runs scontrol: from 23.11 on slurmctld executes itself anew for it, begins when
# scontrol has ended, and passes over a signal meanwhile; wait until it has told LOG that it has started.
wt_reconfigure() {
	wt_log=$1
	shift
	wt_starts=$(grep -c "slurmctld version .* started" "$wt_log") && "$@" scontrol reconfigure || return
	case $(slurmctld -V) in
	*" 22."* | *" 23.02."*) return 0 ;;
	esac
	wt_poll 60 eval "[ \"\$(grep -c 'slurmctld version .* started' '$wt_log')\" -gt $wt_starts ]"
}

# wt_ports_free CLUSTER.JSON: no process listens on that cluster's ports but one of another cluster.
wt_ports_free() {
	command -v ss >/dev/null || { echo "ss is missing (Debian package iproute2)"; return 1; }
	for wt_port in $(jq '.lock_port, .controller_port, .nodes_port, (.slurmdbd_port // empty)' "$1"); do
		for wt_pid in $(wt_listeners "$wt_port"); do
			grep -qs "WINDTUNNEL_CLUSTER=" "/proc/$wt_pid/environ" ||
				{ echo "left: $wt_pid on port $wt_port"; return 1; }
		done
	done
}

# wt_nothing_left CLUSTER.JSON: no process carries that cluster's uuid, and none listens on its ports, except one of another
# cluster, which may have got them meanwhile, and may end between the look at the port and the look at the process.
wt_nothing_left() {
	wt_uuid=$(jq -r .uuid "$1") || return 1
	# grep's status says of a single name that it has a match, and of another that it could not be read.
	wt_left=$(grep -ls "WINDTUNNEL_CLUSTER=$wt_uuid" /proc/[0-9]*/environ || :)
	for wt_env in $wt_left; do
		echo "left: $wt_env: $(tr '\0' ' ' <"${wt_env%environ}cmdline")"
		return 1
	done
	wt_poll 10 wt_ports_free "$1" || wt_ports_free "$1"
}

# What the command starts or preloads: that of the build folder.
WT_LIBEXECDIR="$WT_TMP/libexec"
export WT_LIBEXECDIR
wt_programs() {
	(cd "$WT_BUILDDIR" && realpath -e harness/vnode/wt-vnoded harness/clock/wt-clockd harness/live/wt-served \
		harness/clock/.libs/libwtclock.so harness/credential/.libs/libwtmunge.so \
		harness/fence/.libs/libwtfence.so harness/fence/.libs/libwtaddress.so)
}
# By way of a file: of a pipe only the last command's failure is seen.
wt_programs >"$WT_TMP/programs" || { echo "Bail out! not all programs that tests start are built"; exit 1; }
mkdir "$WT_LIBEXECDIR" && xargs -d "\n" ln -s -t "$WT_LIBEXECDIR" <"$WT_TMP/programs" || exit 1

# Whether ordinary users can run this Slurm: one of root's own may lie where only root may look.
wt_slurm_is_everybodys() {
	[ "$(id -u)" != 0 ] || (cd / && setpriv --reuid nobody --regid nogroup --clear-groups test -x "$(command -v srun)")
}

# wt_as_user COMMAND...: run it as an ordinary user: the caller, or for root "nobody" with copies of our programs (the build
# folder may lie where nobody cannot look), in $WT_TMP/user.
wt_as_user() {
	if [ "$(id -u)" != 0 ]; then
		"$@"
		return
	fi
	if ! [ -d "$WT_TMP/user" ]; then
		chmod 711 "$WT_TMP" &&
		mkdir "$WT_TMP/user" &&
		cp "$WT_BUILDDIR/cmd/windtunnel" "$WT_TMP/user/" &&
		xargs -d "\n" cp -t "$WT_TMP/user" <"$WT_TMP/programs" &&
		chown -R nobody "$WT_TMP/user" || return
	fi
	setpriv --reuid nobody --regid nogroup --clear-groups env --chdir "$WT_TMP/user" HOME="$WT_TMP/user" \
		PATH="$WT_TMP/user:$PATH" WT_LIBEXECDIR="$WT_TMP/user" WINDTUNNEL_STATE="$WT_TMP/user/state" "$@"
}
