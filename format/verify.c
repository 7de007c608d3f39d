#include "format/verify.h"

#include "format/audit.h"
#include "format/catalog.h"
#include "format/reader_state.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef void report_fn(void *ctx, uint64_t offset, const char *what);

struct verifier {
	const struct tf_reader *reader;
	report_fn *report;
	void *ctx;
	struct tf_verify_result *out;
	struct err *err;
	struct tf_chunk chunk;
	struct tf_audit audit;
	struct tf_ledgers ledgers; /* the auditor's, of all open epochs */
	struct tf_ledger unheard;  /* of an epoch that is none of them */
	struct tf_schema announced; /* so far */
	size_t at;         /* number of the chunk */
	size_t gap;        /* the next one to report */
	uint64_t seq;      /* expected next */
	uint64_t index_at; /* of the last INDEX, or 0 */
	uint64_t *tables;  /* by chunk: the bits of those it has parts of; all
			    * set: not known */
	bool hole;         /* chunks may be missing just before this one */
};

static void problem_at(struct verifier *v, uint64_t offset, const char *what)
{
	v->out->problems++;
	v->report(v->ctx, offset, what);
}

static const struct tf_chunk_info *info(const struct verifier *v)
{
	return &v->reader->scan.chunks.chunks[v->at];
}

static void problem(struct verifier *v, const char *what)
{
	struct err e;

	err_set(&e, ERR_FORMAT, "chunk %zu: %s", v->at, what);
	problem_at(v, info(v)->offset, e.text);
}

static void audit_problem(void *ctx, const char *what)
{
	problem(ctx, what);
}

/* Reports damage and swallows it. */
static int judge(struct verifier *v, int rc)
{
	if (!rc || !tf_is_damage(rc))
		return rc;
	problem(v, v->err->text);
	return 0;
}

static void report_gaps(struct verifier *v, uint64_t before)
{
	const struct tf_scan *s = &v->reader->scan;

	for (; v->gap < s->n_gaps && s->gaps[v->gap].offset < before;
	     v->gap++) {
		const struct tf_gap *g = &s->gaps[v->gap];
		struct err e;

		err_set(&e, ERR_FORMAT, "%" PRIu64 " bytes are no chunk: %s",
			g->size, g->why);
		problem_at(v, g->offset, e.text);
		v->hole = true;
		tf_ledgers_lose(&v->ledgers);
	}
}

static bool is_known(uint16_t type)
{
	return type == TF_CHUNK_SCHEMA || type == TF_CHUNK_DATA ||
	       type == TF_CHUNK_INDEX || type == TF_CHUNK_END;
}

static void check_order(struct verifier *v)
{
	const struct tf_head *h = &v->chunk.head;

	if (h->seq < v->seq || (h->seq > v->seq && !v->hole))
		problem(v, "sequence number is not the next one");
	v->audit.ledger = is_known(h->type) ?
				  tf_ledgers_of(&v->ledgers, h->epoch) :
				  &v->unheard;
	if (!v->audit.ledger) {
		problem(v, "epoch is older than all that may be open");
		v->unheard.lost = true;
		v->audit.ledger = &v->unheard;
	}
	v->seq = h->seq + 1;
	v->hole = false;
}

static int check_padding(struct verifier *v)
{
	const struct tf_head *h = &v->chunk.head;
	static const uint8_t zeros[TF_ALIGN];
	uint8_t bytes[TF_ALIGN];
	uint64_t used = (uint64_t)TF_CHUNK_HEADER_SIZE + h->dir_size +
			h->body_size;
	size_t n = (size_t)(tf_head_size(h) - used);
	struct tf_source *s = v->reader->source;
	int rc = s->read(s, bytes, n, h->offset + used, v->err);

	if (rc)
		return rc < 0 ? rc : ERR_IO;
	if (memcmp(bytes, zeros, n) != 0)
		problem(v, "padding is not zero");
	return 0;
}

static int check_schema(struct verifier *v)
{
	struct span body;
	int rc = tf_chunk_content(&v->chunk, &body, v->err);

	return rc ? rc : tf_schema_take(&v->announced, body, v->err);
}

static int check_part(struct verifier *v, const struct tf_part *p)
{
	struct tf_audit *a = &v->audit;
	const struct tf_table *t =
		tf_schema_by_id(&v->reader->schema, p->table);
	struct err e;

	if (!tf_schema_by_id(&v->announced, p->table)) {
		err_set(&e, ERR_FORMAT, "table %" PRIu32 " was not announced",
			p->table);
		problem(v, e.text);
	}
	v->out->parts++;
	v->out->rows += p->rows;
	return tf_audit_part(a, t, p, &v->chunk.body, v->err);
}

/* What a chunk's header has to say, by its parts. */
struct sight {
	uint64_t t_min, t_max;
	uint64_t tables;
	bool known; /* the tables are: definitions do not count for the times */
};

