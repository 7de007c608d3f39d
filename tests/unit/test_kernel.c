#include "record/state/kernel.h"

#include "format/base/mem.h"
#include "tests/support/failalloc.h"
#include "tests/support/filetree.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* namesz 4, descsz 4, type 3 (NT_GNU_BUILD_ID), "GNU", the id. */
static const uint8_t note[] = { 4, 0, 0, 0, 4, 0, 0, 0, 3, 0, 0, 0,
				'G', 'N', 'U', 0, 0xca, 0xfe, 0xba, 0xbe };

struct fixture {
	struct filetree t;
	struct rec_images images;
	struct rec_kernel k;
};

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	assert_non_null(f);
	filetree_init(&f->t);
	assert_int_equal(rec_images_init(&f->images, NULL), 0);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	rec_kernel_fini(&f->k);
	rec_images_fini(&f->images);
	filetree_fini(&f->t);
	free(f);
	return 0;
}

static void load(struct fixture *f)
{
	assert_int_equal(rec_kernel_init(&f->k, &f->images, f->t.root, NULL),
			 0);
}

static const char *found(const struct fixture *f, uint64_t ip,
			 uint64_t *address)
{
	return f->images.items[rec_kernel_find(&f->k, ip, address)].path;
}

static void an_address_of_the_kernel_is_an_offset_from_text(void **state)
{
	struct fixture *f = *state;
	uint64_t address;

	filetree_text(&f->t, "/proc/kallsyms",
		      "0000000000000000 A fixed_percpu_data\n"
		      "ffffffff9a000000 T _stext\n"
		      "ffffffff9a000000 T _text\n"
		      "ffffffff9a000040 T startup_64\n");
	filetree_bytes(&f->t, "/sys/kernel/notes", note, sizeof(note));
	load(f);
	assert_true(f->k.text == 0xffffffff9a000000);
	assert_string_equal(found(f, 0xffffffff9a000123, &address),
			    "[kernel.kallsyms]");
	assert_true(address == 0x123);
	assert_int_equal(f->images.items[f->k.image].kind, TF_IMAGE_KERNEL);
	assert_int_equal(f->images.items[f->k.image].build_id_size, 4);
	assert_memory_equal(f->images.items[f->k.image].build_id,
			    "\xca\xfe\xba\xbe", 4);
	assert_string_equal(found(f, 0xffffffff99ffffff, &address), "");
	assert_true(address == 0xffffffff99ffffff);
}

static void text_is_found_far_into_kallsyms(void **state)
{
	static const char line[] = "0000000000001000 A percpu_symbol\n";
	struct fixture *f = *state;
	struct buf b;

	buf_init(&b, 0);
	while (b.n < 100000)
		buf_put(&b, line, sizeof(line) - 1);
	buf_printf(&b, "ffffffff81000000 T _text\n");
	filetree_bytes(&f->t, "/proc/kallsyms", b.p, b.n);
	buf_fini(&b);
	load(f);
	assert_true(f->k.text == 0xffffffff81000000);
}

static void hidden_addresses_name_nothing(void **state)
{
	struct fixture *f = *state;
	uint64_t address;

	filetree_text(&f->t, "/proc/kallsyms",
		      "0000000000000000 T _stext\n"
		      "0000000000000000 T _text\n");
	filetree_text(&f->t, "/proc/modules",
		      "ext4 1130496 2 mbcache,jbd2, Live 0x0000000000000000\n");
	load(f);
	assert_true(f->k.text == 0);
	assert_int_equal(f->k.n, 0);
	assert_string_equal(found(f, 0xffffffff81000123, &address), "");
	assert_true(address == 0xffffffff81000123);
}

static void a_machine_without_these_files_is_no_failure(void **state)
{
	struct fixture *f = *state;
	uint64_t address;

	load(f);
	assert_string_equal(found(f, 0xffffffff81000123, &address), "");
	assert_int_equal(f->images.items[f->k.image].build_id_size, 0);
}

static void a_module_is_an_area_with_its_own_build_id(void **state)
{
	struct fixture *f = *state;
	uint64_t address;
	uint32_t image;

	filetree_text(&f->t, "/proc/modules",
		      "jbd2 4096 1 ext4, Live 0xffffffffc0600000\n"
		      "ext4 8192 2 - Live 0xffffffffc0555000 (E)\n"
		      "broken\n"
		      "wraps 4096 1 - Live 0xfffffffffffff800\n");
	filetree_bytes(&f->t, "/sys/module/ext4/notes/.note.gnu.build-id",
		       note, sizeof(note));
	load(f);
	assert_int_equal(f->k.n, 2);
	image = rec_kernel_find(&f->k, 0xffffffffc0555000 + 8191, &address);
	assert_string_equal(f->images.items[image].path, "[ext4]");
	assert_int_equal(f->images.items[image].kind, TF_IMAGE_MODULE);
	assert_int_equal(f->images.items[image].build_id_size, 4);
	assert_true(address == 8191);
	assert_string_equal(found(f, 0xffffffffc0600000, &address), "[jbd2]");
	assert_true(address == 0);
	assert_string_equal(found(f, 0xffffffffc0555000 + 8192, &address), "");
}

