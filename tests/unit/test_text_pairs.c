#include "record/import/text/pairs.h"

#include "format/base/mem.h"
#include "format/catalog.h"
#include "record/import/text/shape.h"
#include "record/tracepoint/format.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static struct span text(const char *s)
{
	return span_of(s, strlen(s));
}

/* "key=value|key=value" */
static void check(const char *event, const char *payload, const char *want)
{
	struct rec_text_pair pairs[REC_TEXT_PAIRS_MAX];
	size_t n = rec_text_pairs(text(event), text(payload), pairs);
	char got[1024] = "";
	size_t at = 0;

	for (size_t i = 0; i < n; i++)
		at += (size_t)snprintf(got + at, sizeof(got) - at, "%s%.*s=%.*s",
				       i ? "|" : "", (int)pairs[i].key.n,
				       (const char *)pairs[i].key.p,
				       (int)pairs[i].value.n,
				       (const char *)pairs[i].value.p);
	assert_string_equal(got, want);
}

static void a_value_goes_up_to_the_next_key(void **state)
{
	(void)state;
	check("sched_switch", "prev_comm=Web Content prev_pid=5 prev_prio=120 "
	      "prev_state=R+ ==> next_comm=a=b next_pid=7 next_prio=120",
	      "prev_comm=Web Content|prev_pid=5|prev_prio=120|prev_state=R+|"
	      "next_comm=a=b|next_pid=7|next_prio=120");
	check("drm_vblank_event", "crtc=1, seq=155747, time=2571916093743, "
	      "high-prec=true",
	      "crtc=1|seq=155747|time=2571916093743|high-prec=true");
	check("x", "file=00000000245c3f0c, pid=    1165, crtcs={0x1}",
	      "file=00000000245c3f0c|pid=1165|crtcs={0x1}");
	check("softirq_raise", "vec=9 [action=RCU]", "vec=9|action=RCU");
	check("x", "a=f(1, 2) (b=[3] c={4}}) d=(e)", "a=f(1, 2)|b=[3]|c={4}|"
	      "d=(e)");
	check("x", "flags=GFP_KERNEL|GFP_ZERO a= b=", "flags=GFP_KERNEL|"
	      "GFP_ZERO|a=|b=");
}

static void what_is_no_key_is_part_of_a_value(void **state)
{
	(void)state;
	check("x", "no pairs here", "");
	check("x", "==> = =a 5=6", "");
	check("x", "a=b==c", "a=b==c");
	check("x", "", "");
}

static void numbers_behind_colons_are_pairs_too(void **state)
{
	(void)state;
	check("sys_enter_openat", "dfd: 0xffffff9c, filename: 0x7f0012, "
	      "flags: 0x0", "dfd=0xffffff9c|filename=0x7f0012|flags=0x0");
	check("amdgpu_iv", "ih:0 client_id:27 src_id:1",
	      "ih=0|client_id=27|src_id=1");
	check("x", "see: nothing: 5a", "nothing=5a");
}

/* The texts are those of the print formats in the kernel's sources. */
static void known_layouts_give_the_kernels_names(void **state)
{
	(void)state;
	check("sched_switch", "swapper/0:0 [120] R ==> a:b c:1234 [98]",
	      "prev_comm=swapper/0|prev_pid=0|prev_prio=120|prev_state=R|"
	      "next_comm=a:b c|next_pid=1234|next_prio=98");
	check("sched_wakeup", "bash:12 [120] CPU:003",
	      "comm=bash|pid=12|prio=120|target_cpu=003");
	check("sys_enter", "NR 1 (1, 7ffd, c, 0, 0, 0)", "id=1");
	check("sys_exit", "NR 1 = -11", "id=1|ret=-11");
	check("drm_sched_job", "entity=00000000a1b2c3d4, id=7, "
	      "fence=00000000a1b2c3d5, ring=gfx, job count:2, hw job count:1",
	      "entity=00000000a1b2c3d4|id=7|fence=00000000a1b2c3d5|name=gfx|"
	      "job_count=2|hw_job_count=1");
	check("drm_sched_process_job", "fence=00000000a1b2c3d5 signaled",
	      "fence=00000000a1b2c3d5");
	check("drm_sched_job_run", "dev=0000:03:00.0, fence=12:34, "
	      "ring=gfx_0.0.0, job count:2, hw job count:1, client_id:9",
	      "dev=0000:03:00.0|fence_context=12|fence_seqno=34|"
	      "name=gfx_0.0.0|job_count=2|hw_job_count=1|client_id=9");
	check("drm_sched_job_done", "fence=12:34 signaled",
	      "fence_context=12|fence_seqno=34");
	check("amdgpu_sched_run_job", "sched_job=1, timeline=gfx, context=2, "
	      "seqno=3, ring_name=gfx, num_ibs=4",
	      "sched_job_id=1|timeline=gfx|context=2|seqno=3|ring=gfx|"
	      "num_ibs=4");
	check("i915_request_add", "dev=0, engine=0:1, ctx=5, seqno=6, tail=7",
	      "dev=0|class=0|instance=1|ctx=5|seqno=6|tail=7");
	check("intel_gpu_freq_change", "new_freq=300", "freq=300");
	check("virtio_gpu_cmd_queue", "vdev=0 vq=0 name=control type=0x102 "
	      "flags=0x1 fence_id=5 ctx_id=0", "dev=0|vq=0|name=control|"
	      "type=0x102|flags=0x1|fence_id=5|ctx_id=0");
}

