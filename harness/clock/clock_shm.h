/* clock_shm.h - the memory that a virtual clock's coordinator and its participants share.
 *
 * One file in /dev/shm, of the user who began the clock; no other user may map it.  Those get the view, below.  Times are
 * nanoseconds (suffix _ns): "virtual" ones since the Unix epoch on the experiment's own time line, "mono" ones on the
 * machine's CLOCK_MONOTONIC.
 * Which process writes what: the coordinator writes the header, the time line (under its sequence lock), 'wake_gen', and
 * frees slots; a participant claims slots and writes its own; counters marked "all" are atomic and written by all.
 * The layout is private to one build of Windtunnel: 'version' changes with it. */
#ifndef WT_HARNESS_CLOCK_CLOCK_SHM_H
#define WT_HARNESS_CLOCK_CLOCK_SHM_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/error.h"

#define WT_SHM_MAGIC 0x6b636f6c63747721ULL	/* "!wtclock" */
#define WT_SHM_VERSION 8
#define WT_SHM_ENV "WINDTUNNEL_CLOCK"		/* path of the file: its presence attaches a process */
#define WT_SHM_ROLE_ENV "WINDTUNNEL_CLOCK_ROLE"	/* "driver": the clock jumps only while one lives; "nodes": trusted */
/* Every how many seconds the clock of slurmctld's thread that saves its state goes on: pace.h. */
#define WT_SAVE_INTERVAL_ENV "WINDTUNNEL_CLOCK_SAVE_INTERVAL"
#define WT_VIEW_SUFFIX ".view"			/* behind that path: struct wt_view */
#define WT_SHM_PROCESSES_MAX 8192
#define WT_SHM_THREADS_MAX 32768

enum wt_charge {		/* what a busy controller costs in virtual time */
	WT_CHARGE_NONE,		/* nothing: the clock stands while anything is busy */
	WT_CHARGE_REAL,		/* the clock runs at the machine's rate while anything is busy */
	WT_CHARGE_CPU,		/* CPU time of the controller's busiest thread since the last jump, times a factor */
	WT_CHARGE_COUNT
};

enum wt_shm_state { WT_SHM_STARTING, WT_SHM_READY, WT_SHM_ENDED, WT_SHM_STATE_COUNT };

/* Life of a thread's slot.  RUNNING, BLOCKED, WAITING and LEAVING are set by the thread; PARKED and FREE by the
 * coordinator. */
enum wt_slot_state {
	WT_SLOT_FREE,
	WT_SLOT_CLAIMED,	/* for a thread that is just being made */
	WT_SLOT_RUNNING,
	WT_SLOT_PARKED,		/* RUNNING as the thread knows, but found blocked in the kernel: does not count as busy */
	WT_SLOT_BLOCKED,	/* in a wait without deadline */
	WT_SLOT_WAITING,	/* in a wait until deadline_ns */
	WT_SLOT_LEAVING,	/* its thread ends */
	WT_SLOT_STATE_COUNT
};

/* What ends the current wait of a thread, other than its deadline, a signal and its cancellation. */
enum wt_wait_for {
	WT_WAIT_ANY,		/* not known */
	WT_WAIT_OWN_WORDS,	/* a condition of its own process: 'stirs' and 'limbo' tell of it */
	/* What processes do with files, sockets, pipes: of those that are 'counted' their 'sends' tell; of the others, for
	 * these and the next three, whether they have used CPU time. */
	WT_WAIT_FILES,
	WT_WAIT_CLIENTS,	/* only sockets that listen: 'connects' tell */
	WT_WAIT_PIPES,		/* only pipes: 'pipes' tell */
	/* only signals that a process sends ('signals' tell), or the kernel when one has ended */
	WT_WAIT_SIGNALS,
	WT_WAIT_THREAD,		/* the end of another thread of its process: that one's slot, 'joined', tells */
};

enum wt_slot_wake { WT_WAKE_FUTEX, WT_WAKE_SIGNAL, WT_WAKE_COUNT };

struct wt_shm_thread {
	_Atomic uint64_t owner;		/* how often the slot was claimed << 32 | whose it is: see wt_shm_is_of () */
	_Atomic uint32_t state;
	_Atomic uint32_t wait_gen;	/* number of the thread's current wait, never 0 in one */
	_Atomic uint32_t wake_gen;	/* futex: the coordinator stores wait_gen here when the deadline has come */
	_Atomic uint32_t wake_kind;	/* enum wt_slot_wake */
	_Atomic int64_t deadline_ns;	/* virtual */
	_Atomic int64_t latest_ns;	/* virtual: how long the wait may go on for the sake of others, by slack_ns */
	/* of the wait among all waits: the first to wait for a deadline is woken first */
	_Atomic uint64_t order;
	int32_t pid, tid;
	uint32_t process;		/* index of its process */
	uint32_t period;		/* time line's period that cpu_base_ns belongs to */
	int64_t cpu_base_ns;		/* the thread's CPU time when this period began (charge: cpu) */
	int64_t cpu_ns;			/* the thread's CPU time when it last blocked */
	_Atomic uint64_t reads;		/* of the clock, ever */
	_Atomic uint32_t wait_for;	/* enum wt_wait_for */
	_Atomic uint32_t left;		/* the thread is about to end, whatever it still does */
	uint64_t joined_owner;		/* WT_WAIT_THREAD: the slot of the thread that it waits for, and its owner word */
	uint32_t joined;
	char pad[20];
};

