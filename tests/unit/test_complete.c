#include "format/base/complete.h"

#include "format/base/mem.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct args {
	bool all, graph;
	int loud;
	const char *out, *mode, *way;
	struct opt_list events;
	const char *secret;
};

static const char *const modes[] = { "graph", "none", NULL };

static const struct opt rows[] = {
	OPT_GROUP("What"),
	OPT_FLAG('a', "all", struct args, all, "everything"),
	OPT_FLAG('g', NULL, struct args, graph, "chains"),
	OPT_COUNT('v', "verbose", struct args, loud, "more"),
	OPT_LIST('e', "event", "EVENT,…", struct args, events, "events"),
	OPT_STR('o', "output", "FILE", struct args, out, "file"),
	OPT_STR(0, "way", "fp|dwarf", struct args, way, "way"),
	OPT_MODE('m', "mode", "HOW", struct args, mode, modes, "how"),
	{ .kind = OPT_KIND_STR, .name = "secret", .arg = "X",
	  .field = offsetof(struct args, secret), .hidden = true, .help = "" },
	OPT_END,
};

#define WORDS(...) ((char *[]){ __VA_ARGS__, NULL })

static int count(char **words)
{
	int n = 0;

	while (words[n])
		n++;
	return n;
}

/* The last word is being typed. */
static struct complete find(enum opt_order order, char **words)
{
	struct complete_line line = { words, count(words), count(words) - 1 };
	struct complete c;

	complete_find(&c, rows, order, &line, NULL);
	return c;
}

#define FIND(...) find(OPT_ANYWHERE, WORDS(__VA_ARGS__))
#define FIND_FIRST(...) find(OPT_FIRST, WORDS(__VA_ARGS__))

static void is_value(struct complete c, const char *name, size_t kept)
{
	assert_int_equal(c.what, COMPLETE_VALUE);
	assert_string_equal(c.opt->name, name);
	assert_int_equal(c.kept, kept);
}

static void a_value_is_found_wherever_it_is_typed(void **state)
{
	(void)state;
	is_value(FIND("-a", "-o", "x"), "output", 0);
	is_value(FIND("-ox"), "output", 2);
	is_value(FIND("-vao", ""), "output", 0);
	is_value(FIND("-avox"), "output", 4);
	is_value(FIND("--output", "x"), "output", 0);
	is_value(FIND("--output=x"), "output", 9);
	is_value(FIND("--out=x"), "output", 6);
	is_value(FIND("--out", "-"), "output", 0);
}

static void of_a_list_the_last_part_is_typed(void **state)
{
	(void)state;
	is_value(FIND("-e", "a,b"), "event", 2);
	is_value(FIND("-e", "{a"), "event", 1);
	is_value(FIND("-e", "{a,"), "event", 3);
	is_value(FIND("--event=a,b,"), "event", 12);
	is_value(FIND("-ea,b"), "event", 4);
	/* Of what is no list all is typed. */
	is_value(FIND("-o", "a,b"), "output", 0);
}

static void what_follows_a_value_is_free(void **state)
{
	(void)state;
	assert_int_equal(FIND("-o", "x", "y").what, COMPLETE_OPERAND);
	assert_int_equal(FIND("-ox", "y").what, COMPLETE_OPERAND);
	assert_int_equal(FIND("--output=x", "y").what, COMPLETE_OPERAND);
	assert_int_equal(FIND("-a", "y").what, COMPLETE_OPERAND);
	assert_int_equal(FIND("--unknown", "y").what, COMPLETE_OPERAND);
}

static void the_value_of_a_mode_may_be_left_out(void **state)
{
	struct complete c = FIND("-m", "g");

	(void)state;
	is_value(c, "mode", 0);
	assert_true(c.optional);
	assert_int_equal(FIND("-m", "file", "-").what, COMPLETE_OPTION);
	assert_int_equal(FIND("-m", "file", "x").n_operands, 1);
	assert_int_equal(FIND("-m", "none", "x").n_operands, 0);
	assert_int_equal(FIND("-m", "0.5", "x").n_operands, 0);
}

static void operands_are_counted_as_the_parser_would(void **state)
{
	struct complete c = FIND("a", "-o", "x", "b", "");

	(void)state;
	assert_int_equal(c.n_operands, 2);
	assert_int_equal(c.first_operand, 0);
	assert_int_equal(FIND("-a", "").first_operand, -1);
	assert_int_equal(FIND("--", "-a", "-").what, COMPLETE_OPERAND);
	assert_int_equal(FIND("--", "-a", "-").first_operand, 1);
	assert_int_equal(FIND("-a", "--").what, COMPLETE_OPTION);
}

static void behind_a_command_nothing_is_an_option(void **state)
{
	struct complete c = FIND_FIRST("-a", "ls", "-");

	(void)state;
	assert_int_equal(c.what, COMPLETE_OPERAND);
	assert_int_equal(c.first_operand, 1);
	assert_int_equal(FIND("-a", "ls", "-").what, COMPLETE_OPTION);
}

static void words_behind_the_typed_one_are_known(void **state)
{
	char *words[] = { "-e", "x", "file", NULL };
	struct complete_line line = { words, 3, 1 };
	struct complete c;

	(void)state;
	complete_find(&c, rows, OPT_ANYWHERE, &line, NULL);
	is_value(c, "event", 0);
	assert_int_equal(c.first_operand, 2);
	assert_int_equal(c.n_operands, 0);
	line = (struct complete_line){ words, 1, 1 };
	complete_find(&c, rows, OPT_ANYWHERE, &line, NULL);
	is_value(c, "event", 0);
	assert_string_equal(c.word, "");
}

