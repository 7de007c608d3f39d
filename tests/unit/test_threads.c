#include "record/state/threads.h"

#include "format/base/mem.h"
#include "tests/support/failalloc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* As long as an exited thread may still be seen to run. */
#define LEAVING_NS 10000000000u

static struct rec_thread *add(struct rec_threads *t, int32_t tid, int32_t pid,
			      const char *comm, struct rec_mm *mm,
			      uint64_t from)
{
	struct rec_thread *th = rec_threads_add(
		t, tid, pid, span_of(comm, strlen(comm)), mm, from);

	assert_non_null(th);
	return th;
}

static const char *name_at(const struct rec_threads *t, int32_t tid,
			   uint64_t time)
{
	const struct rec_thread *th = rec_threads_at(t, tid, time);

	return th ? th->comm : "(none)";
}

static void a_thread_nobody_announced_is_not_known(void **state)
{
	struct rec_threads t = { 0 };

	(void)state;
	assert_null(rec_threads_at(&t, 5, 0));
	assert_true(rec_threads_exit(&t, 5, 10));
	rec_threads_prune(&t, 20);
	rec_threads_fini(&t);
}

static void a_renamed_thread_has_each_name_at_its_time(void **state)
{
	struct rec_mm *mm = rec_mm_new(5, 0, 0);
	struct rec_threads t = { 0 };

	(void)state;
	add(&t, 5, 5, "old", mm, 0);
	add(&t, 5, 5, "new", mm, 100);
	assert_string_equal(name_at(&t, 5, 0), "old");
	assert_string_equal(name_at(&t, 5, 99), "old");
	assert_string_equal(name_at(&t, 5, 100), "new");
	rec_threads_fini(&t);
	rec_mm_put(mm);
}

static void an_exec_keeps_the_address_space_of_older_samples(void **state)
{
	struct rec_mm *before = rec_mm_new(5, 0, 0);
	struct rec_mm *after = rec_mm_new(5, 0, 100);
	struct rec_threads t = { 0 };

	(void)state;
	add(&t, 5, 5, "sh", before, 0);
	add(&t, 5, 5, "ls", after, 100);
	rec_mm_put(before); /* the thread holds its own reference */
	rec_mm_put(after);
	assert_ptr_equal(rec_threads_at(&t, 5, 50)->mm, before);
	assert_ptr_equal(rec_threads_at(&t, 5, 150)->mm, after);
	rec_threads_fini(&t);
}

static void before_its_first_announcement_the_first_one_counts(void **state)
{
	struct rec_mm *mm = rec_mm_new(5, 0, 0);
	struct rec_threads t = { 0 };

	(void)state;
	add(&t, 5, 5, "a", mm, 100);
	add(&t, 5, 5, "b", mm, 200);
	assert_string_equal(name_at(&t, 5, 10), "a");
	rec_threads_fini(&t);
	rec_mm_put(mm);
}

static void a_reused_tid_is_another_thread(void **state)
{
	struct rec_mm *one = rec_mm_new(5, 0, 0), *two = rec_mm_new(9, 0, 0);
	struct rec_threads t = { 0 };

	(void)state;
	add(&t, 6, 5, "one", one, 0);
	assert_true(rec_threads_exit(&t, 6, 100));
	add(&t, 6, 9, "two", two, 200);
	assert_int_equal(rec_threads_at(&t, 6, 150)->pid, 5);
	assert_int_equal(rec_threads_at(&t, 6, 250)->pid, 9);
	/* Pruning takes the one that ended, not the one that has its tid. */
	rec_threads_prune(&t, 300);
	assert_int_equal(rec_threads_at(&t, 6, 300)->pid, 9);
	rec_threads_fini(&t);
	rec_mm_put(one);
	rec_mm_put(two);
}

