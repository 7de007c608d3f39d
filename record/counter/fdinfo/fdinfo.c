#include "record/counter/fdinfo/fdinfo.h"

#include "format/base/mem.h"
#include "record/proc/procfs.h"

static const struct series {
	const char *name, *unit;
	enum tf_series_kind kind;
} series[REC_FDINFO_KINDS] = {
	[REC_FDINFO_ENGINE] = { "drm-engine", "ns", TF_SERIES_COUNT },
	[REC_FDINFO_CYCLES] = { "drm-cycles", "cycles", TF_SERIES_COUNT },
	[REC_FDINFO_TOTAL_CYCLES] = { "drm-total-cycles", "cycles",
				      TF_SERIES_COUNT },
	[REC_FDINFO_MAXFREQ] = { "drm-maxfreq", "Hz", TF_SERIES_LEVEL },
	[REC_FDINFO_CURFREQ] = { "drm-curfreq", "Hz", TF_SERIES_LEVEL },
	[REC_FDINFO_TOTAL] = { "drm-memory-total", "bytes", TF_SERIES_LEVEL },
	[REC_FDINFO_SHARED] = { "drm-memory-shared", "bytes", TF_SERIES_LEVEL },
	[REC_FDINFO_RESIDENT] = { "drm-memory-resident", "bytes",
				  TF_SERIES_LEVEL },
	[REC_FDINFO_ACTIVE] = { "drm-memory-active", "bytes", TF_SERIES_LEVEL },
	[REC_FDINFO_PURGEABLE] = { "drm-memory-purgeable", "bytes",
				   TF_SERIES_LEVEL },
};

const char *rec_fdinfo_series_name(enum rec_fdinfo_kind kind)
{
	return series[kind].name;
}

const char *rec_fdinfo_unit(enum rec_fdinfo_kind kind)
{
	return series[kind].unit;
}

enum tf_series_kind rec_fdinfo_series_kind(enum rec_fdinfo_kind kind)
{
	return series[kind].kind;
}

struct unit {
	const char *word;
	int64_t times;
};

/* Where there is no word the number counts ones. */
static const struct unit plain[] = { { NULL, 0 } };
static const struct unit times[] = { { "ns", 1 }, { NULL, 0 } };
static const struct unit bytes[] = {
	{ "KiB", 1 << 10 }, { "MiB", 1 << 20 }, { "GiB", 1 << 30 }, { NULL, 0 },
};
static const struct unit hertz[] = {
	{ "Hz", 1 },		{ "kHz", 1000 }, { "KHz", 1000 },
	{ "MHz", 1000000 }, { NULL, 0 },
};

/* The first that fits: longer ones before those they begin with. */
#define KEY(text) text, sizeof(text) - 1
static const struct key {
	const char *begin;
	size_t size;
	enum rec_fdinfo_kind kind; /* REC_FDINFO_KINDS: a capacity */
	const struct unit *units;
} keys[] = {
	{ KEY("drm-engine-capacity-"), REC_FDINFO_KINDS, plain },
	{ KEY("drm-engine-"), REC_FDINFO_ENGINE, times },
	{ KEY("drm-cycles-"), REC_FDINFO_CYCLES, plain },
	{ KEY("drm-total-cycles-"), REC_FDINFO_TOTAL_CYCLES, plain },
	{ KEY("drm-maxfreq-"), REC_FDINFO_MAXFREQ, hertz },
	{ KEY("drm-curfreq-"), REC_FDINFO_CURFREQ, hertz },
	{ KEY("drm-total-"), REC_FDINFO_TOTAL, bytes },
	{ KEY("drm-shared-"), REC_FDINFO_SHARED, bytes },
	{ KEY("drm-resident-"), REC_FDINFO_RESIDENT, bytes },
	/* What amdgpu and msm called it first, and still do beside. */
	{ KEY("drm-memory-"), REC_FDINFO_RESIDENT, bytes },
	{ KEY("drm-active-"), REC_FDINFO_ACTIVE, bytes },
	{ KEY("drm-purgeable-"), REC_FDINFO_PURGEABLE, bytes },
};

static bool same(struct span a, struct span b)
{
	return a.n == b.n && (!a.n || !memcmp(a.p, b.p, a.n));
}

static bool unit_times(int64_t *to, const struct unit *units, struct span word)
{
	for (; units->word; units++)
		if (span_is(word, units->word)) {
			*to = units->times;
			return true;
		}
	return false;
}

