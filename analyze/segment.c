#include "analyze/segment.h"

#include "analyze/breaks.h"
#include "analyze/columns.h"
#include "analyze/foreign.h"

#include "format/base/mem.h"
#include "format/catalog.h"

#include <stdlib.h>
#include <string.h>

/* A file that has more is not one whose facts are worth the memory. */
#define MAX_FACTS 4096u

struct known_fact {
	const char *key;
	size_t field; /* of struct an_segment */
};

static const struct known_fact known_facts[] = {
	{ "recording", offsetof(struct an_segment, recording) },
	{ "boot_id", offsetof(struct an_segment, boot) },
	{ "hostname", offsetof(struct an_segment, host) },
	{ "note.cut", offsetof(struct an_segment, cut) },
	{ "import.format", offsetof(struct an_segment, import) },
	{ AN_COVERS_FACT, offsetof(struct an_segment, covers) },
};

struct fact {
	uint32_t epoch;
	uint64_t key, value; /* strings of that epoch */
	char key_text[AN_SEGMENT_TEXT], text[AN_SEGMENT_TEXT];
};

struct particulars {
	struct an_segment *to;
	struct fact *facts;
	size_t n, cap;
	uint64_t readings; /* of clocks */
	uint64_t offset;   /* real minus monotonic time .. */
	bool has_offset;   /* .. where a reading tells both */
};

typedef int see_part(struct particulars *p, const struct tf_view *v,
		     const struct an_columns *c, struct err *err);

static int see_facts(struct particulars *p, const struct tf_view *v,
		     const struct an_columns *c, struct err *err)
{
	for (uint32_t i = 0; i < v->rows && p->n < MAX_FACTS; i++) {
		if (!mem_grow(&p->facts, &p->cap, p->n + 1, sizeof(*p->facts)))
			return err_nomem(err);
		p->facts[p->n++] = (struct fact){
			.epoch = v->epoch,
			.key = an_column_value(c, v, TF_FACT_KEY, i),
			.value = an_column_value(c, v, TF_FACT_VALUE, i),
		};
	}
	return 0;
}

static void take_text(char to[AN_SEGMENT_TEXT], const struct tf_view *v,
		      const struct an_columns *c, uint64_t id)
{
	struct span text;

	if (id < v->base_row || id - v->base_row >= v->rows)
		return;
	text = an_column_bytes(c, v, TF_STRING_BYTES,
			       (uint32_t)(id - v->base_row));
	if (text.n >= AN_SEGMENT_TEXT)
		text.n = AN_SEGMENT_TEXT - 1;
	if (text.n)
		memcpy(to, text.p, text.n);
	to[text.n] = '\0';
}

static int see_strings(struct particulars *p, const struct tf_view *v,
		       const struct an_columns *c, struct err *err)
{
	(void)err;
	for (size_t i = 0; i < p->n; i++) {
		struct fact *f = &p->facts[i];

		if (f->epoch != v->epoch)
			continue;
		take_text(f->key_text, v, c, f->key);
		take_text(f->text, v, c, f->value);
	}
	return 0;
}

static int see_clocks(struct particulars *p, const struct tf_view *v,
		      const struct an_columns *c, struct err *err)
{
	const uint64_t *times = an_column(c, v, TF_CLOCK_MONOTONIC);
	const uint64_t *real = an_column(c, v, TF_CLOCK_REALTIME);
	struct an_segment *s = p->to;

	(void)err;
	p->readings += v->rows;
	for (uint32_t i = 0; times && i < v->rows; i++) {
		uint64_t t = times[i];

		if (real && real[i]) {
			p->offset = real[i] - t;
			p->has_offset = true;
		}
		if (!s->first_ns || t < s->first_ns)
			s->first_ns = t;
		if (t > s->last_ns)
			s->last_ns = t;
	}
	return 0;
}

static int see_table(struct particulars *p, uint32_t table, see_part *see,
		     struct err *err)
{
	struct tf_query q = { .table = table, .t_max = UINT64_MAX };
	const struct tf_view *v;
	struct tf_cursor *cursor;
	struct an_columns c;
	int rc;

	if (!an_columns_find(&c, p->to->reader, table, UINT64_MAX))
		return 0;
	q.columns = c.mask;
	rc = tf_cursor_new(&cursor, p->to->reader, &q, err);
	if (rc)
		return rc;
	while ((rc = tf_cursor_next(cursor, &v, err)) != 1) {
		if (rc == 0)
			rc = see(p, v, &c, err);
		if (rc == ERR_NOMEM || rc == ERR_IO)
			break;
	}
	tf_cursor_free(cursor);
	return rc < 0 ? rc : 0;
}

static void keep_fact(struct an_segment *s, const struct fact *f)
{
	for (size_t i = 0; i < ARRAY_LEN(known_facts); i++)
		if (strcmp(f->key_text, known_facts[i].key) == 0)
			memcpy((char *)s + known_facts[i].field, f->text,
			       AN_SEGMENT_TEXT);
	if (strcmp(f->key_text, "segment") == 0)
		s->number = strtoull(f->text, NULL, 10);
}

static void take_covers(struct an_segment *s)
{
	struct an_break span = { s->first_ns, s->last_ns };

	(void)an_covers_parse(&span, s->covers);
	s->from_ns = span.from;
	s->to_ns = span.to;
}

static int read_particulars(struct an_segment *s, struct err *err)
{
	struct particulars p = { .to = s };
	int rc = see_table(&p, TF_TABLE_FACT, see_facts, err);

	if (rc == 0)
		rc = see_table(&p, TF_TABLE_STRING, see_strings, err);
	if (rc == 0)
		rc = see_table(&p, TF_TABLE_CLOCK, see_clocks, err);
	for (size_t i = 0; i < p.n; i++)
		keep_fact(s, &p.facts[i]);
	s->began_ns = tf_reader_header(s->reader)->start_unix_ns;
	/* What was imported has no readings of clocks, or one; those of a part
	 * may be of the whole. */
	if (s->cut[0] || p.readings < 2) {
		struct an_break rows = an_rows_span(s->reader);

		s->first_ns = rows.from;
		s->last_ns = rows.to;
		/* Its file may have been written at any time. */
		if (s->import[0] && !s->cut[0] && p.has_offset)
			s->began_ns = rows.from + p.offset;
	}
	take_covers(s);
	free(p.facts);
	return rc;
}

int an_segment_open(struct an_segment *s, const char *path,
		    const struct log *log, struct err *err)
{
	int rc;

	*s = (struct an_segment){ .path = path };
	rc = an_source_open(&s->source, path, log, err);
	if (rc == 0)
		rc = tf_reader_open(&s->reader, s->source, err);
	if (rc == 0)
		rc = read_particulars(s, err);
	return rc;
}

void an_segment_fini(struct an_segment *s)
{
	tf_reader_free(s->reader);
	tf_source_close(s->source);
	s->reader = NULL;
	s->source = NULL;
}
