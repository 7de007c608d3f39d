#include "analyze/rewrite/sources.h"

#include "analyze/breaks.h"
#include "analyze/rewrite/damage.h"

#include "format/base/buf.h"
#include "format/base/mem.h"
#include "format/base/time.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char *fact(const struct an_merged *s, const char *key)
{
	const char *value = an_fact(s->trace, key);

	return value ? value : "";
}

static bool same_fact(const struct an_merged *a, const struct an_merged *b,
		      const char *key)
{
	return *fact(a, key) && strcmp(fact(a, key), fact(b, key)) == 0;
}

static void note_damage(void *ctx, size_t chunk, const struct err *what)
{
	(void)chunk;
	an_trace_note_damage(ctx, what);
}

static int open_one(struct an_merged *s, const char *path,
		    const struct log *log, struct err *err)
{
	int rc = an_trace_open_names(&s->trace, path, log, err);

	if (rc)
		return rc;
	s->path = path;
	s->offset = an_offset_of(s->trace);
	s->feed = (struct an_feed){
		.reader = an_trace_reader(s->trace),
		.name = path,
		.no_facts = true,
		.damage = note_damage,
		.ctx = s->trace,
	};
	if (*fact(s, "sources"))
		return err_set(err, ERR_UNSUPPORTED, "'%s' was merged already "
			       "(try: merge what it was made of)", path);
	return 0;
}

static int refuse_twice(const struct an_merge_set *m, size_t i,
			struct err *err)
{
	const struct tf_reader *r = m->v[i].feed.reader;

	for (size_t k = 0; k < i; k++)
		if (memcmp(tf_reader_header(m->v[k].feed.reader)->file_id,
			   tf_reader_header(r)->file_id,
			   TF_FILE_ID_SIZE) == 0)
			return err_set(err, ERR_USAGE, "'%s' and '%s' are the "
				       "same trace", m->v[k].path,
				       m->v[i].path);
	return 0;
}

/* Two machines of one name that were up at the same moment are one. */
#define SAME_BOOT_NS (NSEC_PER_SEC / 1000)

/* Machines are told apart by their boot: process ids and the monotonic clock
 * begin anew with each. A trace may not tell. */
static bool same_boot(const struct an_merged *a, const struct an_merged *b)
{
	struct an_shift shift;

	if (*fact(a, "boot_id") && *fact(b, "boot_id"))
		return same_fact(a, b, "boot_id");
	if (!same_fact(a, b, "hostname") || !a->offset.n || !b->offset.n)
		return false;
	shift = an_offset_between(&a->offset, &b->offset);
	return shift.ns < (int64_t)SAME_BOOT_NS &&
	       shift.ns > -(int64_t)SAME_BOOT_NS;
}

static void find_groups(struct an_merge_set *m, size_t i)
{
	struct an_merged *s = &m->v[i];

	s->machine = s->recording = i;
	for (size_t k = i; k-- > 0;) {
		if (same_boot(&m->v[k], s))
			s->machine = m->v[k].machine;
		if (same_fact(&m->v[k], s, "recording"))
			s->recording = m->v[k].recording;
	}
	if (s->machine)
		m->several_machines = true;
}

static int find_shift(struct an_merge_set *m, size_t i, struct err *err)
{
	struct an_merged *s = &m->v[i];
	const struct an_merged *first = &m->v[0];

	if (!s->machine)
		return 0;
	if (!s->offset.n || !first->offset.n)
		return err_set(err, ERR_UNSUPPORTED, "'%s' has no readings of "
			       "its clocks: its times cannot be compared with "
			       "those of '%s'",
			       s->offset.n ? first->path : s->path,
			       s->offset.n ? s->path : first->path);
	s->shift = an_offset_between(&first->offset, &s->offset);
	s->feed.shift = (uint64_t)s->shift.ns;
	s->feed.first = first->path;
	return 0;
}

int an_merge_set_open(struct an_merge_set *m, const char *const *paths,
		      size_t n, const struct log *log, struct err *err)
{
	int rc = 0;

	*m = (struct an_merge_set){ .v = calloc(n, sizeof(*m->v)) };
	if (!m->v)
		return err_nomem(err);
	for (size_t i = 0; i < n && !rc; i++) {
		m->n++;
		rc = open_one(&m->v[i], paths[i], log, err);
		if (!rc)
			rc = refuse_twice(m, i, err);
		if (rc)
			break;
		find_groups(m, i);
		rc = find_shift(m, i, err);
	}
	for (size_t i = 0; i < m->n; i++) {
		m->v[i].feed.apart = m->v[i].recording;
		if (m->several_machines)
			m->v[i].feed.source = m->v[i].machine + 1;
	}
	return rc;
}

