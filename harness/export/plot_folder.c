/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/export/plot_folder.h"
#include "lib/fs.h"
#include "lib/gnuplot.h"
#include "lib/str.h"

static const char *const pictures[] = { ".svg", ".pdf", ".png" };
#define PRIVATE_NAME ".windtunnel-plots."
#define PRIVATE_END  "XXXXXX"
#define TRIES	     100	/* another process removes our new folder at once */

enum { PICTURES = sizeof(pictures) / sizeof(pictures[0]) };

/* ---- what was left behind ----------------------------------------------------------------------------------------- */

/* The last bytes are mkdtemp (3)'s. */
static int name_private(const struct dirent *entry)
{
	size_t len = strlen(PRIVATE_NAME);

	return !strncmp(entry->d_name, PRIVATE_NAME, len) && strlen(entry->d_name) == len + strlen(PRIVATE_END);
}

/* KEY.svg and so on, or what wt_outfile_write () calls it until it is whole: KEY.svg.PID.new. */
static bool name_ours(const char *name, plot_name_fn name_is)
{
	char *whole = strdup(name), *end = whole ? strrchr(whole, '.') : NULL;
	bool ours = name_is(name);

	if (!ours && end && !strcmp(end, ".new")) {
		*end = '\0';
		end = strrchr(whole, '.');
		if (end && end[1] && !end[1 + strspn(end + 1, "0123456789")]) {
			*end = '\0';
			ours = name_is(whole);
		}
	}
	free(whole);
	return ours;
}

/* Takes 'fd' over. */
static void files_remove(int fd, plot_name_fn name_is)
{
	DIR *files = fdopendir(fd);
	const struct dirent *entry;

	if (!files) {
		close(fd);
		return;
	}
	while ((entry = readdir(files)))
		if (name_ours(entry->d_name, name_is))
			unlinkat(fd, entry->d_name, 0);	/* no folder, and no link's target */
	closedir(files);
}

/* Its owner has died when no process holds its lock. */
static void stale_remove(int dir_fd, const char *name, plot_name_fn name_is)
{
	int fd = openat(dir_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), files_fd;
	struct stat st;

	if (fd < 0)
		return;
	files_fd = fstat(fd, &st) == 0 && st.st_uid == geteuid() && (st.st_mode & 07777) == 0700 &&
			   flock(fd, LOCK_EX | LOCK_NB) == 0 ? fcntl(fd, F_DUPFD_CLOEXEC, 0) : -1;
	if (files_fd >= 0) {
		files_remove(files_fd, name_is);
		unlinkat(dir_fd, name, AT_REMOVEDIR);	/* fails where anything else lies in it */
	}
	close(fd);
}

static void all_stale_remove(const char *dir, plot_name_fn name_is)
{
	struct dirent **entries;
	int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int count = fd >= 0 ? scandirat(fd, ".", &entries, name_private, NULL) : -1;

	for (int i = 0; i < count; i++) {
		stale_remove(fd, entries[i]->d_name, name_is);
		free(entries[i]);
	}
	if (count >= 0)
		free(entries);
	if (fd >= 0)
		close(fd);
}

/* ---- the folder --------------------------------------------------------------------------------------------------- */

/* Until it is locked, another process may take the new folder for one that was left behind, and remove it.  1: locked, or
 * there are no locks here; 0: it is gone, -1: it cannot be opened. */
