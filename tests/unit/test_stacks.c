#include "record/stack/stacks.h"

#include "format/base/mem.h"
#include "tests/support/failalloc.h"
#include "tests/support/filetree.h"
#include "tests/support/rowsback.h"

#include <linux/perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#define TEXT 0xffffffff81000000ull
#define IN_KERNEL ((uint64_t)PERF_CONTEXT_KERNEL)
#define IN_USER ((uint64_t)PERF_CONTEXT_USER)
#define USER PERF_RECORD_MISC_USER
#define KERNEL PERF_RECORD_MISC_KERNEL

/* /app is mapped at 0x10000 from its offset 0x1000 on. */
struct fixture {
	struct filetree tree;
	struct buf file;
	struct tf_sink *memory;
	struct rec_sink *sink;
	struct rec_images images;
	struct rec_kernel kernel;
	struct rec_defs defs;
	struct rec_names names;
	struct rec_stacks stacks;
	struct rec_mm *mm;
	uint64_t time; /* of the next sample */
	int32_t tid;
	long fail_at; /* the allocation that fails in it, 0: none */
};

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

static void map(struct fixture *f, uint64_t start, uint64_t end,
		uint64_t offset, uint32_t image, uint64_t from)
{
	struct rec_mapping m = { start, end, offset, from, image };

	assert_true(rec_mm_map(f->mm, &m));
}

static void begin(struct fixture *f, uint64_t max_stack)
{
	static const struct tf_file_info info = { .start_unix_ns = 1 };

	*f = (struct fixture){ .time = 100, .tid = 7 };
	filetree_init(&f->tree);
	filetree_text(&f->tree, "/proc/kallsyms",
		      "ffffffff81000000 T _text\n");
	buf_init(&f->file, 0);
	assert_int_equal(tf_sink_memory(&f->memory, &f->file, NULL), 0);
	assert_int_equal(rec_sink_new(&f->sink, f->memory, &info, NULL), 0);
	assert_int_equal(rec_images_init(&f->images, NULL), 0);
	assert_int_equal(rec_kernel_init(&f->kernel, &f->images, f->tree.root,
					 NULL), 0);
	assert_int_equal(rec_defs_init(&f->defs, f->sink, &f->images,
				       f->tree.root, 1, 0, NULL), 0);
	f->names = (struct rec_names){ .defs = &f->defs,
				       .root = f->tree.root };
	assert_int_equal(rec_stacks_init(&f->stacks, &f->defs, &f->kernel,
					 &f->names, max_stack, NULL), 0);
	f->mm = rec_mm_new(7, 0, 0);
	map(f, 0x10000, 0x20000, 0x1000, image(f, TF_IMAGE_ELF, "/app"), 0);
}

static void end(struct fixture *f)
{
	rec_mm_put(f->mm);
	rec_stacks_fini(&f->stacks);
	rec_defs_fini(&f->defs);
	rec_kernel_fini(&f->kernel);
	rec_images_fini(&f->images);
	rec_sink_free(f->sink);
	tf_sink_close(f->memory, NULL);
	buf_fini(&f->file);
	filetree_fini(&f->tree);
}

static struct rec_place place(struct fixture *f, uint16_t misc, uint64_t ip,
			      const uint64_t *words, size_t n)
{
	struct rec_ids ids = { .pid = 7, .tid = f->tid, .time = f->time };
	struct rec_sample sample = { .ip = ip, .n_chain = n };
	struct rec_place out;
	struct buf b;

	buf_init(&b, 0);
	for (size_t i = 0; i < n; i++)
		buf_u64(&b, words[i]);
	sample.chain = span_of(b.p, b.n);
	assert_true(rec_sink_reserve_wait(f->sink));
	failalloc_at(f->fail_at);
	rec_stacks_place(&f->stacks, &sample, &ids, misc, true, f->mm, &out);
	failalloc_off();
	buf_fini(&b);
	return out;
}

#define PLACE(f, misc, ip, ...)                                                \
	place(f, misc, ip, (const uint64_t[]){ __VA_ARGS__ },                  \
	      ARRAY_LEN(((const uint64_t[]){ __VA_ARGS__ })))

