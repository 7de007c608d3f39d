/* Which files recorded calls are on. /proc is a tree of links; the records are
 * packed by hand as the kernel lays them out: common_type, flags, preempt_count
 * and pid in 8 bytes, the number of the call, then the arguments from byte 16 on
 * (the format files of the tracepoints say so). */
#include "format/base/mem.h"
#include "record/proc/fds.h"
#include "tests/support/failalloc.h"
#include "tests/support/filetree.h"
#include "tests/support/rowsback.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cmocka.h>

#define SEC 1000000000ull

#define HEAD(name)                                                             \
	"name: " name "\nID: 9\nformat:\n"                                     \
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n" \
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n" \
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;"      \
	"\tsigned:0;\n"                                                        \
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"

static const char raw_enter[] = HEAD("sys_enter")
	"\tfield:long id;\toffset:8;\tsize:8;\tsigned:1;\n"
	"\tfield:unsigned long args[6];\toffset:16;\tsize:48;\tsigned:0;\n\n"
	"print fmt: \"\"\n";
static const char raw_exit[] = HEAD("sys_exit")
	"\tfield:long id;\toffset:8;\tsize:8;\tsigned:1;\n"
	"\tfield:long ret;\toffset:16;\tsize:8;\tsigned:1;\n\n"
	"print fmt: \"\"\n";
static const char enter_ioctl[] = HEAD("sys_enter_ioctl")
	"\tfield:int __syscall_nr;\toffset:8;\tsize:4;\tsigned:1;\n"
	"\tfield:unsigned int fd;\toffset:16;\tsize:8;\tsigned:0;\n"
	"\tfield:unsigned int cmd;\toffset:24;\tsize:8;\tsigned:0;\n"
	"\tfield:unsigned long arg;\toffset:32;\tsize:8;\tsigned:0;\n\n"
	"print fmt: \"\"\n";

struct fixture {
	struct filetree tree;
	struct buf file;
	struct tf_sink *memory;
	struct rec_sink *sink;
	struct rec_images images;
	struct rec_defs defs;
	struct rec_fds fds;
	struct rec_fd_uses uses;
	struct rec_tracepoint *enter, *exit, *ioctl;
};

static struct rec_tracepoint *tracepoint(const char *system, const char *name,
					 const char *text)
{
	struct rec_tracepoint *t;

	assert_int_equal(rec_tracepoint_new(&t, system, name,
					    span_of(text, strlen(text)), 256,
					    NULL), 0);
	return t;
}

static void begin(struct fixture *f)
{
	static const struct tf_file_info info = { .start_unix_ns = 1 };

	*f = (struct fixture){ 0 };
	filetree_init(&f->tree);
	buf_init(&f->file, 0);
	assert_int_equal(tf_sink_memory(&f->memory, &f->file, NULL), 0);
	assert_int_equal(rec_sink_new(&f->sink, f->memory, &info, NULL), 0);
	assert_int_equal(rec_images_init(&f->images, NULL), 0);
	assert_int_equal(rec_defs_init(&f->defs, f->sink, &f->images,
				       f->tree.root, 1, 0, NULL), 0);
	f->fds = (struct rec_fds){ .root = f->tree.root, .defs = &f->defs };
	f->enter = tracepoint("raw_syscalls", "sys_enter", raw_enter);
	f->exit = tracepoint("raw_syscalls", "sys_exit", raw_exit);
	f->ioctl = tracepoint("syscalls", "sys_enter_ioctl", enter_ioctl);
}

static void end(struct fixture *f)
{
	rec_tracepoint_free(f->enter);
	rec_tracepoint_free(f->exit);
	rec_tracepoint_free(f->ioctl);
	rec_fds_fini(&f->fds);
	rec_defs_fini(&f->defs);
	rec_images_fini(&f->images);
	rec_sink_free(f->sink);
	tf_sink_close(f->memory, NULL);
	buf_fini(&f->file);
	filetree_fini(&f->tree);
}

/* fdinfo makes the folder of the process; flags as the kernel has them. */
static void open_file(const struct fixture *f, int pid, int fd,
		      const char *target, const char *flags)
{
	char path[128], full[256], text[64];

	snprintf(path, sizeof(path), "/proc/%d/fdinfo/%d", pid, fd);
	snprintf(text, sizeof(text), "pos:\t0\nflags:\t%s\nmnt_id:\t9\n",
		 flags);
	filetree_text(&f->tree, path, text);
	snprintf(full, sizeof(full), "%s/proc/%d/fd", f->tree.root, pid);
	(void)mkdir(full, 0700);
	snprintf(full, sizeof(full), "%s/proc/%d/fd/%d", f->tree.root, pid, fd);
	(void)unlink(full);
	assert_int_equal(symlink(target, full), 0);
}

