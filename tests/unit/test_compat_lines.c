/* The lines of stackcollapse-perf.pl: their order, and the answers that it gave
 * for public files. */
#include "analyze/compat/collapsed.h"
#include "analyze/compat/names.h"
#include "format/base/mem.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct span span_text(const char *text)
{
	return span_of(text, strlen(text));
}

static void put(struct an_collapsed *c, const char *stack, uint64_t weight)
{
	uint32_t at = 0;

	for (const char *p = stack;; p++) {
		size_t n = strcspn(p, ";");

		assert_int_equal(an_collapsed_child(c, at, span_of(p, n), &at),
				 0);
		p += n;
		if (!*p)
			break;
	}
	assert_int_equal(an_collapsed_add(c, at, weight), 0);
}

static void expect_lines(const struct an_collapsed *c, const char *want)
{
	char *text = NULL;
	size_t size = 0;
	FILE *to = open_memstream(&text, &size);

	assert_non_null(to);
	assert_int_equal(an_collapsed_write(c, to), 0);
	fclose(to);
	assert_string_equal(text, want);
	free(text);
}

/* As `LC_ALL=C sort` has the stacks. */
static void lines_come_in_the_order_of_their_bytes(void **state)
{
	struct an_collapsed c = { 0 };

	(void)state;
	put(&c, "a;x", 1);
	put(&c, "a b", 2);
	put(&c, "b;\xc3\xa9;z", 3);
	put(&c, "a", 4);
	put(&c, "a;x;y", 5);
	put(&c, "a;x y", 6);
	put(&c, "b;;c", 7);
	put(&c, "a<b;c", 8);
	put(&c, "b;e", 9);
	put(&c, "a;x", 10);
	expect_lines(&c, "a 4\na b 2\na;x 11\na;x y 6\na;x;y 5\na<b;c 8\n"
			 "b;;c 7\nb;e 9\nb;\xc3\xa9;z 3\n");
	an_collapsed_fini(&c);
}

static void nothing_makes_no_lines(void **state)
{
	struct an_collapsed c = { 0 };

	(void)state;
	expect_lines(&c, "");
	put(&c, "a;b", 0);
	expect_lines(&c, "");
	an_collapsed_fini(&c);
}

static void a_weight_that_does_not_fit_changes_nothing(void **state)
{
	struct an_collapsed c = { 0 };
	uint32_t at;

	(void)state;
	put(&c, "a", UINT64_MAX - 1);
	assert_int_equal(an_collapsed_child(&c, 0, span_text("a"), &at), 0);
	assert_int_equal(an_collapsed_add(&c, at, 2), -EOVERFLOW);
	expect_lines(&c, "a 18446744073709551614\n");
	an_collapsed_fini(&c);
}

static void a_full_disk_is_a_failure(void **state)
{
	struct an_collapsed c = { 0 };
	FILE *to = fopen("/dev/full", "w");

	(void)state;
	if (!to)
		skip();
	put(&c, "a", 1);
	assert_int_equal(an_collapsed_write(&c, to), -ENOSPC);
	fclose(to);
	an_collapsed_fini(&c);
}

/* -- Public answers -------------------------------------------------------- */

static FILE *open_public(const char *name, const char *suffix)
{
	const char *shared = getenv("SHARED");
	char path[4096];
	FILE *in;

	snprintf(path, sizeof(path), "%s/data/public/perfscript/%s%s",
		 shared ? shared : "../shared", name, suffix);
	in = fopen(path, "r");
	if (!in) {
		print_message("'%s' is not here (set SHARED)\n", path);
		skip();
	}
	return in;
}

/* A sample of the text while it is read. */
struct reading {
	struct an_collapsed out;
	const struct an_compat_options *opt;
	char event[64];     /* the first one */
	char comm[64];
	int32_t tid;
	uint64_t count;
	struct buf frames[64]; /* the innermost first */
	size_t n;
	bool taken;         /* it is of that event */
};

/* "comm tid [cpu] time: period event:", of which the files that are read here
 * lack the one or the other. */
static void read_header(struct reading *r, char *line)
{
	char *word[8] = { 0 }, *left = NULL;
	size_t n = 0;

	for (char *w = strtok_r(line, " \n", &left); w && n < ARRAY_LEN(word);
	     w = strtok_r(NULL, " \n", &left))
		word[n++] = w;
	assert_true(n >= 3);
	snprintf(r->comm, sizeof(r->comm), "%s", word[0]);
	r->tid = atoi(word[1]);
	r->count = strchr(word[n - 3], '.') ? strtoull(word[n - 2], NULL, 10) :
					      1;
	if (!*r->event)
		snprintf(r->event, sizeof(r->event), "%s", word[n - 1]);
	r->taken = strcmp(r->event, word[n - 1]) == 0;
	r->n = 0;
}