/* -- Reading back ---------------------------------------------------------- */

struct back {
	struct rowsback frames, nodes, images, strings;
};

static void read_back(struct fixture *f, struct back *b)
{
	struct span file;

	assert_false(f->defs.failed);
	assert_int_equal(rec_sink_close(f->sink, NULL), 0);
	file = span_of(f->file.p, f->file.n);
	rowsback_check_references(file);
	rowsback_read(&b->frames, file, TF_TABLE_FRAME);
	rowsback_read(&b->nodes, file, TF_TABLE_STACK);
	rowsback_read(&b->images, file, TF_TABLE_IMAGE);
	rowsback_read(&b->strings, file, TF_TABLE_STRING);
}

static void back_fini(struct back *b)
{
	rowsback_fini(&b->frames);
	rowsback_fini(&b->nodes);
	rowsback_fini(&b->images);
	rowsback_fini(&b->strings);
}

/* "/app+10r" for a return address at 0x10 of /app, "…x" for an exact one. */
static void put_frame(struct buf *to, const struct back *b, uint32_t epoch,
		      uint64_t id)
{
	const struct rowsback_row *frame = rowsback_find(&b->frames, epoch, id);
	const struct rowsback_row *im, *path;

	assert_non_null(frame);
	im = rowsback_find(&b->images, epoch, frame->v[TF_FRAME_IMAGE]);
	assert_non_null(im);
	path = rowsback_find(&b->strings, epoch, im->v[TF_IMAGE_PATH]);
	buf_printf(to, "%s%.*s+%llx%c", to->n ? ";" : "", (int)path->n_bytes,
		   (const char *)path->bytes,
		   (unsigned long long)frame->v[TF_FRAME_ADDRESS],
		   frame->v[TF_FRAME_KIND] == TF_FRAME_RETURN ? 'r' : 'x');
}

static void put_stack(struct buf *to, const struct back *b, uint32_t epoch,
		      uint64_t node)
{
	uint64_t frames[TF_MAX_STACK_DEPTH];
	size_t n = 0;

	while (node) {
		const struct rowsback_row *r =
			rowsback_find(&b->nodes, epoch, node);

		assert_non_null(r);
		assert_true(r->v[TF_STACK_PARENT] < node);
		assert_true(n < TF_MAX_STACK_DEPTH);
		frames[n++] = r->v[TF_STACK_FRAME];
		node = r->v[TF_STACK_PARENT];
	}
	while (n)
		put_frame(to, b, epoch, frames[--n]);
}

static void put_place(struct buf *to, const struct back *b, uint32_t epoch,
		      const struct rec_place *p)
{
	put_stack(to, b, epoch, p->ustack);
	put_stack(to, b, epoch, p->kstack);
	if (!(p->flags & TF_SAMPLE_IP_IN_STACK))
		put_frame(to, b, epoch, p->ip);
	buf_u8(to, 0);
}

static void check(const struct back *b, const struct rec_place *p,
		  const char *want)
{
	struct buf text;

	buf_init(&text, 0);
	put_place(&text, b, 0, p);
	assert_string_equal((const char *)text.p, want);
	buf_fini(&text);
}

static void check_one(struct fixture *f, const struct rec_place *p,
		      const char *want)
{
	struct back b;

	read_back(f, &b);
	check(&b, p, want);
	back_fini(&b);
	end(f);
}

/* -- Single chains --------------------------------------------------------- */

static void a_user_chain_runs_from_root_to_ip(void **state)
{
	struct rec_place p;
	struct fixture f;

	(void)state;
	begin(&f, 127);
	p = PLACE(&f, USER, 0x10010, IN_USER, 0x10010, 0x10020, 0x10030);
	assert_int_equal(p.flags, 0);
	assert_int_equal(p.kstack, 0);
	check_one(&f, &p, "/app+1030r;/app+1020r;/app+1010x");
}