static void note(struct fixture *f, const struct rec_tracepoint *t, int pid,
		 int64_t nr, uint64_t first, uint64_t fifth)
{
	const uint64_t words[8] = { 9, (uint64_t)nr, first, 0, 0, 0, fifth, 0 };

	rec_fd_uses_note(&f->uses, t, span_of(words, sizeof(words)), pid);
}

static void calls_tell_the_file_that_they_are_on(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f);
	note(&f, f.enter, 10, SYS_read, 3, 0);
	note(&f, f.enter, 10, SYS_read, 3, 0);
	note(&f, f.ioctl, 10, SYS_ioctl, 4, 0);
	note(&f, f.enter, 10, SYS_mmap, 0, 5);
	note(&f, f.enter, 10, SYS_mmap, 0, UINT64_MAX); /* of no file */
	note(&f, f.enter, 10, SYS_getppid, 6, 0);
	note(&f, f.enter, 10, SYS_openat, 7, 0);
	note(&f, f.enter, 10, -1, 8, 0);
	note(&f, f.enter, 10, 100000, 8, 0);
	note(&f, f.enter, 0, SYS_read, 8, 0);
	note(&f, f.exit, 10, SYS_read, 9, 0);
	assert_int_equal(f.uses.n, 3);
	for (int i = 0; i < 3; i++) {
		assert_int_equal(f.uses.list[i].pid, 10);
		assert_int_equal(f.uses.list[i].fd, 3 + i);
	}
	end(&f);
}

static void a_record_cut_anywhere_does_no_harm(void **state)
{
	static const uint64_t words[8] = { 9, SYS_read, 3 };
	struct fixture f;

	(void)state;
	begin(&f);
	for (size_t n = 0; n < 24; n++) {
		void *copy = malloc(n ? n : 1);

		assert_non_null(copy);
		memcpy(copy, words, n);
		rec_fd_uses_note(&f.uses, f.enter, span_of(copy, n), 10);
		rec_fd_uses_note(&f.uses, f.ioctl, span_of(copy, n), 10);
		free(copy);
	}
	assert_int_equal(f.uses.n, 0);
	end(&f);
}

static void a_list_that_is_full_is_left_at_that(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f);
	for (unsigned i = 0; i < 3 * REC_FD_LIST; i++)
		note(&f, f.enter, 10, SYS_read, i, 0);
	assert_int_equal(f.uses.n, REC_FD_LIST);
	rec_fds_take(&f.fds, &f.uses, SEC);
	assert_int_equal(f.uses.n, 0);
	end(&f);
}

/* The text of a fact; NULL: there is none. */
static const char *fact(const struct rowsback *facts,
			const struct rowsback *strings, const char *key)
{
	for (size_t i = 0; i < facts->n; i++) {
		const struct rowsback_row *r = &facts->items[i];

		if (rowsback_is(rowsback_find(strings, r->epoch, r->v[0]), key))
			return (const char *)rowsback_find(strings, r->epoch,
							   r->v[1])->bytes;
	}
	return NULL;
}

static void fact_is(struct fixture *f, const char *key, const char *want)
{
	struct rowsback facts, strings;
	const char *have;
	size_t n;

	rowsback_read(&facts, span_of(f->file.p, f->file.n), TF_TABLE_FACT);
	rowsback_read(&strings, span_of(f->file.p, f->file.n),
		      TF_TABLE_STRING);
	have = fact(&facts, &strings, key);
	if (!want) {
		assert_null(have);
	} else {
		n = strlen(want);
		assert_non_null(have);
		assert_memory_equal(have, want, n);
	}
	rowsback_fini(&facts);
	rowsback_fini(&strings);
}

static void use(struct fixture *f, int fd, uint64_t now)
{
	note(f, f->enter, 10, SYS_read, (uint64_t)fd, 0);
	rec_fds_take(&f->fds, &f->uses, now);
}

