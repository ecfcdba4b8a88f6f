/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <microhttpd.h>
#include <stdlib.h>
#include <string.h>

#include "harness/live/live_metrics.h"
#include "harness/live/live_server.h"
#include "harness/live/live_stream.h"
#include "harness/live/live_web.h"

/* libmicrohttpd's memory for one connection, head of the request included: ours have some hundred bytes. */
#define REQUEST_BYTES 8192
#define IDLE_S 30
#define STREAM_BLOCK 4096

struct reader {
	struct live_stream stream;
	struct live_server *server;
	struct MHD_Connection *connection;
	struct reader *next, **place;
	bool suspended;
};

struct live_server {
	struct MHD_Daemon *daemon;
	struct live_rules rules;
	struct live_view *view;
	struct reader *readers;
	unsigned int reader_count;
	int epoll_fd;
};

/* ---- replies ---- */

#define PAGE_POLICY                                                                                                         \
	"default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; "     \
	"form-action 'none'; frame-ancestors 'none'"

static enum MHD_Result reply_send(struct MHD_Connection *connection, unsigned int status, struct MHD_Response *response,
				  const char *type)
{
	static const char *const headers[][2] = {
		{ "X-Content-Type-Options", "nosniff" }, { "Referrer-Policy", "no-referrer" },
		{ "Cache-Control", "no-store" }, { "Cross-Origin-Resource-Policy", "same-origin" },
		{ "Content-Security-Policy", PAGE_POLICY },
	};
	enum MHD_Result rc;

	if (!response)
		return MHD_NO;
	for (size_t i = 0; i < sizeof(headers) / sizeof(headers[0]); i++)
		MHD_add_response_header(response, headers[i][0], headers[i][1]);
	MHD_add_response_header(response, "Content-Type", type);
	if (status == 405)
		MHD_add_response_header(response, "Allow", "GET, HEAD");
	if (status != 200)
		MHD_add_response_header(response, "Connection", "close");
	rc = MHD_queue_response(connection, status, response);
	MHD_destroy_response(response);
	return rc;
}

static enum MHD_Result constant_send(struct MHD_Connection *connection, const void *bytes, size_t len, const char *type)
{
	return reply_send(connection, 200, MHD_create_response_from_buffer(len, (void *) bytes, MHD_RESPMEM_PERSISTENT),
			  type);
}

static enum MHD_Result refusal_send(struct MHD_Connection *connection, unsigned int status)
{
	const char *text = status == 403 ? "forbidden: the whole URL is needed, as it was printed\n"
			   : status == 404 ? "there is no such page\n"
			   : status == 405 ? "only GET and HEAD\n"
			   : "busy: try again\n";

	return reply_send(connection, status, MHD_create_response_from_buffer(strlen(text), (void *) text,
			  MHD_RESPMEM_PERSISTENT), "text/plain; charset=utf-8");
}

/* 'text' is the library's from now on. */
static enum MHD_Result text_send(struct MHD_Connection *connection, char *text, const char *type)
{
	if (!text)
		return refusal_send(connection, 503);
	return reply_send(connection, 200, MHD_create_response_from_buffer(strlen(text), text, MHD_RESPMEM_MUST_FREE),
			  type);
}

/* ---- events ---- */

static ssize_t reader_read(void *arg, uint64_t position, char *buf, size_t max)
{
	struct reader *r = arg;
	ssize_t n = live_stream_read(&r->stream, buf, max);

	(void) position;
	if (n == LIVE_STREAM_END)
		return MHD_CONTENT_READER_END_OF_STREAM;
	if (n == LIVE_STREAM_WAIT) {
		/* A suspended connection costs nothing until live_server_wake (); 0 bytes without it would make the
		 * library ask again at once, for ever. */
		r->suspended = true;
		MHD_suspend_connection(r->connection);
	}
	return n;
}

static void reader_free(void *arg)
{
	struct reader *r = arg;

	*r->place = r->next;
	if (r->next)
		r->next->place = r->place;
	r->server->reader_count--;
	live_stream_clear(&r->stream);
	free(r);
}

static enum MHD_Result events_send(struct live_server *server, struct MHD_Connection *connection)
{
	static const char type[] = "text/event-stream; charset=utf-8";
	struct reader *r = server->reader_count < LIVE_READERS ? calloc(1, sizeof(*r)) : NULL;
	struct MHD_Response *response;

	if (!r)
		return refusal_send(connection, 503);
	*r = (struct reader){ .stream.view = server->view, .server = server, .connection = connection,
			      .next = server->readers, .place = &server->readers };
	response = MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, STREAM_BLOCK, reader_read, r, reader_free);
	if (!response) {
		free(r);
		return MHD_NO;
	}
	if (r->next)
		r->next->place = &r->next;
	server->readers = r;
	server->reader_count++;
	return reply_send(connection, 200, response, type);
}

/* ---- requests ---- */

