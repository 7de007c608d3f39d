#include "record/state/world.h"

#include "format/base/mem.h"
#include "tests/support/failalloc.h"
#include "tests/support/filetree.h"
#include "tests/support/rowsback.h"

#include <linux/perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct fixture {
	struct filetree tree;
	struct rec_world w;
};

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	assert_non_null(f);
	filetree_init(&f->tree);
	assert_int_equal(rec_world_init(&f->w, f->tree.root, NULL), 0);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	rec_world_fini(&f->w);
	filetree_fini(&f->tree);
	free(f);
	return 0;
}

static struct span text(const char *s)
{
	return span_of(s, strlen(s));
}

/* -- Records ----------------------------------------------------------------*/

static struct rec_record record(uint32_t type, int32_t pid, int32_t tid,
				uint64_t time)
{
	return (struct rec_record){
		.type = type,
		.misc = PERF_RECORD_MISC_USER,
		.ids = { .pid = pid, .tid = tid, .time = time },
	};
}

static struct rec_record comm(int32_t pid, int32_t tid, uint64_t time,
			      const char *name, bool exec)
{
	struct rec_record r = record(PERF_RECORD_COMM, pid, tid, time);

	r.comm = (struct rec_comm){ pid, tid, exec, text(name) };
	return r;
}

static struct rec_record forked(int32_t pid, int32_t tid, int32_t parent_pid,
				int32_t parent_tid, uint64_t time)
{
	struct rec_record r = record(PERF_RECORD_FORK, pid, tid, time);

	r.task = (struct rec_task){ pid, parent_pid, tid, parent_tid };
	return r;
}

static struct rec_record exited(int32_t pid, int32_t tid, uint64_t time)
{
	struct rec_record r = record(PERF_RECORD_EXIT, pid, tid, time);

	r.task = (struct rec_task){ pid, 1, tid, 1 };
	return r;
}

static struct rec_record mapped(int32_t pid, int32_t tid, uint64_t time,
				uint64_t start, uint64_t size, uint64_t offset,
				const char *path)
{
	struct rec_record r = record(PERF_RECORD_MMAP2, pid, tid, time);

	r.mmap = (struct rec_mmap){ .pid = pid, .tid = tid, .start = start,
				    .size = size, .offset = offset,
				    .path = text(path) };
	return r;
}

static void apply(struct fixture *f, struct rec_record r)
{
	assert_int_equal(rec_world_apply(&f->w, &r, NULL), 0);
}

static struct rec_thread *thread(struct fixture *f, int32_t pid, int32_t tid,
				 uint64_t time)
{
	struct rec_ids ids = { .pid = pid, .tid = tid, .time = time };
	struct rec_thread *t = rec_world_thread(&f->w, &ids);

	assert_non_null(t);
	return t;
}

/* The path mapped at `ip` of a thread, "" where there is none. */
static const char *mapped_at(struct fixture *f, int32_t pid, int32_t tid,
			     uint64_t ip, uint64_t time)
{
	const struct rec_mapping *m =
		rec_mm_find(thread(f, pid, tid, time)->mm, ip, time);

	return m ? f->w.images.items[m->image].path : "";
}

/* A process of the tree. */
static void runs(struct fixture *f, int pid, const char *name,
		 const char *maps)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%d/task/%d/comm", pid, pid);
	filetree_text(&f->tree, path, name);
	snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	filetree_text(&f->tree, path, maps);
}

#define APP_MAPS "1000-3000 r-xp 00000400 08:01 7 /bin/app\n"

/* -- What is announced -------------------------------------------------------*/

static void an_exec_gives_an_empty_address_space(void **state)
{
	struct fixture *f = *state;

	runs(f, 10, "sh\n", APP_MAPS);
	assert_int_equal(rec_world_scan(&f->w, NULL), 0);
	apply(f, comm(10, 10, 100, "ls", true));
	assert_string_equal(thread(f, 10, 10, 50)->comm, "sh");
	assert_string_equal(mapped_at(f, 10, 10, 0x1000, 50), "/bin/app");
	assert_string_equal(thread(f, 10, 10, 150)->comm, "ls");
	assert_string_equal(mapped_at(f, 10, 10, 0x1000, 150), "");
	apply(f, mapped(10, 10, 110, 0x8000, 0x1000, 0, "/bin/ls"));
	assert_string_equal(mapped_at(f, 10, 10, 0x8000, 150), "/bin/ls");
	assert_string_equal(mapped_at(f, 10, 10, 0x8000, 50), "");
}

