/* SPDX-License-Identifier: GPL-2.0-or-later */
/* argp (3) parses; what it does not do well comes before it: the help is printed from copies of the options (short, or
 * all of them), and an option that there is not is named with one that there is. */
#include "config.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/options.h"
#include "lib/suggest.h"
#include "lib/terminal.h"

#define NAMES_MAX 256	/* options of one verb */
#define TREES_MAX 16	/* parsers of one verb */

static const struct argp_option own_options[] = {
	{ "help", 'h', "all", OPTION_ARG_OPTIONAL, "give this list; =all: of every option", -1 },
	{ "usage", 'u', NULL, OPTION_HIDDEN, NULL, -1 },
	{ 0 }
};

static bool option_ends(const struct argp_option *o)
{
	return !o->name && !o->key && !o->doc && !o->group;
}

static size_t option_count(const struct argp_option *options)
{
	size_t n = 0;

	while (options && !option_ends(&options[n]))
		n++;
	return n;
}

/* ---- which options there are -------------------------------------------------------------------------------------- */

struct known {
	const struct argp_option *options[NAMES_MAX];
	const char *names[NAMES_MAX];
	size_t count;
};

static void known_add(struct known *known, const struct argp_option *options)
{
	for (size_t i = 0; i < option_count(options) && known->count < NAMES_MAX; i++) {
		const struct argp_option *o = &options[i];

		if (!o->name || (o->flags & OPTION_DOC))
			continue;
		known->options[known->count] = o;
		known->names[known->count++] = o->name;
	}
}

static void known_collect(struct known *known, const struct argp *argp)
{
	known_add(known, argp->options);
	for (const struct argp_child *c = argp->children; c && c->argp; c++)
		known_collect(known, c->argp);
}

/* The option that a word of 'len' letters names, whole or by a beginning of it. */
static const struct argp_option *known_find(const struct known *known, const char *word, size_t len)
{
	const struct argp_option *begins = NULL;

	for (size_t i = 0; i < known->count; i++) {
		if (strncmp(known->names[i], word, len))
			continue;
		if (!known->names[i][len])
			return known->options[i];
		begins = known->options[i];
	}
	return begins;
}

static const struct argp_option *known_letter(const struct known *known, int letter)
{
	for (size_t i = 0; i < known->count; i++)
		if (known->options[i]->key == letter)
			return known->options[i];
	return NULL;
}

/* Is the word after this one its argument? */
static bool takes_next(const struct known *known, const char *arg)
{
	const struct argp_option *o = NULL;

	if (arg[0] == '-' && arg[1] == '-' && !strchr(arg, '='))
		o = known_find(known, arg + 2, strlen(arg + 2));
	else if (arg[0] == '-' && arg[1] && arg[1] != '-' && !arg[2])
		o = known_letter(known, arg[1]);
	return o && o->arg && !(o->flags & OPTION_ARG_OPTIONAL);
}

/* ---- help --------------------------------------------------------------------------------------------------------- */

struct trees {		/* copies for the help; options and children are allocated, and in the short help their texts */
	struct argp argps[TREES_MAX];
	size_t count, hidden;
	size_t room;	/* columns of an option's text in the short help; 0: every option with all of its text */
};

/* Where a text may end early: before what explains or restricts it.  Of these ends the last that fits into 'room', else the
 * first. */
static size_t text_end(const char *doc, size_t room)
{
	size_t len = strlen(doc), end = 0, first = len, depth = 0;

	for (size_t i = 1; len > room && i < len; i++) {
		const char *close = doc[i] == '(' ? strchr(doc + i, ')') : NULL;

		depth += doc[i] == '(';
		depth -= doc[i] == ')' && depth;
		if (depth != (doc[i] == '(') ||
		    (doc[i] != ';' && !(close && (!close[1] || close[1] == ';')) && strncmp(doc + i, ": ", 2)))
			continue;
		if (first == len)
			first = i - (doc[i] == '(');
		if (i <= room)
			end = i - (doc[i] == '(');
	}
	return end ? end : first;
}

