/* What is told at a glance is what rec_decode() and rec_decode_time() find. */
#include "record/perf/decode.h"

#include "format/base/mem.h"

#include <linux/perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define PLAIN                                                                  \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |           \
	 PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD)

#define HEAD(words) (9 | (uint64_t)(words) * 8 << 48)

static const uint64_t plain_sample[] = {
	HEAD(7), 0x1122334455667788, 0x7f0123456789, 1001ull << 32 | 1000,
	123456789, 3, 250000,
};
static const struct rec_layout plain = { .sample_type = PLAIN };

static const uint64_t chained_sample[] = {
	HEAD(12), 7, 0xffffffff81000010, 2ull << 32 | 1, 50, 1, 1,
	4, 0xffffffffffffff80, 0xffffffff81000010, 0xfffffffffffffe00,
	0x401000,
};
static const struct rec_layout chained = {
	.sample_type = PLAIN | PERF_SAMPLE_CALLCHAIN,
};

/* No CPU, no time, and a part that is no single word. */
static const struct rec_layout timed = {
	.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TIME,
};
static const struct rec_layout placed = {
	.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_CPU,
};
static const struct rec_layout raw = {
	.sample_type = PLAIN | PERF_SAMPLE_RAW,
};

static bool fits_at_a_glance(const struct rec_layout *layout, const void *p,
			     size_t n, uint64_t *time, int *cpu)
{
	struct rec_glance g;

	rec_glance_make(&g, layout);
	return rec_glance_fits(&g, span_of(p, n), time, cpu);
}

static void agree(const struct rec_layout *layout, const void *p, size_t n)
{
	struct rec_record r;
	uint64_t time = 1;
	int cpu = -2;
	bool fits = fits_at_a_glance(layout, p, n, &time, &cpu);
	int rc = rec_decode(layout, span_of(p, n), &r, NULL);

	assert_int_equal(fits, rc == 0 && r.type == PERF_RECORD_SAMPLE);
	if (!fits)
		return;
	assert_int_equal(cpu, r.ids.cpu & INT32_MAX);
	assert_int_equal(time, rec_decode_time(layout, span_of(p, n)));
}

static void any_size_says_the_same(void **state)
{
	uint8_t copy[sizeof(chained_sample)];

	(void)state;
	for (size_t n = 0; n <= sizeof(chained_sample); n++) {
		memcpy(copy, chained_sample, sizeof(copy));
		copy[6] = (uint8_t)n; /* it claims what is there */
		agree(&chained, copy, n);
		agree(&plain, copy, n);
	}
}

static void any_flipped_bit_says_the_same(void **state)
{
	uint8_t copy[sizeof(chained_sample)];

	(void)state;
	for (size_t bit = 0; bit < 8 * sizeof(chained_sample); bit++) {
		memcpy(copy, chained_sample, sizeof(copy));
		copy[bit / 8] ^= (uint8_t)(1u << bit % 8);
		agree(&chained, copy, sizeof(copy));
	}
}

static void tells(const struct rec_layout *layout, const void *p, size_t n,
		  uint64_t time, int cpu)
{
	uint64_t t = 1;
	int c = -2;

	assert_true(fits_at_a_glance(layout, p, n, &t, &c));
	assert_int_equal(t, time);
	assert_int_equal(c, cpu);
}

static void time_and_cpu_are_those_of_the_sample(void **state)
{
	const uint64_t bare[] = { HEAD(3), 0x401000, 50 };
	const uint64_t timeless[] = { HEAD(3), 0x401000, 6 };

	(void)state;
	tells(&plain, plain_sample, sizeof(plain_sample), 123456789, 3);
	tells(&chained, chained_sample, sizeof(chained_sample), 50, 1);
	tells(&timed, bare, sizeof(bare), 50, -1);
	tells(&placed, timeless, sizeof(timeless), 0, 6);
}

static void other_parts_are_not_for_a_glance(void **state)
{
	uint64_t time;
	int cpu;

	(void)state;
	assert_false(fits_at_a_glance(&raw, plain_sample, sizeof(plain_sample),
				      &time, &cpu));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(any_size_says_the_same),
		cmocka_unit_test(any_flipped_bit_says_the_same),
		cmocka_unit_test(time_and_cpu_are_those_of_the_sample),
		cmocka_unit_test(other_parts_are_not_for_a_glance),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
