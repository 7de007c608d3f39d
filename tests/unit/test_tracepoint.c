#include "record/tracepoint/field.h"
#include "record/tracepoint/payload.h"

#include "format/base/mem.h"
#include "format/catalog.h"
#include "tests/support/failalloc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* As tracefs shows them; the layout of `odd` is made up, one field a kind. */
#define COMMON                                                                 \
	"format:\n"                                                            \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n" \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n" \
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;"      \
	"\tsigned:0;\n"                                                        \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"

static const char odd[] =
	"name: odd\nID: 77\n" COMMON
	"\tfield:char comm[8];\toffset:8;\tsize:8;\tsigned:0;\n"
	"\tfield:__data_loc char[] path;\toffset:16;\tsize:4;\tsigned:0;\n"
	"\tfield:__rel_loc char[] rel;\toffset:20;\tsize:4;\tsigned:0;\n"
	"\tfield:short small;\toffset:24;\tsize:2;\tsigned:1;\n"
	"\tfield:u8 byte;\toffset:26;\tsize:1;\tsigned:0;\n"
	"\tfield:unsigned int bits:3;\toffset:28;\tsize:4;\tsigned:0;\n"
	"\tfield:void * where;\toffset:32;\tsize:8;\tsigned:0;\n"
	"\tfield:u32 pair[2];\toffset:40;\tsize:8;\tsigned:0;\n"
	"\tfield:__u8 addr[4];\toffset:48;\tsize:4;\tsigned:0;\n"
	"\tfield:__data_loc u32[] list;\toffset:52;\tsize:4;\tsigned:0;\n"
	"\tfield:__data_loc u8[] blob;\toffset:56;\tsize:4;\tsigned:0;\n"
	"\tfield:unsigned long rest[];\toffset:60;\tsize:0;\tsigned:0;\n"
	"\n"
	"print fmt: \"%d, %%p %ps %s\", REC->small, REC->where, REC->comm\n";

/* The same event as the kernel would write it on a little-endian machine. */
static const uint8_t record[] = {
	77, 0, 5, 2, 9, 0, 0, 0,	/* type, flags, preempt count, pid */
	'a', 'b', 'c', 0, 'x', 'x', 'x', 'x',
	60, 0, 4, 0,			/* path: 4 bytes at 60 */
	40, 0, 3, 0,			/* rel: 3 bytes, 40 behind its word */
	0xfe, 0xff, 200, 0,		/* small: -2; byte */
	5, 0, 0, 0,			/* bits */
	0x10, 0, 0, 0, 0, 0, 0, 0,	/* where */
	1, 0, 0, 0, 2, 0, 0, 0,		/* pair */
	127, 0, 0, 1,			/* addr */
	68, 0, 8, 0,			/* list: 8 bytes at 68 */
	76, 0, 2, 0,			/* blob: 2 bytes at 76 */
	'/', 'e', 't', 0,		/* at 60 */
	'r', 'l', 0, 0,			/* at 64 */
	7, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, /* at 68 */
	0xaa, 0xbb,			/* at 76 */
};

static struct span text(const char *s)
{
	return span_of(s, strlen(s));
}

static struct rec_tracepoint *parse(const char *format)
{
	struct rec_tracepoint *t = NULL;
	struct err err;

	if (rec_tracepoint_new(&t, "sys", "odd", text(format), 300, &err))
		fail_msg("%s", err.text);
	return t;
}

static void check(const struct rec_tracepoint *t, const char *name,
		  enum tf_type type, bool list, enum tf_privacy privacy)
{
	int at = tf_table_column(&t->table, name);

	if (at < 0)
		fail_msg("no column '%s'", name);
	assert_int_equal(t->columns[at].type, type);
	assert_int_equal(t->columns[at].list, list);
	assert_int_equal(t->columns[at].privacy, privacy);
}

