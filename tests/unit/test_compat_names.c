/* What stackcollapse-perf.pl makes of a frame, by rule. */
#include "analyze/compat/cxx.h"
#include "analyze/compat/names.h"
#include "format/base/mem.h"

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

static const struct an_compat_options plain, all = { .kernel = true,
						     .jit = true };
static const struct an_compat_options addrs = { .addrs = true };

struct name_case {
	const char *symbol, *dso, *want; /* NULL: left out */
};

static void expect_name(const struct name_case *c, uint64_t address, bool java,
			const struct an_compat_options *opt)
{
	struct an_compat_frame f = { .symbol = span_text(c->symbol),
				     .dso = span_text(c->dso),
				     .address = address };
	struct buf out;
	bool shown;

	buf_init(&out, 0);
	shown = an_compat_names(&out, &f, java, opt);
	assert_int_equal(shown, c->want != NULL);
	buf_u8(&out, 0);
	assert_string_equal(out.p, c->want ? c->want : "");
	buf_fini(&out);
}

static void expect_names(const struct name_case *cases, size_t n, bool java,
			 const struct an_compat_options *opt)
{
	for (size_t i = 0; i < n; i++)
		expect_name(&cases[i], 0x31ef, java, opt);
}

static void arguments_and_quotes_are_left_out(void **state)
{
	static const struct name_case cases[] = {
		{ "main", "/bin/a", "main" },
		{ "f(int) const", "/bin/a", "f" },
		{ "v8::internal::Invoke(bool, v8::Handle<v8::Object>*)",
		  "/tmp/node", "v8::internal::Invoke" },
		{ "foo<(some_enum)0>::bar", "/bin/a", "foo<" },
		{ "a::(anonymous namespace)::b(int)", "/bin/a",
		  "a::(anonymous namespace)::b" },
		{ "net/http.(*Client).Do", "/bin/go", "net/http.(*Client).Do" },
		{ "f.(g)", "/bin/go", "f." },
		{ "RegExp:[&<>\\\"\\']", "/tmp/perf-7539.map",
		  "RegExp:[&<>\\\\]" },
		{ "a;b\tc\nd", "/bin/a", "a:b c d" },
	};

	(void)state;
	expect_names(cases, ARRAY_LEN(cases), false, &plain);
}

static void what_begins_with_a_parenthesis_is_no_frame(void **state)
{
	static const struct name_case cases[] = {
		{ "(deleted)", "/bin/a", NULL },
		{ "->", "/bin/a", NULL },
	};

	(void)state;
	expect_names(cases, ARRAY_LEN(cases), false, &all);
}

static void classes_of_java_lose_their_letter(void **state)
{
	static const struct name_case java[] = {
		{ "Ljava/io/PrintStream;::print", "/tmp/perf-1.map",
		  "java/io/PrintStream:::print" },
		{ "LBusy;::main", "/tmp/perf-1.map", "LBusy:::main" },
	};
	static const struct name_case other[] = {
		{ "Ljava/io/PrintStream;::print", "/tmp/perf-1.map",
		  "Ljava/io/PrintStream:::print" },
	};

	(void)state;
	expect_names(java, ARRAY_LEN(java), true, &plain);
	expect_names(other, ARRAY_LEN(other), false, &plain);
	assert_true(an_compat_is_java(span_text("java")));
	assert_true(an_compat_is_java(span_text("java-main")));
	assert_false(an_compat_is_java(span_text("jav")));
	assert_false(an_compat_is_java(span_text("a java")));
}

static void frames_without_a_name_are_shown_by_their_image(void **state)
{
	static const struct name_case bare[] = {
		{ "", "/bin/dd", "[dd]" },
		{ "", "[unknown]", "[unknown]" },
		{ "", "", "[unknown]" },
		{ "", "[kernel.kallsyms]", "[[kernel.kallsyms]]" },
		{ "", "/tmp/perf-12.map", "[perf-12.map]" },
		{ "", "/tmp/x y (deleted)", "[x y]" },
	};
	static const struct name_case addressed[] = {
		{ "", "/bin/dd", "[dd <31ef>]" },
		{ "", "[unknown]", "[unknown <31ef>]" },
		{ "main", "/bin/dd", "main" },
	};

	(void)state;
	expect_names(bare, ARRAY_LEN(bare), false, &plain);
	expect_names(addressed, ARRAY_LEN(addressed), false, &addrs);
	expect_name(&(struct name_case){ "", "[unknown]", "[unknown <0>]" }, 0,
		    false, &addrs);
}

