#include "record/loss.h"

#include "tests/support/failalloc.h"
#include "tests/support/rowsback.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

struct fixture {
	struct buf file;
	struct tf_sink *memory;
	struct rec_sink *sink;
	struct rec_images images;
	struct rec_defs defs;
	struct rec_losses losses;
	struct rec_event event;
};

static const struct rec_event *event_of(void *ctx, int event)
{
	struct fixture *f = ctx;

	assert_int_equal(event, 1);
	return &f->event;
}

static void begin(struct fixture *f)
{
	static const struct tf_file_info info = { .start_unix_ns = 1 };
	static char name[] = "cpu-clock";

	*f = (struct fixture){ .event = { .name = name, .unit = "ns" } };
	buf_init(&f->file, 0);
	assert_int_equal(tf_sink_memory(&f->memory, &f->file, NULL), 0);
	assert_int_equal(rec_sink_new(&f->sink, f->memory, &info, NULL), 0);
	assert_int_equal(rec_images_init(&f->images, NULL), 0);
	assert_int_equal(rec_defs_init(&f->defs, f->sink, &f->images, "", 2, 0,
				       NULL), 0);
}

static void write_at(struct fixture *f, uint64_t now)
{
	rec_losses_write(&f->losses, &f->defs, event_of, f, now);
}

static void end(struct fixture *f, struct rowsback *rows)
{
	assert_int_equal(rec_sink_close(f->sink, NULL), 0);
	rowsback_read(rows, span_of(f->file.p, f->file.n), TF_TABLE_LOSS);
	rowsback_check_references(span_of(f->file.p, f->file.n));
	rec_losses_fini(&f->losses);
	rec_defs_fini(&f->defs);
	rec_images_fini(&f->images);
	rec_sink_free(f->sink);
	tf_sink_close(f->memory, NULL);
	buf_fini(&f->file);
}

static void check_row(const struct rowsback_row *r, uint64_t time,
		      enum tf_loss_kind kind, uint64_t event, uint64_t cpu,
		      uint64_t count)
{
	assert_int_equal(r->v[TF_LOSS_TIME], time);
	assert_int_equal(r->v[TF_LOSS_KIND], kind);
	assert_int_equal(r->v[TF_LOSS_EVENT], event);
	assert_int_equal(r->v[TF_LOSS_CPU], cpu);
	assert_int_equal(r->v[TF_LOSS_COUNT], count);
}

static void what_was_lost_adds_up_by_kind_event_and_cpu(void **state)
{
	struct rowsback rows;
	struct fixture f;

	(void)state;
	begin(&f);
	rec_losses_add(&f.losses, TF_LOSS_RING, 1, 0, 5);
	rec_losses_add(&f.losses, TF_LOSS_RING, 1, 3, 7);
	rec_losses_add(&f.losses, TF_LOSS_RING, 1, 0, 10);
	rec_losses_add(&f.losses, TF_LOSS_DECODE, -1, -1, 1);
	assert_int_equal(f.losses.total[TF_LOSS_RING], 22);
	assert_int_equal(f.losses.total[TF_LOSS_DECODE], 1);
	write_at(&f, 100);
	end(&f, &rows);
	assert_int_equal(rows.n, 3);
	/* Event and CPU are stored + 1; 0 stands for none. */
	check_row(&rows.items[0], 100, TF_LOSS_RING, 1, 1, 15);
	check_row(&rows.items[1], 100, TF_LOSS_RING, 1, 4, 7);
	check_row(&rows.items[2], 100, TF_LOSS_DECODE, 0, 0, 1);
	rowsback_fini(&rows);
}

static void a_loss_is_written_once(void **state)
{
	struct rowsback rows;
	struct fixture f;

	(void)state;
	begin(&f);
	write_at(&f, 50);
	rec_losses_add(&f.losses, TF_LOSS_RING, -1, 0, 5);
	write_at(&f, 100);
	write_at(&f, 200);
	rec_losses_add(&f.losses, TF_LOSS_RING, -1, 0, 6);
	write_at(&f, 300);
	end(&f, &rows);
	assert_int_equal(rows.n, 2);
	check_row(&rows.items[0], 100, TF_LOSS_RING, 0, 1, 5);
	check_row(&rows.items[1], 300, TF_LOSS_RING, 0, 1, 6);
	rowsback_fini(&rows);
}

static void an_unknown_number_is_told_beside_a_known_one(void **state)
{
	struct rowsback rows;
	struct fixture f;

	(void)state;
	begin(&f);
	rec_losses_add(&f.losses, TF_LOSS_UNKNOWN_END, -1, -1, 0);
	rec_losses_add(&f.losses, TF_LOSS_DECODE, -1, 2, 4);
	rec_losses_add(&f.losses, TF_LOSS_DECODE, -1, 2, 0);
	assert_true(f.losses.total[TF_LOSS_UNKNOWN_END] > 0);
	write_at(&f, 100);
	write_at(&f, 200);
	end(&f, &rows);
	assert_int_equal(rows.n, 3);
	check_row(&rows.items[0], 100, TF_LOSS_UNKNOWN_END, 0, 0, 0);
	check_row(&rows.items[1], 100, TF_LOSS_DECODE, 0, 3, 4);
	check_row(&rows.items[2], 100, TF_LOSS_DECODE, 0, 3, 0);
	rowsback_fini(&rows);
}

static void without_memory_the_total_still_tells(void **state)
{
	struct rec_losses l = { 0 };

	(void)state;
	failalloc_at(1);
	rec_losses_add(&l, TF_LOSS_RING, 1, 0, 5);
	failalloc_off();
	assert_true(failalloc_hit());
	assert_int_equal(l.n, 0);
	assert_int_equal(l.total[TF_LOSS_RING], 5);
	rec_losses_fini(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_was_lost_adds_up_by_kind_event_and_cpu),
		cmocka_unit_test(a_loss_is_written_once),
		cmocka_unit_test(an_unknown_number_is_told_beside_a_known_one),
		cmocka_unit_test(without_memory_the_total_still_tells),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
