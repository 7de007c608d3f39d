#include "analyze/clean.h"
#include "analyze/command.h"
#include "analyze/ending.h"
#include "analyze/rewrite/job.h"

#include "format/base/buf.h"
#include "format/base/mem.h"
#include "format/verify.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Further places are only counted. */
#define MAX_SHOWN 20u
#define MAX_TOLD 1000u

struct recover_args {
	const char *output;
};

static const struct opt opts[] = {
	OPT_OUTPUT(struct recover_args, output),
	OPT_END,
};

/* A stretch of the file that is damaged. */
struct place {
	uint64_t offset, size;
	size_t why; /* what is wrong there first, in the texts */
	bool counted; /* its missing rows are */
};

struct recovery {
	const struct an_env *env;
	const char *path;
	struct tf_source *source;
	struct tf_reader *reader;
	struct place *places; /* in the order of the file */
	size_t n, cap;
	struct buf texts;     /* each with a NUL behind it */
	bool failed;          /* no memory for a place */
	uint64_t bytes;       /* of all places */
	struct an_feed feed;
	struct an_job job;
};

static void add_place(struct recovery *r, uint64_t offset, uint64_t size,
		      const char *why)
{
	if (!mem_grow(&r->places, &r->cap, r->n + 1, sizeof(*r->places))) {
		r->failed = true;
		return;
	}
	r->places[r->n++] = (struct place){ .offset = offset, .size = size,
					    .why = r->texts.n };
	r->bytes += size;
	buf_put(&r->texts, why, strlen(why) + 1);
}

static void see_gaps(struct recovery *r)
{
	const struct tf_gap *gaps;
	size_t n = tf_reader_gaps(r->reader, &gaps);

	for (size_t i = 0; i < n; i++)
		add_place(r, gaps[i].offset, gaps[i].size, gaps[i].why);
}

/* Chunks that cannot be decoded are met while rows are taken. */
static void see_damage(void *ctx, size_t chunk, const struct err *what)
{
	struct recovery *r = ctx;
	const struct tf_chunk_info *c = tf_reader_chunk(r->reader, chunk);

	const char *why = what->text;
	size_t n = strlen(r->path);

	if (strncmp(why, r->path, n) == 0 && strncmp(why + n, ": ", 2) == 0)
		why += n + 2; /* every line begins with it */
	if (r->n && r->places[r->n - 1].offset == c->offset)
		return;
	add_place(r, c->offset, c->size, why);
	if (!r->failed)
		r->places[r->n - 1].counted = true;
}

static void see_uncounted(void *ctx, size_t chunk)
{
	struct recovery *r = ctx;
	uint64_t offset = tf_reader_chunk(r->reader, chunk)->offset;

	for (size_t i = r->n; i-- > 0;)
		if (r->places[i].offset == offset) {
			r->places[i].counted = false;
			return;
		}
}

static const struct tf_chunk_info *chunk_at(const struct tf_reader *reader,
					    uint64_t offset)
{
	size_t low = 0, high = tf_reader_chunks(reader);

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (tf_reader_chunk(reader, mid)->offset < offset)
			low = mid + 1;
		else
			high = mid;
	}
	return low < tf_reader_chunks(reader) &&
	       tf_reader_chunk(reader, low)->offset == offset ?
		       tf_reader_chunk(reader, low) : NULL;
}

/* A schema that is damaged hides tables, so that no row of theirs is met. */
static void see_problem(void *ctx, uint64_t offset, const char *what)
{
	struct recovery *r = ctx;
	const struct tf_chunk_info *c = chunk_at(r->reader, offset);

	if (c && c->type == TF_CHUNK_SCHEMA)
		add_place(r, c->offset, c->size, what);
}

static int by_offset(const void *a, const void *b)
{
	const struct place *x = a, *y = b;

	return CMP(x->offset, y->offset);
}

