/* live_request.h - where the live page's server listens, and what it answers to which request.
 *
 * Pure.  Requests are foreign bytes. */
#ifndef WT_HARNESS_LIVE_LIVE_REQUEST_H
#define WT_HARNESS_LIVE_LIVE_REQUEST_H

#include <stdbool.h>
#include <sys/socket.h>

#include "harness/live/live_state.h"
#include "lib/error.h"

#define LIVE_HOST_SIZE 256

struct live_address {
	struct sockaddr_storage socket;	/* AF_INET or AF_INET6; port 0: any that is free */
	socklen_t len;
	bool loopback;
};

/* "ADDRESS:PORT", "ADDRESS", "PORT" or ":PORT"; an address is a numeric one ("[...]" around one of IPv6 with a port), or
 * "localhost".  What is left out, or all with NULL, is 127.0.0.1 and any free port.  0, or -1 with EINVAL. */
int live_address_parse(const char *text, struct live_address *address, struct wt_error *errp);

/* The text of a URL up to its path, "http://127.0.0.1:8080"; 'host' stands for an address that means all of them. */
void live_address_url(const struct live_address *address, const char *host, char *url, size_t size);

struct live_rules {
	char token[LIVE_TOKEN_SIZE];
	char host[LIVE_HOST_SIZE];	/* a name besides "localhost" by which the server may be called; "": none */
};

struct live_request {			/* NULL: not there */
	const char *method, *path;	/* decoded, without the part behind '?' */
	const char *host, *authorization;	/* headers */
};

enum live_resource { LIVE_PAGE, LIVE_STYLE, LIVE_LIVE_STYLE, LIVE_SCRIPT, LIVE_EVENTS, LIVE_SNAPSHOT, LIVE_METRICS };

/* The status of the reply: 200 with *resource set, or
 * 403: the Host is no address, so that a foreign page may have had its own name lead here (DNS rebinding); or the
 *      token is missing or wrong, which is found out in constant time.  Nothing else is looked at before.
 * 404: no such thing; 405: neither GET nor HEAD. */
unsigned int live_request_judge(const struct live_rules *rules, const struct live_request *request,
				enum live_resource *resource);

/* Is this the value of a Host header for an address (any port), "localhost" or 'name'? */
bool live_host_allowed(const char *host, const char *name);

#endif