static void more_pairs_than_the_limit_are_left_out(void **state)
{
	struct rec_text_pair pairs[REC_TEXT_PAIRS_MAX];
	char many[1200] = "";
	size_t at = 0;

	(void)state;
	for (int i = 0; i < 100; i++)
		at += (size_t)snprintf(many + at, sizeof(many) - at,
				       "k%d=%d ", i, i);
	assert_int_equal(rec_text_pairs(text("x"), text(many), pairs),
			 REC_TEXT_PAIRS_MAX);
}

/* -- Format files and records ---------------------------------------------- */

struct made {
	struct rec_text_shape shape;
	struct buf format, raw;
	struct rec_tracepoint *t;
	uint64_t misfits;
};

static void make(struct made *m, const char *system, const char *name,
		 const char *first)
{
	*m = (struct made){ 0 };
	rec_text_shape_make(&m->shape, text(system), text(name), 7, text(first),
			    &m->format);
	assert_false(buf_failed(&m->format));
	assert_int_equal(rec_tracepoint_new(&m->t, system, name,
					    span_of(m->format.p, m->format.n),
					    256, NULL), 0);
}

static void done(struct made *m)
{
	buf_fini(&m->format);
	buf_fini(&m->raw);
	rec_tracepoint_free(m->t);
}

static size_t field(const struct made *m, const char *name)
{
	for (size_t i = 0; i < m->t->n; i++)
		if (strcmp(m->t->columns[TF_PAYLOAD_POSITION + i].name,
			   name) == 0)
			return i;
	fail_msg("no field '%s'", name);
	return 0;
}

static int64_t number(const struct made *m, const char *name)
{
	const struct rec_field *f = &m->t->fields[field(m, name)];
	int64_t v;

	assert_int_equal(f->kind, REC_FIELD_NUMBER);
	assert_int_equal(f->size, 8);
	assert_true(f->offset + 8u <= m->raw.n);
	memcpy(&v, m->raw.p + f->offset, 8);
	return v;
}

static const char *string(const struct made *m, const char *name)
{
	const struct rec_field *f = &m->t->fields[field(m, name)];
	uint32_t word;

	assert_int_equal(f->kind, REC_FIELD_DYN_STRING);
	memcpy(&word, m->raw.p + f->offset, 4);
	if (!word)
		return "";
	assert_true((word & 0xffff) + (word >> 16) <= m->raw.n);
	assert_int_equal(m->raw.p[(word & 0xffff) + (word >> 16) - 1], 0);
	return (const char *)m->raw.p + (word & 0xffff);
}

static void record(struct made *m, const char *payload)
{
	rec_text_shape_record(&m->shape, 99, text(payload), &m->raw,
			      &m->misfits);
	assert_false(buf_failed(&m->raw));
}

static void system_calls_have_hexadecimal_arguments_and_a_result(void **state)
{
	struct made m;

	(void)state;
	check("sys_enter_openat", "sys_openat(dfd: ffffff9c, filename: "
	      "7f0012, flags: 0)", "dfd=ffffff9c|filename=7f0012|flags=0");
	check("sys_exit_openat", "sys_openat -> 0x3", "ret=0x3");
	check("sys_exit_openat", "0x3", "ret=0x3");
	make(&m, "syscalls", "sys_enter_read", "sys_read(fd: 10, count: a)");
	record(&m, "sys_read(fd: 10, count: a)");
	assert_int_equal(number(&m, "fd"), 0x10);
	assert_int_equal(number(&m, "count"), 10);
	done(&m);
	make(&m, "syscalls", "sys_exit_read", "sys_read -> 0xfffffffffffffff5");
	record(&m, "sys_read -> 0xfffffffffffffff5");
	assert_int_equal(number(&m, "ret"), -11);
	assert_int_equal(m.misfits, 0);
	done(&m);
}

static void the_first_line_makes_the_fields(void **state)
{
	static const char first[] = "prev_comm=12 prev_pid=12 prev_prio=120 "
		"prev_state=R+ ==> next_comm=b next_pid=-1 next_prio=98";
	struct made m;

	(void)state;
	make(&m, "sched", "sched_switch", first);
	record(&m, first);
	assert_int_equal(m.misfits, 0);
	assert_string_equal(string(&m, "prev_comm"), "12");
	assert_int_equal(number(&m, "prev_pid"), 12);
	assert_int_equal(number(&m, "prev_prio"), 120);
	assert_int_equal(number(&m, "prev_state"), 0x100);
	assert_string_equal(string(&m, "next_comm"), "b");
	assert_int_equal(number(&m, "next_pid"), -1);
	assert_string_equal(string(&m, "text"), first);
	assert_int_equal(m.raw.p[0] | m.raw.p[1] << 8, 7);
	assert_int_equal(m.raw.p[4], 99);
	done(&m);
}

