#include "record/import/intake.h"

#include "format/base/mem.h"
#include "record/symbol/buildid.h"
#include "tests/support/intakeback.h"

#include <fcntl.h>
#include <linux/perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* -- The kernel ------------------------------------------------------------ */

#define TEXT 0xffffffff85c00000
#define MODULE 0xffffffffc0100000

static void kernel_addresses_are_told_from_text(void **state)
{
	static const char *const paths[] = {
		"[kernel.kallsyms]_text",
		"[kernel.kallsyms]_stext",
		"/usr/lib/debug/lib/modules/5.10/vmlinux",
		"/boot/vmlinux-5.10",
	};
	static const char *const want[] = {
		"[kernel.kallsyms]:1234 [kernel.kallsyms]:2000 | :401000",
		"[veth]:10",
		":ffffffffc0300000",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(paths); i++) {
		const uint64_t chain[] = { PERF_CONTEXT_KERNEL, TEXT + 0x1234,
					   TEXT + 0x2000, PERF_CONTEXT_USER,
					   0x401000 };
		struct intakeback f;
		size_t e;

		ib_begin(&f, true);
		e = ib_event(&f, "cycles");
		ib_tell(&f, ib_mapped(-1, 0, TEXT, 0x1000000, TEXT, paths[i]));
		ib_tell(&f,
			ib_mapped(
				-1, 0, MODULE, 0x10000, 0,
				i & 1 ? "[veth]" :
					"/lib/modules/6.1/kernel/veth.ko.xz"));
		ib_put_chain(&f, e,
			     ib_sample(1, 1, 1, PERF_RECORD_MISC_KERNEL,
				       TEXT + 0x1234),
			     chain, ARRAY_LEN(chain));
		ib_put(&f, e,
		       ib_sample(1, 1, 2, PERF_RECORD_MISC_KERNEL,
				 MODULE + 0x10));
		ib_put(&f, e,
		       ib_sample(1, 1, 3, PERF_RECORD_MISC_KERNEL,
				 MODULE + 0x200000));
		ib_check_stacks(&f, want, ARRAY_LEN(want));
	}
}

/* The mapping begins before _text, whose address is its offset (as for a kernel
 * that was moved by 0x4c00000). */
static void text_is_where_the_reference_symbol_is(void **state)
{
	static const char *const want[] = { "[kernel.kallsyms]:10",
					    "[kernel.kallsyms]:20" };
	struct intakeback f;
	size_t e;

	(void)state;
	ib_begin(&f, true);
	e = ib_event(&f, "cycles");
	ib_tell(&f, ib_mapped(-1, 0, 0, 0xffffffff9fffffff, TEXT,
			      "[kernel.kallsyms]_text"));
	ib_put(&f, e, ib_sample(1, 1, 1, PERF_RECORD_MISC_KERNEL, TEXT + 0x10));
	/* Where old files do not say that it was the kernel. */
	ib_put(&f, e, ib_sample(1, 1, 1, 0, TEXT + 0x20));
	ib_check_stacks(&f, want, ARRAY_LEN(want));
}

static void guests_have_address_spaces_of_their_own(void **state)
{
	static const char *const want[] = { "[kernel.kallsyms]:10" };
	struct rec_record r = ib_mapped(-1, 0, 0xffffffff81000000, 0x1000000,
					0xffffffff81000000,
					"[guest.kernel.kallsyms]_text");
	struct intakeback f;
	size_t e;

	(void)state;
	ib_begin(&f, true);
	e = ib_event(&f, "cycles");
	ib_tell(&f, ib_mapped(-1, 0, TEXT, 0x1000000, TEXT,
			      "[kernel.kallsyms]_text"));
	r.misc = PERF_RECORD_MISC_GUEST_KERNEL;
	ib_tell(&f, r);
	ib_put(&f, e, ib_sample(1, 1, 1, PERF_RECORD_MISC_KERNEL, TEXT + 0x10));
	ib_check_stacks(&f, want, ARRAY_LEN(want));
}

/* Its address space is there, but it was called in the old one. What else is
 * found on the stack is nobody's. */
