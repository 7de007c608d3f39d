#include "record/symbol/symtab.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

struct entry {
	uint64_t start, end;
	const char *name;
	unsigned rank;
};

static struct rec_symtab make(const struct entry *e, size_t n)
{
	struct rec_symtab t = { 0 };
	struct err err = { 0 };

	for (size_t i = 0; i < n; i++) {
		uint32_t name = (uint32_t)t.names.n;

		buf_put(&t.names, e[i].name, strlen(e[i].name) + 1);
		assert_int_equal(rec_symtab_add(&t, e[i].start, e[i].end, name,
						e[i].rank, &err), 0);
	}
	rec_symtab_finish(&t);
	return t;
}

#define MAKE(...)                                                              \
	make((const struct entry[]){ __VA_ARGS__ },                            \
	     sizeof((const struct entry[]){ __VA_ARGS__ }) /                   \
	     sizeof(struct entry))

static void expect(const struct rec_symtab *t, uint64_t address,
		   const char *name, uint64_t start, uint64_t size)
{
	struct rec_symtab_hit hit;

	assert_true(rec_symtab_find(t, address, &hit));
	assert_string_equal(rec_symtab_name(t, hit.row), name);
	assert_int_equal(hit.start, start);
	assert_int_equal(hit.size, size);
}

static void expect_none(const struct rec_symtab *t, uint64_t address)
{
	struct rec_symtab_hit hit;

	assert_false(rec_symtab_find(t, address, &hit));
}

/* 0x100–0x180 "a", in it 0x120–0x140 "b", and 0x200–0x210 "c". */
static void of_no_function_the_stretch_is_told(void **state)
{
	static const struct {
		uint64_t address, start, end;
	} cases[] = {
		{ 0, 0, 0x100 }, { 0xff, 0, 0x100 },
		{ 0x180, 0x180, 0x200 }, { 0x1ff, 0x180, 0x200 },
		{ 0x210, 0x210, UINT64_MAX }, { 0x99999, 0x210, UINT64_MAX },
	};
	struct rec_symtab t = MAKE({ 0x100, 0x180, "a", 0 },
				   { 0x120, 0x140, "b", 0 },
				   { 0x200, 0x210, "c", 0 });
	struct rec_symtab none = { 0 };
	struct rec_symtab_hit hit;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		assert_false(rec_symtab_find(&t, cases[i].address, &hit));
		assert_int_equal(hit.start, cases[i].start);
		assert_int_equal(hit.size, cases[i].end - cases[i].start);
	}
	assert_false(rec_symtab_find(&none, 7, &hit));
	assert_int_equal(hit.start, 0);
	assert_int_equal(hit.size, UINT64_MAX);
	rec_symtab_fini(&t);
}

static void a_function_covers_its_bytes_and_no_others(void **state)
{
	struct rec_symtab t = MAKE({ 0x200, 0x210, "b", 0 },
				   { 0x100, 0x180, "a", 0 });

	(void)state;
	expect_none(&t, 0xff);
	expect(&t, 0x100, "a", 0x100, 0x80);
	expect(&t, 0x17f, "a", 0x100, 0x80);
	expect_none(&t, 0x180);
	expect_none(&t, 0x1ff);
	expect(&t, 0x20f, "b", 0x200, 0x10);
	expect_none(&t, 0x210);
	expect_none(&t, UINT64_MAX);
	rec_symtab_fini(&t);
}

static void an_empty_table_finds_nothing(void **state)
{
	struct rec_symtab t = { 0 };

	(void)state;
	rec_symtab_finish(&t);
	expect_none(&t, 0);
	rec_symtab_fini(&t);
}

static void one_address_gets_the_name_that_perf_takes(void **state)
{
	struct rec_symtab t = MAKE(
		{ 0x100, 0x110, "__GI_read", REC_SYM_LOCAL },
		{ 0x100, 0x110, "read", REC_SYM_WEAK },
		{ 0x100, 0x110, "__read", REC_SYM_GLOBAL },
		{ 0x200, 0x210, "_b", REC_SYM_GLOBAL },
		{ 0x200, 0x210, "b", REC_SYM_GLOBAL },
		{ 0x300, 0x400, "global_label", REC_SYM_SIZELESS },
		{ 0x300, 0x310, "weak", REC_SYM_WEAK },
		{ 0x400, 0x410, "short", REC_SYM_GLOBAL },
		{ 0x400, 0x410, "the_longer", REC_SYM_GLOBAL },
		{ 0x500, 0x510, "local", REC_SYM_LOCAL },
		{ 0x500, 0x510, "weak", REC_SYM_WEAK });

	(void)state;
	expect(&t, 0x100, "__read", 0x100, 0x10);
	expect(&t, 0x200, "b", 0x200, 0x10);
	expect(&t, 0x300, "weak", 0x300, 0x10);
	expect(&t, 0x400, "the_longer", 0x400, 0x10);
	expect(&t, 0x500, "local", 0x500, 0x10);
	rec_symtab_fini(&t);
}

static void without_a_size_it_reaches_to_the_next_or_its_limit(void **state)
{
	struct rec_symtab t = MAKE(
		{ 0x100, 0x1000, "first", REC_SYM_SIZELESS },
		{ 0x140, 0x1000, "second", REC_SYM_SIZELESS },
		{ 0x200, 0x210, "sized", 0 },
		{ 0x220, 0x230, "last", REC_SYM_SIZELESS });

	(void)state;
	expect(&t, 0x13f, "first", 0x100, 0x40);
	expect(&t, 0x1ff, "second", 0x140, 0xc0);
	expect(&t, 0x22f, "last", 0x220, 0x10);
	expect_none(&t, 0x230);
	rec_symtab_fini(&t);
}