void an_merge_set_fini(struct an_merge_set *m)
{
	for (size_t i = 0; i < m->n; i++) {
		an_feed_fini(&m->v[i].feed);
		an_trace_close(m->v[i].trace);
	}
	free(m->v);
	*m = (struct an_merge_set){ .v = NULL };
}

void an_merged_name(const struct an_merged *s, struct buf *to)
{
	buf_printf(to, "%s", s->path);
	if (*fact(s, "hostname"))
		buf_printf(to, " (%s)", fact(s, "hostname"));
}

static int put_key(struct an_rewrite *to, struct buf *key, struct span value,
		   struct err *err)
{
	buf_u8(key, 0);
	return buf_failed(key) ? err_nomem(err) :
				 an_rewrite_fact(to, (const char *)key->p,
						 value, err);
}

static bool is_note(const char *key)
{
	return strncmp(key, "note.", 5) == 0;
}

/* A note is shown at the head of reports, where it has to say whose it is. */
static int put_note(const struct an_merged *s, size_t i, const char *key,
		    struct span value, struct an_rewrite *to, struct err *err)
{
	struct buf name, text;
	int rc;

	buf_init(&name, 0);
	buf_init(&text, 0);
	buf_printf(&name, "note.source.%zu.%s", i, key + strlen("note."));
	an_merged_name(s, &text);
	buf_printf(&text, ": ");
	buf_put(&text, value.p, value.n);
	rc = buf_failed(&text) ? err_nomem(err) :
				 put_key(to, &name, span_of(text.p, text.n),
					 err);
	buf_fini(&name);
	buf_fini(&text);
	return rc;
}

static int put_facts(const struct an_merged *s, size_t i,
		     struct an_rewrite *to, struct err *err)
{
	struct buf key;
	int rc = 0;

	buf_init(&key, 0);
	for (uint32_t k = 0; k < an_n_facts(s->trace) && !rc; k++) {
		const struct an_fact *f = an_fact_of(s->trace, k);
		const char *name = an_text(s->trace, f->key);
		struct span value = an_string(s->trace, f->value);

		buf_clear(&key);
		buf_printf(&key, "source.%zu.%s", i, name);
		rc = put_key(to, &key, value, err);
		if (!rc && is_note(name))
			rc = put_note(s, i, name, value, to, err);
	}
	buf_fini(&key);
	return rc;
}

static int put_damage(const struct an_merged *s, size_t i,
		      struct an_rewrite *to, struct err *err)
{
	struct buf key, text;
	int rc = 0;

	buf_init(&key, 0);
	buf_init(&text, 0);
	buf_printf(&key, "source.%zu.recovered", i);
	an_damage_put(s->trace, &text);
	if (text.n)
		rc = put_key(to, &key, span_of(text.p, text.n), err);
	buf_clear(&text);
	an_damage_put_note(s->trace, &text);
	if (text.n && !rc)
		rc = put_note(s, i, "note.damaged", span_of(text.p, text.n),
			      to, err);
	if (buf_failed(&text))
		rc = err_nomem(err);
	buf_fini(&key);
	buf_fini(&text);
	return rc;
}

static int put_clock(const struct an_merged *s, size_t i,
		     struct an_rewrite *to, struct err *err)
{
	struct buf key, text;
	int rc;

	buf_init(&key, 0);
	buf_init(&text, 0);
	buf_printf(&key, "source.%zu.file", i);
	rc = put_key(to, &key, span_of(s->path, strlen(s->path)), err);
	buf_clear(&key);
	buf_printf(&key, "source.%zu.shift_ns", i);
	buf_printf(&text, "%" PRId64, s->shift.ns);
	if (!rc)
		rc = put_key(to, &key, span_of(text.p, text.n), err);
	buf_clear(&key);
	buf_clear(&text);
	buf_printf(&key, "source.%zu.uncertainty_ns", i);
	buf_printf(&text, "%" PRIu64, s->shift.uncertain_ns);
	if (!rc && !s->shift.unsure)
		rc = put_key(to, &key, span_of(text.p, text.n), err);
	buf_fini(&key);
	buf_fini(&text);
	return rc;
}

/* Facts of one file among several do not hold for all of them. */
static bool is_own(const char *key)
{
	static const char *const own[] = { "recording", "segment",
					   "incomplete", "recovered",
					   AN_BREAKS_FACT,
					   AN_COVERS_FACT };

	for (size_t i = 0; i < ARRAY_LEN(own); i++)
		if (strcmp(key, own[i]) == 0)
			return true;
	return is_note(key);
}

