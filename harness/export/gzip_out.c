/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <zlib.h>

#include "harness/export/gzip_out.h"

#define PACKED_BYTES 65536
#define GZIP_WINDOW  (15 + 16)	/* the largest, with gzip's head and tail (deflateInit2) */
#define PACK_LEVEL   6

struct gzip_out {
	FILE *out;
	z_stream stream;
	unsigned char packed[PACKED_BYTES];
};

/* 0, or -1 with the error of writing. */
static int pack(struct gzip_out *gzip, const char *bytes, size_t len, int flush)
{
	gzip->stream.next_in = (unsigned char *) bytes;
	gzip->stream.avail_in = (unsigned int) len;
	do {
		size_t made;

		gzip->stream.next_out = gzip->packed;
		gzip->stream.avail_out = sizeof(gzip->packed);
		deflate(&gzip->stream, flush);
		made = sizeof(gzip->packed) - gzip->stream.avail_out;
		if (fwrite(gzip->packed, 1, made, gzip->out) != made)
			return -1;
	} while (gzip->stream.avail_out == 0);
	return 0;
}

static ssize_t gzip_take(void *cookie, const char *bytes, size_t len)
{
	if (len > INT32_MAX)
		len = INT32_MAX;
	/* fopencookie(3): a writer tells an error by 0, not by -1. */
	return pack(cookie, bytes, len, Z_NO_FLUSH) < 0 ? 0 : (ssize_t) len;
}

static int gzip_finish(void *cookie)
{
	struct gzip_out *gzip = cookie;
	int rc = pack(gzip, NULL, 0, Z_FINISH);

	deflateEnd(&gzip->stream);
	return rc;
}

int gzip_write(FILE *out, wt_outfile_fn fn, const void *arg, struct wt_error *errp)
{
	const cookie_io_functions_t functions = { .write = gzip_take, .close = gzip_finish };
	struct gzip_out gzip = { .out = out };
	FILE *packed = NULL;
	int rc;

	if (deflateInit2(&gzip.stream, PACK_LEVEL, Z_DEFLATED, GZIP_WINDOW, 9, Z_DEFAULT_STRATEGY) == Z_OK)
		packed = fopencookie(&gzip, "w", functions);
	if (!packed) {
		deflateEnd(&gzip.stream);
		return wt_error_errno(errp, ENOMEM, "packing");
	}
	/* stdio's own 4 KiB would make zlib be called for each of a million slices' few lines. */
	setvbuf(packed, NULL, _IOFBF, PACKED_BYTES);
	rc = fn(packed, arg, errp);
	if (fclose(packed) != 0 && rc == 0)
		rc = wt_error_errno(errp, errno ? errno : EIO, "packing");
	return rc;
}