enum wt_process_state { WT_PROCESS_FREE, WT_PROCESS_CLAIMED, WT_PROCESS_ATTACHED, WT_PROCESS_EXEC, WT_PROCESS_STATE_COUNT };

struct wt_shm_process {
	_Atomic uint32_t state;		/* EXEC: has called exec and not attached since */
	int32_t pid;
	uint64_t start_time;		/* field 22 of /proc/PID/stat: pids are reused */
	_Atomic uint32_t spawns;	/* programs begun by popen () or system () and not yet attached */
	_Atomic uint32_t outsiders;	/* open conversations with clients that are not in the experiment */
	/* how often its threads have woken those that wait for its conditions; never reset */
	_Atomic uint32_t stirs;
	_Atomic int32_t limbo; /* of those that wait for its conditions: how many were woken and do not run yet; not 0 while
				* a thread wakes them.  The coordinator, too, sets it to 0, when all is quiet */
	/* how often it may have woken those that wait for files, counted before; never reset */
	_Atomic uint32_t sends;
	/* how often, of these, those that wait for sockets that listen, and for pipes; counted before, and after 'sends' */
	_Atomic uint32_t connects, pipes;
	uint32_t counted;		/* all that it does to files others wait for is counted in these three */
	uint32_t charged;		/* is the controller */
	uint32_t driver;
	uint32_t trusted;		/* controller, or stand-in for nodes: long computing is their business */
	char name[16];
	char pad[52];
};

struct wt_shm_line {
	_Atomic uint32_t seq;		/* odd while the coordinator writes */
	_Atomic uint32_t period;	/* number of jumps */
	_Atomic int64_t base_ns;	/* virtual time at base_mono_ns, before the charge */
	_Atomic int64_t base_mono_ns;
	_Atomic uint32_t running;	/* the clock runs at the machine's rate since base_mono_ns */
	uint32_t pad0;
	/* all: charged since the last jump; grows only, the coordinator sets it to 0 at a jump */
	_Atomic int64_t charge_ns;
	char pad[16];
};

struct wt_shm_counts {		/* written by the coordinator */
	_Atomic uint64_t jumps, wakes, fallbacks;
	_Atomic int64_t fallback_ns, jumped_ns;
};

struct wt_shm {
	uint64_t magic;
	uint32_t version, processes_max, threads_max;
	_Atomic uint32_t state;		/* enum wt_shm_state */
	uint64_t size;
	int32_t coordinator_pid;
	uint32_t charge;		/* enum wt_charge */
	uint32_t charge_permille;	/* factor for WT_CHARGE_CPU */
	int32_t wake_signal;
	int64_t start_ns, start_mono_ns;	/* the virtual clock's beginning, and the machine's monotonic clock then */
	/* What participants are shown then as CLOCK_MONOTONIC and CLOCK_BOOTTIME: the machine's, or with charge none always
	 * the same, for programs that compute with such times in floating point (libev) round them in the same way in each
	 * run. */
	int64_t shown_mono_ns, shown_boot_ns;
	/* A wait may end so much later than its deadline, but no later than twice its length, if another one ends then:
	 * timer slack, see PR_SET_TIMERSLACK in prctl (2).  0: each ends at its deadline. */
	int64_t slack_ns;
	struct wt_shm_line line __attribute__((aligned(64)));
	_Atomic uint32_t poke __attribute__((aligned(64)));	/* futex: all: something for the coordinator to look at */
	_Atomic uint32_t listening;	/* the coordinator waits for poke */
	_Atomic uint32_t poker;		/* all: a hint, the slot of the thread that poked last, as it is about to sleep */
	_Atomic int32_t busy;		/* all: a hint, how many threads are RUNNING */
	_Atomic uint64_t generation __attribute__((aligned(64)));	/* all: counts registrations */
	struct wt_shm_counts counts;
	_Atomic uint64_t outsiders_ever;	/* all: conversations with clients that are not in the experiment */
	/* all: how often threads met at a lock, so that the machine decided which came first (charge none) */
	_Atomic uint64_t races;
	_Atomic uint64_t waits;		/* all: gives wt_shm_thread.order */
	_Atomic uint64_t signals;	/* all: counts what may have been sent to threads: signals, cancellations */
	/* all: no slot beyond these is in use (of threads: for longer than the coordinator needs to notice) */
	_Atomic uint32_t processes_used, threads_used;
	struct wt_shm_process processes[WT_SHM_PROCESSES_MAX] __attribute__((aligned(64)));
	struct wt_shm_thread threads[WT_SHM_THREADS_MAX] __attribute__((aligned(64)));
};