static enum MHD_Result metrics_send(struct live_server *server, struct MHD_Connection *connection)
{
	const char *accept = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Accept"), *type;
	char *text = live_metrics_text(&server->view->state, accept, &type);

	return text_send(connection, text, type);
}

static enum MHD_Result resource_send(struct live_server *server, struct MHD_Connection *connection,
				     enum live_resource resource)
{
	switch (resource) {
	case LIVE_PAGE:
		return constant_send(connection, web_live_html, web_live_html_size, "text/html; charset=utf-8");
	case LIVE_STYLE:
		return constant_send(connection, web_page_css, web_page_css_size, "text/css; charset=utf-8");
	case LIVE_LIVE_STYLE:
		return constant_send(connection, web_live_css, web_live_css_size, "text/css; charset=utf-8");
	case LIVE_SCRIPT:
		return constant_send(connection, web_live_js, web_live_js_size, "text/javascript; charset=utf-8");
	case LIVE_EVENTS:
		return events_send(server, connection);
	case LIVE_SNAPSHOT:
		return text_send(connection, live_view_json(server->view), "application/json");
	case LIVE_METRICS:
		return metrics_send(server, connection);
	}
	return MHD_NO;
}

/* Called with the head of a request, and then again (libmicrohttpd closes the connection of one answered at once, which
 * is right for those that are refused: their body is not read). */
static enum MHD_Result request_answer(void *arg, struct MHD_Connection *connection, const char *url, const char *method,
				      const char *version, const char *data, size_t *size, void **seen)
{
	struct live_server *server = arg;
	struct live_request request = {
		.method = method, .path = url,
		.host = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Host"),
		.authorization = MHD_lookup_connection_value(connection, MHD_HEADER_KIND, "Authorization"),
	};
	enum live_resource resource = LIVE_PAGE;
	unsigned int status = live_request_judge(&server->rules, &request, &resource);

	(void) version;
	(void) data;
	if (status != 200)
		return refusal_send(connection, status);
	/* The first call is for the head only: an answer then would close a connection that may be kept. */
	if (!*seen) {
		*seen = server;
		return MHD_YES;
	}
	if (*size) {	/* a body: no request here has one */
		*size = 0;
		return MHD_YES;
	}
	return resource_send(server, connection, resource);
}

/* ---- the daemon ---- */

static void nothing_log(void *arg, const char *format, va_list ap)
{
	(void) arg;
	(void) format;
	(void) ap;
}

struct live_server *live_server_start(int listen_fd, const struct live_rules *rules, struct live_view *view,
				      struct wt_error *errp)
{
	struct live_server *server = calloc(1, sizeof(*server));
	const union MHD_DaemonInfo *info;

	if (!server) {
		wt_error_errno(errp, ENOMEM, "live page");
		return NULL;
	}
	server->rules = *rules;
	server->view = view;
	/* No thread of its own: it is run from serve ()'s poll, so that nothing here needs a lock. */
	server->daemon = MHD_start_daemon(MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ERROR_LOG, 0, NULL, NULL,
					  request_answer, server, MHD_OPTION_EXTERNAL_LOGGER, nothing_log, NULL,
					  MHD_OPTION_LISTEN_SOCKET, listen_fd,
					  MHD_OPTION_CONNECTION_LIMIT, (unsigned int) LIVE_CLIENTS,
					  MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t) REQUEST_BYTES,
					  MHD_OPTION_CONNECTION_TIMEOUT, (unsigned int) IDLE_S,
					  MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_END);
	info = server->daemon ? MHD_get_daemon_info(server->daemon, MHD_DAEMON_INFO_EPOLL_FD) : NULL;
	if (!info) {
		wt_error_errno(errp, errno ? errno : EIO, "live page: libmicrohttpd does not start");
		live_server_stop(server);
		return NULL;
	}
	server->epoll_fd = info->epoll_fd;
	return server;
}

void live_server_wake(struct live_server *server)
{
	for (struct reader *r = server->readers; r; r = r->next) {
		if (!r->suspended)
			continue;
		r->suspended = false;
		MHD_resume_connection(r->connection);
	}
}

void live_server_stop(struct live_server *server)
{
	if (!server)
		return;
	live_server_wake(server);	/* the library wants none of them suspended */
	if (server->daemon)
		MHD_stop_daemon(server->daemon);
	free(server);
}

int live_server_fd(const struct live_server *server)
{
	return server->epoll_fd;
}

int live_server_timeout_ms(const struct live_server *server, int most_ms)
{
	MHD_UNSIGNED_LONG_LONG timeout;

	if (MHD_get_timeout(server->daemon, &timeout) == MHD_YES && timeout < (MHD_UNSIGNED_LONG_LONG) most_ms)
		return (int) timeout;
	return most_ms;
}

void live_server_work(struct live_server *server)
{
	MHD_run(server->daemon);
}

unsigned int live_server_readers(const struct live_server *server)
{
	return server->reader_count;
}