/* One list without headings, rare options, and what is behind an option's first words. */
static struct argp_option *options_shorten(struct trees *t, const struct argp_option *options)
{
	size_t count = option_count(options), kept = 0;
	struct argp_option *copy = calloc(count + 1, sizeof(*copy));

	for (size_t i = 0; copy && i < count; i++) {
		const struct argp_option *o = &options[i];

		t->hidden += (o->flags & WT_OPTION_RARE) != 0;
		if (!o->name || (o->flags & (WT_OPTION_RARE | OPTION_HIDDEN)))
			continue;
		copy[kept] = *o;
		copy[kept].group = 0;
		copy[kept++].doc = o->doc ? strndup(o->doc, text_end(o->doc, t->room)) : NULL;
	}
	return copy;
}

static struct argp_option *options_copy(const struct argp_option *options)
{
	size_t count = option_count(options);
	struct argp_option *copy = calloc(count + 1, sizeof(*copy));

	if (copy && count)
		memcpy(copy, options, count * sizeof(*copy));
	return copy;
}

static struct argp *tree_copy(struct trees *t, const struct argp *from)
{
	struct argp *argp = &t->argps[t->count];
	struct argp_child *children;
	size_t count = 0;

	if (t->count == TREES_MAX)
		return NULL;
	t->count++;
	*argp = *from;
	while (from->children && from->children[count].argp)
		count++;
	children = calloc(count + 1, sizeof(*children));
	argp->children = children;
	argp->options = t->room ? options_shorten(t, from->options) : options_copy(from->options);
	if (!children || !argp->options)
		return NULL;
	if (option_ends(argp->options)) {	/* glibc 2.36 leaks what it allocates for a list without options */
		free((void *) argp->options);
		argp->options = NULL;
	}
	for (size_t i = 0; i < count; i++) {
		children[i] = from->children[i];
		if (t->room)
			children[i] = (struct argp_child) { .argp = from->children[i].argp };
		if (!(children[i].argp = tree_copy(t, from->children[i].argp)))
			return NULL;
	}
	return argp;
}

static void trees_clear(struct trees *t)
{
	for (size_t i = 0; i < t->count; i++) {
		for (size_t o = 0; t->room && t->argps[i].options && t->argps[i].options[o].name; o++)
			free((void *) t->argps[i].options[o].doc);
		free((void *) t->argps[i].options);
		free((void *) t->argps[i].children);
	}
}

#define DOC_COLUMN 27
#define DOC_COLUMN_NARROW 10

/* argp reads its widths from the environment (argp(3)); what the user set there counts.  Returns the columns of an option's
 * text. */
static size_t width_set(void)
{
	unsigned int columns = wt_terminal_columns(stdout), doc_column;
	char text[96];

	columns = !columns ? 80 : columns > 126 ? 126 : columns;
	doc_column = columns < 60 ? DOC_COLUMN_NARROW : DOC_COLUMN;
	snprintf(text, sizeof(text), "rmargin=%u,opt-doc-col=%u,no-dup-args-note%s", columns - 1, doc_column,
		 columns < 60 ? ",usage-indent=4,long-opt-col=2" : "");
	setenv("ARGP_HELP_FMT", text, 0);
	return columns - 1 - doc_column;
}

/* The text after the options is what stands behind \v. */
static char *doc_with_rest(const char *doc, size_t hidden)
{
	char *text = NULL;

	if (asprintf(&text, "%s%s%zu more option%s, and all texts in full: --help=all", doc ? doc : "",
		     doc && strchr(doc, '\v') ? "\n" : "\v", hidden, hidden == 1 ? "" : "s") < 0)
		return NULL;
	return text;
}

