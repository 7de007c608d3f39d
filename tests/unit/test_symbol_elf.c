#include "record/symbol/elf.h"
#include "tests/support/elfbuild.h"

#include <fcntl.h>
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

static int read_bytes(struct rec_elf *e, const void *p, size_t n,
		      struct err *err)
{
	return rec_elf_read(e, &(struct rec_elf_source){ -1, -1, { p, n },
							 { NULL, 0 } }, err);
}

static void expect(const struct rec_elf *e, uint64_t address, const char *name,
		   uint64_t start, uint64_t size)
{
	struct rec_symtab_hit hit;

	assert_true(rec_symtab_find(&e->symtab, address, &hit));
	assert_string_equal(rec_symtab_name(&e->symtab, hit.row), name);
	assert_int_equal(hit.start, start);
	assert_int_equal(hit.size, size);
}

static void a_program_says_its_functions_by_file_offset(void **state)
{
	struct rec_symtab_hit hit;
	struct rec_elf e;
	struct buf b;

	(void)state;
	elfbuild(&b);
	assert_int_equal(read_bytes(&e, b.p, b.n, NULL), 0);
	expect(&e, 0x10f, "_start", 0x100, 0x10);
	expect(&e, 0x110, "helper", 0x110, 0x20);
	assert_false(rec_symtab_find(&e.symtab, 0x130, &hit));
	expect(&e, 0x15f, "label", 0x140, 0x20);
	assert_false(rec_symtab_find(&e.symtab, 0x160, &hit));
	expect(&e, 0x17f, "puts@plt", 0x170, 0x10);
	assert_int_equal(e.build_id_size, 8);
	assert_memory_equal(e.build_id, "\1\2\3\4\5\6\7\10", 8);
	rec_elf_fini(&e);
	buf_fini(&b);
}

static int file_of(const struct buf *b)
{
	FILE *f = tmpfile();
	int fd;

	assert_non_null(f);
	assert_int_equal(fwrite(b->p, 1, b->n, f), b->n);
	fflush(f);
	fd = dup(fileno(f));
	fclose(f);
	return fd;
}

/* The debug file claims another place for its code, as real ones do. */
static void a_debug_file_gives_names_to_a_stripped_one(void **state)
{
	struct rec_elf_source source = { .fd = -1 };
	struct rec_symtab_hit hit;
	struct buf b, debug;
	struct rec_elf e;

	(void)state;
	elfbuild_stripped(&b);
	elfbuild(&debug);
	debug.p[64 + 8] = 0; /* p_offset */
	debug.p[64 + 9] = 0;
	source.bytes = span_of(b.p, b.n);
	source.debug_fd = file_of(&debug);
	assert_int_equal(rec_elf_read(&e, &source, NULL), 0);
	expect(&e, 0x110, "helper", 0x110, 0x20);
	expect(&e, 0x17f, "puts@plt", 0x170, 0x10);
	rec_elf_fini(&e);
	close(source.debug_fd);
	buf_fini(&b);
	debug.p[0x190] = 9; /* build-id */
	source.debug_fd = file_of(&debug);
	elfbuild_stripped(&b);
	source.bytes = span_of(b.p, b.n);
	assert_int_equal(rec_elf_read(&e, &source, NULL), 0);
	assert_false(rec_symtab_find(&e.symtab, 0x110, &hit));
	expect(&e, 0x17f, "puts@plt", 0x170, 0x10);
	rec_elf_fini(&e);
	close(source.debug_fd);
	buf_fini(&debug);
	buf_fini(&b);
}

static void another_build_id_gives_no_names(void **state)
{
	static const uint8_t other[] = { 1, 2, 3, 4, 5, 6, 7, 9 };
	struct rec_elf_source source = { .fd = -1, .debug_fd = -1 };
	struct err err = { 0 };
	struct rec_elf e;
	struct buf b;

	(void)state;
	elfbuild(&b);
	source.bytes = span_of(b.p, b.n);
	source.build_id = span_of(other, sizeof(other));
	assert_int_equal(rec_elf_read(&e, &source, &err), ERR_FORMAT);
	assert_string_equal(err.text, "build-id differs: the file was replaced");
	assert_null(e.symtab.rows);
	source.build_id.n = 7;
	assert_int_equal(rec_elf_read(&e, &source, &err), ERR_FORMAT);
	buf_fini(&b);
}