static void kernel_and_user_part_are_kept_apart(void **state)
{
	struct rec_place p;
	struct fixture f;
	struct back b;
	struct buf text;

	(void)state;
	begin(&f, 127);
	p = PLACE(&f, KERNEL, TEXT + 0x10, IN_KERNEL, TEXT + 0x10, TEXT + 0x20,
		  IN_USER, 0x10010, 0x10020);
	assert_int_equal(p.flags, TF_SAMPLE_KERNEL);
	read_back(&f, &b);
	check(&b, &p, "/app+1020r;/app+1010x;[kernel.kallsyms]+20r;"
		      "[kernel.kallsyms]+10x");
	buf_init(&text, 0);
	put_stack(&text, &b, 0, p.kstack);
	buf_u8(&text, 0);
	assert_string_equal((char *)text.p, "[kernel.kallsyms]+20r");
	buf_fini(&text);
	back_fini(&b);
	end(&f);
}

static void a_kernel_thread_has_no_user_part(void **state)
{
	struct rec_place p;
	struct fixture f;

	(void)state;
	begin(&f, 127);
	p = PLACE(&f, KERNEL, TEXT + 0x10, IN_KERNEL, TEXT + 0x10, TEXT + 0x20);
	assert_int_equal(p.ustack, 0);
	check_one(&f, &p, "[kernel.kallsyms]+20r;[kernel.kallsyms]+10x");
}

static void an_ip_that_heads_no_part_is_no_further_frame(void **state)
{
	struct rec_place p;
	struct fixture f;

	(void)state;
	begin(&f, 127);
	p = PLACE(&f, USER, 0x10090, IN_USER, 0x10010, 0x10020);
	assert_int_equal(p.flags, TF_SAMPLE_IP_IN_STACK);
	check_one(&f, &p, "/app+1020r;/app+1010x");
}

static void a_chain_at_the_limit_hangs_under_truncated(void **state)
{
	struct rec_place p, whole;
	struct fixture f;
	struct back b;

	(void)state;
	begin(&f, 3);
	whole = PLACE(&f, USER, 0x10010, IN_USER, 0x10010, 0x10020);
	p = PLACE(&f, USER, 0x10010, IN_USER, 0x10010, 0x10020, 0x10030);
	assert_int_equal(whole.flags, 0);
	assert_int_equal(p.flags, TF_SAMPLE_TRUNCATED);
	read_back(&f, &b);
	check(&b, &whole, "/app+1020r;/app+1010x");
	check(&b, &p, "[truncated]+0x;/app+1030r;/app+1020r;/app+1010x");
	back_fini(&b);
	end(&f);
}

static void the_part_that_ends_the_chain_is_the_truncated_one(void **state)
{
	struct rec_place p, k;
	struct fixture f;
	struct back b;

	(void)state;
	begin(&f, 3);
	p = PLACE(&f, KERNEL, TEXT + 1, IN_KERNEL, TEXT + 1, TEXT + 2, IN_USER,
		  0x10010);
	k = PLACE(&f, KERNEL, TEXT + 1, IN_KERNEL, TEXT + 1, TEXT + 2,
		  TEXT + 3);
	read_back(&f, &b);
	check(&b, &p, "[truncated]+0x;/app+1010x;[kernel.kallsyms]+2r;"
		      "[kernel.kallsyms]+1x");
	check(&b, &k, "[truncated]+0x;[kernel.kallsyms]+3r;"
		      "[kernel.kallsyms]+2r;[kernel.kallsyms]+1x");
	back_fini(&b);
	end(&f);
}

static void a_missing_chain_is_told(void **state)
{
	struct rec_ids ids = { .pid = 7, .tid = 7, .time = 5 };
	struct rec_sample sample = { .ip = 0x10010 };
	struct rec_place p;
	struct fixture f;

	(void)state;
	begin(&f, 127);
	p = PLACE(&f, USER, 0x10010, IN_USER);
	assert_int_equal(p.flags, TF_SAMPLE_NO_CHAIN);
	assert_true(p.ustack == 0 && p.kstack == 0);
	/* Nobody asked for one: nothing is missing. */
	rec_stacks_place(&f.stacks, &sample, &ids, USER, false, f.mm, &p);
	assert_int_equal(p.flags, 0);
	check_one(&f, &p, "/app+1010x");
}

