#include "format/base/mem.h"
#include "tests/support/perfdataimport.h"
#include "tests/support/perfdatausual.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static struct imported import_built(struct pdb *p, bool with_text)
{
	struct imported i = import_bytes(span_of(p->b.p, p->b.n), with_text);

	buf_fini(&p->b);
	return i;
}

/* What was given, without facts. */
static void assert_lines(const char *text, const char *want)
{
	char got[8192];
	size_t n = 0;

	while (*text) {
		size_t line = strcspn(text, "\n") + 1;

		if (strncmp(text, "fact ", 5) != 0) {
			assert_true(n + line < sizeof(got));
			memcpy(got + n, text, line);
			n += line;
		}
		text += line;
	}
	got[n] = '\0';
	assert_string_equal(got, want);
}

static void assert_imports(struct pdb *p, const char *want)
{
	struct imported i = import_built(p, true);

	assert_int_equal(i.rc, 0);
	assert_lines(i.text, want);
	free(i.text);
}

static const struct pdb_attr plain_event = {
	.type = 0, .size = 64, .config = 0, .period = 4000,
	.sample_type = IP | TID | TIME, .flags = PDB_EXCLUDE_GUEST };

/* Linux 3.12 to 3.15: no protection, no flags. */
static void the_first_kind_of_mmap2_keeps_its_path(void **state)
{
	struct pdb data = { 0 }, p = { 0 };
	struct imported i;
	size_t at = pdb_begin(&data, MMAP2, USER);

	(void)state;
	pdb_pair(&data, 100, 101);
	pdb_u64(&data, 0x400000);
	pdb_u64(&data, 0x6000);
	pdb_u64(&data, 0);
	pdb_pair(&data, 0xfd, 1);
	pdb_u64(&data, 134986833);
	pdb_u64(&data, 489497562);
	pdb_room(&data, "/usr/bin/true", 16);
	usual_trailer(&data, 101, 1000, 0, 11);
	pdb_end(&data, at);
	usual_file_of(&p, usual_events, 2, &data);
	buf_fini(&data.b);
	i = import_built(&p, true);
	assert_int_equal(i.rc, 0);
	assert_non_null(strstr(i.text, "0x400000+0x6000 @0x0 prot 4 id  "
				       "'/usr/bin/true'\n"));
	free(i.text);
}

static void callers_come_from_branch_records(void **state)
{
	struct pdb_attr lbr = plain_event;
	struct pdb data = { 0 }, p = { 0 };
	size_t at = pdb_begin(&data, SAMPLE, KERNEL);

	(void)state;
	lbr.size = 96;
	lbr.sample_type |= CHAIN | BRANCHES;
	lbr.branch_type = 1 << 11; /* call stack */
	pdb_u64(&data, 0xffffffff81000001);
	pdb_pair(&data, 5, 6);
	pdb_u64(&data, 50);
	pdb_u64(&data, 4);
	pdb_u64(&data, CONTEXT_KERNEL);
	pdb_u64(&data, 0xffffffff81000001);
	pdb_u64(&data, CONTEXT_USER);
	pdb_u64(&data, 0x4010);
	pdb_u64(&data, 2);
	pdb_u64(&data, 0x5020), pdb_u64(&data, 0x4000), pdb_u64(&data, 0);
	pdb_u64(&data, 0x6030), pdb_u64(&data, 0x5000), pdb_u64(&data, 0);
	pdb_end(&data, at);
	usual_file_of(&p, &lbr, 1, &data);
	buf_fini(&data.b);
	assert_imports(&p, "comm 0/0 'swapper'\nevent 0 'cycles' : format 0\n"
			   "sample 0 misc 1 time 50 of 5/6 cpu 0 period 4000 "
			   "ip 0xffffffff81000001 chain 0xffffffffffffff80 "
			   "0xffffffff81000001 0xfffffffffffffe00 0x4010 "
			   "0x5020 0x6030\n");
}

static void user_stacks_are_skipped_and_counted(void **state)
{
	struct pdb_attr dwarf = plain_event;
	struct pdb data = { 0 }, p = { 0 };
	struct imported i;
	size_t at = pdb_begin(&data, SAMPLE, USER);

	(void)state;
	dwarf.size = 96;
	dwarf.sample_type |= REGS_USER | STACK_USER;
	dwarf.regs_user = 0x81;
	pdb_u64(&data, 0x10);
	pdb_pair(&data, 5, 6);
	pdb_u64(&data, 50);
	pdb_u64(&data, 2), pdb_u64(&data, 7), pdb_u64(&data, 8);
	pdb_u64(&data, 16), pdb_u64(&data, 1), pdb_u64(&data, 2);
	pdb_u64(&data, 8);
	pdb_end(&data, at);
	usual_file_of(&p, &dwarf, 1, &data);
	buf_fini(&data.b);
	i = import_built(&p, true);
	assert_int_equal(i.rc, 0);
	assert_int_equal(i.samples, 1);
	assert_non_null(strstr(i.text, "fact note.user_stacks 1 samples"));
	free(i.text);
}