/* What an unfinished chunk has at the end of the file. */
static void see_tail(struct recovery *r)
{
	size_t n = tf_reader_chunks(r->reader);
	uint64_t end = n ? tf_reader_chunk(r->reader, n - 1)->offset +
				   tf_reader_chunk(r->reader, n - 1)->size : 0;

	if (tf_reader_ending(r->reader) == TF_CUT && n &&
	    end < tf_reader_size(r->reader))
		add_place(r, end, tf_reader_size(r->reader) - end,
			  "an unfinished chunk");
}

static int look(struct recovery *r, struct err *err)
{
	struct tf_verify_result found;
	int rc = tf_source_open(&r->source, r->path, tf_reader_check_front,
				err);

	if (!rc)
		rc = tf_reader_open(&r->reader, r->source, err);
	if (!rc)
		rc = tf_verify(r->reader, see_problem, r, &found, err);
	if (rc)
		return rc;
	see_gaps(r);
	see_tail(r);
	return 0;
}

static int order_places(struct recovery *r, struct err *err)
{
	if (r->failed || buf_failed(&r->texts))
		return err_nomem(err);
	if (r->n)
		qsort(r->places, r->n, sizeof(*r->places), by_offset);
	return 0;
}

static void put_lost(const struct recovery *r, struct buf *to)
{
	if (!r->feed.missing && !r->feed.missing_definitions)
		return;
	buf_printf(to, "at least %" PRIu64 " rows of events and %" PRIu64
		   " definitions are missing", r->feed.missing,
		   r->feed.missing_definitions);
}

/* Of places that tell of no rows: which bytes. */
static void put_unknown(const struct recovery *r, struct buf *to)
{
	uint64_t first = 0, last = 0;
	size_t n = 0;

	for (size_t i = 0; i < r->n; i++) {
		if (r->places[i].counted)
			continue;
		first = n++ ? first : r->places[i].offset;
		last = r->places[i].offset + r->places[i].size - 1;
	}
	if (n)
		buf_printf(to, "what was in %zu damaged place%s, bytes %"
			   PRIu64 " to %" PRIu64 ", is not known", n,
			   n == 1 ? "" : "s", first, last);
}

static bool is_endless(const struct recovery *r)
{
	return tf_reader_ending(r->reader) == TF_UNCLOSED ||
	       tf_reader_ending(r->reader) == TF_CUT;
}

static void put_endless(const struct recovery *r, struct buf *to)
{
	if (is_endless(r))
		buf_printf(to, "the file has no end: what was to come behind "
			   "byte %" PRIu64 " is not known",
			   tf_reader_size(r->reader));
}

static void (*const put_losses[])(const struct recovery *r, struct buf *to) = {
	put_lost, put_unknown, put_endless
};

/* For reports, which print all notes. */
static void put_note(const struct recovery *r, struct buf *to)
{
	buf_printf(to, "recovered: the trace was %s",
		   an_ending_word(r->reader));
	if (r->n)
		buf_printf(to, " and damaged in %zu place%s of %" PRIu64
			   " bytes", r->n, r->n == 1 ? "" : "s", r->bytes);
	for (size_t i = 0; i < ARRAY_LEN(put_losses); i++) {
		size_t at = to->n;

		buf_put(to, "; ", 2);
		put_losses[i](r, to);
		if (to->n == at + 2)
			to->n = at;
	}
}

static void put_places(const struct recovery *r, struct buf *to)
{
	for (size_t i = 0; i < r->n && i < MAX_TOLD; i++)
		buf_printf(to, "%s%" PRIu64 "+%" PRIu64, i ? " " : "",
			   r->places[i].offset, r->places[i].size);
	if (!r->n)
		buf_printf(to, "nothing was damaged");
	else if (r->n > MAX_TOLD)
		buf_printf(to, " and %zu more", r->n - MAX_TOLD);
}

static int add_fact(struct recovery *r, const char *key,
		    void (*put)(const struct recovery *r, struct buf *to),
		    struct err *err)
{
	struct buf text;
	int rc;

	buf_init(&text, 0);
	put(r, &text);
	rc = an_rewrite_text(r->job.to, key, &text, err);
	buf_fini(&text);
	return rc;
}

