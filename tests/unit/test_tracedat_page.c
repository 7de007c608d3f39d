#include "record/import/tracedat/page.h"

#include "format/base/mem.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* Pages are written down byte by byte from include/linux/ring_buffer.h: a head
 * of 64 bits of time and a long of flags and size, then words of 5 bits of type
 * and 27 of time. */
#define U32(v) (v) & 255, (v) >> 8 & 255, (v) >> 16 & 255, (v) >> 24 & 255
#define U64(v) U32((v) & 0xffffffff), U32((uint64_t)(v) >> 32)
#define B32(v) (v) >> 24 & 255, (v) >> 16 & 255, (v) >> 8 & 255, (v) & 255
#define B64(v) B32((uint64_t)(v) >> 32), B32((v) & 0xffffffff)
#define HEAD(type, delta) U32((uint32_t)(delta) << 5 | (type))
#define BHEAD(type, delta) B32((uint32_t)(type) << 27 | (delta))

static const struct rec_dat_layout plain = { .time = 0, .commit = 8,
					     .data = 16, .long_size = 8 };
static const struct rec_dat_layout big = { .time = 0, .commit = 8,
					   .data = 12, .long_size = 4,
					   .big = true };

/* "TIME:RECORD …", a record as text. */
static void check_page(const struct rec_dat_layout *l, const uint8_t *p,
		       size_t n, const char *want)
{
	char got[256] = "";
	struct rec_dat_page page;
	struct err err = { 0 };
	struct span s;
	size_t at = 0;
	int rc = rec_dat_page_open(&page, l, span_of(p, n), &err);

	while (rc == 0 && (rc = rec_dat_page_next(&page, &s, &err)) == 0)
		at += (size_t)snprintf(got + at, sizeof(got) - at,
				       "%llu:%.*s ",
				       (unsigned long long)page.time,
				       (int)s.n, (const char *)s.p);
	if (rc < 0)
		snprintf(got + at, sizeof(got) - at, "!");
	assert_string_equal(got, want);
}

static void times_add_up_over_all_that_is_in_a_page(void **state)
{
	static const uint8_t page[] = {
		U64(1000), U64(76),
		HEAD(1, 5), 'a', 'b', 'c', 'd',
		/* Padding of a record that was discarded: its time counts. */
		HEAD(29, 7), U32(8), 0, 0, 0, 0,
		HEAD(2, 1), 'e', 'f', 'g', 'h', 'i', 'j', 'k', 'l',
		/* 2 << 27 and 3 more. */
		HEAD(30, 3), U32(2),
		HEAD(1, 0), 'm', 'n', 'o', 'p',
		/* What it is now. */
		HEAD(31, 9), U32(4),
		HEAD(1, 1), 'q', 'r', 's', 't',
		/* A length of its own: 4 of it are the length's. */
		HEAD(0, 2), U32(8), 'u', 'v', 'w', 'x',
	};

	(void)state;
	check_page(&plain, page, sizeof(page),
		   "1005:abcd 1013:efghijkl 268436472:mnop 536870922:qrst "
		   "536870924:uvwx ");
}

static void big_endian_heads_have_the_type_on_top(void **state)
{
	static const uint8_t page[] = {
		B64(1000), B32(40),
		BHEAD(1, 5), 'a', 'b', 'c', 'd',
		BHEAD(30, 3), B32(1),
		BHEAD(0, 1), B32(8), 'e', 'f', 'g', 'h',
		BHEAD(29, 0), B32(0),
		'x', 'x', 'x', 'x', /* behind what was committed */
	};

	(void)state;
	check_page(&big, page, sizeof(page), "1005:abcd 134218737:efgh ");
}

static void padding_without_a_time_is_the_end(void **state)
{
	static const uint8_t page[] = {
		U64(1000), U64(24),
		HEAD(1, 5), 'a', 'b', 'c', 'd',
		HEAD(29, 0), U32(99),
		HEAD(1, 5), 'x', 'x', 'x', 'x',
	};

	(void)state;
	check_page(&plain, page, sizeof(page), "1005:abcd ");
}

static void a_last_word_of_padding_may_stand_alone(void **state)
{
	static const uint8_t page[] = {
		U64(1000), U64(12),
		HEAD(1, 5), 'a', 'b', 'c', 'd',
		HEAD(29, 0),
	};

	(void)state;
	check_page(&plain, page, sizeof(page), "1005:abcd ");
}

