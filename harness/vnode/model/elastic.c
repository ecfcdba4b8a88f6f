/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "harness/vnode/model/elastic.h"
#include "harness/vnode/model/hostnames.h"
#include "lib/str.h"

#define BOOT_DEFAULT_S 60
#define STOP_DEFAULT_S 10
#define SLOW_MAX_S 86400

/* From 101 on: apart from those of enum wt_draw, so that with one seed a boot and a launch draw different numbers. */
enum elastic_draw { DRAW_BOOT = 101, DRAW_STOP, DRAW_LATE, DRAW_LATE_BY, DRAW_FAILS, DRAW_NEVER, DRAW_STOCK, DRAW_TAKEN,
		    DRAW_TAKEN_BY, DRAW_OLD, DRAW_RESUME, DRAW_SUSPEND, DRAW_DROP, DRAW_ONE, DRAW_WHICH,
		    DRAW_ADDRESS };

/* "0.05" or "5%", up to 'end'. */
static int share_read(const char *text, const char *end, double *share)
{
	if (end > text && end[-1] == '%') {
		if (wt_delay_number(text, end - 1, 100, share) < 0)
			return -1;
		*share /= 100;
		return 0;
	}
	return wt_delay_number(text, end, 1, share);
}

/* What follows "KIND:" is a share, and for some kinds a delay behind it. */
struct fail_kind {
	const char *name;
	double *share;
	struct wt_delay *delay;	/* NULL: there is none */
};

static int share_add(const struct fail_kind *kind, const char *value, const char *text, struct wt_error *errp)
{
	const char *end = kind->delay ? strchr(text, ':') : text + strlen(text);
	struct wt_delay delay = { 0 };
	double share;

	if (!end || share_read(text, end, &share) < 0)
		return wt_error_set(errp, EINVAL, "fail=%s: a share from 0 to 1, or 0%% to 100%%, is needed%s", value,
				    kind->delay ? ", and a delay behind it (10%:300)" : "");
	if (kind->delay && wt_delay_read(end + 1, "fail=...:SHARE:DELAY", &delay, errp) < 0)
		return -1;
	*kind->share = share;
	if (kind->delay)
		*kind->delay = delay;
	return 0;
}

/* 'key' and 'value' are for the error's text. */
static int seconds_add(double *seconds, const char *key, const char *value, const char *text, struct wt_error *errp)
{
	double number;

	if (wt_delay_number(text, text + strlen(text), SLOW_MAX_S, &number) < 0)
		return wt_error_set(errp, EINVAL, "%s=%s: seconds from 0 to %d are needed", key, value, SLOW_MAX_S);
	*seconds = number;
	return 0;
}

static int fail_add(struct wt_elastic *elastic, const char *value, struct wt_error *errp)
{
	const struct fail_kind kinds[] = {
		{ "boot", &elastic->boot_fails, NULL }, { "never", &elastic->boot_never, NULL },
		{ "late", &elastic->boot_late, &elastic->late }, { "old-boot", &elastic->boot_old, NULL },
		{ "taken", &elastic->boot_taken, &elastic->taken }, { "stock-out", &elastic->stock_out, NULL },
		{ "one-of-job", &elastic->one_fails, NULL }, { "resume-fail-program", &elastic->drop_fails, NULL },
		{ "no-address", &elastic->no_address, NULL }, { "resume-program", &elastic->resume_fails, NULL },
		{ "suspend-program", &elastic->suspend_fails, NULL },
	};
	const char *colon = strchr(value, ':');
	size_t len = colon ? (size_t) (colon - value) : 0;

#define IS(word) (len == strlen(word) && !strncmp(value, word, len))
	for (size_t i = 0; len && i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (!IS(kinds[i].name))
			continue;
		if (share_add(&kinds[i], value, colon + 1, errp) < 0)
			return -1;
		elastic->no_address_given |= kinds[i].share == &elastic->no_address;
		elastic->stock_out_given |= kinds[i].share == &elastic->stock_out;
		return 0;
	}
	if (len && IS("resume-slow"))
		return seconds_add(&elastic->resume_slow_s, "fail", value, colon + 1, errp);
	if (len && IS("suspend-slow"))
		return seconds_add(&elastic->suspend_slow_s, "fail", value, colon + 1, errp);
	if (len && IS("resume-fail-slow"))
		return seconds_add(&elastic->drop_slow_s, "fail", value, colon + 1, errp);
#undef IS
	return wt_error_set(errp, EINVAL, "fail=%s: boot, never, one-of-job, old-boot, stock-out, "
			    "no-address, resume-program, "
			    "suspend-program or resume-fail-program:SHARE, late or taken:SHARE:DELAY, resume-slow, "
			    "suspend-slow or resume-fail-slow:SECONDS is needed", value);
}

