/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Nodes on other hosts: for each host an engine (clush, ssh ...) that runs "windtunnel cluster host" there, which has its
 * part of the cluster (host.c).  What passes between them: doc/formats.md. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <jansson.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "harness/cluster/folder/hosts_json.h"
#include "harness/cluster/folder/logtail.h"
#include "harness/cluster/folder/part_spec.h"
#include "harness/cluster/supervisor/supervisor_private.h"
#include "lib/clock.h"
#include "lib/csv.h"
#include "lib/fs.h"
#include "lib/str.h"

#define BEAT_S 2.0
#define SILENCE_US ((int64_t) 20 * 1000000)	/* from a host that speaks each second */
#define LINE_MAX_BYTES 8192
#define CHATTER_MAX 20	/* lines of others on the way, a remote shell's greeting, say, that are written down */

struct sup_host {
	struct sup *sup;
	const struct wt_host *host;
	struct wt_host_state *state;	/* in sup_hosts.states */
	struct keeper keeper;		/* the engine */
	char **argv;
	int to, from;			/* its stdin and stdout; -1: none */
	ev_io to_io, from_io;
	char *out;			/* what it has still to be told */
	size_t out_len, out_at;
	char line[LINE_MAX_BYTES];
	size_t len;
	int64_t heard_us;
	unsigned int chatter;		/* lines that were none of ours */
	bool refused;			/* it said why it ends */
	char why[512];
};

struct sup_hosts {
	char *log;			/* what all engines write to stderr */
	int events;			/* the cluster's nodes/events.csv; -1: cannot be written */
	ev_timer beat;
	struct wt_host_state *states;	/* of all hosts, in the order of info.hosts */
	size_t count;
	struct sup_host hosts[];
};

static void states_save(struct sup *sup)
{
	struct wt_error err;

	if (sup_folder_is_ours(sup) && wt_hosts_json_save(sup->info.dir, sup->hosts->states, sup->hosts->count, &err) < 0)
		sup_log(sup, "%s", err.text);
}

static void state_set(struct sup_host *h, enum wt_host_phase phase)
{
	if (h->state->phase == phase)
		return;
	h->state->phase = phase;
	states_save(h->sup);
}

/* ---- to the host ---- */

static void ends_close(struct sup_host *h)
{
	if (h->to >= 0) {
		ev_io_stop(h->sup->loop, &h->to_io);
		close(h->to);
	}
	if (h->from >= 0) {
		ev_io_stop(h->sup->loop, &h->from_io);
		close(h->from);
	}
	h->to = h->from = -1;
	free(h->out);
	h->out = NULL;
	h->out_len = h->out_at = 0;
	h->len = 0;
}

static void out_flush(struct sup_host *h)
{
	ssize_t n = h->to < 0 || !h->out ? 0 : write(h->to, h->out + h->out_at, h->out_len - h->out_at);

	if (n > 0)
		h->out_at += (size_t) n;
	/* One that is gone is noticed by the end of its output. */
	if (h->out_at < h->out_len && n < 0 && errno != EAGAIN && errno != EINTR)
		h->out_at = h->out_len;
	if (h->out_at < h->out_len)
		return;
	free(h->out);
	h->out = NULL;
	h->out_len = h->out_at = 0;
	if (h->to >= 0)
		ev_io_stop(h->sup->loop, &h->to_io);
}

static void to_cb(struct ev_loop *loop, ev_io *w, int revents)
{
	(void) loop;
	(void) revents;
	out_flush(w->data);
}

static void host_tell(struct sup_host *h, const char *text)
{
	size_t len = strlen(text);
	char *longer = h->to < 0 ? NULL : realloc(h->out, h->out_len + len);

	if (!longer)
		return;
	memcpy(longer + h->out_len, text, len);
	h->out = longer;
	h->out_len += len;
	ev_io_start(h->sup->loop, &h->to_io);
	out_flush(h);
}

/* ---- from the host ---- */

static void running_set(struct sup_host *h, uint32_t running)
{
	struct sup *sup = h->sup;

	if (h->state->running == running)
		return;
	sup->state.nodes.running += running - h->state->running;
	h->state->running = running;
	states_save(sup);
	sup_state_save(sup);
	sup->frame->changed(sup);
}

