/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <string.h>

#include "harness/vnode/model/job_behaviour.h"

#define ARRAY_TASK_MAX 4000000	/* MaxArraySize is at most 4000001 */
#define LAST_SIGNAL 64	/* SIGRTMAX on Linux */
#define OUT_OF_MEMORY 253	/* what slurmstepd sends in place of a signal: SIG_OOM of slurm_protocol_defs.h */

/* Digits with an optional fraction, as coreutils' sleep takes them but without exponents, to microseconds (rounded down).
 * Returns the first character behind the number, or NULL. */
static const char *seconds_parse(const char *text, int64_t *us)
{
	const int64_t limit = JOB_BEHAVIOUR_MAX_RUN_TIME_US / 1000000;
	int64_t whole = 0, fraction = 0, unit = 100000;
	bool digits = false;

	for (; *text >= '0' && *text <= '9'; text++, digits = true) {
		whole = whole * 10 + (*text - '0');
		/* At each digit: it cannot overflow, however many there are. */
		if (whole > limit)
			return NULL;
	}
	if (*text == '.') {
		for (text++; *text >= '0' && *text <= '9'; text++, digits = true, unit /= 10)
			fraction += (*text - '0') * unit;
	}
	*us = whole * 1000000 + fraction;
	return digits ? text : NULL;
}

/* Is it among these names, with commas between, up to the first blank?  *list goes behind them. */
static bool host_listed(const char **list, const char *node)
{
	size_t len = node ? strlen(node) : 0;
	bool found = false;

	while (**list && **list != ' ') {
		size_t host = strcspn(*list, ", ");

		found |= len && host == len && !strncmp(*list, node, len);
		*list += host + ((*list)[host] == ',');
	}
	return found;
}

/* The item of a task: the only one is every task's. */
static const char *item_find(const char *value, uint32_t task)
{
	for (; strchr(value, ' ') && task; task--) {
		value = strchr(value, ' ') + 1;
		if (task > 1 && !strchr(value, ' '))
			return NULL;
	}
	return value;
}

/* S, or S+S@NODE,NODE. */
static bool item_parse(const char *item, const char *node, int64_t *us)
{
	const char *end = seconds_parse(item, us);
	int64_t away_us;

	if (end && *end == '+') {
		end = seconds_parse(end + 1, &away_us);
		if (!end || *end++ != '@')
			return false;
		if (!host_listed(&end, node))
			*us += away_us;
	}
	return end && (!*end || *end == ' ') && *us <= JOB_BEHAVIOUR_MAX_RUN_TIME_US;
}

static bool number_parse(const char *value, unsigned int max, unsigned int *number)
{
	*number = 0;
	if (!*value)
		return false;
	for (; *value; value++) {
		if (*value < '0' || *value > '9')
			return false;
		*number = *number * 10 + (unsigned int) (*value - '0');
		if (*number > max)
			return false;
	}
	return true;
}

static const char *value_find(char *const *environment, size_t count, const char *name)
{
	size_t len = strlen(name);

	for (size_t i = 0; i < count; i++) {
		if (environment[i] && !strncmp(environment[i], name, len) && environment[i][len] == '=')
			return environment[i] + len + 1;
	}
	return NULL;
}

/* A copy of an array's task is a job of its own: only its environment tells which task it is. */
static bool run_time_find(struct job_behaviour *behaviour, char *const *environment, size_t count,
			  const struct job_behaviour_place *place)
{
	const char *value = value_find(environment, count, WT_JOB_ENV_RUN_TIME);
	const char *told = value_find(environment, count, "SLURM_ARRAY_TASK_ID");
	unsigned int task = 0;

	if (!value)
		return false;
	if (place && place->array_task != UINT32_MAX)
		task = place->array_task;
	else if (told && !number_parse(told, ARRAY_TASK_MAX, &task))
		task = 0;
	value = item_find(value, task);
	if (value && item_parse(value, place ? place->node : NULL, &behaviour->run_time_us))
		return true;
	behaviour->ignored |= WT_IGNORED_RUN_TIME;
	return false;
}

/* One operand of sleep(1): a number and at most one of the suffixes s m h d. */
static const char *operand_parse(const char *text, int64_t *us)
{
	static const struct { char letter; int seconds; } units[] = { { 's', 1 }, { 'm', 60 }, { 'h', 3600 },
								      { 'd', 86400 } };

	text = seconds_parse(text, us);
	for (size_t i = 0; text && i < sizeof(units) / sizeof(units[0]); i++) {
		if (*text == units[i].letter) {
			*us *= units[i].seconds;	/* at most 366 d * 86400, in microseconds: fits */
			text++;
			break;
		}
	}
	if (!text || *us > JOB_BEHAVIOUR_MAX_RUN_TIME_US || !(*text == '\0' || strchr(" \t\r\n;&#", *text)))
		return NULL;
	return text;
}

static const char *blanks_skip(const char *text)
{
	return text + strspn(text, " \t");
}

/* Add the operands of one line that begins with the command sleep; false: they are no numbers. */
static bool line_add(const char *text, int64_t *sum_us)
{
	int64_t us, line_us = 0;

	text = blanks_skip(text);
	do {
		text = operand_parse(text, &us);
		if (!text)
			return false;
		line_us += us;
		text = blanks_skip(text);
	} while (*text && !strchr("\r\n;&#", *text) && line_us <= JOB_BEHAVIOUR_MAX_RUN_TIME_US);
	/* Both terms are bounded before they are added. */
	if (line_us > JOB_BEHAVIOUR_MAX_RUN_TIME_US || *sum_us + line_us > JOB_BEHAVIOUR_MAX_RUN_TIME_US)
		return false;
	*sum_us += line_us;
	return true;
}