static void an_address_that_nothing_covers_stays_as_it_is(void **state)
{
	struct rec_place p;
	struct fixture f;

	(void)state;
	begin(&f, 127);
	p = PLACE(&f, USER, 0x99999, IN_USER, 0x99999, 0x10020,
		  0xffffffff81000030);
	/* Kernel-looking junk in a user part is no kernel frame. */
	check_one(&f, &p, "+ffffffff81000030r;/app+1020r;+99999x");
}

static void memory_of_no_file_keeps_its_addresses(void **state)
{
	struct rec_place p;
	struct fixture f;

	(void)state;
	begin(&f, 127);
	map(&f, 0x50000, 0x60000, 0, image(&f, TF_IMAGE_ANON, "//anon"), 0);
	p = PLACE(&f, USER, 0x50010, IN_USER, 0x50010, 0x10020);
	check_one(&f, &p, "/app+1020r;//anon+50010x");
}

static void words_of_an_unknown_context_are_left_out(void **state)
{
	struct rec_place p;
	struct fixture f;

	(void)state;
	begin(&f, 127);
	p = PLACE(&f, USER, 0x10010, 0x1234, (uint64_t)PERF_CONTEXT_GUEST,
		  0x10050, IN_USER, 0x10010, 0x10020);
	check_one(&f, &p, "/app+1020r;/app+1010x");
}

static void a_chain_as_long_as_a_record_can_hold_is_cut(void **state)
{
	static uint64_t words[8000];
	const struct rowsback_row *r;
	struct rec_place p;
	struct fixture f;
	struct back b;
	size_t depth = 1; /* ip */

	(void)state;
	begin(&f, 0);
	words[0] = IN_USER;
	for (size_t i = 1; i < ARRAY_LEN(words); i++)
		words[i] = 0x10000 + i;
	while (!rec_sink_reserve_more(f.sink, ARRAY_LEN(words)))
		assert_true(rec_sink_reserve_wait(f.sink));
	p = place(&f, USER, words[1], words, ARRAY_LEN(words));
	assert_int_equal(p.flags, TF_SAMPLE_TRUNCATED);
	read_back(&f, &b);
	for (uint64_t node = p.ustack; node; depth++) {
		r = rowsback_find(&b.nodes, 0, node);
		node = r->v[TF_STACK_PARENT];
	}
	/* [truncated] and 4094 words. */
	assert_int_equal(depth, 4095);
	assert_true(depth <= TF_MAX_STACK_DEPTH);
	back_fini(&b);
	end(&f);
}

/* -- One after another ------------------------------------------------------*/

static void a_word_is_another_frame_as_leaf_and_as_caller(void **state)
{
	struct rec_place a, c, d;
	struct fixture f;
	struct back b;

	(void)state;
	begin(&f, 127);
	a = PLACE(&f, KERNEL, TEXT + 1, IN_KERNEL, TEXT + 1, IN_USER, 0x10010,
		  0x10020);
	c = PLACE(&f, USER, 0x10030, IN_USER, 0x10030, 0x10010, 0x10020);
	d = PLACE(&f, KERNEL, TEXT + 1, IN_KERNEL, TEXT + 1, IN_USER, 0x10010,
		  0x10020);
	read_back(&f, &b);
	check(&b, &a, "/app+1020r;/app+1010x;[kernel.kallsyms]+1x");
	check(&b, &c, "/app+1020r;/app+1010r;/app+1030x");
	check(&b, &d, "/app+1020r;/app+1010x;[kernel.kallsyms]+1x");
	assert_int_equal(a.ustack, d.ustack);
	back_fini(&b);
	end(&f);
}

static void a_sample_meets_the_mapping_of_its_time(void **state)
{
	struct rec_place before, late, after;
	struct fixture f;
	struct back b;

	(void)state;
	begin(&f, 127);
	before = PLACE(&f, USER, 0x10010, IN_USER, 0x10010, 0x10020);
	map(&f, 0x10000, 0x20000, 0, image(&f, TF_IMAGE_ELF, "/new"), 200);
	f.time = 150;
	late = PLACE(&f, USER, 0x10010, IN_USER, 0x10010, 0x10020);
	f.time = 250;
	after = PLACE(&f, USER, 0x10010, IN_USER, 0x10010, 0x10020);
	read_back(&f, &b);
	check(&b, &before, "/app+1020r;/app+1010x");
	check(&b, &late, "/app+1020r;/app+1010x");
	check(&b, &after, "/new+20r;/new+10x");
	back_fini(&b);
	end(&f);
}

