#include "record/counter/fdinfo/fdinfo.h"

#include "format/base/mem.h"
#include "tests/support/drmtree.h"
#include "tests/support/mutate.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Made by hand after the drivers' keys, as nobody here has their devices. */
static const char i915[] =
	"pos:\t0\nflags:\t02100002\nmnt_id:\t26\nino:\t501\n"
	"drm-driver:\ti915\ndrm-client-id:\t17\ndrm-pdev:\t0000:00:02.0\n"
	"drm-total-system0:\t41 MiB\ndrm-shared-system0:\t8 MiB\n"
	"drm-active-system0:\t0\ndrm-resident-system0:\t40 MiB\n"
	"drm-purgeable-system0:\t4 KiB\n"
	"drm-engine-render:\t2511487523 ns\ndrm-engine-copy:\t0 ns\n"
	"drm-engine-video:\t77 ns\ndrm-engine-capacity-video:\t2\n"
	"drm-engine-video-enhance:\t0 ns\n";
static const char amdgpu[] =
	"drm-driver:\tamdgpu\ndrm-client-id:\t80\n"
	"drm-pdev:\t0000:c1:00.0\npasid:\t32772\n"
	"drm-memory-vram: \t512 KiB\ndrm-memory-gtt: \t2048 KiB\n"
	"amd-evicted-vram:\t0 KiB\ndrm-resident-vram:\t512 KiB\n"
	"drm-engine-gfx:\t1200000 ns\ndrm-engine-enc_1:\t5 ns\n";
static const char msm[] =
	"drm-driver:\tmsm\ndrm-client-id:\t3\n"
	"drm-engine-gpu:\t900 ns\ndrm-cycles-gpu:\t4000\n"
	"drm-maxfreq-gpu:\t900000000 Hz\n";
static const char panfrost[] =
	"drm-driver:\tpanfrost\ndrm-client-id:\t8\n"
	"drm-engine-fragment:\t100 ns\ndrm-cycles-fragment:\t80\n"
	"drm-maxfreq-fragment:\t799 MHz\ndrm-curfreq-fragment:\t400000 KHz\n";

static struct rec_fdinfo parsed(const char *text)
{
	struct rec_fdinfo f;

	rec_fdinfo_parse(&f, span_of(text, strlen(text)));
	return f;
}

/* -1: it has none. */
static int64_t value(const struct rec_fdinfo *f, enum rec_fdinfo_kind kind,
		     const char *part)
{
	for (size_t i = 0; i < f->n; i++)
		if (f->values[i].kind == kind &&
		    span_is(f->values[i].part, part))
			return f->values[i].value;
	return -1;
}

static uint32_t capacity(const struct rec_fdinfo *f, const char *part)
{
	return rec_fdinfo_capacity(f, span_of(part, strlen(part)));
}

static void who_it_is_is_told_by_each_driver(void **state)
{
	struct rec_fdinfo f = parsed(i915);

	(void)state;
	assert_true(f.has_client && f.client == 17);
	assert_true(span_is(f.driver, "i915"));
	assert_true(span_is(f.pdev, "0000:00:02.0"));
	assert_int_equal(f.name.n, 0);
	f = parsed(msm);
	assert_true(f.has_client && f.client == 3 && !f.pdev.n);
	f = parsed("drm-client-name:\ttab 5 of 9 \n");
	assert_true(span_is(f.name, "tab 5 of 9"));
	assert_false(f.has_client);
}

static void engines_have_times_and_capacities(void **state)
{
	struct rec_fdinfo f = parsed(i915);

	(void)state;
	assert_int_equal(value(&f, REC_FDINFO_ENGINE, "render"), 2511487523);
	assert_int_equal(value(&f, REC_FDINFO_ENGINE, "copy"), 0);
	assert_int_equal(value(&f, REC_FDINFO_ENGINE, "video"), 77);
	assert_int_equal(value(&f, REC_FDINFO_ENGINE, "video-enhance"), 0);
	assert_int_equal(value(&f, REC_FDINFO_ENGINE, "compute"), -1);
	assert_int_equal(capacity(&f, "video"), 2);
	assert_int_equal(capacity(&f, "render"), 1);
	assert_int_equal(f.unread, 0);
}

