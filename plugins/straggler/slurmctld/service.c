/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What slurmctld's two threads of ours share.  Of the two locks save_lock is taken first and held while the file is
 * written; the lock of the state is held for moments only, since the port's thread and the jobs' thread both wait for
 * it. */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plugins/straggler/slurmctld/ring.h"
#include "plugins/straggler/slurmctld/service.h"
#include "lib/clock.h"

#define FILE_MORE (64u << 10)	/* that may be put behind twice the whole state until it is written anew */

double service_now_s(void)
{
	return (double) wt_clock_monotonic_us() / 1e6;
}

int service_init(struct service *service, const struct straggler_conf *conf, const char *state_path, struct wt_error *errp)
{
	pthread_mutex_init(&service->lock, NULL);
	pthread_mutex_init(&service->save_lock, NULL);
	service->conf = *conf;
	service->owner_uid = conf->spec.owner_uid;
	service->file_len = service->whole_len = 0;
	service->phase = SERVICE_SHUT;
	service->save_failed = false;
	store_init(&service->store, state_path);
	service->spec = wt_spec_create(&conf->spec, errp);
	service->ring = service->spec ? ring_create() : NULL;	/* after a failure service_fini () is not called */
	if (service->ring)
		wt_spec_listen(service->spec, ring_add, service->ring);
	return service->spec ? 0 : -1;
}

void service_fini(struct service *service)
{
	store_fini(&service->store);
	wt_spec_destroy(service->spec);
	service->spec = NULL;
	ring_destroy(service->ring);
	service->ring = NULL;
}

int service_configure(struct service *service, const struct straggler_conf *conf, struct wt_error *errp)
{
	int rc;

	pthread_mutex_lock(&service->lock);
	rc = wt_spec_configure(service->spec, &conf->spec, errp);
	if (rc == 0)
		service->conf = *conf;
	pthread_mutex_unlock(&service->lock);
	return rc;
}

/* An empty one, with what was read; NULL: that makes no sense, or there is no memory. */
static struct wt_spec *spec_read(const struct service *service, const char *text, size_t len, struct wt_error *errp)
{
	struct wt_spec *spec = wt_spec_create(&service->conf.spec, errp);

	if (!spec || !text || wt_spec_load(spec, text, len, errp) == 0)
		return spec;
	wt_spec_destroy(spec);
	return NULL;
}

static int state_read(struct service *service, struct wt_spec **spec, struct wt_error *errp)
{
	bool short_of;
	char *text;
	size_t len;
	int rc, errnum;

	if (store_take(&service->store, errp) < 0)
		return -1;
	rc = store_read(&service->store, &text, &len, errp);
	if (rc < 0)
		return -1;
	errnum = errno;
	*spec = spec_read(service, text, len, errp);
	short_of = !*spec && errno == ENOMEM;
	free(text);
	if (short_of) {	/* It may be whole: put aside, it would cost all tasks that run their right for good. */
		wt_error_prefix(errp, "%s", service->store.path);
		errno = ENOMEM;
		return -1;
	}
	if (!*spec && rc == 0) {
		wt_error_prefix(errp, "%s", service->store.path);
		rc = store_aside(&service->store, errp);
		errnum = errno;
		*spec = rc < 0 ? NULL : spec_read(service, NULL, 0, errp);
	}
	errno = errnum;
	return *spec ? rc : -1;
}

int service_open(struct service *service, struct wt_error *errp)
{
	struct wt_spec *spec = NULL;
	int rc, errnum;

	pthread_mutex_lock(&service->save_lock);
	rc = state_read(service, &spec, errp);
	errnum = errno;
	service->file_len = service->whole_len = 0;
	pthread_mutex_lock(&service->lock);
	service->phase = rc < 0 ? SERVICE_SHUT : SERVICE_READ;
	if (rc >= 0) {
		wt_spec_destroy(service->spec);
		service->spec = spec;
		if (service->ring)
			wt_spec_listen(spec, ring_add, service->ring);
		/* Until service_begin (): all that slurmctld tells before had begun while the file was lost. */
		wt_spec_doubt(spec, rc > 0);
	}
	pthread_mutex_unlock(&service->lock);
	pthread_mutex_unlock(&service->save_lock);
	errno = errnum;
	return rc;
}