static void each_kind_of_field_becomes_its_kind_of_column(void **state)
{
	struct rec_tracepoint *t = parse(odd);

	(void)state;
	assert_int_equal(t->id, 77);
	assert_string_equal(t->table.name, "sys:odd");
	assert_int_equal(t->table.id, 300);
	assert_int_equal(t->table.kind, TF_KIND_EVENT);
	assert_int_equal(tf_table_column(&t->table, "time"), TF_SAMPLE_TIME);
	assert_int_equal(tf_table_column(&t->table, "common_flags"),
			 TF_PAYLOAD_FLAGS);
	assert_int_equal(tf_table_column(&t->table, "common_pid"), -1);
	assert_int_equal(tf_table_column(&t->table, "comm"),
			 TF_PAYLOAD_POSITION);
	assert_int_equal(t->columns[TF_PAYLOAD_POSITION].id, TF_PAYLOAD_FIRST);
	check(t, "comm", TF_REF, false, TF_PRIVACY_NAME);
	check(t, "path", TF_REF, false, TF_PRIVACY_PATH);
	check(t, "rel", TF_REF, false, TF_PRIVACY_CONTENT);
	check(t, "small", TF_I64, false, TF_PRIVACY_NUMBER);
	check(t, "byte", TF_U64, false, TF_PRIVACY_NUMBER);
	check(t, "bits", TF_U64, false, TF_PRIVACY_NUMBER);
	check(t, "where", TF_U64, false, TF_PRIVACY_ADDRESS);
	check(t, "pair[0]", TF_U64, false, TF_PRIVACY_NUMBER);
	check(t, "pair[1]", TF_U64, false, TF_PRIVACY_NUMBER);
	check(t, "addr", TF_BYTES, false, TF_PRIVACY_CONTENT);
	check(t, "list", TF_U64, true, TF_PRIVACY_NUMBER);
	check(t, "blob", TF_BYTES, false, TF_PRIVACY_CONTENT);
	assert_int_equal(tf_table_column(&t->table, "rest"), -1);
	rec_tracepoint_free(t);
}

static void only_what_is_printed_as_a_name_is_a_function(void **state)
{
	const struct span print = text(
		"\"%d a,b %pS %*d %%ps %s %p\", REC->a, (void *)REC->ip, "
		"REC->w, REC->b, __print_symbolic(REC->c, {1, \"x,\"}), "
		"REC->ip2");

	(void)state;
	assert_true(rec_field_is_code(print, text("ip")));
	assert_false(rec_field_is_code(print, text("a")));
	assert_false(rec_field_is_code(print, text("c")));
	assert_false(rec_field_is_code(print, text("ip2")));
	assert_false(rec_field_is_code(print, text("i")));
}

struct fixture {
	struct buf file;
	struct tf_sink *memory;
	struct rec_sink *sink;
	struct rec_images images;
	struct rec_defs defs;
	struct rec_payload payload;
	struct tf_builder *row;
};

static void begin(struct fixture *f, const struct rec_tracepoint *t)
{
	static const struct tf_file_info info = { .start_unix_ns = 1 };

	*f = (struct fixture){ 0 };
	buf_init(&f->file, 0);
	assert_int_equal(tf_sink_memory(&f->memory, &f->file, NULL), 0);
	assert_int_equal(rec_sink_new(&f->sink, f->memory, &info, NULL), 0);
	assert_int_equal(rec_images_init(&f->images, NULL), 0);
	assert_int_equal(rec_defs_init(&f->defs, f->sink, &f->images, "", 1, 0,
				       NULL), 0);
	f->payload.defs = &f->defs;
	assert_int_equal(tf_builder_new(&f->row, &t->table, 4, NULL), 0);
}

static void end(struct fixture *f)
{
	tf_builder_free(f->row);
	rec_defs_fini(&f->defs);
	rec_images_fini(&f->images);
	rec_sink_free(f->sink);
	tf_sink_close(f->memory, NULL);
	buf_fini(&f->file);
}

static uint64_t value(const struct fixture *f, const char *column)
{
	int at = tf_table_column(f->row->table, column);

	assert_true(at >= 0);
	return f->row->columns[at].v[0];
}

static void put(struct fixture *f, struct rec_tracepoint *t, struct span raw)
{
	for (size_t i = 0; i < t->n; i++)
		t->fields[i].is_code = false; /* there are no stacks here */
	for (unsigned i = 0; i < TF_PAYLOAD_POSITION; i++)
		tf_builder_set(f->row, i, 0);
	rec_payload_set(&f->payload, t, raw, f->row);
	assert_true(tf_builder_commit(f->row));
}

