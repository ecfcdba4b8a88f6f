/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/fs.h"
#include "harness/vnode/store/journal.h"
#include "harness/vnode/store/store.h"

#define COMPACT_BYTES ((size_t) 8 << 20)
#define JOURNAL_MAX ((size_t) 4 << 30)

struct wt_store {
	struct wt_store_conf conf;
	char *path;
	int fd;
	size_t size, base_size;		/* of the file, now and after the last compaction */
	struct wt_str pending;		/* records that are not yet in the file */
	int64_t epoch_us;
	bool epoch_changed;
	bool torn;			/* a part of a record stands at the file's end: only a new file will do */
};

struct restore {
	struct wt_store *store;
	struct wt_store_found *found;
};

static int job_restore(void *arg, const struct wt_job_image *image)
{
	struct restore *restore = arg;

	restore->found->images++;
	return wt_model_restore(restore->store->conf.model, image);
}

static int rows_restore(void *arg, enum wt_journal_log log, uint64_t offset, const char *text, size_t len)
{
	struct restore *restore = arg;
	const struct wt_store_conf *conf = &restore->store->conf;
	struct event_log *events = log == WT_JOURNAL_POWER ? conf->power_rows : conf->events;
	struct wt_error err;
	long added = events ? event_log_restore(events, offset, text, len, &err) : 0;

	if (added < 0) {
		restore->found->note = err;
		return 0;	/* rows are lost, jobs need not be */
	}
	restore->found->rows_bytes += (uint64_t) added;
	return 0;
}

static int step_restore(void *arg, const struct wt_step_image *image, const void *client, size_t client_len)
{
	struct restore *restore = arg;
	const struct wt_store_conf *conf = &restore->store->conf;
	wt_step_ref ref;

	restore->found->images++;
	if (wt_model_step_restore(conf->model, image, &ref) < 0)
		return -1;
	if (conf->client_unpack)
		conf->client_unpack(conf->arg, ref, client, client_len);
	return 0;
}

static int stepd_restore(void *arg, const struct wt_stepd_image *image)
{
	const struct restore *restore = arg;

	return wt_model_stepd_restore(restore->store->conf.model, image);
}

static int power_restore(void *arg, const struct wt_power_image *image)
{
	const struct restore *restore = arg;
	struct wt_power *power = restore->store->conf.power;

	/* A cluster whose nodes are not switched off and on (any more) has no place for it. */
	return power ? wt_power_restore(power, image) : 0;
}

static int epoch_restore(void *arg, int64_t epoch_us)
{
	struct restore *restore = arg;

	restore->store->epoch_us = epoch_us;
	return 0;
}

static int put_aside(const char *path, const char *why, struct wt_store_found *found, struct wt_error *errp)
{
	/* Kept under another name: the compaction that follows puts a new journal in its place. */
	char *aside = wt_str_format("%s.bad", path);
	int rc = aside && rename(path, aside) == 0 ? 0 : wt_error_errno(errp, errno, "%s.bad", path);

	wt_error_set(&found->note, EINVAL, "%s: %s; its jobs are forgotten (kept as journal.bad)", path, why);
	free(aside);
	return rc;
}

static int store_read(struct wt_store *store, struct wt_store_found *found, struct wt_error *errp)
{
	struct restore restore = { .store = store, .found = found };
	const struct wt_journal_calls calls = {
		.job = job_restore, .rows = rows_restore, .step = step_restore, .stepd = stepd_restore,
		.power = power_restore, .epoch = epoch_restore, .arg = &restore,
	};
	struct wt_error err;
	size_t len, good;
	char *bytes;
	int rc = 0;

	if (wt_fs_read(store->path, JOURNAL_MAX, &bytes, &len, errp) < 0)
		return errno == ENOENT ? 0 : -1;
	good = wt_journal_read((const uint8_t *) bytes, len, store->conf.nodes_id, &calls, &err);
	/* An empty file holds nothing that could be lost, and is no reason to tell of one. */
	if (!good && len)
		rc = put_aside(store->path, err.text, found, errp);
	found->lost_bytes = good ? len - good : 0;
	if (found->lost_bytes)
		wt_error_set(&found->note, EINVAL, "%s: the last %zu bytes are not a whole record and do not count",
			     store->path, found->lost_bytes);
	free(bytes);
	return rc;
}