static void a_rename_keeps_the_address_space(void **state)
{
	struct fixture *f = *state;

	runs(f, 10, "sh\n", APP_MAPS);
	assert_int_equal(rec_world_scan(&f->w, NULL), 0);
	apply(f, comm(10, 10, 100, "worker", false));
	assert_string_equal(thread(f, 10, 10, 150)->comm, "worker");
	assert_string_equal(mapped_at(f, 10, 10, 0x2fff, 150), "/bin/app");
	assert_ptr_equal(thread(f, 10, 10, 50)->mm,
			 thread(f, 10, 10, 150)->mm);
}

static void a_child_has_a_copy_and_a_thread_shares(void **state)
{
	struct fixture *f = *state;

	runs(f, 10, "sh\n", APP_MAPS);
	assert_int_equal(rec_world_scan(&f->w, NULL), 0);
	apply(f, forked(10, 11, 10, 10, 100));
	apply(f, forked(12, 12, 10, 11, 110));
	apply(f, mapped(10, 11, 120, 0x8000, 0x1000, 0, "/lib/late"));
	assert_string_equal(thread(f, 10, 11, 130)->comm, "sh");
	assert_string_equal(thread(f, 12, 12, 130)->comm, "sh");
	assert_ptr_equal(thread(f, 10, 11, 130)->mm,
			 thread(f, 10, 10, 130)->mm);
	assert_string_equal(mapped_at(f, 10, 10, 0x8000, 130), "/lib/late");
	assert_string_equal(mapped_at(f, 12, 12, 0x8000, 130), "");
	assert_string_equal(mapped_at(f, 12, 12, 0x1000, 130), "/bin/app");
	assert_int_equal(thread(f, 12, 12, 130)->mm->parent, 10);
	assert_int_equal(f->w.guessed, 0);
}

static void a_child_of_a_parent_nobody_knows_is_known(void **state)
{
	struct fixture *f = *state;

	apply(f, forked(12, 12, 10, 10, 100));
	assert_int_equal(thread(f, 12, 12, 110)->pid, 12);
	assert_string_equal(mapped_at(f, 12, 12, 0x1000, 110), "");
	assert_int_equal(f->w.guessed, 0);
}

static void a_reused_tid_belongs_to_its_new_process(void **state)
{
	struct fixture *f = *state;

	runs(f, 10, "sh\n", APP_MAPS);
	runs(f, 20, "db\n", "8000-9000 r-xp 0 08:01 8 /bin/db\n");
	assert_int_equal(rec_world_scan(&f->w, NULL), 0);
	apply(f, forked(10, 30, 10, 10, 100));
	apply(f, exited(10, 30, 200));
	apply(f, forked(20, 30, 20, 20, 300));
	assert_string_equal(mapped_at(f, 10, 30, 0x1000, 150), "/bin/app");
	assert_string_equal(mapped_at(f, 20, 30, 0x8000, 350), "/bin/db");
	rec_world_prune(&f->w, 400);
	assert_string_equal(mapped_at(f, 20, 30, 0x8000, 350), "/bin/db");
	assert_int_equal(f->w.guessed, 0);
}

static void a_late_sample_of_an_exited_thread_finds_it(void **state)
{
	struct fixture *f = *state;

	runs(f, 10, "sh\n", APP_MAPS);
	assert_int_equal(rec_world_scan(&f->w, NULL), 0);
	apply(f, exited(10, 10, 200));
	rec_world_prune(&f->w, 150);
	assert_string_equal(thread(f, 10, 10, 199)->comm, "sh");
	/* On its way out a thread has no process id any more. */
	assert_string_equal(thread(f, -1, 10, 199)->comm, "sh");
	assert_int_equal(f->w.guessed, 0);
}

