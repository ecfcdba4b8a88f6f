/* generate.h - workflows drawn by published figures: a bag of tasks like OMSSA, and a workflow like Montage.
 *
 * Source: Bertot 2019 (doc/sources.md), Tables 1.1 and 1.2: per kind of task the mean and standard deviation of the run
 * time, input and output in megabytes.  The distributions are not published: run times and sizes are drawn by a gamma
 * distribution of that mean and deviation, which has no negative values; one that does not vary is a constant.  Pure; what
 * is drawn depends on the seed alone. */
#ifndef WT_WORKLOAD_GENERATE_H
#define WT_WORKLOAD_GENERATE_H

#include <stdint.h>

#include "lib/error.h"
#include "workload/swf_trace.h"

enum wt_bag_case { WT_BAG_BRS, WT_BAG_BRT, WT_BAG_HRS, WT_BAG_HRT, WT_BAG_CASES };

#define WT_GENERATE_TASKS_MAX 1000000
#define WT_MONTAGE_IMAGES 36	/* of each of three bands: 108 of "project" in Table 1.2 */
#define WT_MONTAGE_IMAGES_MAX 8000	/* "overlap" waits for each: as many as slurmctld takes */

int wt_bag_case_parse(const char *name, enum wt_bag_case *which);	/* "brs", "brt", "hrs", "hrt": 0, or -1 */
uint32_t wt_bag_tasks(enum wt_bag_case which);	/* as in the table: 223, 33, 65, 34 */

/* 'tasks' of them (from 1 to WT_GENERATE_TASKS_MAX) of the classes "spectra" and "rest": of BRS and HRS each spectrometer's
 * result is cut into files of 1,250 spectra, and the last of them has fewer.  Which is evenly spread, in the table's
 * proportion (33 of 223: the text's 33 results; 34 of 65: HRT's 34 files).  0, or -1 with EINVAL or ENOMEM; *trace is empty
 * then. */
int wt_generate_bag(struct wt_swf_trace *trace, enum wt_bag_case which, uint32_t tasks, uint64_t seed,
		    struct wt_error *errp);

/* Three bands of so many images (from 2 to WT_MONTAGE_IMAGES_MAX) and one "gather".  In each band "overlap" waits for each
 * image's "project"; 21 of "diff" for 36 images, and in this proportion otherwise, wait for "overlap"; "bgmodel" for them;
 * then "background" and "add".  Figure 1.3; 184 tasks of 36 images.  0, or -1 as above. */
int wt_generate_montage(struct wt_swf_trace *trace, uint32_t images, uint64_t seed, struct wt_error *errp);

#endif
