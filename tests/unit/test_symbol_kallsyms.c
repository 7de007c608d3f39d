#include "record/symbol/kallsyms.h"

#include <fcntl.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#define TEXT "ffffffff81000000 T _stext\n"                                     \
	     "ffffffff81000000 T _text\n"                                      \
	     "ffffffff81000100 t __do_sys_pause\n"                             \
	     "ffffffff81000100 T __ia32_sys_pause\n"                           \
	     "ffffffff81000100 T __x64_sys_pause\n"                            \
	     "ffffffff81000200 W weak_one\n"                                   \
	     "ffffffff81000300 T last_one\n"                                   \
	     "ffffffff81001000 T _etext\n"                                     \
	     "ffffffff81002000 R data\n"                                       \
	     "ffffffff82000000 T _sinittext\n"                                 \
	     "ffffffff82000800 T _einittext\n"                                 \
	     "ffffffff83000000 B memory\n"                                     \
	     "ffffffffc0201040 t open_it\t[some_module]\n"                     \
	     "ffffffffc0201080 t close_it\t[some_module]\n"                    \
	     "ffffffffc0203010 t other\t[other]\n"                             \
	     "ffffffffc0300000 t bpf_prog_6deef7357e7b4530_f\t[bpf]\n"
#define MODULES "some_module 16384 2 other,nf_nat, Live 0xffffffffc0201000 (O)\n" \
		"other 8192 0 - Live 0xffffffffc0203000\n"

static int file_of(const char *text)
{
	FILE *f = tmpfile();
	int fd;

	assert_non_null(f);
	fputs(text, f);
	fflush(f);
	fd = dup(fileno(f));
	fclose(f);
	return fd;
}

static int read_texts(struct rec_kallsyms *k, const char *kallsyms,
		      const char *modules, struct err *err)
{
	int k_fd = file_of(kallsyms), m_fd = file_of(modules);
	int rc;

	*k = (struct rec_kallsyms){ 0 };
	rc = rec_kallsyms_read(k, k_fd, m_fd, err);
	close(k_fd);
	close(m_fd);
	return rc;
}

static void expect(const struct rec_kallsyms *k, uint64_t offset,
		   const char *name, uint64_t start)
{
	struct rec_symtab_hit hit;

	assert_true(rec_kallsyms_find(k, offset, &hit));
	assert_string_equal(rec_symtab_name(&k->symtab, hit.row), name);
	assert_int_equal(hit.start, start);
}

static void the_kernel_is_named_by_offset_from_its_text(void **state)
{
	struct rec_kallsyms k;
	struct rec_symtab_hit hit;

	(void)state;
	assert_int_equal(read_texts(&k, TEXT, "", NULL), 0);
	expect(&k, 0x150, "__x64_sys_pause", 0x100);
	expect(&k, 0x2ff, "weak_one", 0x200);
	expect(&k, 0xfff, "last_one", 0x300);
	expect(&k, 0x10007ff, "_sinittext", 0x1000000);
	assert_false(rec_kallsyms_find(&k, 0x1000, &hit));
	assert_false(rec_kallsyms_find(&k, 0x2000, &hit));
	assert_false(rec_kallsyms_find(&k, 0x1000800, &hit));
	assert_false(rec_kallsyms_find(&k, 0x2000000, &hit));
	rec_kallsyms_fini(&k);
}

static void bpf_programs_have_names_too(void **state)
{
	struct rec_kallsyms k;
	struct rec_symtab_hit hit;

	(void)state;
	assert_int_equal(read_texts(&k, TEXT, MODULES, NULL), 0);
	expect(&k, 0x3f300010, "bpf_prog_6deef7357e7b4530_f", 0x3f300000);
	assert_false(rec_kallsyms_find(&k, 0x3f302000, &hit));
	rec_kallsyms_fini(&k);
}

