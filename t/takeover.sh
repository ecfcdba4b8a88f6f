# shellcheck shell=sh disable=SC2034,SC2154
# Sourced by what stages take-overs between two slurmctlds: t/t0614-takeover.t and bench/takeover.  Both run in namespaces
# of their own (network, mounts), where the controllers have host names, too; the caller sets $work (a folder without
# spaces, short, that all may enter), $plugins (a folder for PluginDir) and $agent (wt-agentd's path, or nothing for the
# installed one).

# takeover_possible: root may make such namespaces, unless it is forbidden, or / is no mount point (in a chroot), so that
# it cannot be made private, and what is mounted in there might be seen outside.  Else one line says why.
takeover_possible() {
	command -v ip >/dev/null || { echo "ip (8) is missing: Debian package iproute2"; return 1; }
	[ -n "$TAKEOVER_INSIDE" ] || unshare --net --mount --propagation private true 2>&1
}
# takeover_namespaces SCRIPT ARGUMENT...: begin again there.
takeover_namespaces() {
	# getaddrinfo (3) wants an address
	[ -z "$TAKEOVER_INSIDE" ] || { ip link set lo up && ip address add 10.255.255.1/32 dev lo; return; }
	TAKEOVER_INSIDE=yes exec unshare --net --mount --propagation private sh "$@"
}

# wait_for SECONDS COMMAND...: SECONDS are what an idle machine needs at most; a busy one has twice as many, and
# $wait_at_least_s (60) at least.
wait_for() {
	wait_s=$((2 * $1)) && [ "$wait_s" -ge "${wait_at_least_s:=60}" ] || wait_s=$wait_at_least_s
	until_s=$(($(date +%s) + wait_s))
	shift
	until "$@" >/dev/null 2>&1; do
		[ "$(date +%s)" -lt "$until_s" ] || return 1
		sleep 0.1
	done
}

# takeover_subst NAME: what configure found; SLURM_PREFIX is empty for the distribution's Slurm.
takeover_subst() { sed -n "s/^$1 = *//p" "$WT_BUILDDIR/plugins/Makefile"; }
# takeover_conf NODES: the cluster's files.  Its state folder is a file system of its own, which can be filled.
takeover_conf() {
	nodes=$1
	[ -z "$(takeover_subst SLURM_PREFIX)" ] ||
		PATH="$(takeover_subst SLURM_PREFIX)/bin:$(takeover_subst SLURM_PREFIX)/sbin:$PATH"
	mkdir -p "$work/munge" "$work/state" "$work/nodes" "$work/progress"
	mount -t tmpfs -o size=4m,mode=0755 tmpfs "$work/state"
	printf '127.0.0.1 localhost\n127.0.0.11 ctl1\n127.0.0.12 ctl2\n' >"$work/hosts"
	mount --bind "$work/hosts" /etc/hosts
	dd if=/dev/urandom of="$work/munge/key" bs=128 count=1 2>/dev/null && chmod 400 "$work/munge/key"
	last=$((nodes - 1))
	cat >"$work/slurm.conf" <<-CONF
		ClusterName=takeover
		SlurmctldHost=ctl1(127.0.0.11)
		SlurmctldHost=ctl2(127.0.0.12)
		SlurmctldPort=6817
		SlurmctldTimeout=${takeover_after_s:-4}
		CommunicationParameters=NoCtldInAddrAny
		AuthInfo=socket=$work/munge/socket,cred_expire=30
		SlurmUser=root
		StateSaveLocation=$work/state
		SlurmdSpoolDir=$work/nodes/%n
		SlurmdPidFile=$work/nodes/%n.pid
		SlurmdLogFile=$work/nodes/%n.log
		SelectType=select/cons_tres
		SelectTypeParameters=CR_Core
		ProctrackType=proctrack/pgid
		TaskPlugin=task/none
		JobAcctGatherType=jobacct_gather/none
		MpiDefault=none
		SwitchType=switch/none
		MailProg=/bin/true
		ReturnToService=2
		PropagateResourceLimits=NONE
		MessageTimeout=10
		SlurmdTimeout=300
		SlurmdParameters=config_overrides
		SchedulerParameters=batch_sched_delay=0
		DebugFlags=NO_CONF_HASH
		NodeName=n[0-$last] NodeAddr=127.0.1.[1-$nodes] Port=[6900-$((6900 + last))] \
CPUs=2 CoresPerSocket=2 RealMemory=1024
		PartitionName=main Default=YES Nodes=ALL MaxTime=UNLIMITED
		PluginDir=$plugins:$(takeover_subst SLURM_PLUGIN_DIR)
		PlugStackConfig=$work/plugstack.conf
		$(takeover_subst STRAGGLER_SETTING)=straggler
	CONF
	for i in 1 2; do
		{ cat "$work/slurm.conf"
			printf 'SlurmctldPidFile=%s\nSlurmctldLogFile=%s\n' "$work/ctl$i.pid" "$work/ctl$i.log"; } \
				>"$work/ctl$i.conf"
	done
	printf 'Controller=127.0.0.20\nPort=6829\nMungeSocket=%s\nDirectory=%s/progress/%%n\n%s\n%s\n%s\n' \
		"$work/munge/socket" "$work" Window=1 Silence=30 MinAge=2 \
		>"$work/straggler.conf"
	echo "required $plugins/spank_speculate.so conf=$work/straggler.conf${agent:+ agent=$agent}" >"$work/plugstack.conf"
	# slurmd looks for cgroups even if no plugin wants them, and ends without /sys/fs/cgroup unless a version is named.
	echo "CgroupPlugin=cgroup/v1" >"$work/cgroup.conf"
	SLURM_CONF=$work/slurm.conf
	export SLURM_CONF
}