/* include/linux/sched.h and fs/proc/array.c of Linux 6. */
static void letters_of_a_state_are_its_bits(void **state)
{
	static const struct { const char *text; int64_t bits; } want[] = {
		{ "R", 0 }, { "R+", 0x100 }, { "S", 1 }, { "D", 2 }, { "T", 4 },
		{ "t", 8 }, { "X", 0x10 }, { "Z", 0x20 }, { "P", 0x40 },
		{ "I", 0x80 }, { "D|K", 2 }, { "S+", 0x101 }, { "130", 130 },
	};
	struct made m;

	(void)state;
	make(&m, "sched", "sched_switch", "prev_state=R");
	for (size_t i = 0; i < ARRAY_LEN(want); i++) {
		char payload[64];

		snprintf(payload, sizeof(payload), "prev_state=%s",
			 want[i].text);
		record(&m, payload);
		assert_int_equal(number(&m, "prev_state"), want[i].bits);
	}
	assert_int_equal(m.misfits, 0);
	record(&m, "prev_state=?");
	assert_int_equal(m.misfits, 1);
	record(&m, "prev_state=W");
	assert_int_equal(m.misfits, 2);
	done(&m);
}

static void numbers_are_decimal_unless_they_look_like_addresses(void **state)
{
	static const char first[] = "a=0x1f b=00000000245c3f0c c=00000201 "
		"d=(nil) e=2571916093743123 f=007 g=true h=12us i=-5";
	struct made m;

	(void)state;
	make(&m, "x", "y", first);
	record(&m, first);
	assert_int_equal(number(&m, "a"), 0x1f);
	assert_int_equal(number(&m, "b"), 0x245c3f0c);
	assert_int_equal(number(&m, "c"), 0x201);
	assert_int_equal(number(&m, "d"), 0);
	assert_true(number(&m, "e") == 2571916093743123);
	assert_int_equal(number(&m, "f"), 7);
	assert_int_equal(number(&m, "g"), 1);
	assert_string_equal(string(&m, "h"), "12us");
	assert_int_equal(number(&m, "i"), -5);
	done(&m);
}

static void what_does_not_fit_later_is_counted_and_kept_in_the_text(void **state)
{
	struct made m;

	(void)state;
	make(&m, "x", "y", "a=1 b=c");
	record(&m, "a=x b=d e=5");
	assert_int_equal(m.misfits, 2);
	assert_int_equal(number(&m, "a"), 0);
	assert_string_equal(string(&m, "b"), "d");
	assert_string_equal(string(&m, "text"), "a=x b=d e=5");
	record(&m, "b=only");
	assert_int_equal(m.misfits, 2);
	assert_int_equal(number(&m, "a"), 0);
	assert_string_equal(string(&m, "b"), "only");
	done(&m);
}

static void names_of_every_record_are_left_to_it(void **state)
{
	static const char first[] = "text=1 common_pid=2 a-b=3 a=4 a=5";
	struct made m;

	(void)state;
	make(&m, "x", "y", first);
	record(&m, first);
	assert_int_equal(m.t->n, 5);
	assert_int_equal(number(&m, "text_"), 1);
	assert_int_equal(number(&m, "Common_pid"), 2);
	assert_int_equal(number(&m, "a_b"), 3);
	assert_int_equal(number(&m, "a"), 4);
	assert_string_equal(string(&m, "text"), first);
	done(&m);
}

static void a_text_beyond_a_record_is_cut(void **state)
{
	static char payload[200000];
	struct made m;

	(void)state;
	memset(payload, 'x', sizeof(payload) - 1);
	memcpy(payload, "a=b c=", 6);
	make(&m, "x", "y", "a=b c=d");
	record(&m, payload);
	assert_true(m.raw.n <= 65535);
	assert_int_equal(strlen(string(&m, "text")), 65535 - 28 - 1);
	done(&m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_value_goes_up_to_the_next_key),
		cmocka_unit_test(what_is_no_key_is_part_of_a_value),
		cmocka_unit_test(numbers_behind_colons_are_pairs_too),
		cmocka_unit_test(known_layouts_give_the_kernels_names),
		cmocka_unit_test(more_pairs_than_the_limit_are_left_out),
		cmocka_unit_test(
			system_calls_have_hexadecimal_arguments_and_a_result),
		cmocka_unit_test(the_first_line_makes_the_fields),
		cmocka_unit_test(letters_of_a_state_are_its_bits),
		cmocka_unit_test(
			numbers_are_decimal_unless_they_look_like_addresses),
		cmocka_unit_test(
			what_does_not_fit_later_is_counted_and_kept_in_the_text),
		cmocka_unit_test(names_of_every_record_are_left_to_it),
		cmocka_unit_test(a_text_beyond_a_record_is_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
