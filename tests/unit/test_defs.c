#include "record/state/defs.h"

#include "format/base/mem.h"
#include "tests/support/failalloc.h"
#include "tests/support/filetree.h"
#include "tests/support/rowsback.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

struct fixture {
	struct filetree tree;
	struct buf file;
	struct tf_sink *memory;
	struct rec_sink *sink;
	struct rec_images images;
	struct rec_defs defs;
};

static const struct tf_file_info info = { .start_unix_ns = 1 };

/* Any path will do that is the same for the same pair. */
static uint32_t node(struct rec_defs *d, uint32_t parent, uint32_t frame)
{
	const struct rec_path_hash path = { parent, frame };

	return rec_defs_node(d, path, parent, frame);
}

static void begin(struct fixture *f)
{
	*f = (struct fixture){ 0 };
	filetree_init(&f->tree);
	buf_init(&f->file, 0);
	assert_int_equal(tf_sink_memory(&f->memory, &f->file, NULL), 0);
	assert_int_equal(rec_sink_new(&f->sink, f->memory, &info, NULL), 0);
	assert_int_equal(rec_images_init(&f->images, NULL), 0);
	assert_int_equal(rec_defs_init(&f->defs, f->sink, &f->images,
				       f->tree.root, 2, 0, NULL), 0);
}

static struct span closed(struct fixture *f)
{
	assert_int_equal(rec_sink_close(f->sink, NULL), 0);
	rowsback_check_references(span_of(f->file.p, f->file.n));
	return span_of(f->file.p, f->file.n);
}

static void end(struct fixture *f)
{
	rec_defs_fini(&f->defs);
	rec_images_fini(&f->images);
	rec_sink_free(f->sink);
	tf_sink_close(f->memory, NULL);
	buf_fini(&f->file);
	filetree_fini(&f->tree);
}

static uint32_t text(struct fixture *f, const char *s)
{
	return rec_defs_string(&f->defs, s, strlen(s));
}

static uint32_t image(struct fixture *f, const char *path, const char *build_id)
{
	struct rec_image what = { .kind = TF_IMAGE_ELF };
	uint32_t index;

	what.build_id_size = (uint8_t)strlen(build_id);
	memcpy(what.build_id, build_id, what.build_id_size);
	assert_int_equal(rec_images_add(&f->images, &what,
					span_of(path, strlen(path)), &index,
					NULL), 0);
	return index;
}

static void check_string(const struct rowsback *strings, uint32_t epoch,
			 uint64_t id, const char *want)
{
	assert_true(rowsback_is(rowsback_find(strings, epoch, id), want));
}

static void a_string_has_one_id_and_one_row(void **state)
{
	struct rowsback strings;
	struct fixture f;

	(void)state;
	begin(&f);
	assert_int_equal(text(&f, ""), 0);
	assert_int_equal(text(&f, "a"), 1);
	assert_int_equal(text(&f, "b"), 2);
	assert_int_equal(text(&f, "a"), 1);
	assert_int_equal(rec_defs_string(&f.defs, "b\0c", 3), 3);
	rowsback_read(&strings, closed(&f), TF_TABLE_STRING);
	assert_int_equal(strings.n, 4);
	check_string(&strings, 0, 0, "");
	check_string(&strings, 0, 1, "a");
	check_string(&strings, 0, 2, "b");
	assert_int_equal(strings.items[3].n_bytes, 3);
	assert_memory_equal(strings.items[3].bytes, "b\0c", 3);
	rowsback_fini(&strings);
	end(&f);
}

static void a_string_over_the_limit_is_cut(void **state)
{
	static char big[TF_MAX_STRING + 10];
	struct rowsback strings;
	struct fixture f;

	(void)state;
	begin(&f);
	memset(big, 'x', sizeof(big));
	assert_int_equal(rec_defs_string(&f.defs, big, sizeof(big)), 1);
	assert_int_equal(rec_defs_string(&f.defs, big, TF_MAX_STRING), 1);
	rowsback_read(&strings, closed(&f), TF_TABLE_STRING);
	assert_int_equal(strings.items[1].n_bytes, TF_MAX_STRING);
	rowsback_fini(&strings);
	end(&f);
}