static void event_add(struct sup_host *h, char *row)
{
	size_t len = strlen(row);

	row[len] = '\n';	/* in the place of the NUL, behind which the line's buffer goes on */
	if (h->sup->hosts->events >= 0 && write(h->sup->hosts->events, row, len + 1) != (ssize_t) len + 1)
		sup_log(h->sup, "host %s: a row of its events is lost: %s", h->host->name, strerror(errno));
	row[len] = '\0';
}

static void refused(struct sup_host *h, const char *text)
{
	char *end;
	long errnum = strtol(text, &end, 10);

	h->refused = true;
	snprintf(h->why, sizeof(h->why), "%s", *end == ' ' ? end + 1 : text);
	wt_str_make_utf8(h->why);
	sup_log(h->sup, "host %s: %s", h->host->name, h->why);
	if (h->sup->step < SUP_STEP_UP)
		sup_fail(h->sup, errnum > 0 && errnum < 4096 ? (int) errnum : EIO, "host %s: %s", h->host->name, h->why);
}

/* For the runs on this cluster (hosts_json.h).  It is told in the log, too: a full disk costs no more than that. */
static void happened(struct sup_host *h, const char *event, const char *why)
{
	char *path = wt_clusterinfo_path(&h->sup->info, WT_HOST_EVENTS_FILE), nodes[40];
	FILE *out = path ? fopen(path, "ae") : NULL;
	struct wt_csv csv = { .out = out };

	free(path);
	if (!out)
		return;
	if (ftell(out) == 0)
		fputs(WT_HOST_EVENTS_HEADER "\n", out);
	if (h->host->count > 1)
		snprintf(nodes, sizeof(nodes), "n[%" PRIu32 "-%" PRIu32 "]", h->host->first,
			 h->host->first + h->host->count - 1);
	else
		snprintf(nodes, sizeof(nodes), "n%" PRIu32, h->host->first);
	wt_csv_text(&csv, event);
	wt_csv_seconds(&csv, (double) wt_clock_now_us(wt_clock_real()) / 1e6);
	wt_csv_text(&csv, nodes);
	wt_csv_text(&csv, nodes);
	wt_csv_text(&csv, h->host->name);
	wt_csv_text(&csv, why);
	wt_csv_end(&csv);
	fclose(out);
}

static void up_again(struct sup_host *h)
{
	struct sup *sup = h->sup;

	if (h->state->phase == WT_HOST_LOST)
		happened(h, "host back", "");
	if (h->state->phase == WT_HOST_LOST || h->state->losses)
		sup_log(sup, "host %s: is there again, its %" PRIu32 " nodes run", h->host->name, h->host->count);
	keeper_resume(&h->keeper);	/* the next loss is a first one */
	h->keeper.resumed = false;
	state_set(h, WT_HOST_UP);
	/* What all were told while it was away. */
	if (sup->state.nodes.stopped || h->state->stopped)
		host_tell(h, "stop\n");
}

/* One that talks without end must not fill the disk, nor count as a host that speaks. */
static void chatter_note(struct sup_host *h, const char *line)
{
	if (++h->chatter <= CHATTER_MAX)
		sup_log(h->sup, "host %s said: %.200s%s", h->host->name, line, h->chatter == CHATTER_MAX ?
			" (and more, which is not written down)" : "");
}

static void line_take(struct sup_host *h, char *line)
{
	int64_t heard_us = h->heard_us;
	uint64_t n;

	h->heard_us = wt_clock_now_us(wt_clock_real());
	if (line[0] == 'N' && wt_str_to_u64(line + (line[1] == ' ' ? 2 : 1), 0, h->host->count, "N", &n, NULL) == 0)
		running_set(h, (uint32_t) n);
	else if (line[0] == 'V' && line[1] == ' ')
		event_add(h, line + 2);
	else if (!strcmp(line, "U"))
		up_again(h);
	else if (!strcmp(line, "G"))
		state_set(h, WT_HOST_ENDED);
	else if (line[0] == 'E' && line[1] == ' ')
		refused(h, line + 2);
	else if (line[0] == 'L' && line[1] == ' ')
		sup_log(h->sup, "host %s: %s", h->host->name, line + 2);
	else {
		h->heard_us = heard_us;
		chatter_note(h, line);
	}
}

