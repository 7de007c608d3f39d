#include "record/perf/decode.h"

#include "format/base/mem.h"

#include <linux/perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

/* Records are written down byte by byte from the layouts in
 * perf_event_open(2) and linux/perf_event.h. */
#define U8(v) ((uint8_t)((v) & 255))
#define U16(v) U8(v), U8((v) >> 8)
#define U32(v) U16(v), U16((v) >> 16)
#define U64(v) U32((uint64_t)(v)), U32((uint64_t)(v) >> 32)
#define HEAD(type, misc, size) U32(type), U16(misc), U16(size)

#define PLAIN                                                                  \
	(PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID |           \
	 PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD)

static const struct rec_layout plain = { .sample_type = PLAIN,
					 .sample_id_all = true };

static const uint8_t plain_sample[] = {
	HEAD(9, 2, 56),
	U64(0x1122334455667788), /* identifier */
	U64(0x00007f0123456789), /* ip */
	U32(1000), U32(1001),    /* pid, tid */
	U64(123456789012345),    /* time */
	U32(3), U32(0),          /* cpu, reserved */
	U64(250000),             /* period */
};

static const struct rec_layout chained = {
	.sample_type = PLAIN | PERF_SAMPLE_CALLCHAIN, .sample_id_all = true };

static const uint8_t chained_sample[] = {
	HEAD(9, 1, 96),
	U64(7), U64(0xffffffff81000010), U32(1), U32(2), U64(50), U32(0),
	U32(0), U64(1),
	U64(4), /* n */
	U64(0xffffffffffffff80), U64(0xffffffff81000010), /* kernel */
	U64(0xfffffffffffffe00), U64(0x401000),           /* user */
};

/* Every part that exists, in one sample. */
static const struct rec_layout everything = {
	.sample_type = (1u << 25) - 1 - PERF_SAMPLE_WEIGHT_STRUCT,
	.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED |
		       PERF_FORMAT_TOTAL_TIME_RUNNING | PERF_FORMAT_ID |
		       PERF_FORMAT_GROUP | PERF_FORMAT_LOST,
	.branch_type = PERF_SAMPLE_BRANCH_HW_INDEX | 1u << 19,
	.regs_user = 0x81, /* two registers */
	.regs_intr = 0x10, /* one */
	.sample_id_all = true,
};

static const uint8_t full_sample[] = {
	HEAD(9, 2, 448),
	U64(11),         /* identifier */
	U64(12),         /* ip */
	U32(13), U32(14), /* pid, tid */
	U64(15),         /* time */
	U64(16),         /* addr */
	U64(17),         /* id */
	U64(18),         /* stream id */
	U32(19), U32(0), /* cpu */
	U64(20),         /* period: ends at 80 */
	U64(2), U64(100), U64(90),        /* nr, enabled, running */
	U64(1), U64(17), U64(0),          /* value, id, lost */
	U64(2), U64(27), U64(5),          /* ends at 152 */
	U64(2), U64(21), U64(22),         /* chain: ends at 176 */
	U32(12), 'p', 'a', 'y', 'l', 'o', 'a', 'd', '.', 0, 0, 0, 0,
					  /* raw: ends at 192 */
	U64(2), U64(99),                  /* branches, hw index */
	U64(31), U64(32), U64(33),        /* from, to, flags */
	U64(34), U64(35), U64(36),
	U64(0), U64(0),                   /* counters: ends at 272 */
	U64(2), U64(41), U64(42),         /* ABI 64, registers: 296 */
	U64(16), U64(51), U64(52), U64(8), /* stack, 8 filled: 328 */
	U64(61),                          /* weight */
	U64(62),                          /* data source */
	U64(63),                          /* transaction */
	U64(1), U64(71),                  /* ABI 32, one register: 368 */
	U64(81),                          /* physical address */
	U64(82),                          /* cgroup */
	U64(83),                          /* data page size */
	U64(84),                          /* code page size: 400 */
	U64(40), U64(0), U64(0), U64(0), U64(0), U64(0), /* aux: 448 */
};

