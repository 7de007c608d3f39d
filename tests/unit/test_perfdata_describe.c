#include "format/base/mem.h"
#include "tests/support/perfdatabuild.h"
#include "tests/support/perfdataimport.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { SAMPLE = 9, TRACING_RECORD = 66, BUILD_ID_RECORD, EVENT_TYPE = 65,
       UPDATE = 78, FEATURE = 80 };
enum { TRACING = 1, BUILD_IDS, HOSTNAME, RELEASE, VERSION, ARCH, NRCPUS,
       CPUDESC, CMDLINE = 11, EVENT_DESC, CLOCK_DATA = 29, LATER = 200 };
enum { IP = 1, TID = 2, TIME = 4, RAW = 1024, IDENTIFIER = 65536 };

#define TRACEPOINT 2
#define SWITCH_ID 316

static const uint64_t ids[] = { 5 };
static const struct pdb_attr event = {
	.type = TRACEPOINT, .size = 112, .config = SWITCH_ID, .period = 1,
	.sample_type = IDENTIFIER | IP | TID | TIME | RAW,
	.flags = PDB_SAMPLE_ID_ALL, .ids = ids, .n_ids = 1 };

static const char format[] =
	"name: thing_done\nID: 316\nformat:\n"
	"\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
	"\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
	"\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;"
	"\tsigned:0;\n"
	"\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
	"\tfield:int n;\toffset:8;\tsize:4;\tsigned:1;\n"
	"\tfield:__data_loc char[] name;\toffset:12;\tsize:4;\tsigned:0;\n"
	"\tfield:char comm[4];\toffset:16;\tsize:4;\tsigned:0;\n\n"
	"print fmt: \"n=%d\", REC->n\n";

/* -- Parts ------------------------------------------------------------------ */

static void file_in_tracing(struct pdb *p, const char *text, unsigned size_of)
{
	if (size_of == 8)
		pdb_u64(p, strlen(text));
	else
		pdb_u32(p, (uint32_t)strlen(text));
	pdb_bytes(p, text, strlen(text));
}

static void tracing(struct pdb *p)
{
	pdb_bytes(p, "\x17\x08\x44tracing0.6", 14);
	buf_u8(&p->b, p->big);
	buf_u8(&p->b, 8);
	pdb_u32(p, 4096);
	pdb_bytes(p, "header_page", 12);
	file_in_tracing(p, "a page", 8);
	pdb_bytes(p, "header_event", 13);
	file_in_tracing(p, "an event", 8);
	pdb_u32(p, 1);
	file_in_tracing(p, "name: function\nID: 1\nformat:\n", 8);
	pdb_u32(p, 1);
	pdb_bytes(p, "things", 7);
	pdb_u32(p, 1);
	file_in_tracing(p, format, 8);
	file_in_tracing(p, "ffffffff81000000 T _text\n", 4);
	file_in_tracing(p, "0xffffffff82000000 : \"texts\"\n", 4);
	file_in_tracing(p, "7 seven\n8 eight and more\nrubbish\n", 8);
}

static void payload_sample(struct pdb *p)
{
	size_t at = pdb_begin(p, SAMPLE, 1);

	pdb_u64(p, 5);
	pdb_u64(p, 0xffffffff81000000);
	pdb_pair(p, 7, 7);
	pdb_u64(p, 1000);
	pdb_u32(p, 28);
	pdb_u16(p, SWITCH_ID);
	buf_u8(&p->b, 1);
	buf_u8(&p->b, 2);
	pdb_u32(p, 7);
	pdb_u32(p, (uint32_t)-2);
	pdb_u32(p, 4 << 16 | 20);
	pdb_bytes(p, "commword\0\0\0\0", 12);
	pdb_end(p, at);
}

static struct span text_feature(struct pdb *p, const char *text)
{
	pdb_string(p, text);
	return span_of(p->b.p, p->b.n);
}

static void command_line(struct pdb *p)
{
	pdb_u32(p, 4);
	pdb_string(p, "perf");
	pdb_string(p, "record");
	pdb_string(p, "it's");
	pdb_string(p, "");
}

