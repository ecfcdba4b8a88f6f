/* elastic.h - what switching nodes on and off takes, and what goes wrong with it: the settings of --elastic.
 *
 * Pure: text in, decisions out; each is drawn by seed, node and number of its boot, so that the order of requests does not
 * matter.  Written "KEY=VALUE":
 *   on                     nothing beyond the defaults
 *   boot=DELAY             from the start of a node's machine to its slurmd's (default 60 s)
 *   stop=DELAY             from the end of its slurmd to that of its machine (default 10 s)
 *   fail=boot:SHARE        of the boots: the machine is gone when its slurmd should begin
 *   fail=never:SHARE       of the boots: the machine runs until it is switched off, and no slurmd comes
 *   fail=late:SHARE:DELAY  of the boots: this much later
 *   fail=stock-out:SHARE   of the requests: no machine is there to be had
 *   fail=taken:SHARE:DELAY  of the boots: the machine is taken back so long after its slurmd has begun
 *   notice=SECONDS         a machine that is taken back is told of that so long before (default 0: not at all)
 *   on-notice=WHAT         what is done upon it (wt-vnoded(8)): drain, requeue, power-down-asap, power-down-force, or a
 *                          program's path
 *   fail=old-boot:SHARE    of the boots: its slurmd tells the time of the boot before, as one without -b
 *   fail=resume-program:SHARE   of the requests: the program fails, and the node stays off
 *   fail=suspend-program:SHARE  of the boots: the program fails each time, and the machine cannot be switched off
 *   fail=resume-slow:SECONDS, fail=suspend-slow:SECONDS  the programs wait so long before they do anything
 *   fail=one-of-job:SHARE  of the jobs for which several nodes boot: one of these boots fails
 *   fail=resume-fail-program:SHARE  of the boots that have not come in time: the program fails, and nothing is done
 *   fail=resume-fail-slow:SECONDS   it waits so long before it does anything
 *   on-resume-fail=WHAT    done with nodes that have not come in time (windtunnel-cluster(1)): off, resume, or the path of a
 *                          program
 *   on-stock-out=WHAT      done with nodes for which there is no machine (wt-vnoded(8)): wait (default), down, down:SECONDS,
 *                          power-down-force, or the path of a program
 *   together=job|call      machines for all nodes of a job, or of a call of the program, or for none of them
 *   address=new            each boot has another address than the one before
 *   fail=no-address:SHARE  of the boots: who asks for its address is told none
 *   limit=LIMIT            so many nodes can have machines at once, also over time: more are a stock-out
 *   seed=N                 of all random choices (default 1)
 *   NODES:KEY=VALUE        boot, stop, notice, limit or fail for the nodes of this host list alone, as of one type of
 *                          machine: what is not said of them is as for all.  A limit of theirs counts them only.
 * DELAY as in delay.h, LIMIT as in limit.h; SHARE is 0 to 1, or "5%".  One writer, or many readers. */
#ifndef WT_HARNESS_VNODE_MODEL_ELASTIC_H
#define WT_HARNESS_VNODE_MODEL_ELASTIC_H

#include "harness/vnode/model/delay.h"
#include "harness/vnode/model/limit.h"

struct wt_elastic_class;

enum wt_elastic_together { WT_TOGETHER_NONE, WT_TOGETHER_JOB, WT_TOGETHER_CALL };

struct wt_elastic {		/* zeroed: wt_elastic_defaults () fills in what was not given */
	uint64_t seed;
	struct wt_delay boot, stop, late, taken;
	double boot_fails, boot_never, boot_late, boot_old, boot_taken, one_fails, stock_out;	/* shares */
	double resume_fails, suspend_fails, drop_fails;
	double resume_slow_s, suspend_slow_s, drop_slow_s;	/* for who writes the programs */
	const char *on_notice, *on_resume_fail, *on_stock_out;	/* the same; borrowed from the texts of the settings */
	double no_address;
	enum wt_elastic_together together;
	bool address_new;
	double notice_s;
	struct wt_limit limit;	/* of a class: of its nodes alone */
	bool boot_given, stop_given, notice_given, no_address_given, stock_out_given;
	struct wt_elastic_class *classes;	/* owned */
	uint32_t class_count;
	uint16_t *class_of;	/* owned: of each node, from 1 on; 0: none.  NULL: not known yet, or there are no classes */
};