static void what_is_no_program_is_refused(void **state)
{
	struct err err = { 0 };
	struct rec_elf e;
	struct buf b;

	(void)state;
	assert_int_equal(read_bytes(&e, "#!/bin/sh\n", 10, &err), ERR_FORMAT);
	assert_true(read_bytes(&e, NULL, 0, &err) < 0);
	elfbuild(&b);
	b.p[16] = 1; /* ET_REL */
	assert_int_equal(read_bytes(&e, b.p, b.n, &err), ERR_FORMAT);
	buf_fini(&b);
}

/* Whatever was accepted can be searched. */
static void try_bytes(const uint8_t *p, size_t n)
{
	struct rec_symtab_hit hit;
	struct rec_elf e;

	if (read_bytes(&e, p, n, NULL) < 0) {
		assert_null(e.symtab.rows);
		return;
	}
	for (uint64_t a = 0xf0; a < 0x190; a += 4)
		if (rec_symtab_find(&e.symtab, a, &hit))
			assert_true(hit.start <= a && a - hit.start < hit.size);
	rec_elf_fini(&e);
}

static void every_prefix_is_refused_or_searchable(void **state)
{
	struct buf b;

	(void)state;
	elfbuild(&b);
	for (size_t n = 0; n < b.n; n++) {
		uint8_t *copy = malloc(n ? n : 1);

		memcpy(copy, b.p, n);
		try_bytes(copy, n);
		free(copy);
	}
	buf_fini(&b);
}

static void every_changed_byte_is_refused_or_searchable(void **state)
{
	static const uint8_t masks[] = { 1, 2, 4, 8, 16, 32, 64, 128, 255 };
	struct buf b;

	(void)state;
	elfbuild(&b);
	for (size_t at = 0; at < b.n; at++) {
		for (size_t m = 0; m < sizeof(masks); m++) {
			b.p[at] ^= masks[m];
			try_bytes(b.p, b.n);
			b.p[at] ^= masks[m];
		}
	}
	buf_fini(&b);
}

struct truth {
	FILE *from;
	uint64_t delta; /* file offset minus address, of the code */
	uint64_t value, size;
	char name[4096];
};

/* Offset and address of the executable segment, by readelf. */
static bool find_delta(struct truth *t, const char *path)
{
	char command[512];
	uint64_t offset, address;
	int n;

	snprintf(command, sizeof(command),
		 "LC_ALL=C readelf -lW '%s' | awk '$1 == \"LOAD\" && /R E/ "
		 "{ print $2, $3; exit }'", path);
	t->from = popen(command, "r");
	if (!t->from)
		return false;
	n = fscanf(t->from, "%" SCNi64 " %" SCNi64, (int64_t *)&offset,
		   (int64_t *)&address);
	pclose(t->from);
	t->delta = offset - address;
	return n == 2;
}

/* Only addresses with one name: among several, the choice is ours. */
static bool open_symbols(struct truth *t, const char *path, const char *table)
{
	char command[512];

	snprintf(command, sizeof(command),
		 "LC_ALL=C readelf -sW '%s' | awk '/^Symbol table/ { on = "
		 "index($0, \"%s\") } on && ($4 == \"FUNC\" || $4 == \"IFUNC\")"
		 " && $7 ~ /^[0-9]+$/ { n[$2]++; is[$2] = $3 \" \" $8 } "
		 "END { for (a in n) if (n[a] == 1) print a, is[a] }'", path,
		 table);
	t->from = popen(command, "r");
	return t->from != NULL;
}

