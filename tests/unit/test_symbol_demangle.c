#include "format/layout.h"
#include "record/symbol/demangle.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void expect(const char *mangled, const char *readable)
{
	struct buf out;

	buf_init(&out, 0);
	assert_true(rec_demangle(&out, mangled));
	assert_int_equal(out.n, strlen(readable));
	assert_memory_equal(out.p, readable, out.n);
	buf_fini(&out);
}

static void expect_plain(const char *name)
{
	struct buf out;

	buf_init(&out, 0);
	buf_put(&out, "left over", 9);
	assert_false(rec_demangle(&out, name));
	assert_int_equal(out.n, 0);
	buf_fini(&out);
}

/* From the C++ ABI's own examples. */
static void cxx_names_get_their_parameters(void **state)
{
	(void)state;
	expect("_Z1fv", "f()");
	expect("_Z1fi", "f(int)");
	expect("_ZN1N1TIiiE2mfES0_IddE",
	       "N::T<int, int>::mf(N::T<double, double>)");
	expect("_ZN5StackIiiE5levelE", "Stack<int, int>::level");
	expect("_ZlsRSoRKSs", "operator<<(std::ostream&, std::string const&)");
	expect("_ZTV1A", "vtable for A");
	expect("_Z3foov.isra.0", "foo() [clone .isra.0]");
}

/* From RFC 2603 (v0); of the older scheme the hash at the end is left out. */
static void rust_names_are_read_in_both_schemes(void **state)
{
	(void)state;
	expect("_RNvNtCs1234_7mycrate3foo3bar", "mycrate::foo::bar");
	expect("_RINvNtC3std3mem8align_ofdE", "std::mem::align_of::<f64>");
	expect("_ZN4core3ptr13drop_in_place17h1234567890abcdefE",
	       "core::ptr::drop_in_place");
	expect("_ZN71_$LT$Test$u20$$u2b$$u20$$u27$static$u20$as$u20$foo.."
	       "Bar$LT$Test$GT$$GT$3bar17h930b740aa94f1d3aE",
	       "<Test + 'static as foo::Bar<Test>>::bar");
}

static void other_names_stay_as_they_are(void **state)
{
	(void)state;
	expect_plain("");
	expect_plain("_");
	expect_plain("main");
	expect_plain("_Z");
	expect_plain("_R");
	expect_plain("_Zzz");
	expect_plain("_RELOC");
	expect_plain("__libc_start_main");
}

/* Beyond 1,024 characters the library's own limit would refuse. */
static void a_long_name_is_read_too(void **state)
{
	struct buf mangled, readable;

	(void)state;
	buf_init(&mangled, 0);
	buf_init(&readable, 0);
	buf_printf(&mangled, "_Z1f4abcd");
	buf_printf(&readable, "f(abcd");
	for (int i = 0; i < 600; i++) {
		buf_printf(&mangled, "S_");
		buf_printf(&readable, ", abcd");
	}
	buf_printf(&readable, ")");
	expect((char *)mangled.p, (char *)readable.p);
	buf_fini(&mangled);
	buf_fini(&readable);
}

/* Each parameter is twice as long as the one before: 2^35 names from 400
 * characters. */
static void a_name_that_explodes_is_cut(void **state)
{
	static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
	static const char start[] = "f(A<int, int>, A<A<int, int>,";
	struct buf mangled, out;

	(void)state;
	buf_init(&mangled, 0);
	buf_init(&out, 0);
	buf_printf(&mangled, "_Z1f1AIiiE");
	for (const char *d = digits; *d; d++)
		buf_printf(&mangled, "S_IS%c_S%c_E", *d, *d);
	assert_true(rec_demangle(&out, (char *)mangled.p));
	assert_int_equal(out.n, TF_MAX_STRING);
	assert_memory_equal(out.p, start, sizeof(start) - 1);
	buf_fini(&mangled);
	buf_fini(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(cxx_names_get_their_parameters),
		cmocka_unit_test(rust_names_are_read_in_both_schemes),
		cmocka_unit_test(other_names_stay_as_they_are),
		cmocka_unit_test(a_long_name_is_read_too),
		cmocka_unit_test(a_name_that_explodes_is_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
