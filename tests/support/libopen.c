#include "tests/support/libopen.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

const char *const lib_stored_paths[] = {
	"tests/golden/format/small.ctr",
	"tests/golden/format/epochs.ctr",
	"tests/golden/format/big.ctr",
};

struct ct_trace *lib_open_stored(int which)
{
	struct ct_error error = { 0 };
	struct ct_trace *t = NULL;

	if (ct_open(&t, lib_stored_paths[which], &error))
		fail_msg("%s", error.text);
	return t;
}

struct ct_trace *lib_open_buf(const struct buf *b)
{
	struct ct_error error = { 0 };
	struct ct_trace *t = NULL;

	if (ct_open_memory(&t, b->p, b->n, &error))
		fail_msg("%s", error.text);
	return t;
}

struct ct_cursor *lib_cursor(const struct ct_trace *t, const char *table,
				const char *const *columns, uint64_t min,
				uint64_t max)
{
	struct ct_error error = { 0 };
	struct ct_cursor *c = NULL;

	if (ct_cursor_new(&c, t, ct_table_by_name(t, table), columns, min, max,
			  &error))
		fail_msg("%s", error.text);
	return c;
}

const struct ct_batch *lib_next(struct ct_cursor *c)
{
	const struct ct_batch *b = NULL;

	assert_int_equal(ct_cursor_next(c, &b, NULL), 0);
	return b;
}

void lib_no_more(struct ct_cursor *c)
{
	const struct ct_batch *b = NULL;

	assert_int_equal(ct_cursor_next(c, &b, NULL), 1);
	assert_null(b);
}
