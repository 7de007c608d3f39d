#include "record/state/images.h"

#include "format/base/mem.h"
#include "tests/support/failalloc.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static uint32_t add(struct rec_images *im, const struct rec_image *what,
		    const char *path)
{
	uint32_t index = 77;

	assert_int_equal(rec_images_add(im, what, span_of(path, strlen(path)),
					&index, NULL), 0);
	return index;
}

static struct rec_image elf(uint64_t inode, const char *build_id)
{
	struct rec_image im = { .kind = TF_IMAGE_ELF, .device = 1,
				.inode = inode };

	im.build_id_size = (uint8_t)strlen(build_id);
	memcpy(im.build_id, build_id, im.build_id_size);
	return im;
}

static void the_table_begins_with_unknown_and_truncated(void **state)
{
	struct rec_images im;

	(void)state;
	assert_int_equal(rec_images_init(&im, NULL), 0);
	assert_int_equal(im.n, 2);
	assert_int_equal(im.items[REC_IMAGE_UNKNOWN].kind, TF_IMAGE_UNKNOWN);
	assert_string_equal(im.items[REC_IMAGE_UNKNOWN].path, "");
	assert_int_equal(im.items[REC_IMAGE_TRUNCATED].kind, TF_IMAGE_SPECIAL);
	assert_string_equal(im.items[REC_IMAGE_TRUNCATED].path, "[truncated]");
	rec_images_fini(&im);
}

static void one_build_id_at_one_path_is_one_image(void **state)
{
	struct rec_image a = elf(10, "abcd"), b = elf(11, "abcd");
	struct rec_images im;

	(void)state;
	assert_int_equal(rec_images_init(&im, NULL), 0);
	assert_int_equal(add(&im, &a, "/lib/a.so"), 2);
	assert_int_equal(add(&im, &b, "/lib/a.so"), 2);
	assert_int_equal(im.n, 3);
	rec_images_fini(&im);
}

static void another_build_id_at_the_path_is_another_image(void **state)
{
	struct rec_image a = elf(10, "abcd"), b = elf(10, "abce"),
			 c = elf(10, "abc");
	struct rec_images im;

	(void)state;
	assert_int_equal(rec_images_init(&im, NULL), 0);
	assert_int_equal(add(&im, &a, "/lib/a.so"), 2);
	assert_int_equal(add(&im, &b, "/lib/a.so"), 3);
	assert_int_equal(add(&im, &c, "/lib/a.so"), 4);
	rec_images_fini(&im);
}

static void without_a_build_id_the_inode_tells_images_apart(void **state)
{
	struct rec_image a = elf(10, ""), b = elf(11, "");
	struct rec_images im;

	(void)state;
	assert_int_equal(rec_images_init(&im, NULL), 0);
	assert_int_equal(add(&im, &a, "/lib/a.so"), 2);
	assert_int_equal(add(&im, &a, "/lib/a.so"), 2);
	assert_int_equal(add(&im, &b, "/lib/a.so"), 3);
	assert_int_equal(add(&im, &a, "/lib/b.so"), 4);
	b = a;
	b.device = 2;
	assert_int_equal(add(&im, &b, "/lib/a.so"), 5);
	rec_images_fini(&im);
}

static void a_generation_tells_reuses_of_an_area_apart(void **state)
{
	struct rec_image a = { .kind = TF_IMAGE_BPF, .generation = 1 };
	struct rec_image b = { .kind = TF_IMAGE_BPF, .generation = 2 };
	struct rec_images im;

	(void)state;
	assert_int_equal(rec_images_init(&im, NULL), 0);
	assert_int_equal(add(&im, &a, "bpf_prog"), 2);
	assert_int_equal(add(&im, &b, "bpf_prog"), 3);
	rec_images_fini(&im);
}

static void the_path_is_a_copy(void **state)
{
	struct rec_image a = elf(10, "");
	char path[] = "/lib/a.so";
	struct rec_images im;
	uint32_t index;

	(void)state;
	assert_int_equal(rec_images_init(&im, NULL), 0);
	index = add(&im, &a, path);
	memset(path, 'x', sizeof(path) - 1);
	for (uint64_t i = 0; i < 100; i++) {
		struct rec_image more = elf(100 + i, "");

		(void)add(&im, &more, "/lib/other.so");
	}
	assert_string_equal(im.items[index].path, "/lib/a.so");
	rec_images_fini(&im);
}

struct kind {
	const char *path;
	enum tf_image_kind kind;
};

static void a_mapping_is_known_by_its_path(void **state)
{
	static const struct kind kinds[] = {
		{ "/usr/bin/ls", TF_IMAGE_ELF },
		{ "/tmp/gone (deleted)", TF_IMAGE_ELF },
		{ "/memfd:x (deleted)", TF_IMAGE_ELF },
		{ "[vdso]", TF_IMAGE_VDSO },
		{ "", TF_IMAGE_ANON },
		{ "//anon", TF_IMAGE_ANON },
		{ "[heap]", TF_IMAGE_ANON },
		{ "[stack]", TF_IMAGE_ANON },
		{ "[anon:v8]", TF_IMAGE_ANON },
		{ "anon_inode:[perf_event]", TF_IMAGE_ANON },
		{ "/dev/zero (deleted)", TF_IMAGE_ANON },
		{ "/SYSV00000000 (deleted)", TF_IMAGE_ANON },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
		assert_int_equal(rec_image_kind(span_of(kinds[i].path,
						strlen(kinds[i].path))),
				 kinds[i].kind);
}

static void a_new_epoch_forgets_the_frames(void **state)
{
	struct rec_image a = elf(10, "");
	struct rec_images im;
	uint32_t index, id;
	bool fresh;

	(void)state;
	assert_int_equal(rec_images_init(&im, NULL), 0);
	index = add(&im, &a, "/a");
	assert_int_equal(rec_images_size(&im, 0), 0);
	assert_non_null(map64_put(&im.items[index].frames[0][0], 1, 5, &fresh));
	assert_true(rec_images_size(&im, 0) > 0);
	rec_images_new_epoch(&im, 0);
	assert_int_equal(rec_images_size(&im, 0), 0);
	assert_false(map64_get(&im.items[index].frames[0][0], 1, &id));
	rec_images_fini(&im);
}

static void out_of_memory_is_told_and_the_table_stays_sound(void **state)
{
	struct rec_image a = elf(10, "");
	int rc = ERR_NOMEM;

	(void)state;
	for (long n = 1; rc == ERR_NOMEM; n++) {
		struct rec_images im;
		uint32_t index = 77;

		failalloc_at(n);
		rc = rec_images_init(&im, NULL);
		if (rc == 0)
			rc = rec_images_add(&im, &a, span_of("/a", 2), &index,
					    NULL);
		failalloc_off();
		assert_true(rc == 0 || rc == ERR_NOMEM);
		if (rc == 0)
			assert_true(index == 2 && im.n == 3);
		rec_images_fini(&im);
		assert_true(n < 50);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_table_begins_with_unknown_and_truncated),
		cmocka_unit_test(one_build_id_at_one_path_is_one_image),
		cmocka_unit_test(another_build_id_at_the_path_is_another_image),
		cmocka_unit_test(
			without_a_build_id_the_inode_tells_images_apart),
		cmocka_unit_test(a_generation_tells_reuses_of_an_area_apart),
		cmocka_unit_test(the_path_is_a_copy),
		cmocka_unit_test(a_mapping_is_known_by_its_path),
		cmocka_unit_test(a_new_epoch_forgets_the_frames),
		cmocka_unit_test(
			out_of_memory_is_told_and_the_table_stays_sound),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
