/* The whole command, over a profile small enough to be drawn by hand. */
#include "analyze/command.h"
#include "analyze/report/graph.h"
#include "format/base/mem.h"
#include "tests/support/failalloc.h"
#include "tests/support/tracebuild.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

extern const struct an_command an_cmd_report;

static const struct tb_image images[] = {
	{ "app", TF_IMAGE_ELF, "/bin/app", NULL, 0 },
	{ "bare", TF_IMAGE_ELF, "/bin/bare", NULL, 0 },
	{ "kernel", TF_IMAGE_KERNEL, "[kernel.kallsyms]", NULL, 0 },
};
static const struct tb_symbol symbols[] = {
	{ "app", "main", 0x100, 0x100, NULL },
	{ "app", "walk", 0x200, 0x100, NULL },
	{ "app", "leaf", 0x300, 0x100, NULL },
	{ "kernel", "fault", 0x100, 0x100, NULL },
};
static const struct tb_thread threads[] = { { 1, 1, "app", 0 } };
static const struct tb_event events[] = {
	{ "cpu-clock", "ns", 1, 0, 1000, 0, true },
	{ "faults", "", 1, 2, 0, 1, true },
};
/* Of 100 ns: leaf 60 (50 below walk, which is on the stack twice for 20 of
 * them), fault 25 below leaf, two addresses of bare 15. */
static const struct tb_sample samples[] = {
	{ 1, 0, 0, 0, 30, "main;walk;leaf", NULL, 0, 1 },
	{ 2, 0, 0, 0, 20, "main;walk;walk;leaf", NULL, 0, 1 },
	{ 3, 0, 0, 0, 10, "main;leaf", NULL, 0, 1 },
	{ 4, 0, 0, 0, 25, "main;walk;leaf", "fault", 0, 1 },
	{ 5, 0, 0, 0, 10, "main;bare@0x10", NULL, 0, 1 },
	{ 6, 0, 0, 0, 5, "main;bare@0x50", NULL, 0, 1 },
	{ 7, 0, 0, 1, 1, "main", NULL, 0, 3 },
};
static const struct tb_epoch epoch = { samples, ARRAY_LEN(samples) };
static const struct log quiet = { NULL, "test", LOG_QUIET };

struct fixture {
	char path[64];
	struct an_trace *t;
};

static int setup(void **state)
{
	static const struct tb_trace trace = {
		.images = images, .n_images = ARRAY_LEN(images),
		.symbols = symbols, .n_symbols = ARRAY_LEN(symbols),
		.threads = threads, .n_threads = ARRAY_LEN(threads),
		.events = events, .n_events = ARRAY_LEN(events),
		.epochs = &epoch, .n_epochs = 1,
	};
	struct fixture *f = calloc(1, sizeof(*f));
	int fd;

	snprintf(f->path, sizeof(f->path), "/tmp/report-XXXXXX");
	fd = mkstemp(f->path);
	if (fd < 0 || close(fd) || tb_write(&trace, f->path, NULL) ||
	    an_trace_open(&f->t, f->path, &quiet, NULL))
		return -1;
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	an_trace_close(f->t);
	unlink(f->path);
	free(f);
	return 0;
}

static void free_lists(const struct opt *rows, char *args)
{
	for (const struct opt *o = rows; o->kind != OPT_KIND_END; o++)
		if (o->kind == OPT_KIND_LIST)
			opt_list_fini((struct opt_list *)(void *)
				      (args + o->field));
}

/* Runs "report WORDS" and prints to `to`. */
static int run(const struct fixture *f, const char *words, FILE *to,
	       struct err *err)
{
	const struct an_command *cmd = &an_cmd_report;
	const char *path = f->path;
	struct an_env env = { .log = &quiet, .out = to, .path = f->path,
			      .paths = &path, .n_paths = 1, .trace = f->t };
	char line[200], *save, *argv[20];
	int argc = 0, n, rc;
	_Alignas(max_align_t) char args[512] = { 0 };

	assert_true(cmd->args_size <= sizeof(args));
	snprintf(line, sizeof(line), "report %s", words);
	for (char *w = strtok_r(line, " ", &save); w;
	     w = strtok_r(NULL, " ", &save))
		argv[argc++] = w;
	cmd->defaults(args);
	rc = opt_parse(cmd->opts, OPT_ANYWHERE, args, argc, argv, &n, err);
	if (!rc)
		rc = cmd->run(&env, args, err);
	free_lists(cmd->opts, args);
	return rc;
}

/* What a run prints behind the head, which is told by lines with a '#'. */
static void expect(const struct fixture *f, const char *words, const char *want)
{
	char *text = NULL, *at;
	struct err err = { 0 };
	size_t n;
	FILE *to = open_memstream(&text, &n);
	int rc = run(f, words, to, &err);

	fclose(to);
	if (rc)
		fail_msg("%s: %d: %s", words, rc, err.text);
	at = strstr(text, "..\n#\n");
	at = at ? at + 5 : text;
	assert_string_equal(at, want);
	free(text);
}