static void what_is_seen_is_a_fact_and_what_comes_later_another(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f);
	open_file(&f, 10, 3, "/dev/null", "0100000");
	open_file(&f, 10, 4, "pipe:[77]", "0100000");
	use(&f, 3, 10 * SEC);
	use(&f, 4, 10 * SEC);
	use(&f, 5, 10 * SEC); /* closed by now */
	open_file(&f, 10, 3, "/dev/zero", "0100000");
	use(&f, 3, 10 * SEC + SEC / 10); /* looked at just now */
	use(&f, 4, 12 * SEC);
	use(&f, 3, 13 * SEC);
	use(&f, 3, 15 * SEC);
	assert_int_equal(rec_sink_close(f.sink, NULL), 0);
	rowsback_check_references(span_of(f.file.p, f.file.n));
	fact_is(&f, "file.10.3", "/dev/null");
	fact_is(&f, "file.10.3.13000000000", "/dev/zero");
	fact_is(&f, "file.10.4", "pipe:[77]");
	fact_is(&f, "file.10.5", NULL);
	assert_int_equal(f.fds.n, 3);
	end(&f);
}

static void a_drm_device_has_its_driver_with_it(void **state)
{
	struct fixture f;
	char full[256];

	(void)state;
	begin(&f);
	open_file(&f, 10, 3, "/dev/dri/card0", "02");
	open_file(&f, 10, 4, "/dev/dri/card1", "02");
	filetree_text(&f.tree, "/sys/class/drm/card0/device/vendor", "0x8086");
	snprintf(full, sizeof(full), "%s/sys/class/drm/card0/device/driver",
		 f.tree.root);
	assert_int_equal(symlink("../../../bus/pci/drivers/i915", full), 0);
	use(&f, 3, 10 * SEC);
	use(&f, 4, 10 * SEC);
	assert_int_equal(rec_sink_close(f.sink, NULL), 0);
	fact_is(&f, "file.10.3", "/dev/dri/card0");
	fact_is(&f, "driver./dev/dri/card0", "i915");
	fact_is(&f, "driver./dev/dri/card1", NULL);
	end(&f);
}

/* O_CLOEXEC is 02000000. */
static void a_program_to_come_has_what_is_not_closed_for_it(void **state)
{
	struct fixture f;
	struct rec_tracepoints calls = { 0 }, none = { 0 };
	const pid_t pid = 10;

	(void)state;
	begin(&f);
	open_file(&f, 10, 0, "/dev/pts/1", "0100002");
	open_file(&f, 10, 5, "/tmp/of.rec", "02100002");
	calls.tables.items = &f.ioctl;
	calls.tables.n = 1;
	rec_fds_begin(&f.fds, &none, &pid, 1, true);
	assert_int_equal(f.fds.n, 0);
	rec_fds_begin(&f.fds, &calls, &pid, 1, true);
	assert_int_equal(f.fds.n, 1);
	assert_int_equal(f.fds.v[0].fd, 0);
	rec_fds_begin(&f.fds, &calls, &pid, 1, false);
	assert_int_equal(f.fds.n, 2);
	/* The first call looks again. */
	open_file(&f, 10, 5, "/tmp/own", "0100002");
	use(&f, 5, 10 * SEC);
	assert_int_equal(f.fds.n, 3);
	end(&f);
}

static void too_many_are_counted_and_said(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f);
	for (int i = 0; i <= (int)REC_FDS_MAX; i++)
		open_file(&f, 10, i, "/dev/null", "0");
	for (int i = 0; i <= (int)REC_FDS_MAX; i++)
		use(&f, i, SEC);
	assert_int_equal(f.fds.n, REC_FDS_MAX);
	assert_int_equal(f.fds.left_out, 1);
	assert_int_equal(rec_sink_close(f.sink, NULL), 0);
	fact_is(&f, "note.files", "calls are on more than 4096 files");
	end(&f);
}

static void without_memory_a_file_is_not_known(void **state)
{
	bool failed = true;

	(void)state;
	for (long n = 1; failed && n < 100; n++) {
		struct fixture f;

		begin(&f);
		open_file(&f, 10, 3, "/dev/null", "0");
		failalloc_at(n);
		use(&f, 3, 10 * SEC);
		failed = failalloc_hit();
		failalloc_off();
		end(&f);
	}
	assert_false(failed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(calls_tell_the_file_that_they_are_on),
		cmocka_unit_test(a_record_cut_anywhere_does_no_harm),
		cmocka_unit_test(a_list_that_is_full_is_left_at_that),
		cmocka_unit_test(
			what_is_seen_is_a_fact_and_what_comes_later_another),
		cmocka_unit_test(a_drm_device_has_its_driver_with_it),
		cmocka_unit_test(
			a_program_to_come_has_what_is_not_closed_for_it),
		cmocka_unit_test(too_many_are_counted_and_said),
		cmocka_unit_test(without_memory_a_file_is_not_known),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
