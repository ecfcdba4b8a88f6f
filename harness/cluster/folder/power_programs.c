/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include "harness/cluster/conf/clusterinfo.h"
#include "harness/cluster/folder/clusterdir.h"
#include "harness/cluster/folder/power_programs.h"
#include "lib/clock.h"
#include "lib/str.h"

#define SLEEP_BYTES 32
#define RETRY_US 200000
#define LINE_BYTES_MAX (1u << 20)	/* with its end: the nodes' process hangs up on longer ones */

/* This command, quoted for the shell; the caller frees it. */
static char *self_quoted(void)
{
	char self[PATH_MAX];
	ssize_t len = readlink("/proc/self/exe", self, sizeof(self) - 1);

	if (len <= 0)
		return NULL;
	self[len] = '\0';
	return wt_str_shell_quote(self);
}

/* slurmctld gives its programs no PATH. */
static void sleep_print(char text[SLEEP_BYTES], double slow_s)
{
	*text = '\0';
	if (slow_s > 0)
		snprintf(text, SLEEP_BYTES, "/bin/sleep %.3f\n", slow_s);
}

char *wt_power_program_text(const char *verb, double slow_s)
{
	char slow[SLEEP_BYTES], *quoted = self_quoted(), *text;

	sleep_print(slow, slow_s);
	text = quoted ? wt_str_format("#!/bin/sh\n%sexec %s node %s \"$1\"\n", slow, quoted, verb) : NULL;
	free(quoted);
	return text;
}

/* Each takes the nodes and the seconds that are left. */
static const struct {
	const char *action, *text;
} notice_actions[] = {
	{ "drain", "exec scontrol update NodeName=\"$1\" State=drain Reason=\"$reason\"\n" },
	{ "power-down-asap", "exec scontrol update NodeName=\"$1\" State=power_down_asap Reason=\"$reason\"\n" },
	{ "power-down-force", "exec scontrol update NodeName=\"$1\" State=power_down_force Reason=\"$reason\"\n" },
	/* Drained first, or the jobs might begin there again.  A job that has its nodes and has not begun is configuring,
	 * and would begin on a drained one. */
	{ "requeue", "scontrol update NodeName=\"$1\" State=drain Reason=\"$reason\"\n"
		     "jobs=$(squeue -h -t running,configuring -w \"$1\" -o %A | sort -nu | tr '\\n' ,)\n"
		     "[ -z \"$jobs\" ] || exec scontrol requeue \"${jobs%,}\"\n" },
};

/* The begin of a program that speaks to slurmctld.  Returns false with ENOMEM. */
static bool begin_print(struct wt_str *s, const char *dir)
{
	char *quoted = wt_str_shell_quote(dir), *bin = wt_str_shell_quote(*SLURM_BINDIR ? SLURM_BINDIR : SLURM_CLIENTDIR);
	bool complete = quoted && bin;

	if (complete)
		wt_str_printf(s, "#!/bin/sh\nexport SLURM_CONF=%s/slurm.conf PATH=%s:/usr/local/bin:/usr/bin:/bin\n", quoted,
			      bin);
	free(quoted);
	free(bin);
	return complete;
}

/* A machine's address is known as soon as it begins to boot.  No argument may have more than 128 KiB: some at a time. */
static const char addresses_tell[] =
	"status=$?\n"
	"%s node address \"$1\" | awk '{ nodes = nodes comma $1; addresses = addresses comma $2; comma = \",\" }\n"
	"	NR %% 1000 == 0 { print nodes, addresses; nodes = addresses = comma = \"\" }\n"
	"	END { if (comma) print nodes, addresses }' | while read -r nodes addresses; do\n"
	"	scontrol update NodeName=\"$nodes\" NodeAddr=\"$addresses\"\n"
	"done\n"
	"exit $status\n";

char *wt_power_on_text(const char *dir, double slow_s)
{
	char slow[SLEEP_BYTES], *self = self_quoted(), *text = NULL;
	struct wt_str s = { 0 };

	sleep_print(slow, slow_s);
	if (self && begin_print(&s, dir)) {
		wt_str_printf(&s, "%s%s node on \"$1\"\n", slow, self);
		wt_str_printf(&s, addresses_tell, self);
		text = wt_str_take(&s);
	}
	wt_str_clear(&s);
	free(self);
	return text;
}

