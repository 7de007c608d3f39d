#include "record/symbol/loader.h"
#include "tests/support/elfbuild.h"

#include "format/base/time.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cmocka.h>

static int run(int (*read)(struct rec_elf *out,
			   const struct rec_elf_source *source,
			   struct err *err),
	       struct rec_elf *out, struct err *err)
{
	struct rec_loader l = { read, 300000000, 0 };
	struct rec_elf_source source = { .fd = -1, .debug_fd = -1 };

	*err = (struct err){ 0 };
	return rec_loader_run(&l, out, &source, err);
}

static int crash(struct rec_elf *out, const struct rec_elf_source *source,
		 struct err *err)
{
	(void)out;
	(void)source;
	(void)err;
	signal(SIGABRT, SIG_DFL);
	setrlimit(RLIMIT_CORE, &(struct rlimit){ 0, 0 });
	raise(SIGABRT);
	return 0;
}

static int hang(struct rec_elf *out, const struct rec_elf_source *source,
		struct err *err)
{
	(void)out;
	(void)source;
	(void)err;
	pause();
	return 0;
}

static int leave(struct rec_elf *out, const struct rec_elf_source *source,
		 struct err *err)
{
	(void)out;
	(void)source;
	(void)err;
	_exit(0);
}

static int refuse(struct rec_elf *out, const struct rec_elf_source *source,
		  struct err *err)
{
	(void)out;
	(void)source;
	return err_set(err, ERR_LIMIT, "17 of them");
}

/* Rows out of their order, as a process that was taken over might send. */
static int lie(struct rec_elf *out, const struct rec_elf_source *source,
	       struct err *err)
{
	(void)source;
	buf_put(&out->symtab.names, "a", 2);
	rec_symtab_add(&out->symtab, 9, 10, 0, 0, err);
	rec_symtab_add(&out->symtab, 5, 6, 0, 0, err);
	return 0;
}

static void a_file_is_read_as_if_here(void **state)
{
	struct rec_elf_source source = { .fd = -1, .debug_fd = -1 };
	struct rec_symtab_hit hit;
	struct rec_elf e;
	struct buf b;

	(void)state;
	elfbuild(&b);
	source.bytes = span_of(b.p, b.n);
	assert_int_equal(rec_loader_run(&rec_loader_elf, &e, &source, NULL), 0);
	assert_int_equal(e.build_id_size, 8);
	assert_true(rec_symtab_find(&e.symtab, 0x175, &hit));
	assert_string_equal(rec_symtab_name(&e.symtab, hit.row), "puts@plt");
	rec_elf_fini(&e);
	buf_fini(&b);
}

static void a_crash_is_a_refusal(void **state)
{
	struct rec_elf e;
	struct err err;

	(void)state;
	assert_int_equal(run(crash, &e, &err), ERR_FORMAT);
	assert_string_equal(err.text, "its reader was killed by signal 6");
	assert_null(e.symtab.rows);
}

static void a_reader_that_hangs_is_ended(void **state)
{
	uint64_t began = time_now_ns(CLOCK_MONOTONIC);
	struct rec_elf e;
	struct err err;

	(void)state;
	assert_int_equal(run(hang, &e, &err), ERR_LIMIT);
	assert_string_equal(err.text, "reading it takes too long");
	assert_true(time_now_ns(CLOCK_MONOTONIC) - began < 5000000000);
}

static void a_refusal_keeps_its_words(void **state)
{
	struct rec_elf e;
	struct err err;

	(void)state;
	assert_true(run(refuse, &e, &err) < 0);
	assert_string_equal(err.text, "17 of them");
}

static void a_reply_that_makes_no_sense_is_refused(void **state)
{
	struct rec_elf e;
	struct err err;

	(void)state;
	assert_int_equal(run(leave, &e, &err), ERR_FORMAT);
	assert_int_equal(run(lie, &e, &err), ERR_FORMAT);
	assert_null(e.symtab.rows);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_file_is_read_as_if_here),
		cmocka_unit_test(a_crash_is_a_refusal),
		cmocka_unit_test(a_reader_that_hangs_is_ended),
		cmocka_unit_test(a_refusal_keeps_its_words),
		cmocka_unit_test(a_reply_that_makes_no_sense_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