static void a_kernel_program_is_known_from_when_it_came(void **state)
{
	static const char name[] = "bpf_prog_a";
	struct rec_ksymbol s = { .address = 0xffffffffc2000000, .size = 256,
				 .name = span_of(name, sizeof(name) - 1) };
	struct rec_place before, after;
	struct fixture f;
	struct back b;

	(void)state;
	begin(&f, 127);
	before = PLACE(&f, KERNEL, s.address + 4, IN_KERNEL, s.address + 4,
		       s.address + 8, TEXT + 1);
	assert_int_equal(rec_kernel_ksymbol(&f.kernel, &f.images, &s, NULL), 0);
	after = PLACE(&f, KERNEL, s.address + 4, IN_KERNEL, s.address + 4,
		      s.address + 8, TEXT + 1);
	read_back(&f, &b);
	check(&b, &before, "[kernel.kallsyms]+1r;+ffffffffc2000008r;"
			   "+ffffffffc2000004x");
	check(&b, &after, "[kernel.kallsyms]+1r;bpf_prog_a+8r;bpf_prog_a+4x");
	back_fini(&b);
	end(&f);
}

static uint64_t inode_of(const struct fixture *f, const char *path)
{
	char full[256];
	struct stat st;

	snprintf(full, sizeof(full), "%s%s", f->tree.root, path);
	assert_int_equal(stat(full, &st), 0);
	return st.st_ino;
}

static void a_file_that_is_not_the_mapped_one_gives_no_build_id(void **state)
{
	static const uint8_t elf[64] = { 0x7f, 'E', 'L', 'F', 2, 1, 1 };
	struct rec_mapping m = { 0x30000, 0x40000, 0, 0, 0 };
	struct rec_image *im;
	struct fixture f;

	(void)state;
	begin(&f, 127);
	filetree_bytes(&f.tree, "/proc/7/root/lib.so", elf, sizeof(elf));
	m.image = image(&f, TF_IMAGE_ELF, "/lib.so");
	im = &f.images.items[m.image];
	im->inode = inode_of(&f, "/proc/7/root/lib.so") + 1;
	assert_true(rec_mm_map(f.mm, &m));
	(void)PLACE(&f, USER, 0x30010, IN_USER, 0x30010);
	assert_false(im->introduced);
	im->inode--; /* another process shows the file after all */
	(void)PLACE(&f, USER, 0x30020, IN_USER, 0x30020);
	assert_true(im->introduced);
	end(&f);
}

static void an_image_gets_its_build_id_before_its_names(void **state)
{
	static const uint8_t note[] = { 4, 0, 0, 0, 4, 0, 0, 0, 3, 0, 0, 0,
					'G', 'N', 'U', 0, 1, 2, 3, 4 };
	/* A 64-bit header, one PT_NOTE program header at 64, its note at 120.*/
	uint8_t elf[120 + sizeof(note)] = {
		0x7f, 'E', 'L', 'F', 2, 1, 1, [32] = 64, [54] = 56, [56] = 1,
		[64] = 4, [72] = 120, [96] = sizeof(note),
	};
	struct rec_mapping m = { 0x30000, 0x40000, 0, 0, 0 };
	const struct rowsback_row *frame, *im;
	struct rec_place p;
	struct fixture f;
	struct back b;

	(void)state;
	begin(&f, 127);
	memcpy(elf + 120, note, sizeof(note));
	filetree_bytes(&f.tree, "/proc/7/root/lib.so", elf, sizeof(elf));
	m.image = image(&f, TF_IMAGE_ELF, "/lib.so");
	f.images.items[m.image].inode = inode_of(&f, "/proc/7/root/lib.so");
	assert_true(rec_mm_map(f.mm, &m));
	/* A mapping row of a process comes before any address is touched. */
	(void)rec_defs_image(&f.defs, m.image);
	p = PLACE(&f, USER, 0x30010, IN_USER, 0x30010);
	read_back(&f, &b);
	frame = rowsback_find(&b.frames, 0, p.ip);
	im = rowsback_find(&b.images, 0, frame->v[TF_FRAME_IMAGE]);
	assert_true(rowsback_is(im, "\1\2\3\4"));
	back_fini(&b);
	end(&f);
}

