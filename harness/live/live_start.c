/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/cluster/folder/libexec.h"
#include "harness/live/live_served.h"
#include "harness/live/live_start.h"
#include "lib/clock.h"
#include "lib/fs.h"
#include "lib/str.h"

#define FD_ENV "WINDTUNNEL_LIVE_FD"	/* of this process to itself, over the execution of its program anew */
#define CLOCK_ENV "WINDTUNNEL_CLOCK"
#define BACKLOG 64

static double wall_s(void)
{
	return (double) wt_clock_wall_us() / 1e6;
}

/* ---- the memory ---- */

static struct live_memory *memory_map(int fd, struct wt_error *errp)
{
	void *at = mmap(NULL, sizeof(struct live_memory), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (at != MAP_FAILED)
		return at;
	wt_error_errno(errp, errno, "live page");
	return NULL;
}

static int token_make(char token[LIVE_TOKEN_SIZE], struct wt_error *errp)
{
	unsigned char bytes[(LIVE_TOKEN_SIZE - 1) / 2];

	if (getrandom(bytes, sizeof(bytes), 0) != sizeof(bytes))
		return wt_error_errno(errp, errno ? errno : EIO, "live page: no random token");
	for (size_t i = 0; i < sizeof(bytes); i++)
		snprintf(token + 2 * i, 3, "%02x", bytes[i]);
	return 0;
}

/* The descriptor survives exec: it is the way back to the memory. */
static struct live_memory *memory_make(int *fd, enum live_kind kind, bool loopback, struct wt_error *errp)
{
	struct live_state state;
	struct live_memory *memory;

	*fd = memfd_create("windtunnel-live", 0);
	if (*fd < 0 || ftruncate(*fd, sizeof(*memory)) < 0) {
		wt_error_errno(errp, errno, "live page");
		return NULL;
	}
	memory = memory_map(*fd, errp);
	if (!memory || token_make(memory->token, errp) < 0)
		return NULL;
	strcpy(memory->magic, LIVE_MAGIC);
	memory->owner = getpid();
	memory->loopback = loopback;
	live_state_init(&state);
	state.kind = kind;
	live_memory_put(memory, &state);
	return memory;
}

/* What this process has made before it executed its program anew; NULL: nothing. */
static struct live_memory *memory_adopt(void)
{
	const char *text = getenv(FD_ENV);
	struct live_memory *memory;
	struct stat st;
	uint64_t fd;