static void a_kernel_that_executes_a_program_has_its_caller_in_the_old_one(
	void **state)
{
	static const char *const want[] = {
		"[kernel.kallsyms]:10 | /bin/old:1010 :400020",
		"/bin/new:2010",
		"[kernel.kallsyms]:10 | :400010",
	};
	const uint64_t chain[] = { PERF_CONTEXT_KERNEL, TEXT + 0x10,
				   PERF_CONTEXT_USER, 0x400010, 0x400020 };
	const uint64_t user[] = { PERF_CONTEXT_USER, 0x500010 };
	struct rec_record in_exec = ib_sample(5, 5, 12, PERF_RECORD_MISC_KERNEL,
					      TEXT + 0x10);
	struct intakeback f;
	size_t e;

	(void)state;
	ib_begin(&f, true);
	e = ib_event(&f, "cycles");
	ib_tell(&f, ib_mapped(-1, 0, TEXT, 0x1000000, TEXT,
			      "[kernel.kallsyms]_text"));
	ib_tell(&f, ib_mapped(5, 1, 0x400000, 0x10000, 0x1000, "/bin/old"));
	ib_tell(&f, ib_comm(5, 5, 10, "new", true));
	ib_tell(&f, ib_mapped(5, 11, 0x500000, 0x10000, 0x2000, "/bin/new"));
	ib_put_chain(&f, e, in_exec, chain, ARRAY_LEN(chain));
	ib_put_chain(&f, e, ib_sample(5, 5, 13, PERF_RECORD_MISC_USER, 0x500010),
		     user, ARRAY_LEN(user));
	/* One program later it is forgotten. */
	ib_tell(&f, ib_comm(5, 5, 20, "newer", true));
	in_exec.ids.time = 21;
	ib_put_chain(&f, e, in_exec, chain, ARRAY_LEN(chain) - 1);
	ib_check_stacks(&f, want, ARRAY_LEN(want));
}

/* A chain of a kernel that does not say which side it begins on. */
static void a_chain_without_context_is_of_the_samples_side(void **state)
{
	static const char *const want[] = {
		"/bin/x:1010 | /bin/x:1020",
	};
	const uint64_t chain[] = { 0x400010, 0x400020 };
	struct intakeback f;
	size_t e;

	(void)state;
	ib_begin(&f, true);
	e = ib_event(&f, "cycles");
	ib_tell(&f, ib_mapped(5, 1, 0x400000, 0x10000, 0x1000, "/bin/x"));
	ib_put_chain(&f, e, ib_sample(5, 5, 2, PERF_RECORD_MISC_USER, 0x400010),
		     chain, ARRAY_LEN(chain));
	ib_check_stacks(&f, want, ARRAY_LEN(want));
}

/* -- Images ---------------------------------------------------------------- */

static const struct an_image *image_of(const struct intakeback *f,
				       const char *path)
{
	for (uint32_t i = 0; i < an_n_images(f->trace); i++)
		if (strcmp(an_text(f->trace, an_image_of(f->trace, i)->path),
			   path) == 0 &&
		    an_image_of(f->trace, i)->build_id.n)
			return an_image_of(f->trace, i);
	return NULL;
}