static void a_stamp_takes_the_upper_bits_from_before(void **state)
{
	static const uint8_t page[] = {
		U64(UINT64_C(3) << 59 | 500), U64(16),
		HEAD(31, 7), U32(1),
		HEAD(1, 0), 'a', 'b', 'c', 'd',
	};

	(void)state;
	/* 3 << 59 | 1 << 27 | 7 */
	check_page(&plain, page, sizeof(page), "1729382257044488199:abcd ");
}

static void what_runs_over_the_page_ends_it(void **state)
{
	static const uint8_t longer[] = {
		U64(1000), U64(16),
		HEAD(1, 5), 'a', 'b', 'c', 'd',
		HEAD(2, 5), 'x', 'x', 'x', 'x',
	};
	static const uint8_t shorter[] = {
		U64(1000), U64(8), HEAD(0, 5), U32(3),
	};
	static const uint8_t rest[] = {
		U64(1000), U64(10), HEAD(1, 5), 'a', 'b', 'c', 'd', 0, 0,
	};

	(void)state;
	check_page(&plain, longer, sizeof(longer), "1005:abcd !");
	check_page(&plain, shorter, sizeof(shorter), "!");
	check_page(&plain, rest, sizeof(rest), "1005:abcd !");
}

static void a_page_that_is_cut_gives_what_is_there(void **state)
{
	static const uint8_t page[] = {
		U64(1000), U64(64),
		HEAD(1, 5), 'a', 'b', 'c', 'd',
	};
	struct rec_dat_page p;

	(void)state;
	assert_int_equal(rec_dat_page_open(&p, &plain,
					   span_of(page, sizeof(page)), NULL),
			 0);
	assert_true(p.cut);
	assert_int_equal(p.data.n, 8);
	for (size_t n = 0; n < 16; n++)
		assert_int_equal(rec_dat_page_open(&p, &plain,
						   span_of(page, n), NULL),
				 ERR_FORMAT);
}

static void losses_are_told_with_a_number_where_there_is_one(void **state)
{
	static const uint8_t some[] = {
		U64(1000), U64(UINT64_C(0xc0000008)),
		HEAD(1, 5), 'a', 'b', 'c', 'd', U64(12345),
	};
	static const uint8_t any[] = {
		U64(1000), U64(UINT64_C(0x80000008)),
		HEAD(1, 5), 'a', 'b', 'c', 'd', U64(12345),
	};
	static const uint8_t four[] = {
		B64(1000), B32(0xc0000008),
		BHEAD(1, 5), 'a', 'b', 'c', 'd', B32(777),
	};
	struct rec_dat_page p;

	(void)state;
	assert_int_equal(rec_dat_page_open(&p, &plain,
					   span_of(some, sizeof(some)), NULL),
			 0);
	assert_true(p.lost);
	assert_int_equal(p.n_lost, 12345);
	check_page(&plain, some, sizeof(some), "1005:abcd ");
	assert_int_equal(rec_dat_page_open(&p, &plain,
					   span_of(any, sizeof(any)), NULL),
			 0);
	assert_true(p.lost);
	assert_int_equal(p.n_lost, 0);
	assert_int_equal(rec_dat_page_open(&p, &big,
					   span_of(four, sizeof(four)), NULL),
			 0);
	assert_int_equal(p.n_lost, 777);
}

static void the_layout_is_that_of_header_page(void **state)
{
	static const char text[] =
		"\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
		"\tfield: local_t commit;\toffset:8;\tsize:4;\tsigned:1;\n"
		"\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
		"\tfield: char data;\toffset:12;\tsize:4084;\tsigned:1;\n";
	struct rec_dat_layout l;
	struct err err = { 0 };

	(void)state;
	assert_int_equal(rec_dat_layout_parse(&l, span_of(text, strlen(text)),
					      true, NULL), 0);
	assert_int_equal(l.data, 12);
	assert_int_equal(l.long_size, 4);
	assert_true(l.big);
	assert_int_equal(rec_dat_layout_parse(&l, span_of(text, 100), true,
					      &err), ERR_FORMAT);
	assert_non_null(strstr(err.text, "header_page"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(times_add_up_over_all_that_is_in_a_page),
		cmocka_unit_test(big_endian_heads_have_the_type_on_top),
		cmocka_unit_test(padding_without_a_time_is_the_end),
		cmocka_unit_test(a_last_word_of_padding_may_stand_alone),
		cmocka_unit_test(a_stamp_takes_the_upper_bits_from_before),
		cmocka_unit_test(what_runs_over_the_page_ends_it),
		cmocka_unit_test(a_page_that_is_cut_gives_what_is_there),
		cmocka_unit_test(
			losses_are_told_with_a_number_where_there_is_one),
		cmocka_unit_test(the_layout_is_that_of_header_page),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