# As on a slow NFS: each name that goes takes a moment.  And when $work/readonly is there, as on a file system that the
# kernel has made read-only: nothing in the state folder can be written, through open descriptors neither (a mount cannot
# be made so while they are open).
takeover_slow() {
	cat >"$work/slow.c" <<-'CODE' &&
		#define _GNU_SOURCE
		#include <errno.h>
		#include <fcntl.h>
		#include <stdarg.h>
		#include <stdio.h>
		#include <string.h>
		#include <sys/syscall.h>
		#include <unistd.h>
		static int refused(const char *path)
		{
			if (!strstr(path, "/state/") || syscall(SYS_access, FLAG, F_OK) < 0)
				return 0;
			errno = EROFS;
			return 1;
		}
		static int fd_refused(int fd)
		{
			char name[64], target[4096] = "";
			if (syscall(SYS_access, FLAG, F_OK) < 0)
				return 0;
			snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
			return readlink(name, target, sizeof(target) - 1) > 0 && refused(target);
		}
		static int opened(const char *path, int flags, mode_t mode)
		{
			return (flags & (O_ACCMODE | O_CREAT | O_TRUNC)) && refused(path) ? -1 :
				(int) syscall(SYS_openat, AT_FDCWD, path, flags, mode);
		}
		#define OPEN(name) int name(const char *path, int flags, ...) \
		{ \
			va_list args; \
			mode_t mode; \
			va_start(args, flags); \
			mode = va_arg(args, mode_t); \
			va_end(args); \
			return opened(path, flags, mode); \
		}
		OPEN(open)
		OPEN(open64)
		#define CREAT(name) int name(const char *path, mode_t mode) \
		{ \
			return opened(path, O_CREAT | O_WRONLY | O_TRUNC, mode); \
		}
		CREAT(creat)
		CREAT(creat64)
		ssize_t write(int fd, const void *bytes, size_t len)
		{
			return fd_refused(fd) ? -1 : syscall(SYS_write, fd, bytes, len);
		}
		int rename(const char *from, const char *to)
		{
			return refused(to) ? -1 : (int) syscall(SYS_renameat, AT_FDCWD, from, AT_FDCWD, to);
		}
		int link(const char *from, const char *to)
		{
			return refused(to) ? -1 : (int) syscall(SYS_linkat, AT_FDCWD, from, AT_FDCWD, to, 0);
		}
		int unlink(const char *path)
		{
			if (refused(path))
				return -1;
			if (strstr(path, "/state/"))
				usleep(200000);
			return (int) syscall(SYS_unlinkat, AT_FDCWD, path, 0);
		}
	CODE
	${CC:-cc} -shared -fPIC -DFLAG="\"$work/readonly\"" -o "$work/slow.so" "$work/slow.c"
}

