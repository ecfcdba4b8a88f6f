/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "harness/export/plot_folder.h"
#include "lib/fs.h"
#include "lib/gnuplot.h"
#include "lib/str.h"

static const char *const pictures[] = { ".svg", ".pdf", ".png" };
enum { PICTURES = sizeof(pictures) / sizeof(pictures[0]) };

int plot_folder_open(struct plot_folder *folder, const char *dir, struct wt_error *errp)
{
	*folder = (struct plot_folder){ .dir = dir };
	if (mkdir(dir, 0777) < 0 && errno != EEXIST)
		return wt_error_errno(errp, errno, "%s: cannot make this folder", dir);
	/* In it, so that a rename leads from there to here. */
	folder->work = wt_str_format("%s/.windtunnel-plots.XXXXXX", dir);
	if (!folder->work)
		return wt_error_errno(errp, ENOMEM, "%s", dir);
	if (!mkdtemp(folder->work)) {
		wt_error_errno(errp, errno, "%s: cannot make a folder in it", dir);
		free(folder->work);
		folder->work = NULL;
		return -1;
	}
	return 0;
}

void plot_folder_close(struct plot_folder *folder)
{
	int saved_errno = errno;

	if (folder->work)
		wt_fs_remove_tree(folder->work, NULL);
	free(folder->work);
	folder->work = NULL;
	errno = saved_errno;
}

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