static void event_description(struct pdb *p)
{
	pdb_u32(p, 1);
	pdb_u32(p, event.size);
	pdb_attr(p, &event);
	pdb_u32(p, 1);
	pdb_string(p, "my:name");
	pdb_u64(p, 5);
}

static void clock_reading(struct pdb *p)
{
	pdb_pair(p, 1, 1);
	pdb_u64(p, 1600000000000000000);
	pdb_u64(p, 123456789);
}

static void build_id(struct pdb *p, const char *path, uint16_t misc,
		     uint8_t size)
{
	static const uint8_t id[20] = { 0xab, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11,
					12, 13, 14, 15, 16, 17, 18, 19 };
	size_t at = pdb_begin(p, BUILD_ID_RECORD, misc);

	pdb_u32(p, (uint32_t)-1);
	pdb_bytes(p, id, 20);
	buf_u8(&p->b, size);
	buf_zero(&p->b, 3);
	pdb_room(p, path, 64);
	pdb_end(p, at);
}

static void three_build_ids(struct pdb *p)
{
	build_id(p, "[kernel.kallsyms]", 1, 0);
	build_id(p, "/lib/x.so", 2 | 1 << 15, 8);
	build_id(p, "[mod]", 1, 0);
}

/* -- All of them, in a file and in a pipe ----------------------------------- */

#define N_PARTS 12

struct parts {
	struct pdb of[N_PARTS], data;
	struct pdb_feature features[N_PARTS];
};

static void build_parts(struct parts *p, bool big)
{
	static const unsigned numbers[N_PARTS] = {
		TRACING, BUILD_IDS, HOSTNAME, RELEASE, VERSION, ARCH, NRCPUS,
		CPUDESC, CMDLINE, EVENT_DESC, CLOCK_DATA, LATER };

	*p = (struct parts){ .data.big = big };
	for (size_t i = 0; i < N_PARTS; i++)
		p->of[i].big = big;
	tracing(&p->of[0]);
	three_build_ids(&p->of[1]);
	text_feature(&p->of[2], "somewhere");
	text_feature(&p->of[3], "6.1.0");
	text_feature(&p->of[4], "6.16");
	text_feature(&p->of[5], "armv7l");
	pdb_pair(&p->of[6], 8, 4);
	text_feature(&p->of[7], "A CPU");
	command_line(&p->of[8]);
	event_description(&p->of[9]);
	clock_reading(&p->of[10]);
	pdb_u64(&p->of[11], 1);
	payload_sample(&p->data);
	for (size_t i = 0; i < N_PARTS; i++)
		p->features[i] = (struct pdb_feature){
			numbers[i], { p->of[i].b.p, p->of[i].b.n } };
}

static void free_parts(struct parts *p)
{
	for (size_t i = 0; i < N_PARTS; i++)
		buf_fini(&p->of[i].b);
	buf_fini(&p->data.b);
}

static void described_file(struct pdb *out, bool big)
{
	struct parts p;

	build_parts(&p, big);
	out->big = big;
	pdb_file(out, &(struct pdb_file){ .attrs = &event, .n_attrs = 1,
					  .data = { p.data.b.p, p.data.b.n },
					  .features = p.features,
					  .n_features = N_PARTS });
	free_parts(&p);
}

/* Build-ids come last there. */
static void described_pipe(struct pdb *out, bool big)
{
	struct parts p;
	size_t at;

	build_parts(&p, big);
	out->big = big;
	pdb_pipe(out);
	pdb_pipe_attr(out, &event);
	for (size_t i = 2; i < N_PARTS; i++) {
		at = pdb_begin(out, FEATURE, 0);
		pdb_u64(out, p.features[i].number);
		pdb_bytes(out, p.of[i].b.p, p.of[i].b.n);
		pdb_end(out, at);
	}
	at = pdb_begin(out, TRACING_RECORD, 0);
	pdb_u32(out, (uint32_t)((p.of[0].b.n + 7) / 8 * 8));
	out->b.n = at + 12;
	out->b.p[at + (big ? 7 : 6)] = 12;
	pdb_bytes(out, p.of[0].b.p, p.of[0].b.n);
	buf_zero(&out->b, -p.of[0].b.n % 8);
	pdb_bytes(out, p.data.b.p, p.data.b.n);
	pdb_bytes(out, p.of[1].b.p, p.of[1].b.n);
	free_parts(&p);
}