static bool take_number(int64_t *to, const struct unit *units,
			struct span text)
{
	struct span word;
	int64_t factor = 1;
	uint64_t v;

	if (!rec_word(&text, &word) || !rec_number(word, 10, &v) ||
	    v > INT64_MAX)
		return false;
	if (rec_word(&text, &word) && !unit_times(&factor, units, word))
		return false;
	return !ckd_mul(to, (int64_t)v, factor) && !rec_word(&text, &word);
}

bool rec_fdinfo_has(const struct rec_fdinfo *f, enum rec_fdinfo_kind kind,
		    struct span part)
{
	for (size_t i = 0; i < f->n; i++)
		if (f->values[i].kind == kind &&
		    same(f->values[i].part, part))
			return true;
	return false;
}

static bool is_word(struct span s)
{
	if (!s.n || s.n > REC_FDINFO_WORD)
		return false;
	for (size_t i = 0; i < s.n; i++)
		if (s.p[i] <= ' ' || s.p[i] >= 0x7f)
			return false;
	return true;
}

static bool add(struct rec_fdinfo *f, const struct rec_fdinfo_value *v)
{
	if (v->kind == REC_FDINFO_KINDS) {
		if (f->n_capacities == REC_FDINFO_CAPACITIES)
			return false;
		f->capacities[f->n_capacities++] = *v;
		return true;
	}
	/* The old and the new name of one thing. */
	if (v->kind == REC_FDINFO_RESIDENT &&
	    rec_fdinfo_has(f, v->kind, v->part))
		return true;
	if (f->n == REC_FDINFO_VALUES)
		return false;
	f->values[f->n++] = *v;
	return true;
}

static void take_value(struct rec_fdinfo *f, struct span name,
		       struct span text)
{
	for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
		const struct key *k = &keys[i];
		struct rec_fdinfo_value v = { .kind = k->kind };

		if (name.n < k->size || memcmp(name.p, k->begin, k->size))
			continue;
		(void)span_skip(&name, k->size);
		v.part = name;
		if (!is_word(name) || !take_number(&v.value, k->units, text) ||
		    !add(f, &v))
			f->unread++;
		return;
	}
}

static void take_client(struct rec_fdinfo *f, struct span text)
{
	struct span word;

	if (rec_word(&text, &word) && rec_number(word, 10, &f->client))
		f->has_client = true;
	else
		f->unread++;
}

/* The whole of what is behind the colon, or nothing where it is too long. */
static struct span trimmed(struct span text)
{
	while (text.n && (*text.p == ' ' || *text.p == '\t'))
		(void)span_skip(&text, 1);
	while (text.n && text.p[text.n - 1] <= ' ')
		text.n--;
	return text.n <= REC_FDINFO_WORD ? text : span_of(text.p, 0);
}

static void take_line(struct rec_fdinfo *f, struct span line)
{
	const uint8_t *colon;
	struct span name;

	if (!span_begins(line, "drm-"))
		return;
	colon = memchr(line.p, ':', line.n);
	if (!colon)
		return;
	(void)span_take(&line, (size_t)(colon - line.p), &name);
	(void)span_skip(&line, 1);
	if (span_is(name, "drm-driver"))
		f->driver = trimmed(line);
	else if (span_is(name, "drm-pdev"))
		f->pdev = is_word(trimmed(line)) ? trimmed(line) : f->pdev;
	else if (span_is(name, "drm-client-name"))
		f->name = trimmed(line);
	else if (span_is(name, "drm-client-id"))
		take_client(f, line);
	else
		take_value(f, name, line);
}

void rec_fdinfo_parse(struct rec_fdinfo *out, struct span text)
{
	struct span line = { NULL, 0 };

	out->driver = out->pdev = out->name = span_of(NULL, 0);
	out->client = 0;
	out->has_client = false;
	out->n = out->n_capacities = 0;
	out->unread = 0;
	while (rec_line(&text, &line))
		take_line(out, line);
}

uint32_t rec_fdinfo_capacity(const struct rec_fdinfo *f, struct span part)
{
	for (size_t i = 0; i < f->n_capacities; i++) {
		int64_t n = f->capacities[i].value;

		if (same(f->capacities[i].part, part) && n > 0 &&
		    n <= UINT32_MAX)
			return (uint32_t)n;
	}
	return 1;
}