/* Takes image->nodes. */
static void step_add(struct wt_store *store, struct wt_str *out, struct wt_step_image *image)
{
	struct wt_str client = { 0 };

	if (store->conf.client_pack)
		store->conf.client_pack(store->conf.arg, image->ref, &client);
	/* Without memory for the connections to its srun the step itself is kept all the same. */
	wt_journal_step(out, image, client.text, client.failed ? 0 : client.len);
	wt_str_clear(&client);
	free(image->nodes);
}

static void steps_add(struct wt_store *store, struct wt_str *out)
{
	struct wt_step_image step;
	struct wt_stepd_image stepd;
	uint32_t at = 0;

	while (wt_model_step_image(store->conf.model, &at, &step)) {
		wt_step_ref ref = step.ref;

		/* Before its slurmstepds, which are restored into it. */
		step_add(store, out, &step);
		for (uint32_t rank = 0; rank < step.count; rank++) {
			if (wt_model_stepd_image(store->conf.model, ref, rank, &stepd))
				wt_journal_stepd(out, &stepd);
		}
	}
}

static void powers_add(const struct wt_store *store, struct wt_str *out)
{
	struct wt_power_image image;
	uint32_t at = 0;

	while (store->conf.power && wt_power_image(store->conf.power, &at, &image))
		wt_journal_power(out, &image);
}

/* All that the model holds, in a new file under the old name. */
static int store_compact(struct wt_store *store, struct wt_error *errp)
{
	struct wt_str out = { 0 };
	struct wt_job_image image;
	uint32_t at = 0;
	size_t begin;
	int fd, rc;

	wt_journal_head(&out, store->conf.nodes_id);
	begin = wt_journal_begin(&out);
	if (store->epoch_us)
		wt_journal_epoch(&out, store->epoch_us);
	while (wt_model_image(store->conf.model, &at, &image)) {
		wt_journal_job(&out, &image);
		wt_job_image_clear(&image);
	}
	steps_add(store, &out);
	powers_add(store, &out);
	wt_journal_end(&out, begin);
	rc = out.failed ? wt_error_errno(errp, ENOMEM, "%s", store->path) :
			  wt_fs_write(store->path, out.text, out.len, 0600, errp);
	/* wt_fs_write () has put a new file in the old one's place, to which store->fd still points. */
	fd = rc == 0 ? open(store->path, O_WRONLY | O_APPEND | O_CLOEXEC) : -1;
	if (rc == 0 && fd < 0)
		rc = wt_error_errno(errp, errno, "%s", store->path);
	if (rc == 0) {
		if (store->fd >= 0)
			close(store->fd);
		store->fd = fd;
		store->size = store->base_size = out.len;
		store->torn = false;
	}
	wt_str_clear(&out);
	return rc;
}

static int pending_write(struct wt_store *store, struct wt_error *errp)
{
	size_t done = 0;

	while (done < store->pending.len) {
		ssize_t n = write(store->fd, store->pending.text + done, store->pending.len - done);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			int errnum = errno;

			/* A part of a record must not stand before the next try, which would be lost with it. */
			store->torn = done && ftruncate(store->fd, (off_t) store->size) < 0;
			return wt_error_errno(errp, errnum, "%s", store->path);
		}
		done += (size_t) n;
	}
	store->size += done;
	store->pending.len = 0;
	return 0;
}

