#include "record/perf/ring.h"

#include "format/base/mem.h"
#include "tests/support/failalloc.h"

#include <linux/perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

/* The kernel's side is played on the same memory: a control page of which
 * data_head and data_tail matter, and the data behind it. */
struct kernel {
	int fd;
	size_t page, size;
	struct perf_event_mmap_page *control;
	uint8_t *data;
	struct rec_ring *ring;
};

static int setup(void **state)
{
	struct kernel *k = calloc(1, sizeof(*k));
	struct err err = { 0 };

	assert_non_null(k);
	k->page = (size_t)sysconf(_SC_PAGESIZE);
	k->size = 2 * k->page;
	k->fd = memfd_create("ring", MFD_CLOEXEC);
	assert_int_equal(ftruncate(k->fd, (off_t)(k->page + k->size)), 0);
	k->control = mmap(NULL, k->page + k->size, PROT_READ | PROT_WRITE,
			  MAP_SHARED, k->fd, 0);
	assert_true(k->control != MAP_FAILED);
	k->data = (uint8_t *)k->control + k->page;
	assert_int_equal(rec_ring_new(&k->ring, k->fd, k->size, &err), 0);
	*state = k;
	return 0;
}

static int teardown(void **state)
{
	struct kernel *k = *state;

	rec_ring_free(k->ring);
	munmap(k->control, k->page + k->size);
	close(k->fd);
	free(k);
	return 0;
}

static void put_byte(struct kernel *k, uint8_t byte)
{
	k->data[k->control->data_head++ & (k->size - 1)] = byte;
}

/* A record of `size` bytes whose body repeats `tag`. */
static void put_record(struct kernel *k, size_t size, uint8_t tag)
{
	const uint8_t head[8] = { 9, 0, 0, 0, 0, 0, (uint8_t)size,
				  (uint8_t)(size >> 8) };

	for (size_t i = 0; i < size; i++)
		put_byte(k, i < sizeof(head) ? head[i] : tag);
}

static void take_record(struct kernel *k, size_t size, uint8_t tag)
{
	struct err err = { 0 };
	struct span s;

	assert_int_equal(rec_ring_peek(k->ring, &s, &err), 0);
	assert_int_equal(s.n, size);
	for (size_t i = 8; i < size; i++)
		assert_int_equal(s.p[i], tag);
	rec_ring_next(k->ring);
}

static void assert_empty(struct kernel *k)
{
	struct err err = { 0 };
	struct span s;

	assert_int_equal(rec_ring_peek(k->ring, &s, &err), 1);
}

static void records_come_in_the_order_of_the_kernel(void **state)
{
	struct kernel *k = *state;

	put_record(k, 16, 1);
	put_record(k, 40, 2);
	put_record(k, 8, 0);
	assert_int_equal(rec_ring_refresh(k->ring), 64);
	take_record(k, 16, 1);
	take_record(k, 40, 2);
	take_record(k, 8, 0);
	assert_empty(k);
}

static void records_after_a_refresh_wait_for_the_next(void **state)
{
	struct kernel *k = *state;

	assert_empty(k);
	put_record(k, 16, 1);
	assert_empty(k);
	rec_ring_refresh(k->ring);
	put_record(k, 16, 2);
	take_record(k, 16, 1);
	assert_empty(k);
	rec_ring_refresh(k->ring);
	take_record(k, 16, 2);
}

static void peeking_does_not_move(void **state)
{
	struct kernel *k = *state;
	struct err err = { 0 };
	struct span s;

	put_record(k, 16, 1);
	put_record(k, 16, 2);
	rec_ring_refresh(k->ring);
	assert_int_equal(rec_ring_peek(k->ring, &s, &err), 0);
	take_record(k, 16, 1);
	take_record(k, 16, 2);
}

static void moving_without_a_peek_stays(void **state)
{
	struct kernel *k = *state;

	put_record(k, 16, 1);
	rec_ring_refresh(k->ring);
	rec_ring_next(k->ring);
	take_record(k, 16, 1);
	rec_ring_next(k->ring);
	assert_empty(k);
}

static void the_kernel_gets_room_back_only_on_release(void **state)
{
	struct kernel *k = *state;

	put_record(k, 24, 1);
	rec_ring_refresh(k->ring);
	take_record(k, 24, 1);
	assert_int_equal(k->control->data_tail, 0);
	rec_ring_release(k->ring);
	assert_int_equal(k->control->data_tail, 24);
}

static void a_record_around_the_end_comes_whole(void **state)
{
	struct kernel *k = *state;

	for (size_t before = 8; before < 64; before += 8) {
		size_t at = k->control->data_head & (k->size - 1);

		put_record(k, k->size - at - before, 1);
		rec_ring_refresh(k->ring);
		take_record(k, k->size - at - before, 1);
		put_record(k, 64, 7);
		rec_ring_refresh(k->ring);
		take_record(k, 64, 7);
		rec_ring_release(k->ring);
		assert_int_equal(k->control->data_tail,
				 k->control->data_head);
	}
}

