/* What samples carry of the user side of their threads: from the intake into a
 * trace, and on into traces that are made of it. */
#include "format/base/mem.h"
#include "format/catalog.h"
#include "format/reader.h"
#include "record/import/intake.h"
#include "tests/support/failalloc.h"
#include "tests/support/intakeback.h"
#include "tests/support/rewritten.h"

#include <linux/perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

/* The ABI word, then two registers: of bits 7 and 8, as those of SP and IP. */
#define MASK 0x180
static const uint64_t registers[] = { PERF_SAMPLE_REGS_ABI_64, 0x7ffc1000,
				      0x401234 };

static struct rec_record dump_of(int32_t tid, uint64_t time, struct span stack)
{
	struct rec_record r = ib_sample(tid, tid, time, PERF_RECORD_MISC_USER,
					0x401234);

	r.sample.user_regs = span_of(registers, sizeof(registers));
	r.sample.user_stack = stack;
	return r;
}

/* The sample and what it carries. */
static void put(struct intakeback *f, size_t e, struct rec_record r)
{
	struct err err = { 0 };

	ib_put(f, e, r);
	if (rec_intake_dump(f->in, e, &r, MASK, &err))
		fail_msg("%s", err.text);
}

static size_t rows_of(const struct buf *file, uint32_t table)
{
	struct rowsback r;
	size_t n;

	rowsback_read(&r, span_of(file->p, file->n), table);
	n = r.n;
	rowsback_fini(&r);
	return n;
}

static struct tf_cursor *dumps_in(const struct intakeback *f)
{
	struct tf_query q = { .table = TF_TABLE_USER_DUMP,
			      .columns = UINT64_MAX };
	struct tf_cursor *c = NULL;

	assert_int_equal(tf_cursor_new(&c, an_trace_reader(f->trace), &q, NULL),
			 0);
	return c;
}

static void registers_and_stack_come_back(void **state)
{
	struct intakeback f;
	struct tf_cursor *c;
	const struct tf_view *v;
	const struct tf_values *regs;
	size_t e;

	(void)state;
	ib_begin(&f, true);
	e = ib_event(&f, "cycles");
	ib_put(&f, e, ib_sample(5, 5, 1, PERF_RECORD_MISC_USER, 1));
	put(&f, e, dump_of(5, 2, span_of("memory", 6)));
	put(&f, e, dump_of(6, 3, span_of(NULL, 0)));
	ib_turn(&f);
	c = dumps_in(&f);
	assert_int_equal(tf_cursor_next(c, &v, NULL), 0);
	assert_int_equal(v->rows, 2);
	assert_int_equal(v->columns[TF_USER_DUMP_TIME].v[0], 2);
	assert_int_equal(v->columns[TF_USER_DUMP_CPU].v[0], 1);
	assert_int_equal(v->columns[TF_USER_DUMP_ABI].v[0], 2);
	assert_int_equal(v->columns[TF_USER_DUMP_MASK].v[0], MASK);
	regs = &v->columns[TF_USER_DUMP_REGISTERS];
	assert_int_equal(regs->offsets[1], 2);
	assert_int_equal(regs->items[0], 0x7ffc1000);
	assert_int_equal(regs->items[1], 0x401234);
	assert_true(span_is(tf_view_bytes(v, TF_USER_DUMP_STACK, 0),
			    "memory"));
	assert_int_equal(tf_view_bytes(v, TF_USER_DUMP_STACK, 1).n, 0);
	assert_int_equal(tf_cursor_next(c, &v, NULL), 1);
	tf_cursor_free(c);
	ib_end(&f);
}

/* PERF_SAMPLE_STACK_USER alone. */
static void without_registers_no_mask_is_claimed(void **state)
{
	struct rec_record r = dump_of(5, 2, span_of("memory", 6));
	struct rowsback rows;
	struct intakeback f;
	size_t e;

	(void)state;
	r.sample.user_regs = span_of(NULL, 0);
	ib_begin(&f, true);
	e = ib_event(&f, "cycles");
	put(&f, e, r);
	ib_turn(&f);
	ib_rows(&f, &rows, TF_TABLE_USER_DUMP);
	assert_int_equal(rows.n, 1);
	assert_int_equal(rows.items[0].v[TF_USER_DUMP_ABI], 0);
	assert_int_equal(rows.items[0].v[TF_USER_DUMP_MASK], 0);
	assert_int_equal(rows.items[0].v[TF_USER_DUMP_REGISTERS], 0);
	rowsback_fini(&rows);
	ib_end(&f);
}