#define BUILD_ID "ab0102030405060708090a0b0c0d0e0f10111213"

static const char *const lines[] = {
	"fact hostname somewhere\n", "fact kernel 6.1.0\n",
	"fact import.version 6.16\n", "fact arch armv7l\n", "fact cpus 4\n",
	"fact cpu_model A CPU\n",
	"fact command perf record 'it'\\''s' ''\n",
	"fact clock monotonic\n",
	"kallsyms 25\n", "fact pointer_size 8\n", "fact page_size 4096\n",
	"fact printk_formats 0xffffffff82000000 : \"texts\"\n",
	"clock 123456789 1600000000000000000 0\n",
	"comm 7/7 'seven'\n", "comm 8/8 'eight and more'\n",
	"build-id 2 " BUILD_ID " '[kernel.kallsyms]'\n",
	"build-id 1 ab01020304050607 '/lib/x.so'\n",
	"build-id 3 " BUILD_ID " '[mod]'\n",
	"event 0 'my:name' things:thing_done format ",
};

/* Numbers of the payload as they are here, its text as it was. */
static const char payload_here[] =
	" raw 3c01010207000000feffffff14000400636f6d6d776f7264";

static void assert_described(struct pdb *p)
{
	struct imported i = import_bytes(span_of(p->b.p, p->b.n), true);
	const char *raw;

	buf_fini(&p->b);
	assert_int_equal(i.rc, 0);
	for (size_t k = 0; k < ARRAY_LEN(lines); k++)
		if (!strstr(i.text, lines[k]))
			fail_msg("no '%s' in:\n%s", lines[k], i.text);
	raw = strstr(i.text, " raw ");
	assert_non_null(raw);
	assert_true(strstr(i.text, "build-id 2") < raw);
	/* Its type and thread are no columns and left as they were. */
	assert_memory_equal(raw + 9, payload_here + 9, 4);
	assert_memory_equal(raw + 21, payload_here + 21,
			    sizeof(payload_here) - 1 - 21);
	free(i.text);
}

static void a_file_tells_of_itself(void **state)
{
	struct pdb p = { 0 };

	(void)state;
	described_file(&p, false);
	assert_described(&p);
}

static void a_big_endian_file_tells_the_same(void **state)
{
	struct pdb p = { 0 };

	(void)state;
	described_file(&p, true);
	assert_described(&p);
}

static void a_pipe_tells_the_same_before_its_samples(void **state)
{
	(void)state;
	for (int big = 0; big < 2; big++) {
		struct pdb p = { 0 };

		described_pipe(&p, big);
		assert_described(&p);
	}
}

/* Files of 32-bit big-endian machines have the bits in words of 32. */
static void features_of_narrow_machines_are_found(void **state)
{
	struct pdb p = { 0 };
	struct imported i;

	(void)state;
	described_file(&p, true);
	for (size_t at = 72; at < 104; at += 8) {
		uint8_t half[4];

		memcpy(half, p.b.p + at, 4);
		memcpy(p.b.p + at, p.b.p + at + 4, 4);
		memcpy(p.b.p + at + 4, half, 4);
	}
	i = import_bytes(span_of(p.b.p, p.b.n), true);
	buf_fini(&p.b);
	assert_int_equal(i.rc, 0);
	assert_non_null(strstr(i.text, "fact hostname somewhere\n"));
	free(i.text);
}