int service_begin(struct service *service, struct wt_error *errp)
{
	int doubted;

	pthread_mutex_lock(&service->lock);
	doubted = wt_spec_doubted(service->spec, errp);
	wt_spec_doubt(service->spec, false);
	/* Written as a whole: the file, if there is one, still names the owner before us. */
	wt_spec_mark(service->spec);
	if (doubted < 0)
		service->phase = SERVICE_SHUT;
	pthread_mutex_unlock(&service->lock);
	if (doubted < 0 || service_save(service) < 0)
		return doubted < 0 ? -1 : wt_error_set(errp, EIO, "%s cannot be written", service->store.path);
	pthread_mutex_lock(&service->lock);
	service->phase = SERVICE_READY;
	pthread_mutex_unlock(&service->lock);
	return doubted;
}

/* What there is to write: NULL when nothing is, or with *rc < 0 no memory. */
static char *changes_take(struct service *service, bool *whole, size_t *len, int *rc, struct wt_error *errp)
{
	char *text = NULL;
	FILE *out = NULL;

	pthread_mutex_lock(&service->lock);
	if (wt_spec_changed(service->spec)) {
		/* Also when the changes have grown to more than the whole, so that the file stays within a small multiple
		 * of what it says. */
		*whole = !service->file_len || service->file_len > 2 * service->whole_len + FILE_MORE ||
			 wt_spec_marked(service->spec);
		out = open_memstream(&text, len);
		if (out && *whole)
			wt_spec_save(service->spec, out);
		else if (out)
			wt_spec_save_changes(service->spec, out);
		if (!out || fclose(out) != 0 || !text) {
			wt_spec_mark(service->spec);
			*rc = wt_error_errno(errp, ENOMEM, "%s", service->store.path);
		}
	}
	pthread_mutex_unlock(&service->lock);
	return text;
}

/* Said once, and once when it works again: a full disk is asked for as often as tasks ask. */
static void save_say(struct service *service, bool failed, const struct wt_error *err)
{
	char text[sizeof(err->text) + PATH_MAX + 128];

	if (failed == service->save_failed)
		return;
	service->save_failed = failed;
	if (!failed)
		snprintf(text, sizeof(text), "%s is written again", service->store.path);
	else if (service->store.fenced)
		snprintf(text, sizeof(text),
			 "%s: this one gives no right to publish and makes no copies any more; end it, or start it again",
			 err->text);
	else
		snprintf(text, sizeof(text), "%s: nobody may publish until that can be written", err->text);
	service->log(failed ? SERVICE_ERROR : SERVICE_INFO, text);
}

/* Whatever was written before counts only if the file was ours afterwards: see state_file.h. */
static int text_save(struct service *service, const char *text, size_t len, bool whole, struct wt_error *errp)
{
	if (text && (whole ? store_replace(&service->store, text, len, errp) : store_append(&service->store, text, len,
											    errp)) < 0)
		return -1;
	return store_check(&service->store, errp);
}

int service_save(struct service *service)
{
	struct wt_error err = { "" };
	bool whole = false, fenced;
	size_t len = 0;
	char *text;
	int rc = 0;

	pthread_mutex_lock(&service->save_lock);
	/* For good: this process never gives a right again, even if the file should look like ours once more. */
	if (service->store.fenced) {
		pthread_mutex_unlock(&service->save_lock);
		return wt_error_set(NULL, ESTALE, "%s", service->store.path);
	}
	text = changes_take(service, &whole, &len, &rc, &err);
	if (rc == 0)
		rc = text_save(service, text, len, whole, &err);
	if (rc < 0) {		/* part of it may be in the file */
		pthread_mutex_lock(&service->lock);
		wt_spec_mark(service->spec);
		service->phase = service->store.fenced ? SERVICE_SHUT : service->phase;
		pthread_mutex_unlock(&service->lock);
	} else if (text) {
		service->saves++;
		service->file_len = whole ? len : service->file_len + len;
		service->whole_len = whole ? len : service->whole_len;
	}
	save_say(service, rc < 0, &err);
	fenced = service->store.fenced;
	pthread_mutex_unlock(&service->save_lock);
	free(text);
	errno = fenced ? ESTALE : errno;	/* whatever the log has made of it */
	return rc;
}