static void memory_is_in_bytes_whatever_its_unit(void **state)
{
	struct rec_fdinfo f = parsed(i915);

	(void)state;
	assert_int_equal(value(&f, REC_FDINFO_TOTAL, "system0"), 42991616);
	assert_int_equal(value(&f, REC_FDINFO_SHARED, "system0"), 8388608);
	assert_int_equal(value(&f, REC_FDINFO_ACTIVE, "system0"), 0);
	assert_int_equal(value(&f, REC_FDINFO_RESIDENT, "system0"), 41943040);
	assert_int_equal(value(&f, REC_FDINFO_PURGEABLE, "system0"), 4096);
	f = parsed("drm-total-a: 7\ndrm-total-b:2 GiB\n");
	assert_int_equal(value(&f, REC_FDINFO_TOTAL, "a"), 7);
	assert_int_equal(value(&f, REC_FDINFO_TOTAL, "b"), 2147483648);
}

static void the_old_name_of_memory_is_the_same_thing_once(void **state)
{
	struct rec_fdinfo f = parsed(amdgpu);
	size_t vram = 0;

	(void)state;
	assert_int_equal(value(&f, REC_FDINFO_RESIDENT, "vram"), 524288);
	assert_int_equal(value(&f, REC_FDINFO_RESIDENT, "gtt"), 2097152);
	for (size_t i = 0; i < f.n; i++)
		vram += span_is(f.values[i].part, "vram");
	assert_int_equal(vram, 1);
	assert_int_equal(value(&f, REC_FDINFO_ENGINE, "enc_1"), 5);
	assert_int_equal(f.unread, 0);
}

static void cycles_come_with_all_cycles_or_with_a_clock(void **state)
{
	const char *text = drmtree_xe(9);
	struct rec_fdinfo f = parsed(text);

	(void)state;
	assert_int_equal(value(&f, REC_FDINFO_CYCLES, "rcs"), 28257900);
	assert_int_equal(value(&f, REC_FDINFO_TOTAL_CYCLES, "rcs"),
			 7655183225);
	assert_int_equal(value(&f, REC_FDINFO_ENGINE, "rcs"), -1);
	assert_int_equal(capacity(&f, "ccs"), 4);
	assert_int_equal(value(&f, REC_FDINFO_TOTAL, "vram0"), 24567808);
	f = parsed(msm);
	assert_int_equal(value(&f, REC_FDINFO_CYCLES, "gpu"), 4000);
	assert_int_equal(value(&f, REC_FDINFO_MAXFREQ, "gpu"), 900000000);
	f = parsed(panfrost);
	assert_int_equal(value(&f, REC_FDINFO_MAXFREQ, "fragment"), 799000000);
	assert_int_equal(value(&f, REC_FDINFO_CURFREQ, "fragment"), 400000000);
}

static void what_is_not_known_is_passed_over(void **state)
{
	struct rec_fdinfo f = parsed("drm-new-thing:\tyes\ndrm-:\t1\nfoo\n"
				     "drm-engine-render: 5 ns\n\n:\n");

	(void)state;
	assert_int_equal(f.n, 1);
	assert_int_equal(f.unread, 0);
}

static void what_makes_no_sense_is_counted(void **state)
{
	static const char *const bad[] = {
		"drm-engine-render: 18446744073709551616 ns\n", /* 2^64 */
		"drm-engine-render: 9223372036854775808 ns\n",  /* 2^63 */
		"drm-total-vram: 9007199254740992 KiB\n",  /* 2^63 bytes */
		"drm-engine-render: -5 ns\n",
		"drm-engine-render: 5 us\n",
		"drm-engine-render: 5 ns more\n",
		"drm-engine-render:\n",
		"drm-engine-: 5 ns\n",
		"drm-engine-a b: 5 ns\n",
		"drm-engine-capacity-x: lots\n",
		"drm-client-id: me\n",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		struct rec_fdinfo f = parsed(bad[i]);

		assert_int_equal(f.n, 0);
		assert_int_equal(f.unread, 1);
		assert_false(f.has_client);
	}
}

