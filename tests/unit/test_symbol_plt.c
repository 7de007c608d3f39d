#include "record/symbol/plt.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define ENTRY(...) span_of((const uint8_t[]){ __VA_ARGS__ },                   \
			   sizeof((const uint8_t[]){ __VA_ARGS__ }))

/* objdump -d of a lazy table: 1030: ff 25 ca 2f 00 00  jmp *0x2fca(%rip)  # 4000
 */
static void a_lazy_entry_jumps_through_its_slot(void **state)
{
	uint64_t slot;

	(void)state;
	assert_true(rec_plt_slot(ENTRY(0xff, 0x25, 0xca, 0x2f, 0, 0, 0x68, 0, 0,
				       0, 0, 0xe9, 0xe0, 0xff, 0xff, 0xff),
				 0x1030, &slot));
	assert_int_equal(slot, 0x4000);
}

/* 1050: f3 0f 1e fa  endbr64;  f2 ff 25 75 2f 00 00  bnd jmp *0x2f75(%rip)
 * # 3fd0; without bnd the jump is a byte shorter. */
static void tracked_branches_stand_in_front_of_the_jump(void **state)
{
	uint64_t slot;

	(void)state;
	assert_true(rec_plt_slot(ENTRY(0xf3, 0x0f, 0x1e, 0xfa, 0xf2, 0xff, 0x25,
				       0x75, 0x2f, 0, 0, 0x0f, 0x1f, 0x44, 0,
				       0), 0x1050, &slot));
	assert_int_equal(slot, 0x3fd0);
	assert_true(rec_plt_slot(ENTRY(0xf3, 0x0f, 0x1e, 0xfa, 0xff, 0x25, 0x76,
				       0x2f, 0, 0, 0x66, 0x0f, 0x1f, 0x44, 0,
				       0), 0x1050, &slot));
	assert_int_equal(slot, 0x3fd0);
}

static void a_slot_may_lie_before_the_code(void **state)
{
	uint64_t slot;

	(void)state;
	assert_true(rec_plt_slot(ENTRY(0xff, 0x25, 0xfa, 0xef, 0xff, 0xff),
				 0x5000, &slot));
	assert_int_equal(slot, 0x4000);
}

static void other_code_is_no_entry(void **state)
{
	uint64_t slot;

	(void)state;
	/* the head of the table: push 0x2fca(%rip) */
	assert_false(rec_plt_slot(ENTRY(0xff, 0x35, 0xca, 0x2f, 0, 0, 0xff,
					0x25, 0xcc, 0x2f, 0, 0), 0x1020,
				  &slot));
	assert_false(rec_plt_slot(ENTRY(0xff, 0x25, 0xca, 0x2f, 0), 0x1030,
				  &slot));
	assert_false(rec_plt_slot(ENTRY(0xff), 0x1030, &slot));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_lazy_entry_jumps_through_its_slot),
		cmocka_unit_test(tracked_branches_stand_in_front_of_the_jump),
		cmocka_unit_test(a_slot_may_lie_before_the_code),
		cmocka_unit_test(other_code_is_no_entry),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
