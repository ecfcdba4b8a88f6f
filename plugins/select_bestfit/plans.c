/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "plugins/select_bestfit/plans.h"

void plans_add(struct plans *p, const struct bestfit_want *want)
{
	p->wants[p->count++ % PLANS_MAX] = *want;
}

size_t plans_count(const struct plans *p)
{
	return p->count < PLANS_MAX ? p->count : PLANS_MAX;
}

const struct bestfit_want *plans_at(const struct plans *p, size_t i)
{
	size_t kept = plans_count(p);

	return i < kept ? &p->wants[(p->count - kept + i) % PLANS_MAX] : NULL;
}

void plans_forget(struct plans *p)
{
	p->count = 0;
}