/* What stands at the end of other records of such an event. */
#define TRAILER                                                                \
	U32(1000), U32(1001), U64(77000), U32(1), U32(0), U64(5)

static const struct rec_layout side = {
	.sample_type = PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID |
		       PERF_SAMPLE_TIME | PERF_SAMPLE_CPU,
	.sample_id_all = true,
};

static const uint8_t mmap_record[] = {
	HEAD(1, 2, 80),
	U32(1000), U32(1001), U64(0x400000), U64(0x2000), U64(0x1000),
	'/', 'a', 0, 0, 0, 0, 0, 0,
	TRAILER,
};

static const uint8_t mmap2_record[] = {
	HEAD(10, 2, 112),
	U32(1000), U32(1001), U64(0x400000), U64(0x2000), U64(0x1000),
	U32(8), U32(1), U64(131072), U64(9), /* device, inode, generation */
	U32(5), U32(2),                      /* prot, flags */
	'/', 'b', 'i', 'n', '/', 'l', 's', 0,
	TRAILER,
};

static const uint8_t mmap2_build_id_record[] = {
	HEAD(10, 0x4002, 112),
	U32(1000), U32(1001), U64(0x400000), U64(0x2000), U64(0x1000),
	20, 0, U16(0), 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16,
	17, 18, 19, 20,
	U32(5), U32(2),
	'/', 'b', 'i', 'n', '/', 'l', 's', 0,
	TRAILER,
};

static const uint8_t comm_record[] = {
	HEAD(3, 0x2000, 56),
	U32(1000), U32(1002), 'a', ' ', 'b', 0, 0, 0, 0, 0,
	TRAILER,
};

static const uint8_t fork_record[] = {
	HEAD(7, 0, 64),
	U32(2000), U32(1000), U32(2001), U32(1001), U64(76999),
	TRAILER,
};

static const uint8_t exit_record[] = {
	HEAD(4, 0, 64),
	U32(2000), U32(1000), U32(2001), U32(1001), U64(76999),
	TRAILER,
};

static const uint8_t lost_record[] = {
	HEAD(2, 0, 56), U64(5), U64(321), TRAILER,
};

static const uint8_t lost_samples_record[] = {
	HEAD(13, 0, 48), U64(21), TRAILER,
};

static const uint8_t throttle_record[] = {
	HEAD(5, 0, 64), U64(76000), U64(5), U64(6), TRAILER,
};

static const uint8_t ksymbol_record[] = {
	HEAD(17, 0, 64),
	U64(0xffffffffc0000000), U32(333), U16(1), U16(1),
	'b', 'p', 'f', '_', 'x', 0, 0, 0,
	TRAILER,
};

static const uint8_t namespaces_record[] = {
	HEAD(16, 0, 136),
	U32(1000), U32(1001), U64(5), /* pairs of device and inode */
	U64(4), U64(101), U64(4), U64(102), U64(4), U64(103),
	U64(4), U64(4026531836), U64(4), U64(105), /* the fourth: pids */
	TRAILER,
};

static const uint8_t cgroup_record[] = {
	HEAD(19, 0, 56), U64(4711), '/', 'a', '/', 'b', 0, 0, 0, 0, TRAILER,
};

static const uint8_t switch_record[] = {
	HEAD(14, 0x2000, 40), TRAILER,
};

static const uint8_t switch_cpu_record[] = {
	HEAD(15, 0x6000, 48), U32(10), U32(11), TRAILER,
};