static void images_have_the_build_id_of_their_path(void **state)
{
	const uint8_t id[20] = { 1, 2,  3,  4,  5,  6,  7,  8,
				 9, 10, 11, 12, 13, 14, 15, 16 };
	uint8_t longer[21];
	struct intakeback f;
	size_t e;

	(void)state;
	memset(longer, 7, sizeof(longer));
	ib_begin(&f, true);
	e = ib_event(&f, "cycles");
	assert_int_equal(rec_intake_build_id(f.in, TF_IMAGE_ELF,
					     ib_text("/bin/x"), span_of(id, 20),
					     NULL),
			 0);
	assert_int_equal(rec_intake_build_id(f.in, TF_IMAGE_KERNEL,
					     ib_text("/boot/vmlinux"),
					     span_of(id, 8), NULL),
			 0);
	assert_int_equal(rec_intake_build_id(f.in, TF_IMAGE_MODULE,
					     ib_text("/lib/snd-pcm.ko"),
					     span_of(id + 1, 15), NULL),
			 0);
	assert_int_equal(rec_intake_build_id(f.in, TF_IMAGE_ELF, ib_text("/y"),
					     span_of(longer, sizeof(longer)), NULL),
			 ERR_LIMIT);
	ib_tell(&f, ib_mapped(-1, 0, TEXT, 0x1000000, TEXT,
			      "[kernel.kallsyms]_text"));
	ib_tell(&f, ib_mapped(-1, 0, MODULE, 0x1000, 0, "[snd_pcm]"));
	ib_tell(&f, ib_mapped(5, 1, 0x400000, 0x10000, 0, "/bin/x"));
	ib_put(&f, e, ib_sample(5, 5, 1, PERF_RECORD_MISC_USER, 0x400010));
	ib_put(&f, e, ib_sample(5, 5, 1, PERF_RECORD_MISC_KERNEL, TEXT));
	ib_put(&f, e, ib_sample(5, 5, 1, PERF_RECORD_MISC_KERNEL, MODULE));
	ib_turn(&f);
	/* Twenty bytes are said of an id of sixteen. */
	assert_int_equal(image_of(&f, "/bin/x")->build_id.n, 16);
	assert_memory_equal(image_of(&f, "/bin/x")->build_id.p, id, 16);
	assert_int_equal(image_of(&f, "[kernel.kallsyms]")->build_id.n, 8);
	assert_int_equal(image_of(&f, "[snd_pcm]")->build_id.n, 15);
	ib_end(&f);
}

/* This program, at its own path. */
static uint64_t own_offset(char path[4096], struct rec_image *image)
{
	ssize_t n = readlink("/proc/self/exe", path, 4095);
	unsigned long start, last, offset;
	uint64_t at = (uint64_t)(uintptr_t)own_offset;
	FILE *maps = fopen("/proc/self/maps", "r");
	char line[5000];
	int fd;

	assert_true(n > 0);
	path[n] = '\0';
	fd = open(path, O_RDONLY);
	rec_build_id_read(image, fd);
	close(fd);
	while (fgets(line, sizeof(line), maps))
		if (sscanf(line, "%lx-%lx %*s %lx", &start, &last, &offset) ==
			    3 &&
		    start <= at && at < last) {
			fclose(maps);
			return at - start + offset;
		}
	fail_msg("this function is mapped nowhere");
	return 0;
}

static void files_name_what_has_their_build_id_only(void **state)
{
	struct rec_image own = { 0 };
	struct rowsback rows;
	struct intakeback f;
	char path[4096], got[IB_STACK];
	uint64_t offset = own_offset(path, &own);
	struct rec_record r = ib_mapped(5, 1, 0x10000, 1 << 24, 0, path);
	size_t e;

	(void)state;
	if (!own.build_id_size)
		skip(); /* a linker that makes none */
	ib_begin(&f, false);
	e = ib_event(&f, "cycles");
	r.mmap.build_id_size = own.build_id_size;
	memcpy(r.mmap.build_id, own.build_id, own.build_id_size);
	ib_tell(&f, r);
	ib_put(&f, e,
	       ib_sample(5, 5, 2, PERF_RECORD_MISC_USER, 0x10000 + offset));
	r.mmap.pid = r.mmap.tid = r.ids.pid = r.ids.tid = 6;
	r.mmap.build_id[0] ^= 1;
	ib_tell(&f, r);
	ib_put(&f, e,
	       ib_sample(6, 6, 3, PERF_RECORD_MISC_USER, 0x10000 + offset));
	r.mmap.pid = r.mmap.tid = r.ids.pid = r.ids.tid = 7;
	r.mmap.build_id_size = 0;
	ib_tell(&f, r);
	ib_put(&f, e,
	       ib_sample(7, 7, 4, PERF_RECORD_MISC_USER, 0x10000 + offset));
	ib_turn(&f);
	ib_rows(&f, &rows, TF_TABLE_SAMPLE);
	assert_non_null(
		strstr(ib_stack(&f, &rows.items[0], got), "=own_offset+0"));
	assert_null(strchr(ib_stack(&f, &rows.items[1], got), '='));
	assert_null(strchr(ib_stack(&f, &rows.items[2], got), '='));
	rowsback_fini(&rows);
	ib_end(&f);
}

