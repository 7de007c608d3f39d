#include "analyze/counter/ended.h"

#include "format/base/mem.h"
#include "tests/support/failalloc.h"
#include "tests/support/traceopen.h"
#include "tests/support/tracebuild.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define MS 1000000ull
#define AT(ms) (100000 * MS + (ms) * MS)

#define CLIENT(dev, id, prt)                                                   \
	{ .name = "drm-engine", .unit = "ns", .kind = TF_SERIES_COUNT,         \
	  .source = TF_SERIES_FDINFO, .pid = 7, .device = dev, .part = prt,    \
	  .client = id, .label = "game" }

/* Two engines of one client, the same number on another GPU, one that goes on,
 * one that was never read before it was gone, and no client. */
static const struct tb_series series[] = {
	CLIENT("0000:00:02.0", 1, "render"), CLIENT("0000:00:02.0", 1, "video"),
	CLIENT("0000:03:00.0", 1, "render"), CLIENT("0000:03:00.0", 2, "render"),
	CLIENT("0000:03:00.0", 3, "render"),
	{ .name = "power", .unit = "W", .kind = TF_SERIES_LEVEL,
	  .source = TF_SERIES_SYSFS, .device = "0000:03:00.0" },
};

#define V(ms, s) { .time = AT(ms), .series = s, .value = (int64_t)(ms) }
#define GONE(ms, s) { .time = AT(ms), .series = s, .state = TF_COUNTER_GONE }

/* The first client is gone 20 ms after its last reading, the second one 35. */
static const struct tb_reading readings[] = {
	V(0, 0),     V(0, 1),	  V(0, 2),   V(0, 3),  V(0, 5),
	V(10, 0),    V(10, 1),	  GONE(30, 0), GONE(30, 1), V(5, 2),
	GONE(40, 2), V(100, 3),	  GONE(50, 4), GONE(90, 5),
};

static const struct tb_trace trace = {
	.series = series, .n_series = ARRAY_LEN(series),
	.readings = readings, .n_readings = ARRAY_LEN(readings),
	.id = 14,
};

static void each_client_that_ended_counts_once(void **state)
{
	struct trace_in_memory m = { 0 };
	struct an_trace *t = trace_must(&m, &trace);
	struct an_counters c = { 0 };
	struct an_ended ended;

	(void)state;
	assert_int_equal(an_counters_load(&c, t, 0, UINT64_MAX, NULL, &m.err),
			 0);
	assert_int_equal(an_ended_of(&ended, &c, &m.err), 0);
	assert_int_equal(ended.n, 2);
	assert_int_equal(ended.longest_ns, 35 * MS);
	failalloc_at(1);
	assert_int_equal(an_ended_of(&ended, &c, &m.err), ERR_NOMEM);
	failalloc_off();
	an_counters_fini(&c);
	trace_fini(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_client_that_ended_counts_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