static void an_image_row_equals_what_was_asked_for(void **state)
{
	struct rowsback rows, strings;
	struct fixture f;
	uint32_t a, b;

	(void)state;
	begin(&f);
	b = image(&f, "/b", "");
	a = image(&f, "/a", "1234");
	assert_int_equal(rec_defs_image(&f.defs, a), 0);
	assert_int_equal(rec_defs_image(&f.defs, b), 1);
	assert_int_equal(rec_defs_image(&f.defs, a), 0);
	rowsback_read(&rows, closed(&f), TF_TABLE_IMAGE);
	rowsback_read(&strings, span_of(f.file.p, f.file.n), TF_TABLE_STRING);
	assert_int_equal(rows.n, 2);
	assert_int_equal(rows.items[0].v[TF_IMAGE_KIND], TF_IMAGE_ELF);
	check_string(&strings, 0, rows.items[0].v[TF_IMAGE_PATH], "/a");
	assert_true(rowsback_is(&rows.items[0], "1234"));
	check_string(&strings, 0, rows.items[1].v[TF_IMAGE_PATH], "/b");
	assert_true(rowsback_is(&rows.items[1], ""));
	rowsback_fini(&rows);
	rowsback_fini(&strings);
	end(&f);
}

static void an_event_row_equals_what_was_asked_for(void **state)
{
	static char clock[] = "cpu-clock:u", faults[] = "page-faults";
	struct rec_event e[2] = {
		{ .name = clock, .unit = "ns",
		  .attr = { .type = 1, .config = 0, .freq = 1,
			    .sample_freq = 999,
			    .sample_type = PERF_SAMPLE_CALLCHAIN } },
		{ .name = faults, .unit = "",
		  .attr = { .type = 1, .config = 2, .sample_period = 7 } },
	};
	struct rowsback rows, strings;
	struct fixture f;

	(void)state;
	begin(&f);
	assert_int_equal(rec_defs_event(&f.defs, 1, &e[1]), 0);
	assert_int_equal(rec_defs_event(&f.defs, 0, &e[0]), 1);
	assert_int_equal(rec_defs_event(&f.defs, 1, &e[1]), 0);
	rowsback_read(&rows, closed(&f), TF_TABLE_EVENT);
	rowsback_read(&strings, span_of(f.file.p, f.file.n), TF_TABLE_STRING);
	assert_int_equal(rows.n, 2);
	check_string(&strings, 0, rows.items[0].v[TF_EVENT_NAME],
		     "page-faults");
	assert_int_equal(rows.items[0].v[TF_EVENT_CONFIG], 2);
	assert_int_equal(rows.items[0].v[TF_EVENT_PERIOD], 7);
	assert_int_equal(rows.items[0].v[TF_EVENT_FREQUENCY], 0);
	assert_int_equal(rows.items[0].v[TF_EVENT_CALLCHAIN], 0);
	check_string(&strings, 0, rows.items[1].v[TF_EVENT_NAME],
		     "cpu-clock:u");
	check_string(&strings, 0, rows.items[1].v[TF_EVENT_UNIT], "ns");
	assert_int_equal(rows.items[1].v[TF_EVENT_FREQUENCY], 999);
	assert_int_equal(rows.items[1].v[TF_EVENT_PERIOD], 0);
	assert_int_equal(rows.items[1].v[TF_EVENT_CALLCHAIN], 1);
	assert_int_equal(rows.items[1].n_bytes, sizeof(e[0].attr));
	assert_memory_equal(rows.items[1].bytes, &e[0].attr,
			    sizeof(e[0].attr));
	rowsback_fini(&rows);
	rowsback_fini(&strings);
	end(&f);
}

static struct rec_thread *thread(struct rec_threads *t, int32_t tid,
				 const char *comm, struct rec_mm *mm,
				 uint64_t from)
{
	return rec_threads_add(t, tid, mm->pid, span_of(comm, strlen(comm)), mm,
			       from);
}