struct answer {
	char *text;
	size_t size;
	FILE *to;
};

static void answer_open(struct answer *a)
{
	*a = (struct answer){ 0 };
	a->to = open_memstream(&a->text, &a->size);
	assert_non_null(a->to);
}

static void answer_is(struct answer *a, const char *text)
{
	fclose(a->to);
	assert_string_equal(a->text, text);
	free(a->text);
}

/* The last word is being typed. */
static struct complete typing(struct answer *a, char **words)
{
	struct complete c = find(OPT_ANYWHERE, words);

	answer_open(a);
	c.to = a->to;
	return c;
}

static void candidates_begin_with_what_is_typed(void **state)
{
	struct answer a;
	struct complete c = typing(&a, WORDS("--event=a,cy"));

	(void)state;
	complete_say(&c, "cycles", "of the clock");
	complete_say(&c, "page-faults", NULL);
	complete_say(&c, "cy", "");
	answer_is(&a, "--event=a,cycles\tof the clock\n--event=a,cy\n");
}

static void what_would_spoil_the_answer_is_left_out(void **state)
{
	struct answer a;
	struct complete c = typing(&a, WORDS("-o", ""));

	(void)state;
	complete_say(&c, "a\tb", NULL);
	complete_say(&c, "a\nb", NULL);
	complete_say(&c, "\x1b[31m", NULL);
	complete_say(&c, ":command 0", NULL);
	complete_say(&c, "", "nothing");
	complete_say(&c, "x", "\x1b[31mred");
	answer_is(&a, "x\t\\x1b[31mred\n");
}

static void options_are_shown_by_their_long_names(void **state)
{
	struct answer a;
	struct complete c = typing(&a, WORDS("-"));

	(void)state;
	complete_options(&c, rows);
	answer_is(&a, "--all\teverything\n-g\tchains\n--verbose\tmore\n"
		  "--event\tevents\n--output\tfile\n--way\tway\n"
		  "--mode\thow\n");
	c = typing(&a, WORDS("--no-"));
	complete_options(&c, rows);
	answer_is(&a, "--no-all\teverything\n");
}

static void values_of_a_row_are_its_words(void **state)
{
	struct answer a;
	struct complete c = typing(&a, WORDS("-m", ""));

	(void)state;
	complete_values(&c);
	answer_is(&a, "graph\nnone\n");
	c = typing(&a, WORDS("--way", "d"));
	complete_values(&c);
	answer_is(&a, "dwarf\n");
	c = typing(&a, WORDS("-o", ""));
	complete_values(&c);
	answer_is(&a, "");
}

static void what_is_asked_for_says_what_stays(void **state)
{
	struct answer a;
	struct complete c = typing(&a, WORDS("--output=t"));

	(void)state;
	complete_ask(&c, "files", ".ctr");
	answer_is(&a, ":files .ctr\t9\n");
	c = typing(&a, WORDS("-a", "ls", "x"));
	complete_command(&c, 2);
	answer_is(&a, ":command 1\n");
	c = typing(&a, WORDS("-a", "l"));
	complete_command(&c, 1);
	answer_is(&a, ":command 1\n");
}

static void kinds_of_values_are_told_by_usage(void **state)
{
	struct complete c = FIND("-e", "");

	(void)state;
	assert_true(complete_takes(&c, "EVENT"));
	assert_false(complete_takes(&c, "EVEN"));
	c = FIND("-o", "");
	assert_true(complete_takes(&c, "FILE"));
	assert_false(complete_takes(&c, "FILES"));
}

static void the_call_of_a_shell_is_checked(void **state)
{
	struct complete_line line;
	char *good[] = { "--complete", "1", "--", "a", "b", NULL };
	char *none[] = { "--complete", "0", "--", NULL };
	static const struct {
		char *words[5];
		int n;
	} bad[] = {
		{ { "--complete" }, 1 },
		{ { "--complete", "0" }, 2 },
		{ { "--complete", "x", "--", "a" }, 4 },
		{ { "--complete", "-1", "--", "a" }, 4 },
		{ { "--complete", "2", "--", "a" }, 4 },
		{ { "--complete", "0", "a", "b" }, 4 },
	};

	(void)state;
	assert_int_equal(complete_line_parse(&line, 5, good, NULL), 0);
	assert_int_equal(line.n, 2);
	assert_int_equal(line.at, 1);
	assert_string_equal(line.words[1], "b");
	assert_int_equal(complete_line_parse(&line, 3, none, NULL), 0);
	assert_int_equal(line.n, 0);
	for (size_t i = 0; i < ARRAY_LEN(bad); i++)
		assert_int_equal(complete_line_parse(&line, bad[i].n,
						     (char **)bad[i].words,
						     NULL), ERR_USAGE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_value_is_found_wherever_it_is_typed),
		cmocka_unit_test(of_a_list_the_last_part_is_typed),
		cmocka_unit_test(what_follows_a_value_is_free),
		cmocka_unit_test(the_value_of_a_mode_may_be_left_out),
		cmocka_unit_test(operands_are_counted_as_the_parser_would),
		cmocka_unit_test(behind_a_command_nothing_is_an_option),
		cmocka_unit_test(words_behind_the_typed_one_are_known),
		cmocka_unit_test(candidates_begin_with_what_is_typed),
		cmocka_unit_test(what_would_spoil_the_answer_is_left_out),
		cmocka_unit_test(options_are_shown_by_their_long_names),
		cmocka_unit_test(values_of_a_row_are_its_words),
		cmocka_unit_test(what_is_asked_for_says_what_stays),
		cmocka_unit_test(kinds_of_values_are_told_by_usage),
		cmocka_unit_test(the_call_of_a_shell_is_checked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
