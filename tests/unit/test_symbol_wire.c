#include "record/symbol/wire.h"

#include "format/layout.h"
#include "record/symbol/notes.h"
#include "record/symbol/vdso.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const uint8_t id[] = { 1, 2, 3, 4, 5 };

static void put_image(struct buf *b)
{
	buf_init(b, 0);
	rec_wire_put_image(b, &(struct rec_symbol_image){
		.key = 70000,
		.kind = 2,
		.path = "/lib/x.so",
		.build_id = id,
		.build_id_size = sizeof(id),
	});
}

static void an_image_arrives_as_it_was_sent(void **state)
{
	struct rec_request r;
	struct buf b;

	(void)state;
	put_image(&b);
	assert_int_equal(rec_wire_take_request(&r, span_of(b.p, b.n), NULL), 0);
	assert_int_equal(r.type, REC_REQUEST_IMAGE);
	assert_int_equal(r.image.key, 70000);
	assert_int_equal(r.image.kind, 2);
	assert_int_equal(r.image.build_id.n, sizeof(id));
	assert_memory_equal(r.image.build_id.p, id, sizeof(id));
	assert_int_equal(r.image.path.n, 9);
	assert_memory_equal(r.image.path.p, "/lib/x.so", 9);
	buf_fini(&b);
}

static void every_prefix_of_an_image_is_refused(void **state)
{
	struct rec_request r;
	struct buf b;

	(void)state;
	put_image(&b);
	for (size_t n = 0; n < b.n; n++)
		assert_int_equal(rec_wire_take_request(&r, span_of(b.p, n),
						       NULL), ERR_FORMAT);
	buf_u8(&b, 0);
	assert_int_equal(rec_wire_take_request(&r, span_of(b.p, b.n), NULL),
			 ERR_FORMAT);
	buf_fini(&b);
}

static void addresses_arrive_in_their_order(void **state)
{
	struct rec_request r;
	struct rec_want w;
	struct buf b;

	(void)state;
	buf_init(&b, 0);
	rec_wire_put_wants(&b);
	rec_wire_put_want(&b, (struct rec_want){ UINT64_MAX, 1 });
	rec_wire_put_want(&b, (struct rec_want){ 5, 2 });
	assert_int_equal(rec_wire_take_request(&r, span_of(b.p, b.n), NULL), 0);
	assert_int_equal(r.type, REC_REQUEST_WANTS);
	assert_true(rec_wire_take_want(&r.wants, &w));
	assert_int_equal(w.address, UINT64_MAX);
	assert_int_equal(w.key, 1);
	assert_true(rec_wire_take_want(&r.wants, &w));
	assert_int_equal(w.address, 5);
	assert_int_equal(w.key, 2);
	assert_false(rec_wire_take_want(&r.wants, &w));
	assert_int_equal(rec_wire_take_request(&r, span_of(b.p, b.n - 1), NULL),
			 ERR_FORMAT);
	buf_fini(&b);
}

static void the_largest_messages_fit_their_buffers(void **state)
{
	static char path[5000];
	struct rec_symbol s = { .size = 1 };
	struct buf b;

	(void)state;
	memset(path, 'x', sizeof(path) - 1);
	buf_init(&b, 0);
	rec_wire_put_wants(&b);
	for (int i = 0; i < REC_WIRE_MAX_WANTS; i++)
		rec_wire_put_want(&b, (struct rec_want){ 0 });
	assert_true(b.n <= REC_WIRE_MAX_REQUEST);
	buf_clear(&b);
	rec_wire_put_image(&b, &(struct rec_symbol_image){ .path = path });
	assert_true(b.n <= REC_WIRE_MAX_REQUEST);
	buf_clear(&b);
	buf_zero(&b, REC_WIRE_BATCH - 1);
	s.name = s.linkage = span_of(calloc(1, 1u << 20), 1u << 20);
	rec_wire_put_build_id(&b, 0, span_of(s.name.p, 64));
	rec_wire_put_trouble(&b, 0, path);
	rec_wire_put_symbol(&b, &s);
	rec_wire_put_done(&b, 1, 1);
	assert_true(b.n <= REC_WIRE_MAX_ANSWER);
	free((void *)(uintptr_t)s.name.p);
	buf_fini(&b);
}

static void answers_arrive_as_they_were_sent(void **state)
{
	struct rec_symbol s = { 9, 0x1000, 0x20, { (const uint8_t *)"f()", 3 },
				{ (const uint8_t *)"_Z1fv", 5 } };
	struct rec_answer a;
	struct buf b;
	struct span in;

	(void)state;
	buf_init(&b, 0);
	rec_wire_put_symbol(&b, &s);
	rec_wire_put_build_id(&b, 8, span_of(id, sizeof(id)));
	rec_wire_put_trouble(&b, 7, "no\nsymbols");
	rec_wire_put_done(&b, 3, 2);
	in = span_of(b.p, b.n);
	assert_int_equal(rec_wire_take_answer(&a, &in, NULL), 0);
	assert_int_equal(a.type, REC_ANSWER_SYMBOL);
	assert_int_equal(a.symbol.key, 9);
	assert_int_equal(a.symbol.start, 0x1000);
	assert_int_equal(a.symbol.size, 0x20);
	assert_memory_equal(a.symbol.name.p, "f()", 3);
	assert_memory_equal(a.symbol.linkage.p, "_Z1fv", 5);
	assert_int_equal(rec_wire_take_answer(&a, &in, NULL), 0);
	assert_int_equal(a.type, REC_ANSWER_BUILD_ID);
	assert_int_equal(a.key, 8);
	assert_memory_equal(a.build_id.p, id, sizeof(id));
	assert_int_equal(rec_wire_take_answer(&a, &in, NULL), 0);
	assert_int_equal(a.type, REC_ANSWER_TROUBLE);
	assert_string_equal(a.why, "no?symbols");
	assert_int_equal(rec_wire_take_answer(&a, &in, NULL), 0);
	assert_int_equal(a.type, REC_ANSWER_DONE);
	assert_int_equal(a.done, 3);
	assert_int_equal(a.lost, 2);
	assert_int_equal(rec_wire_take_answer(&a, &in, NULL), 1);
	buf_fini(&b);
}