static bool all_say(const struct an_merge_set *m, const char *key)
{
	for (size_t i = 1; i < m->n; i++)
		if (!an_fact(m->v[i].trace, key) ||
		    strcmp(fact(&m->v[i], key), fact(&m->v[0], key)) != 0)
			return false;
	return true;
}

static int put_common(const struct an_merge_set *m, struct an_rewrite *to,
		      struct err *err)
{
	const struct an_trace *t = m->v[0].trace;
	int rc = 0;

	for (uint32_t k = 0; k < an_n_facts(t) && !rc; k++) {
		const struct an_fact *f = an_fact_of(t, k);
		const char *key = an_text(t, f->key);

		if (!is_own(key) && all_say(m, key))
			rc = an_rewrite_fact(to, key, an_string(t, f->value),
					     err);
	}
	return rc;
}

/* What limits one of them limits the whole. */
static int put_limits(const struct an_merge_set *m, const char *key,
		      struct an_rewrite *to, struct err *err)
{
	struct buf text;
	int rc;

	buf_init(&text, 0);
	for (size_t i = 0; i < m->n; i++) {
		if (!*fact(&m->v[i], key))
			continue;
		buf_printf(&text, "%s", text.n ? "; " : "");
		an_merged_name(&m->v[i], &text);
		buf_printf(&text, ": %s", fact(&m->v[i], key));
	}
	rc = an_rewrite_text(to, key, &text, err);
	buf_fini(&text);
	return rc;
}

static void put_story(const struct an_merge_set *m, struct buf *to)
{
	buf_printf(to, "merged from %zu traces: ", m->n);
	for (size_t i = 0; i < m->n; i++) {
		const struct an_merged *s = &m->v[i];
		char moved[AN_SHIFT_TEXT], uncertain[AN_UNCERTAIN_TEXT];

		buf_printf(to, "%s", i ? ", " : "");
		an_merged_name(s, to);
		if (!s->machine)
			continue;
		an_shift_text(moved, s->shift.ns);
		an_shift_uncertain_text(uncertain, &s->shift);
		buf_printf(to, " moved by %s (%s)", moved, uncertain);
	}
	if (m->several_machines)
		buf_printf(to, "; the real clocks of the machines are taken "
			   "to show the same time");
}

static int put_merge(const struct an_merge_set *m, struct an_rewrite *to,
		     struct err *err)
{
	struct buf text;
	int rc;

	buf_init(&text, 0);
	buf_printf(&text, "%zu", m->n);
	rc = an_rewrite_text(to, "sources", &text, err);
	buf_clear(&text);
	put_story(m, &text);
	if (!rc)
		rc = an_rewrite_text(to, "note.merged", &text, err);
	buf_fini(&text);
	return rc;
}

/* What the times of all of them say. */
static const struct {
	const char *key;
	int (*put)(const struct an_merge_set *m, struct buf *to,
		   struct err *err);
} by_times[] = {
	{ AN_BREAKS_FACT, an_merge_set_breaks },
	{ AN_COVERS_FACT, an_merge_set_covers },
	{ "note.overlap", an_merge_set_overlaps },
};

static int put_times(const struct an_merge_set *m, struct an_rewrite *to,
		     struct err *err)
{
	struct buf text;
	int rc = 0;

	buf_init(&text, 0);
	for (size_t i = 0; i < ARRAY_LEN(by_times) && !rc; i++) {
		buf_clear(&text);
		rc = by_times[i].put(m, &text, err);
		if (!rc)
			rc = an_rewrite_text(to, by_times[i].key, &text, err);
	}
	buf_fini(&text);
	return rc;
}

int an_merge_set_facts(const struct an_merge_set *m, struct an_rewrite *to,
		       struct err *err)
{
	int rc = put_common(m, to, err);

	if (!rc)
		rc = put_limits(m, "incomplete", to, err);
	if (!rc && !all_say(m, "user_only"))
		rc = put_limits(m, "user_only", to, err);
	for (size_t i = 0; i < m->n && !rc; i++) {
		rc = put_facts(&m->v[i], i, to, err);
		if (!rc)
			rc = put_damage(&m->v[i], i, to, err);
		if (!rc)
			rc = put_clock(&m->v[i], i, to, err);
	}
	if (!rc)
		rc = put_times(m, to, err);
	return rc ? rc : put_merge(m, to, err);
}