static void a_module_is_named_by_offset_from_its_start(void **state)
{
	const struct rec_kallsyms_module *m;
	struct rec_kallsyms k;
	struct rec_symtab_hit hit;

	(void)state;
	assert_int_equal(read_texts(&k, TEXT, MODULES, NULL), 0);
	assert_null(rec_kallsyms_module(&k, "[some_mod]"));
	assert_null(rec_kallsyms_module(&k, "[]"));
	assert_null(rec_kallsyms_module(&k, ""));
	m = rec_kallsyms_module(&k, "[some_module]");
	assert_non_null(m);
	assert_true(rec_kallsyms_find_in(&k, m, 0x41, &hit));
	assert_string_equal(rec_symtab_name(&k.symtab, hit.row), "open_it");
	assert_int_equal(hit.start, 0x40);
	assert_int_equal(hit.size, 0x40);
	assert_false(rec_kallsyms_find_in(&k, m, 0, &hit));
	/* its size reaches over the other's text */
	assert_false(rec_kallsyms_find_in(&k, m, 0x2010, &hit));
	assert_false(rec_kallsyms_find_in(&k, m, 0x1000000, &hit));
	m = rec_kallsyms_module(&k, "[other]");
	assert_non_null(m);
	assert_true(rec_kallsyms_find_in(&k, m, 0x10, &hit));
	assert_string_equal(rec_symtab_name(&k.symtab, hit.row), "other");
	rec_kallsyms_fini(&k);
}

static void hidden_addresses_name_nothing(void **state)
{
	struct rec_kallsyms k;
	struct err err = { 0 };

	(void)state;
	assert_int_equal(read_texts(&k, "0000000000000000 T _text\n"
				    "0000000000000000 T other\n", "", &err),
			 ERR_DENIED);
	assert_non_null(strstr(err.text, "kptr_restrict"));
	assert_null(k.symtab.rows);
}

static void without_text_there_is_nothing_to_count_from(void **state)
{
	struct rec_kallsyms k;

	(void)state;
	assert_int_equal(read_texts(&k, "ffffffff81000000 T start\n", "",
				    NULL), ERR_UNSUPPORTED);
	assert_int_equal(read_texts(&k, "", "", NULL), ERR_UNSUPPORTED);
}

static void lines_that_make_no_sense_are_passed_over(void **state)
{
	static const char text[] =
		"\n \nT\nffffffff81000000\nffffffff81000000 T\n"
		"ffffffff81000000 T \nffffffff81000000 T\t\n"
		"12345678901234567 T too_long\nzz T not_hex\n"
		"ffffffff81000000 T _text\nffffffff81000010 T cut_short";
	struct rec_kallsyms k;

	(void)state;
	assert_int_equal(read_texts(&k, text, "\na b\nm 1 1 - Live 0x\n"
				    "m x 1 - Live 0xffffffffc0000000\n", NULL),
			 0);
	assert_int_equal(k.symtab.n, 1);
	assert_int_equal(k.n_modules, 0);
	expect(&k, 0x10, "_text", 0);
	rec_kallsyms_fini(&k);
}

/* The running kernel, by awk: the address of one name that occurs once. */
static void the_running_kernel_agrees_with_awk(void **state)
{
	static const char command[] =
		"awk '$3 == \"_text\" { print $1 } $3 == \"vfs_read\" { "
		"print $1 }' /proc/kallsyms";
	struct rec_kallsyms k = { 0 };
	uint64_t text = 0, at = 0;
	FILE *p = popen(command, "r");
	int n, fd;

	(void)state;
	assert_non_null(p);
	n = fscanf(p, "%" SCNx64 " %" SCNx64, &text, &at);
	pclose(p);
	if (n != 2 || !text)
		skip();
	fd = open("/proc/kallsyms", O_RDONLY);
	assert_int_equal(rec_kallsyms_read(&k, fd, -1, NULL), 0);
	close(fd);
	assert_int_equal(k.text, text);
	expect(&k, at - text + 1, "vfs_read", at - text);
	rec_kallsyms_fini(&k);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_kernel_is_named_by_offset_from_its_text),
		cmocka_unit_test(bpf_programs_have_names_too),
		cmocka_unit_test(a_module_is_named_by_offset_from_its_start),
		cmocka_unit_test(hidden_addresses_name_nothing),
		cmocka_unit_test(without_text_there_is_nothing_to_count_from),
		cmocka_unit_test(lines_that_make_no_sense_are_passed_over),
		cmocka_unit_test(the_running_kernel_agrees_with_awk),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
