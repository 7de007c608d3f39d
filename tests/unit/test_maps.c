#include "record/proc/maps.h"

#include "format/base/mem.h"
#include "tests/support/filetree.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static bool parse(const char *line, struct rec_map_line *m)
{
	return rec_map_line(span_of(line, strlen(line)), m);
}

static bool path_is(const struct rec_map_line *m, const char *want)
{
	return m->path.n == strlen(want) &&
	       memcmp(m->path.p, want, m->path.n) == 0;
}

/* The first line is of proc_pid_maps(5). */
static void each_field_of_a_line_is_taken(void **state)
{
	struct rec_map_line m;

	(void)state;
	assert_true(parse("00400000-00452000 r-xp 0001a000 08:02 173521      "
			  "/usr/bin/dbus-daemon", &m));
	assert_true(m.start == 0x400000 && m.end == 0x452000);
	assert_true(m.offset == 0x1a000);
	assert_true(m.major == 8 && m.minor == 2);
	assert_true(m.inode == 173521);
	assert_true(path_is(&m, "/usr/bin/dbus-daemon"));
	assert_true(parse("ffffffffff600000-ffffffffff601000 --xp 00000000 "
			  "103:0a 0                  [vsyscall]", &m));
	assert_true(m.start == 0xffffffffff600000);
	assert_true(m.major == 0x103 && m.minor == 0xa && m.inode == 0);
	assert_true(path_is(&m, "[vsyscall]"));
}

static void a_path_keeps_its_spaces_and_its_deleted_mark(void **state)
{
	struct rec_map_line m;

	(void)state;
	assert_true(parse("1000-2000 r-xp 0 00:01 5   /tmp/a  b c (deleted)",
			  &m));
	assert_true(path_is(&m, "/tmp/a  b c (deleted)"));
	assert_true(parse("1000-2000 r-xs 0 00:01 5   /memfd:jit (deleted)",
			  &m));
	assert_true(path_is(&m, "/memfd:jit (deleted)"));
}

static void memory_of_no_file_has_an_empty_path(void **state)
{
	struct rec_map_line m;

	(void)state;
	assert_true(parse("7f0000000000-7f0000001000 rwxp 00000000 00:00 0 ",
			  &m));
	assert_int_equal(m.path.n, 0);
	assert_true(parse("7f0000000000-7f0000001000 rwxp 00000000 00:00 0",
			  &m));
	assert_int_equal(m.path.n, 0);
}

static void what_is_not_executable_is_left_out(void **state)
{
	struct rec_map_line m = { .start = 77 };

	(void)state;
	assert_false(parse("1000-2000 rw-p 0 00:01 5 /a", &m));
	assert_false(parse("1000-2000 r--p 0 00:01 5 /a", &m));
	assert_int_equal(m.start, 77);
}

static void a_malformed_line_is_refused_and_changes_nothing(void **state)
{
	static const char *const lines[] = {
		"",
		"1000-2000",
		"1000-2000 r-xp",
		"1000-2000 r-xp 0 00:01",
		"1000 r-xp 0 00:01 5 /a",
		"-2000 r-xp 0 00:01 5 /a",
		"1000- r-xp 0 00:01 5 /a",
		"2000-1000 r-xp 0 00:01 5 /a",
		"1000-1000 r-xp 0 00:01 5 /a",
		"xyz-2000 r-xp 0 00:01 5 /a",
		"1000-2000 x 0 00:01 5 /a",
		"1000-2000 r-xpp 0 00:01 5 /a",
		"1000-2000 r-xp q 00:01 5 /a",
		"1000-2000 r-xp 0 0001 5 /a",
		"1000-2000 r-xp 0 00: 5 /a",
		"1000-2000 r-xp 0 00:01 5f /a",
		"10000000000000000-20000000000000000 r-xp 0 00:01 5 /a",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(lines); i++) {
		struct rec_map_line m = { .start = 77 };

		assert_false(parse(lines[i], &m));
		assert_int_equal(m.start, 77);
	}
}

static void every_prefix_of_a_line_is_parsed_or_refused(void **state)
{
	static const char line[] = "00400000-00452000 r-xp 0001a000 08:02 17 /a";
	struct rec_map_line m;

	(void)state;
	for (size_t n = 0; n < sizeof(line); n++)
		(void)rec_map_line(span_of(line, n), &m);
}

struct seen {
	size_t n, stop_at;
	uint64_t starts;
};

static int note(void *ctx, const struct rec_map_line *m)
{
	struct seen *s = ctx;

	s->n++;
	s->starts += m->start;
	return s->n == s->stop_at ? ERR_NOMEM : 0;
}

static void only_executable_mappings_of_a_process_are_told(void **state)
{
	struct filetree t;
	struct seen seen = { 0 };

	(void)state;
	filetree_init(&t);
	filetree_text(&t, "/proc/9/maps",
		      "1000-2000 r--p 0 00:01 5 /a\n"
		      "2000-3000 r-xp 1000 00:01 5 /a\n"
		      "nonsense\n"
		      "4000-5000 r-xp 0 00:00 0 [vdso]\n");
	assert_int_equal(rec_maps_read(t.root, 9, note, &seen, NULL), 0);
	assert_int_equal(seen.n, 2);
	assert_true(seen.starts == 0x6000);
	seen = (struct seen){ .stop_at = 1 };
	assert_int_equal(rec_maps_read(t.root, 9, note, &seen, NULL),
			 ERR_NOMEM);
	assert_int_equal(seen.n, 1);
	assert_int_equal(rec_maps_read(t.root, 10, note, &seen, NULL), ERR_IO);
	filetree_fini(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_field_of_a_line_is_taken),
		cmocka_unit_test(a_path_keeps_its_spaces_and_its_deleted_mark),
		cmocka_unit_test(memory_of_no_file_has_an_empty_path),
		cmocka_unit_test(what_is_not_executable_is_left_out),
		cmocka_unit_test(
			a_malformed_line_is_refused_and_changes_nothing),
		cmocka_unit_test(every_prefix_of_a_line_is_parsed_or_refused),
		cmocka_unit_test(
			only_executable_mappings_of_a_process_are_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
