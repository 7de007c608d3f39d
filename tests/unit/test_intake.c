#include "record/import/intake.h"

#include "format/base/mem.h"
#include "tests/support/failalloc.h"
#include "tests/support/intakeback.h"

#include <fcntl.h>
#include <linux/perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* -- Threads and times ----------------------------------------------------- */

/* A thread of this very process: its name is in /proc, and not asked for. */
static void threads_nobody_announced_are_called_by_their_ids(void **state)
{
	struct rowsback rows;
	struct intakeback f;
	char want[32];
	int pid = getpid();
	size_t e;

	(void)state;
	ib_begin(&f, true);
	e = ib_event(&f, "cycles");
	ib_put(&f, e, ib_sample(pid, pid, 100, PERF_RECORD_MISC_USER, 0x1000));
	ib_tell(&f, ib_comm(pid, pid, 150, "later", false));
	ib_put(&f, e, ib_sample(pid, pid, 200, PERF_RECORD_MISC_USER, 0x1000));
	ib_tell(&f, ib_comm(pid, pid, 250, "other", true));
	ib_put(&f, e, ib_sample(pid, pid, 300, PERF_RECORD_MISC_USER, 0x1000));
	ib_put(&f, e, ib_sample(-1, -1, 400, PERF_RECORD_MISC_USER, 0x1000));
	ib_turn(&f);
	snprintf(want, sizeof(want), ":%d", pid);
	ib_rows(&f, &rows, TF_TABLE_SAMPLE);
	assert_int_equal(rows.n, 4);
	assert_string_equal(ib_comm_of(&f, &rows.items[0]), want);
	assert_string_equal(ib_comm_of(&f, &rows.items[1]), "later");
	assert_string_equal(ib_comm_of(&f, &rows.items[2]), "other");
	assert_string_equal(ib_comm_of(&f, &rows.items[3]), ":-1");
	assert_string_equal(an_fact(f.trace, "guessed_threads"), "2");
	rowsback_fini(&rows);
	ib_end(&f);
}

static void a_name_from_before_holds_until_a_record_tells_another(void **state)
{
	struct rowsback rows;
	struct intakeback f;
	size_t e;

	(void)state;
	ib_begin(&f, true);
	e = ib_event(&f, "cycles");
	assert_int_equal(rec_intake_comm(f.in, -1, 7, ib_text("saved"), NULL),
			 0);
	ib_put(&f, e, ib_sample(-1, 7, 100, PERF_RECORD_MISC_USER, 0x1000));
	ib_tell(&f, ib_comm(7, 7, 150, "told", false));
	assert_int_equal(rec_intake_comm(f.in, 7, 7, ib_text("stale"), NULL),
			 0);
	ib_put(&f, e, ib_sample(7, 7, 200, PERF_RECORD_MISC_USER, 0x1000));
	ib_turn(&f);
	ib_rows(&f, &rows, TF_TABLE_SAMPLE);
	assert_string_equal(ib_comm_of(&f, &rows.items[0]), "saved");
	assert_string_equal(ib_comm_of(&f, &rows.items[1]), "told");
	rowsback_fini(&rows);
	ib_end(&f);
}

static void rows_that_come_late_are_kept_and_counted(void **state)
{
	struct rowsback rows;
	struct intakeback f;
	size_t e;

	(void)state;
	ib_begin(&f, true);
	e = ib_event(&f, "cycles");
	ib_put(&f, e, ib_sample(1, 1, 200, PERF_RECORD_MISC_USER, 1));
	ib_put(&f, e, ib_sample(1, 1, 100, PERF_RECORD_MISC_USER, 1));
	ib_put(&f, e, ib_sample(1, 1, 200, PERF_RECORD_MISC_USER, 1));
	ib_put(&f, e, ib_sample(1, 1, 150, PERF_RECORD_MISC_USER, 1));
	ib_turn(&f);
	ib_rows(&f, &rows, TF_TABLE_SAMPLE);
	assert_int_equal(rows.n, 4);
	assert_int_equal(ib_lost(&f, TF_LOSS_LATE), 2);
	rowsback_fini(&rows);
	ib_end(&f);
}

static void of_lost_records_and_lost_samples_the_larger_counts(void **state)
{
	struct rec_record r = { .type = PERF_RECORD_LOST };
	struct intakeback f;

	(void)state;
	ib_begin(&f, true);
	ib_put(&f, ib_event(&f, "cycles"), ib_sample(1, 1, 1, 2, 1));
	r.lost.count = 30;
	ib_tell(&f, r);
	r.type = PERF_RECORD_LOST_SAMPLES;
	r.lost.count = 42;
	ib_tell(&f, r);
	r.type = PERF_RECORD_THROTTLE;
	ib_tell(&f, r);
	rec_intake_lost(f.in, TF_LOSS_DECODE, 0, 3, 0, 5);
	ib_turn(&f);
	assert_int_equal(ib_lost(&f, TF_LOSS_RING), 42);
	assert_int_equal(ib_lost(&f, TF_LOSS_THROTTLED), 1);
	assert_int_equal(ib_lost(&f, TF_LOSS_DECODE), 5);
	ib_end(&f);
}