static void see_part(const struct verifier *v, struct sight *s,
		     const struct tf_part *p)
{
	const struct tf_table *t =
		tf_schema_by_id(&v->reader->schema, p->table);

	s->tables |= tf_table_bit(p->table);
	s->known = s->known && t;
	if (!t || !tf_table_is_timed(t) || !(p->flags & TF_PART_TIMES))
		return;
	s->t_min = p->t_min < s->t_min ? p->t_min : s->t_min;
	s->t_max = p->t_max > s->t_max ? p->t_max : s->t_max;
}

static int check_data(struct verifier *v)
{
	struct sight s = { .t_min = UINT64_MAX, .known = true };
	const struct tf_head *h = &v->chunk.head;
	struct tf_part p;
	int rc = tf_chunk_begin(&v->chunk, v->err);

	while (rc == 0 && (rc = tf_chunk_next(&v->chunk, &p, v->err)) == 0) {
		rc = check_part(v, &p);
		see_part(v, &s, &p);
	}
	if (rc != 1)
		return rc;
	v->tables[v->at] = s.tables;
	if (s.t_min > s.t_max)
		s.t_min = 0;
	if (s.known && (h->t_min != s.t_min || h->t_max != s.t_max))
		problem(v, "times are not those of its events");
	return 0;
}

/* `tables`: what the chunk was seen to have. */
static bool same_row(const struct tf_chunk_info *a,
		     const struct tf_chunk_info *b, uint64_t tables)
{
	return a->offset == b->offset && a->size == b->size &&
	       a->type == b->type && a->flags == b->flags &&
	       a->epoch == b->epoch && a->parts == b->parts &&
	       a->t_min == b->t_min && a->t_max == b->t_max &&
	       (a->tables == tables || a->tables == UINT64_MAX ||
		tables == UINT64_MAX);
}

/* A file with damage has chunks in its index that are not there any more. */
static int check_index(struct verifier *v)
{
	const struct tf_index *is = &v->reader->scan.chunks;
	struct tf_index said = { 0 };
	int rc = tf_index_read(&said, &v->chunk, v->err);
	bool same = rc == 0 && said.n == v->at;

	for (size_t i = 0; same && i < said.n; i++)
		same = same_row(&said.chunks[i], &is->chunks[i], v->tables[i]);
	if (rc == 0 && !same && !v->reader->scan.n_gaps)
		problem(v, "index differs from the chunks before it");
	tf_index_fini(&said);
	v->index_at = info(v)->offset;
	return rc;
}

static int check_end(struct verifier *v)
{
	const struct tf_head *h = &v->chunk.head;

	if (h->parts || h->dir_size || h->body_size || h->flags || h->t_max)
		problem(v, "end has a content");
	if (h->aux && h->aux != v->index_at && !v->reader->scan.n_gaps)
		problem(v, "end does not name the last index");
	return 0;
}

static int check_content(struct verifier *v)
{
	switch (v->chunk.head.type) {
	case TF_CHUNK_SCHEMA:
		return check_schema(v);
	case TF_CHUNK_DATA:
		return check_data(v);
	case TF_CHUNK_INDEX:
		return check_index(v);
	case TF_CHUNK_END:
		return check_end(v);
	default:
		return 0;
	}
}

static int check_chunk(struct verifier *v)
{
	int rc;

	report_gaps(v, info(v)->offset);
	v->out->chunks++;
	v->tables[v->at] = UINT64_MAX;
	rc = tf_reader_load(v->reader, &v->chunk, v->at, v->err);
	if (rc) {
		v->hole = true;
		tf_ledgers_lose(&v->ledgers);
		return judge(v, rc);
	}
	check_order(v);
	rc = check_padding(v);
	if (rc)
		return judge(v, rc);
	rc = check_content(v);
	if (tf_is_damage(rc))
		v->audit.ledger->lost = true;
	return judge(v, rc);
}

static int walk(struct verifier *v)
{
	for (; v->at < v->reader->scan.chunks.n; v->at++) {
		int rc = check_chunk(v);

		if (rc)
			return rc;
	}
	report_gaps(v, UINT64_MAX);
	return 0;
}

int tf_verify(const struct tf_reader *r,
	      void (*report)(void *ctx, uint64_t offset, const char *what),
	      void *ctx, struct tf_verify_result *out, struct err *err)
{
	struct err own = { .code = 0 };
	struct verifier v = {
		.reader = r,
		.report = report,
		.ctx = ctx,
		.out = out,
		.err = err ? err : &own,
	};
	int rc;

	*out = (struct tf_verify_result){ .bytes = r->source->size };
	v.audit.report = audit_problem;
	v.audit.ctx = &v;
	rc = tf_chunk_init(&v.chunk, r->source, r->header.file_id, v.err);
	v.tables = calloc(r->scan.chunks.n + 1, sizeof(*v.tables));
	if (rc == 0 && !v.tables)
		rc = err_nomem(v.err);
	if (rc == 0)
		rc = walk(&v);
	free(v.tables);
	tf_chunk_fini(&v.chunk);
	tf_audit_fini(&v.audit);
	tf_ledgers_fini(&v.ledgers);
	tf_ledger_fini(&v.unheard);
	tf_schema_fini(&v.announced);
	return rc ? err_in(err, rc, "%s", r->source->name) : 0;
}
