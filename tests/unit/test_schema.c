#include "format/base/mem.h"
#include "format/catalog.h"
#include "format/schema.h"
#include "tests/support/failalloc.h"
#include "tests/support/mutate.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct tf_column two_columns[] = {
	{ .id = 1, .name = "time", .type = TF_U64, .unit = "ns",
	  .role = TF_ROLE_TIME, .privacy = TF_PRIVACY_NUMBER },
	{ .id = 5, .name = "ips", .type = TF_REF, .list = true, .unit = "",
	  .ref_table = 7, .role = TF_ROLE_ID, .privacy = TF_PRIVACY_ADDRESS },
};
static const struct tf_table two = {
	.id = 300, .name = "a:b", .kind = TF_KIND_EVENT,
	.columns = two_columns, .n_columns = 2,
};
static const struct tf_table *const just_two[] = { &two };

/* By hand from the rules of the format. */
static const char two_bytes[] =
	"\x23"
	"\xac\x02" "\x03" "a:b" "\x02" "\x02"
	"\x0e" "\x01" "\x04" "time" "\x01" "\x00" "\x02" "ns" "\x00" "\x01"
	"\x01"
	"\x0b" "\x05" "\x03" "ips" "\x06" "\x01" "\x00" "\x07" "\x02" "\x05";

static void a_table_has_its_known_bytes(void **state)
{
	struct buf b;

	(void)state;
	buf_init(&b, 0);
	tf_schema_put(&b, just_two, 1);
	assert_int_equal(b.n, sizeof(two_bytes) - 1);
	assert_memory_equal(b.p, two_bytes, b.n);
	buf_fini(&b);
}

static void same_column(const struct tf_column *a, const struct tf_column *b)
{
	assert_int_equal(a->key, b->key);
	assert_int_equal(a->second, b->second);
	assert_int_equal(a->link, b->link);
	assert_int_equal(a->id, b->id);
	assert_string_equal(a->name, b->name);
	assert_int_equal(a->type, b->type);
	assert_int_equal(a->list, b->list);
	assert_string_equal(a->unit, b->unit);
	assert_int_equal(a->ref_table, b->ref_table);
	assert_int_equal(a->role, b->role);
	assert_int_equal(a->privacy, b->privacy);
}

static void same_table(const struct tf_table *a, const struct tf_table *b)
{
	assert_int_equal(a->id, b->id);
	assert_string_equal(a->name, b->name);
	assert_int_equal(a->kind, b->kind);
	assert_int_equal(a->n_columns, b->n_columns);
	for (uint32_t i = 0; i < a->n_columns; i++)
		same_column(&a->columns[i], &b->columns[i]);
}

static int take(struct tf_schema *s, const char *bytes, size_t n,
		struct err *err)
{
	return tf_schema_take(s, span_of(bytes, n), err);
}

static void what_was_put_is_taken(void **state)
{
	struct tf_schema s = { 0 };
	struct err err;

	(void)state;
	assert_int_equal(take(&s, two_bytes, sizeof(two_bytes) - 1, &err), 0);
	assert_int_equal(s.n, 1);
	same_table(tf_schema_by_id(&s, 300), &two);
	same_table(tf_schema_by_name(&s, "a:b"), &two);
	assert_null(tf_schema_by_id(&s, 301));
	assert_null(tf_schema_by_name(&s, "a"));
	assert_int_equal(tf_table_column(&two, "ips"), 1);
	assert_int_equal(tf_table_column(&two, "ip"), -1);
	tf_schema_fini(&s);
}

static void the_whole_catalog_comes_back(void **state)
{
	struct tf_schema s = { 0 };
	struct err err;
	struct buf b;

	(void)state;
	buf_init(&b, 0);
	tf_schema_put(&b, tf_catalog, tf_catalog_size);
	assert_int_equal(tf_schema_take(&s, span_of(b.p, b.n), &err), 0);
	/* Again: it says the same. */
	assert_int_equal(tf_schema_take(&s, span_of(b.p, b.n), &err), 0);
	assert_int_equal(s.n, tf_catalog_size);
	for (size_t i = 0; i < s.n; i++) {
		same_table(s.tables[i], tf_catalog_table(s.tables[i]->id));
		assert_true(!i || s.tables[i - 1]->id < s.tables[i]->id);
	}
	buf_fini(&b);
	tf_schema_fini(&s);
}

