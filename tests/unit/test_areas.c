#include "record/stack/areas.h"

#include "format/base/mem.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define TEXT 0xffffffff81000000ull

struct fixture {
	struct rec_images images;
	struct rec_kernel kernel;
	struct rec_areas areas;
	struct rec_mm *mm;
	uint64_t random;
};

static uint64_t below(struct fixture *f, uint64_t n)
{
	f->random ^= f->random << 13;
	f->random ^= f->random >> 7;
	f->random ^= f->random << 17;
	return f->random % n;
}

static uint32_t image(struct fixture *f, enum tf_image_kind kind,
		      const char *path)
{
	struct rec_image what = { .kind = kind };
	uint32_t index;

	assert_int_equal(rec_images_add(&f->images, &what,
					span_of(path, strlen(path)), &index,
					NULL), 0);
	return index;
}

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	assert_non_null(f);
	f->random = 88172645463325252u;
	f->mm = rec_mm_new(7, 0, 0);
	assert_non_null(f->mm);
	assert_int_equal(rec_images_init(&f->images, NULL), 0);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	rec_mm_put(f->mm);
	free(f->kernel.areas);
	rec_images_fini(&f->images);
	free(f);
	return 0;
}

static void map(struct fixture *f, struct rec_mm *mm, uint64_t start,
		uint64_t end, uint64_t offset, uint32_t image, uint64_t from)
{
	struct rec_mapping m = { start, end, offset, from, image };

	assert_true(rec_mm_map(mm, &m));
	f->areas = (struct rec_areas){ 0 };
}

static struct rec_side side(struct fixture *f, struct rec_mm *mm, uint64_t time)
{
	return (struct rec_side){ &f->kernel, &f->images, mm, time,
				  &f->areas };
}

/* Where it lies must be what `image` and `address` say. */
static void lies(const struct rec_side *of, uint64_t ip,
		 enum tf_frame_kind kind, uint32_t image, uint64_t address)
{
	const struct rec_area *a = rec_areas_at(of, ip, kind);

	assert_int_equal(a->image, image);
	assert_int_equal(ip + a->add, address);
}

static void an_address_lies_where_its_mapping_says(void **state)
{
	struct fixture *f = *state;
	uint32_t app = image(f, TF_IMAGE_ELF, "/app");
	uint32_t anon = image(f, TF_IMAGE_ANON, "//anon");
	struct rec_side s = side(f, f->mm, 10);

	map(f, f->mm, 0x10000, 0x20000, 0x1000, app, 0);
	map(f, f->mm, 0x30000, 0x40000, 0x5000, anon, 0);
	for (int again = 0; again < 2; again++) {
		lies(&s, 0x10010, TF_FRAME_EXACT, app, 0x1010);
		lies(&s, 0x1ffff, TF_FRAME_RETURN, app, 0x10fff);
		lies(&s, 0x30010, TF_FRAME_EXACT, anon, 0x30010);
		lies(&s, 0x20000, TF_FRAME_EXACT, REC_IMAGE_UNKNOWN, 0x20000);
		lies(&s, 0xffff, TF_FRAME_RETURN, REC_IMAGE_UNKNOWN, 0xffff);
	}
}

/* More mappings than are kept, in any order. */
static void what_is_kept_is_what_would_be_found(void **state)
{
	struct fixture *f = *state;
	struct rec_side s = side(f, f->mm, 10);
	uint32_t first = image(f, TF_IMAGE_ELF, "/0");
	char path[] = "/0";

	for (unsigned i = 1; i < 10; i++) {
		path[1] = (char)('0' + i);
		assert_int_equal(image(f, TF_IMAGE_ELF, path), first + i);
	}
	for (unsigned i = 0; i < 10; i++)
		map(f, f->mm, 0x10000 * (i + 1), 0x10000 * (i + 1) + 0x8000,
		    0x100 * i, first + i, 0);
	for (int n = 0; n < 10000; n++) {
		uint64_t ip = below(f, 0xc0000), in = ip & 0xffff;
		uint32_t i = (uint32_t)(ip >> 16);

		if (i < 1 || i > 10 || in >= 0x8000)
			lies(&s, ip, TF_FRAME_RETURN, REC_IMAGE_UNKNOWN, ip);
		else
			lies(&s, ip, TF_FRAME_RETURN, first + i - 1,
			     in + 0x100 * (i - 1));
	}
}