/* One of the words of a list that ends with NULL, or the path of a program. */
static int action_add(const char **action, const char *key, const char *value, const char *const words[],
		      struct wt_error *errp)
{
	bool known = *value == '/' && value[strcspn(value, "\r\n")] == '\0';
	struct wt_str all = { 0 };
	char *text;

	for (size_t i = 0; words[i]; i++)
		known |= !strcmp(value, words[i]);
	if (known) {
		*action = value;
		return 0;
	}
	for (size_t i = 0; words[i]; i++)
		wt_str_printf(&all, "%s, ", words[i]);
	text = wt_str_take(&all);
	wt_error_set(errp, EINVAL, "%s=%s: %sor the absolute path of a program is needed", key, value, text ? text : "");
	free(text);
	return -1;
}

static int boot_add(struct wt_elastic *elastic, const char *value, struct wt_error *errp)
{
	if (wt_delay_read(value, "boot", &elastic->boot, errp) < 0)
		return -1;
	elastic->boot_given = true;
	return 0;
}

static int stop_add(struct wt_elastic *elastic, const char *value, struct wt_error *errp)
{
	if (wt_delay_read(value, "stop", &elastic->stop, errp) < 0)
		return -1;
	elastic->stop_given = true;
	return 0;
}

static int notice_add(struct wt_elastic *elastic, const char *value, struct wt_error *errp)
{
	if (seconds_add(&elastic->notice_s, "notice", value, value, errp) < 0)
		return -1;
	elastic->notice_given = true;
	return 0;
}

static int on_notice_add(struct wt_elastic *elastic, const char *value, struct wt_error *errp)
{
	static const char *const words[] = { "drain", "requeue", "power-down-asap", "power-down-force", NULL };

	return action_add(&elastic->on_notice, "on-notice", value, words, errp);
}

static int on_resume_fail_add(struct wt_elastic *elastic, const char *value, struct wt_error *errp)
{
	static const char *const words[] = { "off", "resume", NULL };

	return action_add(&elastic->on_resume_fail, "on-resume-fail", value, words, errp);
}

/* "down" may have a time behind it, after which the nodes can be used again. */
static int on_stock_out_add(struct wt_elastic *elastic, const char *value, struct wt_error *errp)
{
	static const char *const words[] = { "wait", "down", "down:SECONDS", "power-down-force", NULL };
	double seconds;

	if (!strncmp(value, "down:", 5)) {
		if (seconds_add(&seconds, "on-stock-out", value, value + 5, errp) < 0)
			return -1;
		elastic->on_stock_out = value;
		return 0;
	}
	return action_add(&elastic->on_stock_out, "on-stock-out", value, words, errp);
}

static int together_add(struct wt_elastic *elastic, const char *value, struct wt_error *errp)
{
	if (strcmp(value, "job") && strcmp(value, "call"))
		return wt_error_set(errp, EINVAL, "together=%s: job or call is needed", value);
	elastic->together = *value == 'j' ? WT_TOGETHER_JOB : WT_TOGETHER_CALL;
	return 0;
}

static int address_add(struct wt_elastic *elastic, const char *value, struct wt_error *errp)
{
	if (strcmp(value, "new"))
		return wt_error_set(errp, EINVAL, "address=%s: there is only \"new\"", value);
	elastic->address_new = true;
	return 0;
}

static int limit_add(struct wt_elastic *elastic, const char *value, struct wt_error *errp)
{
	if (wt_limit_read(value, &elastic->limit, errp) < 0)
		return -1;
	elastic->stock_out_given = true;
	return 0;
}

static int seed_add(struct wt_elastic *elastic, const char *value, struct wt_error *errp)
{
	return wt_str_to_u64(value, 1, UINT64_MAX, "seed", &elastic->seed, errp);
}

