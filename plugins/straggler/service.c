/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "ring.h"
#include "service.h"
#include "wt_clock.h"

#define STATE_MAX (64u << 20)	/* bytes */
#define FILE_MORE (64u << 10)	/* that may be put behind twice the whole state until it is written anew */

double service_now_s(void)
{
	return (double) wt_clock_monotonic_us() / 1e6;
}

int service_init(struct service *service, const struct specconf *conf, const char *state_path, struct wt_error *errp)
{
	pthread_mutex_init(&service->lock, NULL);
	pthread_mutex_init(&service->save_lock, NULL);
	service->conf = *conf;
	service->file_len = service->whole_len = 0;
	snprintf(service->state_path, sizeof(service->state_path), "%s", state_path);
	service->spec = wt_spec_create(&conf->spec, errp);
	service->ring = ring_create();
	if (service->spec && service->ring)
		wt_spec_listen(service->spec, ring_add, service->ring);
	return service->spec ? 0 : -1;
}

void service_fini(struct service *service)
{
	wt_spec_destroy(service->spec);
	service->spec = NULL;
	ring_destroy(service->ring);
	service->ring = NULL;
}

int service_configure(struct service *service, const struct specconf *conf, struct wt_error *errp)
{
	int rc;

	pthread_mutex_lock(&service->lock);
	rc = wt_spec_configure(service->spec, &conf->spec, errp);
	if (rc == 0)
		service->conf = *conf;
	pthread_mutex_unlock(&service->lock);
	return rc;
}

static int file_read(const char *path, char **text, size_t *len, struct wt_error *errp)
{
	FILE *in = fopen(path, "re");
	char *buf;

	if (!in)
		return wt_error_errno(errp, errno, "%s", path);
	buf = malloc(STATE_MAX);
	*len = buf ? fread(buf, 1, STATE_MAX, in) : 0;
	if (!buf || ferror(in) || *len == STATE_MAX) {
		int errnum = !buf ? ENOMEM : ferror(in) ? EIO : EFBIG;

		free(buf);
		fclose(in);
		return wt_error_errno(errp, errnum, "%s", path);
	}
	fclose(in);
	*text = buf;
	return 0;
}

int service_load(struct service *service, struct wt_error *errp)
{
	char aside[PATH_MAX + 8], *text = NULL;
	struct wt_spec *fresh;
	size_t len = 0;
	int rc;

	if (file_read(service->state_path, &text, &len, errp) < 0)
		return errno == ENOENT ? 0 : -1;
	pthread_mutex_lock(&service->lock);
	rc = wt_spec_load(service->spec, text, len, errp);
	if (rc < 0 && (fresh = wt_spec_create(&service->conf.spec, NULL))) {	/* what was read of it is not to be trusted */
		wt_spec_destroy(service->spec);
		service->spec = fresh;
		if (service->ring)
			wt_spec_listen(fresh, ring_add, service->ring);
	}
	pthread_mutex_unlock(&service->lock);
	free(text);
	if (rc == 0)
		return 0;
	snprintf(aside, sizeof(aside), "%s.broken", service->state_path);
	rename(service->state_path, aside);
	return wt_error_prefix(errp, "%s (kept as %s)", service->state_path, aside);
}

/* Write 'text' to the disk, into a file that is open, and close it. */
static int file_write(int fd, const char *path, const char *text, size_t len, struct wt_error *errp)
{
	int rc = fd < 0 ? wt_error_errno(errp, errno, "%s", path) : 0;

	for (size_t done = 0; rc == 0 && done < len; ) {
		ssize_t n = write(fd, text + done, len - done);

		if (n > 0)
			done += (size_t) n;
		else if (errno != EINTR)
			rc = wt_error_errno(errp, errno, "%s", path);
	}
	if (rc == 0 && fdatasync(fd) < 0)
		rc = wt_error_errno(errp, errno, "%s", path);
	if (fd >= 0 && close(fd) < 0 && rc == 0)
		rc = wt_error_errno(errp, errno, "%s", path);
	return rc;
}

static int file_replace(const char *path, const char *text, size_t len, struct wt_error *errp)
{
	char fresh[PATH_MAX + 8];

	snprintf(fresh, sizeof(fresh), "%s.new", path);
	if (file_write(open(fresh, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600), fresh, text, len, errp) < 0)
		return -1;
	return rename(fresh, path) < 0 ? wt_error_errno(errp, errno, "%s", path) : 0;
}

