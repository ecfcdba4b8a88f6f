/* resume_file.h - for which jobs slurmctld wants nodes switched on: the file that SLURM_RESUME_FILE names.
 *
 * Slurm writes it for ResumeProgram: {"jobs": [{"job_id": 7, "nodes_resume": "n[0-3]", ...}, ...], ...}; 22.05 says "nodes".
 * Pure but for the file. */
#ifndef WT_CMD_NODE_RESUME_FILE_H
#define WT_CMD_NODE_RESUME_FILE_H

#include <stddef.h>
#include <stdint.h>

struct resume_job {
	uint32_t job_id;
	char *nodes;		/* a host list */
};

/* The jobs in the file; none when there is no such file, or it cannot be understood: nodes are switched on all the same.
 * The caller gives the list to resume_jobs_free (). */
size_t resume_jobs_read(const char *path, struct resume_job **jobs);
size_t resume_jobs_parse(const char *text, size_t len, struct resume_job **jobs);
void resume_jobs_free(struct resume_job *jobs, size_t count);

#endif
