#include "format/base/mem.h"
#include "tests/support/perfdataimport.h"
#include "tests/support/perfdatausual.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static struct imported import_built(struct pdb *p, bool with_text)
{
	struct imported i = import_bytes(span_of(p->b.p, p->b.n), with_text);

	buf_fini(&p->b);
	return i;
}

/* What was given, without facts. */
static void assert_lines(const char *text, const char *want)
{
	char got[8192];
	size_t n = 0;

	while (*text) {
		size_t line = strcspn(text, "\n") + 1;

		if (strncmp(text, "fact ", 5) != 0) {
			assert_true(n + line < sizeof(got));
			memcpy(got + n, text, line);
			n += line;
		}
		text += line;
	}
	got[n] = '\0';
	assert_string_equal(got, want);
}

static void assert_imports(struct pdb *p, const char *want)
{
	struct imported i = import_built(p, true);

	assert_int_equal(i.rc, 0);
	assert_lines(i.text, want);
	free(i.text);
}

static void a_file_gives_its_records_by_time(void **state)
{
	struct pdb p = { 0 };

	(void)state;
	usual_file(&p, false);
	assert_imports(&p, usual_lines);
}

static void a_big_endian_file_gives_the_same(void **state)
{
	struct pdb p = { 0 };

	(void)state;
	usual_file(&p, true);
	assert_imports(&p, usual_lines);
}

static void what_was_written_to_a_pipe_gives_the_same(void **state)
{
	(void)state;
	for (int big = 0; big < 2; big++) {
		struct pdb p = { 0 };

		usual_pipe(&p, big);
		assert_imports(&p, usual_lines);
	}
}

static void compressed_records_may_be_cut_anywhere(void **state)
{
	static const size_t cuts[] = { 5000, 100, 24, 7, 1 };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cuts); i++) {
		struct pdb p = { 0 };

		usual_compressed(&p, cuts[i], COMPRESSED);
		assert_imports(&p, usual_lines);
		p = (struct pdb){ 0 };
		usual_compressed(&p, cuts[i], COMPRESSED2);
		assert_imports(&p, usual_lines);
	}
}

static void without_rounds_all_are_sorted(void **state)
{
	struct pdb data = { 0 }, p = { 0 };
	struct imported i;
	const char *map, *first;

	(void)state;
	usual_sample(&data, 11, 2000, 0, 1);
	usual_sample(&data, 11, 1000, 0, 2);
	usual_mmap2(&data, 999, 0x400000);
	usual_file_of(&p, usual_events, 2, &data);
	buf_fini(&data.b);
	i = import_built(&p, true);
	assert_int_equal(i.rc, 0);
	map = strstr(i.text, "record 10");
	first = strstr(i.text, "time 1000 ");
	assert_non_null(map);
	assert_non_null(first);
	assert_true(map < first);
	assert_true(first < strstr(i.text, "time 2000 "));
	free(i.text);
}

/* Last in the file, as perf record --tail-synthesize has it. */
static void what_perf_found_holds_for_all_that_waits(void **state)
{
	struct pdb data = { 0 }, p = { 0 };
	struct imported i;
	const char *map;

	(void)state;
	usual_sample(&data, 11, 2000, 0, 1);
	usual_sample(&data, 11, 1000, 0, 2);
	usual_mmap2(&data, 0, 0x400000);
	usual_file_of(&p, usual_events, 2, &data);
	buf_fini(&data.b);
	i = import_built(&p, true);
	assert_int_equal(i.rc, 0);
	map = strstr(i.text, "record 10 misc 2 time 0 ");
	assert_non_null(map);
	assert_true(map < strstr(i.text, "sample "));
	free(i.text);
}

/* Behind what simpleperf writes itself the ids are zero. */
static void a_mapping_is_of_the_process_that_it_names(void **state)
{
	struct pdb data = { 0 }, p = { 0 };
	struct imported i;
	size_t at = pdb_begin(&data, MMAP2, USER);

	(void)state;
	pdb_pair(&data, 100, 101);
	for (int k = 0; k < 7; k++)
		pdb_u64(&data, 0x1000);
	pdb_room(&data, "/usr/bin/true", 16);
	pdb_pair(&data, 0, 0);
	for (int k = 0; k < 3; k++)
		pdb_u64(&data, 0);
	pdb_end(&data, at);
	usual_file_of(&p, usual_events, 2, &data);
	buf_fini(&data.b);
	i = import_built(&p, true);
	assert_int_equal(i.rc, 0);
	assert_non_null(strstr(i.text, "by 100/101 cpu 0 100/101 0x1000"));
	free(i.text);
}

