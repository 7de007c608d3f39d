/* Every command over traces whose bytes are sound and whose rows are anything:
 * references to nowhere, stacks that are their own callers, ids with holes. The
 * input is a list of rows; an input that begins with the magic of a trace is
 * taken as it stands. */
#include "analyze/command.h"
#include "analyze/samples.h"
#include "analyze/trace.h"
#include "format/base/mem.h"
#include "format/base/varint.h"
#include "format/catalog.h"
#include "format/writer.h"
#include "tests/support/rewritten.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define MAX_ROWS 512u
#define MAX_BYTES 64u

enum step { STEP_FLUSH = 0, STEP_EPOCH = 1, STEP_HOLE = 2, STEP_ROWS = 3 };

/* The table of a tracepoint; what it is called is as good as any. */
#define SAMPLE(n, text, kind, table)                                           \
	{ .id = n, .name = text, .type = kind, .unit = "",                     \
	  .ref_table = table, .privacy = TF_PRIVACY_NUMBER }
static const struct tf_column point_columns[] = {
	{ .id = 0, .name = "time", .type = TF_U64, .unit = "ns",
	  .role = TF_ROLE_TIME, .privacy = TF_PRIVACY_NUMBER },
	SAMPLE(1, "cpu", TF_U64, 0),
	SAMPLE(2, "thread", TF_REF, TF_TABLE_THREAD),
	SAMPLE(3, "event", TF_REF, TF_TABLE_EVENT),
	SAMPLE(4, "period", TF_U64, 0),
	SAMPLE(5, "ip", TF_REF, TF_TABLE_FRAME),
	SAMPLE(6, "kstack", TF_REF, TF_TABLE_STACK),
	SAMPLE(7, "ustack", TF_REF, TF_TABLE_STACK),
	SAMPLE(8, "flags", TF_U64, 0),
	SAMPLE(9, "common_flags", TF_U64, 0),
	SAMPLE(10, "common_preempt_count", TF_U64, 0),
	SAMPLE(16, "id", TF_U64, 0),
	SAMPLE(17, "args[0]", TF_U64, 0),
	SAMPLE(18, "text", TF_REF, TF_TABLE_STRING),
	{ .id = 19, .name = "raw", .type = TF_BYTES, .unit = "",
	  .role = TF_ROLE_BLOB, .privacy = TF_PRIVACY_CONTENT },
};
static const struct tf_table point = {
	.id = TF_TABLE_DYNAMIC,
	.name = "fuzz:point",
	.kind = TF_KIND_EVENT,
	.columns = point_columns,
	.n_columns = ARRAY_LEN(point_columns),
};

struct recipe {
	struct span in;
	struct tf_writer *w;
	struct tf_builder **builders; /* by position in the catalog, and one
				       * of the tracepoint */
	size_t n;
	uint32_t epoch;
};

static uint64_t number(struct recipe *r)
{
	uint64_t v = 0;
	uint8_t byte = 0;

	/* Small ones are ids, the others are any. */
	if (!span_u8(&r->in, &byte) || byte < 0xf0)
		return byte;
	if (!span_u64(&r->in, &v))
		(void)span_varint(&r->in, &v);
	return v;
}

static void cell(struct recipe *r, struct tf_builder *b, unsigned column)
{
	const struct tf_column *c = &b->table->columns[column];
	struct span bytes = { NULL, 0 };
	uint64_t v = number(r);

	if (c->type != TF_BYTES) {
		tf_builder_set(b, column, c->type == TF_BOOL ? v & 1 : v);
		return;
	}
	v %= MAX_BYTES;
	if (!span_take(&r->in, (size_t)v, &bytes))
		bytes = span_of("", 0);
	tf_builder_bytes(b, column, bytes.p, bytes.n);
}

static void row(struct recipe *r, struct tf_builder *b)
{
	if (b->rows == MAX_ROWS)
		return;
	for (unsigned i = 0; i < b->table->n_columns; i++)
		if (!b->table->columns[i].list)
			cell(r, b, i);
	(void)tf_builder_commit(b);
}

static int flush(struct recipe *r)
{
	int rc = tf_writer_data(r->w, r->epoch, r->builders, r->n,
				NULL);

	for (size_t i = 0; i < r->n; i++)
		tf_builder_clear(r->builders[i]);
	return rc;
}

/* Rows of a table that are counted and then thrown away with their chunk are
 * what damage leaves: the chunk is made unreadable afterwards. */
static void follow(struct recipe *r, struct buf *bytes)
{
	uint8_t step;

	while (span_u8(&r->in, &step)) {
		size_t before = bytes->n;
		uint8_t table = 0, n = 0;

		switch (step % 8) {
		case STEP_FLUSH:
			(void)flush(r);
			break;
		case STEP_EPOCH:
			(void)flush(r);
			r->epoch = (r->epoch + step / 8 + 1) % 8;
			break;
		case STEP_HOLE:
			if (!flush(r) && bytes->n > before + 80)
				bytes->p[bytes->n - 1 - step / 8] ^= 0x55;
			break;
		default:
			(void)span_u8(&r->in, &table);
			(void)span_u8(&r->in, &n);
			for (int i = 0; i <= n % 16; i++)
				row(r, r->builders[table % r->n]);
		}
	}
	(void)flush(r);
}