static int work_lock(struct plot_folder *folder)
{
	struct stat ours, named;

	folder->work_fd = open(folder->work, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (folder->work_fd < 0)
		return errno == ENOENT ? 0 : -1;
	if (flock(folder->work_fd, LOCK_EX) < 0 ||
	    (fstat(folder->work_fd, &ours) == 0 && lstat(folder->work, &named) == 0 && ours.st_ino == named.st_ino))
		return 1;
	close(folder->work_fd);
	folder->work_fd = -1;
	return 0;
}

static int work_make(struct plot_folder *folder, struct wt_error *errp)
{
	int rc = 0;

	for (int tries = 0; rc == 0 && tries < TRIES; tries++) {
		free(folder->work);
		/* In it, so that a rename leads from there to here. */
		folder->work = wt_str_format("%s/" PRIVATE_NAME PRIVATE_END, folder->dir);
		if (!folder->work)
			return wt_error_errno(errp, ENOMEM, "%s", folder->dir);
		rc = mkdtemp(folder->work) ? work_lock(folder) : -1;
	}
	if (rc > 0)
		return 0;
	wt_error_errno(errp, rc < 0 ? errno : EAGAIN, "%s: cannot make a folder in it", folder->dir);
	free(folder->work);
	folder->work = NULL;
	return -1;
}

int plot_folder_open(struct plot_folder *folder, const char *dir, plot_name_fn name_is, struct wt_error *errp)
{
	*folder = (struct plot_folder){ .dir = dir, .work_fd = -1 };
	if (mkdir(dir, 0777) < 0 && errno != EEXIST)
		return wt_error_errno(errp, errno, "%s: cannot make this folder", dir);
	all_stale_remove(dir, name_is);
	return work_make(folder, errp);
}

void plot_folder_close(struct plot_folder *folder)
{
	int saved_errno = errno;

	if (folder->work)
		wt_fs_remove_tree(folder->work, NULL);
	free(folder->work);
	folder->work = NULL;
	if (folder->work_fd >= 0)
		close(folder->work_fd);
	folder->work_fd = -1;
	errno = saved_errno;
}

/* ---- files -------------------------------------------------------------------------------------------------------- */

int plot_folder_write(const struct plot_folder *folder, const char *name, wt_outfile_fn fn, const void *arg,
		      struct wt_error *errp)
{
	char *path = wt_str_format("%s/%s", folder->work, name);
	int rc = path ? wt_outfile_write(path, fn, arg, NULL) : -1;

	if (rc < 0)	/* by the name that the file was to have */
		wt_error_errno(errp, path ? errno : ENOMEM, "%s/%s: cannot write", folder->dir, name);
	free(path);
	return rc;
}

static int script_draw(const struct plot_folder *folder, const char *key, const char *instead, struct wt_error *errp)
{
	char *path = wt_str_format("%s/%s.gp", folder->work, key);
	FILE *script = path ? fopen(path, "re") : NULL;
	int rc;

	if (!script)
		rc = wt_error_errno(errp, path ? errno : ENOMEM, "%s/%s.gp", folder->dir, key);
	else
		rc = gnuplot_run(script, stderr, folder->work, instead, errp);
	if (script)
		fclose(script);
	free(path);
	return rc;
}

static int picture_check(const struct plot_folder *folder, const char *key, const char *ending, struct wt_error *errp)
{
	char *path = wt_str_format("%s/%s%s", folder->work, key, ending);
	int rc;

	if (!path)
		return wt_error_errno(errp, ENOMEM, "%s", folder->dir);
	rc = gnuplot_picture_sync(path, errp);
	if (rc < 0)
		rc = wt_error_prefix(errp, "%s/%s%s", folder->dir, key, ending);
	free(path);
	return rc;
}

static void pictures_remove(const struct plot_folder *folder, const char *key)
{
	int saved_errno = errno;

	for (size_t i = 0; i < PICTURES; i++) {
		char *path = wt_str_format("%s/%s%s", folder->work, key, pictures[i]);

		if (path)
			unlink(path);
		free(path);
	}
	errno = saved_errno;
}

int plot_folder_draw(const struct plot_folder *folder, const char *key, const char *instead, struct wt_error *errp)
{
	int rc = script_draw(folder, key, instead, errp);

	for (size_t i = 0; i < PICTURES && rc == 0; i++)
		rc = picture_check(folder, key, pictures[i], errp);
	if (rc < 0)
		pictures_remove(folder, key);
	return rc;
}

static int name_publish(const struct plot_folder *folder, const char *name, struct wt_error *errp)
{
	char *from = wt_str_format("%s/%s", folder->work, name), *to = wt_str_format("%s/%s", folder->dir, name);
	int rc = from && to ? 0 : wt_error_errno(errp, ENOMEM, "%s", folder->dir);

	/* rename (2) follows no link, and waits for no pipe. */
	if (rc == 0 && rename(from, to) < 0)
		rc = wt_error_errno(errp, errno, "%s: cannot put the new file there", to);
	free(from);
	free(to);
	return rc;
}

static int name_visible(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

int plot_folder_publish(const struct plot_folder *folder, struct wt_error *errp)
{
	struct dirent **entries;
	int count = scandir(folder->work, &entries, name_visible, alphasort), rc = 0;

	if (count < 0)
		return wt_error_errno(errp, errno, "%s", folder->dir);
	for (int i = 0; i < count; i++) {
		if (rc == 0)
			rc = name_publish(folder, entries[i]->d_name, errp);
		free(entries[i]);
	}
	free(entries);
	return rc;
}