/* -- Against a plain computation ------------------------------------------- */

#define SAMPLES 4000
#define MAX_WORDS 12

struct expected {
	struct rec_place place;
	uint32_t epoch;
	char *text;
};

static uint32_t next(uint32_t *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 17;
	*seed ^= *seed << 5;
	return *seed;
}

/* Mapping number k holds from k * 1000 on, the first always. */
static void expect_frame(struct buf *to, uint64_t word, bool kernel,
			 uint64_t newest, uint64_t time, bool exact)
{
	uint64_t k = time / 1000 < newest ? time / 1000 : newest;

	if (to->n)
		buf_u8(to, ';');
	if (kernel)
		buf_printf(to, "[kernel.kallsyms]+%llx",
			   (unsigned long long)(word - TEXT));
	else if (word >= 0x10000 && word < 0x20000)
		buf_printf(to, "/map%llu+%llx", (unsigned long long)k,
			   (unsigned long long)(word - 0x10000));
	else
		buf_printf(to, "+%llx", (unsigned long long)word);
	buf_u8(to, exact ? 'x' : 'r');
}

struct chain {
	uint64_t kernel[MAX_WORDS], user[MAX_WORDS];
	size_t n_kernel, n_user;
	bool in_kernel, ip_heads;
	uint64_t ip;
};

static struct chain random_chain(uint32_t *seed)
{
	struct chain c = { .in_kernel = next(seed) % 3 == 0,
			   .ip_heads = next(seed) % 8 != 0 };

	c.n_user = next(seed) % MAX_WORDS + !c.in_kernel;
	if (c.n_user > MAX_WORDS)
		c.n_user = MAX_WORDS;
	c.n_kernel = c.in_kernel ? 1 + next(seed) % (MAX_WORDS - 1) : 0;
	/* Few words, so that chains share much. */
	for (size_t i = 0; i < c.n_user; i++)
		c.user[i] = (next(seed) % 16 ? 0x10000 : 0x70000) +
			    next(seed) % 3;
	for (size_t i = 0; i < c.n_kernel; i++)
		c.kernel[i] = TEXT + next(seed) % 3;
	c.ip = c.in_kernel ? c.kernel[0] : c.user[0];
	if (!c.ip_heads)
		c.ip += 0x10;
	return c;
}

static char *expected_text(const struct chain *c, uint64_t newest,
			   uint64_t time, bool truncated)
{
	struct buf b;

	buf_init(&b, 0);
	if (truncated)
		buf_printf(&b, "[truncated]+0x");
	for (size_t i = c->n_user; i-- > 0;) {
		if (!i && !c->in_kernel && c->ip_heads)
			continue;
		expect_frame(&b, c->user[i], false, newest, time, !i);
	}
	for (size_t i = c->n_kernel; i-- > 0;) {
		if (!i && c->ip_heads)
			continue;
		expect_frame(&b, c->kernel[i], true, newest, time, !i);
	}
	if (c->ip_heads)
		expect_frame(&b, c->ip, c->in_kernel, newest, time, true);
	buf_u8(&b, 0);
	return (char *)b.p;
}

static void sample_one(struct fixture *f, struct expected *e,
		       const struct chain *c, uint64_t newest)
{
	uint64_t words[2 * MAX_WORDS + 2];
	size_t n = 0;

	if (c->n_kernel) {
		words[n++] = IN_KERNEL;
		memcpy(words + n, c->kernel, c->n_kernel * sizeof(*words));
		n += c->n_kernel;
	}
	if (c->n_user) {
		words[n++] = IN_USER;
		memcpy(words + n, c->user, c->n_user * sizeof(*words));
		n += c->n_user;
	}
	e->place = place(f, c->in_kernel ? KERNEL : USER, c->ip, words, n);
	e->epoch = rec_sink_epoch(f->sink);
	e->text = expected_text(c, newest, f->time,
				c->n_kernel + c->n_user >= MAX_WORDS);
}