static const struct good {
	const struct rec_layout *layout;
	const uint8_t *p;
	size_t n;
} goods[] = {
	{ &plain, plain_sample, sizeof(plain_sample) },
	{ &chained, chained_sample, sizeof(chained_sample) },
	{ &everything, full_sample, sizeof(full_sample) },
	{ &side, mmap_record, sizeof(mmap_record) },
	{ &side, mmap2_record, sizeof(mmap2_record) },
	{ &side, mmap2_build_id_record, sizeof(mmap2_build_id_record) },
	{ &side, comm_record, sizeof(comm_record) },
	{ &side, fork_record, sizeof(fork_record) },
	{ &side, exit_record, sizeof(exit_record) },
	{ &side, lost_record, sizeof(lost_record) },
	{ &side, lost_samples_record, sizeof(lost_samples_record) },
	{ &side, throttle_record, sizeof(throttle_record) },
	{ &side, ksymbol_record, sizeof(ksymbol_record) },
	{ &side, namespaces_record, sizeof(namespaces_record) },
	{ &side, cgroup_record, sizeof(cgroup_record) },
	{ &side, switch_record, sizeof(switch_record) },
	{ &side, switch_cpu_record, sizeof(switch_cpu_record) },
};

static void decode_good(const struct rec_layout *l, const uint8_t *p, size_t n,
			struct rec_record *out)
{
	struct err err = { 0 };

	if (rec_decode(l, span_of(p, n), out, &err))
		fail_msg("%s", err.text);
}

#define DECODE(layout, bytes, out) decode_good(layout, bytes, sizeof(bytes), out)

/* Tries a record in memory of exactly its size, its header made to agree, so
 * that a read beyond the end is found. */
static int decode_copy(const struct rec_layout *l, const uint8_t *p, size_t n,
		       struct err *err)
{
	uint8_t *copy = malloc(n ? n : 1);
	struct rec_record out;
	int rc;

	assert_non_null(copy);
	memcpy(copy, p, n);
	if (n >= 8) {
		copy[6] = U8(n);
		copy[7] = U8(n >> 8);
	}
	rc = rec_decode(l, span_of(copy, n), &out, err);
	(void)rec_decode_time(l, span_of(copy, n));
	if (!rc && out.type == PERF_RECORD_SAMPLE && out.sample.n_chain)
		(void)rec_chain_word(&out.sample, out.sample.n_chain - 1);
	free(copy);
	return rc;
}

static void assert_bytes(struct span s, const void *p, size_t n)
{
	assert_int_equal(s.n, n);
	assert_memory_equal(s.p, p, n);
}

static void a_plain_sample_gives_its_fields(void **state)
{
	struct rec_record r;

	(void)state;
	DECODE(&plain, plain_sample, &r);
	assert_int_equal(r.type, PERF_RECORD_SAMPLE);
	assert_int_equal(r.misc, 2);
	assert_int_equal(r.ids.id, 0x1122334455667788);
	assert_int_equal(r.sample.ip, 0x00007f0123456789);
	assert_int_equal(r.ids.pid, 1000);
	assert_int_equal(r.ids.tid, 1001);
	assert_int_equal(r.ids.time, 123456789012345);
	assert_int_equal(r.ids.cpu, 3);
	assert_int_equal(r.sample.period, 250000);
	assert_int_equal(r.sample.n_chain, 0);
}

static void a_chain_gives_its_words(void **state)
{
	static const uint64_t words[] = { 0xffffffffffffff80,
					  0xffffffff81000010,
					  0xfffffffffffffe00, 0x401000 };
	struct rec_record r;

	(void)state;
	DECODE(&chained, chained_sample, &r);
	assert_int_equal(r.sample.n_chain, 4);
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(rec_chain_word(&r.sample, i), words[i]);
}

static void every_part_stands_where_the_kernel_puts_it(void **state)
{
	struct rec_record r;

	(void)state;
	DECODE(&everything, full_sample, &r);
	assert_int_equal(r.sample.ip, 12);
	assert_int_equal(r.ids.pid, 13);
	assert_int_equal(r.ids.tid, 14);
	assert_int_equal(r.ids.time, 15);
	assert_int_equal(r.sample.addr, 16);
	assert_int_equal(r.ids.id, 17);
	assert_int_equal(r.ids.stream_id, 18);
	assert_int_equal(r.ids.cpu, 19);
	assert_int_equal(r.sample.period, 20);
	assert_bytes(r.sample.read, full_sample + 80, 72);
	assert_int_equal(rec_chain_word(&r.sample, 1), 22);
	assert_bytes(r.sample.raw, "payload.\0\0\0", 12);
	assert_bytes(r.sample.branches, full_sample + 208, 48);
	assert_bytes(r.sample.user_regs, full_sample + 272, 24);
	assert_bytes(r.sample.user_stack, full_sample + 304, 8);
	assert_int_equal(r.sample.cgroup, 82);
}