static void callers_are_counted_once_and_graphs_go_down(void **state)
{
	expect(*state, "-e cpu-clock -s sym,dso -g caller,20",
	       "   100.00%     0.00%  [.] main       app\n"
	       "            |          \n"
	       "             --75.00%--walk\n"
	       "                       |          \n"
	       "                       |--55.00%--leaf\n"
	       "                       |          |          \n"
	       "                       |           --25.00%--fault\n"
	       "                       |          \n"
	       "                        --20.00%--walk\n"
	       "                                  leaf\n"
	       "\n"
	       "    85.00%    60.00%  [.] leaf       app\n"
	       "            |          \n"
	       "            |--60.00%--main\n"
	       "            |          |          \n"
	       "            |           --50.00%--walk\n"
	       "            |                     |          \n"
	       "            |                     |--30.00%--leaf\n"
	       "            |                     |          \n"
	       "            |                      --20.00%--walk\n"
	       "            |                                leaf\n"
	       "            |          \n"
	       "             --25.00%--leaf\n"
	       "                       fault\n"
	       "\n"
	       "    75.00%     0.00%  [.] walk       app\n"
	       "            |          \n"
	       "            |--55.00%--leaf\n"
	       "            |          |          \n"
	       "            |           --25.00%--fault\n"
	       "            |          \n"
	       "             --20.00%--walk\n"
	       "                       leaf\n"
	       "\n"
	       "    25.00%    25.00%  [k] fault      [kernel.kallsyms]\n"
	       "            |\n"
	       "            ---main\n"
	       "               walk\n"
	       "               leaf\n"
	       "               fault\n"
	       "\n"
	       "    15.00%    15.00%  [.] [unknown]  bare\n");
}

static void without_children_graphs_go_up(void **state)
{
	expect(*state, "-e cpu-clock -s comm,sym --no-children",
	       "    60.00%  app      [.] leaf\n"
	       "            |\n"
	       "            ---leaf\n"
	       "               |          \n"
	       "               |--50.00%--walk\n"
	       "               |          |          \n"
	       "               |          |--30.00%--main\n"
	       "               |          |          \n"
	       "               |           --20.00%--walk\n"
	       "               |                     main\n"
	       "               |          \n"
	       "                --10.00%--main\n"
	       "\n"
	       "    25.00%  app      [k] fault\n"
	       "            |\n"
	       "            ---fault\n"
	       "               leaf\n"
	       "               walk\n"
	       "               main\n"
	       "\n"
	       "    15.00%  app      [.] [bare]\n"
	       "            |\n"
	       "            ---[bare]\n"
	       "               main\n"
	       "\n");
}

static void samples_weigh_one_each(void **state)
{
	expect(*state, "-e cpu-clock -s dso --no-children -g none -n "
	       "--weight samples",
	       "    50.00%             3  app\n"
	       "    33.33%             2  bare\n"
	       "    16.67%             1  [kernel.kallsyms]\n");
}

static void csv_holds_all_events(void **state)
{
	expect(*state, "--csv -s dso",
	       "event,children_percent,children,self_percent,self,samples,dso\n"
	       "cpu-clock,100.0000,100,60.0000,60,3,app\n"
	       "cpu-clock,25.0000,25,25.0000,25,1,[kernel.kallsyms]\n"
	       "cpu-clock,15.0000,15,15.0000,15,2,bare\n"
	       "faults,100.0000,3,100.0000,3,3,app\n");
}

static void words_of_perf_are_known_or_refused_by_name(void **state)
{
	(void)state;
	for (size_t i = 0; an_graph_words[i]; i++) {
		struct an_graph_options o;
		struct err err = { 0 };
		int rc = an_graph_parse(&o, an_graph_words[i], &err);

		assert_true(rc == 0 || rc == ERR_UNSUPPORTED);
		if (rc)
			assert_non_null(strstr(err.text, an_graph_words[i]));
	}
}

static void the_graph_option_is_read_in_any_order(void **state)
{
	struct an_graph_options o;

	(void)state;
	assert_int_equal(an_graph_parse(&o, NULL, NULL), 0);
	assert_true(!o.none && !o.order_set && !o.min_set);
	assert_true(o.tree.min_percent >= 0.5 && o.tree.min_percent <= 0.5);
	assert_int_equal(an_graph_parse(&o, "caller,2.5,fractal,7", NULL), 0);
	assert_true(o.tree.fractal && o.order_set && o.min_set);
	assert_int_equal(o.tree.order, AN_CALLER);
	assert_true(o.tree.min_percent >= 2.5 && o.tree.min_percent <= 2.5);
	assert_int_equal(o.tree.limit, 7);
	assert_int_equal(an_graph_parse(&o, "graph,101", NULL), ERR_USAGE);
	assert_int_equal(an_graph_parse(&o, "graph,,0.5", NULL), ERR_USAGE);
	assert_int_equal(an_graph_parse(&o, "graph,-1", NULL), ERR_USAGE);
	assert_int_equal(an_graph_parse(&o, "graph,1x", NULL), ERR_USAGE);
	assert_int_equal(an_graph_parse(&o, "graph,nan", NULL), ERR_USAGE);
}

/* The head leaves out the line that it finds no memory for. */
static bool may_pass(const char *words)
{
	return !strstr(words, "--csv") && !strstr(words, "--json");
}

static void every_failed_allocation_is_reported(void **state)
{
	static const char *const words[] = {
		"", "-g callee --no-children", "--csv -s pid,tid,sym",
		"--json -g fractal", "--json -g callee", "-e faults -g none",
	};
	FILE *to = fopen("/dev/null", "w");

	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		for (long n = 1;; n++) {
			struct err err = { 0 };
			int rc;

			failalloc_at(n);
			rc = run(*state, words[i], to, &err);
			failalloc_off();
			if (!failalloc_hit())
				break;
			if (!rc && may_pass(words[i]))
				continue;
			assert_int_equal(rc, ERR_NOMEM);
			assert_non_null(strstr(err.text, "out of memory"));
		}
	fclose(to);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(callers_are_counted_once_and_graphs_go_down),
		cmocka_unit_test(without_children_graphs_go_up),
		cmocka_unit_test(samples_weigh_one_each),
		cmocka_unit_test(csv_holds_all_events),
		cmocka_unit_test(words_of_perf_are_known_or_refused_by_name),
		cmocka_unit_test(the_graph_option_is_read_in_any_order),
		cmocka_unit_test(every_failed_allocation_is_reported),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