static void lines_take(struct sup_host *h)
{
	char *line = h->line, *end;

	h->line[h->len] = '\0';
	while ((end = memchr(line, '\n', h->len - (size_t) (line - h->line)))) {
		*end = '\0';
		line_take(h, line);
		line = end + 1;
	}
	h->len -= (size_t) (line - h->line);
	memmove(h->line, line, h->len);
	if (h->len == sizeof(h->line) - 1)	/* no line of ours is so long */
		h->len = 0;
}

static void from_cb(struct ev_loop *loop, ev_io *w, int revents)
{
	struct sup_host *h = w->data;
	ssize_t n = read(h->from, h->line + h->len, sizeof(h->line) - 1 - h->len);

	(void) revents;
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return;
	if (n <= 0) {		/* the engine's end follows */
		ev_io_stop(loop, w);
		return;
	}
	h->len += (size_t) n;
	lines_take(h);
}

/* ---- the engine ---- */

static void host_start(struct sup_host *h);

static void restart(struct keeper *k)
{
	struct sup_host *h = k->owner;

	if (!h->sup->stopping)
		host_start(h);
}

static void lost(struct sup_host *h, const char *how)
{
	struct sup *sup = h->sup;
	double seconds = keeper_pause_s(&h->keeper);

	if (h->state->phase != WT_HOST_LOST) {
		h->state->losses++;
		sup_log(sup, "host %s: lost (%s): its %" PRIu32 " nodes are away until it is there again; slurmctld sets "
				    "them DOWN "
			"after SlurmdTimeout", h->host->name, h->why[0] ? h->why : how, h->host->count);
		h->state->phase = WT_HOST_LOST;
		happened(h, "host lost", h->why[0] ? h->why : how);
	}
	snprintf(h->state->why, sizeof(h->state->why), "%.255s", h->why[0] ? h->why : how);
	states_save(sup);
	keeper_after(&h->keeper, seconds, 0.0, restart);
	sup_allocation_ask(sup);
}

/* Behind env(1) and what that sets. */
static const char *engine_name(char **argv)
{
	while (argv[1] && strchr(argv[1], '='))
		argv++;
	return argv[1];
}

static void engine_ended(struct keeper *k, pid_t pid, const char *how)
{
	struct sup_host *h = k->owner;
	struct sup *sup = h->sup;
	char *said;

	(void) pid;
	/* Its last words may still be in the pipe. */
	if (h->from >= 0)
		from_cb(sup->loop, &h->from_io, 0);
	ends_close(h);
	running_set(h, 0);
	if (sup->stopping) {
		sup->frame->ended(sup);
	} else if (sup->step == SUP_STEP_UP) {
		lost(h, how);
	} else if (!h->refused) {
		said = wt_logtail_file(sup->hosts->log, 1);
		sup_fail(sup, ECHILD, "host %s: what runs commands there (%s) ended (%s) and said: %s (%s)", h->host->name,
			 engine_name(h->argv), h->why[0] ? h->why : how, said ? said : "nothing", sup->hosts->log);
		free(said);
	}
}

/* In the child: an engine is found by the supervisor's end and by its own, not as a leftover of the cluster; and what it
 * runs on a host that is this machine gets a key of its own. */
static int engine_prepare(void)
{
	unsetenv(WT_CLUSTER_KEY_ENV);
	unsetenv("SLURM_CONF");
	return 0;
}

static int pipes_open(struct sup_host *h, int child[2])
{
	int in[2], out[2];

	if (pipe2(in, O_CLOEXEC) < 0)
		return -1;
	if (pipe2(out, O_CLOEXEC) < 0) {
		close(in[0]);
		close(in[1]);
		return -1;
	}
	child[0] = in[0];
	child[1] = out[1];
	h->to = in[1];
	h->from = out[0];
	fcntl(h->to, F_SETFL, O_NONBLOCK);
	fcntl(h->from, F_SETFL, O_NONBLOCK);
	ev_io_init(&h->to_io, to_cb, h->to, EV_WRITE);
	ev_io_init(&h->from_io, from_cb, h->from, EV_READ);
	h->to_io.data = h->from_io.data = h;
	ev_io_start(h->sup->loop, &h->from_io);
	return 0;
}