static void every_cut_answer_is_refused(void **state)
{
	struct rec_symbol s = { 9, 0x1000, 0x20, { (const uint8_t *)"f()", 3 },
				{ NULL, 0 } };
	struct rec_answer a;
	struct buf b;

	(void)state;
	buf_init(&b, 0);
	rec_wire_put_symbol(&b, &s);
	for (size_t n = 1; n < b.n; n++) {
		struct span in = { b.p, n };

		assert_int_equal(rec_wire_take_answer(&a, &in, NULL),
				 ERR_FORMAT);
	}
	buf_fini(&b);
}

static void a_range_that_is_none_is_refused(void **state)
{
	static const struct { uint64_t start, size; int rc; } cases[] = {
		{ 5, 0, ERR_FORMAT },
		{ UINT64_MAX, 2, ERR_FORMAT },
		{ UINT64_MAX, 1, 0 },
		{ 0, UINT64_MAX, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct rec_symbol s = { .start = cases[i].start,
					.size = cases[i].size };
		struct rec_answer a;
		struct buf b;
		struct span in;

		buf_init(&b, 0);
		rec_wire_put_symbol(&b, &s);
		in = span_of(b.p, b.n);
		assert_int_equal(rec_wire_take_answer(&a, &in, NULL),
				 cases[i].rc);
		buf_fini(&b);
	}
}

static void a_string_beyond_the_limit_is_refused(void **state)
{
	struct rec_answer a;
	struct buf b;
	struct span in;

	(void)state;
	buf_init(&b, 0);
	buf_u8(&b, REC_ANSWER_TROUBLE);
	buf_u32(&b, 1);
	buf_u32(&b, TF_MAX_STRING + 1);
	buf_zero(&b, TF_MAX_STRING + 1);
	in = span_of(b.p, b.n);
	assert_int_equal(rec_wire_take_answer(&a, &in, NULL), ERR_FORMAT);
	buf_fini(&b);
}

/* Two notes by hand, as the kernel lays them out: "Xen" 3 bytes, "GNU". */
static void the_build_id_is_found_among_notes(void **state)
{
	static const uint8_t notes[] = {
		4, 0, 0, 0, 3, 0, 0, 0, 1, 0, 0, 0, 'X', 'e', 'n', 0,
		9, 9, 9, 0,
		4, 0, 0, 0, 5, 0, 0, 0, 3, 0, 0, 0, 'G', 'N', 'U', 0,
		1, 2, 3, 4, 5, 0, 0, 0,
	};
	struct span found = rec_notes_build_id(span_of(notes, sizeof(notes)));

	(void)state;
	assert_int_equal(found.n, sizeof(id));
	assert_memory_equal(found.p, id, sizeof(id));
	for (size_t n = 0; n < sizeof(notes); n++)
		assert_int_equal(rec_notes_build_id(span_of(notes, n)).n, 0);
}

/* Section headers at 0x1000, 16 of 64 bytes. */
static void the_vdso_ends_with_its_section_headers(void **state)
{
	uint8_t head[64] = { 0x7f, 'E', 'L', 'F', 2, 1, 1 };

	(void)state;
	head[0x29] = 0x10;
	head[0x3a] = 64;
	head[0x3c] = 16;
	assert_int_equal(rec_vdso_size(span_of(head, 64)), 0x1400);
	assert_int_equal(rec_vdso_size(span_of(head, 63)), 0);
	head[0x2f] = 0xff;
	assert_int_equal(rec_vdso_size(span_of(head, 64)), 0);
	head[0] = 0;
	assert_int_equal(rec_vdso_size(span_of(head, 64)), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_image_arrives_as_it_was_sent),
		cmocka_unit_test(every_prefix_of_an_image_is_refused),
		cmocka_unit_test(addresses_arrive_in_their_order),
		cmocka_unit_test(the_largest_messages_fit_their_buffers),
		cmocka_unit_test(answers_arrive_as_they_were_sent),
		cmocka_unit_test(every_cut_answer_is_refused),
		cmocka_unit_test(a_range_that_is_none_is_refused),
		cmocka_unit_test(a_string_beyond_the_limit_is_refused),
		cmocka_unit_test(the_build_id_is_found_among_notes),
		cmocka_unit_test(the_vdso_ends_with_its_section_headers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