static bool make_builders(struct recipe *r)
{
	r->n = tf_catalog_size + 1;
	r->builders = calloc(r->n, sizeof(struct tf_builder *));
	for (size_t i = 0; r->builders && i < r->n; i++)
		if (tf_builder_new(&r->builders[i],
				   i < tf_catalog_size ? tf_catalog[i] : &point,
				   MAX_ROWS, NULL))
			return false;
	return r->builders != NULL;
}

static void build(struct recipe *r, struct buf *bytes)
{
	static const struct tf_file_info info = { .file_id = { 7 } };
	struct tf_sink *sink = NULL;

	if (tf_sink_memory(&sink, bytes, NULL))
		return;
	if (make_builders(r) && !tf_writer_new(&r->w, sink, &info, NULL) &&
	    !tf_writer_add_tables(r->w, &(const struct tf_table *){ &point }, 1,
				  NULL)) {
		follow(r, bytes);
		(void)tf_writer_end(r->w, NULL);
	}
	tf_writer_free(r->w);
	for (size_t i = 0; r->builders && i < r->n; i++)
		tf_builder_free(r->builders[i]);
	free(r->builders);
	(void)tf_sink_close(sink, NULL);
}

static void run_all(struct an_trace *t, const struct log *log)
{
	_Alignas(max_align_t) char args[4096];
	struct err err;

	for (size_t i = 0; an_commands[i]; i++) {
		const struct an_command *cmd = an_commands[i];
		struct an_env env = { .log = log, .out = log->to, .path = "-",
				      .trace = t };

		/* Those that write files would fill the disk. */
		if (cmd->needs != AN_ONE_TRACE ||
		    strcmp(cmd->name, "flamegraph") == 0 ||
		    strcmp(cmd->name, "timeline") == 0)
			continue;
		memset(args, 0, sizeof(args));
		err = (struct err){ 0 };
		if (cmd->defaults)
			cmd->defaults(args);
		if (cmd->run(&env, args, &err) < 0 && !err.text[0])
			abort();
	}
}

static void walk(struct an_trace *t, const struct an_selection_args *args)
{
	struct an_selection sel;
	struct an_samples *s;
	const struct an_batch *b;

	if (an_selection_make(&sel, args, t, NULL))
		return;
	if (!an_samples_new(&s, t, &sel, AN_S_ALL, NULL)) {
		while (!an_samples_next(s, &b, NULL))
			;
		an_samples_free(s);
	}
	an_selection_fini(&sel);
}

/* Each kind of selection by itself, with words that name what there is. */
static void select_all(struct an_trace *t)
{
	static const struct {
		size_t field;
		const char *word;
	} kinds[] = {
		{ offsetof(struct an_selection_args, comm), "*" },
		{ offsetof(struct an_selection_args, pid), "0" },
		{ offsetof(struct an_selection_args, cgroup), "/*" },
		{ offsetof(struct an_selection_args, cpu), "0-3,9" },
		{ offsetof(struct an_selection_args, event), "*?" },
		{ offsetof(struct an_selection_args, image), "*" },
		{ offsetof(struct an_selection_args, symbol), "*a*" },
		{ offsetof(struct an_selection_args, through), "*" },
	};
	struct an_selection_args by_mark = { .time = "10%,mark:" };

	for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
		const char *word = kinds[i].word;
		struct an_selection_args args = { .time = "1%,99%" };

		*(struct opt_list *)(void *)((char *)&args + kinds[i].field) =
			(struct opt_list){ .items = &word, .n = 1 };
		walk(t, &args);
	}
	walk(t, &by_mark);
}

/* A new trace out of the rows of any is sound. */
static void rewrite_all(struct an_trace *t)
{
	static const struct an_selection_args all = { .time = NULL };
	struct an_feed two[] = {
		{ .reader = an_trace_reader(t), .name = "a", .source = 1 },
		{ .reader = an_trace_reader(t), .name = "b", .source = 2,
		  .apart = 1, .shift = 1000 },
	};
	struct buf made;

	buf_init(&made, 0);
	rewritten_or_abort(t);
	rewritten_sound(&made, rewritten_cut(&made, t, &all, NULL));
	rewritten_sound(&made, rewritten_feeds(&made, two, ARRAY_LEN(two), true,
					       NULL));
	buf_fini(&made);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct recipe r = { .in = span_of(data, size) };
	struct log log = { .to = fopen("/dev/null", "we"), .prog = "fuzz" };
	struct tf_source *source;
	struct an_trace *t = NULL;
	struct err err = { 0 };
	struct buf bytes;

	if (!log.to)
		return 0;
	buf_init(&bytes, 0);
	if (size > TF_MAGIC_SIZE && !memcmp(data, TF_MAGIC, TF_MAGIC_SIZE))
		buf_put(&bytes, data, size);
	else
		build(&r, &bytes);
	if (!tf_source_memory(&source, span_of(bytes.p, bytes.n), NULL) &&
	    !an_trace_from(&t, source, &log, &err)) {
		run_all(t, &log);
		select_all(t);
		rewrite_all(t);
	}
	an_trace_close(t);
	buf_fini(&bytes);
	fclose(log.to);
	return 0;
}
