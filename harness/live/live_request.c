/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <nettle/memops.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "harness/live/live_request.h"
#include "lib/str.h"

#define ADDRESS_DEFAULT "127.0.0.1"
#define BEARER "Bearer "

/* ---- addresses ---- */

/* Cut HOST[:PORT] in two, both borrowed; "[...]" belongs to HOST and is taken off.  *port is NULL where there is none. */
static bool host_cut(char *text, char **host, char **port)
{
	char *colon = strchr(text, ':');

	*host = text;
	*port = NULL;
	if (*text == '[') {
		char *end = strchr(text, ']');

		if (!end || (end[1] && end[1] != ':'))
			return false;
		*end = '\0';
		*host = text + 1;
		*port = end[1] ? end + 2 : NULL;
	} else if (colon && colon == strrchr(text, ':')) {	/* more than one: an address of IPv6 */
		*colon = '\0';
		*port = colon + 1;
	}
	return true;
}

static bool address_set(struct live_address *address, const char *host, uint16_t port)
{
	struct sockaddr_in *v4 = (struct sockaddr_in *) &address->socket;
	struct sockaddr_in6 *v6 = (struct sockaddr_in6 *) &address->socket;

	memset(address, 0, sizeof(*address));
	if (!*host || !strcasecmp(host, "localhost"))
		host = ADDRESS_DEFAULT;
	if (inet_pton(AF_INET, host, &v4->sin_addr) == 1) {
		v4->sin_family = AF_INET;
		v4->sin_port = htons(port);
		address->len = sizeof(*v4);
		address->loopback = ntohl(v4->sin_addr.s_addr) >> 24 == IN_LOOPBACKNET;
		return true;
	}
	if (inet_pton(AF_INET6, host, &v6->sin6_addr) != 1)
		return false;
	v6->sin6_family = AF_INET6;
	v6->sin6_port = htons(port);
	address->len = sizeof(*v6);
	address->loopback = IN6_IS_ADDR_LOOPBACK(&v6->sin6_addr);
	return true;
}

int live_address_parse(const char *text, struct live_address *address, struct wt_error *errp)
{
	char copy[LIVE_HOST_SIZE], *host, *port;
	uint64_t number = 0;

	if (!text)
		text = ADDRESS_DEFAULT;
	if (strlen(text) >= sizeof(copy))
		return wt_error_set(errp, EINVAL, "--serve: no address has %zu characters", strlen(text));
	strcpy(copy, text);
	if (*copy && strspn(copy, "0123456789") == strlen(copy)) {
		port = copy;
		host = copy + strlen(copy);
	} else if (!*copy || !host_cut(copy, &host, &port)) {
		return wt_error_set(errp, EINVAL, "--serve=%s: give ADDRESS:PORT", text);
	}
	if (port && wt_str_to_u64(port, 0, UINT16_MAX, "--serve: the port", &number, errp) < 0)
		return -1;
	if (!address_set(address, host, (uint16_t) number))
		return wt_error_set(errp, EINVAL, "--serve=%s: '%s' is no numeric address (such as 127.0.0.1, or 0.0.0.0 "
				    "for all of this machine's)", text, host);
	return 0;
}

void live_address_url(const struct live_address *address, const char *host, char *url, size_t size)
{
	const struct sockaddr_in *v4 = (const struct sockaddr_in *) &address->socket;
	const struct sockaddr_in6 *v6 = (const struct sockaddr_in6 *) &address->socket;
	bool is_v6 = address->socket.ss_family == AF_INET6, any;
	char text[INET6_ADDRSTRLEN] = "";

	any = is_v6 ? IN6_IS_ADDR_UNSPECIFIED(&v6->sin6_addr) : v4->sin_addr.s_addr == htonl(INADDR_ANY);
	if (is_v6)
		inet_ntop(AF_INET6, &v6->sin6_addr, text, sizeof(text));
	else
		inet_ntop(AF_INET, &v4->sin_addr, text, sizeof(text));
	snprintf(url, size, is_v6 && !any ? "http://[%s]:%u" : "http://%s:%u", any ? host : text,
		 ntohs(is_v6 ? v6->sin6_port : v4->sin_port));
}

/* ---- requests ---- */

/* Against DNS rebinding: a page of a stranger may make a browser ask this port under the stranger's own name.
 * Numeric addresses and our own name are what we printed. */
bool live_host_allowed(const char *host, const char *name)
{
	char copy[LIVE_HOST_SIZE], *bare, *port;
	unsigned char address[sizeof(struct in6_addr)];

	if (!host || strlen(host) >= sizeof(copy))
		return false;
	strcpy(copy, host);
	if (!host_cut(copy, &bare, &port))
		return false;
	if (port && (!*port || strspn(port, "0123456789") != strlen(port)))
		return false;
	return inet_pton(AF_INET, bare, address) == 1 || inet_pton(AF_INET6, bare, address) == 1 ||
	       !strcasecmp(bare, "localhost") || (*name && !strcasecmp(bare, name));
}

/* Constant time, for all texts of the right length. */
static bool token_matches(const struct live_rules *rules, const char *text, size_t len)
{
	return len == LIVE_TOKEN_SIZE - 1 && memeql_sec(rules->token, text, LIVE_TOKEN_SIZE - 1);
}

/* "/TOKEN/NAME"; or "/metrics", with the token in a header, as Prometheus can have it in a file.  NULL: no token. */
static const char *name_behind_token(const struct live_rules *rules, const struct live_request *request)
{
	const char *path = request->path, *authorization = request->authorization, *slash;

	if (!path || *path != '/')
		return NULL;
	slash = strchr(path + 1, '/');
	if (slash)
		return token_matches(rules, path + 1, (size_t) (slash - path) - 1) ? slash + 1 : NULL;
	if (strcmp(path, "/metrics") || !authorization || strncasecmp(authorization, BEARER, strlen(BEARER)))
		return NULL;
	authorization += strlen(BEARER);
	return token_matches(rules, authorization, strlen(authorization)) ? path + 1 : NULL;
}

unsigned int live_request_judge(const struct live_rules *rules, const struct live_request *request,
				enum live_resource *resource)
{
	static const char *const names[] = {
		[LIVE_PAGE] = "", [LIVE_STYLE] = "page.css", [LIVE_LIVE_STYLE] = "live.css", [LIVE_SCRIPT] = "live.js",
		[LIVE_EVENTS] = "events", [LIVE_SNAPSHOT] = "state.json", [LIVE_METRICS] = "metrics",
	};
	const char *name;

	if (!live_host_allowed(request->host, rules->host))
		return 403;
	name = name_behind_token(rules, request);
	if (!name)
		return 403;
	if (!request->method || (strcmp(request->method, "GET") && strcmp(request->method, "HEAD")))
		return 405;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (!strcmp(name, names[i])) {
			*resource = (enum live_resource) i;
			return 200;
		}
	}
	return 404;
}
