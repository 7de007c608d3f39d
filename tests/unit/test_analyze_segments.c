#include "analyze/breaks.h"
#include "analyze/segments.h"

#include "format/base/mem.h"
#include "tests/support/failalloc.h"
#include "tests/support/filetree.h"
#include "tests/support/tracebuild.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define MS 1000000ull

/* A file: when it began by the wall clock, what its facts are, and from when to
 * when it recorded. */
struct file {
	const char *recording, *number, *boot;
	uint64_t unix_ns, from_ms, to_ms;
};

#define MAX_FILES 4

struct fixture {
	struct filetree tree;
	char paths[MAX_FILES][128];
	const char *given[MAX_FILES];
	size_t n;
	struct an_trace *trace;
	struct err err;
};

static void put_file(struct fixture *f, const struct tb_trace *t)
{
	char path[128];

	snprintf(path, sizeof(path), "%s/%c.ctr", f->tree.root,
		 (char)('a' + f->n));
	assert_int_equal(tb_write(t, path, NULL), 0);
	memcpy(f->paths[f->n], path, sizeof(path));
	f->given[f->n] = f->paths[f->n];
	f->n++;
}

static void write_file(struct fixture *f, const struct file *what)
{
	const struct tb_fact facts[] = {
		{ "boot_id", what->boot },
		{ "recording", what->recording },
		{ "segment", what->number },
	};
	const struct tb_clock clocks[] = {
		{ what->from_ms * MS, 1, 1 }, { what->to_ms * MS, 1, 1 },
	};
	const struct tb_trace t = {
		.clocks = clocks, .n_clocks = 2,
		.facts = facts, .n_facts = what->recording ? 3 : 1,
		.start_unix_ns = what->unix_ns, .id = (uint8_t)(f->n + 1),
	};

	put_file(f, &t);
}

/* It has rows, and one reading of its clocks; what it covers, where it is a
 * part. */
static void write_part(struct fixture *f, const struct file *what,
		       const char *covers)
{
	static const struct tb_thread threads[] = { { 1, 1, "a", 0 } };
	static const struct tb_event events[] = {
		{ .name = "e", .unit = "" },
	};
	static const struct tb_image images[] = {
		{ "x", TF_IMAGE_ELF, "/bin/x", NULL, 0 }
	};
	static const struct tb_symbol symbols[] = {
		{ "x", "f", 0x10, 0x10, NULL }
	};
	const struct tb_fact facts[] = {
		{ "import.format", "perf.data" },
		{ "note.cut", "a part" },
		{ "covers", "1-2" }, /* of what it is a part of */
		{ "covers", covers },
	};
	const struct tb_clock clocks[] = {
		{ what->from_ms * MS, what->from_ms * MS + 1000000 * MS, 0 },
	};
	const struct tb_sample samples[] = {
		{ .time = what->from_ms * MS, .user = "f" },
		{ .time = what->to_ms * MS, .user = "f" },
	};
	const struct tb_epoch epochs[] = { { samples, 2 } };
	const struct tb_trace t = {
		.images = images, .n_images = 1,
		.symbols = symbols, .n_symbols = 1,
		.threads = threads, .n_threads = 1,
		.events = events, .n_events = 1,
		.epochs = epochs, .n_epochs = 1,
		.clocks = clocks, .n_clocks = 1,
		.facts = facts, .n_facts = covers ? 4 : 1,
		.start_unix_ns = what->unix_ns, .id = (uint8_t)(f->n + 1),
	};

	put_file(f, &t);
}

static void write_import(struct fixture *f, const struct file *what)
{
	write_part(f, what, NULL);
}

static void begin(struct fixture *f, const struct file *files, size_t n)
{
	*f = (struct fixture){ 0 };
	filetree_init(&f->tree);
	for (size_t i = 0; i < n; i++)
		write_file(f, &files[i]);
}

static void end(struct fixture *f)
{
	an_trace_close(f->trace);
	filetree_fini(&f->tree);
}

static int open_all(struct fixture *f)
{
	return an_segments_open(&f->trace, f->given, f->n, NULL, &f->err);
}

/* The lines, with the folder left out of the paths. */
static void assert_said(struct fixture *f, const char *want)
{
	const char *at = an_trace_joined(f->trace);
	size_t n = strlen(f->tree.root) + 1;
	char said[2000];
	size_t k = 0;

	while (*at && k + 1 < sizeof(said))
		if (strncmp(at, f->tree.root, n - 1) == 0)
			at += n;
		else
			said[k++] = *at++;
	said[k] = '\0';
	assert_string_equal(said, want);
}

static void check(const struct file *files, size_t n, const char *want)
{
	struct fixture f;

	begin(&f, files, n);
	if (open_all(&f))
		fail_msg("%s", f.err.text);
	assert_said(&f, want);
	end(&f);
}

static void segments_are_in_the_order_of_their_numbers(void **state)
{
	/* The wall clock was set back by an hour between a and b. */
	static const struct file files[] = {
		{ "r", "3", "x", 4000, 20, 30 },
		{ "r", "1", "x", 3600, 0, 10 },
		{ "r", "2", "x", 10, 10, 20 },
	};

	(void)state;
	check(files, 3, "3 files read as one\n");
}

static void other_files_are_in_the_order_of_their_begin(void **state)
{
	static const struct file files[] = {
		{ NULL, NULL, "x", 200, 3000, 4000 },
		{ NULL, NULL, "x", 100, 1000, 2500 },
	};

	(void)state;
	check(files, 2, "2 files read as one\n"
			"500.000 ms between 'b.ctr' and 'a.ctr' not "
			"recorded\n");
}

