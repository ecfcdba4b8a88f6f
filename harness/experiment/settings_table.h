/* settings_table.h - which settings an experiment's file has, and which option of "windtunnel esp" or "run" each is.
 * Pure; any number of threads. */
#ifndef WT_HARNESS_EXPERIMENT_SETTINGS_TABLE_H
#define WT_HARNESS_EXPERIMENT_SETTINGS_TABLE_H

#include <stdbool.h>
#include <stddef.h>

enum setting_form {
	SETTING_VALUE, /* --KEY=VALUE */
	SETTING_FILE, /* the same; a relative path starts at the experiment's file */
	SETTING_LIST, /* --KEY=ITEM for each item; in a file a list, or one item */
	SETTING_FLAG, /* --KEY when true */
	SETTING_KIND, /* of the workload: the verb, and its --variant or --workload */
	SETTING_PAIR, /* any key: --SECTION=KEY=VALUE, of the section's own name */
	SETTING_CONF, /* any key: --set=KEY=VALUE */
};

struct setting_info {
	const char *section, *key; /* key NULL: any */
	enum setting_form form;
};

/* NULL: there is no such setting. */
const struct setting_info *setting_find(const char *section, const char *key);
bool setting_section_exists(const char *section);

/* What may have been meant; NULL: nothing near. */
const char *setting_suggest(const char *section, const char *key);
const char *setting_section_suggest(const char *section);

extern const struct setting_info setting_infos[];
extern const size_t setting_info_count;

#endif