static void the_kernels_own_mapping_is_ignored(void **state)
{
	struct rec_record r = mapped(-1, 0, 100, 0xffffffff81000000, 0x1000, 0,
				     "[kernel.kallsyms]_text");
	struct rec_record q = mapped(10, 10, 100, 0xffffffffc0000000, 0x1000,
				     0, "[ext4]");
	struct fixture *f = *state;
	size_t n = f->w.images.n;

	r.misc = q.misc = PERF_RECORD_MISC_KERNEL;
	apply(f, r);
	apply(f, q);
	assert_int_equal(f->w.images.n, n);
}

static void a_kernel_program_and_an_unknown_record_are_bearable(void **state)
{
	struct rec_record r = record(PERF_RECORD_KSYMBOL, -1, 0, 100);
	struct fixture *f = *state;
	uint64_t address;

	r.ksymbol = (struct rec_ksymbol){ .address = 0xffffffffc0001000,
					  .size = 64, .type = 1,
					  .name = text("bpf_prog_1") };
	apply(f, r);
	assert_string_equal(f->w.images.items[rec_kernel_find(
				    &f->w.kernel, 0xffffffffc0001004,
				    &address)].path, "bpf_prog_1");
	apply(f, record(999, 1, 1, 100));
}

static void one_file_is_one_image_in_all_processes(void **state)
{
	struct rec_record a = mapped(10, 10, 100, 0x1000, 0x1000, 0, "/lib/c"),
			  b = mapped(20, 20, 100, 0x7000, 0x1000, 0, "/lib/c");
	struct fixture *f = *state;
	size_t n;

	a.mmap.build_id_size = b.mmap.build_id_size = 4;
	memcpy(a.mmap.build_id, "abcd", 4);
	memcpy(b.mmap.build_id, "abcd", 4);
	apply(f, a);
	n = f->w.images.n;
	apply(f, b);
	assert_int_equal(f->w.images.n, n);
	memcpy(b.mmap.build_id, "abce", 4);
	apply(f, b);
	assert_int_equal(f->w.images.n, n + 1);
}

/* -- What /proc says ---------------------------------------------------------*/

static void a_scan_finds_processes_threads_and_mappings(void **state)
{
	struct fixture *f = *state;

	runs(f, 10, "sh\n", APP_MAPS);
	filetree_text(&f->tree, "/proc/10/task/15/comm", "worker\n");
	filetree_text(&f->tree, "/proc/self/maps", APP_MAPS);
	assert_int_equal(rec_world_scan(&f->w, NULL), 0);
	assert_string_equal(thread(f, 10, 10, 5)->comm, "sh");
	assert_string_equal(thread(f, 10, 15, 5)->comm, "worker");
	assert_ptr_equal(thread(f, 10, 10, 5)->mm, thread(f, 10, 15, 5)->mm);
	assert_string_equal(mapped_at(f, 10, 15, 0x1000, 5), "/bin/app");
	assert_int_equal(rec_mm_find(thread(f, 10, 10, 5)->mm, 0x1000,
				     5)->offset, 0x400);
	assert_int_equal(f->w.guessed, 0);
}

static void a_scan_does_not_overwrite_what_was_announced(void **state)
{
	struct fixture *f = *state;

	runs(f, 10, "old\n", APP_MAPS "8000-9000 r-xp 0 08:01 9 /bin/more\n");
	apply(f, comm(10, 10, 100, "new", true));
	apply(f, mapped(10, 10, 110, 0x1000, 0x2000, 0, "/bin/new"));
	assert_int_equal(rec_world_scan(&f->w, NULL), 0);
	assert_string_equal(thread(f, 10, 10, 200)->comm, "new");
	assert_string_equal(mapped_at(f, 10, 10, 0x1000, 200), "/bin/new");
	assert_string_equal(mapped_at(f, 10, 10, 0x8000, 200), "/bin/more");
}

static void a_process_that_ended_meanwhile_is_no_failure(void **state)
{
	struct fixture *f = *state;

	filetree_text(&f->tree, "/proc/10/nothing", "");
	assert_int_equal(rec_world_scan(&f->w, NULL), 0);
	assert_int_equal(rec_world_scan_process(&f->w, 99, NULL), 0);
	assert_int_equal(rec_world_scan_task(&f->w, 99, NULL), 0);
}