static int help_print(const struct argp *argp, const char *name, bool all, bool usage)
{
	size_t room = width_set();
	struct trees t = { .room = all || usage ? 0 : room };
	struct argp *copy = tree_copy(&t, argp);
	struct argp_child children[2] = { { copy, 0, NULL, 0 }, { 0 } };
	struct argp whole = { own_options, NULL, argp->args_doc, argp->doc, children, NULL, NULL };
	char *doc = copy && t.hidden ? doc_with_rest(argp->doc, t.hidden) : NULL, *own = strdup(name);

	if (copy) {
		copy->doc = copy->args_doc = NULL;
		whole.doc = doc ? doc : argp->doc;
	} else {
		whole = *argp;
	}
	argp_help(&whole, stdout, usage ? ARGP_HELP_USAGE : ARGP_HELP_SHORT_USAGE | ARGP_HELP_LONG | ARGP_HELP_DOC, own);
	trees_clear(&t);
	free(doc);
	free(own);
	return fflush(stdout) == 0 && !ferror(stdout) ? 0 : 1;
}

/* ---- parsing ------------------------------------------------------------------------------------------------------ */

enum asked { ASKED_NOTHING, ASKED_HELP, ASKED_ALL, ASKED_USAGE, ASKED_UNKNOWN };

/* A beginning of "help" or "usage" counts, too, if no option of the verb begins so. */
static enum asked own_asks(const char *arg)
{
	size_t len = strcspn(arg + 2, "=");

	if (len && !strncmp(arg + 2, "help", len))
		return !strcmp(arg + 2 + len, "=all") ? ASKED_ALL : ASKED_HELP;
	return len && !strncmp(arg + 2, "usage", len) ? ASKED_USAGE : ASKED_UNKNOWN;
}

static enum asked word_asks(const struct known *known, const char *arg)
{
	if (!strcmp(arg, "-h"))
		return known_letter(known, 'h') ? ASKED_NOTHING : ASKED_HELP;
	if (!strcmp(arg, "-?"))
		return ASKED_HELP;
	if (arg[0] != '-' || arg[1] != '-' || known_find(known, arg + 2, strcspn(arg + 2, "=")))
		return ASKED_NOTHING;
	return own_asks(arg);
}

static void unknown_tell(const struct known *known, const char *name, const char *arg)
{
	char word[128];
	const char *meant;

	snprintf(word, sizeof(word), "%.*s", (int) strcspn(arg + 2, "="), arg + 2);
	meant = wt_suggest(word, known->names, known->count, sizeof(known->names[0]));
	fprintf(stderr, "%s: '--%s' is not an option%s%s%s; see '%s --help'\n", name, word, meant ? "; did you mean '--" :
		"",
		meant ? meant : "", meant ? "'?" : "", name);
}

error_t wt_options_parse(const struct argp *argp, int argc, char **argv, unsigned int flags, void *input)
{
	struct known known = { .count = 0 };
	enum asked asked = ASKED_NOTHING;
	int i, status;

	known_collect(&known, argp);
	for (i = 1; i < argc && strcmp(argv[i], "--"); i++) {
		if ((flags & ARGP_IN_ORDER) && argv[i][0] != '-')
			break;
		asked = word_asks(&known, argv[i]);
		if (asked != ASKED_NOTHING)
			break;
		/* An option's argument may look like an option: "--name --help" names something. */
		i += takes_next(&known, argv[i]);
	}
	if (asked == ASKED_NOTHING)
		return argp_parse(argp, argc, argv, flags | ARGP_NO_HELP, NULL, input);
	if (asked == ASKED_UNKNOWN)
		unknown_tell(&known, argv[0], argv[i]);
	status = asked == ASKED_UNKNOWN ? argp_err_exit_status : help_print(argp, argv[0], asked == ASKED_ALL,
									    asked == ASKED_USAGE);
	if (!(flags & ARGP_NO_EXIT)) {
		if (status && asked != ASKED_UNKNOWN)
			fprintf(stderr, "%s: standard output could not be written\n", argv[0]);
		exit(status);
	}
	return asked == ASKED_UNKNOWN ? EINVAL : ECANCELED;
}