static void rows_add(struct wt_store *store, enum wt_journal_log log, struct event_log *events)
{
	uint64_t offset;
	size_t len;
	const char *text = events ? event_log_new(events, &len, &offset) : NULL;

	if (text && len)
		wt_journal_rows(&store->pending, log, offset, text, len);
}

static void pending_add(struct wt_store *store)
{
	size_t begin = wt_journal_begin(&store->pending);
	struct wt_job_image image;
	struct wt_step_image step;
	struct wt_stepd_image stepd;
	struct wt_power_image power;

	if (store->epoch_changed)
		wt_journal_epoch(&store->pending, store->epoch_us);
	store->epoch_changed = false;
	while (wt_model_changed(store->conf.model, &image)) {
		wt_journal_job(&store->pending, &image);
		wt_job_image_clear(&image);
	}
	while (wt_model_stepd_changed(store->conf.model, &step, &stepd)) {
		/* Its slurmstepds change one by one, and a step of many nodes is written once, not with each of them. */
		if (step.nodes)
			step_add(store, &store->pending, &step);
		wt_journal_stepd(&store->pending, &stepd);
	}
	while (store->conf.power && wt_power_changed(store->conf.power, &power))
		wt_journal_power(&store->pending, &power);
	rows_add(store, WT_JOURNAL_EVENTS, store->conf.events);
	rows_add(store, WT_JOURNAL_POWER, store->conf.power_rows);
	wt_journal_end(&store->pending, begin);
}

static int rows_flush(const struct wt_store *store, struct wt_error *errp)
{
	if (event_log_flush(store->conf.events, errp) < 0)
		return -1;
	return store->conf.power_rows ? event_log_flush(store->conf.power_rows, errp) : 0;
}

int wt_store_commit(struct wt_store *store, struct wt_error *errp)
{
	/* Relative to what a compaction left: with much to hold, a fixed limit would mean a compaction at each commit. */
	size_t limit = store->conf.compact_bytes + store->base_size;

	pending_add(store);
	if (store->pending.failed || store->torn) {	/* what it held is in the model still */
		store->torn = true;	/* as long as there is no new file */
		wt_str_clear(&store->pending);
		if (rows_flush(store, errp) < 0)
			return -1;
		return store_compact(store, errp);
	}
	if (pending_write(store, errp) < 0)
		return -1;
	if (store->size < limit)
		return 0;
	/* The rows must be in their file before the journal forgets them. */
	return rows_flush(store, errp) < 0 ? -1 : store_compact(store, errp);
}

struct wt_store *wt_store_open(const struct wt_store_conf *conf, struct wt_store_found *found, struct wt_error *errp)
{
	struct wt_store *store = calloc(1, sizeof(*store));

	memset(found, 0, sizeof(*found));
	if (!store || !(store->path = strdup(conf->path))) {
		free(store);
		wt_error_errno(errp, ENOMEM, "%s", conf->path);
		return NULL;
	}
	store->conf = *conf;
	if (!store->conf.compact_bytes)
		store->conf.compact_bytes = COMPACT_BYTES;
	store->fd = -1;
	/* The rows first: the compacted journal does not hold them any more. */
	if (store_read(store, found, errp) < 0 || rows_flush(store, errp) < 0 || store_compact(store, errp) < 0) {
		int saved_errno = errno;

		if (store->fd >= 0)
			close(store->fd);
		free(store->path);
		free(store);
		errno = saved_errno;
		return NULL;
	}
	return store;
}

void wt_store_close(struct wt_store *store)
{
	int saved_errno = errno;

	if (!store)
		return;
	wt_store_commit(store, NULL);
	close(store->fd);
	wt_str_clear(&store->pending);
	free(store->path);
	free(store);
	errno = saved_errno;
}

int64_t wt_store_epoch_us(const struct wt_store *store)
{
	return store->epoch_us;
}

void wt_store_epoch_set(struct wt_store *store, int64_t epoch_us)
{
	store->epoch_us = epoch_us;
	store->epoch_changed = true;
}