static void killed_recordings_are_read_to_the_end(void **state)
{
	struct pdb data = { 0 }, p = { 0 };
	struct imported i;

	(void)state;
	usual_records(&data);
	pdb_file(&p, &(struct pdb_file){ .attrs = usual_events, .n_attrs = 2,
					 .data = { data.b.p, data.b.n },
					 .killed = true });
	buf_fini(&data.b);
	i = import_built(&p, true);
	assert_int_equal(i.rc, 1);
	assert_non_null(strstr(i.err.text, "did not come to its end"));
	assert_lines(i.text, usual_lines);
	free(i.text);
}

/* -- Whose, and how much ---------------------------------------------------- */

static const struct pdb_attr plain_event = {
	.type = 0, .size = 64, .config = 0, .period = 4000,
	.sample_type = IP | TID | TIME, .flags = PDB_EXCLUDE_GUEST };

static void plain_sample(struct pdb *p, uint64_t time)
{
	size_t at = pdb_begin(p, SAMPLE, USER);

	pdb_u64(p, 0x10);
	pdb_pair(p, 5, 6);
	pdb_u64(p, time);
	pdb_end(p, at);
}

static void without_periods_that_of_the_event_counts(void **state)
{
	struct pdb data = { 0 }, p = { 0 };

	(void)state;
	plain_sample(&data, 50);
	usual_file_of(&p, &plain_event, 1, &data);
	buf_fini(&data.b);
	assert_imports(&p,
		       "comm 0/0 'swapper'\nevent 0 'cycles' : format 0\n"
		       "sample 0 misc 2 time 50 of 5/6 cpu 0 period 4000 ip "
		       "0x10\n");
}

static void attributes_of_any_size_are_read(void **state)
{
	static const uint32_t sizes[] = { 64, 72, 80, 96, 104, 112, 120, 128,
					  136, 200 };

	(void)state;
	for (size_t k = 0; k < 2 * ARRAY_LEN(sizes); k++) {
		struct pdb data = { 0 }, p = { 0 };
		struct pdb_attr attrs[2] = { usual_events[0], usual_events[1] };

		attrs[0].size = attrs[1].size = sizes[k / 2];
		usual_records(&data);
		pdb_file(&p, &(struct pdb_file){
				     .attrs = attrs, .n_attrs = 2,
				     .more = k % 2 ? 8 : 0,
				     .data = { data.b.p, data.b.n } });
		buf_fini(&data.b);
		assert_imports(&p, usual_lines);
	}
}

static void a_sample_of_nobody_is_a_loss(void **state)
{
	struct pdb data = { 0 }, p = { 0 };
	struct imported i;

	(void)state;
	usual_sample(&data, 99, 1000, 0, 1);
	usual_sample(&data, 12, 1001, 0, 1);
	usual_file_of(&p, usual_events, 2, &data);
	buf_fini(&data.b);
	i = import_built(&p, true);
	assert_int_equal(i.rc, 1);
	assert_int_equal(i.samples, 1);
	assert_non_null(strstr(i.err.text, "sample of no event"));
	assert_non_null(strstr(i.text, "lost kind 8 event -1"));
	free(i.text);
}

static void group_sample(struct pdb *p, uint64_t time, uint64_t a, uint64_t b)
{
	size_t at = pdb_begin(p, SAMPLE, KERNEL);

	pdb_u64(p, 11);
	pdb_u64(p, 0xffffffff81000000);
	pdb_pair(p, 100, 101);
	pdb_u64(p, time);
	pdb_pair(p, 0, 0);
	pdb_u64(p, 77777); /* of the leader's own overflow */
	pdb_u64(p, 2);
	pdb_u64(p, a), pdb_u64(p, 11), pdb_u64(p, 0);
	pdb_u64(p, b), pdb_u64(p, 21), pdb_u64(p, 0);
	pdb_end(p, at);
}