/* They were copied in the other order. */
static void imports_are_in_the_order_that_their_clocks_tell(void **state)
{
	static const struct file files[] = {
		{ .unix_ns = 100, .from_ms = 3000, .to_ms = 4000 },
		{ .unix_ns = 200, .from_ms = 1000, .to_ms = 2500 },
	};
	struct fixture f = { 0 };

	(void)state;
	filetree_init(&f.tree);
	write_import(&f, &files[0]);
	write_import(&f, &files[1]);
	assert_int_equal(open_all(&f), 0);
	assert_said(&f, "2 files read as one\n"
			"500.000 ms between 'b.ctr' and 'a.ctr' not "
			"recorded\n");
	end(&f);
}

static void a_gap_is_one_only_where_no_file_covers_it(void **state)
{
	/* b ends within a; c begins within a, too. */
	static const struct file files[] = {
		{ NULL, NULL, "x", 1, 0, 1000 },
		{ NULL, NULL, "x", 2, 100, 200 },
		{ NULL, NULL, "x", 3, 1100, 1200 },
	};

	(void)state;
	check(files, 3, "3 files read as one\n"
			"'a.ctr' and 'b.ctr' overlap by 100.000 ms: what both "
			"recorded is counted twice\n"
			"100.000 ms between 'a.ctr' and 'c.ctr' not "
			"recorded\n");
}

/* Rows of the first end at 12 ms, those of the other are from 28 ms on. */
static void parts(struct fixture *f, const char *covers, const char *other,
		  const char *want)
{
	static const struct file files[] = {
		{ .unix_ns = 1, .from_ms = 28, .to_ms = 30 },
		{ .unix_ns = 1, .from_ms = 10, .to_ms = 12 },
	};

	*f = (struct fixture){ 0 };
	filetree_init(&f->tree);
	write_part(f, &files[0], other);
	write_part(f, &files[1], covers);
	assert_int_equal(open_all(f), 0);
	assert_said(f, want);
}

static void what_a_part_covers_is_recorded_rows_or_not(void **state)
{
	static const char first[] = "10000000-20000000";
	struct fixture f;

	(void)state;
	parts(&f, first, "20000000-30000000", "2 files read as one\n");
	assert_int_equal(an_n_breaks(f.trace), 0);
	assert_int_equal(an_trace_covers(f.trace).from, 10000000);
	assert_int_equal(an_trace_covers(f.trace).to, 30000000);
	end(&f);
	parts(&f, first, "25000000-30000000",
	      "2 files read as one\n"
	      "5.000 ms between 'b.ctr' and 'a.ctr' not recorded\n");
	assert_int_equal(an_break_of(f.trace, 0)->from, 20000000);
	assert_int_equal(an_break_of(f.trace, 0)->to, 25000000);
	end(&f);
	/* It goes by its rows. */
	parts(&f, first, NULL,
	      "2 files read as one\n"
	      "8.000 ms between 'b.ctr' and 'a.ctr' not recorded\n");
	end(&f);
}

static void times_of_two_boots_are_not_compared(void **state)
{
	static const struct file files[] = {
		{ NULL, NULL, "x", 1, 0, 1000 },
		{ NULL, NULL, "y", 2, 100, 200 },
	};

	(void)state;
	check(files, 2, "2 files read as one\n"
			"'b.ctr' is of another machine or boot than 'a.ctr': "
			"their times cannot be compared\n");
}

static void a_number_that_is_none_is_no_segment(void **state)
{
	static const struct file files[] = {
		{ "r", "", "x", 1, 0, 10 },
		{ "r", "99999999999999999999999", "x", 2, 10, 20 },
	};
	struct fixture f;

	(void)state;
	begin(&f, files, 2);
	assert_int_equal(open_all(&f), 0);
	assert_non_null(strstr(an_trace_joined(f.trace), "2 files"));
	end(&f);
}

static const struct file three[] = {
	{ "r", "1", "x", 1, 0, 10 },
	{ "r", "2", "x", 2, 10, 20 },
	{ "r", "4", "x", 3, 40, 50 },
};

static void what_is_no_trace_is_named(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f, three, 3);
	filetree_text(&f.tree, "/b.ctr", "something else, longer than a header "
					 "of sixty-four bytes could ever be");
	assert_int_equal(open_all(&f), ERR_FORMAT);
	assert_non_null(strstr(f.err.text, "/b.ctr"));
	end(&f);
}

static void every_allocation_may_fail(void **state)
{
	struct fixture f;
	int rc = ERR_NOMEM;

	(void)state;
	begin(&f, three, 3);
	for (long i = 1; rc; i++) {
		failalloc_at(i);
		rc = open_all(&f);
		failalloc_off();
		assert_true(rc == 0 || rc == ERR_NOMEM);
	}
	assert_said(&f, "3 files read as one\n"
			"1 segment between 'b.ctr' and 'c.ctr' missing\n"
			"20.000 ms between 'b.ctr' and 'c.ctr' not recorded\n");
	end(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(segments_are_in_the_order_of_their_numbers),
		cmocka_unit_test(other_files_are_in_the_order_of_their_begin),
		cmocka_unit_test(
			imports_are_in_the_order_that_their_clocks_tell),
		cmocka_unit_test(a_gap_is_one_only_where_no_file_covers_it),
		cmocka_unit_test(what_a_part_covers_is_recorded_rows_or_not),
		cmocka_unit_test(times_of_two_boots_are_not_compared),
		cmocka_unit_test(a_number_that_is_none_is_no_segment),
		cmocka_unit_test(what_is_no_trace_is_named),
		cmocka_unit_test(every_allocation_may_fail),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