static void a_task_without_user_registers_has_only_the_abi_word(void **state)
{
	static const struct rec_layout l = {
		.sample_type = PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER,
		.regs_user = 0xffffff };
	static const uint8_t bytes[] = { HEAD(9, 1, 24), U64(0), U64(0) };
	struct rec_record r;

	(void)state;
	DECODE(&l, bytes, &r);
	assert_int_equal(r.sample.user_regs.n, 8);
	assert_int_equal(r.sample.user_stack.n, 0);
}

static void a_read_without_group_has_its_words(void **state)
{
	static const struct rec_layout l = {
		.sample_type = PERF_SAMPLE_READ | PERF_SAMPLE_CALLCHAIN,
		.read_format = PERF_FORMAT_ID | PERF_FORMAT_LOST };
	static const uint8_t bytes[] = { HEAD(9, 1, 48), U64(1), U64(2),
					 U64(3), U64(1), U64(0x55) };
	struct rec_record r;

	(void)state;
	DECODE(&l, bytes, &r);
	assert_int_equal(r.sample.read.n, 24);
	assert_int_equal(rec_chain_word(&r.sample, 0), 0x55);
}

static void a_mapping_without_build_id_gives_device_and_inode(void **state)
{
	struct rec_record r;

	(void)state;
	DECODE(&side, mmap2_record, &r);
	assert_int_equal(r.mmap.pid, 1000);
	assert_int_equal(r.mmap.tid, 1001);
	assert_int_equal(r.mmap.start, 0x400000);
	assert_int_equal(r.mmap.size, 0x2000);
	assert_int_equal(r.mmap.offset, 0x1000);
	assert_int_equal(r.mmap.major, 8);
	assert_int_equal(r.mmap.minor, 1);
	assert_int_equal(r.mmap.inode, 131072);
	assert_int_equal(r.mmap.inode_generation, 9);
	assert_int_equal(r.mmap.build_id_size, 0);
	assert_int_equal(r.mmap.prot, 5);
	assert_int_equal(r.mmap.flags, 2);
	assert_bytes(r.mmap.path, "/bin/ls", 7);
}

static void a_mapping_with_build_id_gives_it(void **state)
{
	struct rec_record r;

	(void)state;
	DECODE(&side, mmap2_build_id_record, &r);
	assert_int_equal(r.mmap.build_id_size, 20);
	assert_int_equal(r.mmap.build_id[0], 1);
	assert_int_equal(r.mmap.build_id[19], 20);
	assert_int_equal(r.mmap.inode, 0);
	assert_bytes(r.mmap.path, "/bin/ls", 7);
}

static void a_build_id_that_claims_too_many_bytes_is_refused(void **state)
{
	uint8_t bytes[sizeof(mmap2_build_id_record)];
	struct err err = { 0 };

	(void)state;
	memcpy(bytes, mmap2_build_id_record, sizeof(bytes));
	bytes[40] = 21;
	assert_int_equal(decode_copy(&side, bytes, sizeof(bytes), &err),
			 ERR_FORMAT);
}

static void an_old_mapping_is_executable_unless_it_says_data(void **state)
{
	uint8_t bytes[sizeof(mmap_record)];
	struct rec_record r;

	(void)state;
	DECODE(&side, mmap_record, &r);
	assert_int_equal(r.mmap.prot, PROT_EXEC);
	assert_bytes(r.mmap.path, "/a", 2);
	memcpy(bytes, mmap_record, sizeof(bytes));
	bytes[5] = 0x20;
	DECODE(&side, bytes, &r);
	assert_int_equal(r.mmap.prot, 0);
}