static const struct {
	const char *key;
	int (*add)(struct wt_elastic *elastic, const char *value, struct wt_error *errp);
} laws[] = {
	{ "address", address_add }, { "boot", boot_add }, { "stop", stop_add }, { "fail", fail_add },
	{ "notice", notice_add },
	{ "on-notice", on_notice_add }, { "on-resume-fail", on_resume_fail_add },
	{ "on-stock-out", on_stock_out_add }, { "together", together_add },
	{ "limit", limit_add }, { "seed", seed_add },
};

static int law_add(struct wt_elastic *elastic, const char *text, struct wt_error *errp)
{
	const char *equals = text ? strchr(text, '=') : NULL;

	if (text && !strcmp(text, "on"))
		return 0;
	if (!equals)
		return wt_error_set(errp, EINVAL, "'%s' is not KEY=VALUE, nor \"on\"", text ? text : "");
	for (size_t i = 0; i < sizeof(laws) / sizeof(laws[0]); i++)
		if (strlen(laws[i].key) == (size_t) (equals - text) && !strncmp(text, laws[i].key, (size_t) (equals - text)))
			return laws[i].add(elastic, equals + 1, errp);
	return wt_error_set(errp, EINVAL, "'%s' is not known; there are on, address, boot, stop, "
			    "fail, notice, on-notice, "
			    "on-resume-fail, on-stock-out, together, limit and seed", text);
}

/* ---- classes of nodes ---- */

static void class_clear(struct wt_elastic_class *c)
{
	for (size_t i = 0; i < c->text_count; i++)
		free(c->texts[i]);
	free(c->texts);
	free(c->nodes);
}

void wt_elastic_clear(struct wt_elastic *elastic)
{
	for (uint32_t i = 0; i < elastic->class_count; i++)
		class_clear(&elastic->classes[i]);
	free(elastic->classes);
	free(elastic->class_of);
	elastic->classes = NULL;
	elastic->class_of = NULL;
	elastic->class_count = 0;
}

static struct wt_elastic_class *class_get(struct wt_elastic *elastic, const char *nodes, size_t len, struct wt_error *errp)
{
	struct wt_elastic_class *bigger;

	for (uint32_t i = 0; i < elastic->class_count; i++)
		if (strlen(elastic->classes[i].nodes) == len && !strncmp(elastic->classes[i].nodes, nodes, len))
			return &elastic->classes[i];
	if (elastic->class_count == WT_ELASTIC_CLASSES_MAX) {
		wt_error_set(errp, EINVAL, "'%.*s': more than %d host lists", (int) len, nodes, WT_ELASTIC_CLASSES_MAX);
		return NULL;
	}
	bigger = realloc(elastic->classes, (elastic->class_count + 1) * sizeof(*bigger));
	if (bigger) {
		elastic->classes = bigger;
		bigger[elastic->class_count] = (struct wt_elastic_class) { .nodes = strndup(nodes, len) };
		if (bigger[elastic->class_count].nodes)
			return &bigger[elastic->class_count++];
	}
	wt_error_errno(errp, ENOMEM, "'%.*s'", (int) len, nodes);
	return NULL;
}

/* What programs do is the same for all nodes, and a job may have nodes of several kinds. */
static bool may_be_of_some(const struct wt_elastic *law)
{
	return !law->seed && law->resume_slow_s <= 0 && law->suspend_slow_s <= 0 && law->drop_slow_s <= 0 &&
	       law->one_fails <= 0 && !law->on_notice && !law->on_resume_fail && !law->on_stock_out &&
	       law->together == WT_TOGETHER_NONE;
}

static int class_add(struct wt_elastic *elastic, const char *nodes, size_t len, const char *text, struct wt_error *errp)
{
	struct wt_elastic scratch = { 0 };
	struct wt_elastic_class *c;
	char **bigger;

	if (law_add(&scratch, text, errp) < 0)
		return -1;
	if (!len)
		return wt_error_set(errp, EINVAL, "':%s': a host list is missing before the colon", text);
	if (!may_be_of_some(&scratch))
		return wt_error_set(errp, EINVAL, "'%s' cannot be said of some nodes: boot, stop, address, notice, limit "
				    "and fail can, but for resume-slow, suspend-slow, resume-fail-slow and one-of-job",
				    text);
	c = class_get(elastic, nodes, len, errp);
	if (!c)
		return -1;
	bigger = realloc(c->texts, (c->text_count + 1) * sizeof(*bigger));
	if (!bigger)
		return wt_error_errno(errp, ENOMEM, "'%s'", text);
	c->texts = bigger;
	c->texts[c->text_count] = strdup(text);
	if (!c->texts[c->text_count])
		return wt_error_errno(errp, ENOMEM, "'%s'", text);
	c->text_count++;
	return 0;
}

