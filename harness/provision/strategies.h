/* strategies.h - which machine a task gets: the strategies of --provision.
 *
 * Definitions are those of L. Bertot, "Improving the simulation of IaaS clouds" (thesis, Strasbourg 2019), section
 * 2.2.2 (lines of its text as stored: 484-528).  Algorithm 2.1 (490-514): a task whose dependencies are met gets, at
 * once and for good, one of the machines that are eligible, chosen by select, or a new one.
 *   1vm4all     one machine is ever rented (516)
 *   1vmpertask  each task gets a new machine (516)
 *   afap        as full as possible (518-524): eligible is a machine whose expected remaining time fits the task's full
 *               expected run time; of several the best fit
 *   asap        as soon as possible (526): eligible is a machine that is idle, or expected to be idle before a new one
 *               could be provisioned; of several the best fit
 * The remaining time is that until the machine is shut down: idle with an empty queue, one margin before the end of a
 * billing unit (396, 425).  The best fit is the machine that has least of it left behind the task; of machines that it
 * does not fit (asap), the one that is free first.  What is equal goes to the machine that is free first, then to the
 * lower number.  What happens when no more machines can be had the thesis does not say: enum provision_full.
 *
 * Pure: no Slurm, no clock.  Times are seconds on one time line. */
#ifndef WT_HARNESS_PROVISION_STRATEGIES_H
#define WT_HARNESS_PROVISION_STRATEGIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum provision_strategy {
	PROVISION_SLURM,	/* none of these: Slurm's own suspending and resuming */
	PROVISION_1VM4ALL, PROVISION_1VMPERTASK, PROVISION_ASAP, PROVISION_AFAP,
	PROVISION_STRATEGIES
};
const char *provision_strategy_name(enum provision_strategy strategy);	/* "slurm", "1vm4all", ... */
bool provision_strategy_parse(const char *text, enum provision_strategy *strategy);

/* What a task for which a machine would be rented does when none can be: */
enum provision_full {
	PROVISION_FULL_QUEUE,	/* it goes to the machine that is expected to be free first */
	PROVISION_FULL_WAIT,	/* it is looked at again with every change */
};

struct provision_vm {		/* a machine that is rented */
	uint32_t node;
	double free_s;		/* expected to be on, without a task and with an empty queue; not before now */
	double stop_s;		/* expected to be shut down if it gets nothing more to do; not before free_s */
};

struct provision_view {
	double now_s;
	double boot_s;		/* expected from the request of a machine to its readiness */
	const struct provision_vm *vms;
	size_t vm_count;
	bool can_rent;		/* one more is allowed, and there */
};

enum provision_verdict { PROVISION_USE, PROVISION_RENT, PROVISION_WAIT };

struct provision_choice {
	enum provision_verdict verdict;
	size_t vm;		/* USE: index of the view's machine */
	const char *why;	/* one word, constant */
};

/* For a task that is expected to take 'task_s'.  Never RENT when the view says that none can be; WAIT only when no
 * machine is rented either, or for PROVISION_FULL_WAIT. */
struct provision_choice provision_choose(enum provision_strategy strategy, enum provision_full full,
					 const struct provision_view *view, double task_s);

/* When a machine that was rented at 'rented_s' and is free from 'free_s' on is shut down. */
double provision_stop_s(double rented_s, double free_s, double unit_s, double margin_s);

#endif
