/* What libtraceevent is not let near, and that the formats which kernels have
 * are. */
#include "analyze/tracepoint/guard.h"
#include "analyze/tracepoint/layout.h"
#include "format/base/mem.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <traceevent/event-parse.h>

#define SIZE 64u /* of the fixed part below */

#define HEAD                                                                   \
	"name: x\nID: 300\nformat:\n"                                          \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n" \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"           \
	"\tfield:u32 a;\toffset:8;\tsize:4;\tsigned:0;\n"                      \
	"\tfield:u64 b;\toffset:16;\tsize:8;\tsigned:0;\n"                     \
	"\tfield:u32 four[4];\toffset:24;\tsize:16;\tsigned:0;\n"              \
	"\tfield:u8 bytes[8];\toffset:40;\tsize:8;\tsigned:0;\n"               \
	"\tfield:__data_loc char[] text;\toffset:48;\tsize:4;\tsigned:0;\n"    \
	"\tfield:__data_loc u8[] raw;\toffset:52;\tsize:4;\tsigned:0;\n"       \
	"\tfield:__rel_loc u8[] rel;\toffset:56;\tsize:4;\tsigned:0;\n"        \
	"\nprint fmt: "

#define NAMED(text) { .name = { (const uint8_t *)text, sizeof(text) - 1 } }
static struct an_field fields[] = {
	NAMED("a"), NAMED("b"), NAMED("four"), NAMED("bytes"), NAMED("text"),
	NAMED("raw"), NAMED("rel"),
};
static const struct an_layout layout = { .v = fields,
					 .n = ARRAY_LEN(fields) };

/* Whether it would be printed with. */
static bool passes(const char *print, uint32_t size, struct an_guard *g)
{
	struct tep_handle *tep = tep_alloc();
	char text[65536];
	bool ok;

	assert_non_null(tep);
	snprintf(text, sizeof(text), "%s%s\n", HEAD, print);
	tep_set_loglevel(TEP_LOG_NONE);
	tep_set_long_size(tep, 8);
	ok = an_guard_text(span_of(text, strlen(text)), &layout);
	if (ok) {
		tep_parse_event(tep, text, strlen(text), "x");
		assert_non_null(tep_get_first_event(tep));
		ok = an_guard_event(g, tep_get_first_event(tep), size);
	}
	tep_free(tep);
	return ok;
}

static const char *const sound[] = {
	"\"%d %llx\", REC->a, REC->b",
	"\"%s %.*s\", __get_str(text), REC->a, __get_str(text)",
	"\"%d\", REC->four[3]",
	"\"%s\", __print_hex(REC->bytes, 8)",
	"\"%s\", __print_hex(REC->bytes, REC->a)",
	("\"%s\", __print_hex(__get_dynamic_array(raw), "
	 "__get_dynamic_array_len(raw))"),
	("\"%s\", __print_array(__get_dynamic_array(raw), "
	 "__get_dynamic_array_len(raw) / 4, 4)"),
	"\"%d %d\", REC->a / 3, (REC->b % 1000L)",
	"\"%d\", __get_dynamic_array_len(raw) / sizeof(u64)",
	"\"%s\", REC->a ? \"yes\" : \"no\"",
	"\"%s\", __print_flags(REC->a & ~3, \"|\", { 1, \"one\" })",
	"\"%s\", __print_symbolic((unsigned long)REC->b, { 1, \"one\" })",
	"\"%08llx %-16s %100u\", REC->b, __get_str(text), REC->a",
	"\"%ps %pS %p\", (void *)REC->b, (void *)REC->b, (void *)REC->b",
	"\"%s\", __get_rel_str(rel)",
};

static void formats_of_kernels_pass(void **state)
{
	struct an_guard g;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(sound); i++)
		if (!passes(sound[i], SIZE, &g))
			fail_msg("refused: %s", sound[i]);
}

static const char *const unsound[] = {
	/* reads far away */
	"\"%d\", REC->four[4]",
	"\"%d\", REC->four[REC->a]",
	"\"%d\", REC->four[0xffffffff]",
	"\"%s\", __print_hex(REC->bytes, 100000)",
	"\"%s\", __print_hex(REC->bytes, REC->a * REC->a)",
	"\"%s\", __print_array(REC->four, 4, REC->a)",
	"\"%s\", __print_array(REC->four, REC->four[0], 4)",
	("\"%s\", __print_array(__get_dynamic_array(raw), "
	 "__get_dynamic_array_len(raw), 8)"),
	/* stops the program */
	"\"%d\", 1 / REC->a",
	"\"%d\", 1 % (REC->a - 1)",
	"\"%d\", 1 / 0",
	"\"%d\", 1 / 2 * 0",
	"\"%s\", __print_flags(REC->a, \"|\", { 1 / (1 - 1), \"one\" })",
	"\"%d\", 1 / sizeof(REC->nothing)",
	"\"%d\", __get_rel_dynamic_array_len(rel)",
	/* takes memory and time */
	"\"%1000000d\", REC->a",
	"\"%.100000d\", REC->a",
	"\"%*d\", REC->a, REC->a",
	/* is of other fields than the record */
	"\"%d\", REC->nothing",
	"\"%d\", REC -> a",
	"\"%s\", __print_flags(REC->nothing, \"|\", { 1, \"one\" })",
	"\"%s\", __print_symbolic(REC->ab, { 1, \"one\" })",
	"\"%s\", __get_str(a)",
};

static void what_would_leave_the_record_is_refused(void **state)
{
	struct an_guard g;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(unsound); i++)
		if (passes(unsound[i], SIZE, &g))
			fail_msg("passed: %s", unsound[i]);
}

static void a_field_beyond_the_fixed_part_is_refused(void **state)
{
	struct an_guard g;

	(void)state;
	assert_true(passes("\"%d\", REC->a", 60, &g));
	assert_false(passes("\"%d\", REC->a", 59, &g));
}

static void brackets_and_operators_have_a_limit(void **state)
{
	static char text[60000];
	struct an_guard g;

	(void)state;
	strcpy(text, "\"%d\", ");
	memset(text + strlen(text), '(', 1000);
	assert_false(passes(text, SIZE, &g));
	strcpy(text, "\"%d\", 1");
	for (size_t i = strlen(text); i + 2 < sizeof(text); i += 2)
		memcpy(text + i, "+1", 2);
	assert_false(passes(text, SIZE, &g));
	assert_false(an_guard_text(span_of("a\0b", 3), &layout));
}

static void a_length_is_looked_at_in_each_record(void **state)
{
	struct tep_handle *tep = tep_alloc();
	const char *text = HEAD "\"%s\", __print_hex(REC->bytes, REC->a)\n";
	uint8_t record[SIZE] = { 0 };
	uint32_t n = 8;
	struct an_guard g;

	(void)state;
	assert_non_null(tep);
	tep_parse_event(tep, text, strlen(text), "x");
	assert_true(an_guard_event(&g, tep_get_first_event(tep), SIZE));
	memcpy(record + 8, &n, 4);
	assert_true(an_guard_record(&g, record));
	n = 0x7fffffff;
	memcpy(record + 8, &n, 4);
	assert_false(an_guard_record(&g, record));
	tep_free(tep);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(formats_of_kernels_pass),
		cmocka_unit_test(what_would_leave_the_record_is_refused),
		cmocka_unit_test(a_field_beyond_the_fixed_part_is_refused),
		cmocka_unit_test(brackets_and_operators_have_a_limit),
		cmocka_unit_test(a_length_is_looked_at_in_each_record),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