static void any_chains_give_the_frames_they_hold(void **state)
{
	struct expected *e = calloc(SAMPLES, sizeof(*e));
	uint32_t seed = 2463534242u;
	uint64_t newest = 0;
	struct fixture f;
	struct back b;
	char path[32];

	(void)state;
	begin(&f, MAX_WORDS);
	map(&f, 0x10000, 0x20000, 0, image(&f, TF_IMAGE_ELF, "/map0"), 0);
	for (size_t i = 0; i < SAMPLES; i++) {
		struct chain c = random_chain(&seed);

		if (next(&seed) % 400 == 0) {
			newest++;
			snprintf(path, sizeof(path), "/map%llu",
				 (unsigned long long)newest);
			map(&f, 0x10000, 0x20000, 0,
			    image(&f, TF_IMAGE_ELF, path), newest * 1000);
		}
		if (next(&seed) % 1000 == 0)
			(void)rec_defs_new_epoch(&f.defs, 0);
		/* Of the mapping in force, or a little older. */
		f.time = newest * 1000 + 999;
		if (newest && next(&seed) % 4 == 0)
			f.time -= 1000;
		/* Two threads whose slots are one, and a third. */
		f.tid = (int32_t[]){ 7, 7 + 256, 8 }[next(&seed) % 3];
		sample_one(&f, &e[i], &c, newest);
	}
	read_back(&f, &b);
	for (size_t i = 0; i < SAMPLES; i++) {
		struct buf text;

		buf_init(&text, 0);
		put_place(&text, &b, e[i].epoch, &e[i].place);
		assert_string_equal((char *)text.p, e[i].text);
		buf_fini(&text);
		free(e[i].text);
	}
	back_fini(&b);
	end(&f);
	free(e);
}

static void out_of_memory_is_told(void **state)
{
	struct rec_stacks s;
	struct fixture f;

	(void)state;
	begin(&f, 127);
	for (long n = 1; n <= 2; n++) {
		failalloc_at(n);
		assert_int_equal(rec_stacks_init(&s, &f.defs, &f.kernel,
						 &f.names, 127, NULL),
				 ERR_NOMEM);
		failalloc_off();
		rec_stacks_fini(&s);
	}
	do {
		f.defs.failed = false;
		f.fail_at++;
		(void)PLACE(&f, USER, 0x10010, IN_USER, 0x10010, 0x10020);
		/* What /proc says is done without. */
		assert_true(failalloc_hit() || !f.defs.failed);
		assert_true(f.fail_at < 100);
	} while (failalloc_hit());
	assert_true(f.fail_at > 1);
	assert_int_equal(rec_sink_close(f.sink, NULL), 0);
	end(&f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_user_chain_runs_from_root_to_ip),
		cmocka_unit_test(kernel_and_user_part_are_kept_apart),
		cmocka_unit_test(a_kernel_thread_has_no_user_part),
		cmocka_unit_test(an_ip_that_heads_no_part_is_no_further_frame),
		cmocka_unit_test(a_chain_at_the_limit_hangs_under_truncated),
		cmocka_unit_test(
			the_part_that_ends_the_chain_is_the_truncated_one),
		cmocka_unit_test(a_missing_chain_is_told),
		cmocka_unit_test(an_address_that_nothing_covers_stays_as_it_is),
		cmocka_unit_test(memory_of_no_file_keeps_its_addresses),
		cmocka_unit_test(words_of_an_unknown_context_are_left_out),
		cmocka_unit_test(a_chain_as_long_as_a_record_can_hold_is_cut),
		cmocka_unit_test(a_word_is_another_frame_as_leaf_and_as_caller),
		cmocka_unit_test(a_sample_meets_the_mapping_of_its_time),
		cmocka_unit_test(a_kernel_program_is_known_from_when_it_came),
		cmocka_unit_test(an_image_gets_its_build_id_before_its_names),
		cmocka_unit_test(
			a_file_that_is_not_the_mapped_one_gives_no_build_id),
		cmocka_unit_test(any_chains_give_the_frames_they_hold),
		cmocka_unit_test(out_of_memory_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
