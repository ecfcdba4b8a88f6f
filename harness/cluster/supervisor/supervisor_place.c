/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where the slurmds of real nodes are that have addresses of their own: another in each boot (--elastic address=new), or one
 * as they join (--dynamic). */
#include "config.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>

#include "harness/cluster/conf/clusterconf.h"
#include "harness/cluster/folder/slurmd_place.h"
#include "harness/cluster/supervisor/supervisor_private.h"
#include "harness/vnode/model/addresses.h"
#include "harness/vnode/model/elastic.h"

struct sup_places {
	struct wt_addresses addresses;
	struct sup_place {
		bool changes;		/* with each boot */
		uint32_t boot;		/* the present one, or the last */
	} of[];
};

static bool joins(const struct sup *sup, uint32_t index)
{
	return index >= sup->info.nodes;
}

/* As slurm.conf has them at first (harness/cluster/conf/nodes.c). */
static int addresses_make(struct sup *sup, struct wt_error *errp)
{
	uint32_t count = wt_clusterinfo_places(&sup->info);
	in_addr_t *own = calloc(count + 1, sizeof(*own));
	int rc;

	for (uint32_t i = 0; own && i < count; i++)
		own[i] = htonl(127u << 24 | sup->info.network << 16 | i);
	rc = own ? wt_addresses_init(&sup->places->addresses, own, count, errp)
		 : wt_error_errno(errp, ENOMEM, "addresses");
	free(own);
	return rc;
}

int sup_places_init(struct sup *sup, const struct wt_elastic *elastic, struct wt_error *errp)
{
	uint32_t count = wt_clusterinfo_places(&sup->info);
	bool some = sup->info.dynamic_nodes > 0;

	for (uint32_t i = 0; i < count; i++)
		some = some || wt_elastic_of(elastic, i)->address_new;
	if (!some)
		return 0;
	sup->places = calloc(1, sizeof(*sup->places) + count * sizeof(sup->places->of[0]));
	if (!sup->places)
		return wt_error_errno(errp, ENOMEM, "supervisor");
	for (uint32_t i = 0; i < count; i++)
		sup->places->of[i].changes = wt_elastic_of(elastic, i)->address_new;
	return wt_slurmd_place_find(errp) < 0 ? -1 : addresses_make(sup, errp);
}

void sup_places_boot(struct sup *sup, uint32_t index, uint32_t boot)
{
	if (sup->places)
		sup->places->of[index].boot = boot;
}

void sup_places_address(const void *arg, uint32_t index, uint32_t boot, char *text, size_t size)
{
	const struct sup *sup = arg;
	const struct sup_place *place = &sup->places->of[index];
	struct in_addr address = { wt_addresses_of(&sup->places->addresses, index, place->changes ? boot : 0) };

	inet_ntop(AF_INET, &address, text, (socklen_t) size);
}

bool sup_places_wish(const struct sup *sup, uint32_t index)
{
	char address[INET_ADDRSTRLEN];

	if (!sup->places || !(joins(sup, index) || sup->places->of[index].changes))
		return false;
	sup_places_address(sup, index, sup->places->of[index].boot, address, sizeof(address));
	wt_slurmd_place_wish(address, joins(sup, index) ? wt_clusterconf_joining_port(&sup->info)
							: (uint16_t) (sup->info.nodes_port + index));
	return true;
}

void sup_places_clear(struct sup *sup)
{
	if (sup->places)
		wt_addresses_clear(&sup->places->addresses);
	free(sup->places);
	sup->places = NULL;
}