static void the_process_of_a_thread_is_found(void **state)
{
	struct fixture *f = *state;

	runs(f, 40, "main\n", APP_MAPS);
	filetree_text(&f->tree, "/proc/40/task/41/comm", "side\n");
	filetree_text(&f->tree, "/proc/41/status",
		      "Name:\tside\nUmask:\t0022\nTgid:\t40\nPid:\t41\n");
	assert_int_equal(rec_world_scan_task(&f->w, 41, NULL), 0);
	assert_string_equal(thread(f, 40, 41, 5)->comm, "side");
	assert_string_equal(mapped_at(f, 40, 41, 0x1000, 5), "/bin/app");
	assert_int_equal(f->w.guessed, 0);
}

static void a_mapping_of_an_unknown_process_asks_proc_for_the_rest(void **state)
{
	struct fixture *f = *state;

	runs(f, 20, "db\n", APP_MAPS);
	apply(f, mapped(20, 20, 100, 0x8000, 0x1000, 0, "/lib/plugin"));
	assert_string_equal(thread(f, 20, 20, 150)->comm, "db");
	assert_string_equal(mapped_at(f, 20, 20, 0x8000, 150), "/lib/plugin");
	assert_string_equal(mapped_at(f, 20, 20, 0x1000, 150), "/bin/app");
}

static void a_sample_of_an_unknown_process_asks_proc(void **state)
{
	struct fixture *f = *state;

	runs(f, 20, "db\n", APP_MAPS);
	assert_string_equal(mapped_at(f, 20, 20, 0x1000, 150), "/bin/app");
	assert_string_equal(thread(f, 20, 20, 150)->comm, "db");
	assert_int_equal(f->w.guessed, 0);
}

static void a_thread_nobody_announced_is_made_up(void **state)
{
	struct fixture *f = *state;
	struct rec_thread *t = thread(f, 30, 31, 100);

	assert_string_equal(t->comm, ":31");
	assert_int_equal(t->pid, 30);
	assert_true(t->guessed);
	assert_int_equal(f->w.guessed, 1);
	assert_ptr_equal(thread(f, 30, 31, 200), t);
	assert_int_equal(f->w.guessed, 1);
	/* Of a process that is known it has the mappings. */
	runs(f, 10, "sh\n", APP_MAPS);
	assert_int_equal(rec_world_scan(&f->w, NULL), 0);
	filetree_text(&f->tree, "/proc/10/task/17/comm", "late\n");
	t = thread(f, 10, 17, 100);
	assert_string_equal(t->comm, "late");
	assert_true(t->guessed);
	assert_string_equal(mapped_at(f, 10, 17, 0x1000, 150), "/bin/app");
}

static void the_idle_task_is_the_swapper(void **state)
{
	struct fixture *f = *state;

	assert_string_equal(thread(f, 0, 0, 5)->comm, "swapper");
	assert_int_equal(f->w.guessed, 0);
}

/* -- Rows --------------------------------------------------------------------*/

static void a_new_mapping_of_a_written_process_is_written(void **state)
{
	static const struct tf_file_info info = { .start_unix_ns = 1 };
	struct fixture *f = *state;
	struct tf_sink *memory = NULL;
	struct rec_sink *sink = NULL;
	struct rec_defs defs;
	struct rowsback maps;
	struct buf file;

	buf_init(&file, 0);
	assert_int_equal(tf_sink_memory(&memory, &file, NULL), 0);
	assert_int_equal(rec_sink_new(&sink, memory, &info, NULL), 0);
	assert_int_equal(rec_defs_init(&defs, sink, &f->w.images, f->tree.root,
				       1, 0, NULL), 0);
	f->w.defs = &defs;
	runs(f, 10, "sh\n", APP_MAPS);
	assert_int_equal(rec_world_scan(&f->w, NULL), 0);
	apply(f, mapped(10, 10, 50, 0x6000, 0x1000, 0, "/lib/before"));
	(void)rec_defs_thread(&defs, thread(f, 10, 10, 60));
	apply(f, mapped(10, 10, 100, 0x8000, 0x1000, 0, "/lib/after"));
	apply(f, mapped(10, 10, 110, 0x8000, 0x1000, 0, "/lib/after"));
	assert_int_equal(rec_sink_close(sink, NULL), 0);
	rowsback_read(&maps, span_of(file.p, file.n), TF_TABLE_MAPPING);
	rowsback_check_references(span_of(file.p, file.n));
	assert_int_equal(maps.n, 3);
	assert_int_equal(maps.items[0].v[TF_MAPPING_START], 0x1000);
	assert_int_equal(maps.items[1].v[TF_MAPPING_START], 0x6000);
	assert_int_equal(maps.items[2].v[TF_MAPPING_START], 0x8000);
	assert_int_equal(maps.items[2].v[TF_MAPPING_TIME], 100);
	rowsback_fini(&maps);
	rec_defs_fini(&defs);
	rec_sink_free(sink);
	tf_sink_close(memory, NULL);
	buf_fini(&file);
}

