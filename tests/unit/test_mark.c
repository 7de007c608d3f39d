#include "record/mark/mark.h"

#include "format/base/mem.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

/* As written by hand: the name, the time 0x0102030405060708, "hi". */
static const uint8_t good[] = { 'c', 't', 'r', ' ', 'm', 'a', 'r', 'k',
				8,   7,	  6,   5,   4,	 3,   2,   1,
				'h', 'i' };

static void a_mark_is_its_name_its_time_and_its_text(void **state)
{
	struct rec_mark m = { .time = 0x0102030405060708,
			      .text = span_of("hi", 2) };
	struct buf b;

	(void)state;
	buf_init(&b, 0);
	rec_mark_encode(&m, &b);
	assert_int_equal(b.n, sizeof(good));
	assert_memory_equal(b.p, good, sizeof(good));
	buf_fini(&b);
}

static void what_was_encoded_is_decoded(void **state)
{
	struct rec_mark m = { 0 };

	(void)state;
	assert_int_equal(rec_mark_decode(span_of(good, sizeof(good)), &m,
					 NULL), 0);
	assert_int_equal(m.time, 0x0102030405060708);
	assert_int_equal(m.source, TF_MARK_COMMAND);
	assert_int_equal(m.text.n, 2);
	assert_memory_equal(m.text.p, "hi", 2);
}

static void a_mark_without_its_whole_head_is_refused(void **state)
{
	(void)state;
	for (size_t n = 0; n <= REC_MARK_HEAD; n++) {
		struct rec_mark m = { .pid = 77 };
		struct err err = { 0 };

		assert_true(rec_mark_decode(span_of(good, n), &m, &err) < 0);
		assert_int_equal(m.pid, 77);
	}
}

static void each_wrong_byte_of_the_name_is_refused(void **state)
{
	uint8_t bad[sizeof(good)];

	(void)state;
	for (size_t i = 0; i < 8; i++) {
		struct rec_mark m;

		memcpy(bad, good, sizeof(good));
		bad[i] ^= 1;
		assert_int_equal(rec_mark_decode(span_of(bad, sizeof(bad)), &m,
						 NULL), ERR_FORMAT);
	}
}

static void a_text_may_be_as_long_as_the_limit_and_no_longer(void **state)
{
	static uint8_t big[REC_MARK_DATAGRAM_MAX + 1];
	struct rec_mark m;

	(void)state;
	memcpy(big, good, REC_MARK_HEAD);
	assert_int_equal(rec_mark_decode(span_of(big, sizeof(big) - 1), &m,
					 NULL), 0);
	assert_int_equal(m.text.n, 4096);
	assert_true(rec_mark_decode(span_of(big, sizeof(big)), &m, NULL) < 0);
}

static void the_time_may_be_any_number(void **state)
{
	uint8_t late[sizeof(good)];
	struct rec_mark m;

	(void)state;
	memcpy(late, good, sizeof(good));
	memset(late + 8, 0xff, 8);
	assert_int_equal(rec_mark_decode(span_of(late, sizeof(late)), &m,
					 NULL), 0);
	assert_true(m.time == UINT64_MAX);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_mark_is_its_name_its_time_and_its_text),
		cmocka_unit_test(what_was_encoded_is_decoded),
		cmocka_unit_test(a_mark_without_its_whole_head_is_refused),
		cmocka_unit_test(each_wrong_byte_of_the_name_is_refused),
		cmocka_unit_test(
			a_text_may_be_as_long_as_the_limit_and_no_longer),
		cmocka_unit_test(the_time_may_be_any_number),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