static void a_record_becomes_a_row(void **state)
{
	struct rec_tracepoint *t = parse(odd);
	const struct tf_builder_column *c;
	struct fixture f;

	(void)state;
	begin(&f, t);
	put(&f, t, span_of(record, sizeof(record)));
	assert_int_equal(value(&f, "common_flags"), 5);
	assert_int_equal(value(&f, "common_preempt_count"), 2);
	assert_int_equal(value(&f, "comm"), rec_defs_string(&f.defs, "abc", 3));
	assert_int_equal(value(&f, "path"), rec_defs_string(&f.defs, "/et", 3));
	assert_int_equal(value(&f, "rel"), rec_defs_string(&f.defs, "rl", 2));
	assert_true(value(&f, "small") == (uint64_t)-2);
	assert_int_equal(value(&f, "byte"), 200);
	assert_int_equal(value(&f, "bits"), 5);
	assert_int_equal(value(&f, "where"), 16);
	assert_int_equal(value(&f, "pair[0]"), 1);
	assert_int_equal(value(&f, "pair[1]"), 2);
	assert_int_equal(value(&f, "addr"), 4);
	c = &f.row->columns[tf_table_column(&t->table, "addr")];
	assert_memory_equal(c->bytes.p, "\x7f\0\0\1", 4);
	assert_int_equal(value(&f, "list"), 2);
	c = &f.row->columns[tf_table_column(&t->table, "list")];
	assert_int_equal(c->items[0], 7);
	assert_true(c->items[1] == 0xffffffff);
	assert_int_equal(value(&f, "blob"), 2);
	assert_int_equal(f.payload.cut, 0);
	end(&f);
	rec_tracepoint_free(t);
}

static void names_of_threads_end_at_their_zero(void **state)
{
	static const char two[] =
		"name: odd\nID: 5\n" COMMON
		"\tfield:char prev[16];\toffset:8;\tsize:16;\tsigned:0;\n"
		"\tfield:char next[16];\toffset:24;\tsize:16;\tsigned:0;\n";
	uint8_t raw[40] = { 5 };
	struct rec_tracepoint *t = parse(two);
	struct fixture f;

	(void)state;
	begin(&f, t);
	/* The same name with something else behind it, and one of 16 bytes. */
	memcpy(raw + 8, "worker\0AAAAAAAAA", 16);
	memcpy(raw + 24, "worker\0\0BBBBBBBB", 16);
	put(&f, t, span_of(raw, sizeof(raw)));
	assert_int_equal(value(&f, "prev"), rec_defs_string(&f.defs, "worker",
							    6));
	assert_int_equal(value(&f, "next"), value(&f, "prev"));
	memcpy(raw + 8, "worker\0AAAAAAAAA", 16);
	memcpy(raw + 24, "0123456789abcdef", 16);
	f.row->rows = 0;
	put(&f, t, span_of(raw, sizeof(raw)));
	assert_int_equal(value(&f, "prev"), rec_defs_string(&f.defs, "worker",
							    6));
	assert_int_equal(value(&f, "next"),
			 rec_defs_string(&f.defs, "0123456789abcdef", 16));
	end(&f);
	rec_tracepoint_free(t);
}

/* AddressSanitizer watches: each prefix lies at the end of its own memory. */
static void a_record_cut_anywhere_is_read_no_further(void **state)
{
	struct rec_tracepoint *t = parse(odd);

	(void)state;
	for (size_t n = 0; n < sizeof(record); n++) {
		uint8_t *copy = malloc(n + 1);
		struct fixture f;

		assert_non_null(copy);
		memcpy(copy + 1, record, n);
		begin(&f, t);
		put(&f, t, span_of(copy + 1, n));
		assert_true(f.payload.cut > 0);
		end(&f);
		free(copy);
	}
	rec_tracepoint_free(t);
}

static void what_is_no_format_is_refused(void **state)
{
	static const char *const bad[] = {
		"", "name: x\n", "ID: 3\nformat:\n",
		"name: x\n" COMMON,
		"ID: 3\n" COMMON "\tfield:int a;\toffset:70000;\tsize:4;\n",
	};
	struct rec_tracepoint *t = NULL;
	struct err err;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		assert_int_equal(rec_tracepoint_new(&t, "s", "n", text(bad[i]),
						    256, &err), ERR_FORMAT);
		assert_non_null(strstr(err.text, "s:n"));
	}
}

static void no_memory_is_said(void **state)
{
	struct rec_tracepoint *t = NULL;
	struct err err;
	int rc = ERR_NOMEM;

	(void)state;
	for (long n = 1; rc == ERR_NOMEM; n++) {
		failalloc_at(n);
		rc = rec_tracepoint_new(&t, "s", "n", text(odd), 256, &err);
		failalloc_off();
		assert_true(n < 1000);
	}
	assert_int_equal(rc, 0);
	rec_tracepoint_free(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_kind_of_field_becomes_its_kind_of_column),
		cmocka_unit_test(only_what_is_printed_as_a_name_is_a_function),
		cmocka_unit_test(a_record_becomes_a_row),
		cmocka_unit_test(names_of_threads_end_at_their_zero),
		cmocka_unit_test(a_record_cut_anywhere_is_read_no_further),
		cmocka_unit_test(what_is_no_format_is_refused),
		cmocka_unit_test(no_memory_is_said),
	};

	return cmocka_run_group_tests_name("tracepoint", tests, NULL, NULL);
}
