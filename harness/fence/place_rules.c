/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>

#include "harness/fence/place.h"

static bool setting_read(const char *setting, struct sockaddr_in *own)
{
	char text[INET_ADDRSTRLEN];
	size_t len = setting ? strcspn(setting, ":") : sizeof(text);
	unsigned long port;
	char *end;

	if (len >= sizeof(text) || !setting[len])
		return false;
	memcpy(text, setting, len);
	text[len] = '\0';
	port = strtoul(setting + len + 1, &end, 10);
	*own = (struct sockaddr_in) { .sin_family = AF_INET, .sin_port = htons((uint16_t) port) };
	return !*end && port > 0 && port <= 65535 && inet_pton(AF_INET, text, &own->sin_addr) == 1;
}

static bool v4_read(const struct sockaddr *addr, socklen_t len, struct sockaddr_in *v4)
{
	if (!addr || len < sizeof(*v4) || addr->sa_family != AF_INET)
		return false;
	memcpy(v4, addr, sizeof(*v4));
	return true;
}

bool address_to_listen(const struct sockaddr *addr, socklen_t len, const char *setting, struct sockaddr_in *own)
{
	struct sockaddr_in wanted;

	return v4_read(addr, len, &wanted) && wanted.sin_addr.s_addr == htonl(INADDR_ANY) && setting_read(setting, own) &&
	       wanted.sin_port == own->sin_port;
}

bool address_to_come_from(const struct sockaddr *addr, socklen_t len, const char *setting, struct sockaddr_in *own)
{
	struct sockaddr_in peer;

	if (!v4_read(addr, len, &peer) || ntohl(peer.sin_addr.s_addr) >> 24 != IN_LOOPBACKNET ||
	    !setting_read(setting, own))
		return false;
	own->sin_port = 0;
	return true;
}