static void what_was_before_a_change_is_not_kept(void **state)
{
	struct fixture *f = *state;
	uint32_t old = image(f, TF_IMAGE_ELF, "/old");
	uint32_t young = image(f, TF_IMAGE_ELF, "/young");
	struct rec_side before = side(f, f->mm, 50), now = side(f, f->mm, 150);

	map(f, f->mm, 0x10000, 0x20000, 0, old, 0);
	map(f, f->mm, 0x10000, 0x20000, 0, young, 100);
	lies(&before, 0x10010, TF_FRAME_EXACT, old, 0x10);
	lies(&now, 0x10010, TF_FRAME_EXACT, young, 0x10);
	lies(&before, 0x10010, TF_FRAME_EXACT, old, 0x10);
}

static void only_an_exact_address_may_be_of_the_program_before(void **state)
{
	struct fixture *f = *state;
	uint32_t shell = image(f, TF_IMAGE_ELF, "/sh");
	struct rec_mm *program;
	struct rec_side s;

	map(f, f->mm, 0x10000, 0x20000, 0, shell, 0);
	program = rec_mm_exec(f->mm, 7, 100);
	assert_non_null(program);
	s = side(f, program, 110);
	lies(&s, 0x10010, TF_FRAME_EXACT, shell, 0x10);
	lies(&s, 0x10010, TF_FRAME_RETURN, REC_IMAGE_UNKNOWN, 0x10010);
	rec_mm_put(program);
}

static void add_area(struct fixture *f, uint64_t start, uint64_t end,
		     uint32_t image)
{
	struct rec_kernel *k = &f->kernel;

	assert_true(mem_grow(&k->areas, &k->cap, k->n + 1, sizeof(*k->areas)));
	k->areas[k->n++] = (struct rec_kernel_area){ start, end, image };
}

/* Areas that cover each other in any way, here and in a recording made elsewhere:
 * each address of an area lies where it does when it is asked for alone. */
static void all_of_an_area_of_the_kernel_lies_alike(void **state)
{
	struct fixture *f = *state;
	struct rec_kernel *k = &f->kernel;

	k->text = TEXT;
	k->image = 2;
	for (int n = 0; n < 400; n++) {
		k->n = 0;
		k->start = n & 1 ? TEXT - below(f, 32) : 0;
		k->end = n & 1 ? TEXT + below(f, 64) : 0;
		for (uint64_t i = below(f, 6); i; i--) {
			uint64_t at = TEXT - 50 + below(f, 150);

			add_area(f, at, at + below(f, 40), (uint32_t)i + 2);
		}
		for (uint64_t ip = TEXT - 60; ip < TEXT + 160; ip++) {
			struct rec_area a = rec_kernel_area(k, ip);
			uint64_t address, near = ip, end;

			if (a.size > 300)
				near = ip > a.start + 100 ? ip - 100 : a.start;
			else if (a.size)
				near = a.start;
			end = a.size ? a.start + a.size : ip + 1;
			if (end > ip + 200)
				end = ip + 200;
			assert_true(near <= ip && ip < end);
			for (; near < end; near++) {
				assert_int_equal(rec_kernel_find(k, near,
								 &address),
						 a.image);
				assert_int_equal(address, near + a.add);
			}
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			an_address_lies_where_its_mapping_says, setup,
			teardown),
		cmocka_unit_test_setup_teardown(
			what_is_kept_is_what_would_be_found, setup, teardown),
		cmocka_unit_test_setup_teardown(
			what_was_before_a_change_is_not_kept, setup, teardown),
		cmocka_unit_test_setup_teardown(
			only_an_exact_address_may_be_of_the_program_before,
			setup, teardown),
		cmocka_unit_test_setup_teardown(
			all_of_an_area_of_the_kernel_lies_alike, setup,
			teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
