#include "record/perf/event/pmu_terms.h"

#include "format/base/buf.h"
#include "format/base/mem.h"
#include "record/perf/event/terms.h"
#include "record/perf/sysfs.h"
#include "record/proc/folder.h"

#include <ctype.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PMU_FILE REC_PMU_DEVICES "/%s/%s/%s"

struct pmu {
	const char *root, *name;
};

static bool read_file(const struct pmu *p, char *to, const char *folder,
		      const char *name)
{
	if (!*name || *name == '.' || strchr(name, '/'))
		return false;
	return rec_sysfs_line(to, REC_SYSFS_MAX, p->root, PMU_FILE, p->name,
			      folder, name);
}

static __u64 *word_of(struct rec_event *e, const char *bits)
{
	static const struct {
		const char *name;
		size_t at;
	} words[] = {
		{ "config:", offsetof(struct perf_event_attr, config) },
		{ "config1:", offsetof(struct perf_event_attr, config1) },
		{ "config2:", offsetof(struct perf_event_attr, config2) },
	};

	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		if (!strncmp(bits, words[i].name, strlen(words[i].name)))
			return (__u64 *)((char *)&e->attr + words[i].at);
	return NULL;
}

/* "7" or "0-7"; false: neither. */
static bool range(const char **at, unsigned int *first, unsigned int *last)
{
	char *end;

	if (!isdigit((unsigned char)**at))
		return false;
	*first = *last = (unsigned int)strtoul(*at, &end, 10);
	if (*end == '-' && isdigit((unsigned char)end[1]))
		*last = (unsigned int)strtoul(end + 1, &end, 10);
	*at = end;
	return *first <= *last && *last < 64;
}

/* Spreads a value over the ranges of bits, lowest first; what is left of it
 * does not fit. */
static bool spread(__u64 *word, const char *ranges, uint64_t *value)
{
	do {
		unsigned int first, last, n;
		uint64_t mask;

		if (!range(&ranges, &first, &last))
			return false;
		n = last - first + 1;
		mask = n == 64 ? UINT64_MAX : ((uint64_t)1 << n) - 1;
		*word = (*word & ~(mask << first)) | (*value & mask) << first;
		*value = n == 64 ? 0 : *value >> n;
	} while (*ranges++ == ',');
	return !ranges[-1];
}

static int set_format(struct rec_event *e, const struct pmu *p,
		      const char *bits, const struct rec_term *t,
		      struct err *err)
{
	__u64 *word = word_of(e, bits);
	const char *colon = strchr(bits, ':');
	uint64_t value, left;

	if (!rec_term_number(t, &value))
		return err_set(err, ERR_USAGE, "term '%s' of PMU '%s': '%s' is "
			       "not a number", t->name, p->name,
			       t->value ? t->value : "");
	left = value;
	if (!word || !colon || !spread(word, colon + 1, &left))
		return err_set(err, ERR_UNSUPPORTED, "term '%s' of PMU '%s' is "
			       "not understood: '%s'", t->name, p->name, bits);
	if (left)
		return err_set(err, ERR_USAGE, "term '%s' of PMU '%s': %#"
			       PRIx64 " does not fit into its bits (%s)",
			       t->name, p->name, value, colon + 1);
	return 0;
}

static int set_unit(struct rec_event *e, const struct pmu *p,
		    const char *event, struct err *err)
{
	char file[NAME_MAX + 8], text[REC_SYSFS_MAX];

	snprintf(file, sizeof(file), "%.*s.scale", NAME_MAX, event);
	if (read_file(p, text, "events", file))
		e->scale = strtod(text, NULL);
	snprintf(file, sizeof(file), "%.*s.unit", NAME_MAX, event);
	if (!read_file(p, text, "events", file))
		return 0;
	free(e->pmu_unit);
	e->pmu_unit = strdup(text);
	if (!e->pmu_unit)
		return err_nomem(err);
	/* A period is in counts: in the unit only where they are the same. */
	e->unit = e->scale >= 1 && e->scale <= 1 ? e->pmu_unit : "";
	return 0;
}

static void names_of(struct buf *b, const struct pmu *p, const char *folder)
{
	char path[PATH_MAX];
	struct rec_folder f;

	snprintf(path, sizeof(path), "%s" REC_PMU_DEVICES "/%s/%s", p->root,
		 p->name, folder);
	if (rec_folder_read(&f, path, NULL))
		return;
	for (size_t i = 0; i < f.n; i++)
		if (!strchr(f.names[i], '.'))
			buf_printf(b, "%s, ", f.names[i]);
	rec_folder_fini(&f);
}

static int unknown(const struct pmu *p, const struct rec_term *t,
		   struct err *err)
{
	struct buf b;
	int rc;

	buf_init(&b, 0);
	names_of(&b, p, "format");
	names_of(&b, p, "events");
	buf_put(&b, REC_TERMS_KNOWN, sizeof(REC_TERMS_KNOWN));
	rc = buf_failed(&b) ? err_nomem(err) :
			      err_set(err, ERR_USAGE, "PMU '%s' has no term "
				      "'%s' (known: %s)", p->name, t->name,
				      (char *)b.p);
	buf_fini(&b);
	return rc;
}

/* The terms behind an event's name; those that are to be chosen ("?") must be
 * given beside it. */
static int set_event(struct rec_event *e, const struct pmu *p,
		     const char *event, char *list, const char *all,
		     struct err *err)
{
	struct rec_term t;

	while (rec_term_next(&list, &t)) {
		char bits[REC_SYSFS_MAX];
		int rc;

		if (t.value && !strcmp(t.value, "?")) {
			if (strstr(all, t.name))
				continue;
			return err_set(err, ERR_USAGE, "event '%s' of PMU '%s' "
				       "needs the term %s=…", event, p->name,
				       t.name);
		}
		rc = rec_term_apply(e, &t, err);
		if (rc == 1)
			rc = read_file(p, bits, "format", t.name) ?
				     set_format(e, p, bits, &t, err) :
				     unknown(p, &t, err);
		if (rc)
			return rc;
	}
	return set_unit(e, p, event, err);
}

static int apply(struct rec_event *e, const struct pmu *p,
		 const struct rec_term *t, const char *all, struct err *err)
{
	char text[REC_SYSFS_MAX];
	int rc = rec_term_apply(e, t, err);

	if (rc != 1)
		return rc;
	if (read_file(p, text, "format", t->name))
		return set_format(e, p, text, t, err);
	if (!t->value && !strchr(t->name, '.') &&
	    read_file(p, text, "events", t->name))
		return set_event(e, p, t->name, text, all, err);
	return unknown(p, t, err);
}

int rec_pmu_terms(struct rec_event *e, const char *root, const char *pmu,
		  const char *terms, struct err *err)
{
	struct pmu p = { root, pmu };
	char *copy = strdup(terms), *rest = copy;
	struct rec_term t;
	int rc = 0;

	if (!copy)
		return err_nomem(err);
	while (!rc && rec_term_next(&rest, &t))
		rc = apply(e, &p, &t, terms, err);
	free(copy);
	return rc;
}