int wt_elastic_add(struct wt_elastic *elastic, const char *text, struct wt_error *errp)
{
	const char *equals = text ? strchr(text, '=') : NULL;
	const char *colon = equals ? memrchr(text, ':', (size_t) (equals - text)) : NULL;

	if (colon)
		return class_add(elastic, text, (size_t) (colon - text), colon + 1, errp);
	return law_add(elastic, text, errp);
}

static int class_nodes(struct wt_elastic *elastic, uint32_t number, uint32_t count,
		       uint32_t (*find)(const void *arg, const char *name), const void *arg, struct wt_error *errp)
{
	struct wt_elastic_class *c = &elastic->classes[number];
	struct wt_hostnames names = { .text = c->nodes };
	int rc;

	while ((rc = wt_hostnames_next(&names)) > 0) {
		uint32_t node = find(arg, names.name);

		if (node >= count)
			return wt_error_set(errp, EINVAL, "'%s': there is no node %s", c->nodes, names.name);
		elastic->class_of[node] = (uint16_t) (number + 1);
	}
	return rc == 0 ? 0 : wt_error_set(errp, EINVAL, "'%s' is no host list", c->nodes);
}

static int class_law(const struct wt_elastic *elastic, struct wt_elastic_class *c, struct wt_error *errp)
{
	c->law = *elastic;
	c->law.classes = NULL;
	c->law.class_of = NULL;
	c->law.class_count = 0;
	c->law.limit = (struct wt_limit) { 0 };
	/* They were taken once, and are again. */
	for (size_t k = 0; k < c->text_count; k++)
		if (law_add(&c->law, c->texts[k], errp) < 0)
			return -1;
	return 0;
}

int wt_elastic_nodes(struct wt_elastic *elastic, uint32_t count, uint32_t (*find)(const void *arg, const char *name),
		     const void *arg, struct wt_error *errp)
{
	if (!elastic->class_count)
		return 0;
	if (find && !(elastic->class_of = calloc((size_t) count + 1, sizeof(*elastic->class_of))))
		return wt_error_errno(errp, ENOMEM, "classes of nodes");
	for (uint32_t i = 0; i < elastic->class_count; i++)
		if (class_law(elastic, &elastic->classes[i], errp) < 0 ||
		    (find && class_nodes(elastic, i, count, find, arg, errp) < 0))
			return -1;
	return 0;
}

/* A value that makes it do nothing, as notice=0, may be one of those that are compared: only what is not said is missed. */
int wt_elastic_check(const struct wt_elastic *elastic, struct wt_error *errp)
{
	bool notice = elastic->notice_given, no_address = elastic->no_address_given, address = elastic->address_new;
	bool stock_out = elastic->stock_out_given;

	for (uint32_t i = 0; i < elastic->class_count; i++) {
		const struct wt_elastic *law = &elastic->classes[i].law;

		notice = notice || law->notice_given;
		no_address = no_address || law->no_address_given;
		address = address || law->address_new;
		stock_out = stock_out || law->stock_out_given;
	}
	if (elastic->on_notice && !notice)
		return wt_error_set(errp, EINVAL, "on-notice=%s: nobody is given notice without notice=SECONDS",
				    elastic->on_notice);
	if (elastic->on_stock_out && !stock_out)
		return wt_error_set(errp, EINVAL, "on-stock-out=%s: machines are always to be had without limit= or "
				    "fail=stock-out:SHARE", elastic->on_stock_out);
	if (no_address && !address)
		return wt_error_set(errp, EINVAL, "fail=no-address: nodes keep their addresses without address=new");
	return 0;
}

void wt_elastic_defaults(struct wt_elastic *elastic)
{
	if (!elastic->boot_given)
		elastic->boot = (struct wt_delay) {
			.kind = WT_DELAY_UNIFORM, .low_s = BOOT_DEFAULT_S, .high_s = BOOT_DEFAULT_S,
		};
	if (!elastic->stop_given)
		elastic->stop = (struct wt_delay) {
			.kind = WT_DELAY_UNIFORM, .low_s = STOP_DEFAULT_S, .high_s = STOP_DEFAULT_S,
		};
}