static void unknown_types_are_skipped_and_told_once_each(void **state)
{
	static const uint32_t types[] = { 40, 40, 200, 40, NAMESPACES, 32769 };
	struct pdb data = { 0 }, p = { 0 };
	struct imported i;

	(void)state;
	for (size_t k = 0; k < ARRAY_LEN(types); k++)
		usual_words(&data, types[k], 0, NULL, 0, 1000, 11);
	usual_sample(&data, 11, 1000, 0, 1);
	usual_file_of(&p, usual_events, 2, &data);
	buf_fini(&data.b);
	i = import_built(&p, true);
	assert_int_equal(i.rc, 0);
	assert_int_equal(i.samples, 1);
	assert_non_null(strstr(i.text, "fact note.unknown_records records of "
				       "types that are not known were skipped: "
				       "40 (3), 200 (1), 32769 (1)\n"));
	assert_non_null(strstr(i.text, "fact import.unused_records NAMESPACES "
				       "1\n"));
	free(i.text);
}

/* simpleperf's may have more than 64 KiB: the size goes on where misc is. */
static void large_records_of_simpleperf_are_skipped(void **state)
{
	struct pdb data = { 0 }, p = { 0 };
	struct imported i;
	const size_t more = 2 << 16;

	(void)state;
	pdb_u32(&data, 32771);
	pdb_u16(&data, 2);
	pdb_u16(&data, 16);
	assert_non_null(buf_room(&data.b, more + 8));
	buf_zero(&data.b, more + 8);
	usual_sample(&data, 11, 1000, 0, 1);
	usual_file_of(&p, usual_events, 2, &data);
	buf_fini(&data.b);
	i = import_built(&p, false);
	assert_int_equal(i.rc, 0);
	assert_int_equal(i.samples, 1);
}

static void hardware_traces_are_skipped_and_told(void **state)
{
	struct pdb data = { 0 }, p = { 0 };
	struct imported i;
	size_t at = pdb_begin(&data, AUXTRACE, 0);

	(void)state;
	pdb_u64(&data, 800);
	pdb_u64(&data, 0), pdb_u64(&data, 0);
	pdb_pair(&data, 0, 0), pdb_pair(&data, 0, 0);
	pdb_end(&data, at);
	buf_zero(&data.b, 800);
	usual_sample(&data, 11, 1000, 0, 1);
	usual_file_of(&p, usual_events, 2, &data);
	buf_fini(&data.b);
	i = import_built(&p, true);
	assert_int_equal(i.rc, 0);
	assert_int_equal(i.samples, 1);
	assert_non_null(strstr(i.text, "fact note.aux 800 bytes"));
	free(i.text);
}

static void a_record_of_no_size_ends_the_file(void **state)
{
	struct pdb data = { 0 }, p = { 0 };
	struct imported i;

	(void)state;
	usual_sample(&data, 11, 1000, 0, 1);
	pdb_u64(&data, SAMPLE);
	usual_sample(&data, 11, 1001, 0, 1);
	usual_file_of(&p, usual_events, 2, &data);
	buf_fini(&data.b);
	i = import_built(&p, false);
	assert_int_equal(i.rc, 1);
	assert_int_equal(i.samples, 1);
	assert_non_null(strstr(i.err.text, "a size of 0 bytes"));
}

static void a_section_beyond_the_file_is_told(void **state)
{
	struct pdb p = { 0 };
	struct imported i;

	(void)state;
	usual_file(&p, false);
	p.b.p[24 + 6] = 1; /* where the events are */
	i = import_built(&p, false);
	assert_int_equal(i.rc, ERR_FORMAT);
	assert_non_null(strstr(i.err.text, "events at offset 281474976710"));
}

static void a_damaged_stream_ends_what_is_compressed(void **state)
{
	struct pdb p = { 0 };
	struct imported i;

	(void)state;
	usual_compressed(&p, 100, COMPRESSED);
	memset(p.b.p + p.b.n - 200, 0xff, 100);
	i = import_built(&p, false);
	assert_int_equal(i.rc, 1);
	assert_true(i.samples > 0);
	assert_non_null(strstr(i.err.text, "record at offset "));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_first_kind_of_mmap2_keeps_its_path),
		cmocka_unit_test(callers_come_from_branch_records),
		cmocka_unit_test(user_stacks_are_skipped_and_counted),
		cmocka_unit_test(unknown_types_are_skipped_and_told_once_each),
		cmocka_unit_test(large_records_of_simpleperf_are_skipped),
		cmocka_unit_test(hardware_traces_are_skipped_and_told),
		cmocka_unit_test(a_record_of_no_size_ends_the_file),
		cmocka_unit_test(a_section_beyond_the_file_is_told),
		cmocka_unit_test(a_damaged_stream_ends_what_is_compressed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
