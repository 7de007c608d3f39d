#include "record/complete.h"

#include "tests/support/filetree.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void make_tree(struct filetree *t)
{
	filetree_init(t);
	filetree_text(t, "/proc/sys/kernel/perf_event_paranoid", "2\n");
	filetree_text(t, "/proc/self/status", "Uid:\t9\t9\t9\t9\n"
		      "CapEff:\t0000000000000000\n");
	filetree_text(t, "/proc/41/comm", "Web Content\n");
	filetree_text(t, "/proc/41/task/41/comm", "Web Content\n");
	filetree_text(t, "/proc/41/task/47/comm", "Compositor\n");
	filetree_text(t, "/proc/5/comm", "kworker/0:0\n");
	filetree_text(t, "/proc/5/task/5/comm", "kworker/0:0\n");
	filetree_text(t, "/sys/devices/system/cpu/online", "0-1,4\n");
	filetree_text(t, "/sys/kernel/tracing/events/drm/drm_vblank_event/id",
		      "7\n");
}

/* The last word is being typed. `want` without a line's end is how the answer
 * begins. */
static void says(const struct filetree *t, char **words, const char *want)
{
	char at[16], *argv[12] = { "--complete", at, "--" };
	char *text = NULL;
	size_t size;
	FILE *to = open_memstream(&text, &size);
	int n = 0;

	for (; words[n]; n++)
		argv[3 + n] = words[n];
	snprintf(at, sizeof(at), "%d", n - 1);
	assert_int_equal(rec_complete(3 + n, argv, t->root, to, NULL), 0);
	fclose(to);
	if (*want && want[strlen(want) - 1] != '\n')
		text[strnlen(text, strlen(want))] = '\0';
	assert_string_equal(text, want);
	free(text);
}

#define SAYS(want, ...) says(*state, (char *[]){ __VA_ARGS__, NULL }, want)

static void events_are_those_of_the_machine(void **state)
{
	SAYS("drm:drm_vblank_event", "-e", "drm:");
	SAYS("cpu-clock,page-faults\n", "-e", "cpu-clock,page-f");
	SAYS("page-faults\n", "list", "page-f");
}

static void processes_and_threads_are_those_of_proc(void **state)
{
	SAYS("41\tWeb Content\n", "-p", "4");
	SAYS("5,41\tWeb Content\n", "-p", "5,4");
	SAYS("47\tCompositor\n", "-t", "47");
}

static void cpus_are_those_online(void **state)
{
	SAYS("0\n1\n4\n", "-C", "");
	SAYS("0,4\n", "--cpu", "0,4");
}

static void the_first_word_may_be_a_command_of_rec(void **state)
{
	SAYS("list\tthe events of this machine, and what each needs\n"
	     ":command 0\n", "lis");
	SAYS(":command 1\n", "-g", "lis");
	SAYS(":command 2\n", "-g", "--", "lis");
	SAYS(":command 1\n", "-g", "ls", "-");
}

static void a_command_has_its_own_options(void **state)
{
	SAYS("--json\tas JSON\n", "list", "--j");
	SAYS("--json\tas JSON\n", "doctor", "--j");
	SAYS("tracepoint\n", "list", "trac");
	SAYS("", "doctor", "x");
}

static void files_are_asked_for(void **state)
{
	SAYS(":files .ctr\t0\n", "-o", "x");
	SAYS(":files .ctr\t9\n", "--output=x");
	SAYS(":files \t0\n", "import", "x");
}

static int setup(void **state)
{
	struct filetree *tree = calloc(1, sizeof(*tree));

	assert_non_null(tree);
	make_tree(tree);
	*state = tree;
	return 0;
}

static int teardown(void **state)
{
	filetree_fini(*state);
	free(*state);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(events_are_those_of_the_machine),
		cmocka_unit_test(processes_and_threads_are_those_of_proc),
		cmocka_unit_test(cpus_are_those_online),
		cmocka_unit_test(the_first_word_may_be_a_command_of_rec),
		cmocka_unit_test(a_command_has_its_own_options),
		cmocka_unit_test(files_are_asked_for),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