static int copy(struct recovery *r, const char *output, struct err *err)
{
	struct an_rewrite_options o = {
		.start_unix_ns = tf_reader_header(r->reader)->start_unix_ns,
	};
	int rc;

	r->feed.reader = r->reader;
	r->feed.name = r->path;
	r->feed.damage = see_damage;
	r->feed.uncounted = see_uncounted;
	r->feed.ctx = r;
	rc = an_job_copy(&r->job, r->env, output, &r->feed, &o, err);
	if (!rc)
		rc = order_places(r, err);
	if (!rc)
		rc = add_fact(r, "recovered", put_places, err);
	if (!rc)
		rc = add_fact(r, "note.recovered", put_note, err);
	return rc ? rc : an_job_keep(&r->job, err);
}

static void print_path(const struct recovery *r, FILE *to)
{
	an_clean_print(to, span_of(r->path, strlen(r->path)));
	fputs(": ", to);
}

static void print_places(const struct recovery *r, FILE *to)
{
	for (size_t i = 0; i < r->n && i < MAX_SHOWN; i++) {
		const char *why = (const char *)r->texts.p + r->places[i].why;

		print_path(r, to);
		fprintf(to, "damaged: %" PRIu64 " bytes at offset %" PRIu64
			": ", r->places[i].size, r->places[i].offset);
		an_clean_print(to, span_of(why, strlen(why)));
		fputc('\n', to);
	}
	if (r->n > MAX_SHOWN) {
		print_path(r, to);
		fprintf(to, "and %zu more damaged places\n",
			r->n - MAX_SHOWN);
	}
}

static void print_lost(const struct recovery *r, FILE *to)
{
	struct buf text;
	bool any = false;

	buf_init(&text, 0);
	for (size_t i = 0; i < ARRAY_LEN(put_losses); i++) {
		buf_clear(&text);
		put_losses[i](r, &text);
		any = any || text.n || buf_failed(&text);
		if (!text.n)
			continue;
		print_path(r, to);
		fprintf(to, "%.*s\n", (int)text.n,
			(const char *)text.p);
	}
	buf_fini(&text);
	if (any && !r->feed.nameless)
		return;
	print_path(r, to);
	if (any)
		fprintf(to, "%" PRIu64 " references to what is missing "
			"show [lost]\n", r->feed.nameless);
	else
		fputs("nothing is missing\n", to);
}

static void tell(const struct recovery *r)
{
	FILE *to = an_job_talk(&r->job, r->env);
	char ending[AN_ENDING_TEXT];

	an_ending_text(ending, r->reader);
	print_path(r, to);
	fprintf(to, "%s\n", ending);
	print_places(r, to);
	print_path(r, to);
	fprintf(to, "kept: %" PRIu64 " rows of events, %" PRIu64
		" definitions\n", r->feed.rows, r->feed.definitions);
	print_lost(r, to);
}

static int recover_run(struct an_env *env, const void *args, struct err *err)
{
	const struct recover_args *a = args;
	struct recovery r = { .env = env, .path = env->path };
	int rc;

	if (env->n_paths > 1)
		return err_set(err, ERR_USAGE, "'%s' is one operand too many "
			       "(see: analyze recover --help)", env->paths[1]);
	if (!a->output)
		return err_set(err, ERR_USAGE,
			       "where does it go? (try: -o FILE)");
	buf_init(&r.texts, 0);
	rc = look(&r, err);
	if (!rc)
		rc = copy(&r, a->output, err);
	if (!rc)
		tell(&r);
	an_job_fini(&r.job);
	an_feed_fini(&r.feed);
	tf_reader_free(r.reader);
	tf_source_close(r.source);
	buf_fini(&r.texts);
	free(r.places);
	return rc ? rc : AN_EXIT_DONE;
}

const struct an_command an_cmd_recover = {
	.name = "recover",
	.summary = "what is sound of a damaged or unclosed trace, as a new one",
	.operands = "-o FILE [FILE]",
	.opts = opts,
	.args_size = sizeof(struct recover_args),
	.needs = AN_RAW_FILES,
	.run = recover_run,
};
