#include "record/symbol/buildid.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

static const uint8_t id[] = { 0xde, 0xad, 0xbe, 0xef, 1, 2, 3, 4, 5, 6,
			      7, 8, 9, 10, 11, 12, 13, 14, 15, 16 };

static void put32(uint8_t *to, uint32_t v)
{
	for (int i = 0; i < 4; i++)
		to[i] = (uint8_t)(v >> 8 * i);
}

/* Elf_Nhdr: n_namesz, n_descsz, n_type; then name and descriptor, each padded
 * to 4 bytes. Returns its size. */
static size_t put_note(uint8_t *to, uint32_t type, const char *name,
		       size_t name_size, const uint8_t *desc, size_t n)
{
	put32(to, (uint32_t)name_size);
	put32(to + 4, (uint32_t)n);
	put32(to + 8, type);
	memcpy(to + 12, name, name_size);
	name_size = (name_size + 3) / 4 * 4;
	memcpy(to + 12 + name_size, desc, n);
	return 12 + name_size + (n + 3) / 4 * 4;
}

static struct rec_image image_of(const uint8_t *notes, size_t n)
{
	struct rec_image im = { 0 };

	rec_build_id_notes(&im, span_of(notes, n));
	return im;
}

static bool has_id(const struct rec_image *im)
{
	return im->build_id_size == sizeof(id) &&
	       memcmp(im->build_id, id, sizeof(id)) == 0;
}

static void the_build_id_is_found_among_other_notes(void **state)
{
	uint8_t b[256] = { 0 };
	struct rec_image im;
	size_t n = 0;

	(void)state;
	n += put_note(b + n, 1, "GNU", 4, id, 16);        /* ABI tag */
	n += put_note(b + n, 3, "Xen", 4, id, 7);         /* not GNU's */
	n += put_note(b + n, 3, "Linux\0", 6, id, 5);     /* odd sizes */
	n += put_note(b + n, 3, "GNU", 4, id, sizeof(id));
	n += put_note(b + n, 3, "GNU", 4, id, 4);         /* first counts */
	im = image_of(b, n);
	assert_true(has_id(&im));
}

static void every_prefix_of_notes_is_bearable(void **state)
{
	uint8_t b[256] = { 0 };
	size_t first = put_note(b, 1, "GNU", 4, id, 16);
	size_t n = first + put_note(b + first, 3, "GNU", 4, id, sizeof(id));

	(void)state;
	for (size_t i = 0; i <= n; i++) {
		struct rec_image im = image_of(b, i);

		assert_true(has_id(&im) == (i == n));
		if (i < n)
			assert_int_equal(im.build_id_size, 0);
	}
}

static void sizes_that_lie_give_nothing(void **state)
{
	static const uint32_t sizes[] = { 0xffffffff, 0xfffffffd, 0x80000000,
					  65536, 100 };
	(void)state;
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		uint8_t b[64] = { 0 };
		struct rec_image im;

		put_note(b, 3, "GNU", 4, id, sizeof(id));
		put32(b, sizes[i]);
		im = image_of(b, sizeof(b));
		assert_int_equal(im.build_id_size, 0);
		put_note(b, 3, "GNU", 4, id, sizeof(id));
		put32(b + 4, sizes[i]);
		im = image_of(b, sizeof(b));
		assert_int_equal(im.build_id_size, 0);
	}
}

static void an_id_longer_than_fits_is_no_id(void **state)
{
	uint8_t long_id[32] = { 1 }, b[64] = { 0 };
	size_t n = put_note(b, 3, "GNU", 4, long_id, REC_BUILD_ID_MAX + 1);
	struct rec_image im = image_of(b, n);

	(void)state;
	assert_int_equal(im.build_id_size, 0);
}

/* -- ELF files, their offsets as in the ELF specification ---------------------*/

#define ELF_SIZE 512
#define NOTE_AT 0x180

static void begin(uint8_t b[ELF_SIZE], uint8_t class)
{
	memset(b, 0, ELF_SIZE);
	memcpy(b, "\177ELF", 4);
	b[4] = class;
	b[5] = 1; /* ELFDATA2LSB */
	b[6] = 1;
	b[16] = 3;  /* ET_DYN */
	b[18] = 62; /* EM_X86_64 */
}

