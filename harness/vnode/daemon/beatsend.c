/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "straggler/protocol/channel.h"
#include "harness/vnode/daemon/beatsend.h"

#define ASK_MS 5000		/* as wt-agentd */

struct conf {			/* never freed before the end: threads may use an old one */
	struct conf *before;
	struct straggler_conf conf;
};

struct node {
	struct channel channel;
	atomic_uint waiting;
};

struct sender {
	struct wt_beatsend *all;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t more;
	struct wt_beatsend_report *first, **last;
	struct port_message message;	/* too large for a stack */
	bool started;
};

struct wt_beatsend {
	char *path;
	struct timespec read;	/* of the file's change that was read last */
	_Atomic(struct conf *) conf;
	uint32_t node_count;
	struct node *nodes;
	struct sender senders[WT_BEATSEND_THREADS];
	atomic_bool ending;
	_Atomic uint64_t reports, beats, failed;
};

static void beat_fill(struct port_message *message, const struct wt_beatsend_report *report, uint32_t from)
{
	for (message->count = 0; from < report->count && message->count < PORT_RECORDS_MAX; from++, message->count++) {
		const struct wt_beatsend_record *r = &report->records[from];

		message->records[message->count] = (struct beat_record) {
			.job_id = r->job_id, .restart = r->restart, .flags = r->ended ? BEAT_END : 0,
			.elapsed_us = r->elapsed_us > 0 ? (uint64_t) r->elapsed_us : 0, .progress = r->progress,
		};
	}
}

static void report_send(struct sender *sender, const struct wt_beatsend_report *report)
{
	struct wt_beatsend *s = sender->all;
	struct node *node = &s->nodes[report->node];
	struct conf *conf = atomic_load(&s->conf);
	struct port_message *message = &sender->message;

	/* straggler.conf was read anew: port, key or window may be others, and a session with the old ones is of no use. */
	if (node->channel.ask.conf != &conf->conf) {
		channel_end(&node->channel);
		channel_begin(&node->channel, &conf->conf);
	}
	for (uint32_t at = 0; at < report->count; at += message->count) {
		beat_fill(message, report, at);
		message->kind = PORT_REPORT;
		message->window_ms = (uint32_t) (conf->conf.spec.window_s * 1000);
		memcpy(message->node, report->name, sizeof(message->node));
		/* Not tried again: the report of the next window says more than this one. */
		if (atomic_load(&s->ending) || channel_report(&node->channel, message, ASK_MS, NULL) < 0) {
			s->failed++;
			continue;
		}
		s->reports++;
		s->beats += message->count;
	}
}

static struct wt_beatsend_report *report_take(struct sender *sender)
{
	struct wt_beatsend_report *report;

	pthread_mutex_lock(&sender->lock);
	/* In a loop: pthread_cond_wait () may return without a signal. */
	while (!sender->first && !atomic_load(&sender->all->ending))
		pthread_cond_wait(&sender->more, &sender->lock);
	report = sender->first;
	if (report) {
		sender->first = report->next;
		if (!sender->first)
			sender->last = &sender->first;
	}
	pthread_mutex_unlock(&sender->lock);
	return report;
}

static void *send_all(void *arg)
{
	struct sender *sender = arg;
	struct wt_beatsend_report *report;

	pthread_setname_np(pthread_self(), "heartbeats");
	while ((report = report_take(sender))) {
		report_send(sender, report);
		sender->all->nodes[report->node].waiting--;
		free(report);
	}
	return NULL;
}

static int sender_start(struct wt_beatsend *s, struct sender *sender)
{
	sigset_t all, old;
	int rc;

	sender->all = s;
	sender->last = &sender->first;
	pthread_mutex_init(&sender->lock, NULL);
	pthread_cond_init(&sender->more, NULL);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);	/* signals are the loop's */
	rc = pthread_create(&sender->thread, NULL, send_all, sender);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	sender->started = rc == 0;
	return rc;
}

struct wt_beatsend *wt_beatsend_create(const char *conf, uint32_t node_count, struct wt_error *errp)
{
	struct wt_beatsend *s = calloc(1, sizeof(*s));
	int rc = s && (s->path = strdup(conf)) && (s->nodes = calloc(node_count, sizeof(*s->nodes))) ? 0 : ENOMEM;

	for (uint32_t i = 0; rc == 0 && i < node_count; i++)
		channel_begin(&s->nodes[i].channel, NULL);
	if (s)
		s->node_count = node_count;
	for (int i = 0; rc == 0 && i < WT_BEATSEND_THREADS; i++)
		rc = sender_start(s, &s->senders[i]);
	if (rc == 0)
		return s;
	wt_beatsend_destroy(s);
	wt_error_errno(errp, rc, "threads for heartbeats");
	return NULL;
}

void wt_beatsend_destroy(struct wt_beatsend *s)
{
	struct conf *conf;

	if (!s)
		return;
	atomic_store(&s->ending, true);
	for (int i = 0; i < WT_BEATSEND_THREADS; i++) {
		struct sender *sender = &s->senders[i];

		if (!sender->started)
			continue;
		/* Under the lock: between the thread's look at 'ending' and its wait the signal would be lost. */
		pthread_mutex_lock(&sender->lock);
		pthread_cond_signal(&sender->more);
		pthread_mutex_unlock(&sender->lock);
		pthread_join(sender->thread, NULL);
	}
	for (uint32_t i = 0; s->nodes && i < s->node_count; i++)
		channel_end(&s->nodes[i].channel);
	while ((conf = atomic_load(&s->conf))) {
		atomic_store(&s->conf, conf->before);
		free(conf);
	}
	free(s->nodes);
	free(s->path);
	free(s);
}

int64_t wt_beatsend_follow(struct wt_beatsend *s, struct wt_error *errp)
{
	struct conf *old = atomic_load(&s->conf), *conf;
	struct stat st;

	if (stat(s->path, &st) < 0)
		return wt_error_errno(errp, errno, "%s", s->path);
	/* stat () before the reading: a change in between is then seen at the next look, and never missed. */
	if (!old || st.st_mtim.tv_sec != s->read.tv_sec || st.st_mtim.tv_nsec != s->read.tv_nsec) {
		conf = calloc(1, sizeof(*conf));
		if (!conf)
			return wt_error_errno(errp, ENOMEM, "%s", s->path);
		if (straggler_conf_read(&conf->conf, s->path, errp) < 0) {
			free(conf);
			return -1;
		}
		conf->before = old;
		s->read = st.st_mtim;
		atomic_store(&s->conf, conf);
		old = conf;
	}
	return (int64_t) (old->conf.spec.window_s * 1e6);
}

void wt_beatsend_put(struct wt_beatsend *s, struct wt_beatsend_report *report)
{
	struct sender *sender = &s->senders[report->node % WT_BEATSEND_THREADS];

	if (!atomic_load(&s->conf) || atomic_load(&s->nodes[report->node].waiting) >= WT_BEATSEND_WAITING) {
		s->failed++;
		free(report);
		return;
	}
	/* Before its thread can see the report, which counts it down again. */
	s->nodes[report->node].waiting++;
	report->next = NULL;
	pthread_mutex_lock(&sender->lock);
	*sender->last = report;
	sender->last = &report->next;
	pthread_cond_signal(&sender->more);
	pthread_mutex_unlock(&sender->lock);
}

struct wt_beatsend_counts wt_beatsend_counts(const struct wt_beatsend *s)
{
	return (struct wt_beatsend_counts) { .reports = s->reports, .beats = s->beats, .failed = s->failed };
}