static void the_largest_numbers_are_kept(void **state)
{
	struct rec_fdinfo f = parsed(
		"drm-engine-render: 9223372036854775807 ns\n"
		"drm-client-id: 18446744073709551615\n"
		"drm-engine-capacity-render: 4294967296\n");

	(void)state;
	assert_int_equal(value(&f, REC_FDINFO_ENGINE, "render"), INT64_MAX);
	assert_true(f.client == UINT64_MAX);
	assert_int_equal(capacity(&f, "render"), 1);
}

static void more_than_there_is_room_for_is_counted(void **state)
{
	char text[16384];
	size_t n = 0;
	struct rec_fdinfo f;

	(void)state;
	for (int i = 0; i < 200; i++)
		n += (size_t)snprintf(text + n, sizeof(text) - n,
				      "drm-engine-e%d: %d ns\n"
				      "drm-engine-capacity-e%d: 2\n", i, i, i);
	rec_fdinfo_parse(&f, span_of(text, n));
	assert_int_equal(f.n, REC_FDINFO_VALUES);
	assert_int_equal(f.n_capacities, REC_FDINFO_CAPACITIES);
	assert_int_equal(f.unread, 200 - REC_FDINFO_VALUES + 200 -
				   REC_FDINFO_CAPACITIES);
}

static void a_line_of_a_megabyte_is_one_line(void **state)
{
	const size_t n = 1 << 20;
	char *text = malloc(n + 32);
	struct rec_fdinfo f;

	(void)state;
	assert_non_null(text);
	memset(text, 'x', n);
	memcpy(text, "drm-engine-", 11);
	memcpy(text + n, ": 5 ns\ndrm-client-id: 4\n", 24);
	rec_fdinfo_parse(&f, span_of(text, n + 24));
	assert_int_equal(f.n, 0);
	assert_int_equal(f.unread, 1);
	assert_int_equal(f.client, 4);
	free(text);
}

static void see_prefix(void *ctx, struct span in)
{
	struct rec_fdinfo f;

	(void)ctx;
	rec_fdinfo_parse(&f, in);
	assert_true(f.n <= REC_FDINFO_VALUES);
	for (size_t i = 0; i < f.n; i++) {
		assert_true(f.values[i].value >= 0);
		assert_true(f.values[i].part.p >= in.p);
		assert_true(f.values[i].part.p + f.values[i].part.n <=
			    in.p + in.n);
	}
}

static void see_flip(void *ctx, struct span in, size_t bit)
{
	(void)bit;
	see_prefix(ctx, in);
}

static void any_text_is_taken(void **state)
{
	static const char *const texts[] = { i915, amdgpu, msm, panfrost };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		size_t n = strlen(texts[i]);
		uint8_t *copy = malloc(n);

		assert_non_null(copy);
		memcpy(copy, texts[i], n);
		mutate_prefixes(span_of(copy, n), see_prefix, NULL);
		mutate_bits(copy, n, see_flip, NULL);
		free(copy);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(who_it_is_is_told_by_each_driver),
		cmocka_unit_test(engines_have_times_and_capacities),
		cmocka_unit_test(memory_is_in_bytes_whatever_its_unit),
		cmocka_unit_test(the_old_name_of_memory_is_the_same_thing_once),
		cmocka_unit_test(cycles_come_with_all_cycles_or_with_a_clock),
		cmocka_unit_test(what_is_not_known_is_passed_over),
		cmocka_unit_test(what_makes_no_sense_is_counted),
		cmocka_unit_test(the_largest_numbers_are_kept),
		cmocka_unit_test(more_than_there_is_room_for_is_counted),
		cmocka_unit_test(a_line_of_a_megabyte_is_one_line),
		cmocka_unit_test(any_text_is_taken),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
