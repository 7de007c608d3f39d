#include "analyze/clock.h"
#include "analyze/head.h"

#include "format/base/mem.h"
#include "tests/support/tracebuild.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const struct tb_thread threads[] = { { 1, 1, "a", 0 } };
static const struct tb_image images[] = {
	{ "x", TF_IMAGE_ELF, "/bin/x", NULL, 0 }
};
static const struct tb_symbol symbols[] = { { "x", "f", 0x10, 0x10, NULL } };
static const struct tb_event events[] = {
	{ .name = "cpu-clock", .unit = "ns", .period = 1 },
};
static const struct tb_sample samples[] = {
	{ .time = 1000000000, .period = 1, .user = "f" },
	{ .time = 2500000000, .period = 1, .user = "f" },
};

static const struct tb_epoch epochs[] = { { samples, ARRAY_LEN(samples) } };

/* The head of a report of a trace with these facts. */
static char *head_of(const struct tb_fact *facts, size_t n,
		     const struct tb_clock *reading, const char *name)
{
	const struct tb_trace built = {
		.images = images, .n_images = ARRAY_LEN(images),
		.symbols = symbols, .n_symbols = ARRAY_LEN(symbols),
		.threads = threads, .n_threads = ARRAY_LEN(threads),
		.events = events, .n_events = ARRAY_LEN(events),
		.epochs = epochs, .n_epochs = ARRAY_LEN(epochs),
		.facts = facts, .n_facts = n,
		.clocks = reading, .n_clocks = reading ? 1 : 0,
		.start_unix_ns = 1600000000000000000,
	};
	struct tf_source *source;
	struct an_trace *t;
	struct buf bytes;
	char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);

	buf_init(&bytes, 0);
	assert_int_equal(tb_build(&built, &bytes, NULL), 0);
	assert_int_equal(tf_source_memory(&source, span_of(bytes.p, bytes.n),
					  NULL), 0);
	assert_int_equal(an_trace_from(&t, source, NULL, NULL), 0);
	assert_string_equal(an_clock_name(t), name);
	an_head_print(t, to);
	fclose(to);
	an_trace_close(t);
	buf_fini(&bytes);
	return text;
}

static char *head(const struct tb_fact *facts, size_t n, const char *name)
{
	return head_of(facts, n, NULL, name);
}

static void says(const struct tb_fact *facts, size_t n, const char *name,
		 const char *want)
{
	char *text = head(facts, n, name), line[200];

	snprintf(line, sizeof(line), "# Samples from 1.000000 to 2.500000 s "
		 "(%s): 1.500 s\n", want);
	if (!strstr(text, line))
		fail_msg("no '%s' in:\n%s", line, text);
	free(text);
}

static void what_was_recorded_here_is_on_the_monotonic_clock(void **state)
{
	const struct tb_fact facts[] = { { "clock", "monotonic" } };

	(void)state;
	says(NULL, 0, "monotonic", "monotonic clock");
	says(facts, 1, "monotonic", "monotonic clock");
}

static void the_clock_of_an_import_is_the_one_that_it_tells(void **state)
{
	static const char *const clocks[][2] = {
		{ "perf", "perf's clock" },
		{ "boot", "boot-time clock" },
		{ "boottime", "boot-time clock" },
		{ "local", "tracer's clock 'local', of each CPU" },
		{ "counter", "events counted as ns, not time" },
		{ "none", "made up, there are no times" },
		{ "unknown", "a clock that is not told" },
		{ "ppc-tb", "clock 'ppc-tb'" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(clocks); i++) {
		const struct tb_fact facts[] = { { "import.format", "x" },
						 { "clock", clocks[i][0] } };

		says(facts, 2, clocks[i][0], clocks[i][1]);
	}
}

static void an_import_that_tells_none_is_not_said_to_be_monotonic(void **state)
{
	const struct tb_fact facts[] = { { "import.format", "perf script" } };

	(void)state;
	says(facts, 1, "unknown", "a clock that is not told");
}

static void times_of_a_merged_trace_are_on_the_clock_of_the_first(void **state)
{
	const struct tb_fact facts[] = { { "sources", "2" },
					 { "source.0.clock", "boot" },
					 { "source.1.clock", "monotonic" } };

	(void)state;
	says(facts, 3, "boot", "boot-time clock");
}

static void began(const struct tb_fact *facts, size_t n,
		  const struct tb_clock *reading, const char *want)
{
	char *text = head_of(facts, n, reading, "monotonic"), line[200];

	snprintf(line, sizeof(line), "# Recorded: %s\n", want);
	if (!strstr(text, line))
		fail_msg("no '%s' in:\n%s", line, text);
	free(text);
}

/* 1700000000.5 s at 0.5 s: the first row, at 1 s, was a second later than
 * 1700000000, which is 22:13:20. The header has 1600000000. */
static void an_import_began_when_its_clocks_say(void **state)
{
	const struct tb_clock reading = { 500000000, 1700000000500000000, 0 };
	const struct tb_clock none = { 500000000, 0, 500000000 };
	const struct tb_fact facts[] = { { "clock", "monotonic" },
					 { "import.format", "perf.data" },
					 { "note.cut", "x" } };
	const struct tb_fact piped[] = { { "import.format", "x" },
					 { "import.source", "(pipe)" },
					 { "clock", "monotonic" } };

	(void)state;
	began(facts, 1, &reading, "2020-09-13 12:26:40 UTC");
	began(facts, 2, &reading, "2023-11-14 22:13:21 UTC");
	began(facts, 3, &reading, "2020-09-13 12:26:40 UTC");
	began(facts, 2, NULL,
	      "2020-09-13 12:26:40 UTC (when its file was written)");
	began(facts, 2, &none,
	      "2020-09-13 12:26:40 UTC (when its file was written)");
	began(piped, 3, NULL, "2020-09-13 12:26:40 UTC (when it was imported)");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			what_was_recorded_here_is_on_the_monotonic_clock),
		cmocka_unit_test(
			the_clock_of_an_import_is_the_one_that_it_tells),
		cmocka_unit_test(
			an_import_that_tells_none_is_not_said_to_be_monotonic),
		cmocka_unit_test(
			times_of_a_merged_trace_are_on_the_clock_of_the_first),
		cmocka_unit_test(an_import_began_when_its_clocks_say),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