char *wt_power_fail_text(const char *dir, const char *action, double slow_s)
{
	char slow[SLEEP_BYTES], *self = self_quoted(), *own = wt_str_shell_quote(action), *text = NULL;
	struct wt_str s = { 0 };

	sleep_print(slow, slow_s);
	if (self && own && begin_print(&s, dir)) {
		if (*action == '/')
			wt_str_printf(&s, "%sexec %s \"$1\"\n", slow, own);
		else
			wt_str_printf(&s, "%s%s node drop \"$1\" || exit 1\n", slow, self);
		/* The next job that gets them boots them again. */
		if (!strcmp(action, "resume"))
			wt_str_add(&s, "exec scontrol update NodeName=\"$1\" State=resume\n");
		text = wt_str_take(&s);
	}
	wt_str_clear(&s);
	free(self);
	free(own);
	return text;
}

char *wt_power_notice_text(const char *dir, const char *action)
{
	char *own = *action == '/' ? wt_str_shell_quote(action) : NULL, *text = NULL;
	struct wt_str s = { 0 };

	if (begin_print(&s, dir)) {
		wt_str_printf(&s, "reason=\"spot: taken back in $2 s\"\n");
		for (size_t i = 0; i < sizeof(notice_actions) / sizeof(notice_actions[0]); i++)
			if (!strcmp(action, notice_actions[i].action))
				wt_str_add(&s, notice_actions[i].text);
		if (own)
			wt_str_printf(&s, "exec %s \"$1\" \"$2\"\n", own);
		text = *action == '/' && !own ? NULL : wt_str_take(&s);
	}
	wt_str_clear(&s);
	free(own);
	return text;
}

/* A node that is down loses its job, which Slurm requeues at once and may give other nodes.  power_down ends the wait for
 * its boot: behind it a resume makes it one that is off, and not one that boots. */
static void stock_out_print(struct wt_str *s, const char *action)
{
	wt_str_add(s, "reason='stock-out: there is no machine'\n");
	if (!strcmp(action, "power-down-force")) {
		wt_str_add(s, "exec scontrol update NodeName=\"$1\" State=power_down_force Reason=\"$reason\"\n");
		return;
	}
	wt_str_add(s, "scontrol update NodeName=\"$1\" State=down Reason=\"$reason\" &&\n"
		   "scontrol update NodeName=\"$1\" State=power_down || exit 1\n");
	if (!strncmp(action, "down:", 5))
		wt_str_printf(s, "sleep %s\nexec scontrol update NodeName=\"$1\" State=resume\n", action + 5);
}

char *wt_power_stock_out_text(const char *dir, const char *action)
{
	char *own = wt_str_shell_quote(action), *text = NULL;
	struct wt_str s = { 0 };

	if (own && begin_print(&s, dir)) {
		if (*action == '/')
			wt_str_printf(&s, "exec %s \"$1\"\n", own);
		else
			stock_out_print(&s, action);
		text = wt_str_take(&s);
	}
	wt_str_clear(&s);
	free(own);
	return text;
}

static int line_send(int fd, const char *line)
{
	size_t len = strlen(line), done = 0;

	while (done < len) {
		ssize_t n = send(fd, line + done, len - done, MSG_NOSIGNAL);

		if (n < 0 && errno != EINTR)
			return -1;
		done += n > 0 ? (size_t) n : 0;
	}
	return send(fd, "\n", 1, MSG_NOSIGNAL) == 1 ? 0 : -1;
}