static int engine_run(struct sup_host *h, struct wt_error *errp)
{
	char *spec = part_spec_make(&h->sup->info, h->host, errp), head[32];
	int child[2], rc;

	if (!spec)
		return -1;
	if (pipes_open(h, child) < 0) {
		free(spec);
		return wt_error_errno(errp, errno, "pipe");
	}
	rc = keeper_start_joined(&h->keeper, h->argv, h->sup->hosts->log, engine_prepare, child[0], child[1], errp);
	close(child[0]);
	close(child[1]);
	if (rc == 0) {
		snprintf(head, sizeof(head), "%zu\n", strlen(spec));
		host_tell(h, head);
		host_tell(h, spec);
	} else {
		int saved_errno = errno;

		ends_close(h);
		errno = saved_errno;
	}
	explicit_bzero(spec, strlen(spec));	/* munge's key is in it */
	free(spec);
	return rc;
}

static void host_start(struct sup_host *h)
{
	struct wt_error err;

	h->refused = false;
	h->chatter = 0;
	h->why[0] = '\0';
	h->heard_us = wt_clock_now_us(wt_clock_real());
	if (engine_run(h, &err) == 0) {
		if (h->state->phase == WT_HOST_NONE || h->state->phase == WT_HOST_ENDED)
			state_set(h, WT_HOST_STARTING);
		return;
	}
	if (h->sup->step < SUP_STEP_UP)
		sup_fail(h->sup, errno, "host %s: %s", h->host->name, err.text);
	else
		lost(h, err.text);
}

static void beat_cb(struct ev_loop *loop, ev_timer *w, int revents)
{
	struct sup *sup = w->data;
	int64_t now_us = wt_clock_now_us(wt_clock_real());

	(void) loop;
	(void) revents;
	for (size_t i = 0; i < sup->hosts->count; i++) {
		struct sup_host *h = &sup->hosts->hosts[i];

		if (h->keeper.pid == 0)
			continue;
		/* A hand-over of the specification that takes longer is no silence of ours. */
		if (!h->out)
			host_tell(h, ".\n");
		if (sup->stopping || now_us - h->heard_us < SILENCE_US)
			continue;
		snprintf(h->why, sizeof(h->why), "silent for %d s", (int) (SILENCE_US / 1000000));
		keeper_signal(&h->keeper, SIGKILL);
	}
}

/* ---- for the other parts ---- */

static char **engine_argv(const struct wt_clusterinfo *info, const struct wt_host *host, const char *program)
{
	const char *const words[] = { host->name, program, "cluster", "host" };
	size_t count = sizeof(words) / sizeof(words[0]);
	/* The first host is this machine: no engine is needed, but what a job has on its nodes are its steps. */
	bool here = host == &info->hosts.list[0] && !info->allocation_count;
	size_t before = here ? 0 : info->engine_count, from = here ? 1 : 0;
	char **argv = calloc(before + count + 2, sizeof(*argv));
	size_t n = 0;

	for (size_t i = 0; argv && i < before; i++)
		argv[n++] = strdup(info->engine[i]);
	for (size_t i = from; argv && i < count; i++)
		argv[n++] = strdup(words[i]);
	for (size_t i = 0; argv && i < n; i++)
		if (!argv[i])
			return NULL;
	return argv;
}

static int host_init(struct sup_host *h, const char *program, struct wt_error *errp)
{
	snprintf(h->state->name, sizeof(h->state->name), "%s", h->host->name);
	snprintf(h->state->address, sizeof(h->state->address), "%s", h->host->address);
	h->state->nodes = h->host->count;
	h->state->phase = h->host->count ? WT_HOST_STARTING : WT_HOST_NONE;
	keeper_init(&h->keeper, h->sup->loop, engine_ended, h);
	h->argv = engine_argv(&h->sup->info, h->host, program);
	return h->argv ? 0 : wt_error_errno(errp, ENOMEM, "hosts");
}

