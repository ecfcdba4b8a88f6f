/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <string.h>

#include "harness/live/live_stream.h"

static bool message_next(struct live_stream *s)
{
	if (s->generation == s->view->generation)
		return false;
	s->message = live_view_message(s->view, s->generation);
	s->offset = 0;
	if (s->message)
		s->generation = s->view->generation;
	return s->message;
}

ssize_t live_stream_read(struct live_stream *s, char *buf, size_t max)
{
	size_t len;

	if (!s->message && !message_next(s))
		return s->generation && s->view->state.phase == LIVE_ENDED ? LIVE_STREAM_END : LIVE_STREAM_WAIT;
	len = s->message->len - s->offset < max ? s->message->len - s->offset : max;
	memcpy(buf, s->message->text + s->offset, len);
	s->offset += len;
	if (s->offset == s->message->len)
		live_stream_clear(s);
	return (ssize_t) len;
}

void live_stream_clear(struct live_stream *s)
{
	live_message_drop(s->message);
	s->message = NULL;
}