static struct rec_ksymbol ksymbol(uint64_t at, uint32_t size, const char *name)
{
	return (struct rec_ksymbol){ .address = at, .size = size, .type = 1,
				     .name = span_of(name, strlen(name)) };
}

static void tell(struct fixture *f, const struct rec_ksymbol *s)
{
	assert_int_equal(rec_kernel_ksymbol(&f->k, &f->images, s, NULL), 0);
}

static void a_bpf_program_is_known_once_it_was_told(void **state)
{
	struct rec_ksymbol s = ksymbol(0xffffffffc0100000, 256, "bpf_prog_a");
	struct fixture *f = *state;
	uint64_t address;
	uint32_t image;

	load(f);
	assert_string_equal(found(f, 0xffffffffc0100010, &address), "");
	f->k.serial = 5;
	tell(f, &s);
	/* What was remembered of the areas before holds no more. */
	assert_true(f->k.serial == 0);
	image = rec_kernel_find(&f->k, 0xffffffffc0100010, &address);
	assert_string_equal(f->images.items[image].path, "bpf_prog_a");
	assert_int_equal(f->images.items[image].kind, TF_IMAGE_BPF);
	assert_true(address == 0x10);
	assert_string_equal(found(f, 0xffffffffc0100100, &address), "");
}

static void a_bpf_program_that_went_stays_for_late_samples(void **state)
{
	struct rec_ksymbol s = ksymbol(0xffffffffc0100000, 256, "bpf_prog_a");
	struct fixture *f = *state;
	uint64_t address;

	load(f);
	tell(f, &s);
	s.flags = 1; /* PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER */
	tell(f, &s);
	assert_string_equal(found(f, 0xffffffffc0100010, &address),
			    "bpf_prog_a");
}

static void a_reused_place_belongs_to_the_newer_program(void **state)
{
	struct rec_ksymbol a = ksymbol(0xffffffffc0100000, 256, "bpf_prog_a");
	struct rec_ksymbol b = ksymbol(0xffffffffc0100000, 512, "bpf_prog_b");
	struct rec_ksymbol c = ksymbol(0xffffffffc00fff00, 512, "bpf_prog_c");
	struct fixture *f = *state;
	uint64_t address;

	load(f);
	tell(f, &a);
	tell(f, &b);
	assert_string_equal(found(f, 0xffffffffc0100010, &address),
			    "bpf_prog_b");
	/* It begins before the older ones and covers part of them. */
	tell(f, &c);
	assert_string_equal(found(f, 0xffffffffc0100010, &address),
			    "bpf_prog_c");
	assert_true(address == 0x110);
}

static void a_program_loaded_again_takes_no_more_room(void **state)
{
	struct rec_ksymbol a = ksymbol(0xffffffffc0100000, 256, "bpf_prog_a");
	struct fixture *f = *state;

	load(f);
	for (int i = 0; i < 10; i++)
		tell(f, &a);
	assert_int_equal(f->k.n, 1);
}

static void an_area_that_wraps_around_is_ignored(void **state)
{
	struct rec_ksymbol a = ksymbol(UINT64_MAX - 5, 256, "bpf_prog_a");
	struct fixture *f = *state;

	load(f);
	tell(f, &a);
	assert_int_equal(f->k.n, 0);
}

static void out_of_memory_is_told(void **state)
{
	struct fixture *f = *state;
	int rc = ERR_NOMEM;

	filetree_text(&f->t, "/proc/modules",
		      "ext4 8192 2 - Live 0xffffffffc0555000 (E)\n");
	for (long n = 1; rc; n++) {
		failalloc_at(n);
		rc = rec_kernel_init(&f->k, &f->images, f->t.root, NULL);
		failalloc_off();
		assert_true(rc == 0 || rc == ERR_NOMEM);
		/* Text that found no memory reads as a file that is missing. */
		if (rc == 0 && failalloc_hit())
			rc = 1;
		rec_kernel_fini(&f->k);
		rec_images_fini(&f->images);
		assert_int_equal(rec_images_init(&f->images, NULL), 0);
		assert_true(n < 100);
	}
}

#define WITH_FIXTURE(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_FIXTURE(an_address_of_the_kernel_is_an_offset_from_text),
		WITH_FIXTURE(text_is_found_far_into_kallsyms),
		WITH_FIXTURE(hidden_addresses_name_nothing),
		WITH_FIXTURE(a_machine_without_these_files_is_no_failure),
		WITH_FIXTURE(a_module_is_an_area_with_its_own_build_id),
		WITH_FIXTURE(a_bpf_program_is_known_once_it_was_told),
		WITH_FIXTURE(a_bpf_program_that_went_stays_for_late_samples),
		WITH_FIXTURE(a_reused_place_belongs_to_the_newer_program),
		WITH_FIXTURE(a_program_loaded_again_takes_no_more_room),
		WITH_FIXTURE(an_area_that_wraps_around_is_ignored),
		WITH_FIXTURE(out_of_memory_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