static void an_exited_thread_stays_for_late_samples(void **state)
{
	struct rec_mm *mm = rec_mm_new(5, 0, 0);
	struct rec_threads t = { 0 };

	(void)state;
	add(&t, 5, 5, "a", mm, 0);
	assert_true(rec_threads_exit(&t, 5, 100));
	rec_threads_prune(&t, 100);
	assert_string_equal(name_at(&t, 5, 100), "a");
	rec_threads_prune(&t, 101);
	assert_string_equal(name_at(&t, 5, 101), "a");
	rec_threads_prune(&t, 100 + LEAVING_NS);
	assert_string_equal(name_at(&t, 5, 100 + LEAVING_NS), "a");
	rec_threads_prune(&t, 101 + LEAVING_NS);
	assert_null(rec_threads_at(&t, 5, 101 + LEAVING_NS));
	assert_int_equal(t.n_ended, 0);
	rec_threads_fini(&t);
	assert_int_equal(mm->refs, 1);
	rec_mm_put(mm);
}

static void the_last_thread_of_a_process_takes_its_mappings_along(void **state)
{
	struct rec_mapping m = { 0x1000, 0x2000, 0, 0, 1 };
	struct rec_mm *mm = rec_mm_new(5, 0, 0);
	struct rec_threads t = { 0 };

	(void)state;
	assert_true(rec_mm_map(mm, &m));
	add(&t, 5, 5, "a", mm, 0);
	add(&t, 6, 5, "b", mm, 0);
	rec_mm_put(mm);
	assert_true(rec_threads_exit(&t, 5, 100));
	rec_threads_prune(&t, 101);
	assert_int_equal(mm->n, 1); /* thread 6 has them, too */
	rec_threads_prune(&t, 101 + LEAVING_NS);
	assert_true(rec_threads_exit(&t, 6, 200 + LEAVING_NS));
	rec_threads_prune(&t, 200 + LEAVING_NS);
	assert_int_equal(mm->n, 1);
	rec_threads_prune(&t, 201 + LEAVING_NS);
	assert_int_equal(mm->n, 0);
	assert_null(rec_mm_find(mm, 0x1000, 300));
	assert_string_equal(name_at(&t, 6, 201 + LEAVING_NS), "b");
	rec_threads_fini(&t);
}

static void pruning_keeps_the_name_a_late_sample_may_mean(void **state)
{
	struct rec_mm *mm = rec_mm_new(5, 0, 0);
	struct rec_threads t = { 0 };

	(void)state;
	add(&t, 5, 5, "a", mm, 0);
	add(&t, 5, 5, "b", mm, 100);
	add(&t, 5, 5, "c", mm, 200);
	rec_threads_prune(&t, 150);
	assert_string_equal(name_at(&t, 5, 150), "b");
	assert_string_equal(name_at(&t, 5, 200), "c");
	/* "a" is gone: what is left of it is the next one. */
	assert_string_equal(name_at(&t, 5, 50), "b");
	rec_threads_prune(&t, 201);
	assert_int_equal(mm->refs, 2);
	rec_threads_fini(&t);
	rec_mm_put(mm);
}