static bool rests_on_winner(const struct wt_spec_action *action)
{
	return action->kind == WT_SPEC_COMPLETE || action->kind == WT_SPEC_REPAIR;
}

/* A slurmctld that is killed after that, and has not written its own file (which its own thread does at most every 5 s),
 * finds in ours which attempt has won, and does it again. */
size_t service_decide(struct service *service, struct wt_spec_action *actions, size_t room)
{
	size_t count = 0, kept = 0;
	bool won = false;

	/* Also to find out whether the file is still ours before anything is done in slurmctld. */
	if (service_save(service) < 0 && errno == ESTALE)
		return 0;
	pthread_mutex_lock(&service->lock);
	if (service->conf.enabled)
		count = wt_spec_decide(service->spec, service_now_s(), actions, room);
	pthread_mutex_unlock(&service->lock);
	for (size_t i = 0; i < count; i++)
		won |= rests_on_winner(&actions[i]);
	if (!won || service_save(service) == 0)
		return count;
	if (errno == ESTALE)
		return 0;
	for (size_t i = 0; i < count; i++)
		if (!rests_on_winner(&actions[i]))
			actions[kept++] = actions[i];
	return kept;
}

static void show(struct service *service, uint32_t uid, const struct port_message *message, double now_s, char **text,
		 size_t *len)
{
	FILE *out = open_memstream(text, len);

	if (!out)
		return;
	if (message->operation != WT_STATUS_BEATS)
		wt_spec_show(service->spec, message->operation, uid, message->job_id, now_s, out);
	else if (service->ring)
		ring_show(service->ring, uid == 0 || uid == service->owner_uid ? RING_ALL : uid, message->job_id,
			  message->nonce, out);
	if (fclose(out) != 0 || !*text) {	/* no memory: what there is of it is no answer */
		free(*text);
		*text = NULL;
		*len = 0;
	}
}

/* Also when nothing has changed: the other thread may have taken the change, and not have written it yet. */
bool service_commits_save(struct service *service)
{
	enum service_phase phase;

	pthread_mutex_lock(&service->lock);
	phase = service->phase;
	pthread_mutex_unlock(&service->lock);
	return phase == SERVICE_READY && service_save(service) == 0;
}

/* What a COMMIT is answered; with OLD comes a text. */
static enum port_code commit(struct service *service, uint32_t uid, const struct port_message *message, double now_s,
			     char **text,
				size_t *len)
{
	uint64_t newest = 0;
	enum port_code code = wt_spec_commit(service->spec, uid, message, now_s, &newest);

	if (code != PORT_OLD)
		return code;
	*text = malloc(PORT_NEWEST_TEXT);
	if (!*text)
		return PORT_BUSY;
	*len = PORT_NEWEST_TEXT;
	port_newest_write(newest, (uint8_t *) *text);
	return code;
}

enum port_code service_answer(struct service *service, uint32_t uid, const struct port_message *message, char **text,
				 size_t *text_len)
{
	enum port_code code = PORT_OK;
	double now_s;

	*text = NULL;
	*text_len = 0;
	pthread_mutex_lock(&service->lock);
	now_s = service_now_s();
	if (service->phase != SERVICE_READY && (message->kind == PORT_COMMIT || message->kind == PORT_EXIT))
		code = PORT_BUSY;
	else if (message->kind == PORT_COMMIT)
		code = commit(service, uid, message, now_s, text, text_len);
	else if (message->kind == PORT_REPORT)
		code = wt_spec_report(service->spec, uid, message, now_s);
	else if (message->kind == PORT_EXIT)
		code = wt_spec_exit(service->spec, uid, message, now_s);
	else
		show(service, uid, message, now_s, text, text_len);
	pthread_mutex_unlock(&service->lock);
	return code;
}