static bool script_read(struct job_behaviour *behaviour, const char *script)
{
	static const char *const commands[] = { "sleep", "exec sleep", "/bin/sleep", "/usr/bin/sleep" };
	int64_t sum_us = 0;
	bool found = false;

	while (script && *script) {
		const char *text = blanks_skip(script);

		for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
			size_t len = strlen(commands[i]);

			if (strncmp(text, commands[i], len) || !(text[len] == ' ' || text[len] == '\t'))
				continue;
			if (line_add(text + len, &sum_us))
				found = true;
			else
				behaviour->ignored |= WT_IGNORED_SLEEP;
			break;
		}
		script = strchr(script, '\n');
		if (script)
			script++;
	}
	if (found)
		behaviour->run_time_us = sum_us;
	return found;
}

void job_behaviour_read(struct job_behaviour *behaviour, char *const *environment, size_t count, const char *script,
			const struct job_behaviour_place *place, int64_t default_run_time_us)
{
	const size_t prefix = strlen(WT_JOB_FAIL_SIGNAL);
	enum wt_probe probe = WT_PROBE_NONE;
	const char *value;
	unsigned int number;

	memset(behaviour, 0, sizeof(*behaviour));
	if (!run_time_find(behaviour, environment, count, place) && !script_read(behaviour, script)) {
		behaviour->run_time_us = default_run_time_us;
		behaviour->run_time_default = true;
	}
	value = value_find(environment, count, WT_JOB_ENV_EXIT_CODE);
	if (value && number_parse(value, 255, &number))
		behaviour->wait_status = (uint16_t) (number << 8);
	else if (value)
		behaviour->ignored |= WT_IGNORED_EXIT_CODE;
	value = value_find(environment, count, WT_JOB_ENV_FAIL);
	if (value && !strncmp(value, WT_JOB_FAIL_SIGNAL, prefix) && number_parse(value + prefix, LAST_SIGNAL, &number) &&
	    number)
		behaviour->wait_status = (uint16_t) number;
	else if (value && !strcmp(value, WT_JOB_FAIL_MEMORY))
		behaviour->wait_status = OUT_OF_MEMORY;
	else if (value)
		behaviour->ignored |= WT_IGNORED_FAIL;
	value = value_find(environment, count, WT_JOB_ENV_IGNORE_TERM);
	if (value && number_parse(value, 1, &number))
		behaviour->ignores_term = number;
	else if (value)
		behaviour->ignored |= WT_IGNORED_TERM;
	value = value_find(environment, count, WT_JOB_ENV_PROBE);
	if (value && wt_probe_parse(value, &probe) < 0)
		behaviour->ignored |= WT_IGNORED_PROBE;
	behaviour->probe = (uint8_t) probe;
}

static const char *base_name(const char *path)
{
	const char *slash = path ? strrchr(path, '/') : NULL;

	return slash ? slash + 1 : path ? path : "";
}

static bool is_one_of(const char *name, const char *const *names)
{
	while (*names && strcmp(name, *names))
		names++;
	return *names;
}

bool job_behaviour_sleep_us(char *const *operands, size_t count, int64_t *sum_us)
{
	int64_t us;

	*sum_us = 0;
	for (size_t i = 0; i < count; i++) {
		const char *end = operands[i] ? operand_parse(operands[i], &us) : NULL;

		if (!end || *end || *sum_us + us > JOB_BEHAVIOUR_MAX_RUN_TIME_US)
			return false;
		*sum_us += us;
	}
	return true;
}

static void sleep_read(struct job_behaviour *behaviour, char *const *argv, size_t argc)
{
	int64_t sum_us;

	if (!job_behaviour_sleep_us(argv + 1, argc - 1, &sum_us)) {
		behaviour->ignored |= WT_IGNORED_SLEEP;
		return;
	}
	behaviour->run_time_us = sum_us;
	behaviour->run_time_default = false;
}

void job_behaviour_read_command(struct job_behaviour *behaviour, char *const *environment, size_t count,
				char *const *argv, size_t argc, const struct job_behaviour_program *program,
				int64_t default_run_time_us)
{
	static const char *const shells[] = { "sh", "bash", "dash", NULL };
	const char *command = base_name(argc ? argv[0] : NULL), *script = NULL;
	bool own = program && program->own;

	if (argc > 2 && is_one_of(command, shells) && argv[1] && !strcmp(argv[1], "-c"))
		script = argv[2];
	else if (own)
		script = program->script;
	/* A program of the system that is none of the known ones is done at once, one of the user's by default later. */
	job_behaviour_read(behaviour, environment, count, script, NULL, own ? default_run_time_us : 0);
	behaviour->probe = WT_PROBE_NONE;
	if (behaviour->run_time_default && !own && !strcmp(command, "sleep"))
		sleep_read(behaviour, argv, argc);
	if (!own && !strcmp(command, "false") && !value_find(environment, count, WT_JOB_ENV_EXIT_CODE) &&
	    !value_find(environment, count, WT_JOB_ENV_FAIL))
		behaviour->wait_status = 1 << 8;
}