/* The rows of a kind, and the fact of those without a time. */
static size_t loss_rows(const struct intakeback *f, enum tf_loss_kind kind)
{
	size_t n = 0;

	for (uint32_t i = 0; i < an_n_losses(f->trace); i++)
		n += an_loss_of(f->trace, i)->kind == kind;
	return n;
}

static void each_loss_keeps_its_time(void **state)
{
	static const struct an_loss want[] = {
		{ .kind = TF_LOSS_DECODE, .cpu = 1, .time = 500, .count = 3 },
		{ .kind = TF_LOSS_DECODE, .cpu = 1, .time = 500, .count = 0 },
		{ .kind = TF_LOSS_DECODE, .cpu = 2, .time = 500, .count = 1 },
		{ .kind = TF_LOSS_RING, .cpu = 1, .time = 400, .count = 4 },
	};
	struct intakeback f;
	size_t e;

	(void)state;
	ib_begin(&f, true);
	e = ib_event(&f, "cycles");
	rec_intake_lost(f.in, TF_LOSS_DECODE, -1, 1, 500, 1);
	rec_intake_lost(f.in, TF_LOSS_DECODE, -1, 1, 500, 0);
	rec_intake_lost(f.in, TF_LOSS_DECODE, -1, 2, 500, 1);
	rec_intake_lost(f.in, TF_LOSS_RING, -1, 1, 400, 4);
	rec_intake_lost(f.in, TF_LOSS_DECODE, -1, 1, 500, 2);
	/* What is older than a loss that is known ahead is not late. */
	ib_put(&f, e, ib_sample(1, 1, 100, 2, 1));
	ib_turn(&f);
	assert_int_equal(an_n_losses(f.trace), ARRAY_LEN(want));
	for (uint32_t i = 0; i < ARRAY_LEN(want); i++) {
		const struct an_loss *l = an_loss_of(f.trace, i);

		assert_int_equal(l->kind, want[i].kind);
		assert_int_equal(l->cpu, want[i].cpu);
		assert_int_equal(l->time, want[i].time);
		assert_int_equal(l->count, want[i].count);
	}
	assert_null(an_fact(f.trace, "import.undated_losses"));
	ib_end(&f);
}

static void what_has_no_time_or_no_row_of_its_own_is_counted(void **state)
{
	struct intakeback f;

	(void)state;
	ib_begin(&f, true);
	ib_put(&f, ib_event(&f, "cycles"), ib_sample(1, 1, 90000, 2, 1));
	for (unsigned i = 0; i < REC_INTAKE_LOSS_ROWS + 10; i++)
		rec_intake_lost(f.in, TF_LOSS_DECODE, -1, 1, 1 + i, 2);
	rec_intake_lost(f.in, TF_LOSS_RING, -1, -1, 0, 5);
	rec_intake_lost(f.in, TF_LOSS_DECODE, -1, -1, 0, 0);
	rec_intake_lost(f.in, TF_LOSS_SYMBOLS, -1, -1, 0, 9);
	ib_turn(&f);
	assert_int_equal(ib_lost(&f, TF_LOSS_DECODE),
			 2 * (REC_INTAKE_LOSS_ROWS + 10));
	/* The rest in one row, and one without a number. */
	assert_int_equal(loss_rows(&f, TF_LOSS_DECODE),
			 REC_INTAKE_LOSS_ROWS + 2);
	assert_int_equal(ib_lost(&f, TF_LOSS_RING), 5);
	assert_string_equal(an_fact(f.trace, "import.undated_losses"), "26");
	ib_end(&f);
}

static void times_that_leap_do_not_make_an_epoch_each(void **state)
{
	struct rowsback rows;
	struct intakeback f;
	size_t e;

	(void)state;
	ib_begin(&f, true);
	e = ib_event(&f, "cycles");
	for (uint64_t i = 0; i < 20000; i++)
		ib_put(&f, e, ib_sample(1, 1, i * 1000000000000, 2, 1));
	ib_turn(&f);
	ib_rows(&f, &rows, TF_TABLE_SAMPLE);
	assert_int_equal(rows.n, 20000);
	assert_true(rows.items[19999].epoch <= 2);
	assert_int_equal(ib_lost(&f, TF_LOSS_LATE), 0);
	rowsback_fini(&rows);
	ib_end(&f);
}

