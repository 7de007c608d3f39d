#include "record/symbol/symbols.h"

#include "format/catalog.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define LONG_WAIT 60000000000u
#define VDSO 3

static void on_symbol(void *ctx, const struct rec_symbol *s)
{
	(void)s;
	++*(size_t *)ctx;
}

static size_t n_answers(struct rec_symbols *s, uint64_t address)
{
	size_t n = 0;
	struct rec_symbols_events on = { on_symbol, NULL, NULL, &n };

	assert_int_equal(rec_symbols_want(s, VDSO, address, NULL), 0);
	assert_true(rec_symbols_pending(s) > 0);
	assert_int_equal(rec_symbols_drain(s, &on, LONG_WAIT, NULL), 0);
	assert_int_equal(rec_symbols_pending(s), 0);
	return n;
}

/* The first address in the vDSO's first function is found by asking. */
static uint64_t find_function(struct rec_symbols *s)
{
	for (uint64_t at = 0; at < 0x4000; at += 0x100)
		if (n_answers(s, at + 1) && !n_answers(s, at + 1))
			return at + 1;
	return 0;
}

static void a_function_is_named_again_after_it_was_forgotten(void **state)
{
	struct rec_symbol_image image = { .key = VDSO, .kind = TF_IMAGE_VDSO,
					  .path = "[vdso]" };
	struct rec_symbols_config cfg = { "", 0, NULL };
	struct rec_symbols *s;
	uint64_t address;

	(void)state;
	assert_int_equal(rec_symbols_start(&s, &cfg, NULL), 0);
	assert_int_equal(rec_symbols_image(s, &image, -1, NULL), 0);
	address = find_function(s);
	if (!address) {
		rec_symbols_free(s);
		skip();
	}
	assert_int_equal(n_answers(s, address), 0);
	rec_symbols_forget(s);
	assert_int_equal(n_answers(s, address), 1);
	assert_int_equal(n_answers(s, address), 0);
	rec_symbols_free(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			a_function_is_named_again_after_it_was_forgotten),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