static int file_append(const char *path, const char *text, size_t len, struct wt_error *errp)
{
	return file_write(open(path, O_WRONLY | O_APPEND | O_CLOEXEC), path, text, len, errp);
}

/* What there is to write: NULL when nothing is, or with *rc < 0 no memory. */
static char *changes_take(struct service *service, bool *whole, size_t *len, int *rc, struct wt_error *errp)
{
	char *text = NULL;
	FILE *out = NULL;

	pthread_mutex_lock(&service->lock);
	if (wt_spec_changed(service->spec)) {
		*whole = !service->file_len || service->file_len > 2 * service->whole_len + FILE_MORE || wt_spec_marked(service->spec);
		out = open_memstream(&text, len);
		if (out && *whole)
			wt_spec_save(service->spec, out);
		else if (out)
			wt_spec_save_changes(service->spec, out);
		if (!out || fclose(out) != 0 || !text) {
			wt_spec_mark(service->spec);
			*rc = wt_error_errno(errp, ENOMEM, "%s", service->state_path);
		}
	}
	pthread_mutex_unlock(&service->lock);
	return text;
}

int service_save(struct service *service, struct wt_error *errp)
{
	bool whole = false;
	size_t len = 0;
	char *text;
	int rc = 0;

	pthread_mutex_lock(&service->save_lock);
	text = changes_take(service, &whole, &len, &rc, errp);
	if (text && rc == 0)
		rc = whole ? file_replace(service->state_path, text, len, errp) : file_append(service->state_path, text, len, errp);
	if (rc < 0) {		/* part of it may be in the file */
		pthread_mutex_lock(&service->lock);
		wt_spec_mark(service->spec);
		pthread_mutex_unlock(&service->lock);
	} else if (text) {
		service->saves++;
		service->file_len = whole ? len : service->file_len + len;
		service->whole_len = whole ? len : service->whole_len;
	}
	pthread_mutex_unlock(&service->save_lock);
	free(text);
	return rc;
}

static void show(struct service *service, uint32_t uid, const struct wt_beat *beat, double now_s, char **text, size_t *len)
{
	FILE *out = open_memstream(text, len);

	if (!out)
		return;
	if (beat->operation != WT_STATUS_BEATS)
		wt_spec_show(service->spec, beat->operation, uid, beat->job_id, now_s, out);
	else if (service->ring)
		ring_show(service->ring, uid == 0 || uid == service->conf.spec.owner_uid ? RING_ALL : uid, beat->job_id, beat->nonce, out);
	if (fclose(out) != 0) {
		free(*text);
		*text = NULL;
	}
}

bool service_commits_save(struct service *service)
{
	struct wt_error err;

	/* Also when nothing has changed: the other thread may have taken the change, and not have written it yet. */
	if (service_save(service, &err) == 0)
		return true;
	service->log(SERVICE_ERROR, err.text);
	return false;
}

/* What a COMMIT is answered; with OLD comes a text. */
static enum wt_beat_code commit(struct service *service, uint32_t uid, const struct wt_beat *beat, double now_s, char **text, size_t *len)
{
	uint64_t newest = 0;
	enum wt_beat_code code = wt_spec_commit(service->spec, uid, beat, now_s, &newest);

	if (code != WT_BEAT_OLD)
		return code;
	*text = malloc(WT_BEAT_NEWEST_TEXT);
	if (!*text)
		return WT_BEAT_BUSY;
	*len = WT_BEAT_NEWEST_TEXT;
	wt_beat_newest_write(newest, (uint8_t *) *text);
	return code;
}

enum wt_beat_code service_answer(struct service *service, uint32_t uid, const struct wt_beat *beat, char **text, size_t *text_len)
{
	enum wt_beat_code code = WT_BEAT_OK;
	double now_s;

	*text = NULL;
	*text_len = 0;
	pthread_mutex_lock(&service->lock);
	now_s = service_now_s();
	if (beat->kind == WT_BEAT_COMMIT)
		code = commit(service, uid, beat, now_s, text, text_len);
	else if (beat->kind == WT_BEAT_REPORT)
		code = wt_spec_report(service->spec, uid, beat, now_s);
	else if (beat->kind == WT_BEAT_EXIT)
		code = wt_spec_exit(service->spec, uid, beat, now_s);
	else
		show(service, uid, beat, now_s, text, text_len);
	pthread_mutex_unlock(&service->lock);
	return code;
}