static void a_comm_tells_whether_it_came_by_exec(void **state)
{
	uint8_t bytes[sizeof(comm_record)];
	struct rec_record r;

	(void)state;
	DECODE(&side, comm_record, &r);
	assert_int_equal(r.comm.pid, 1000);
	assert_int_equal(r.comm.tid, 1002);
	assert_true(r.comm.exec);
	assert_bytes(r.comm.name, "a b", 3);
	memcpy(bytes, comm_record, sizeof(bytes));
	bytes[5] = 0;
	DECODE(&side, bytes, &r);
	assert_false(r.comm.exec);
}

static void a_fork_names_the_child_and_its_parent(void **state)
{
	struct rec_record r;

	(void)state;
	DECODE(&side, fork_record, &r);
	assert_int_equal(r.type, PERF_RECORD_FORK);
	assert_int_equal(r.task.pid, 2000);
	assert_int_equal(r.task.parent_pid, 1000);
	assert_int_equal(r.task.tid, 2001);
	assert_int_equal(r.task.parent_tid, 1001);
	assert_int_equal(r.ids.pid, 1000);
	assert_int_equal(r.ids.time, 77000);
}

static void losses_give_their_counts(void **state)
{
	struct rec_record r;

	(void)state;
	DECODE(&side, lost_record, &r);
	assert_int_equal(r.lost.id, 5);
	assert_int_equal(r.lost.count, 321);
	DECODE(&side, lost_samples_record, &r);
	assert_int_equal(r.lost.id, 0);
	assert_int_equal(r.lost.count, 21);
}

static void a_ksymbol_gives_its_range_and_name(void **state)
{
	struct rec_record r;

	(void)state;
	DECODE(&side, ksymbol_record, &r);
	assert_int_equal(r.ksymbol.address, 0xffffffffc0000000);
	assert_int_equal(r.ksymbol.size, 333);
	assert_int_equal(r.ksymbol.type, PERF_RECORD_KSYMBOL_TYPE_BPF);
	assert_int_equal(r.ksymbol.flags,
			 PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER);
	assert_bytes(r.ksymbol.name, "bpf_x", 5);
}

static void of_namespaces_that_of_pids_is_taken(void **state)
{
	struct rec_record r;

	(void)state;
	DECODE(&side, namespaces_record, &r);
	assert_int_equal(r.namespaces.pid, 1000);
	assert_int_equal(r.namespaces.tid, 1001);
	assert_int_equal(r.namespaces.pid_ns, 4026531836);
	assert_int_equal(r.ids.time, 77000);
}

static void a_cgroup_gives_its_id_and_path(void **state)
{
	struct rec_record r;

	(void)state;
	DECODE(&side, cgroup_record, &r);
	assert_int_equal(r.cgroup.id, 4711);
	assert_bytes(r.cgroup.path, "/a/b", 4);
}

static void switches_tell_direction_and_the_other_side(void **state)
{
	struct rec_record r;

	(void)state;
	DECODE(&side, switch_record, &r);
	assert_true(r.cswitch.out);
	assert_false(r.cswitch.preempt);
	assert_int_equal(r.cswitch.other_pid, -1);
	DECODE(&side, switch_cpu_record, &r);
	assert_true(r.cswitch.out);
	assert_true(r.cswitch.preempt);
	assert_int_equal(r.cswitch.other_pid, 10);
	assert_int_equal(r.cswitch.other_tid, 11);
}

