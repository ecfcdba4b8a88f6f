/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <nettle/sha2.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "workload/trace_file.h"

#define UNPACK_BYTES 65536

struct wt_trace_source {
	gzFile packed;		/* also reads what is not packed */
	struct sha256_ctx sum;
	size_t bytes, newlines;
	char *head;		/* what was looked at and is still to be read: head[head_at .. head_len) */
	size_t head_at, head_len;
	int problem;		/* errno of the first failure; 0 */
	bool damaged, cut_off;	/* what it was: of what is packed, not of reading */
};

/* zlib tells its own errors apart from those of read (2). */
static int problem_of(gzFile packed)
{
	int code;

	gzerror(packed, &code);
	if (code == Z_ERRNO)
		return errno ? errno : EIO;
	return code == Z_MEM_ERROR ? ENOMEM : EIO;
}

static size_t newlines_count(const char *buf, size_t size)
{
	const char *end = buf + size;
	size_t count = 0;

	while ((buf = memchr(buf, '\n', (size_t) (end - buf)))) {
		buf++;
		count++;
	}
	return count;
}

static ssize_t source_fetch(struct wt_trace_source *s, char *buf, size_t size)
{
	int got = gzread(s->packed, buf, size < UNPACK_BYTES ? (unsigned int) size : UNPACK_BYTES), code = Z_OK;

	if (got > 0) {
		sha256_update(&s->sum, (size_t) got, (const uint8_t *) buf);
		s->bytes += (size_t) got;
		s->newlines += newlines_count(buf, (size_t) got);
	} else if (got == 0) {
		gzerror(s->packed, &code);	/* Z_BUF_ERROR: it ends in the middle */
	}
	if (got < 0)
		gzerror(s->packed, &code);
	s->damaged |= code == Z_DATA_ERROR;
	s->cut_off |= code == Z_BUF_ERROR;
	/* A file that ends in the middle is read without an error by gzread (): half a trace would pass for a whole
	 * one. */
	if (got >= 0 && code == Z_OK && s->bytes <= WT_TRACE_BYTES_MAX)
		return got;
	s->problem = s->bytes > WT_TRACE_BYTES_MAX ? EFBIG : problem_of(s->packed);
	errno = s->problem;
	return -1;
}

static ssize_t source_read(void *cookie, char *buf, size_t size)
{
	struct wt_trace_source *s = cookie;
	size_t left = s->head_len - s->head_at, len = size < left ? size : left;

	if (!left)
		return source_fetch(s, buf, size);
	memcpy(buf, s->head + s->head_at, len);
	s->head_at += len;
	return (ssize_t) len;
}

/* The source outlives the stream: its checksum is asked for afterwards. */
static int source_keep(void *cookie)
{
	(void) cookie;
	return 0;
}

int wt_trace_file_take(struct wt_trace_file *file, int fd, struct wt_error *errp)
{
	const cookie_io_functions_t functions = { .read = source_read, .close = source_keep };
	struct wt_trace_source *s = calloc(1, sizeof(*s));

	memset(file, 0, sizeof(*file));
	if (s)
		s->packed = gzdopen(fd, "rb");
	if (!s || !s->packed) {
		close(fd);
		free(s);
		return wt_error_errno(errp, ENOMEM, "trace");
	}
	sha256_init(&s->sum);
	file->source = s;
	file->in = fopencookie(s, "r", functions);
	if (file->in)
		return 0;
	wt_trace_file_close(file, NULL, NULL);
	return wt_error_errno(errp, ENOMEM, "trace");
}

int wt_trace_file_open(struct wt_trace_file *file, const char *path, struct wt_error *errp)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0) {
		memset(file, 0, sizeof(*file));
		return wt_error_errno(errp, errno, "%s", path);
	}
	return wt_trace_file_take(file, fd, errp) < 0 ? wt_error_prefix(errp, "%s", path) : 0;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

int wt_trace_file_look(struct wt_trace_file *file)
{
	struct wt_trace_source *s = file->source;
	size_t at = 0;
	ssize_t got;

	s->head = malloc(UNPACK_BYTES);
	do {
		got = s->head ? source_fetch(s, s->head + s->head_len, UNPACK_BYTES - s->head_len) : 0;
		s->head_len += got > 0 ? (size_t) got : 0;
		if (s->head_len >= 3 && !memcmp(s->head, "\xef\xbb\xbf", 3))
			s->head_at = 3;
		for (at = s->head_at; at < s->head_len && is_blank(s->head[at]); at++)
			;
		/* A pipe may give a byte at a time: three tell whether there is a mark. */
	} while (got > 0 && s->head_len < UNPACK_BYTES && (at == s->head_len || s->head_len < 3));
	return at < s->head_len ? (unsigned char) s->head[at] : EOF;
}

const char *wt_trace_file_damage(const struct wt_trace_file *file)
{
	const struct wt_trace_source *s = file->source;

	if (!s || !s->problem)
		return NULL;
	if (s->problem == EFBIG)
		return "unpacked it has more than 8 GiB: cut it into smaller files";
	if (s->cut_off)
		return "it is packed, and ends in the middle: fetch it once more";
	return s->damaged ? "it is packed, and damaged: fetch it once more" : NULL;
}

size_t wt_trace_file_line(const struct wt_trace_file *file)
{
	return file->source ? file->source->newlines + 1 : 1;
}

static void sum_tell(struct wt_trace_source *s, char sum[WT_TRACE_SUM_SIZE])
{
	uint8_t digest[SHA256_DIGEST_SIZE];

	sha256_digest(&s->sum, sizeof(digest), digest);
	for (size_t i = 0; i < sizeof(digest); i++)
		snprintf(sum + 2 * i, 3, "%02x", digest[i]);
}

static void rest_read(FILE *in)
{
	char rest[4096];

	while (fread(rest, 1, sizeof(rest), in) > 0)
		;
}

int wt_trace_file_end(struct wt_trace_file *file, const char *path, int rc, char sum[WT_TRACE_SUM_SIZE],
		      struct wt_error *errp)
{
	int saved_errno = errno;
	const char *damage;

	if (rc == 0)
		rest_read(file->in);
	damage = wt_trace_file_damage(file);
	if (damage)
		rc = wt_error_set(errp, EIO, "%s:%zu: %s", path, wt_trace_file_line(file), damage);
	saved_errno = damage ? EIO : saved_errno;
	if (wt_trace_file_close(file, rc == 0 ? sum : NULL, errp) < 0)
		return wt_error_prefix(errp, "%s", path);
	errno = saved_errno;
	return rc;
}

int wt_trace_file_close(struct wt_trace_file *file, char sum[WT_TRACE_SUM_SIZE], struct wt_error *errp)
{
	struct wt_trace_source *s = file->source;
	int problem = 0;

	if (!s)
		return 0;
	/* A reader may have stopped early (at a bad line, say): the checksum is that of the whole
	 * file. */
	if (sum && file->in)
		rest_read(file->in);
	if (file->in)
		fclose(file->in);
	if (sum) {
		problem = s->problem;
		sum_tell(s, sum);
	}
	gzclose_r(s->packed);
	free(s->head);
	free(s);
	memset(file, 0, sizeof(*file));
	return problem ? wt_error_errno(errp, problem, "reading the trace") : 0;
}
