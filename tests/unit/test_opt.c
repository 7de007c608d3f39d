#include "format/base/mem.h"
#include "format/base/opt.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

struct args {
	bool all, all_seen;
	int verbose;
	const char *output, *graph;
	struct opt_list events;
	uint64_t pid, size, interval;
	double share;
};

static const char *const graph_words[] = { "fp", "dwarf", "lbr", NULL };

static const struct opt rows[] = {
	OPT_GROUP("What"),
	{ .kind = OPT_KIND_FLAG, .letter = 'a', .name = "all-cpus",
	  .field = offsetof(struct args, all),
	  .seen = offsetof(struct args, all_seen) + 1, .help = "all" },
	OPT_COUNT('v', "verbose", struct args, verbose, "say more"),
	OPT_STR('o', "output", "FILE", struct args, output, "where to"),
	OPT_LIST('e', "event", "EVENT", struct args, events, "what"),
	OPT_U64('p', "pid", "PID", struct args, pid, "whom"),
	OPT_SIZE('m', "max-size", "SIZE", struct args, size, "how much"),
	OPT_TIME('I', "interval", "TIME", struct args, interval, 1000000,
		 "how often"),
	OPT_F64(0, "share", "X", struct args, share, "part"),
	OPT_MODE('g', "graph", "MODE", struct args, graph, graph_words,
		 "stacks"),
	OPT_LIST(0, "filter", "EXPR", struct args, events, "of what"),
	OPT_IGNORED('Z', "squeeze", "done anyway"),
	OPT_REFUSED('b', "branches", "there are none"),
	OPT_END,
};

static int parse(struct args *a, enum opt_order order, int *n, char **argv,
		 struct err *err)
{
	int argc = 0;

	while (argv[argc])
		argc++;
	*a = (struct args){ 0 };
	return opt_parse(rows, order, a, argc, argv, n, err);
}

#define ARGV(...) ((char *[]){ (char *)"prog", __VA_ARGS__, NULL })
#define W(s) ((char *)s)

static void every_kind_of_value_arrives(void **state)
{
	struct args a;
	struct err err = { 0 };
	int n;

	(void)state;
	assert_int_equal(
		parse(&a, OPT_ANYWHERE, &n,
		      ARGV(W("-avv"), W("--output=x.ctr"), W("-e"), W("a"),
			   W("-eb"), W("--pid"), W("0x10"), W("-m2K"),
			   W("-I1.5s"), W("--share"), W("0.25")), &err), 0);
	assert_true(a.all);
	assert_true(a.all_seen);
	assert_int_equal(a.verbose, 2);
	assert_string_equal(a.output, "x.ctr");
	assert_int_equal(a.events.n, 2);
	assert_string_equal(a.events.items[0], "a");
	assert_string_equal(a.events.items[1], "b");
	assert_int_equal(a.pid, 16);
	assert_int_equal(a.size, 2048);
	assert_int_equal(a.interval, 1500000000);
	assert_true(a.share == 0.25);
	assert_int_equal(n, 0);
	opt_list_fini(&a.events);
}

static void options_of_one_list_keep_their_order(void **state)
{
	struct args a;
	struct err err = { 0 };
	int n;

	(void)state;
	assert_int_equal(parse(&a, OPT_ANYWHERE, &n,
			       ARGV(W("-ea"), W("--filter"), W("x"), W("-eb"),
				    W("--filter=y")), &err), 0);
	assert_int_equal(a.events.n, 4);
	assert_int_equal(a.events.rows[0]->letter, 'e');
	assert_string_equal(a.events.items[0], "a");
	assert_string_equal(a.events.rows[1]->name, "filter");
	assert_string_equal(a.events.items[1], "x");
	assert_int_equal(a.events.rows[2]->letter, 'e');
	assert_string_equal(a.events.items[3], "y");
	opt_list_fini(&a.events);
}

static void options_from_elsewhere_are_ignored_or_refused(void **state)
{
	struct args a;
	struct err err = { 0 };
	int n;

	(void)state;
	assert_int_equal(parse(&a, OPT_ANYWHERE, &n,
			       ARGV(W("-Z22v"), W("-Z"), W("--squeeze=3"),
				    W("one"), W("-vZ")), &err), 0);
	assert_int_equal(a.verbose, 2);
	assert_int_equal(n, 1);
	assert_int_equal(parse(&a, OPT_ANYWHERE, &n, ARGV(W("-vb")), &err),
			 ERR_UNSUPPORTED);
	assert_string_equal(err.text, "option '-b': there are none");
	/* They are no reason to write others in full. */
	assert_int_equal(parse(&a, OPT_ANYWHERE, &n, ARGV(W("--sq")), &err),
			 ERR_USAGE);
	assert_string_equal(err.text, "unknown option '--sq'");
}

static void operands_are_kept_in_order(void **state)
{
	char **argv = ARGV(W("one"), W("-a"), W("two"), W("--"), W("-v"));
	struct args a;
	struct err err = { 0 };
	int n;

	(void)state;
	assert_int_equal(parse(&a, OPT_ANYWHERE, &n, argv, &err), 0);
	assert_int_equal(n, 3);
	assert_string_equal(argv[1], "one");
	assert_string_equal(argv[2], "two");
	assert_string_equal(argv[3], "-v");
	assert_int_equal(a.verbose, 0);
}