static void one_absurd_period_is_told(void **state)
{
	(void)state;
	for (uint64_t last = 100000; last <= 10000000000000;
	     last *= 100000000) {
		struct pdb data = { 0 }, p = { 0 };
		struct imported i;

		for (uint64_t k = 0; k < 99; k++)
			usual_sample(&data, 11, 1000 + k, 0, 100000);
		usual_sample(&data, 11, 2000, 0, last);
		usual_file_of(&p, usual_events, 2, &data);
		buf_fini(&data.b);
		i = import_built(&p, true);
		assert_int_equal(i.rc, 0);
		assert_int_equal(strstr(i.text, "fact note.period ") != NULL,
				 last > 100000);
		free(i.text);
	}
}

/* As perf script has it: each member that counted is a sample, of so much. */
static void members_of_a_group_become_samples(void **state)
{
	struct pdb data = { 0 }, p = { 0 };
	struct pdb_attr attrs[2] = { usual_events[0], usual_events[1] };

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		attrs[i].sample_type = USUAL | READ;
		attrs[i].read_format = 4 | 8 | 16; /* id, group, lost */
	}
	group_sample(&data, 1000, 500, 3);
	group_sample(&data, 2000, 900, 3);
	usual_file_of(&p, attrs, 2, &data);
	buf_fini(&data.b);
	assert_imports(
		&p, "comm 0/0 'swapper'\n"
		    "event 0 'cpu-clock' : format 0\n"
		    "event 1 'page-faults' : format 0\n"
		    "sample 0 misc 1 time 1000 of 100/101 cpu 0 period 500 ip "
		    "0xffffffff81000000\n"
		    "sample 1 misc 1 time 1000 of 100/101 cpu 0 period 3 ip "
		    "0xffffffff81000000\n"
		    "sample 0 misc 1 time 2000 of 100/101 cpu 0 period 400 ip "
		    "0xffffffff81000000\n");
}

/* Since perf 6.1 its own count of what LOST records told, too. */
static void losses_that_are_told_twice_count_once(void **state)
{
	static const uint64_t lost[] = { 11, 7 }, more = 10;
	struct pdb data = { 0 }, p = { 0 };
	struct imported i;

	(void)state;
	usual_sample(&data, 11, 1000, 0, 1);
	usual_words(&data, LOST, 0, lost, 2, 1300, 11);
	usual_words(&data, LOST_SAMPLES, 0, &more, 1, 1400, 11);
	usual_words(&data, LOST_SAMPLES, 1 << 15, &more, 1, 1400, 11); /* filtered */
	usual_file_of(&p, usual_events, 2, &data);
	buf_fini(&data.b);
	i = import_built(&p, true);
	assert_int_equal(i.rc, 0);
	assert_non_null(strstr(i.text, "lost kind 1 event 0 cpu 1 time 1300 "
				       "count 7\n"));
	assert_non_null(strstr(i.text, "lost kind 1 event 0 cpu -1 time 0 "
				       "count 3\n"));
	free(i.text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_file_gives_its_records_by_time),
		cmocka_unit_test(a_big_endian_file_gives_the_same),
		cmocka_unit_test(what_was_written_to_a_pipe_gives_the_same),
		cmocka_unit_test(compressed_records_may_be_cut_anywhere),
		cmocka_unit_test(without_rounds_all_are_sorted),
		cmocka_unit_test(what_perf_found_holds_for_all_that_waits),
		cmocka_unit_test(a_mapping_is_of_the_process_that_it_names),
		cmocka_unit_test(killed_recordings_are_read_to_the_end),
		cmocka_unit_test(without_periods_that_of_the_event_counts),
		cmocka_unit_test(attributes_of_any_size_are_read),
		cmocka_unit_test(a_sample_of_nobody_is_a_loss),
		cmocka_unit_test(one_absurd_period_is_told),
		cmocka_unit_test(members_of_a_group_become_samples),
		cmocka_unit_test(losses_that_are_told_twice_count_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