munged_start() {
	munged --foreground --force --socket="$work/munge/socket" --key-file="$work/munge/key" --pid-file="$work/munge/pid" \
		--seed-file="$work/munge/seed" --log-file="$work/munge/log" >/dev/null 2>&1 &
	munged_pid=$!
	wait_for 30 munge -n -S "$work/munge/socket"
}
slurmds_start() {
	for i in $(seq 0 "$last"); do
		mkdir -p "$work/nodes/n$i" &&
			{ slurmd -D -N "n$i" -f "$work/slurm.conf" >/dev/null 2>&1 & echo $! >"$work/nodes/n$i.wait"; }
	done
}
# What slurmctld was told and had not saved when it was killed it does not know any more: jobs that had ended run for ever,
# until their node registers, which takes half an hour; a slurmd that is sent SIGHUP registers at once.
slurmds_register() {
	for i in $(seq 0 "$last"); do kill -HUP "$(cat "$work/nodes/n$i.wait")" || return; done
}
# ctl_start 1|2
ctl_start() {
	SLURM_CONF=$work/ctl$1.conf LD_PRELOAD=$work/slow.so unshare --uts sh \
		-c 'hostname "$1" && exec slurmctld -D -f "$2"' ctl "ctl$1" "$work/ctl$1.conf" >>"$work/ctl$1.err" 2>&1 &
	eval "ctl$1_pid=$!"
}
ctl_pid() { eval "echo \$ctl$1_pid"; }
ctl_lives() { kill -0 "$(ctl_pid "$1")" 2>/dev/null; }
# The latest thing that it has become is "up" (primary) or "background".
ctl_role() {
	sed -n 's/.*Running as primary controller.*/primary/p;s/.*running in background mode.*/backup/p' "$work/ctl$1.log" \
		2>/dev/null | tail -n 1
}
ctl_is() { ctl_lives "$1" && [ "$(ctl_role "$1")" = "$2" ]; }
ctl_answers() { scontrol ping | grep -q "at ctl$1 is UP" && status >/dev/null 2>&1; }
# ctl_kill N: at once, and its helper process with it.
ctl_kill() {
	kill -9 "$(ctl_pid "$1")" && wait "$(ctl_pid "$1")" 2>/dev/null
	sed -i 's/^/before: /' "$work/ctl$1.log"
}
status() { windtunnel straggler status --json --conf "$work/straggler.conf" "$@"; }

# What is left when all has been said: nothing of ours may live on.
takeover_end() {
	for i in 1 2; do kill -CONT "$(ctl_pid $i)"; kill -9 "$(ctl_pid $i)"; done 2>/dev/null
	kill -CONT "$munged_pid" 2>/dev/null
	for i in $(seq 0 "${last:-0}"); do kill "$(cat "$work/nodes/n$i.wait")"; done 2>/dev/null
	kill "$munged_pid" 2>/dev/null
	for i in $(pids_here); do kill -9 "$i"; done 2>/dev/null
	umount /etc/hosts "$work/state"
}
# All processes in this network namespace but this one.
pids_here() {
	here=$(readlink /proc/self/ns/net) && for i in /proc/[0-9]*; do
		[ "$(readlink "$i/ns/net" 2>/dev/null)" != "$here" ] || [ "${i#/proc/}" = "$$" ] || echo "${i#/proc/}"
	done
}

# Seven tasks of 16 steps of STEP s (0.5); those on n3 take 24 times as long.  Publishing takes 2 s.  With HOLD set they
# wait after their steps for a file "go" or "go.TASK": what slurmctld was told and had not saved when it was killed it
# does not know any more, and jobs whose end it was told so run for ever.
takeover_task() {
	cat >"$work/task" <<-'TASK' && chmod 755 "$work/task"
		#!/bin/sh
		echo "$SLURM_ARRAY_TASK_ID $WT_ATTEMPT $SLURM_JOB_ID $WT_INSTANCE $SLURMD_NODENAME" >>"$OUT/starts"
		step=${STEP:-0.5} i=0
		[ "$SLURMD_NODENAME" = n3 ] && step=$(awk "BEGIN { print 24 * $step }")
		while [ $i -lt 16 ]; do
			sleep $step
			i=$((i + 1))
			wt-progress $i 16
		done
		until [ -z "$HOLD" ] || [ -e "$OUT/go" ] || [ -e "$OUT/go.$SLURM_ARRAY_TASK_ID" ]; do sleep 0.1; done
		>"$OUT/asking.$SLURM_ARRAY_TASK_ID.$WT_ATTEMPT"
		wt-commit sh -c ">$OUT/publishing.$SLURM_ARRAY_TASK_ID.$WT_ATTEMPT; sleep 2;
	echo $SLURM_ARRAY_TASK_ID $WT_ATTEMPT >>$OUT/done" || [ $? = 75 ]
	TASK
}
array_submit() {
	OUT=$1
	mkdir "$OUT" && : >"$OUT/starts" && : >"$OUT/done"
	job=$(OUT=$OUT sbatch --parsable -n1 -o "$OUT/o.%A_%a" --speculate --array=0-6 --export=ALL "$work/task")
}
copy_saved() { grep -q "attempt2" "$work/state/job_state"; }	# its output's name
copy_runs() { grep -q "^[0-9]* 2 " "$OUT/starts"; }
any() { for file in "$@"; do [ -e "$file" ] && return; done; false; }
empty() { queue=$(squeue -h) && [ -z "$queue" ]; }
once() { cut -d' ' -f1 "$OUT/done" | sort | uniq -c | awk '$1 == 1' | wc -l; }
twice() { cut -d' ' -f1 "$OUT/done" | sort | uniq -c | awk '$1 > 1' | wc -l; }
split_brain() { grep -h -e "Two slurmctld daemons" "$work"/ctl[12].log "$work"/ctl[12].err; }
