#include "record/import/text/frame.h"

#include "format/base/mem.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static struct span text(const char *s)
{
	return span_of(s, strlen(s));
}

static void is(struct span s, const char *want)
{
	assert_int_equal(s.n, strlen(want));
	assert_memory_equal(s.p, want, s.n);
}

static struct rec_text_frame frame(const char *line)
{
	struct rec_text_frame f;

	assert_true(rec_text_frame(text(line), &f));
	return f;
}

static void a_frame_is_an_address_a_symbol_and_an_image(void **state)
{
	struct rec_text_frame f =
		frame("\tffffffffaee8017b fput+0xb ([kernel.kallsyms])");

	(void)state;
	assert_true(f.has_address && f.has_offset && !f.inlined);
	assert_true(f.address == 0xffffffffaee8017b);
	assert_int_equal(f.offset, 0xb);
	is(f.symbol, "fput");
	is(f.image, "[kernel.kallsyms]");
}

static void an_image_is_the_last_group_and_may_hold_blanks(void **state)
{
	struct rec_text_frame f =
		frame("9c51fd34 java.lang.String.hashCode ([JIT app cache])");

	(void)state;
	is(f.symbol, "java.lang.String.hashCode");
	is(f.image, "[JIT app cache]");
	f = frame("\t 7f00 f (/memfd:doublemapper (deleted))");
	is(f.image, "/memfd:doublemapper (deleted)");
	f = frame("\t 7f00 f (/tmp/a) b/c)");
	is(f.symbol, "f");
	is(f.image, "/tmp/a) b/c");
}

static void a_symbol_may_hold_parentheses(void **state)
{
	struct rec_text_frame f = frame(
		"\t 401136 void exec<void (*)()>(void (*)())+0x1f (/bin/x)");

	(void)state;
	is(f.symbol, "void exec<void (*)()>(void (*)())");
	assert_int_equal(f.offset, 0x1f);
	is(f.image, "/bin/x");
	f = frame("  13a80b608e0a RegExp:[&<>\\\"\\'] (/tmp/perf-7539.map)");
	is(f.symbol, "RegExp:[&<>\\\"\\']");
	f = frame("\t 401136 f(int)");
	is(f.symbol, "f(int)");
	assert_int_equal(f.image.n, 0);
}

static void what_is_unknown_is_empty(void **state)
{
	struct rec_text_frame f = frame("\t6ce258d4c544155 [unknown] ([unknown])");

	(void)state;
	assert_int_equal(f.symbol.n, 0);
	assert_int_equal(f.image.n, 0);
	assert_true(f.address == 0x6ce258d4c544155);
	f = frame("\t 2b20e5 [unknown] (/x/libphp5.so)");
	assert_int_equal(f.symbol.n, 0);
	is(f.image, "/x/libphp5.so");
}

static void fields_may_be_missing(void **state)
{
	struct rec_text_frame f = frame(" main+0x1 (/bin/x)");

	(void)state;
	assert_false(f.has_address);
	is(f.symbol, "main");
	is(f.image, "/bin/x");
	f = frame("\t          401b97");
	assert_int_equal(f.address, 0x401b97);
	assert_int_equal(f.symbol.n + f.image.n, 0);
	f = frame("\t          401b97 (/bin/x)");
	assert_int_equal(f.address, 0x401b97);
	is(f.image, "/bin/x");
	/* Letters that are a number, too. */
	f = frame(" add (/bin/x)");
	assert_false(f.has_address);
	is(f.symbol, "add");
	f = frame("\t             add main (/bin/x)");
	assert_int_equal(f.address, 0xadd);
}

static void an_inlined_frame_says_so_where_its_image_would_be(void **state)
{
	struct rec_text_frame f = frame("\t 401136 twice (inlined)");

	(void)state;
	assert_true(f.inlined);
	is(f.symbol, "twice");
	assert_int_equal(f.image.n, 0);
}

static void an_offset_in_the_image_is_no_part_of_its_name(void **state)
{
	struct rec_text_frame f = frame("\t 401136 main+0x6 (/bin/x+0x1136)");

	(void)state;
	is(f.image, "/bin/x");
	assert_int_equal(f.offset, 6);
}

static void other_lines_are_no_frames(void **state)
{
	static const char *const lines[] = {
		"", "   ", "\t", "\t   THIS_IS_A_WEIRD_LINE", "perf 12 1.5: x:",
		"java 19983 cycles:", "\t (/bin/x)", "12g f",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(lines); i++) {
		struct rec_text_frame f;

		assert_false(rec_text_frame(text(lines[i]), &f));
	}
}

static void a_place_in_a_source_file_is_told_from_a_frame(void **state)
{
	(void)state;
	assert_true(rec_text_is_source_line(text("  main.c:12")));
	assert_true(rec_text_is_source_line(text("  ld-2.29.so[11634]")));
	assert_true(rec_text_is_source_line(text("  ??:0")));
	assert_false(rec_text_is_source_line(text("main.c:12")));
	assert_false(rec_text_is_source_line(text("  main.c:")));
	assert_false(rec_text_is_source_line(text("  []")));
	assert_true(rec_text_is_source_line(text("  :0")));
}

static void the_kernel_is_known_by_its_image(void **state)
{
	static const char *const kernel[] = {
		"[kernel.kallsyms]", "[guest.kernel.kallsyms]", "[ext4]",
		"/lib/modules/4.1.0-virtual/build/vmlinux",
		"/usr/lib/debug/boot/vmlinux-5.4.14",
		"/lib/modules/5.4/kernel/x.ko", "/lib/modules/5.4/x.ko.zst",
	};
	static const char *const user[] = {
		"/bin/vm", "[vdso]", "[vsyscall]", "[heap]", "[stack]",
		"[JIT] tid 12", "//anon", "/tmp/perf-12.map", "x.kot",
		"/home/vmlinux/a",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(kernel); i++)
		assert_true(rec_text_in_kernel(text(kernel[i]), 0x1000, true));
	for (size_t i = 0; i < ARRAY_LEN(user); i++)
		assert_false(rec_text_in_kernel(text(user[i]), 0x1000, true));
	assert_true(rec_text_in_kernel(text("bpf_prog_2b956549c660136a_x"),
				       0xffffffffc09ace93, true));
	assert_false(rec_text_in_kernel(text("bpf_tool"), 0x401136, true));
	assert_false(rec_text_in_kernel(text(""), 0xffffffff9b201293, true));
	assert_false(rec_text_in_kernel(text(""), 0, false));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_frame_is_an_address_a_symbol_and_an_image),
		cmocka_unit_test(an_image_is_the_last_group_and_may_hold_blanks),
		cmocka_unit_test(a_symbol_may_hold_parentheses),
		cmocka_unit_test(what_is_unknown_is_empty),
		cmocka_unit_test(fields_may_be_missing),
		cmocka_unit_test(
			an_inlined_frame_says_so_where_its_image_would_be),
		cmocka_unit_test(an_offset_in_the_image_is_no_part_of_its_name),
		cmocka_unit_test(other_lines_are_no_frames),
		cmocka_unit_test(a_place_in_a_source_file_is_told_from_a_frame),
		cmocka_unit_test(the_kernel_is_known_by_its_image),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
