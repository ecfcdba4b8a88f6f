/* plot_folder.h - files that are made in a private folder and then take their names in another.
 *
 * What stands under these names before, of a run or of a stranger, is never written to: a link, a pipe or a second name of
 * a file is replaced, and where it leads to stays as it is.  One thread at a time. */
#ifndef WT_HARNESS_EXPORT_PLOT_FOLDER_H
#define WT_HARNESS_EXPORT_PLOT_FOLDER_H

#include <stdbool.h>

#include "lib/outfile.h"

struct plot_folder {
	const char *dir;	/* as it was given; not owned */
	char *work;		/* the private folder in it, which others cannot enter */
	int work_fd;		/* locked for as long as we live, so that no process takes it for one that was left behind */
};

typedef bool (*plot_name_fn)(const char *name);

/* 'dir' is made if it is not there.  Private folders that processes which were killed left behind there go, with the files
 * that 'name_is' knows; what else lies in them stays, and so do they.  0, or -1 with errno and *errp, as all of these;
 * plot_folder_close also then. */
int plot_folder_open(struct plot_folder *folder, const char *dir, plot_name_fn name_is, struct wt_error *errp);
/* As wt_outfile_write, into the private folder; names are without '/'. */
int plot_folder_write(const struct plot_folder *folder, const char *name, wt_outfile_fn fn, const void *arg,
		      struct wt_error *errp);
/* gnuplot runs in the private folder on the script KEY.gp, which draws KEY.svg, KEY.pdf and KEY.png.  -1 with EIO also when
 * a picture is not whole: then none of them stays. */
int plot_folder_draw(const struct plot_folder *folder, const char *key, const char *instead, struct wt_error *errp);
/* All that is in the private folder gets its name in 'dir'. */
int plot_folder_publish(const struct plot_folder *folder, struct wt_error *errp);
/* The private folder goes, with what is still in it. */
void plot_folder_close(struct plot_folder *folder);

#endif