static void the_trailer_is_read_from_the_end(void **state)
{
	static const struct rec_layout l = {
		.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME |
			       PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID |
			       PERF_SAMPLE_CPU | PERF_SAMPLE_IDENTIFIER |
			       PERF_SAMPLE_IP | PERF_SAMPLE_PERIOD,
		.sample_id_all = true };
	static const uint8_t bytes[] = {
		HEAD(2, 0, 72), U64(1), U64(2),
		U32(3), U32(4), U64(5), U64(6), U64(7), U32(8), U32(0), U64(6),
	};
	struct rec_record r;

	(void)state;
	DECODE(&l, bytes, &r);
	assert_int_equal(r.ids.pid, 3);
	assert_int_equal(r.ids.tid, 4);
	assert_int_equal(r.ids.time, 5);
	assert_int_equal(r.ids.id, 6);
	assert_int_equal(r.ids.stream_id, 7);
	assert_int_equal(r.ids.cpu, 8);
	assert_int_equal(r.lost.count, 2);
}

static void without_a_trailer_the_body_gives_the_ids(void **state)
{
	static const struct rec_layout l = { .sample_type = PLAIN };
	static const uint8_t fork[] = {
		HEAD(7, 0, 32), U32(20), U32(10), U32(21), U32(11), U64(99) };
	static const uint8_t throttle[] = {
		HEAD(5, 0, 32), U64(98), U64(5), U64(6) };
	struct rec_record r;

	(void)state;
	DECODE(&l, fork, &r);
	assert_int_equal(r.ids.pid, 20);
	assert_int_equal(r.ids.tid, 21);
	assert_int_equal(r.ids.time, 99);
	assert_int_equal(rec_decode_time(&l, span_of(fork, sizeof(fork))), 99);
	DECODE(&l, throttle, &r);
	assert_int_equal(r.ids.time, 98);
	assert_int_equal(r.ids.id, 5);
	assert_int_equal(r.ids.stream_id, 6);
}

static void ids_that_a_layout_lacks_are_not_those_of_a_task(void **state)
{
	static const struct rec_layout l = { .sample_type = PERF_SAMPLE_IP };
	static const uint8_t bytes[] = { HEAD(9, 1, 16), U64(1) };
	struct rec_record r;

	(void)state;
	DECODE(&l, bytes, &r);
	assert_int_equal(r.ids.pid, -1);
	assert_int_equal(r.ids.tid, -1);
	assert_int_equal(r.ids.time, 0);
}

static void an_unknown_type_is_no_error(void **state)
{
	static const uint8_t kernel[] = { HEAD(63, 0, 48), U64(1), TRAILER };
	static const uint8_t tool[] = { HEAD(68, 0, 8) };
	struct rec_record r;

	(void)state;
	DECODE(&side, kernel, &r);
	assert_int_equal(r.type, 63);
	assert_int_equal(r.ids.time, 77000);
	DECODE(&side, tool, &r);
	assert_int_equal(r.type, 68);
}

static void parts_of_newer_kernels_are_left_alone(void **state)
{
	static const struct rec_layout l = {
		.sample_type = PERF_SAMPLE_IP | 1u << 27 };
	static const uint8_t bytes[] = { HEAD(9, 1, 32), U64(1), U64(2),
					 U64(3) };
	struct rec_record r;

	(void)state;
	DECODE(&l, bytes, &r);
	assert_int_equal(r.sample.ip, 1);
}

static void a_sample_with_bytes_left_over_is_refused(void **state)
{
	uint8_t bytes[sizeof(plain_sample) + 8] = { 0 };
	struct err err = { 0 };

	(void)state;
	memcpy(bytes, plain_sample, sizeof(plain_sample));
	assert_int_equal(decode_copy(&plain, bytes, sizeof(bytes), &err),
			 ERR_FORMAT);
}

static void a_size_that_is_not_the_records_is_refused(void **state)
{
	struct rec_record r;
	struct err err = { 0 };

	(void)state;
	assert_int_equal(rec_decode(&plain,
				    span_of(plain_sample,
					    sizeof(plain_sample) - 8),
				    &r, &err), ERR_FORMAT);
}

static void the_time_alone_is_that_of_the_whole(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(goods); i++) {
		const struct good *g = &goods[i];
		struct rec_record r;

		decode_good(g->layout, g->p, g->n, &r);
		assert_int_equal(rec_decode_time(g->layout,
						 span_of(g->p, g->n)),
				 r.ids.time);
	}
}