	if (!text || wt_str_to_u64(text, 3, INT32_MAX, FD_ENV, &fd, NULL) < 0)
		return NULL;
	/* At once, so that no child takes the number for a descriptor of its own. */
	unsetenv(FD_ENV);
	if (fstat((int) fd, &st) < 0 || st.st_size != sizeof(*memory))
		return NULL;
	memory = memory_map((int) fd, NULL);
	if (!memory || strcmp(memory->magic, LIVE_MAGIC) || memory->owner != getpid()) {
		if (memory)
			munmap(memory, sizeof(*memory));
		return NULL;
	}
	close((int) fd);
	return memory;
}

static int descriptor_note(int fd, struct wt_error *errp)
{
	char text[16];

	snprintf(text, sizeof(text), "%d", fd);
	return setenv(FD_ENV, text, 1) < 0 ? wt_error_errno(errp, errno, "live page") : 0;
}

/* ---- the process ---- */

static int listener_make(struct live_address *address, const char *text, struct wt_error *errp)
{
	int fd = socket(address->socket.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), on = 1;

	if (fd < 0)
		return wt_error_errno(errp, errno, "--serve");
	/* The port of a run that has just ended is still in TIME_WAIT. */
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	if (bind(fd, (struct sockaddr *) &address->socket, address->len) == 0 && listen(fd, BACKLOG) == 0 &&
	    getsockname(fd, (struct sockaddr *) &address->socket, &address->len) == 0)
		return fd;
	if (errno == EADDRINUSE)
		wt_error_set(errp, EADDRINUSE, "--serve=%s: the port is taken; without a port a free one is found", text);
	else
		wt_error_errno(errp, errno, "--serve%s%s", text ? "=" : "", text ? text : "");
	close(fd);
	return -1;
}

/* In the child.  Returns only when it fails, with errno.  'clock' is for a command that was begun in a virtual clock,
 * or NULL: its children take part, but for those that name it and do not preload its library (harness/clock). */
static void server_exec(const char *program, const char *clock, int listen_fd, int memory_fd, int report_fd)
{
	const int fds[] = { listen_fd, memory_fd, report_fd };
	const int places[] = { LIVE_LISTEN_FD, LIVE_MEMORY_FD, LIVE_REPORT_FD };
	char *argv[] = { "wt-served", NULL }, *envp[] = { (char *) clock, NULL };
	int null = open("/dev/null", O_RDWR | O_CLOEXEC), high[3];
	sigset_t none;

	for (int i = 0; i < 3; i++) {	/* out of the way of the places first */
		high[i] = fcntl(fds[i], F_DUPFD_CLOEXEC, LIVE_REPORT_FD + 1);
		if (high[i] < 0)
			return;
	}
	for (int i = 0; i < 3; i++)
		if (dup2(null, i) < 0 || dup2(high[i], places[i]) < 0)
			return;
	fcntl(LIVE_REPORT_FD, F_SETFD, FD_CLOEXEC);
	/* All that the command has open (its log, the lock on its folder) stays out of the server. */
	close_range(LIVE_REPORT_FD + 1, ~0u, CLOSE_RANGE_CLOEXEC);
	fcntl(LIVE_REPORT_FD, F_SETFD, 0);
	for (int sig = 1; sig < NSIG; sig++)
		signal(sig, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	if (setsid() >= 0 && chdir("/") == 0)	/* Ctrl-C is for the command: it tells its own end */
		execve(program, argv, envp);
}

/* Its first word: "" it serves, else why not. */
static int report_read(int fd, struct wt_error *errp)
{
	char text[sizeof(errp->text)] = "";
	size_t len = 0;
	ssize_t n;

	do {
		n = read(fd, text + len, sizeof(text) - 1 - len);
		len += n > 0 ? (size_t) n : 0;
	} while ((n < 0 && errno == EINTR) || (n > 0 && len < sizeof(text) - 1));
	text[len] = '\0';
	if (!strcmp(text, LIVE_REPORT_READY))
		return 0;
	return wt_error_set(errp, EIO, "live page: %s", len ? text : "wt-served ended at once");
}

static int server_start(const char *program, int listen_fd, int memory_fd, struct wt_error *errp)
{
	const char *memory = getenv(CLOCK_ENV);
	char *clock = NULL;
	int report[2], rc;
	pid_t pid;

	if (pipe2(report, O_CLOEXEC) < 0)
		return wt_error_errno(errp, errno, "live page");
	if (memory)
		clock = wt_str_format(CLOCK_ENV "=%s", memory);
	/* What stands in stdio's buffers would be written twice, by the child as well. */
	fflush(NULL);
	pid = fork();
	if (pid == 0) {
		server_exec(program, clock, listen_fd, memory_fd, report[1]);
		dprintf(LIVE_REPORT_FD, "%s: %s", program, strerror(errno));
		_exit(127);
	}
	free(clock);
	close(report[1]);
	rc = pid < 0 ? wt_error_errno(errp, errno, "live page") : report_read(report[0], errp);
	close(report[0]);
	if (rc < 0 && pid > 0)
		waitpid(pid, NULL, 0);
	return rc;
}

/* ---- the page ---- */

void live_page_settle(struct live_page *page)
{
	unsetenv(FD_ENV);
	if (page->memory_fd >= 0)
		close(page->memory_fd);
	page->memory_fd = -1;
}

static void page_free(struct live_page *page)
{
	int saved_errno = errno;

	live_page_settle(page);
	if (page->memory)
		munmap(page->memory, sizeof(*page->memory));
	live_feed_destroy(page->feed);
	free(page->url_file);
	free(page);
	errno = saved_errno;
}

static void url_make(struct live_page *page, const struct live_address *address)
{
	char host[LIVE_HOST_SIZE] = "localhost";

	if (!address->loopback)
		gethostname(host, sizeof(host) - 1);
	live_address_url(address, host, page->url, sizeof(page->url));
	snprintf(page->url + strlen(page->url), sizeof(page->url) - strlen(page->url), "/%s/", page->memory->token);
}

static int page_begin(struct live_page *page, const char *text, enum live_kind kind, struct wt_error *errp)
{
	char *program = wt_libexec_find("wt-served", errp);
	int listen_fd = -1, rc = -1;
	struct live_address address;

	if (program && live_address_parse(text, &address, errp) == 0)
		listen_fd = listener_make(&address, text, errp);
	if (listen_fd >= 0)
		page->memory = memory_make(&page->memory_fd, kind, address.loopback, errp);
	if (page->memory) {
		url_make(page, &address);
		live_text_set(page->memory->url, sizeof(page->memory->url), page->url);
		rc = server_start(program, listen_fd, page->memory_fd, errp) < 0 ? -1
										 : descriptor_note(page->memory_fd, errp);
	}
	if (listen_fd >= 0)
		close(listen_fd);
	free(program);
	return rc;
}

struct live_page *live_page_start(const char *address, enum live_kind kind, struct wt_error *errp)
{
	struct live_page *page = calloc(1, sizeof(*page));

	if (!page) {
		wt_error_errno(errp, ENOMEM, "live page");
		return NULL;
	}
	page->memory_fd = -1;
	page->memory = memory_adopt();
	if (page->memory)
		live_text_set(page->url, sizeof(page->url), page->memory->url);
	else if (page_begin(page, address, kind, errp) < 0)
		goto error;
	page->feed = live_feed_create(page->memory);
	if (page->feed) {
		page->feed->state.kind = kind;
		return page;
	}
	wt_error_errno(errp, ENOMEM, "live page");
error:
	page_free(page);
	return NULL;
}

void live_page_tell(const struct live_page *page, const char *verb)
{
	if (!page->memory->loopback)
		fprintf(stderr, "windtunnel %s: warning: --serve listens where others can reach it; who has the URL sees "
			"the page, and nothing is encrypted\n", verb);
	fprintf(stderr, "live page: %s\n", page->url);
}

int live_page_note(struct live_page *page, const char *folder, struct wt_error *errp)
{
	char *text = wt_str_format("%s\n", page->url);
	int rc;

	page->url_file = wt_str_format("%s/" LIVE_URL_FILE, folder);
	rc = text && page->url_file ? wt_fs_write(page->url_file, text, strlen(text), 0600, errp)
				    : wt_error_errno(errp, ENOMEM, "live page");
	free(text);
	return rc;
}

void live_page_end(struct live_page *page, int status)
{
	if (!page)
		return;
	live_feed_end(page->feed, status);
	if (page->url_file)
		unlink(page->url_file);
	page_free(page);
}

void live_page_leave(struct live_page *page, const char *name, const char *folder, uint32_t nodes, const char *clock)
{
	struct live_state *state = &page->feed->state;

	live_feed_begin(page->feed, name, folder, wall_s());
	state->kind = LIVE_CLUSTER;
	state->nodes = nodes;
	live_text_set(state->clock, sizeof(state->clock), clock);
	live_feed_phase(page->feed, LIVE_RUNNING, "", wall_s());
	page_free(page);
}