static void a_long_name_is_cut(void **state)
{
	struct rec_mm *mm = rec_mm_new(5, 0, 0);
	struct rec_threads t = { 0 };
	char name[200];

	(void)state;
	memset(name, 'n', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	add(&t, 5, 5, name, mm, 0);
	assert_int_equal(strlen(name_at(&t, 5, 0)), REC_COMM_MAX - 1);
	rec_threads_fini(&t);
	rec_mm_put(mm);
}

/* -- Against a plain list of all that was announced --------------------------*/

#define TIDS 6
#define EVENTS 300

struct told {
	int32_t tid;
	uint64_t from;
	char name[16];
};

struct model {
	struct told told[EVENTS];
	size_t n;
};

static uint32_t next(uint32_t *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 17;
	*seed ^= *seed << 5;
	return *seed;
}

static const struct told *model_at(const struct model *m, int32_t tid,
				   uint64_t time)
{
	for (size_t i = m->n; i-- > 0;)
		if (m->told[i].tid == tid && m->told[i].from <= time)
			return &m->told[i];
	return NULL;
}

static void compare(const struct rec_threads *t, const struct model *m,
		    uint64_t oldest, uint64_t now)
{
	for (int32_t tid = 0; tid < TIDS; tid++) {
		for (uint64_t time = oldest; time <= now; time++) {
			const struct told *want = model_at(m, tid, time);

			if (want)
				assert_string_equal(name_at(t, tid, time),
						    want->name);
		}
	}
}

static size_t instances(const struct rec_threads *t)
{
	size_t n = 0;

	for (size_t i = 0; i < t->n; i++)
		for (struct rec_thread *th = t->slots[i]; th; th = th->older)
			n++;
	return n;
}

static void any_history_gives_what_a_plain_list_gives(void **state)
{
	struct model *m = malloc(sizeof(*m));
	uint32_t seed = 88172645;

	(void)state;
	for (int run = 0; run < 20; run++) {
		struct rec_mm *mm = rec_mm_new(5, 0, 0);
		struct rec_threads t = { 0 };
		uint64_t now = 1, oldest = 0;

		memset(m, 0, sizeof(*m));
		while (m->n < EVENTS) {
			int32_t tid = (int32_t)(next(&seed) % TIDS);
			struct told *told = &m->told[m->n];

			now += 1 + next(&seed) % 3;
			if (next(&seed) % 3 == 0) {
				assert_true(rec_threads_exit(&t, tid, now));
				continue;
			}
			*told = (struct told){ tid, now, "" };
			snprintf(told->name, sizeof(told->name), "%zu", m->n);
			m->n++;
			add(&t, tid, tid, told->name, mm, now);
			if (next(&seed) % 4 == 0) {
				oldest += next(&seed) %
					  (uint32_t)(now - oldest + 1);
				rec_threads_prune(&t, oldest);
				compare(&t, m, oldest, now);
			}
		}
		rec_threads_prune(&t, now + 1 + LEAVING_NS);
		assert_true(instances(&t) <= TIDS);
		assert_int_equal(t.n_ended, 0);
		rec_threads_fini(&t);
		assert_int_equal(mm->refs, 1);
		rec_mm_put(mm);
	}
	free(m);
}

static void without_memory_the_older_instance_stays(void **state)
{
	struct rec_mm *mm = rec_mm_new(5, 0, 0);
	struct rec_thread *done = NULL;
	struct rec_threads t = { 0 };

	(void)state;
	for (long n = 1; !done; n++) {
		failalloc_at(n);
		done = rec_threads_add(&t, 5, 5, span_of("a", 1), mm, 0);
		failalloc_off();
		assert_ptr_equal(rec_threads_at(&t, 5, 0), done);
		assert_true(n < 10);
	}
	done = NULL;
	for (long n = 1; !done; n++) {
		failalloc_at(n);
		done = rec_threads_add(&t, 5, 5, span_of("b", 1), mm, 10);
		failalloc_off();
		assert_string_equal(name_at(&t, 5, 20), done ? "b" : "a");
	}
	assert_int_equal(mm->refs, 3);
	rec_threads_fini(&t);
	assert_int_equal(mm->refs, 1);
	rec_mm_put(mm);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_thread_nobody_announced_is_not_known),
		cmocka_unit_test(a_renamed_thread_has_each_name_at_its_time),
		cmocka_unit_test(
			an_exec_keeps_the_address_space_of_older_samples),
		cmocka_unit_test(
			before_its_first_announcement_the_first_one_counts),
		cmocka_unit_test(a_reused_tid_is_another_thread),
		cmocka_unit_test(an_exited_thread_stays_for_late_samples),
		cmocka_unit_test(
			the_last_thread_of_a_process_takes_its_mappings_along),
		cmocka_unit_test(pruning_keeps_the_name_a_late_sample_may_mean),
		cmocka_unit_test(a_long_name_is_cut),
		cmocka_unit_test(any_history_gives_what_a_plain_list_gives),
		cmocka_unit_test(without_memory_the_older_instance_stays),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