/* Samples over so much time that epochs begin, each 100th without. */
#define MANY 25000u

static void a_dump_is_in_the_epoch_of_its_sample(void **state)
{
	struct rowsback samples, dumps;
	struct intakeback f;
	size_t e, at = 0;

	(void)state;
	ib_begin(&f, true);
	e = ib_event(&f, "cycles");
	for (uint64_t i = 0; i < MANY; i++) {
		uint64_t time = i * 100000000;

		if (i % 100)
			put(&f, e, dump_of((int32_t)(i % 7 + 1), time,
					   span_of("s", 1)));
		else
			ib_put(&f, e, ib_sample(1, 1, time, 2, 1));
	}
	ib_turn_large(&f);
	ib_rows(&f, &samples, TF_TABLE_SAMPLE);
	ib_rows(&f, &dumps, TF_TABLE_USER_DUMP);
	assert_int_equal(samples.n, MANY);
	assert_int_equal(dumps.n, MANY - MANY / 100);
	assert_true(samples.items[MANY - 1].epoch > 0);
	for (size_t i = 0; i < MANY; i++) {
		const struct rowsback_row *s = &samples.items[i];
		const struct rowsback_row *d = &dumps.items[at];

		if (i % 100 == 0)
			continue;
		assert_int_equal(d->epoch, s->epoch);
		for (unsigned k = TF_USER_DUMP_TIME; k <= TF_USER_DUMP_EVENT;
		     k++)
			assert_int_equal(d->v[k], s->v[k]);
		at++;
	}
	rowsback_fini(&samples);
	rowsback_fini(&dumps);
	ib_end(&f);
}

/* More of them than a part takes; the largest that a record has room for. */
#define ENOUGH 300u
#define LARGE 60000u

static void fill(uint8_t *stack, size_t size, uint64_t i)
{
	for (size_t k = 0; k < size; k++)
		stack[k] = (uint8_t)(k * k + k / 251 + i);
}

static void put_enough(struct intakeback *f, size_t size)
{
	static uint8_t stack[LARGE];
	size_t e = ib_event(f, "cycles");

	for (uint64_t i = 0; i < ENOUGH; i++) {
		fill(stack, size, i);
		put(f, e, dump_of(5 + (int32_t)(i & 1), i + 1,
				  span_of(stack, size)));
	}
}

static void parts_stay_small_whatever_the_dumps_are(void **state)
{
	static uint8_t want[LARGE];
	const struct tf_view *v;
	struct intakeback f;
	struct tf_cursor *c;
	uint64_t n = 0;

	(void)state;
	ib_begin(&f, true);
	put_enough(&f, LARGE);
	ib_turn(&f);
	c = dumps_in(&f);
	while (tf_cursor_next(c, &v, NULL) == 0) {
		assert_true(v->rows <= 256);
		assert_true((size_t)v->rows * LARGE <= 16u << 20);
		for (uint32_t i = 0; i < v->rows; i++) {
			struct span s = tf_view_bytes(v, TF_USER_DUMP_STACK, i);

			fill(want, LARGE, n++);
			assert_int_equal(s.n, LARGE);
			assert_memory_equal(s.p, want, LARGE);
		}
	}
	assert_int_equal(n, ENOUGH);
	tf_cursor_free(c);
	ib_end(&f);
}

/* -- New traces ------------------------------------------------------------ */

static void made_file(const struct buf *b, size_t dumps)
{
	char problem[REWRITTEN_PROBLEM];

	if (rewritten_problems(span_of(b->p, b->n), problem))
		fail_msg("%s", problem);
	assert_int_equal(rows_of(b, TF_TABLE_USER_DUMP), dumps);
}

static void they_go_along_into_a_new_trace(void **state)
{
	struct intakeback f;
	struct buf made;

	(void)state;
	ib_begin(&f, true);
	put_enough(&f, 100);
	ib_turn(&f);
	buf_init(&made, 0);
	assert_int_equal(rewritten_whole(&made, f.trace, NULL), 0);
	made_file(&made, ENOUGH);
	buf_fini(&made);
	ib_end(&f);
}