static double draw(const struct wt_elastic *elastic, enum elastic_draw what, uint32_t node, uint32_t boot)
{
	return wt_delay_draw(elastic->seed, what, node, boot);
}

static bool happens(const struct wt_elastic *elastic, enum elastic_draw what, double share, uint32_t node, uint32_t boot)
{
	return share > 0 && draw(elastic, what, node, boot) < share;
}

bool wt_elastic_stock_out(const struct wt_elastic *elastic, uint32_t node, uint32_t boot)
{
	elastic = wt_elastic_of(elastic, node);
	return happens(elastic, DRAW_STOCK, elastic->stock_out, node, boot);
}

enum wt_boot_fate wt_elastic_fate(const struct wt_elastic *elastic, uint32_t node, uint32_t boot)
{
	elastic = wt_elastic_of(elastic, node);
	if (happens(elastic, DRAW_FAILS, elastic->boot_fails, node, boot))
		return WT_BOOT_FAILS;
	if (happens(elastic, DRAW_NEVER, elastic->boot_never, node, boot))
		return WT_BOOT_NEVER;
	if (happens(elastic, DRAW_OLD, elastic->boot_old, node, boot))
		return WT_BOOT_OLD;
	return happens(elastic, DRAW_TAKEN, elastic->boot_taken, node, boot) ? WT_BOOT_TAKEN : WT_BOOT_COMES;
}

int64_t wt_elastic_boot_us(const struct wt_elastic *elastic, uint32_t node, uint32_t boot)
{
	const struct wt_elastic *law = wt_elastic_of(elastic, node);
	int64_t us = wt_delay_us(&law->boot, draw(law, DRAW_BOOT, node, boot));

	if (happens(law, DRAW_LATE, law->boot_late, node, boot))
		us += wt_delay_us(&law->late, draw(law, DRAW_LATE_BY, node, boot));
	return us;
}

int64_t wt_elastic_stop_us(const struct wt_elastic *elastic, uint32_t node, uint32_t boot)
{
	elastic = wt_elastic_of(elastic, node);
	return wt_delay_us(&elastic->stop, draw(elastic, DRAW_STOP, node, boot));
}

int64_t wt_elastic_taken_us(const struct wt_elastic *elastic, uint32_t node, uint32_t boot)
{
	elastic = wt_elastic_of(elastic, node);
	return wt_delay_us(&elastic->taken, draw(elastic, DRAW_TAKEN_BY, node, boot));
}

int64_t wt_elastic_notice_us(const struct wt_elastic *elastic, uint32_t node)
{
	return (int64_t) (wt_elastic_of(elastic, node)->notice_s * 1e6);
}

bool wt_elastic_resume_fails(const struct wt_elastic *elastic, uint32_t node, uint32_t boot)
{
	elastic = wt_elastic_of(elastic, node);
	return happens(elastic, DRAW_RESUME, elastic->resume_fails, node, boot);
}

bool wt_elastic_suspend_fails(const struct wt_elastic *elastic, uint32_t node, uint32_t boot)
{
	elastic = wt_elastic_of(elastic, node);
	return happens(elastic, DRAW_SUSPEND, elastic->suspend_fails, node, boot);
}

bool wt_elastic_drop_fails(const struct wt_elastic *elastic, uint32_t node, uint32_t boot)
{
	elastic = wt_elastic_of(elastic, node);
	return happens(elastic, DRAW_DROP, elastic->drop_fails, node, boot);
}

uint32_t wt_elastic_one_of(const struct wt_elastic *elastic, uint32_t node, uint32_t boot, uint32_t count)
{
	if (count < 2 || !happens(elastic, DRAW_ONE, elastic->one_fails, node, boot))
		return count;
	return (uint32_t) (draw(elastic, DRAW_WHICH, node, boot) * count);
}

bool wt_elastic_no_address(const struct wt_elastic *elastic, uint32_t node, uint32_t boot)
{
	elastic = wt_elastic_of(elastic, node);
	return happens(elastic, DRAW_ADDRESS, elastic->no_address, node, boot);
}