static void a_label_inside_a_sized_function_is_not_a_function(void **state)
{
	struct rec_symtab t = MAKE(
		{ 0x100, 0x200, "function", 0 },
		{ 0x180, 0x1000, "loop", REC_SYM_SIZELESS },
		{ 0x200, 0x1000, "after", REC_SYM_SIZELESS });

	(void)state;
	expect(&t, 0x190, "function", 0x100, 0x100);
	expect(&t, 0x200, "after", 0x200, 0xe00);
	rec_symtab_fini(&t);
}

/* The answer for an address behind an inner function must be a range that
 * begins behind it too, so that the nearest start below is the right one. */
static void a_function_goes_on_behind_those_inside_it(void **state)
{
	struct rec_symtab t = MAKE({ 0x100, 0x200, "outer", 0 },
				   { 0x110, 0x180, "inner", 0 },
				   { 0x120, 0x130, "innermost", 0 },
				   { 0x190, 0x198, "second", 0 });

	(void)state;
	expect(&t, 0x10f, "outer", 0x100, 0x100);
	expect(&t, 0x125, "innermost", 0x120, 0x10);
	expect(&t, 0x130, "inner", 0x130, 0x50);
	expect(&t, 0x18f, "outer", 0x180, 0x10);
	expect(&t, 0x1a0, "outer", 0x198, 0x68);
	expect_none(&t, 0x200);
	rec_symtab_fini(&t);
}

static void an_end_is_no_function(void **state)
{
	struct rec_symtab t = MAKE(
		{ 0x100, UINT64_MAX, "f", REC_SYM_SIZELESS },
		{ 0x200, UINT64_MAX, "", REC_SYM_SIZELESS | REC_SYM_END },
		{ 0x300, UINT64_MAX, "g", REC_SYM_SIZELESS });

	(void)state;
	expect(&t, 0x1ff, "f", 0x100, 0x100);
	expect_none(&t, 0x200);
	expect(&t, 0x300, "g", 0x300, UINT64_MAX - 0x300);
	rec_symtab_fini(&t);
}

static void a_table_survives_being_sent(void **state)
{
	struct rec_symtab t = MAKE({ 0x100, 0x200, "outer", 0 },
				   { 0x110, 0x180, "inner", 0 });
	struct rec_symtab got;
	struct buf bytes;
	struct span in;

	(void)state;
	buf_init(&bytes, 0);
	rec_symtab_put(&bytes, &t);
	in = span_of(bytes.p, bytes.n);
	assert_int_equal(rec_symtab_take(&got, &in, NULL), 0);
	assert_int_equal(in.n, 0);
	expect(&got, 0x110, "inner", 0x110, 0x70);
	expect(&got, 0x190, "outer", 0x180, 0x80);
	rec_symtab_fini(&got);
	rec_symtab_fini(&t);
	buf_fini(&bytes);
}

static void every_prefix_of_a_table_is_refused(void **state)
{
	struct rec_symtab t = MAKE({ 1, 2, "a", 0 }, { 3, 4, "b", 0 });
	struct buf bytes;

	(void)state;
	buf_init(&bytes, 0);
	rec_symtab_put(&bytes, &t);
	for (size_t n = 0; n < bytes.n; n++) {
		struct span in = { bytes.p, n };
		struct rec_symtab got;

		assert_int_equal(rec_symtab_take(&got, &in, NULL), ERR_FORMAT);
		assert_null(got.rows);
	}
	rec_symtab_fini(&t);
	buf_fini(&bytes);
}

/* Where a changed byte is accepted, searching must still stay inside and end.
 */
static void a_changed_table_is_refused_or_harmless(void **state)
{
	struct rec_symtab t = MAKE({ 0x100, 0x200, "outer", 0 },
				   { 0x110, 0x180, "inner", 0 },
				   { 0x300, 0x310, "other", 0 });
	struct buf bytes;

	(void)state;
	buf_init(&bytes, 0);
	rec_symtab_put(&bytes, &t);
	for (size_t bit = 0; bit < bytes.n * 8; bit++) {
		struct span in = { bytes.p, bytes.n };
		struct rec_symtab_hit hit;
		struct rec_symtab got;

		bytes.p[bit / 8] ^= (uint8_t)(1u << bit % 8);
		if (!rec_symtab_take(&got, &in, NULL))
			for (uint64_t a = 0; a < 0x400; a += 8)
				if (rec_symtab_find(&got, a, &hit))
					assert_true(strlen(rec_symtab_name(
						&got, hit.row)) < 32);
		rec_symtab_fini(&got);
		bytes.p[bit / 8] ^= (uint8_t)(1u << bit % 8);
	}
	rec_symtab_fini(&t);
	buf_fini(&bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(of_no_function_the_stretch_is_told),
		cmocka_unit_test(a_function_covers_its_bytes_and_no_others),
		cmocka_unit_test(an_empty_table_finds_nothing),
		cmocka_unit_test(one_address_gets_the_name_that_perf_takes),
		cmocka_unit_test(
			without_a_size_it_reaches_to_the_next_or_its_limit),
		cmocka_unit_test(
			a_label_inside_a_sized_function_is_not_a_function),
		cmocka_unit_test(a_function_goes_on_behind_those_inside_it),
		cmocka_unit_test(an_end_is_no_function),
		cmocka_unit_test(a_table_survives_being_sent),
		cmocka_unit_test(every_prefix_of_a_table_is_refused),
		cmocka_unit_test(a_changed_table_is_refused_or_harmless),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