/* What other users may read: the time, and nothing else.  Written by the coordinator only; its line's charge is always 0.
 * A guest, another user's process, holds a read lock of its open file (fcntl (2), F_OFD_SETLK) on the whole view as long as
 * it has it mapped; while there is one, the clock runs at the machine's rate. */
struct wt_view {
	uint64_t magic;
	uint32_t version, pad0;
	uint64_t size;
	int64_t start_ns, shown_mono_ns, shown_boot_ns;	/* as in struct wt_shm */
	struct wt_shm_line line __attribute__((aligned(64)));
};

/* Make zeroed memory show what 'shm' does; and again, later.  Coordinator only. */
void wt_view_init(struct wt_view *view, const struct wt_shm *shm, int64_t mono_ns);
void wt_view_update(struct wt_view *view, const struct wt_shm *shm, int64_t mono_ns);

/* -1: EINVAL, *errp says what is wrong with it. */
int wt_view_check(const struct wt_view *view, size_t len, struct wt_error *errp);

/* Virtual time by a line alone when the machine's monotonic clock shows 'mono_ns'. */
int64_t wt_line_now_ns(const struct wt_shm_line *line, int64_t mono_ns);

/* Fill fresh, zeroed memory of sizeof (struct wt_shm).  The clock begins at 'begin_ns'; 'mono_ns' and
 * 'boot_ns' are the machine's clocks now. */
void wt_shm_init(struct wt_shm *shm, enum wt_charge charge, uint32_t charge_permille, int64_t begin_ns, int64_t mono_ns,
		 int64_t boot_ns);

/* Every invariant that must hold at any moment, whichever process writes; 'len' is the file's length.  -1: EINVAL, *errp
 * says what. */
int wt_shm_check(const struct wt_shm *shm, size_t len, struct wt_error *errp);

/* The part of it that does not change once the clock is READY: fit to be trusted by a participant? */
int wt_shm_check_header(const struct wt_shm *shm, size_t len, struct wt_error *errp);

/* Virtual time when the machine's monotonic clock shows 'mono_ns'.  Any thread of any participant. */
int64_t wt_shm_now_ns(const struct wt_shm *shm, int64_t mono_ns);

/* Coordinator only.  Set the clock to 'now_ns' (never backwards) at a moment when all is quiet: a new period, no charge. */
void wt_shm_jump(struct wt_shm *shm, int64_t now_ns, int64_t mono_ns, bool running);

/* Coordinator only.  Start or stop the clock's own running without changing what it shows at 'mono_ns'. */
void wt_shm_set_running(struct wt_shm *shm, bool running, int64_t mono_ns);

/* Raise the charge of this period to at least 'charge_ns'. */
void wt_shm_charge(struct wt_shm *shm, int64_t charge_ns);

/* Claim a free slot, or -1 when none is left.  Its state is CLAIMED; a thread's slot belongs to process slot 'process', and
 * a process' slot to the claimer 'pid' until it is known which process it is for: one that dies meanwhile leaves nothing. */
int wt_shm_claim_thread(struct wt_shm *shm, uint32_t process);

/* Does a slot with this 'owner' word (of a thread's slot, as read) belong to process slot 'process'? */
static inline bool wt_shm_is_of(uint64_t owner, uint32_t process)
{
	return (uint32_t) owner == process + 1;
}

/* Coordinator only.  Forget that there were more threads: each look at all slots would cost what it did in a burst of
 * them. */
void wt_shm_trim_threads(struct wt_shm *shm);

/* All slots in use are among so many, at most as many as there are, whatever stands in the memory. */
static inline uint32_t wt_shm_threads_used(const struct wt_shm *shm)
{
	uint32_t used = atomic_load(&shm->threads_used);

	return used < WT_SHM_THREADS_MAX ? used : WT_SHM_THREADS_MAX;
}

static inline uint32_t wt_shm_processes_used(const struct wt_shm *shm)
{
	uint32_t used = atomic_load(&shm->processes_used);

	return used < WT_SHM_PROCESSES_MAX ? used : WT_SHM_PROCESSES_MAX;
}

int wt_shm_claim_process(struct wt_shm *shm, int32_t pid);

/* Which of waits with the same deadline ends first: the least.  The controller's, then that of the nodes, then the others':
 * in which order processes began to wait at one moment is the machine's whim; in a process the thread that waits longer. */
uint64_t wt_shm_order(const struct wt_shm *shm, uint32_t slot);

/* Give a slot back, if it is still claimed as it was when its 'owner' word was read: a finder of a dead thread may
 * be late, and the slot another thread's by now.  True: this call has freed it.  Of many that try at once one does. */
bool wt_shm_free_thread(struct wt_shm *shm, uint32_t slot, uint64_t owner);

/* Coordinator only (and processes that claimed in vain). */
void wt_shm_free_process(struct wt_shm *shm, uint32_t slot);

/* The slot of process 'pid', or -1.  One that is merely claimed is no process' yet. */
int wt_shm_find_process(const struct wt_shm *shm, int32_t pid);

#endif