/* 70 is in a container, 71 a kernel thread, 72 gone. */
static void a_process_says_where_it_is(void **state)
{
	struct rowsback processes, strings;
	struct rec_threads t = { 0 };
	struct rec_mm *mm[3];
	struct fixture f;

	(void)state;
	begin(&f);
	filetree_bytes(&f.tree, "/proc/70/cmdline", "ls", 3);
	filetree_text(&f.tree, "/proc/70/status", "NSpid:	70	5\n");
	filetree_text(&f.tree, "/proc/70/cgroup", "0::/box\n");
	filetree_text(&f.tree, "/proc/71/cmdline", "");
	filetree_text(&f.tree, "/proc/71/status", "NSpid:	71\n");
	filetree_text(&f.tree, "/proc/71/cgroup", "0::/\n");
	for (int i = 0; i < 3; i++) {
		mm[i] = rec_mm_new(70 + i, 3, 40);
		rec_defs_thread(&f.defs, thread(&t, 70 + i, "x", mm[i], 41));
	}
	rowsback_read(&processes, closed(&f), TF_TABLE_PROCESS);
	rowsback_read(&strings, span_of(f.file.p, f.file.n), TF_TABLE_STRING);
	assert_int_equal(processes.n, 3);
	assert_int_equal(processes.items[0].v[TF_PROCESS_NS_PID], 5);
	assert_int_equal(processes.items[0].v[TF_PROCESS_PID_NS], 0);
	check_string(&strings, 0, processes.items[0].v[TF_PROCESS_CGROUP],
		     "/box");
	for (int i = 1; i < 3; i++) {
		assert_int_equal(processes.items[i].v[TF_PROCESS_NS_PID], 0);
		assert_int_equal(processes.items[i].v[TF_PROCESS_CGROUP], 0);
	}
	rowsback_fini(&processes);
	rowsback_fini(&strings);
	rec_threads_fini(&t);
	for (int i = 0; i < 3; i++)
		rec_mm_put(mm[i]);
	end(&f);
}

static void a_thread_brings_its_process_and_mappings_once(void **state)
{
	struct rowsback threads, processes, maps, strings;
	struct rec_threads t = { 0 };
	struct rec_mapping m = { 0x1000, 0x3000, 0x200, 5, 0 };
	struct rec_mm *mm = rec_mm_new(70, 3, 40);
	struct rec_thread *a, *b;
	struct fixture f;

	(void)state;
	begin(&f);
	filetree_bytes(&f.tree, "/proc/70/cmdline", "ls\0-l\0", 6);
	m.image = image(&f, "/a", "");
	assert_true(rec_mm_map(mm, &m));
	a = thread(&t, 70, "main", mm, 41);
	b = thread(&t, 71, "worker", mm, 42);
	assert_int_equal(rec_defs_thread(&f.defs, b), 0);
	assert_int_equal(rec_defs_thread(&f.defs, a), 1);
	assert_int_equal(rec_defs_thread(&f.defs, b), 0);
	m = (struct rec_mapping){ 0x8000, 0x9000, 0, 60, m.image };
	rec_defs_mapping(&f.defs, mm, &m);
	rowsback_read(&threads, closed(&f), TF_TABLE_THREAD);
	rowsback_read(&processes, span_of(f.file.p, f.file.n),
		      TF_TABLE_PROCESS);
	rowsback_read(&maps, span_of(f.file.p, f.file.n), TF_TABLE_MAPPING);
	rowsback_read(&strings, span_of(f.file.p, f.file.n), TF_TABLE_STRING);
	assert_int_equal(threads.n, 2);
	assert_int_equal(threads.items[0].v[TF_THREAD_TID], 71);
	assert_int_equal(threads.items[0].v[TF_THREAD_PID], 70);
	assert_int_equal(threads.items[0].v[TF_THREAD_TIME], 42);
	check_string(&strings, 0, threads.items[0].v[TF_THREAD_COMM], "worker");
	assert_int_equal(processes.n, 1);
	assert_int_equal(processes.items[0].v[TF_PROCESS_PID], 70);
	assert_int_equal(processes.items[0].v[TF_PROCESS_PARENT], 3);
	assert_int_equal(processes.items[0].v[TF_PROCESS_TIME], 40);
	{
		const struct rowsback_row *command = rowsback_find(
			&strings, 0, processes.items[0].v[TF_PROCESS_COMMAND]);

		assert_int_equal(command->n_bytes, 6);
		assert_memory_equal(command->bytes, "ls\0-l\0", 6);
	}
	assert_int_equal(maps.n, 2);
	assert_int_equal(maps.items[0].v[TF_MAPPING_PID], 70);
	assert_int_equal(maps.items[0].v[TF_MAPPING_TIME], 5);
	assert_int_equal(maps.items[0].v[TF_MAPPING_START], 0x1000);
	assert_int_equal(maps.items[0].v[TF_MAPPING_SIZE], 0x2000);
	assert_int_equal(maps.items[0].v[TF_MAPPING_OFFSET], 0x200);
	assert_int_equal(maps.items[1].v[TF_MAPPING_START], 0x8000);
	rowsback_fini(&threads);
	rowsback_fini(&processes);
	rowsback_fini(&maps);
	rowsback_fini(&strings);
	rec_threads_fini(&t);
	rec_mm_put(mm);
	end(&f);
}