static void a_broken_section_is_told_and_the_rest_is_there(void **state)
{
	struct parts parts;
	struct pdb p = { 0 };
	struct imported i;

	(void)state;
	build_parts(&parts, false);
	parts.features[8].body.n -= 9;
	pdb_file(&p, &(struct pdb_file){
			     .attrs = &event, .n_attrs = 1,
			     .data = { parts.data.b.p, parts.data.b.n },
			     .features = parts.features,
			     .n_features = N_PARTS });
	free_parts(&parts);
	i = import_bytes(span_of(p.b.p, p.b.n), true);
	buf_fini(&p.b);
	assert_int_equal(i.rc, 1);
	assert_string_equal(i.err.text, "command line: cut short, or with a "
					"wrong size");
	assert_int_equal(i.samples, 1);
	assert_non_null(strstr(i.text, "clock 123456789 "));
	free(i.text);
}

static void tracing_data_that_is_cut_is_told(void **state)
{
	struct parts parts;

	(void)state;
	build_parts(&parts, false);
	for (size_t n = 1; n < parts.of[0].b.n; n++) {
		struct pdb p = { 0 };
		struct imported i;

		parts.features[0].body.n = n;
		pdb_file(&p, &(struct pdb_file){
				     .attrs = &event, .n_attrs = 1,
				     .data = { parts.data.b.p,
					       parts.data.b.n },
				     .features = parts.features,
				     .n_features = 1 });
		i = import_bytes(span_of(p.b.p, p.b.n), false);
		buf_fini(&p.b);
		assert_int_equal(i.samples, 1);
		/* Before version 0.6 it ended before the names of threads. */
		if (i.rc == 0)
			assert_in_range(n, parts.of[0].b.n - 33 - 8,
					parts.of[0].b.n - 33);
		else
			assert_non_null(strstr(i.err.text, "tracing data"));
	}
	free_parts(&parts);
}

/* The last word of the file is of a feature without use, the clock is before
 * it. */
static void features_that_are_cut_off_are_named(void **state)
{
	struct parts parts;
	struct pdb p = { 0 };
	struct imported i;

	(void)state;
	build_parts(&parts, false);
	pdb_file(&p, &(struct pdb_file){
			     .attrs = &event, .n_attrs = 1,
			     .data = { parts.data.b.p, parts.data.b.n },
			     .features = parts.features,
			     .n_features = N_PARTS });
	free_parts(&parts);
	i = import_bytes(span_of(p.b.p, p.b.n - 8 - 1), false);
	buf_fini(&p.b);
	assert_int_equal(i.rc, 1);
	assert_int_equal(i.samples, 1);
	assert_string_equal(i.err.text, "the file is cut short, behind its "
					"records are missing: clock");
}

static void names_come_from_updates_and_types(void **state)
{
	static const struct pdb_attr plain = {
		.type = 0, .size = 80, .config = 3, .period = 1,
		.sample_type = IP | TID | TIME | IDENTIFIER, .ids = ids,
		.n_ids = 1 };
	struct pdb p = { 0 };
	struct imported i;
	size_t at;

	(void)state;
	pdb_pipe(&p);
	pdb_pipe_attr(&p, &plain);
	at = pdb_begin(&p, EVENT_TYPE, 0);
	pdb_u64(&p, 3);
	pdb_room(&p, "by-type", 64);
	pdb_end(&p, at);
	i = import_bytes(span_of(p.b.p, p.b.n), true);
	assert_int_equal(i.rc, 0);
	assert_non_null(strstr(i.text, "event 0 'by-type'"));
	free(i.text);
	at = pdb_begin(&p, UPDATE, 0);
	pdb_u64(&p, 2);
	pdb_u64(&p, 5);
	pdb_room(&p, "by-update", 16);
	pdb_end(&p, at);
	i = import_bytes(span_of(p.b.p, p.b.n), true);
	buf_fini(&p.b);
	assert_non_null(strstr(i.text, "event 0 'by-update'"));
	free(i.text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_file_tells_of_itself),
		cmocka_unit_test(a_big_endian_file_tells_the_same),
		cmocka_unit_test(a_pipe_tells_the_same_before_its_samples),
		cmocka_unit_test(features_of_narrow_machines_are_found),
		cmocka_unit_test(a_broken_section_is_told_and_the_rest_is_there),
		cmocka_unit_test(tracing_data_that_is_cut_is_told),
		cmocka_unit_test(features_that_are_cut_off_are_named),
		cmocka_unit_test(names_come_from_updates_and_types),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