static void positions_in_the_catalog_are_ids(void **state)
{
	(void)state;
	assert_null(tf_catalog[tf_catalog_size]);
	for (size_t i = 0; i < tf_catalog_size; i++) {
		const struct tf_table *t = tf_catalog[i];

		assert_true(t->id > 0 && t->id < TF_TABLE_DYNAMIC);
		assert_ptr_equal(tf_catalog_table(t->id), t);
		for (uint32_t k = 0; k < t->n_columns; k++) {
			const struct tf_column *c = &t->columns[k];

			assert_int_equal(c->id, k);
			assert_non_null(c->name);
			assert_int_equal(c->type == TF_REF, c->ref_table != 0);
			if (c->ref_table)
				assert_non_null(
					tf_catalog_table(c->ref_table));
		}
	}
	assert_null(tf_catalog_table(0));
	assert_null(tf_catalog_table(TF_TABLE_DYNAMIC));
}

static void fields_added_behind_are_skipped(void **state)
{
	static const char longer[] =
		"\x20"
		"\xac\x02" "\x03" "a:b" "\x02" "\x01"
		"\x14" "\x01" "\x04" "time" "\x01" "\x00" "\x02" "ns" "\x00"
		"\x01" "\x01" "\x00\x00\x00" "new"
		"xyz";
	struct tf_schema s = { 0 };
	struct err err;

	(void)state;
	assert_int_equal(take(&s, longer, sizeof(longer) - 1, &err), 0);
	assert_int_equal(s.tables[0]->n_columns, 1);
	same_column(&s.tables[0]->columns[0], &two_columns[0]);
	tf_schema_fini(&s);
}

static void a_column_says_what_predicts_it(void **state)
{
	static const struct tf_column column = {
		.id = 1, .name = "t", .type = TF_U64, .unit = "",
		.privacy = TF_PRIVACY_NUMBER, .key = 3, .second = 4, .link = 5,
	};
	static const struct tf_table t = {
		.id = 9, .name = "a", .kind = TF_KIND_EVENT,
		.columns = &column, .n_columns = 1,
	};
	static const struct tf_table *const just[] = { &t };
	static const char bytes[] = "\x12" "\x09" "\x01" "a" "\x02" "\x01"
				    "\x0c" "\x01" "\x01" "t" "\x01" "\x00"
				    "\x00" "\x00" "\x00" "\x01"
				    "\x03" "\x04" "\x05";
	struct tf_schema s = { 0 };
	struct err err = { 0 };
	struct buf b;

	(void)state;
	buf_init(&b, 0);
	tf_schema_put(&b, just, 1);
	assert_int_equal(b.n, sizeof(bytes) - 1);
	assert_memory_equal(b.p, bytes, b.n);
	assert_int_equal(take(&s, bytes, sizeof(bytes) - 1, &err), 0);
	same_column(&s.tables[0]->columns[0], &column);
	tf_schema_fini(&s);
	buf_fini(&b);
	/* All three or none. */
	assert_int_equal(take(&s, "\x11" "\x09" "\x01" "a" "\x02" "\x01"
			      "\x0b" "\x01" "\x01" "t" "\x01" "\x00" "\x00"
			      "\x00" "\x00" "\x01" "\x03" "\x04", 18, &err),
			 ERR_FORMAT);
	tf_schema_fini(&s);
}

static const struct tf_column wider_columns[] = {
	{ .id = 0, .name = "cpu", .type = TF_U64, .unit = "" },
	{ .id = 1, .name = "time", .type = TF_U64, .unit = "ns" },
	{ .id = 9, .name = "raw", .type = TF_BYTES, .unit = "" },
};
static const struct tf_table wider = {
	.id = 300, .name = "a:b", .kind = TF_KIND_EVENT,
	.columns = wider_columns, .n_columns = 3,
};
static const struct tf_table *const just_wider[] = { &wider };

static void columns_announced_later_are_added_in_order(void **state)
{
	static const uint32_t ids[] = { 0, 1, 5, 9 };
	const struct tf_table *t;
	struct tf_schema s = { 0 };
	struct err err;
	struct buf b;

	(void)state;
	buf_init(&b, 0);
	tf_schema_put(&b, just_two, 1);
	tf_schema_put(&b, just_wider, 1);
	assert_int_equal(tf_schema_take(&s, span_of(b.p, b.n), &err), 0);
	assert_int_equal(s.n, 1);
	t = s.tables[0];
	assert_int_equal(t->n_columns, 4);
	for (uint32_t i = 0; i < 4; i++)
		assert_int_equal(t->columns[i].id, ids[i]);
	/* The first announcement's word stands. */
	assert_int_equal(t->columns[1].role, TF_ROLE_TIME);
	buf_fini(&b);
	tf_schema_fini(&s);
}