static void a_mapping_of_a_process_nobody_asked_for_has_no_row(void **state)
{
	struct rec_mapping m = { 0x1000, 0x3000, 0, 0, 0 };
	struct rec_mm *mm = rec_mm_new(70, 0, 0);
	struct rowsback maps;
	struct fixture f;

	(void)state;
	begin(&f);
	rec_defs_mapping(&f.defs, mm, &m);
	rowsback_read(&maps, closed(&f), TF_TABLE_MAPPING);
	assert_int_equal(maps.n, 0);
	rowsback_fini(&maps);
	rec_mm_put(mm);
	end(&f);
}

static void a_frame_is_an_image_an_address_and_a_kind(void **state)
{
	struct rowsback frames;
	struct fixture f;
	uint32_t a, b;
	bool fresh;

	(void)state;
	begin(&f);
	a = image(&f, "/a", "");
	b = image(&f, "/b", "");
	assert_int_equal(rec_defs_frame(&f.defs, a, 0x10, TF_FRAME_EXACT,
					&fresh), 0);
	assert_true(fresh);
	assert_int_equal(rec_defs_frame(&f.defs, a, 0x10, TF_FRAME_RETURN,
					&fresh), 1);
	assert_true(fresh);
	assert_int_equal(rec_defs_frame(&f.defs, b, 0x10, TF_FRAME_EXACT,
					&fresh), 2);
	assert_int_equal(rec_defs_frame(&f.defs, a, 0x11, TF_FRAME_EXACT,
					&fresh), 3);
	assert_int_equal(rec_defs_frame(&f.defs, a, 0x10, TF_FRAME_RETURN,
					&fresh), 1);
	assert_false(fresh);
	rowsback_read(&frames, closed(&f), TF_TABLE_FRAME);
	assert_int_equal(frames.n, 4);
	assert_int_equal(frames.items[1].v[TF_FRAME_ADDRESS], 0x10);
	assert_int_equal(frames.items[1].v[TF_FRAME_KIND], TF_FRAME_RETURN);
	assert_int_equal(frames.items[1].v[TF_FRAME_IMAGE], 0);
	assert_int_equal(frames.items[2].v[TF_FRAME_IMAGE], 1);
	rowsback_fini(&frames);
	end(&f);
}

static void a_node_is_a_parent_and_a_frame(void **state)
{
	struct rowsback nodes;
	struct fixture f;
	uint32_t fa, fb;
	bool fresh;

	(void)state;
	begin(&f);
	fa = rec_defs_frame(&f.defs, 0, 1, TF_FRAME_EXACT, &fresh);
	fb = rec_defs_frame(&f.defs, 0, 2, TF_FRAME_EXACT, &fresh);
	assert_int_equal(node(&f.defs, 0, fa), 1);
	assert_int_equal(node(&f.defs, 1, fa), 2);
	assert_int_equal(node(&f.defs, 1, fb), 3);
	assert_int_equal(node(&f.defs, 0, fa), 1);
	assert_int_equal(node(&f.defs, 1, fb), 3);
	rowsback_read(&nodes, closed(&f), TF_TABLE_STACK);
	assert_int_equal(nodes.n, 4);
	assert_int_equal(nodes.items[0].v[TF_STACK_PARENT], 0);
	assert_int_equal(nodes.items[3].v[TF_STACK_PARENT], 1);
	assert_int_equal(nodes.items[3].v[TF_STACK_FRAME], fb);
	rowsback_fini(&nodes);
	end(&f);
}