static void a_full_ring_is_read_whole(void **state)
{
	struct kernel *k = *state;

	put_record(k, 24, 9);
	rec_ring_refresh(k->ring);
	take_record(k, 24, 9);
	rec_ring_release(k->ring);
	put_record(k, k->size - 48, 1);
	put_record(k, 48, 2);
	assert_int_equal(rec_ring_refresh(k->ring), k->size);
	take_record(k, k->size - 48, 1);
	take_record(k, 48, 2);
	assert_empty(k);
}

static void assert_nonsense_then_whole_again(struct kernel *k)
{
	struct err err = { 0 };
	struct span s;

	rec_ring_refresh(k->ring);
	assert_int_equal(rec_ring_peek(k->ring, &s, &err), ERR_FORMAT);
	assert_empty(k);
	rec_ring_release(k->ring);
	assert_int_equal(k->control->data_tail, k->control->data_head);
}

static void sizes_that_cannot_be_are_skipped_with_an_error(void **state)
{
	static const uint16_t sizes[] = { 0, 4, 7, 12, 32, 65535 };
	struct kernel *k = *state;

	for (size_t i = 0; i < ARRAY_LEN(sizes); i++) {
		const uint8_t bytes[24] = { 9, 0, 0, 0, 0, 0,
					    (uint8_t)sizes[i],
					    (uint8_t)(sizes[i] >> 8) };

		for (size_t j = 0; j < sizeof(bytes); j++)
			put_byte(k, bytes[j]);
		assert_nonsense_then_whole_again(k);
		put_record(k, 16, 3);
		rec_ring_refresh(k->ring);
		take_record(k, 16, 3);
	}
}

static void a_head_that_ran_over_the_tail_is_an_error(void **state)
{
	struct kernel *k = *state;

	k->control->data_head += k->size + 8;
	assert_nonsense_then_whole_again(k);
}

static void a_head_that_ran_back_is_an_error(void **state)
{
	struct kernel *k = *state;

	put_record(k, 64, 1);
	rec_ring_refresh(k->ring);
	take_record(k, 64, 1);
	k->control->data_head -= 32;
	assert_nonsense_then_whole_again(k);
}

static void a_size_that_is_no_power_of_two_of_pages_is_refused(void **state)
{
	struct kernel *k = *state;
	const size_t sizes[] = { 0, 1, k->page / 2, 3 * k->page, k->page + 8 };

	for (size_t i = 0; i < ARRAY_LEN(sizes); i++) {
		struct err err = { 0 };
		struct rec_ring *r = NULL;

		assert_int_equal(rec_ring_new(&r, k->fd, sizes[i], &err),
				 ERR_USAGE);
		assert_null(r);
	}
}

static void what_cannot_be_mapped_is_an_error(void **state)
{
	struct kernel *k = *state;
	struct err err = { 0 };
	struct rec_ring *r = NULL;

	assert_true(rec_ring_new(&r, -1, k->page, &err) < 0);
	assert_null(r);
}

static void running_out_of_memory_is_reported(void **state)
{
	struct kernel *k = *state;
	struct err err = { 0 };
	struct rec_ring *r = NULL;

	failalloc_at(1);
	assert_int_equal(rec_ring_new(&r, k->fd, k->page, &err), ERR_NOMEM);
	assert_true(failalloc_hit());
	failalloc_off();
	assert_null(r);
}

static void nothing_can_be_released(void **state)
{
	(void)state;
	rec_ring_free(NULL);
}

#define WITH_KERNEL(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_KERNEL(records_come_in_the_order_of_the_kernel),
		WITH_KERNEL(records_after_a_refresh_wait_for_the_next),
		WITH_KERNEL(peeking_does_not_move),
		WITH_KERNEL(moving_without_a_peek_stays),
		WITH_KERNEL(the_kernel_gets_room_back_only_on_release),
		WITH_KERNEL(a_record_around_the_end_comes_whole),
		WITH_KERNEL(a_full_ring_is_read_whole),
		WITH_KERNEL(sizes_that_cannot_be_are_skipped_with_an_error),
		WITH_KERNEL(a_head_that_ran_over_the_tail_is_an_error),
		WITH_KERNEL(a_head_that_ran_back_is_an_error),
		WITH_KERNEL(a_size_that_is_no_power_of_two_of_pages_is_refused),
		WITH_KERNEL(what_cannot_be_mapped_is_an_error),
		WITH_KERNEL(running_out_of_memory_is_reported),
		cmocka_unit_test(nothing_can_be_released),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
