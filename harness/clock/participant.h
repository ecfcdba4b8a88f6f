/* participant.h - a participant's side of the virtual clock; shared by the wrappers (wrap_*.c) of the interposition library.
 *
 * A process takes part when WT_SHM_ENV names a clock at its start ("attached"); otherwise every wrapper does what the
 * wrapped function does.  A process of another user than the clock's is a guest: it sees the time, and waits by the
 * machine's clock, at whose rate the virtual one runs meanwhile; it can change nothing.  All functions may be called from
 * any thread; none changes errno unless it says so.
 *
 * participant.c is the ground; participant_thread.c (slots of threads), participant_wait.c (waits) and participant_process.c
 * (processes, and the start) each call only those before them, and the last also what wrappers have to prepare. */
#ifndef WT_HARNESS_CLOCK_PARTICIPANT_H
#define WT_HARNESS_CLOCK_PARTICIPANT_H

#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "harness/clock/clock_shm.h"

#define WT_EXPORT __attribute__((visibility("default")))
#define WT_NS_PER_S 1000000000LL

/* The next definition of a wrapped function, found once:  REAL (poll) (fds, n, timeout). */
#define REAL(name) ({ \
	static __typeof__(&name) real_##name; \
	if (__builtin_expect(!real_##name, 0)) \
		real_##name = (__typeof__(&name)) participant_real(#name); \
	real_##name; })

/* Ends the process with one line when there is no such function. */
void *participant_real(const char *name);

struct participant {
	struct wt_shm *shm;	/* NULL: not attached */
	const struct wt_view *view;	/* of a guest, which is not attached: it shows virtual time and waits in real time */
	int64_t shown_mono_ns, shown_boot_ns;	/* what the clocks of these names show more than virtual time */
	const char *path;	/* of its file */
	uint32_t process;	/* our slot */
	bool charged;		/* the controller, and its CPU time is charged */
	bool measures;		/* it looks at its start how fast its clocks go: see participant_note_read () */
	bool in_turn;		/* our threads go on one at a time: see participant_take_turn () */
	int signal;
};

extern struct participant participant;

static inline bool participant_attached(void)
{
	return participant.shm != NULL;
}

static inline bool participant_shows_time(void)
{
	return participant_attached() || participant.view;
}

/* Before anything that may wake a thread, of whatever process, that waits for files. */
static inline void participant_send(void)
{
	if (participant_attached())
		atomic_fetch_add_explicit(&participant.shm->processes[participant.process].sends, 1, memory_order_seq_cst);
}

/* The same for one that may wake only those, among others, that wait for sockets that listen. */
void participant_send_connect(void);

/* The same for what is done to 'fd', whatever it is: if it is a pipe, those that wait for pipes are told, too. */
void participant_send_file(int fd);

/* What a wait for these files is ended by; 'fds' as for poll (2). */
enum wt_wait_for participant_wait_for_files(const struct pollfd *fds, nfds_t count);

/* The thread in a slot, which had this owner word before the thread was made, is that one. */
void participant_thread_known(const struct wt_shm_thread *slot, uint64_t owner, pthread_t thread);

/* Before it waits for the end of that thread of its process: what that wait is ended by. */
enum wt_wait_for participant_wait_for_thread(pthread_t thread);

/* After the calling thread has sent something to a peer, which is now busy with it: when we wait next, and soon, the
 * coordinator need not be told that no thread works. */
void participant_sent(void);

/* Has it just given its work to a thread that will poke in its turn?  Asked once.  If that is wrong, the coordinator
 * looks by itself within a millisecond. */
bool participant_handed_on(void);

/* Once, before the first thread has a slot: the signal that ends waits (participant.signal), and what is done as a
 * thread ends. */
void participant_threads_init(void);

/* The calling thread's slot; threads made behind our back get one here. */
struct wt_shm_thread *participant_self(void);

/* Virtual time (the machine's when neither attached nor a guest), and the machine's monotonic clock. */
int64_t participant_now_ns(void);
int64_t participant_mono_ns(void);

/* What CLOCK_MONOTONIC and CLOCK_BOOTTIME show now: they began with the machine and go with virtual time since attached. */
int64_t participant_offset_ns(clockid_t clock);

/* 'until' on the machine's clock of that name: itself, or for a guest '*changed'.  NULL stays NULL. */
const struct timespec *participant_machine_until(clockid_t clock, const struct timespec *until, struct timespec *changed);

/* Mark the calling thread as being in a wait without deadline, and back. */
void participant_block_begin(enum wt_wait_for wait_for);
void participant_block_end(void);

/* The same for a wait until 'deadline_ns'; returns the wait's number, to be compared with wake_gen. */
uint32_t participant_wait_begin(int64_t deadline_ns, enum wt_slot_wake kind, enum wt_wait_for wait_for);

/* Around the waking of threads that wait for this process' own words: 'woken' is how many were.  And each of them when it is
 * known to be running again, not before: until then it is in limbo. */
void participant_stir_begin(void);
void participant_stir_end(long woken);
void participant_stirred(void);

/* Before sending what may interrupt any thread at all. */
void participant_signal(void);
bool participant_wait_over(uint32_t wait_gen);

enum participant_woke { PARTICIPANT_TIMEOUT, PARTICIPANT_CHANGED, PARTICIPANT_SIGNAL };

/* Sleep until 'deadline_ns', until *addr (may be NULL) differs from 'value' and is woken, or (only without addr) until
 * a signal handler has run.  A cancellation point. */
enum participant_woke participant_wait(_Atomic uint32_t *addr, uint32_t value, bool process_private, int64_t deadline_ns);

/* The caller has just not waited, although it polled or slept (for next to no time).  A loop that does so until some time
 * has passed (libev's, when a timer is due exactly now) would turn for ever while the clock stands: after some rounds at one
 * moment each costs a little virtual time. */
void participant_note_no_wait(void);

/* The caller has just read the clock.  MariaDB does so, as it starts, until a millisecond has passed: after many times at
 * one moment that costs virtual time, or the clock would have to run at the machine's rate.  Only in processes that
 * participant.measures: a controller with long queues reads it as often, and for other reasons. */
void participant_note_read(void);

/* With a clock that stands while any thread works they still race for what happens first at one moment.  So there a thread
 * or program that begins, or that another one has woken, waits without any time passing until all is quiet; of several the
 * one with the least 'order' goes first.  Take that when the wait begins: in which order they are woken is the machine's
 * whim.  Nothing with other charges, and in processes that are not participant.in_turn. */
uint64_t participant_order_next(void);
void participant_take_turn(uint64_t order);

/* The calling thread's next wait for files ends at 'deadline_ns', if its own limit is later; once. */
void participant_hint(int64_t deadline_ns);

/* Has our own signal interrupted a call of this thread since the last question? */
bool participant_signal_taken(void);

/* The longest that a thread stays in the kernel before it looks whether the coordinator lives; ends the process if not. */
#define PART_LIVENESS_S 2
void participant_check_coordinator(void);

/* One line to stderr and the end of this process, status 75 (EX_TEMPFAIL). */
void participant_die(const char *fmt, ...) __attribute__((noreturn, format(printf, 1, 2)));

/* Slots of a thread or process to be: claimed by the parent, so that there is no moment at which the child is not known. */
struct wt_shm_thread *participant_thread_prepare(void);
void participant_thread_start(struct wt_shm_thread *slot);

struct participant_child {
	uint32_t process;
	struct wt_shm_thread *thread;	/* its first */
	uint64_t owner;			/* of that slot */
	uint64_t order;			/* of its first turn */
};

void participant_child_prepare(struct participant_child *child);
void participant_child_known(const struct participant_child *child, int32_t pid);	/* in the parent */
void participant_child_start(const struct participant_child *child);			/* in the child */
void participant_child_failed(const struct participant_child *child);

/* Find the C library's functions that read and write files, which signal handlers may call. */
void participant_io_init(void);

/* Is it a connection with munged?  Answers from there come when they come, and are not waited for in turn (wrap_file.c). */
bool participant_is_beside(int fd);

/* In a child: the connections that it has inherited are its parent's to count (wrap_file.c). */
void participant_forget_outsiders(void);

/* A child that became another program as it was made (posix_spawn): a stranger until that attaches. */
void participant_program_known(int32_t pid);

/* Where the library and the clock are, for participant_env_call (). */
void participant_env_init(const char *shm_path);

/* Return call (arg, envp), with the library and the clock added to 'envp' when it does not name a clock.  Allocates
 * nothing. */
int participant_env_call(int (*call)(void *arg, char *const envp[]), void *arg, char *const envp[]);

static inline int64_t participant_timespec_ns(const struct timespec *ts)
{
	if (ts->tv_sec >= INT64_MAX / WT_NS_PER_S)
		return INT64_MAX;
	return ts->tv_sec * WT_NS_PER_S + ts->tv_nsec;
}

static inline int64_t participant_add_ns(int64_t a, int64_t b)
{
	return a > INT64_MAX - b ? INT64_MAX : a + b;
}

static inline struct timespec participant_ns_timespec(int64_t ns)
{
	return (struct timespec) { .tv_sec = ns / WT_NS_PER_S, .tv_nsec = ns % WT_NS_PER_S };
}

#endif