struct wt_elastic_class {
	char *nodes;		/* as written */
	char **texts;		/* "KEY=VALUE" */
	size_t text_count;
	struct wt_elastic law;	/* all of it, from wt_elastic_nodes () on */
};

#define WT_ELASTIC_CLASSES_MAX 64

/* Drawn for no boot (power.h): LOST: the machine has failed; NOTICED: the machine is on, and is to be taken back. */
enum wt_boot_fate { WT_BOOT_COMES, WT_BOOT_FAILS, WT_BOOT_NEVER, WT_BOOT_LOST, WT_BOOT_TAKEN, WT_BOOT_OLD, WT_BOOT_NOTICED };
#define WT_BOOT_FATES (WT_BOOT_NOTICED + 1)

/* Take one setting, whose text must outlive 'elastic'.  0, or -1 with EINVAL (what is wrong, in one line) or ENOMEM; then
 * *elastic is as before. */
int wt_elastic_add(struct wt_elastic *elastic, const char *text, struct wt_error *errp);
void wt_elastic_defaults(struct wt_elastic *elastic);
void wt_elastic_clear(struct wt_elastic *elastic);

/* After the defaults: which nodes the classes have; of a node that several have, the last one counts.  find () tells the
 * number of a name, below 'count', UINT32_MAX for none; NULL: the names are not known here, only the classes' laws are
 * wanted.  0, or -1 with EINVAL or ENOMEM. */
int wt_elastic_nodes(struct wt_elastic *elastic, uint32_t count, uint32_t (*find)(const void *arg, const char *name),
		     const void *arg, struct wt_error *errp);

/* Behind that: is there a setting that does nothing without another one, which is missing?  0, or -1 with EINVAL. */
int wt_elastic_check(const struct wt_elastic *elastic, struct wt_error *errp);

/* The class of a node, 0: none; and the law that it goes by. */
static inline uint16_t wt_elastic_class_of(const struct wt_elastic *elastic, uint32_t node)
{
	return elastic->class_of ? elastic->class_of[node] : 0;
}
static inline const struct wt_elastic *wt_elastic_of(const struct wt_elastic *elastic, uint32_t node)
{
	uint16_t number = wt_elastic_class_of(elastic, node);

	return number ? &elastic->classes[number - 1].law : elastic;
}

/* What becomes of boot number 'boot' (1 is the first) of this node, and how long it takes. */
bool wt_elastic_stock_out(const struct wt_elastic *elastic, uint32_t node, uint32_t boot);
enum wt_boot_fate wt_elastic_fate(const struct wt_elastic *elastic, uint32_t node, uint32_t boot);
int64_t wt_elastic_boot_us(const struct wt_elastic *elastic, uint32_t node, uint32_t boot);
int64_t wt_elastic_stop_us(const struct wt_elastic *elastic, uint32_t node, uint32_t boot);
int64_t wt_elastic_taken_us(const struct wt_elastic *elastic, uint32_t node, uint32_t boot);	/* after it was up */
int64_t wt_elastic_notice_us(const struct wt_elastic *elastic, uint32_t node);	/* before that */

/* Does the program fail that asks this node on, for this boot, or off behind it? */
bool wt_elastic_resume_fails(const struct wt_elastic *elastic, uint32_t node, uint32_t boot);
bool wt_elastic_suspend_fails(const struct wt_elastic *elastic, uint32_t node, uint32_t boot);
bool wt_elastic_no_address(const struct wt_elastic *elastic, uint32_t node, uint32_t boot);
bool wt_elastic_drop_fails(const struct wt_elastic *elastic, uint32_t node, uint32_t boot);	/* it has not come in time */

/* Of 'count' nodes that begin to boot for one job, 'node' being the first of them: which one fails; 'count': none. */
uint32_t wt_elastic_one_of(const struct wt_elastic *elastic, uint32_t node, uint32_t boot, uint32_t count);

#endif