/* The answer's line; NULL: there is none. */
static char *line_receive(int fd)
{
	struct wt_str s = { 0 };
	char buf[4096];
	ssize_t n;

	do {
		n = recv(fd, buf, sizeof(buf), 0);
		if (n > 0)
			wt_str_add_bytes(&s, buf, (size_t) n);
	} while ((n < 0 && errno == EINTR) || (n > 0 && !memchr(buf, '\n', (size_t) n)));
	if (n == 0)
		errno = ECONNRESET;
	if (n <= 0 || s.failed) {
		wt_str_clear(&s);	/* errno is preserved */
		return NULL;
	}
	s.text[strcspn(s.text, "\n")] = '\0';
	return wt_str_take(&s);
}

/* One try; NULL with errno: the node process has not answered.  EAGAIN: it is there, and was silent for 'patience_s' of
 * real time. */
static char *ask_once(const struct sockaddr_un *address, const char *line, unsigned int patience_s)
{
	const struct timeval silence = { .tv_sec = patience_s ? patience_s : 1 };	/* 0 would be no limit */
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0), saved_errno;
	char *text = NULL;

	if (fd < 0)
		return NULL;
	if (setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &silence, sizeof(silence)) == 0 &&
	    setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &silence, sizeof(silence)) == 0 &&
	    connect(fd, (const struct sockaddr *) address, sizeof(*address)) == 0) {
		errno = ECONNRESET;
		if (line_send(fd, line) == 0)
			text = line_receive(fd);
	}
	saved_errno = errno;
	close(fd);
	errno = saved_errno;
	return text;
}

static int answer_judge(char *text, char **answer, struct wt_error *errp)
{
	int rc = 0;

	if (strncmp(text, "ok ", 3))
		rc = wt_error_set(errp, EINVAL, "%s", !strncmp(text, "error ", 6) ? text + 6 : text);
	else if (answer && !(*answer = strdup(text + 3)))
		rc = wt_error_errno(errp, ENOMEM, "answer");
	free(text);
	return rc;
}

int wt_power_folder_check(const char *dir, struct wt_error *errp)
{
	char *path = wt_str_format("%s/cluster.json", dir);
	struct wt_clusterinfo info;
	int rc = 0;

	if (!path)
		return wt_error_errno(errp, ENOMEM, "%s", dir);
	if (access(path, F_OK) < 0) {
		rc = wt_error_set(errp, ENOENT, "%s: no emulated cluster is there", dir);
	} else if (wt_clusterinfo_load(dir, &info, errp) < 0) {
		rc = -1;
	} else {
		if (!wt_clusterdir_busy(dir))
			rc = wt_error_set(errp, ESHUTDOWN, "cluster '%s' does not run any more: its supervisor has ended",
					  info.name);
		else if (info.hosts.count)
			rc = wt_error_set(errp, ENOTSUP, "cluster '%s' has its nodes on hosts of their own, which switch "
					  "none", info.name);
		wt_clusterinfo_clear(&info);
	}
	free(path);
	return rc;
}

int wt_power_ask(const char *dir, const char *line, unsigned int patience_s, char **answer, struct wt_error *errp)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	const struct wt_clock *clock = wt_clock_own();
	int64_t until_us = wt_clock_now_us(clock) + patience_s * INT64_C(1000000);
	char *text;

	if ((size_t) snprintf(address.sun_path, sizeof(address.sun_path), "%s/" WT_POWER_SOCKET, dir) >=
	    sizeof(address.sun_path))
		return wt_error_errno(errp, ENAMETOOLONG, "%s/" WT_POWER_SOCKET, dir);
	if (strlen(line) >= LINE_BYTES_MAX)
		return wt_error_set(errp, E2BIG, "the list of nodes has %zu bytes: %u are the most", strlen(line),
				    LINE_BYTES_MAX);
	while (!(text = ask_once(&address, line, patience_s))) {
		int64_t now_us = wt_clock_now_us(clock);

		if (errno == EAGAIN)
			return wt_error_set(errp, ETIMEDOUT, "the nodes' process does not answer (%s)", address.sun_path);
		if (errno == EACCES || now_us >= until_us)
			return wt_error_set(errp, errno, "the nodes' process cannot be asked (%s: %s)", address.sun_path,
					    strerror(errno));
		wt_clock_sleep_until_us(clock, now_us + RETRY_US);
	}
	return answer_judge(text, answer, errp);
}