static void a_command_keeps_its_own_options(void **state)
{
	char **argv = ARGV(W("-a"), W("ls"), W("-v"), W("--all-cpus"));
	struct args a;
	struct err err = { 0 };
	int n;

	(void)state;
	assert_int_equal(parse(&a, OPT_FIRST, &n, argv, &err), 0);
	assert_int_equal(n, 3);
	assert_string_equal(argv[1], "ls");
	assert_string_equal(argv[2], "-v");
	assert_int_equal(a.verbose, 0);
}

static void a_mode_takes_the_next_word_only_where_it_is_one(void **state)
{
	struct args a;
	struct err err = { 0 };
	int n;

	(void)state;
	assert_int_equal(parse(&a, OPT_FIRST, &n, ARGV(W("-g"), W("ls")),
			       &err), 0);
	assert_string_equal(a.graph, "fp");
	assert_int_equal(n, 1);
	assert_int_equal(parse(&a, OPT_FIRST, &n, ARGV(W("-g"), W("dwarf")),
			       &err), 0);
	assert_string_equal(a.graph, "dwarf");
	assert_int_equal(n, 0);
}

static void a_mode_takes_a_number_that_is_no_file(void **state)
{
	static const struct {
		const char *word;
		bool taken;
	} words[] = {
		{ "0.5", true },   { "0.5,caller", true }, { "10,caller", true },
		{ "5.", true },    { "10", false },        { "7.zip", false },
		{ "7z", false },   { ".5", false },        { "1.2.3", false },
		{ "2to3-3.11", false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(words); i++) {
		struct args a;
		struct err err = { 0 };
		int n;

		assert_int_equal(parse(&a, OPT_FIRST, &n,
				       ARGV(W("-g"), W(words[i].word)), &err),
				 0);
		assert_int_equal(n, !words[i].taken);
		assert_string_equal(a.graph, words[i].taken ? words[i].word :
							      "fp");
	}
}

static void long_names_may_be_cut_while_unique_and_negated(void **state)
{
	struct args a;
	struct err err = { 0 };
	int n;

	(void)state;
	assert_int_equal(parse(&a, OPT_FIRST, &n,
			       ARGV(W("--all"), W("--no-all-cpus")), &err), 0);
	assert_false(a.all);
	assert_true(a.all_seen);
}

static void bad_command_lines_are_named(void **state)
{
	static const struct {
		const char *word, *next, *text;
	} bad[] = {
		{ "--nope", NULL, "unknown option '--nope'" },
		{ "-z", NULL, "unknown option '-z'" },
		{ "--output", NULL, "option '--output' needs a value: FILE" },
		{ "--all-cpus=1", NULL, "option '--all-cpus' takes no value" },
		{ "-p", "abc", "option '--pid': 'abc' is not a number" },
		{ "-p", "-1", "option '--pid': '-1' is not a number" },
		{ "-m", "1X", "option '--max-size': '1X' is not a size "
			      "(such as 512K or 16M)" },
		{ "-I", "x", "option '--interval': 'x' is not a time "
			     "(such as 10s or 200ms)" },
		{ "--s", "y", "option '--share': 'y' is not a number" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		struct args a;
		struct err err = { 0 };
		int n;

		assert_int_equal(parse(&a, OPT_FIRST, &n,
				       ARGV(W(bad[i].word), W(bad[i].next)),
				       &err), ERR_USAGE);
		assert_string_equal(err.text, bad[i].text);
	}
}

static void usage_names_every_option(void **state)
{
	char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);

	(void)state;
	opt_usage(rows, to);
	fclose(to);
	assert_non_null(strstr(text, "\nWhat\n"));
	assert_non_null(strstr(text, "-o, --output FILE"));
	assert_non_null(strstr(text, "    --share X"));
	assert_non_null(strstr(text, "stacks"));
	free(text);
}

static void an_alias_makes_no_name_ambiguous(void **state)
{
	static const struct opt aliased[] = {
		OPT_LIST(0, "event", "EVENT", struct args, events, "what"),
		{ .kind = OPT_KIND_LIST, .letter = 'E', .name = "events",
		  .field = offsetof(struct args, events), .hidden = true },
		OPT_END,
	};
	char **argv = ARGV(W("--ev"), W("a"), W("--events"), W("b"), W("-E"),
			   W("c"));
	struct args a = { 0 };
	struct err err = { 0 };
	int n;

	(void)state;
	assert_int_equal(opt_parse(aliased, OPT_ANYWHERE, &a, 7, argv, &n,
				   &err), 0);
	assert_int_equal(a.events.n, 3);
	assert_string_equal(a.events.items[0], "a");
	assert_string_equal(a.events.items[2], "c");
	opt_list_fini(&a.events);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_kind_of_value_arrives),
		cmocka_unit_test(options_of_one_list_keep_their_order),
		cmocka_unit_test(options_from_elsewhere_are_ignored_or_refused),
		cmocka_unit_test(operands_are_kept_in_order),
		cmocka_unit_test(a_command_keeps_its_own_options),
		cmocka_unit_test(a_mode_takes_the_next_word_only_where_it_is_one),
		cmocka_unit_test(a_mode_takes_a_number_that_is_no_file),
		cmocka_unit_test(long_names_may_be_cut_while_unique_and_negated),
		cmocka_unit_test(bad_command_lines_are_named),
		cmocka_unit_test(usage_names_every_option),
		cmocka_unit_test(an_alias_makes_no_name_ambiguous),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