/* Two program headers at 64: PT_LOAD, PT_NOTE. */
static size_t elf64(uint8_t b[ELF_SIZE])
{
	size_t note = put_note(b, 3, "GNU", 4, id, sizeof(id));

	begin(b, 2);
	put32(b + 32, 64);           /* e_phoff */
	b[52] = 64;                  /* e_ehsize */
	b[54] = 56;                  /* e_phentsize */
	b[56] = 2;                   /* e_phnum */
	put32(b + 64, 1);            /* p_type PT_LOAD */
	put32(b + 120, 4);           /* p_type PT_NOTE */
	put32(b + 120 + 8, NOTE_AT); /* p_offset */
	put32(b + 120 + 32, (uint32_t)note); /* p_filesz */
	put_note(b + NOTE_AT, 3, "GNU", 4, id, sizeof(id));
	return NOTE_AT + note;
}

/* The same at 52 of a 32-bit file. */
static size_t elf32(uint8_t b[ELF_SIZE])
{
	size_t note = put_note(b, 3, "GNU", 4, id, sizeof(id));

	begin(b, 1);
	put32(b + 28, 52);          /* e_phoff */
	b[40] = 52;                 /* e_ehsize */
	b[42] = 32;                 /* e_phentsize */
	b[44] = 2;                  /* e_phnum */
	put32(b + 52, 1);           /* p_type PT_LOAD */
	put32(b + 84, 4);           /* p_type PT_NOTE */
	put32(b + 84 + 4, NOTE_AT); /* p_offset */
	put32(b + 84 + 16, (uint32_t)note); /* p_filesz */
	put_note(b + NOTE_AT, 3, "GNU", 4, id, sizeof(id));
	return NOTE_AT + note;
}

static struct rec_image read_file(const uint8_t *b, size_t n)
{
	int fd = memfd_create("elf", MFD_CLOEXEC);
	struct rec_image im = { 0 };

	assert_int_equal(write(fd, b, n), (ssize_t)n);
	rec_build_id_read(&im, fd);
	close(fd);
	return im;
}

static void both_classes_of_elf_are_read(void **state)
{
	uint8_t b[ELF_SIZE];
	struct rec_image im = read_file(b, elf64(b));

	(void)state;
	assert_true(has_id(&im));
	im = read_file(b, elf32(b));
	assert_true(has_id(&im));
}

static void every_prefix_of_a_file_is_bearable(void **state)
{
	uint8_t b[ELF_SIZE];

	(void)state;
	for (int narrow = 0; narrow < 2; narrow++) {
		size_t whole = narrow ? elf32(b) : elf64(b);

		for (size_t n = 0; n <= whole; n++) {
			struct rec_image im = read_file(b, n);

			assert_int_equal(has_id(&im), n == whole);
			assert_true(has_id(&im) || !im.build_id_size);
		}
	}
}

static void every_changed_byte_is_bearable(void **state)
{
	uint8_t b[ELF_SIZE];

	(void)state;
	for (int narrow = 0; narrow < 2; narrow++) {
		size_t whole = narrow ? elf32(b) : elf64(b);

		for (size_t i = 0; i < whole; i++) {
			struct rec_image im;

			b[i] ^= 0xff;
			im = read_file(b, whole);
			assert_true(im.build_id_size <= REC_BUILD_ID_MAX);
			b[i] ^= 0xff;
		}
	}
}

static void what_is_no_elf_file_has_none(void **state)
{
	static const char text[200] = "#!/bin/sh\n";
	struct rec_image im = { 0 };

	(void)state;
	rec_build_id_read(&im, -1);
	assert_int_equal(im.build_id_size, 0);
	im = read_file((const uint8_t *)text, sizeof(text));
	assert_int_equal(im.build_id_size, 0);
}

/* A big-endian file is of another machine: its numbers are not read. */
static void a_file_of_the_other_byte_order_has_none(void **state)
{
	uint8_t b[ELF_SIZE];
	size_t n = elf64(b);
	struct rec_image im;

	(void)state;
	b[5] = 2;
	im = read_file(b, n);
	assert_int_equal(im.build_id_size, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_build_id_is_found_among_other_notes),
		cmocka_unit_test(every_prefix_of_notes_is_bearable),
		cmocka_unit_test(sizes_that_lie_give_nothing),
		cmocka_unit_test(an_id_longer_than_fits_is_no_id),
		cmocka_unit_test(both_classes_of_elf_are_read),
		cmocka_unit_test(every_prefix_of_a_file_is_bearable),
		cmocka_unit_test(every_changed_byte_is_bearable),
		cmocka_unit_test(what_is_no_elf_file_has_none),
		cmocka_unit_test(a_file_of_the_other_byte_order_has_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
