#include "record/symbol/image.h"
#include "record/symbol/symbols.h"
#include "tests/support/elfbuild.h"
#include "tests/support/failalloc.h"

#include "format/catalog.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static void reading_a_file_reports_each_failed_allocation(void **state)
{
	struct rec_elf_source source = { .fd = -1, .debug_fd = -1 };
	bool hit = true;
	struct buf b;

	(void)state;
	elfbuild(&b);
	source.bytes = span_of(b.p, b.n);
	for (long n = 1; hit; n++) {
		struct rec_elf e;
		int rc;

		failalloc_at(n);
		rc = rec_elf_read(&e, &source, NULL);
		hit = failalloc_hit();
		failalloc_off();
		assert_int_equal(rc, hit ? ERR_NOMEM : 0);
		rec_elf_fini(&e);
	}
	buf_fini(&b);
}

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

static void reading_kallsyms_reports_each_failed_allocation(void **state)
{
	int kallsyms = file_of("ffffffff81000000 T _text\n"
			       "ffffffffc0000020 t f\t[m]\n");
	int modules = file_of("m 4096 0 - Live 0xffffffffc0000000\n");
	bool hit = true;

	(void)state;
	for (long n = 1; hit; n++) {
		struct rec_kallsyms k = { 0 };
		int rc;

		failalloc_at(n);
		rc = rec_kallsyms_read(&k, kallsyms, modules, NULL);
		hit = failalloc_hit();
		failalloc_off();
		assert_int_equal(rc, hit ? ERR_NOMEM : 0);
		if (rc)
			assert_null(k.symtab.rows);
		rec_kallsyms_fini(&k);
	}
	close(kallsyms);
	close(modules);
}

/* Without memory an address may stay unanswered, or its image be unusable. */
static void ask_once(struct buf *out)
{
	struct rec_known known;
	struct rec_request_image image = { .key = 3, .kind = TF_IMAGE_KERNEL };
	struct rec_known_files files = {
		file_of("ffffffff81000000 T _text\n"), -1, -1 };

	rec_known_init(&known, &files);
	if (!rec_known_add(&known, &image, -1, -1, NULL))
		rec_known_ask(&known, (struct rec_want){ 0, 3 }, out, NULL);
	rec_known_fini(&known);
	close(files.kallsyms);
}

static void asking_without_memory_leaks_and_breaks_nothing(void **state)
{
	bool hit = true;

	(void)state;
	for (long n = 1; hit; n++) {
		struct buf out;

		buf_init(&out, 0);
		failalloc_at(n);
		ask_once(&out);
		hit = failalloc_hit();
		failalloc_off();
		buf_fini(&out);
	}
}

static void starting_without_memory_starts_nothing(void **state)
{
	struct rec_symbols_config cfg = { .root = "" };
	bool hit = true;

	(void)state;
	for (long n = 1; hit; n++) {
		struct rec_symbols *s = NULL;
		int rc;

		failalloc_at(n);
		rc = rec_symbols_start(&s, &cfg, NULL);
		hit = failalloc_hit();
		failalloc_off();
		assert_int_equal(rc, hit ? ERR_NOMEM : 0);
		if (rc)
			assert_null(s);
		rec_symbols_free(s);
	}
}

static void use(struct rec_symbols *s)
{
	struct rec_symbols_events on = { 0 };
	struct rec_symbol_image image = { .key = 1, .kind = TF_IMAGE_ANON,
					  .path = "x" };

	if (!rec_symbols_image(s, &image, open("/dev/null", O_RDONLY), NULL))
		rec_symbols_want(s, 1, 1, NULL);
	assert_int_equal(rec_symbols_drain(s, &on, 60000000000, NULL), 0);
}

static void using_without_memory_closes_what_it_was_given(void **state)
{
	struct rec_symbols_config cfg = { .root = "" };
	int before = dup(0), after;
	bool hit = true;

	(void)state;
	close(before);
	for (long n = 1; hit; n++) {
		struct rec_symbols *s = NULL;

		assert_int_equal(rec_symbols_start(&s, &cfg, NULL), 0);
		failalloc_at(n);
		use(s);
		hit = failalloc_hit();
		failalloc_off();
		assert_int_equal(rec_symbols_unanswered(s), 0);
		rec_symbols_free(s);
	}
	after = dup(0);
	close(after);
	assert_int_equal(before, after);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reading_a_file_reports_each_failed_allocation),
		cmocka_unit_test(
			reading_kallsyms_reports_each_failed_allocation),
		cmocka_unit_test(
			asking_without_memory_leaks_and_breaks_nothing),
		cmocka_unit_test(starting_without_memory_starts_nothing),
		cmocka_unit_test(using_without_memory_closes_what_it_was_given),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