/* -- Where processes are --------------------------------------------------- */

static void put_in(struct intakeback *f, size_t e, int32_t pid, uint64_t time,
		   uint64_t id)
{
	struct rec_record r = ib_sample(pid, pid, time, PERF_RECORD_MISC_USER,
					0x400010);

	r.sample.cgroup = id;
	ib_put(f, e, r);
}

/* The row of a process, by when it began: executing a program begins one. */
static const struct rowsback_row *process(const struct rowsback *rows,
					  uint64_t pid, uint64_t from)
{
	const struct rowsback_row *found = NULL;

	for (size_t i = 0; i < rows->n; i++)
		if (rows->items[i].v[TF_PROCESS_PID] == pid &&
		    rows->items[i].v[TF_PROCESS_TIME] == from)
			found = &rows->items[i];
	assert_non_null(found);
	return found;
}

static void processes_are_in_their_namespace_and_first_cgroup(void **state)
{
	static const struct {
		uint64_t pid, from, pid_ns;
		const char *cgroup;
	} want[] = {
		{ 5, 1, 4026531836, "/moved" },
		{ 5, 12, 4026531836, "/second" },
		{ 6, 1, 77, "/second" },
		{ 7, 1, 0, "" }, /* nobody said which group 99 is */
	};
	struct rowsback rows, strings;
	struct intakeback f;
	size_t e;

	(void)state;
	ib_begin(&f, true);
	e = ib_event(&f, "cycles");
	for (int32_t pid = 5; pid <= 7; pid++)
		ib_tell(&f, ib_comm(pid, pid, 1, "a", false));
	ib_tell(&f, ib_namespaces(5, 1, 4026531836));
	ib_tell(&f, ib_namespaces(6, 1, 77));
	ib_tell(&f, ib_namespaces(55, 1, 78)); /* of nobody */
	ib_tell(&f, ib_cgroup(1, "/first"));
	ib_tell(&f, ib_cgroup(2, "/second"));
	ib_tell(&f, ib_cgroup(1, "/moved"));
	put_in(&f, e, 5, 10, 1);
	put_in(&f, e, 5, 11, 2);
	ib_tell(&f, ib_comm(5, 5, 12, "b", true));
	put_in(&f, e, 5, 13, 2);
	put_in(&f, e, 6, 14, 2);
	put_in(&f, e, 7, 15, 99);
	ib_turn(&f);
	ib_rows(&f, &rows, TF_TABLE_PROCESS);
	ib_rows(&f, &strings, TF_TABLE_STRING);
	for (size_t i = 0; i < ARRAY_LEN(want); i++) {
		const struct rowsback_row *p = process(&rows, want[i].pid,
							want[i].from);

		assert_int_equal(p->v[TF_PROCESS_PID_NS], want[i].pid_ns);
		assert_int_equal(p->v[TF_PROCESS_NS_PID], 0);
		assert_true(rowsback_is(
			rowsback_find(&strings, p->epoch,
				      p->v[TF_PROCESS_CGROUP]),
			want[i].cgroup));
	}
	rowsback_fini(&rows);
	rowsback_fini(&strings);
	ib_end(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(kernel_addresses_are_told_from_text),
		cmocka_unit_test(text_is_where_the_reference_symbol_is),
		cmocka_unit_test(guests_have_address_spaces_of_their_own),
		cmocka_unit_test(
			a_kernel_that_executes_a_program_has_its_caller_in_the_old_one),
		cmocka_unit_test(
			a_chain_without_context_is_of_the_samples_side),
		cmocka_unit_test(images_have_the_build_id_of_their_path),
		cmocka_unit_test(files_name_what_has_their_build_id_only),
		cmocka_unit_test(
			processes_are_in_their_namespace_and_first_cgroup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
