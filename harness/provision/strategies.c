/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <math.h>
#include <string.h>

#include "harness/provision/strategies.h"

#define SAME_S 1e-6	/* times are computed from microseconds: less is a rounding error */

static const char *const strategy_names[PROVISION_STRATEGIES] = {
	[PROVISION_SLURM] = "slurm",
	[PROVISION_1VM4ALL] = "1vm4all",
	[PROVISION_1VMPERTASK] = "1vmpertask",
	[PROVISION_ASAP] = "asap",
	[PROVISION_AFAP] = "afap",
};

const char *provision_strategy_name(enum provision_strategy strategy)
{
	return strategy < PROVISION_STRATEGIES ? strategy_names[strategy] : "impossible";
}

bool provision_strategy_parse(const char *text, enum provision_strategy *strategy)
{
	for (int i = 0; i < PROVISION_STRATEGIES; i++) {
		if (strcmp(text, strategy_names[i]))
			continue;
		*strategy = (enum provision_strategy) i;
		return true;
	}
	return false;
}

double provision_stop_s(double rented_s, double free_s, double unit_s, double margin_s)
{
	double units = ceil((free_s - rented_s + margin_s - SAME_S) / unit_s);

	return rented_s + fmax(units, 1) * unit_s - margin_s;
}

static double left_s(const struct provision_vm *vm, double task_s)
{
	return vm->stop_s - vm->free_s - task_s;
}

static bool eligible(enum provision_strategy strategy, const struct provision_view *view, const struct provision_vm *vm,
		     double task_s)
{
	switch (strategy) {
	case PROVISION_1VM4ALL:
		return true;
	case PROVISION_ASAP:
		return vm->free_s <= view->now_s + SAME_S || vm->free_s < view->now_s + view->boot_s - SAME_S;
	case PROVISION_AFAP:
		return left_s(vm, task_s) >= -SAME_S;
	default:
		return false;
	}
}

static bool sooner(const struct provision_vm *a, const struct provision_vm *b)
{
	return a->free_s < b->free_s - SAME_S || (a->free_s <= b->free_s + SAME_S && a->node < b->node);
}

static bool fits_better(const struct provision_vm *a, const struct provision_vm *b, double task_s)
{
	double left_a = left_s(a, task_s), left_b = left_s(b, task_s);
	bool fits_a = left_a >= -SAME_S, fits_b = left_b >= -SAME_S;

	if (fits_a != fits_b)
		return fits_a;
	if (fits_a && fabs(left_a - left_b) > SAME_S)
		return left_a < left_b;
	return sooner(a, b);
}

static struct provision_choice full_choose(enum provision_full full, const struct provision_view *view)
{
	struct provision_choice choice = { .verdict = PROVISION_WAIT, .why = "full" };

	if (full == PROVISION_FULL_WAIT || !view->vm_count)
		return choice;
	choice.verdict = PROVISION_USE;
	for (size_t i = 1; i < view->vm_count; i++)
		if (sooner(&view->vms[i], &view->vms[choice.vm]))
			choice.vm = i;
	return choice;
}

struct provision_choice provision_choose(enum provision_strategy strategy, enum provision_full full,
					 const struct provision_view *view, double task_s)
{
	struct provision_choice choice = { .verdict = PROVISION_RENT, .why = "none-eligible" };

	for (size_t i = 0; i < view->vm_count; i++) {
		if (!eligible(strategy, view, &view->vms[i], task_s))
			continue;
		if (choice.verdict == PROVISION_RENT || fits_better(&view->vms[i], &view->vms[choice.vm], task_s))
			choice = (struct provision_choice) { PROVISION_USE, i, "best-fit" };
	}
	if (choice.verdict == PROVISION_RENT && !view->can_rent)
		return full_choose(full, view);
	return choice;
}