static void kernel_and_jit_are_told_by_their_image(void **state)
{
	static const struct name_case cases[] = {
		{ "f", "[kernel.kallsyms]", "f_[k]" },
		{ "f", "[nf_tables]", "f_[k]" },
		{ "f", "/lib/modules/4.1.0-virtual/build/vmlinux", "f_[k]" },
		{ "f", "/usr/lib/debug/boot/vmlinux-5.4.14-x", "f_[k]" },
		{ "", "/usr/lib/debug/boot/vmlinux-5.4.14-x",
		  "[vmlinux-5.4.14-x]_[k]" },
		{ "f", "/lib/modules/5.4/mlx5_core.ko", "f_[k]" },
		{ "f", "bpf_prog_2b956549c660136a_uni_l4lb", "f" },
		{ "f", "[unknown]", "f" },
		{ "", "[unknown]", "[unknown]" },
		{ "f", "/tmp/perf-31912.map", "f_[j]" },
		{ "f_[j]", "/tmp/perf-31912.map", "f_[j]" },
		{ "", "/tmp/perf-31912.map", "[perf-31912.map]_[j]" },
		{ "f", "/tmp/perf-.map", "f" },
		{ "f", "/tmp/perf-1.so", "f" },
		{ "f", "/srv/tmp/perf-x/tmp/perf-1.map", "f_[j]" },
		{ "f", "/bin/a", "f" },
	};

	(void)state;
	expect_names(cases, ARRAY_LEN(cases), false, &all);
}

static void what_was_inlined_is_a_frame_of_its_own(void **state)
{
	static const struct name_case cases[] = {
		{ "a->b->c", "/tmp/perf-1.map", "a_[j];b_[i];c_[i]" },
		{ "a->b->", "/bin/a", "a;b_[i]" },
		{ "->b", "/bin/a", ";b_[i]" },
		{ "Lp/A;::f->Lp/B;::g", "/tmp/perf-1.map",
		  "Lp/A:::f_[j];Lp/B:::g_[i]" },
	};

	(void)state;
	expect_names(cases, ARRAY_LEN(cases), false, &all);
}

/* The names are those of c++filt, what is wanted is what c++filt -p has up to
 * the arguments. */
static void the_type_that_a_function_returns_is_left_out(void **state)
{
	static const struct {
		const char *linkage, *name, *want;
	} cases[] = {
		{ "_Z3fooi", "foo(int)", "foo(int)" },
		{ "_ZN12_GLOBAL__N_11fIiEEvT_",
		  "void (anonymous namespace)::f<int>(int)",
		  "(anonymous namespace)::f<int>(int)" },
		{ "_ZStlsISt11char_traitsIcEERSt13basic_ostreamIcT_ES5_PKc",
		  "std::basic_ostream<char, std::char_traits<char> >& "
		  "std::operator<< <std::char_traits<char> >(char const*)",
		  "std::operator<< <std::char_traits<char> >(char const*)" },
		{ "_ZN1AcvjEv", "A::operator unsigned int()",
		  "A::operator unsigned int()" },
		{ "_ZnwmPv", "operator new(unsigned long, void*)",
		  "operator new(unsigned long, void*)" },
		{ "_ZTV1A", "vtable for A", "vtable for A" },
		{ "_Zx", "decltype (x.y()) f<int, (a)0>(int)",
		  "f<int, (a)0>(int)" },
		{ "_Zx", "f(int) const::S& g<int>(int)", "g<int>(int)" },
		{ "_Zx", "f(int) const::{lambda(int)#1}::operator()(int)",
		  "f(int) const::{lambda(int)#1}::operator()(int)" },
		{ "_Zx", "a<b->c> f<1>(d", "f<1>(d" },
		{ "_Zx", "(", "(" },
		{ "_Zx", "", "" },
		{ "", "long J.rec(int)", "long J.rec(int)" },
		{ "_RNv", "a b", "a b" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct span got = an_cxx_without_return(
			span_text(cases[i].name), span_text(cases[i].linkage));

		assert_int_equal(got.n, strlen(cases[i].want));
		assert_memory_equal(got.p, cases[i].want, got.n);
	}
}

static void expect_command(const char *comm, int32_t pid, int32_t tid,
			   const struct an_compat_options *opt,
			   const char *want)
{
	struct buf out;

	buf_init(&out, 0);
	an_compat_command(&out, span_text(comm), pid, tid, opt);
	buf_u8(&out, 0);
	assert_string_equal(out.p, want);
	buf_fini(&out);
}

static void commands_have_no_blanks_and_the_ids_asked_for(void **state)
{
	const struct an_compat_options pid = { .pid = true };
	const struct an_compat_options tid = { .tid = true };

	(void)state;
	expect_command("Plex DLNA Serve", 1, 2, &plain, "Plex_DLNA_Serve");
	expect_command("java", 19982, 19983, &pid, "java-19982");
	expect_command("java", 19982, 19983, &tid, "java-19982/19983");
	expect_command("java", -1, 19983, &pid, "java-?");
	expect_command("java", -1, 19983, &tid, "java-?/19983");
	expect_command("swapper", 0, 0, &tid, "swapper-0/0");
	expect_command("a;b", 1, 2, &plain, "a:b");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(arguments_and_quotes_are_left_out),
		cmocka_unit_test(what_begins_with_a_parenthesis_is_no_frame),
		cmocka_unit_test(classes_of_java_lose_their_letter),
		cmocka_unit_test(
			frames_without_a_name_are_shown_by_their_image),
		cmocka_unit_test(kernel_and_jit_are_told_by_their_image),
		cmocka_unit_test(what_was_inlined_is_a_frame_of_its_own),
		cmocka_unit_test(the_type_that_a_function_returns_is_left_out),
		cmocka_unit_test(commands_have_no_blanks_and_the_ids_asked_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