int sup_hosts_init(struct sup *sup, struct wt_error *errp)
{
	size_t count = sup->info.hosts.count;
	char program[PATH_MAX], *events;
	ssize_t len = readlink("/proc/self/exe", program, sizeof(program) - 1);
	struct sup_hosts *s;

	if (!count || sup->info.part)
		return 0;
	program[len > 0 ? len : 0] = '\0';
	if (!wt_hosts_word_is_plain(program))
		return wt_error_set(errp, EINVAL, "%s: a remote shell would not take this path as it stands", program);
	sup->hosts = s = calloc(1, sizeof(*s) + count * sizeof(s->hosts[0]));
	events = wt_clusterinfo_path(&sup->info, "nodes/events.csv");
	if (!s || !events || !(s->states = calloc(count, sizeof(*s->states))) ||
	    !(s->log = wt_clusterinfo_path(&sup->info, "hosts.log"))) {
		free(events);
		return wt_error_errno(errp, ENOMEM, "hosts");
	}
	s->events = open(events, O_WRONLY | O_APPEND | O_CLOEXEC);
	free(events);
	if (s->events < 0)
		return wt_error_errno(errp, errno, "nodes/events.csv");
	s->count = count;
	for (size_t i = 0; i < count; i++) {
		s->hosts[i] = (struct sup_host) { .sup = sup, .host = &sup->info.hosts.list[i], .state = &s->states[i],
						  .to = -1, .from = -1 };
		if (host_init(&s->hosts[i], program, errp) < 0)
			return -1;
	}
	sup->state.nodes.total = sup->info.nodes;
	return 0;
}

void sup_hosts_clear(struct sup *sup)
{
	struct sup_hosts *s = sup->hosts;

	for (size_t i = 0; s && i < s->count; i++) {
		for (char **word = s->hosts[i].argv; word && *word; word++)
			free(*word);
		free(s->hosts[i].argv);
		ends_close(&s->hosts[i]);
	}
	if (s) {
		if (s->events >= 0)
			close(s->events);
		free(s->states);
		free(s->log);
	}
	free(s);
	sup->hosts = NULL;
}

void sup_hosts_begin(struct sup *sup)
{
	struct sup_hosts *s = sup->hosts;

	ev_timer_init(&s->beat, beat_cb, BEAT_S, BEAT_S);
	s->beat.data = sup;
	ev_timer_start(sup->loop, &s->beat);
	/* Before anything runs there: "down" looks on all hosts that the file names. */
	states_save(sup);
	for (size_t i = 0; i < s->count && !sup->stopping; i++)
		if (s->hosts[i].host->count)
			host_start(&s->hosts[i]);
}

bool sup_hosts_running(const struct sup *sup)
{
	for (size_t i = 0; sup->hosts && i < sup->hosts->count; i++)
		if (sup->hosts->hosts[i].keeper.pid > 0)
			return true;
	return false;
}

void sup_hosts_signal(struct sup *sup, int sig)
{
	for (size_t i = 0; sup->hosts && i < sup->hosts->count; i++) {
		struct sup_host *h = &sup->hosts->hosts[i];

		keeper_timer_stop(&h->keeper);
		if (sig == SIGKILL)
			keeper_signal(&h->keeper, SIGKILL);
		else if (h->keeper.pid > 0)
			host_tell(h, "end\n");
	}
}

const char *sup_hosts_log(const struct sup *sup)
{
	return sup->hosts->log;
}

uint32_t sup_hosts_ready(const struct sup *sup)
{
	uint32_t ready = 0;

	for (size_t i = 0; i < sup->hosts->count; i++)
		if (sup->hosts->states[i].phase == WT_HOST_UP)
			ready += sup->hosts->states[i].running;
	return ready;
}

int sup_hosts_find(const struct sup *sup, const char *name)
{
	for (size_t i = 0; sup->hosts && i < sup->hosts->count; i++)
		if (sup->hosts->hosts[i].host->count && !strcmp(sup->hosts->hosts[i].host->name, name))
			return (int) i;
	return -1;
}

bool sup_hosts_serve(const struct sup *sup, int which)
{
	for (size_t i = 0; i < sup->hosts->count; i++)
		if ((which < 0 || which == (int) i) && sup->hosts->states[i].running > 0)
			return true;
	return false;
}

void sup_hosts_order(struct sup *sup, int which, const char *order)
{
	bool stopped = strcmp(order, "start") != 0;
	char line[16];

	snprintf(line, sizeof(line), "%s\n", order);
	if (which < 0)
		sup->state.nodes.stopped = stopped;
	for (size_t i = 0; i < sup->hosts->count; i++) {
		if (which >= 0 && which != (int) i)
			continue;
		sup->hosts->states[i].stopped = stopped;
		sup_log(sup, "host %s: its nodes: %s, as asked for", sup->hosts->hosts[i].host->name, order);
		host_tell(&sup->hosts->hosts[i], line);
	}
	states_save(sup);
	sup_state_save(sup);
}
