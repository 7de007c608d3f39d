/* Format files of tracepoints that are anything, and rows behind them: printed
 * as text and as JSON. The first bytes are the numbers of the row, the others
 * the format. What is read or written beside a record is seen only where the
 * library's own calls into libc are watched; a crash always is. */
#include "analyze/tracepoint/payload.h"

#include "analyze/samples.h"
#include "format/base/mem.h"
#include "tests/support/tracepoints.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The library forgets some of what it has read when it gives a format up. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
	return "leak:libtraceevent";
}

static const struct tp_field fields[] = {
	{ "a", TF_U64, false },	     { "b", TF_I64, false },
	{ "text", TF_REF, false },   { "raw", TF_BYTES, false },
	{ "list", TF_U64, true },    { "pair[0]", TF_U64, false },
	{ "pair[1]", TF_U64, false }, { "p", TF_U64, false },
};
static const struct tp_thread threads[] = { { 10, 10, "cat" } };
static const struct tp_symbol symbols[] = { { "f", 0x100, 0x100 } };
static const struct tp_fact facts[] = {
	{ "kernel_text", "0x1000" },
	{ "printk_formats", "0x2000 : \"one\"\n0x2010 : \"two\"\n" },
};

static void print(struct an_trace *t, const struct an_batch *b,
		  struct an_payloads *p, FILE *to)
{
	struct buf record;
	struct span text;
	struct json j;

	buf_init(&record, 0);
	for (size_t i = 0; i < b->n; i++) {
		buf_clear(&record);
		if (an_payload_record(p, b->event[i], b->view, b->row[i], 10,
				      &record, NULL))
			break;
		if (an_payload_text(p, b->event[i],
				    span_of(record.p, record.n), &text, NULL))
			break;
		fwrite(text.p, 1, text.n, to);
		json_init(&j, to);
		json_object(&j, NULL);
		(void)an_payload_json(p, b->event[i],
				      span_of(record.p, record.n), &j, NULL);
		json_end_object(&j);
	}
	buf_fini(&record);
	(void)t;
}

static void walk(struct an_trace *t, FILE *to)
{
	struct an_payloads *p = NULL;
	struct an_samples *s = NULL;
	const struct an_batch *b;

	if (!an_payloads_new(&p, t, NULL) &&
	    !an_samples_new(&s, t, NULL, AN_S_EVENT | AN_S_PAYLOAD, NULL))
		while (an_samples_next(s, &b, NULL) == 0)
			print(t, b, p, to);
	an_samples_free(s);
	an_payloads_free(p);
}

static uint64_t number(struct span *in)
{
	uint64_t v = 0;
	uint8_t byte = 0;

	if (span_u8(in, &byte) && byte >= 0xf0)
		(void)span_u64(in, &v);
	return v ? v : byte;
}

static int build(struct span in, struct buf *out)
{
	uint64_t list[] = { number(&in), number(&in) };
	uint64_t a = number(&in), b = number(&in), c = number(&in),
		 d = number(&in), ptr = number(&in);
	char *format = strndup((const char *)in.p, in.n);
	struct tp_value values[] = {
		{ .v = a }, { .v = b }, { .text = "text" },
		{ .text = "\1\2\3\4\5", .n = 5 }, { .items = list, .n = 2 },
		{ .v = c }, { .v = d }, { .v = ptr },
	};
	struct tp_tracepoint points[] = {
		{ "fuzz", "one", 300, format, fields, ARRAY_LEN(fields) },
		{ "syscalls", "sys_enter_one", 301, format, NULL, 0 },
	};
	const struct tp_event events[] = {
		{ "fuzz:one", 0, 0, 0, 0 }, { "fuzz:key", 1, 0, 1, 0 },
	};
	const struct tp_row rows[] = { { 1000, 0, 0, 0, values, 0 },
				       { 2000, 0, 0, 1, values, 0 } };
	const struct tp_trace t = {
		.tracepoints = points, .n_tracepoints = 2,
		.events = events, .n_events = 2,
		.threads = threads, .n_threads = 1,
		.symbols = symbols, .n_symbols = 1,
		.facts = facts, .n_facts = ARRAY_LEN(facts),
		.rows = rows, .n_rows = 2,
	};
	int rc = format ? tp_build(&t, out, NULL) : -1;

	free(format);
	return rc;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	FILE *null = fopen("/dev/null", "we");
	struct tf_source *source;
	struct an_trace *t = NULL;
	struct buf bytes;

	buf_init(&bytes, 0);
	if (null && size && !build(span_of(data, size), &bytes) &&
	    !tf_source_memory(&source, span_of(bytes.p, bytes.n), NULL) &&
	    !an_trace_from(&t, source, NULL, NULL))
		walk(t, null);
	an_trace_close(t);
	buf_fini(&bytes);
	if (null)
		fclose(null);
	return 0;
}