/* -- Without memory ----------------------------------------------------------*/

static int live_a_life(struct rec_world *w, const char *root)
{
	const struct rec_record records[] = {
		comm(10, 10, 100, "ls", true),
		mapped(10, 10, 110, 0x8000, 0x1000, 0, "/bin/ls"),
		forked(12, 12, 10, 10, 120),
		mapped(12, 12, 130, 0x8800, 0x100, 0, "/bin/x"),
		exited(12, 12, 140),
	};
	struct rec_ids ids = { .pid = 50, .tid = 51, .time = 150 };
	int rc = rec_world_init(w, root, NULL);

	if (rc == 0)
		rc = rec_world_scan(w, NULL);
	for (size_t i = 0; rc == 0 && i < ARRAY_LEN(records); i++)
		rc = rec_world_apply(w, &records[i], NULL);
	if (rc == 0 && !rec_world_thread(w, &ids))
		rc = ERR_NOMEM;
	rec_world_prune(w, 200);
	return rc;
}

static void out_of_memory_is_told_and_nothing_leaks(void **state)
{
	struct fixture *f = *state;
	bool done = false;

	runs(f, 10, "sh\n", APP_MAPS);
	for (long n = 1; !done; n++) {
		struct rec_world w;
		int rc;

		failalloc_at(n);
		rc = live_a_life(&w, f->tree.root);
		failalloc_off();
		done = !failalloc_hit();
		/* What /proc says is done without. */
		assert_true(rc == 0 || rc == ERR_NOMEM);
		assert_true(!done || rc == 0);
		rec_world_fini(&w);
		assert_true(n < 500);
	}
}

#define WITH_FIXTURE(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_FIXTURE(an_exec_gives_an_empty_address_space),
		WITH_FIXTURE(a_rename_keeps_the_address_space),
		WITH_FIXTURE(a_child_has_a_copy_and_a_thread_shares),
		WITH_FIXTURE(a_child_of_a_parent_nobody_knows_is_known),
		WITH_FIXTURE(a_reused_tid_belongs_to_its_new_process),
		WITH_FIXTURE(a_late_sample_of_an_exited_thread_finds_it),
		WITH_FIXTURE(the_kernels_own_mapping_is_ignored),
		WITH_FIXTURE(
			a_kernel_program_and_an_unknown_record_are_bearable),
		WITH_FIXTURE(one_file_is_one_image_in_all_processes),
		WITH_FIXTURE(a_scan_finds_processes_threads_and_mappings),
		WITH_FIXTURE(a_scan_does_not_overwrite_what_was_announced),
		WITH_FIXTURE(a_process_that_ended_meanwhile_is_no_failure),
		WITH_FIXTURE(the_process_of_a_thread_is_found),
		WITH_FIXTURE(
			a_mapping_of_an_unknown_process_asks_proc_for_the_rest),
		WITH_FIXTURE(a_sample_of_an_unknown_process_asks_proc),
		WITH_FIXTURE(a_thread_nobody_announced_is_made_up),
		WITH_FIXTURE(the_idle_task_is_the_swapper),
		WITH_FIXTURE(a_new_mapping_of_a_written_process_is_written),
		WITH_FIXTURE(out_of_memory_is_told_and_nothing_leaks),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