static void every_prefix_is_refused(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(goods); i++)
		for (size_t n = 0; n < goods[i].n; n++) {
			const struct good *g = &goods[i];
			struct err err = { 0 };

			assert_int_equal(decode_copy(g->layout, g->p, n, &err),
					 ERR_FORMAT);
			assert_int_equal(err.code, ERR_FORMAT);
		}
}

static void a_flipped_bit_is_never_read_past_the_end(void **state)
{
	uint8_t bytes[sizeof(full_sample)];

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(goods); i++)
		for (size_t bit = 0; bit < goods[i].n * 8; bit++) {
			const struct good *g = &goods[i];
			int rc;

			memcpy(bytes, g->p, g->n);
			bytes[bit / 8] ^= U8(1u << bit % 8);
			rc = decode_copy(g->layout, bytes, g->n, NULL);
			assert_true(!rc || rc == ERR_FORMAT);
		}
}

/* Counts whose product with their item's size is small again. */
static void counts_that_overflow_are_refused(void **state)
{
	static const size_t counts_at[] = { 80, 152, 192, 296, 400 };
	static const uint64_t counts[] = { UINT64_MAX, UINT64_C(1) << 61,
					   UINT64_C(1) << 63,
					   UINT64_C(0xaaaaaaaaaaaaaab) };
	uint8_t bytes[sizeof(full_sample)];

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(counts_at); i++)
		for (size_t j = 0; j < ARRAY_LEN(counts); j++) {
			uint8_t word[] = { U64(counts[j]) };

			memcpy(bytes, full_sample, sizeof(bytes));
			memcpy(bytes + counts_at[i], word, sizeof(word));
			assert_int_equal(decode_copy(&everything, bytes,
						     sizeof(bytes), NULL),
					 ERR_FORMAT);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_plain_sample_gives_its_fields),
		cmocka_unit_test(a_chain_gives_its_words),
		cmocka_unit_test(every_part_stands_where_the_kernel_puts_it),
		cmocka_unit_test(
			a_task_without_user_registers_has_only_the_abi_word),
		cmocka_unit_test(a_read_without_group_has_its_words),
		cmocka_unit_test(
			a_mapping_without_build_id_gives_device_and_inode),
		cmocka_unit_test(a_mapping_with_build_id_gives_it),
		cmocka_unit_test(
			a_build_id_that_claims_too_many_bytes_is_refused),
		cmocka_unit_test(
			an_old_mapping_is_executable_unless_it_says_data),
		cmocka_unit_test(a_comm_tells_whether_it_came_by_exec),
		cmocka_unit_test(a_fork_names_the_child_and_its_parent),
		cmocka_unit_test(losses_give_their_counts),
		cmocka_unit_test(a_ksymbol_gives_its_range_and_name),
		cmocka_unit_test(of_namespaces_that_of_pids_is_taken),
		cmocka_unit_test(a_cgroup_gives_its_id_and_path),
		cmocka_unit_test(switches_tell_direction_and_the_other_side),
		cmocka_unit_test(the_trailer_is_read_from_the_end),
		cmocka_unit_test(without_a_trailer_the_body_gives_the_ids),
		cmocka_unit_test(
			ids_that_a_layout_lacks_are_not_those_of_a_task),
		cmocka_unit_test(an_unknown_type_is_no_error),
		cmocka_unit_test(parts_of_newer_kernels_are_left_alone),
		cmocka_unit_test(a_sample_with_bytes_left_over_is_refused),
		cmocka_unit_test(a_size_that_is_not_the_records_is_refused),
		cmocka_unit_test(the_time_alone_is_that_of_the_whole),
		cmocka_unit_test(every_prefix_is_refused),
		cmocka_unit_test(a_flipped_bit_is_never_read_past_the_end),
		cmocka_unit_test(counts_that_overflow_are_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