/* Rows 11 to 20 by their times, every other one by its thread. */
static void a_cut_takes_those_of_its_rows(void **state)
{
	const char *six = "6";
	const struct an_selection_args kinds[] = {
		{ .time = "@0.000000011,@0.000000020" },
		{ .tid = { .items = &six, .n = 1 } },
	};
	static const size_t want[] = { 10, ENOUGH / 2 };
	struct intakeback f;

	(void)state;
	ib_begin(&f, true);
	put_enough(&f, 100);
	ib_turn(&f);
	for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
		struct buf made;

		buf_init(&made, 0);
		assert_int_equal(rewritten_cut(&made, f.trace, &kinds[i], NULL),
				 0);
		made_file(&made, want[i]);
		assert_int_equal(rows_of(&made, TF_TABLE_SAMPLE), want[i]);
		assert_int_equal(rows_of(&made, TF_TABLE_THREAD), i ? 1 : 2);
		buf_fini(&made);
	}
	ib_end(&f);
}

static void a_merge_has_those_of_all(void **state)
{
	struct an_feed feeds[2] = { 0 };
	struct intakeback f[2];
	struct rowsback rows;
	struct buf made;

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		ib_begin(&f[i], true);
		put(&f[i], ib_event(&f[i], "cycles"),
		    dump_of(5, 10 + i, span_of("memory", 6)));
		ib_turn(&f[i]);
		feeds[i].reader = an_trace_reader(f[i].trace);
		feeds[i].name = "one";
		feeds[i].shift = 100 * i;
		feeds[i].source = i + 1;
	}
	buf_init(&made, 0);
	assert_int_equal(rewritten_feeds(&made, feeds, 2, true, NULL), 0);
	made_file(&made, 2);
	rowsback_read(&rows, span_of(made.p, made.n), TF_TABLE_USER_DUMP);
	assert_int_equal(rows.items[0].v[TF_USER_DUMP_TIME], 10);
	assert_int_equal(rows.items[1].v[TF_USER_DUMP_TIME], 111);
	assert_int_not_equal(rows.items[0].v[TF_USER_DUMP_THREAD],
			     rows.items[1].v[TF_USER_DUMP_THREAD]);
	rowsback_fini(&rows);
	buf_fini(&made);
	ib_end(&f[0]);
	ib_end(&f[1]);
}

/* -- Where they come from -------------------------------------------------- */

static int all_of_it(struct rec_intake *in)
{
	struct rec_event e = { .name = (char *)(uintptr_t) "cycles" };
	struct rec_record r = dump_of(5, 3, span_of("memory", 6));
	const struct rec_record told[] = {
		ib_comm(5, 5, 1, "a", false),
		ib_namespaces(5, 1, 4026531836),
		ib_cgroup(7, "/first"),
	};
	size_t i = 0;
	int rc = rec_intake_event(in, &e, ib_text(""), &i, NULL);

	for (size_t k = 0; rc == 0 && k < ARRAY_LEN(told); k++)
		rc = rec_intake_record(in, &told[k], NULL);
	r.sample.cgroup = 7;
	if (rc == 0)
		rc = rec_intake_sample(in, i, &r, false, NULL);
	if (rc == 0)
		rc = rec_intake_dump(in, i, &r, MASK, NULL);
	return rc ? rc : rec_intake_finish(in, "end", NULL);
}

static void every_failed_allocation_is_reported(void **state)
{
	struct intakeback f = { .log = { .to = fopen("/dev/null", "w") } };
	struct rec_intake_config cfg = { .output = "/tmp/test_user_dump.nomem",
					 .input = "x",
					 .log = &f.log,
					 .nameless = true };
	bool hit = true;

	(void)state;
	for (long i = 1; hit; i++) {
		struct rec_intake *in = NULL;
		int rc;

		assert_int_equal(rec_intake_new(&in, &cfg, NULL), 0);
		failalloc_at(i);
		rc = all_of_it(in);
		hit = failalloc_hit();
		failalloc_off();
		rec_intake_free(in);
		if (!hit)
			assert_int_equal(rc, 0);
		else
			assert_true(rc == ERR_NOMEM || rc == 0);
	}
	unlink(cfg.output);
	fclose(f.log.to);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(registers_and_stack_come_back),
		cmocka_unit_test(without_registers_no_mask_is_claimed),
		cmocka_unit_test(a_dump_is_in_the_epoch_of_its_sample),
		cmocka_unit_test(parts_stay_small_whatever_the_dumps_are),
		cmocka_unit_test(they_go_along_into_a_new_trace),
		cmocka_unit_test(a_cut_takes_those_of_its_rows),
		cmocka_unit_test(a_merge_has_those_of_all),
		cmocka_unit_test(every_failed_allocation_is_reported),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