static void a_column_cannot_change_its_type(void **state)
{
	struct tf_column columns[2];
	struct tf_table other = two;
	const struct tf_table *const just_other[] = { &other };
	struct tf_schema s = { 0 };
	struct err err;
	struct buf b;

	(void)state;
	memcpy(columns, two_columns, sizeof(columns));
	columns[1].list = false;
	other.columns = columns;
	buf_init(&b, 0);
	tf_schema_put(&b, just_two, 1);
	tf_schema_put(&b, just_other, 1);
	assert_int_equal(tf_schema_take(&s, span_of(b.p, b.n), &err),
			 ERR_FORMAT);
	assert_string_equal(err.text, "schema: table 'a:b': column 'ips' does "
			    "not have its known type");
	buf_fini(&b);
	tf_schema_fini(&s);
}

/* Table 9 "a", an event, with one column "t". */
#define ONE_COLUMN(n, m, words)                                                \
	n "\x09" "\x01" "a" "\x02" "\x01" m "\x01" "\x01" "t" words

static void a_column_of_a_type_that_is_not_known_is_kept_as_such(void **state)
{
	static const struct {
		const char *bytes; /* type, list, unit, table, role, privacy */
		enum tf_type type;
		bool list;
	} odd[] = {
		{ ONE_COLUMN("\x0f", "\x09", "\x00\x00\x00\x00\x00\x01"),
		  TF_UNKNOWN, false },
		{ ONE_COLUMN("\x0f", "\x09", "\x01\x02\x00\x00\x00\x01"),
		  TF_UNKNOWN, true },
		{ ONE_COLUMN("\x0f", "\x09", "\x05\x01\x00\x00\x00\x01"),
		  TF_UNKNOWN, true },
		{ ONE_COLUMN("\x0f", "\x09", "\x09\x01\x00\x00\x00\x01"),
		  (enum tf_type)9, true },
		/* a type of 2 bytes; a table of one that is no reference */
		{ ONE_COLUMN("\x10", "\x0a", "\xac\x02\x00\x00\x00\x00\x01"),
		  (enum tf_type)255, false },
		{ ONE_COLUMN("\x0f", "\x09", "\x01\x00\x00\x05\x00\x01"),
		  TF_U64, false },
		/* a role and a class of 2 bytes */
		{ ONE_COLUMN("\x11", "\x0b",
			     "\x01\x00\x00\x00\xac\x02\xac\x02"),
		  TF_U64, false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(odd); i++) {
		struct tf_schema s = { 0 };
		struct err err = { 0 };
		const struct tf_column *c;

		assert_int_equal(take(&s, odd[i].bytes,
				      (size_t)odd[i].bytes[0] + 1, &err), 0);
		c = &s.tables[0]->columns[0];
		assert_int_equal(c->type, odd[i].type);
		assert_int_equal(c->list, odd[i].list);
		assert_int_equal(c->ref_table, 0);
		tf_schema_fini(&s);
	}
}

static void see_prefix(void *ctx, struct span in)
{
	struct tf_schema s = { 0 };
	struct err err;
	bool whole = in.n == 0 || in.n == sizeof(two_bytes) - 1;

	(void)ctx;
	assert_int_equal(tf_schema_take(&s, in, &err), whole ? 0 : ERR_FORMAT);
	tf_schema_fini(&s);
}

static void every_prefix_is_refused(void **state)
{
	(void)state;
	mutate_prefixes(span_of(two_bytes, sizeof(two_bytes) - 1), see_prefix,
			NULL);
}

static void see_flip(void *ctx, struct span in, size_t bit)
{
	struct tf_schema s = { 0 };

	(void)ctx;
	(void)bit;
	(void)tf_schema_take(&s, in, NULL);
	tf_schema_fini(&s);
}

static void no_flipped_bit_does_harm(void **state)
{
	uint8_t bytes[sizeof(two_bytes) - 1];

	(void)state;
	memcpy(bytes, two_bytes, sizeof(bytes));
	mutate_bits(bytes, sizeof(bytes), see_flip, NULL);
}

static void memory_of_all_tables_is_limited(void **state)
{
	struct tf_schema s = { 0 };
	struct err err;
	int rc = 0;

	(void)state;
	for (uint32_t id = 1; rc == 0 && id < 100000; id++) {
		struct tf_table t = two;
		const struct tf_table *const just[] = { &t };
		struct tf_column columns[1024];
		struct buf b;

		for (uint32_t i = 0; i < 1024; i++) {
			columns[i] = two_columns[0];
			columns[i].id = i;
		}
		t.id = id;
		t.columns = columns;
		t.n_columns = 1024;
		buf_init(&b, 0);
		tf_schema_put(&b, just, 1);
		rc = tf_schema_take(&s, span_of(b.p, b.n), &err);
		buf_fini(&b);
	}
	assert_int_equal(rc, ERR_LIMIT);
	assert_true(s.memory.used < 70u << 20);
	tf_schema_fini(&s);
}

static void every_failing_allocation_is_reported(void **state)
{
	struct err err;
	int rc = ERR_NOMEM;

	(void)state;
	for (long n = 1; rc == ERR_NOMEM; n++) {
		struct tf_schema s = { 0 };

		failalloc_at(n);
		rc = take(&s, two_bytes, sizeof(two_bytes) - 1, &err);
		failalloc_off();
		assert_int_equal(rc == ERR_NOMEM, failalloc_hit());
		tf_schema_fini(&s);
	}
	assert_int_equal(rc, 0);
}

static const char *word(unsigned number, const char *const *words, size_t n)
{
	return number < n ? words[number] : "?";
}

static void print_column(char *to, size_t n, const struct tf_table *t,
			 const struct tf_column *c)
{
	static const char *const types[] = { "?", "u64", "i64", "f64", "bool",
					     "bytes", "ref" };
	static const char *const roles[] = { "value", "time", "id", "serial",
					     "text", "blob", "below" };
	static const char *const classes[] = { "?", "number", "name", "path",
					       "argument", "address", "host",
					       "content" };
	const struct tf_table *to_table = tf_catalog_table(c->ref_table);
	const char *by = c->key ? t->columns[c->key - 1].name : NULL;

	snprintf(to, n, "| %u | %s | %s%s%s%s | %s | %s%s%s | %s |", c->id,
		 c->name, c->list ? "list of " : "",
		 word((unsigned)c->type, types, 7), to_table ? " " : "",
		 to_table ? to_table->name : "", *c->unit ? c->unit : "-",
		 word((unsigned)c->role, roles, 7), by ? " by " : "",
		 by ? by : "",
		 word((unsigned)c->privacy, classes, 8));
}

/* The text of spec/tables.md; tests run in the root of the tree. */
static char *tables_md(void)
{
	FILE *f = fopen("spec/tables.md", "r");
	const size_t size = 1 << 20;
	char *text = malloc(size);
	size_t n;

	assert_non_null(text);
	if (!f)
		fail_msg("cannot open spec/tables.md");
	n = fread(text, 1, size, f);
	assert_true(n < size);
	text[n] = 0;
	fclose(f);
	return text;
}

static void has_columns(const char *at, const struct tf_table *t)
{
	for (uint32_t i = 0; i < t->n_columns; i++) {
		const char *end = strchr(at, '\n');
		char want[300];

		print_column(want, sizeof(want), t, &t->columns[i]);
		if (!end || strncmp(at, want, strlen(want)) != 0)
			fail_msg("table '%s': spec/tables.md lacks '%s'",
				 t->name, want);
		assert_true(strlen(want) + 4 < (size_t)(end - at));
		at = end + 1;
	}
	/* Nothing that the catalog lacks follows. */
	assert_true(*at == '\n' || *at == 0);
}

static void spec_says_what_the_catalog_says(void **state)
{
	static const char *const kinds[] = { "?", "definition", "event",
					     "interval" };
	char *text = tables_md();
	size_t sections = 0;

	(void)state;
	for (const char *at = text; (at = strstr(at, "\n### ")); at++)
		sections++;
	assert_int_equal(sections, tf_catalog_size);
	for (size_t i = 0; i < tf_catalog_size; i++) {
		const struct tf_table *t = tf_catalog[i];
		char head[200];
		const char *at;

		snprintf(head, sizeof(head), "\n### %s (%u, %s)\n", t->name,
			 t->id, word((unsigned)t->kind, kinds, 4));
		at = strstr(text, head);
		if (!at)
			fail_msg("spec/tables.md lacks '%s'", head + 1);
		at = strstr(at, "\n|---");
		assert_non_null(at);
		has_columns(strchr(at + 1, '\n') + 1, t);
	}
	free(text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_table_has_its_known_bytes),
		cmocka_unit_test(what_was_put_is_taken),
		cmocka_unit_test(the_whole_catalog_comes_back),
		cmocka_unit_test(positions_in_the_catalog_are_ids),
		cmocka_unit_test(fields_added_behind_are_skipped),
		cmocka_unit_test(a_column_says_what_predicts_it),
		cmocka_unit_test(columns_announced_later_are_added_in_order),
		cmocka_unit_test(a_column_cannot_change_its_type),
		cmocka_unit_test(
			a_column_of_a_type_that_is_not_known_is_kept_as_such),
		cmocka_unit_test(every_prefix_is_refused),
		cmocka_unit_test(no_flipped_bit_does_harm),
		cmocka_unit_test(memory_of_all_tables_is_limited),
		cmocka_unit_test(every_failing_allocation_is_reported),
		cmocka_unit_test(spec_says_what_the_catalog_says),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