/* -- Events ---------------------------------------------------------------- */

static void tables_may_be_added_when_rows_are_there(void **state)
{
	const uint8_t payload[12] = { 77, 0, 1, 0, 0, 0, 0, 0, 42, 0, 0, 0 };
	struct rec_record r = ib_sample(1, 1, 0, PERF_RECORD_MISC_KERNEL, 1);
	struct rowsback rows;
	struct intakeback f;
	size_t e, index[5];
	char name[16];

	(void)state;
	ib_begin(&f, true);
	e = ib_event(&f, "cycles");
	r.sample.raw = span_of(payload, sizeof(payload));
	for (size_t i = 0; i < ARRAY_LEN(index); i++) {
		snprintf(name, sizeof(name), "ping%zu", i);
		for (size_t k = 0; k < 7000; k++) {
			r.ids.time++;
			ib_put(&f, e, r);
		}
		index[i] = ib_tracepoint(&f, name);
		for (size_t k = 0; k <= i; k++) {
			r.ids.time++;
			ib_put(&f, index[i], r);
			ib_put(&f, index[0], r);
		}
	}
	assert_int_equal(ib_tracepoint(&f, "ping2"), index[2]);
	assert_int_equal(ib_event(&f, "cycles"), e);
	ib_turn(&f);
	ib_rows(&f, &rows, TF_TABLE_SAMPLE);
	assert_int_equal(rows.n, 5 * 7000);
	rowsback_fini(&rows);
	for (size_t i = 1; i < ARRAY_LEN(index); i++) {
		ib_rows(&f, &rows, TF_TABLE_DYNAMIC + (uint32_t)i);
		assert_int_equal(rows.n, i + 1);
		assert_int_equal(rows.items[i].v[TF_PAYLOAD_POSITION], 42);
		rowsback_fini(&rows);
	}
	ib_rows(&f, &rows, TF_TABLE_DYNAMIC);
	assert_int_equal(rows.n, 1 + 1 + 2 + 3 + 4 + 5);
	rowsback_fini(&rows);
	assert_int_equal(an_n_events(f.trace), 6);
	ib_end(&f);
}

static void events_without_a_row_are_there(void **state)
{
	struct intakeback f;

	(void)state;
	ib_begin(&f, true);
	ib_event(&f, "cycles");
	ib_tracepoint(&f, "ping");
	ib_turn(&f);
	assert_int_equal(an_n_events(f.trace), 2);
	assert_string_equal(an_text(f.trace, an_event_of(f.trace, 1)->name),
			    "test:ping");
	ib_end(&f);
}

static void of_nothing_no_file_is_left(void **state)
{
	struct intakeback f;

	(void)state;
	ib_begin(&f, true);
	rec_intake_fact(f.in, "hostname", "%s", "h");
	assert_int_equal(rec_intake_finish(f.in, "end", NULL), 0);
	assert_int_not_equal(access(f.path, F_OK), 0);
	ib_end(&f);
	ib_begin(&f, true);
	ib_put(&f, ib_event(&f, "cycles"), ib_sample(1, 1, 1, 2, 1));
	rec_intake_free(f.in); /* not finished: it was no use */
	f.in = NULL;
	assert_int_not_equal(access(f.path, F_OK), 0);
	ib_end(&f);
}

/* -- Marks, facts ---------------------------------------------------------- */

static void what_is_told_of_the_recording_is_there(void **state)
{
	const struct rec_ids ids = { .pid = 5, .tid = 6, .time = 70 };
	static char much[3000];
	struct intakeback f;

	(void)state;
	ib_begin(&f, true);
	memset(much, 'x', sizeof(much) - 1);
	ib_put(&f, ib_event(&f, "cycles"), ib_sample(1, 1, 1, 2, 1));
	rec_intake_fact(f.in, "hostname", "%s-%d", "box", 7);
	rec_intake_fact(f.in, "printk_formats", "%s", much);
	rec_intake_clock(f.in, 10, 20, 0);
	assert_int_equal(rec_intake_mark(f.in, &ids, ib_text("hello"), NULL),
			 0);
	ib_turn(&f);
	assert_string_equal(an_fact(f.trace, "hostname"), "box-7");
	assert_string_equal(an_fact(f.trace, "printk_formats"), much);
	assert_string_equal(an_fact(f.trace, "import.source"),
			    "/nonexistent/perf.data");
	assert_string_equal(an_fact(f.trace, "ended_by"), "end of the test");
	assert_null(an_fact(f.trace, "boot_id"));
	assert_null(an_fact(f.trace, "kernel"));
	assert_int_equal(an_n_clocks(f.trace), 1);
	assert_int_equal(an_clock_of(f.trace, 0)->realtime, 20);
	assert_int_equal(an_n_marks(f.trace), 1);
	assert_string_equal(an_text(f.trace, an_mark_of(f.trace, 0)->text),
			    "hello");
	ib_end(&f);
}