static void agree_with_readelf(const char *path, const char *table,
			       unsigned least)
{
	struct truth t = { 0 };
	struct rec_elf_source source = { .fd = open(path, O_RDONLY),
					 .debug_fd = -1 };
	unsigned same = 0;
	struct rec_elf e;

	if (source.fd < 0 || !find_delta(&t, path))
		skip();
	assert_int_equal(rec_elf_read(&e, &source, NULL), 0);
	close(source.fd);
	assert_true(open_symbols(&t, path, table));
	while (fscanf(t.from, "%" SCNx64 " %" SCNi64 " %4095s", &t.value,
		      (int64_t *)&t.size, t.name) == 3) {
		t.name[strcspn(t.name, "@")] = '\0';
		if (!t.size)
			continue;
		expect(&e, t.value + t.delta + t.size / 2, t.name,
		       t.value + t.delta, t.size);
		same++;
	}
	pclose(t.from);
	rec_elf_fini(&e);
	assert_true(same >= least);
}

static void the_allocator_s_free_is_called_free(void **state)
{
	static const char path[] = "/usr/lib/x86_64-linux-gnu/libc.so.6";
	struct rec_elf_source source = { .fd = open(path, O_RDONLY),
					 .debug_fd = -1 };
	struct rec_symtab_hit hit;
	uint64_t address = 0;
	struct rec_elf e;
	FILE *p;

	(void)state;
	p = popen("LC_ALL=C readelf --dyn-syms -W /usr/lib/x86_64-linux-gnu/"
		  "libc.so.6 | awk '$8 ~ /^cfree@GLIBC/ { print $2 }'", "r");
	if (source.fd < 0 || !p || fscanf(p, "%" SCNx64, &address) != 1)
		skip();
	pclose(p);
	assert_int_equal(rec_elf_read(&e, &source, NULL), 0);
	close(source.fd);
	assert_true(rec_symtab_find(&e.symtab, address, &hit));
	assert_string_equal(rec_symtab_name(&e.symtab, hit.row), "free");
	rec_elf_fini(&e);
}

static void the_c_library_agrees_with_readelf(void **state)
{
	(void)state;
	agree_with_readelf("/usr/lib/x86_64-linux-gnu/libc.so.6", ".dynsym",
			   1000);
}

static void this_program_agrees_with_readelf(void **state)
{
	char path[256] = "";

	(void)state;
	assert_true(readlink("/proc/self/exe", path, sizeof(path) - 1) > 0);
	agree_with_readelf(path, ".symtab", 50);
}

static void the_build_id_is_the_one_that_readelf_prints(void **state)
{
	static const char path[] = "/usr/lib/x86_64-linux-gnu/libc.so.6";
	struct rec_elf_source source = { .fd = open(path, O_RDONLY),
					 .debug_fd = -1 };
	char text[2 * REC_ELF_MAX_BUILD_ID + 1] = "", got[sizeof(text)] = "";
	struct rec_elf e;
	FILE *p;

	(void)state;
	p = popen("LC_ALL=C readelf -n /usr/lib/x86_64-linux-gnu/libc.so.6 | "
		  "awk '/Build ID/ { print $3 }'", "r");
	if (source.fd < 0 || !p || fscanf(p, "%128s", text) != 1)
		skip();
	pclose(p);
	assert_int_equal(rec_elf_read(&e, &source, NULL), 0);
	close(source.fd);
	for (size_t i = 0; i < e.build_id_size; i++)
		snprintf(got + 2 * i, 3, "%02x", e.build_id[i]);
	assert_string_equal(got, text);
	rec_elf_fini(&e);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_program_says_its_functions_by_file_offset),
		cmocka_unit_test(a_debug_file_gives_names_to_a_stripped_one),
		cmocka_unit_test(another_build_id_gives_no_names),
		cmocka_unit_test(what_is_no_program_is_refused),
		cmocka_unit_test(every_prefix_is_refused_or_searchable),
		cmocka_unit_test(every_changed_byte_is_refused_or_searchable),
		cmocka_unit_test(the_c_library_agrees_with_readelf),
		cmocka_unit_test(this_program_agrees_with_readelf),
		cmocka_unit_test(the_allocator_s_free_is_called_free),
		cmocka_unit_test(the_build_id_is_the_one_that_readelf_prints),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