static void a_new_epoch_begins_empty(void **state)
{
	struct rowsback strings, threads;
	struct rec_mm *mm = rec_mm_new(70, 0, 0);
	struct rec_threads t = { 0 };
	struct rec_thread *th;
	struct fixture f;
	uint32_t a;
	bool fresh;

	(void)state;
	begin(&f);
	a = image(&f, "/a", "");
	th = thread(&t, 70, "main", mm, 0);
	(void)text(&f, "only in the first");
	assert_int_equal(rec_defs_thread(&f.defs, th), 0);
	(void)rec_defs_frame(&f.defs, a, 0x10, TF_FRAME_EXACT, &fresh);
	assert_int_equal(node(&f.defs, 0, 0), 1);
	while (!rec_defs_new_epoch(&f.defs, 5))
		assert_true(rec_sink_reserve_wait(f.sink));
	assert_int_equal(rec_defs_frame(&f.defs, a, 0x20, TF_FRAME_EXACT,
					&fresh), 0);
	assert_true(fresh);
	assert_int_equal(rec_defs_frame(&f.defs, a, 0x10, TF_FRAME_EXACT,
					&fresh), 1);
	assert_true(fresh);
	assert_int_equal(node(&f.defs, 0, 1), 1);
	assert_int_equal(rec_defs_thread(&f.defs, th), 0);
	rowsback_read(&strings, closed(&f), TF_TABLE_STRING);
	rowsback_read(&threads, span_of(f.file.p, f.file.n), TF_TABLE_THREAD);
	assert_int_equal(threads.n, 2);
	check_string(&strings, 1, 0, "");
	for (size_t i = 0; i < strings.n; i++)
		assert_false(strings.items[i].epoch == 1 &&
			     rowsback_is(&strings.items[i],
					 "only in the first"));
	check_string(&strings, 1, threads.items[1].v[TF_THREAD_COMM], "main");
	rowsback_fini(&strings);
	rowsback_fini(&threads);
	rec_threads_fini(&t);
	rec_mm_put(mm);
	end(&f);
}

static void an_epoch_is_due_by_time_and_by_nodes(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f);
	assert_false(rec_defs_due(&f.defs, 0));
	assert_false(rec_defs_due(&f.defs, 299999999999));
	assert_true(rec_defs_due(&f.defs, 300000000000));
	f.defs.n_nodes = 1u << 20;
	assert_true(rec_defs_due(&f.defs, 0));
	(void)closed(&f);
	end(&f);
}

/* Everything once, with the n-th allocation failing. */
static bool survives(long n)
{
	struct rec_mapping m = { 0x1000, 0x3000, 0, 0, 0 };
	struct rec_mm *mm = rec_mm_new(70, 0, 0);
	struct rec_threads t = { 0 };
	struct rec_thread *th = thread(&t, 70, "main", mm, 0);
	struct fixture f;
	bool fresh, hit;

	begin(&f);
	m.image = image(&f, "/a", "");
	assert_true(rec_mm_map(mm, &m));
	failalloc_at(n);
	(void)text(&f, "text");
	(void)rec_defs_thread(&f.defs, th);
	(void)node(&f.defs, 0,
		   rec_defs_frame(&f.defs, m.image, 1, TF_FRAME_EXACT,
					   &fresh));
	failalloc_off();
	hit = failalloc_hit();
	/* Of /proc nothing is read, without memory as well as without a file.*/
	assert_true(!f.defs.failed || hit);
	assert_int_equal(rec_sink_close(f.sink, NULL), 0);
	rec_threads_fini(&t);
	rec_mm_put(mm);
	end(&f);
	return !hit;
}

static void out_of_memory_sticks_and_is_told(void **state)
{
	long n = 1;

	(void)state;
	while (!survives(n))
		assert_true(++n < 100);
	assert_true(n > 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_string_has_one_id_and_one_row),
		cmocka_unit_test(a_string_over_the_limit_is_cut),
		cmocka_unit_test(an_image_row_equals_what_was_asked_for),
		cmocka_unit_test(an_event_row_equals_what_was_asked_for),
		cmocka_unit_test(a_process_says_where_it_is),
		cmocka_unit_test(a_thread_brings_its_process_and_mappings_once),
		cmocka_unit_test(
			a_mapping_of_a_process_nobody_asked_for_has_no_row),
		cmocka_unit_test(a_frame_is_an_image_an_address_and_a_kind),
		cmocka_unit_test(a_node_is_a_parent_and_a_frame),
		cmocka_unit_test(a_new_epoch_begins_empty),
		cmocka_unit_test(an_epoch_is_due_by_time_and_by_nodes),
		cmocka_unit_test(out_of_memory_sticks_and_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