/* -- Failures -------------------------------------------------------------- */

#define TEXT 0xffffffff85c00000

static int all_of_it(struct rec_intake *in)
{
	const struct rec_named_frame frames[] = {
		ib_named("/bin/x", "main", 0x401010, 0x10),
		ib_named("/bin/x", "", 0x401010, IB_NONE),
	};
	const uint64_t chain[] = { PERF_CONTEXT_USER, 0x400010, 0x400020 };
	struct rec_record r = ib_sample(5, 5, 1, PERF_RECORD_MISC_USER,
					0x400010);
	struct rec_record m = ib_mapped(5, 1, 0x400000, 0x10000, 0, "/bin/x");
	struct rec_record k = ib_mapped(-1, 1, TEXT, 0x10000, 0,
					"[kernel.kallsyms]_text");
	struct rec_event e = { .name = (char *)(uintptr_t) "test:ping",
			       .system = (char *)(uintptr_t) "test",
			       .tracepoint = (char *)(uintptr_t) "ping" };
	size_t i = 0;
	int rc = rec_intake_build_id(in, TF_IMAGE_KERNEL, ib_text("vmlinux"),
				     ib_text("12345678"), NULL);

	if (rc == 0)
		rc = rec_intake_record(in, &k, NULL);
	if (rc == 0)
		rc = rec_intake_record(in, &m, NULL);
	if (rc == 0)
		rc = rec_intake_event(in, &e, ib_text(ib_format), &i, NULL);
	r.sample.chain = span_of(chain, sizeof(chain));
	r.sample.n_chain = ARRAY_LEN(chain);
	if (rc == 0)
		rc = rec_intake_sample(in, i, &r, true, NULL);
	if (rc == 0)
		rc = rec_intake_named(in, i, &r, frames, ARRAY_LEN(frames),
				      NULL);
	if (rc == 0)
		rc = rec_intake_mark(in, &r.ids, ib_text("hello"), NULL);
	rec_intake_lost(in, TF_LOSS_RING, (int)i, 1, 1, 1);
	rec_intake_fact(in, "hostname", "%s", "x");
	return rc ? rc : rec_intake_finish(in, "end", NULL);
}

static void every_failed_allocation_is_reported(void **state)
{
	struct intakeback f = { .log = { .to = fopen("/dev/null", "w") } };
	struct rec_intake_config cfg = { .output = "/tmp/test_intake.nomem",
					 .input = "x",
					 .log = &f.log,
					 .nameless = true };
	bool hit = true;

	(void)state;
	for (long i = 1; hit; i++) {
		struct rec_intake *in = NULL;
		int rc;

		failalloc_at(i);
		rc = rec_intake_new(&in, &cfg, NULL);
		if (rc == 0)
			rc = all_of_it(in);
		hit = failalloc_hit();
		failalloc_off();
		rec_intake_free(in);
		/* Of a loss that finds no memory the totals tell. */
		if (!hit)
			assert_int_equal(rc, 0);
		else
			assert_true(rc == ERR_NOMEM || rc == 0);
	}
	unlink(cfg.output);
	fclose(f.log.to);
}

static void a_full_disk_is_reported(void **state)
{
	struct intakeback f = { .log = { .to = fopen("/dev/null", "w") } };
	struct rec_intake_config cfg = { .output = "/dev/full",
					 .input = "x",
					 .log = &f.log,
					 .nameless = true };
	struct err err = { 0 };

	(void)state;
	assert_int_equal(rec_intake_new(&f.in, &cfg, &err), ERR_FULL);
	assert_non_null(strstr(err.text, "/dev/full"));
	fclose(f.log.to);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(
			threads_nobody_announced_are_called_by_their_ids),
		cmocka_unit_test(
			a_name_from_before_holds_until_a_record_tells_another),
		cmocka_unit_test(rows_that_come_late_are_kept_and_counted),
		cmocka_unit_test(
			of_lost_records_and_lost_samples_the_larger_counts),
		cmocka_unit_test(each_loss_keeps_its_time),
		cmocka_unit_test(
			what_has_no_time_or_no_row_of_its_own_is_counted),
		cmocka_unit_test(times_that_leap_do_not_make_an_epoch_each),
		cmocka_unit_test(tables_may_be_added_when_rows_are_there),
		cmocka_unit_test(events_without_a_row_are_there),
		cmocka_unit_test(of_nothing_no_file_is_left),
		cmocka_unit_test(what_is_told_of_the_recording_is_there),
		cmocka_unit_test(every_failed_allocation_is_reported),
		cmocka_unit_test(a_full_disk_is_reported),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
