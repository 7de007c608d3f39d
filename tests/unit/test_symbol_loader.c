#include "record/symbol/loader.h"
#include "record/symbol/nursery.h"
#include "tests/support/elfbuild.h"

#include "format/base/time.h"

#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static int run(int (*read)(struct rec_elf *out,
			   const struct rec_elf_source *source,
			   struct err *err),
	       struct rec_elf *out, struct err *err)
{
	struct rec_loader l = { read, 300000000, 0 };
	struct rec_elf_source source = { .fd = -1, .debug_fd = -1 };
	struct rec_nursery none = REC_NO_NURSERY, n;
	struct rec_elf other;
	struct err same = { 0 };
	int rc;

	*err = (struct err){ 0 };
	rc = rec_loader_run(&l, &none, out, &source, err);
	/* The same when it is forked elsewhere. */
	assert_int_equal(rec_nursery_start(&n, &l, err), 0);
	source.fd = open("/dev/null", O_RDONLY);
	assert_int_equal(rec_loader_run(&l, &n, &other, &source, &same), rc);
	assert_string_equal(same.text, err->text);
	close(source.fd);
	rec_nursery_end(&n);
	return rc;
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
	struct rec_nursery none = REC_NO_NURSERY;
	struct rec_symtab_hit hit;
	struct rec_elf e;
	struct buf b;

	(void)state;
	elfbuild(&b);
	source.bytes = span_of(b.p, b.n);
	assert_int_equal(rec_loader_run(&rec_loader_elf, &none, &e, &source,
					NULL), 0);
	assert_int_equal(e.build_id_size, 8);
	assert_true(rec_symtab_find(&e.symtab, 0x175, &hit));
	assert_string_equal(rec_symtab_name(&e.symtab, hit.row), "puts@plt");
	rec_elf_fini(&e);
	buf_fini(&b);
}

/* One after another, with the build-id that is asked for; with another one the
 * file is refused, which costs nothing else. */
static void a_nursery_reads_many_files(void **state)
{
	static const uint8_t right[] = { 1, 2, 3, 4, 5, 6, 7, 8 };
	static const uint8_t wrong[] = { 8, 7, 6, 5, 4, 3, 2, 1 };
	int fd = memfd_create("program", MFD_CLOEXEC);
	struct rec_nursery n;
	struct buf b;

	(void)state;
	elfbuild(&b);
	assert_int_equal(write(fd, b.p, b.n), b.n);
	assert_int_equal(rec_nursery_start(&n, &rec_loader_elf, NULL), 0);
	for (int i = 0; i < 6; i++) {
		struct rec_elf_source source = {
			.fd = fd,
			.debug_fd = i % 3 ? -1 : fd,
			.build_id = span_of(i & 1 ? wrong : right, 8),
		};
		struct rec_symtab_hit hit;
		struct rec_elf e;
		int rc = rec_loader_run(&rec_loader_elf, &n, &e, &source,
					NULL);

		assert_int_equal(rc, i & 1 ? ERR_FORMAT : 0);
		assert_true(i & 1 ||
			    rec_symtab_find(&e.symtab, 0x175, &hit));
		rec_elf_fini(&e);
	}
	assert_true(n.socket >= 0);
	rec_nursery_end(&n);
	rec_nursery_end(&n);
	close(fd);
	buf_fini(&b);
}

static void without_its_nursery_a_file_is_read_all_the_same(void **state)
{
	int fd = memfd_create("program", MFD_CLOEXEC);
	struct rec_elf_source source = { .fd = fd, .debug_fd = -1 };
	struct rec_nursery n;
	struct rec_elf e;
	struct buf b;

	(void)state;
	elfbuild(&b);
	assert_int_equal(write(fd, b.p, b.n), b.n);
	assert_int_equal(rec_nursery_start(&n, &rec_loader_elf, NULL), 0);
	kill(n.pid, SIGKILL);
	assert_int_equal(waitid(P_PID, (id_t)n.pid, NULL, WEXITED | WNOWAIT),
			 0);
	assert_int_equal(rec_loader_run(&rec_loader_elf, &n, &e, &source,
					NULL), 0);
	assert_int_equal(e.symtab.n, 4);
	assert_int_equal(n.socket, -1);
	rec_elf_fini(&e);
	close(fd);
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
		cmocka_unit_test(a_nursery_reads_many_files),
		cmocka_unit_test(
			without_its_nursery_a_file_is_read_all_the_same),
		cmocka_unit_test(a_crash_is_a_refusal),
		cmocka_unit_test(a_reader_that_hangs_is_ended),
		cmocka_unit_test(a_refusal_keeps_its_words),
		cmocka_unit_test(a_reply_that_makes_no_sense_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
