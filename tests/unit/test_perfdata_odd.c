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

/* Bit 34 of an attribute; bit 14 of the misc of a mapping. */
#define ASKED (UINT64_C(1) << 34)
#define MISC_BUILD_ID (1 << 14)

/* What stands where a build-id would, 24 bytes. */
static struct imported with_build_id_bit(const uint8_t *there, uint64_t asked)
{
	struct pdb_attr a = usual_events[0];
	struct pdb data = { 0 }, p = { 0 };
	size_t at = pdb_begin(&data, MMAP2, USER | MISC_BUILD_ID);

	a.flags |= asked;
	pdb_pair(&data, 100, 101);
	pdb_u64(&data, 0x400000);
	pdb_u64(&data, 0x6000);
	pdb_u64(&data, 0);
	pdb_bytes(&data, there, 24);
	pdb_pair(&data, 5, 2);
	pdb_room(&data, "/bin/prog", 16);
	usual_trailer(&data, 101, 1000, 0, 11);
	pdb_end(&data, at);
	usual_file_of(&p, &a, 1, &data);
	buf_fini(&data.b);
	return import_built(&p, true);
}

static void a_build_id_that_nobody_asked_for_is_a_device(void **state)
{
	static const uint8_t device[24] = { 0xfe, 0, 0, 0, 0, 0, 0, 0, 0x8d,
					    0x27, 0xb6 };
	static const uint8_t disk[24] = { 8, 0, 0, 0, 1, 0, 0, 0, 0x8d };
	static const uint8_t id[24] = { 20, 0, 0, 0, 0xab, 0xcd };
	static const struct {
		const uint8_t *there;
		uint64_t asked;
		const char *want;
	} cases[] = {
		{ device, 0, "prot 5 id  '/bin/prog'" },
		{ disk, 0, "prot 5 id  '/bin/prog'" },
		{ id, 0, "prot 5 id abcd000000000000000000000000000000000000 "
			 "'/bin/prog'" },
		{ disk, ASKED, "prot 5 id 010000008d000000 '/bin/prog'" },
	};

	(void)state;
	for (size_t k = 0; k < ARRAY_LEN(cases); k++) {
		struct imported i = with_build_id_bit(cases[k].there,
						      cases[k].asked);

		assert_int_equal(i.rc, 0);
		assert_non_null(strstr(i.text, cases[k].want));
		free(i.text);
	}
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

/* Registers 0 and 7, and 8 of 16 bytes of the stack. */
static void put_dump(struct pdb *p)
{
	pdb_u64(p, 2), pdb_u64(p, 7), pdb_u64(p, 8);
	pdb_u64(p, 16), pdb_bytes(p, "memory!\nunused!!", 16);
	pdb_u64(p, 8);
}

static struct pdb_attr dumping(uint64_t sample_type)
{
	struct pdb_attr a = plain_event;

	a.size = 96;
	a.sample_type |= sample_type | REGS_USER | STACK_USER;
	a.regs_user = 0x81;
	return a;
}

#define DUMP " mask 0x81 regs 020000000000000007000000000000000800000000000000" \
	     " stack 6d656d6f7279210a\n"

static void user_registers_and_stacks_are_kept_and_counted(void **state)
{
	const struct pdb_attr dwarf = dumping(0);

	(void)state;
	for (int big = 0; big < 2; big++) {
		struct pdb data = { .big = big }, p = { 0 };
		size_t at = pdb_begin(&data, SAMPLE, USER);
		struct imported i;

		pdb_u64(&data, 0x10);
		pdb_pair(&data, 5, 6);
		pdb_u64(&data, 50);
		put_dump(&data);
		pdb_end(&data, at);
		usual_file_of(&p, &dwarf, 1, &data);
		buf_fini(&data.b);
		i = import_built(&p, true);
		assert_int_equal(i.rc, 0);
		assert_int_equal(i.samples, 1);
		/* Numbers are native, memory is as it was. */
		assert_non_null(strstr(i.text, "dump 0 time 50" DUMP));
		assert_non_null(strstr(i.text,
				       "fact note.user_stacks 1 samples"));
		free(i.text);
	}
}

/* A thread of the kernel has neither; what did not count is no sample. */
static void what_is_no_sample_or_has_no_dump_keeps_none(void **state)
{
	static const uint64_t ids[] = { 1 };
	struct pdb_attr dwarf = dumping(READ);
	struct pdb data = { 0 }, p = { 0 };
	struct imported i;

	(void)state;
	dwarf.ids = ids;
	dwarf.n_ids = 1;
	for (uint64_t k = 0; k < 3; k++) {
		size_t at = pdb_begin(&data, SAMPLE, USER);

		pdb_u64(&data, 0x10);
		pdb_pair(&data, 5, 6);
		pdb_u64(&data, 50 + k);
		pdb_u64(&data, k < 2 ? 100 : 200); /* the counter's value */
		if (k < 2)
			put_dump(&data);
		else
			pdb_u64(&data, 0), pdb_u64(&data, 0);
		pdb_end(&data, at);
	}
	usual_file_of(&p, &dwarf, 1, &data);
	buf_fini(&data.b);
	i = import_built(&p, true);
	assert_int_equal(i.rc, 0);
	assert_int_equal(i.samples, 2);
	assert_non_null(strstr(i.text, "dump 0 time 50" DUMP));
	assert_null(strstr(i.text, "dump 0 time 51"));
	assert_null(strstr(i.text, "dump 0 time 52"));
	assert_non_null(strstr(i.text, "fact note.user_stacks 1 samples"));
	free(i.text);
}

static void registers_at_the_interrupt_are_counted(void **state)
{
	struct pdb_attr intr = plain_event;
	struct pdb data = { 0 }, p = { 0 };
	struct imported i;
	size_t at = pdb_begin(&data, SAMPLE, USER);

	(void)state;
	intr.sample_type |= REGS_INTR;
	pdb_u64(&data, 0x10);
	pdb_pair(&data, 5, 6);
	pdb_u64(&data, 50);
	pdb_u64(&data, 2); /* no register was asked for */
	pdb_end(&data, at);
	usual_file_of(&p, &intr, 1, &data);
	buf_fini(&data.b);
	i = import_built(&p, true);
	assert_int_equal(i.rc, 0);
	assert_int_equal(i.samples, 1);
	assert_null(strstr(i.text, "dump"));
	assert_non_null(strstr(i.text, "fact import.unused_registers of 1 "
				       "samples"));
	free(i.text);
}

/* Pairs of device and inode: network, names of hosts, IPC, pids. */
static void namespaces(struct pdb *p, uint64_t n, uint64_t told)
{
	size_t at = pdb_begin(p, NAMESPACES, 0);

	pdb_pair(p, 100, 101);
	pdb_u64(p, told);
	for (uint64_t i = 0; i < n; i++)
		pdb_u64(p, 4), pdb_u64(p, 4026531000 + i);
	usual_trailer(p, 101, 1000, 0, 11);
	pdb_end(p, at);
}

static void pid_namespaces_and_cgroups_are_told(void **state)
{
	(void)state;
	for (int big = 0; big < 2; big++) {
		struct pdb data = { .big = big }, p = { 0 };
		struct imported i;
		size_t at;

		namespaces(&data, 7, 7);
		namespaces(&data, 2, 2);
		at = pdb_begin(&data, CGROUP, 0);
		pdb_u64(&data, 4711);
		pdb_room(&data, "/system.slice", 16);
		usual_trailer(&data, 101, 1000, 0, 11);
		pdb_end(&data, at);
		usual_sample(&data, 11, 1000, 0, 1);
		usual_file_of(&p, usual_events, 2, &data);
		buf_fini(&data.b);
		i = import_built(&p, true);
		assert_int_equal(i.rc, 0);
		assert_non_null(strstr(i.text, " 100/101 pid ns 4026531003\n"));
		assert_non_null(strstr(i.text, " 100/101 pid ns 0\n"));
		assert_non_null(strstr(i.text, " 4711 '/system.slice'\n"));
		assert_non_null(strstr(i.text, "fact import.unused_records "
					       "NAMESPACES 2 (all but the pid "
					       "namespaces)\n"));
		free(i.text);
	}
}

static void more_namespaces_than_fit_are_a_loss(void **state)
{
	static const uint64_t told[] = { 3, UINT64_MAX, UINT64_C(1) << 60 };

	(void)state;
	for (size_t k = 0; k < ARRAY_LEN(told) * 2; k++) {
		struct pdb data = { .big = k & 1 }, p = { 0 };
		struct imported i;

		namespaces(&data, 2, told[k / 2]);
		usual_sample(&data, 11, 1000, 0, 1);
		usual_file_of(&p, usual_events, 2, &data);
		buf_fini(&data.b);
		i = import_built(&p, true);
		assert_int_equal(i.rc, 1);
		assert_int_equal(i.samples, 1);
		assert_non_null(strstr(i.err.text, "1 records make no sense"));
		free(i.text);
	}
}

/* perf record --all-cgroups. */
static void samples_say_in_which_cgroup_they_were(void **state)
{
	struct pdb_attr a = plain_event;
	struct pdb data = { 0 }, p = { 0 };
	size_t at = pdb_begin(&data, SAMPLE, USER);

	(void)state;
	a.sample_type |= SAMPLE_CGROUP;
	pdb_u64(&data, 0x10);
	pdb_pair(&data, 5, 6);
	pdb_u64(&data, 50);
	pdb_u64(&data, 4711);
	pdb_end(&data, at);
	usual_file_of(&p, &a, 1, &data);
	buf_fini(&data.b);
	assert_imports(&p, "comm 0/0 'swapper'\nevent 0 'cycles' : format 0\n"
			   "sample 0 misc 2 time 50 of 5/6 cpu 0 period 4000 "
			   "ip 0x10 cgroup 4711\n");
}

static void unknown_types_are_skipped_and_told_once_each(void **state)
{
	static const uint32_t types[] = { 40, 40, 200, 40, BPF_EVENT, TEXT_POKE,
					  32769 };
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
	assert_non_null(strstr(i.text, "fact import.unused_records BPF_EVENT "
				       "1, TEXT_POKE 1 (of use to hardware "
				       "traces only)\n"));
	free(i.text);
}

/* -- When something was lost ------------------------------------------------*/

/* A sample that is cut short. */
static void cut_sample(struct pdb *p, uint64_t time)
{
	size_t at = pdb_begin(p, SAMPLE, USER);

	pdb_u64(p, 11);
	pdb_u64(p, 0x401234);
	pdb_pair(p, 100, 101);
	pdb_u64(p, time);
	pdb_end(p, at);
}

static void of_no_event(struct pdb *p)
{
	usual_sample(p, 4711, 77, 0, 1);
}

/* Its losses. */
static void assert_lost(struct pdb *data, int rc, const char *want)
{
	struct pdb p = { 0 };
	struct imported i;
	char got[1024] = "";

	usual_file_of(&p, usual_events, 2, data);
	buf_fini(&data->b);
	i = import_built(&p, true);
	assert_int_equal(i.rc, rc);
	for (const char *line = i.text; *line; line += strcspn(line, "\n") + 1)
		if (!strncmp(line, "lost ", 5))
			strncat(got, line, strcspn(line, "\n") + 1);
	assert_string_equal(got, want);
	free(i.text);
}

#define SENSELESS "lost kind 8 event -1 "

/* The time that they say themselves is not believed. */
static void a_senseless_record_was_before_the_next_one_of_its_ring(void **state)
{
	struct pdb d = { 0 };

	(void)state;
	usual_sample(&d, 11, 1000, 0, 1);
	cut_sample(&d, 9999999);
	usual_sample(&d, 11, 1100, 0, 1);
	usual_sample(&d, 12, 900, 1, 1);
	of_no_event(&d);
	cut_sample(&d, 1);
	usual_sample(&d, 12, 1300, 1, 1);
	usual_words(&d, 4711, 0, NULL, 0, 1000, 11);
	usual_sample(&d, 12, 1400, 1, 1);
	assert_lost(&d, 1, SENSELESS "cpu 0 time 1100 count 1\n"
			   SENSELESS "cpu 1 time 1300 count 2\n"
			   SENSELESS "cpu 1 time 1400 count 1\n");
}

static void at_the_edge_of_a_ring_nobody_knows_when_it_was(void **state)
{
	struct pdb d = { 0 };

	(void)state;
	of_no_event(&d); /* ahead of all */
	usual_sample(&d, 11, 1000, 0, 1);
	of_no_event(&d); /* of either CPU */
	usual_sample(&d, 12, 900, 1, 1);
	of_no_event(&d);
	pdb_end(&d, pdb_begin(&d, ROUND, 0));
	usual_sample(&d, 12, 1300, 1, 1);
	of_no_event(&d); /* behind all */
	assert_lost(&d, 1, SENSELESS "cpu -1 time 0 count 1\n"
			   SENSELESS "cpu -1 time 0 count 1\n"
			   SENSELESS "cpu -1 time 0 count 1\n"
			   SENSELESS "cpu -1 time 0 count 1\n");
}

static void of_a_file_that_is_cut_the_end_of_each_cpu_is_missing(void **state)
{
	struct pdb d = { 0 };

	(void)state;
	usual_sample(&d, 11, 1200, 0, 1);
	usual_sample(&d, 12, 1100, 3, 1);
	pdb_u64(&d, SAMPLE); /* of no size */
	assert_lost(&d, 1, SENSELESS "cpu 0 time 1200 count 0\n"
			   SENSELESS "cpu 3 time 1200 count 0\n");
}

static void lost(struct pdb *p, uint32_t type, uint64_t id, uint64_t count,
		 uint64_t time)
{
	const uint64_t words[] = { id, count };

	if (type == LOST)
		usual_words(p, type, 0, words, 2, time, id);
	else
		usual_words(p, type, 0, words + 1, 1, time, id);
}

/* Both are of CPU 1. LOST tells it of all events of its ring at once, with a time; LOST_SAMPLES of
 * each event, at the end. */
static void what_rings_lost_is_dated_as_far_as_it_is_told(void **state)
{
	struct pdb d = { 0 };

	(void)state;
	usual_sample(&d, 11, 1000, 0, 1);
	lost(&d, LOST, 11, 5, 1050);
	usual_sample(&d, 11, 1100, 0, 1);
	lost(&d, LOST_SAMPLES, 11, 2, 1200);
	lost(&d, LOST_SAMPLES, 21, 3, 1200);
	assert_lost(&d, 0, "lost kind 1 event 0 cpu 1 time 1050 count 5\n"
			   "lost kind 1 event 1 cpu 1 time 1050 count 3\n");
	d = (struct pdb){ 0 };
	usual_sample(&d, 11, 1000, 0, 1);
	lost(&d, LOST, 11, 5, 1050);
	lost(&d, LOST_SAMPLES, 11, 6, 1200);
	assert_lost(&d, 0, "lost kind 1 event 0 cpu 1 time 1050 count 5\n"
			   "lost kind 1 event 0 cpu -1 time 0 count 1\n");
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
		cmocka_unit_test(a_build_id_that_nobody_asked_for_is_a_device),
		cmocka_unit_test(callers_come_from_branch_records),
		cmocka_unit_test(
			user_registers_and_stacks_are_kept_and_counted),
		cmocka_unit_test(what_is_no_sample_or_has_no_dump_keeps_none),
		cmocka_unit_test(registers_at_the_interrupt_are_counted),
		cmocka_unit_test(pid_namespaces_and_cgroups_are_told),
		cmocka_unit_test(more_namespaces_than_fit_are_a_loss),
		cmocka_unit_test(samples_say_in_which_cgroup_they_were),
		cmocka_unit_test(
			a_senseless_record_was_before_the_next_one_of_its_ring),
		cmocka_unit_test(
			at_the_edge_of_a_ring_nobody_knows_when_it_was),
		cmocka_unit_test(
			of_a_file_that_is_cut_the_end_of_each_cpu_is_missing),
		cmocka_unit_test(what_rings_lost_is_dated_as_far_as_it_is_told),
		cmocka_unit_test(unknown_types_are_skipped_and_told_once_each),
		cmocka_unit_test(large_records_of_simpleperf_are_skipped),
		cmocka_unit_test(hardware_traces_are_skipped_and_told),
		cmocka_unit_test(a_record_of_no_size_ends_the_file),
		cmocka_unit_test(a_section_beyond_the_file_is_told),
		cmocka_unit_test(a_damaged_stream_ends_what_is_compressed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
