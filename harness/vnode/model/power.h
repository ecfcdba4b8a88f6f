/* power.h - which nodes have power: a state machine for each.
 *
 *   OFF --on--> BOOTING --boot time--> ON --off--> STOPPING --stop time--> OFF
 *
 * BOOTING may end in OFF (the boot fails, or the node is switched off), or never; ON may end by itself, when the machine
 * is taken back, with a notice before or without; STOPPING goes on to BOOTING when the node was asked on meanwhile.
 *
 * This is what machines do; what Slurm believes of them is Slurm's.  Pure: times are arguments (microseconds), deadlines go
 * into the queue given at creation, and what happens is told through a call.  One thread. */
#ifndef WT_HARNESS_VNODE_MODEL_POWER_H
#define WT_HARNESS_VNODE_MODEL_POWER_H

#include "harness/vnode/model/elastic.h"
#include "harness/vnode/model/timerq.h"
#include "record/power_format.h"

struct wt_power;	/* opaque */

enum wt_power_state { WT_POWER_ON, WT_POWER_OFF, WT_POWER_BOOTING, WT_POWER_STOPPING };
#define WT_POWER_STATES (WT_POWER_STOPPING + 1)

struct wt_power_happened {
	enum wt_power_event event;
	uint32_t node, boot, job_id;	/* boot: its number, 0 before the first; job_id 0: not known */
	int64_t time_us;
	int64_t left_us;		/* NOTICE: until the machine is taken back */
};

struct wt_power_conf {
	const struct wt_elastic *elastic;	/* must outlive it; which nodes its classes have is known */
	struct wt_timerq *timers;		/* the same */
	uint32_t timer_kind;			/* of its timers; 'a' is the node */
	int64_t begin_us;			/* from then on the limits count */
	void (*happened)(void *arg, const struct wt_power_happened *what);
	void *arg;
};

struct wt_power_image {		/* of one node, for a journal */
	uint32_t node, boot, job_id;
	uint8_t state;		/* enum wt_power_state */
	uint8_t fate;		/* enum wt_boot_fate, of the boot that is under way; LOST: off, it has failed */
	bool again;		/* asked on while it stops */
	bool told;		/* it has registered since its last boot */
	int64_t until_us;	/* when the state ends by itself; 0: never */
	int64_t booted_us;	/* the boot that its slurmd tells of; 0: it has been up from the beginning */
};

/* All nodes are on.  NULL, ENOMEM. */
struct wt_power *wt_power_create(uint32_t node_count, const struct wt_power_conf *conf);
void wt_power_destroy(struct wt_power *power);	/* NULL is ignored; errno is preserved */

/* The node begins without power, unless it was restored. */
void wt_power_begin_off(struct wt_power *power, int64_t now_us, uint32_t node);

/* Asked by a program; 'job_id': for the sake of this job, 0: not known. */
void wt_power_ask_on(struct wt_power *power, int64_t now_us, uint32_t node, uint32_t job_id);
void wt_power_ask_off(struct wt_power *power, int64_t now_us, uint32_t node);

/* The same, by a program that may fail (elastic.h).  on () is one call of it, for nodes of which each stands there once,
 * those of a job side by side; it returns at how many it fails.  off (), and drop () of a node that has not come in time:
 * false, it has failed, and nothing is switched. */
uint32_t wt_power_program_on(struct wt_power *power, int64_t now_us, const uint32_t *nodes, const uint32_t *job_ids,
			     uint32_t count);
bool wt_power_program_off(struct wt_power *power, int64_t now_us, uint32_t node);
bool wt_power_program_drop(struct wt_power *power, int64_t now_us, uint32_t node);

/* The machine fails at once, whatever it does, and is off; and is repaired: it is on at once, if it is off because it has
 * failed.  The laws of boots do not count. */
void wt_power_fail(struct wt_power *power, int64_t now_us, uint32_t node);
void wt_power_repair(struct wt_power *power, int64_t now_us, uint32_t node);

/* The machine is taken back, after the notice that the laws have for the node; one that is not on, or has its notice, goes
 * on as it is. */
void wt_power_take(struct wt_power *power, int64_t now_us, uint32_t node);

/* Its machine stays, and is booted anew: its slurmd tells a boot of that time, which may be to come.  Of one that is on. */
void wt_power_reboot(struct wt_power *power, uint32_t node, int64_t booted_us);

void wt_power_timer(struct wt_power *power, int64_t now_us, uint32_t node);	/* its timer has fired */
void wt_power_registered(struct wt_power *power, int64_t now_us, uint32_t node);	/* slurmctld has taken that */

enum wt_power_state wt_power_state(const struct wt_power *power, uint32_t node);
static inline bool wt_power_is_on(const struct wt_power *power, uint32_t node)
{
	return wt_power_state(power, node) == WT_POWER_ON;
}

bool wt_power_has_registered(const struct wt_power *power, uint32_t node);	/* in its present boot */

/* It has a machine, or will have, and whoever asks for its address is told it (elastic.h). */
bool wt_power_tells_address(const struct wt_power *power, uint32_t node);
/* The number of its present boot; of one that boots as soon as it has stopped the next. */
uint32_t wt_power_boot(const struct wt_power *power, uint32_t node);
int64_t wt_power_booted_us(const struct wt_power *power, uint32_t node);
uint32_t wt_power_count(const struct wt_power *power, enum wt_power_state state);
bool wt_power_used(const struct wt_power *power);	/* a node has been off, or is */
const char *wt_power_state_name(enum wt_power_state state);

/* For a journal: an image of each node that has changed since it was last asked, until false; all that are not as at
 * creation, from *at = 0 on; and back.  A restore: 0, or -1 with EINVAL.  wt_power_resume () arms what was restored. */
bool wt_power_changed(struct wt_power *power, struct wt_power_image *image);
bool wt_power_image(const struct wt_power *power, uint32_t *at, struct wt_power_image *image);
int wt_power_restore(struct wt_power *power, const struct wt_power_image *image);
void wt_power_resume(struct wt_power *power);

#endif