static void read_frame(struct reading *r, char *line)
{
	char *end, *dso = strrchr(line, '('), *close = strrchr(line, ')');
	struct an_compat_frame f = {
		.address = strtoull(line, &end, 16),
	};

	assert_non_null(dso);
	assert_non_null(close);
	f.dso = span_of(dso + 1, (size_t)(close - dso - 1));
	f.symbol = span_of(end + 1, (size_t)(dso - end - 2));
	if (f.symbol.n == 9 && !memcmp(f.symbol.p, "[unknown]", 9))
		f.symbol.n = 0;
	assert_true(r->n < ARRAY_LEN(r->frames));
	buf_clear(&r->frames[r->n]);
	assert_true(an_compat_names(&r->frames[r->n++], &f,
				    an_compat_is_java(span_text(r->comm)),
				    r->opt));
}

static void end_sample(struct reading *r)
{
	struct buf command;
	uint32_t at = 0;

	if (!r->taken)
		return;
	buf_init(&command, 0);
	an_compat_command(&command, span_text(r->comm), -1, r->tid, r->opt);
	assert_int_equal(an_collapsed_child(&r->out, 0,
					    span_of(command.p, command.n),
					    &at), 0);
	while (r->n-- > 0) {
		struct span name = span_of(r->frames[r->n].p,
					   r->frames[r->n].n);

		assert_int_equal(an_collapsed_child(&r->out, at, name, &at),
				 0);
	}
	assert_int_equal(an_collapsed_add(&r->out, at, r->count), 0);
	buf_fini(&command);
	r->taken = false;
}

/* The script forgets a last sample that no blank line ends. */
static void read_script(struct reading *r, FILE *in)
{
	char line[4096];

	for (size_t i = 0; i < ARRAY_LEN(r->frames); i++)
		buf_init(&r->frames[i], 0);
	while (fgets(line, sizeof(line), in)) {
		size_t n = strlen(line);

		if (*line == '#')
			continue;
		if (n == 1)
			end_sample(r);
		else if (line[n - 2] == ':' || !strcmp(line + n - 3, ": \n"))
			read_header(r, line);
		else
			read_frame(r, line);
	}
	for (size_t i = 0; i < ARRAY_LEN(r->frames); i++)
		buf_fini(&r->frames[i]);
	fclose(in);
}

static char *read_whole(FILE *in)
{
	char *text = calloc(1, 1 << 16);

	assert_non_null(text);
	assert_true(fread(text, 1, (1 << 16) - 1, in) > 0);
	fclose(in);
	return text;
}

static void expect_answer(const char *name, const char *kind,
			  const struct an_compat_options *opt)
{
	struct reading r = { .opt = opt };
	char path[256], *want;

	snprintf(path, sizeof(path), "flamegraph/%s", name);
	read_script(&r, open_public(path, ".txt"));
	snprintf(path, sizeof(path), "flamegraph/results/%s-collapsed-%s",
		 name, kind);
	want = read_whole(open_public(path, ".txt"));
	expect_lines(&r.out, want);
	free(want);
	an_collapsed_fini(&r.out);
}

static void published_answers_are_ours(void **state)
{
	static const char *const names[] = {
		"perf-cycles-instructions-01", "perf-dd-stacks-01",
		"perf-funcab-cmd-01", "perf-java-stacks-02",
		"perf-js-stacks-01", "perf-mirageos-stacks-01",
	};
	static const struct {
		const char *kind;
		struct an_compat_options opt;
	} kinds[] = {
		{ "kernel", { .kernel = true } }, { "jit", { .jit = true } },
		{ "all", { .kernel = true, .jit = true } },
		{ "addrs", { .addrs = true } }, { "pid", { .pid = true } },
		{ "tid", { .tid = true } },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		for (size_t k = 0; k < ARRAY_LEN(kinds); k++) {
			/* Of an older script, whose classes kept their L. */
			if (strstr(names[i], "java") &&
			    (kinds[k].opt.pid || kinds[k].opt.tid))
				continue;
			expect_answer(names[i], kinds[k].kind, &kinds[k].opt);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_come_in_the_order_of_their_bytes),
		cmocka_unit_test(nothing_makes_no_lines),
		cmocka_unit_test(a_weight_that_does_not_fit_changes_nothing),
		cmocka_unit_test(a_full_disk_is_a_failure),
		cmocka_unit_test(published_answers_are_ours),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
