/* Writes the traces that golden tests read: mkfixtures FOLDER. What is in each
 * of them is plain to see below, so that expected numbers can be added up by
 * hand. */
#include "tests/support/countertrace.h"
#include "tests/support/findingtrace.h"
#include "tests/support/callstrace.h"
#include "tests/support/points.h"
#include "tests/support/tracebuild.h"

#include "format/base/mem.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MS 1000000ull
#define START (100ull * 1000 * MS)

static const struct tb_image images[] = {
	{ "app", TF_IMAGE_ELF, "/usr/bin/app", "app-build-id-0000001", 0 },
	{ "libc", TF_IMAGE_ELF, "/usr/lib/libc.so.6", "libc-build-id-000001",
	  0 },
	{ "kernel", TF_IMAGE_KERNEL, "[kernel.kallsyms]", NULL, 0 },
	{ "ext4", TF_IMAGE_MODULE, "[ext4]", NULL, 0 },
	{ "vdso", TF_IMAGE_VDSO, "[vdso]", NULL, 0 },
	{ "stripped", TF_IMAGE_ELF, "/opt/libphp5.so", NULL, 0 },
	{ "jit", TF_IMAGE_ANON, "//anon", NULL, 1 },
	{ "nowhere", TF_IMAGE_UNKNOWN, "", NULL, 0 },
	{ "cut", TF_IMAGE_SPECIAL, "[truncated]", NULL, 0 },
};

static const struct tb_symbol symbols[] = {
	{ "app", "main", 0x1000, 0x100, NULL },
	{ "app", "parse", 0x1100, 0x80, NULL },
	{ "app", "sort<int, char>", 0x1180, 0x80, "_Z4sortIicE" },
	{ "app", "hash", 0x1200, 0x40, NULL },
	{ "libc", "read", 0x20000, 0x40, NULL },
	{ "libc", "memcpy", 0x20100, 0x40, NULL },
	{ "libc", "_start", 0x20200, 0x30, NULL },
	{ "kernel", "entry_SYSCALL_64", 0x100, 0x100, NULL },
	{ "kernel", "ksys_read", 0x4000, 0x80, NULL },
	{ "ext4", "ext4_read", 0x40, 0x100, NULL },
	{ "vdso", "clock_gettime", 0x800, 0x100, NULL },
	{ "cut", "[truncated]", 0, 1, NULL },
};

static const struct tb_thread threads[] = {
	{ 1000, 1000, "app", START - 5 * MS },
	{ 1001, 1000, "worker 12", START },
	{ 1002, 1000, "worker 12", START },
	{ 2000, 2000, "php", START },
};

static const struct tb_event clock_event[] = {
	{ "cpu-clock", "ns", 1, 0, 1000, 0, true },
};

static const struct tb_event two_events[] = {
	{ "cpu-clock", "ns", 1, 0, 1000, 0, true },
	{ "page-faults", "", 1, 2, 0, 1, true },
	{ "context-switches", "", 1, 3, 0, 1, false },
};

/* 20 samples of 1 ms: 8 hash, 4 memcpy under parse, 3 memcpy under sort, 2
 * ext4_read, 1 ksys_read, 1 sort itself, 1 clock_gettime. */
static const struct tb_sample basic[] = {
	{ START + 0 * MS, 0, 0, 0, MS, "_start;main;hash+0x10", NULL, 0, 5 },
	{ START + 1 * MS, 0, 0, 0, MS, "_start;main;parse;memcpy+0x8", NULL, 0,
	  4 },
	{ START + 2 * MS, 1, 1, 0, MS, "main;sort<int, char>;memcpy", NULL, 0,
	  3 },
	{ START + 3 * MS, 1, 1, 0, MS, "main;hash+0x10", NULL, 0, 2 },
	{ START + 4 * MS, 0, 2, 0, MS, "main;hash+0x14", NULL, 0, 1 },
	{ START + 5 * MS, 0, 0, 0, MS, "_start;main;parse;read",
	  "entry_SYSCALL_64;ksys_read;ext4_read+0x20", 0, 2 },
	{ START + 6 * MS, 0, 0, 0, MS, "_start;main;parse;read",
	  "entry_SYSCALL_64;ksys_read+0x30", 0, 1 },
	{ START + 7 * MS, 1, 2, 0, MS, "main;sort<int, char>+0x7f", NULL, 0,
	  1 },
	{ START + 8 * MS, 1, 2, 0, MS, "main;clock_gettime", NULL, 0, 1 },
};

/* Recursion: fold must not be doubled by whoever counts children. */
static const struct tb_sample recursion[] = {
	{ START, 0, 0, 0, MS, "main;parse;parse;parse+0x2", NULL, 0, 3 },
	{ START + MS, 0, 0, 0, MS, "main;parse;hash;parse+0x2", NULL, 0, 1 },
};

static const struct tb_sample several[] = {
	{ START + 0 * MS, 0, 0, 0, MS, "main;hash", NULL, 0, 3 },
	{ START + 1 * MS, 0, 0, 1, 1, "main;parse", NULL, 0, 7 },
	{ START + 2 * MS, 1, 1, 0, MS, "main;parse", NULL, 0, 1 },
};

/* The second epoch meets everything in another order. */
static const struct tb_sample later[] = {
	{ START + 20 * MS, 1, 2, 0, MS, "main;clock_gettime", NULL, 0, 1 },
	{ START + 21 * MS, 0, 1, 0, MS, "main;sort<int, char>;memcpy", NULL, 0,
	  2 },
	{ START + 22 * MS, 0, 0, 0, MS, "_start;main;parse;read",
	  "entry_SYSCALL_64;ksys_read;ext4_read+0x20", 0, 2 },
	{ START + 23 * MS, 0, 0, 0, MS, "_start;main;hash+0x10", NULL, 0, 5 },
};

static const struct tb_sample nameless[] = {
	{ START + 0 * MS, 0, 3, 0, MS, "main;stripped@0x2b20e5", NULL, 0, 2 },
	{ START + 1 * MS, 0, 3, 0, MS, "main;stripped@0x2b2100", NULL, 0, 1 },
	{ START + 2 * MS, 0, 3, 0, MS, "main;nowhere@0xdeadbeef", NULL, 0, 1 },
	{ START + 3 * MS, 0, 3, 0, MS, "main;jit@0x7f0000001000", NULL, 0, 1 },
	{ START + 4 * MS, 0, 3, 0, MS, "main;read", "kernel@0x9000", 0, 1 },
	{ START + 5 * MS, 0, 3, 0, MS, "[truncated];hash;hash;hash", NULL,
	  TF_SAMPLE_TRUNCATED, 3 },
	{ START + 6 * MS, 0, 3, 0, MS, "hash", NULL, TF_SAMPLE_NO_CHAIN, 1 },
};

/* One address that is nowhere, met in both halves: the user's is garbage out of
 * a broken chain, as high as the kernel's are. 4 in user mode, 3 called from
 * user code with it in the chain, 2 in the kernel, 1 called by it there. */
static const struct tb_sample halves[] = {
	{ START + 0 * MS, 0, 0, 0, MS, "main;nowhere@0xffff800000001000", NULL,
	  0, 4 },
	{ START + 1 * MS, 0, 0, 0, MS, "main;nowhere@0xffff800000001000;hash",
	  NULL, 0, 3 },
	{ START + 2 * MS, 0, 0, 0, MS, "main;read",
	  "entry_SYSCALL_64;nowhere@0xffff800000001000", 0, 2 },
	{ START + 3 * MS, 0, 0, 0, MS, "main;read",
	  "entry_SYSCALL_64;nowhere@0xffff800000001000;ksys_read", 0, 1 },
};

static const struct tb_sample kernel_nameless[] = {
	{ START + 0 * MS, 0, 0, 0, MS, "main;read", "kernel@0x9000", 0, 3 },
	{ START + 1 * MS, 0, 0, 0, MS, "main;hash", NULL, 0, 1 },
};

/* Of the fourth segment of a recording whose third one is gone. */
static const struct tb_sample much_later[] = {
	{ START + 500 * MS, 0, 0, 0, MS, "_start;main;hash+0x10", NULL, 0, 2 },
};

static const struct tb_symbol evil_symbols[] = {
	{ "app", "main", 0x1000, 0x100, NULL },
	{ "app", "a_b\x1b[31mred", 0x1100, 0x10, NULL },
	{ "app", "line\nbreak", 0x1110, 0x10, NULL },
	{ "app", "quote\"<&>'", 0x1120, 0x10, NULL },
	{ "app", "bad\xff\xfeutf8", 0x1130, 0x10, NULL },
	{ "app", "f\303\274r \346\274\242", 0x1140, 0x10, NULL },
	{ "app", "comma,\"csv\"", 0x1150, 0x10, NULL },
};
static const struct tb_thread evil_threads[] = {
	{ 7, 7, "semi;colon 9", START },
	{ 8, 8, "", START },
};
static const struct tb_sample evil[] = {
	{ START + 0, 0, 0, 0, MS, "main;a_b\x1b[31mred", NULL, 0, 1 },
	{ START + 1, 0, 0, 0, MS, "main;line\nbreak", NULL, 0, 2 },
	{ START + 2, 0, 1, 0, MS, "main;quote\"<&>'", NULL, 0, 3 },
	{ START + 3, 0, 1, 0, MS, "main;bad\xff\xfeutf8", NULL, 0, 4 },
	{ START + 4, 0, 1, 0, MS, "main;f\303\274r \346\274\242", NULL, 0, 5 },
	{ START + 5, 0, 1, 0, MS, "main;comma,\"csv\"", NULL, 0, 6 },
};

static const struct tb_loss some_losses[] = {
	{ START + 9 * MS, 5, TF_LOSS_RING, 0, 1 },
	{ START + 10 * MS, 3, TF_LOSS_RING, -1, -1 },
	{ START + 10 * MS, 2, TF_LOSS_THROTTLED, 0, 0 },
	{ START + 11 * MS, 0, TF_LOSS_UNKNOWN_END, -1, -1 },
};

static const struct tb_clock clocks[] = {
	{ START, 1700000000ull * 1000 * MS, START + 50 * MS },
	{ START + 30 * MS, 1700000000ull * 1000 * MS + 30 * MS,
	  START + 80 * MS },
};

static const struct tb_fact facts[] = {
	{ "version", "0.1" },
	{ "command", "rec -F 1000 -g -- app" },
	{ "arch", "x86_64" },
	{ "kernel", "6.1.0-test" },
	{ "hostname", "fixture" },
	{ "cpus", "2" },
	{ "page_size", "4096" },
	{ "clock", "monotonic" },
};

/* Readings at the begin and the end of each segment. */
#define FROM_TO(a, b)                                                          \
	{                                                                      \
		{ START + (a)*MS, (1700000000ull * 1000 + (a)) * MS,           \
		  START + (50 + (a)) * MS },                                   \
		{ START + (b)*MS, (1700000000ull * 1000 + (b)) * MS,           \
		  START + (50 + (b)) * MS },                                   \
	}
static const struct tb_clock first_clocks[] = FROM_TO(0, 10);
static const struct tb_clock second_clocks[] = FROM_TO(10, 30);
static const struct tb_clock fourth_clocks[] = FROM_TO(480, 510);
static const struct tb_clock alone_clocks[] = FROM_TO(20, 24);

#define SEGMENT(n)                                                             \
	{                                                                      \
		{ "recording", "5e9" }, { "segment", n },                      \
		{ "boot_id", "b007" }, { "hostname", "fixture" },              \
	}
static const struct tb_fact first_facts[] = SEGMENT("1");
static const struct tb_fact second_facts[] = SEGMENT("2");
static const struct tb_fact fourth_facts[] = SEGMENT("4");
static const struct tb_fact alone_facts[] = {
	{ "boot_id", "b007" }, { "hostname", "fixture" },
};
static const struct tb_fact elsewhere_facts[] = {
	{ "boot_id", "b008" }, { "hostname", "fixture" },
};

/* Two machines whose monotonic clocks show the same while their real ones are
 * 5 s apart; one of each drifts, by 100 and 40 us. */
static const struct tb_clock alpha_clocks[] = {
	{ START, 1700000000ull * 1000 * MS, START },
	{ START + 10 * MS, 1700000000ull * 1000 * MS + 10 * MS + 100000,
	  START + 10 * MS },
};
static const struct tb_clock beta_clocks[] = {
	{ START, 1700000005ull * 1000 * MS, START },
	{ START + 10 * MS, 1700000005ull * 1000 * MS + 10 * MS + 40000,
	  START + 10 * MS },
};
/* Its rows were 100 s before the monotonic clock of alpha began. */
static const struct tb_clock gamma_clocks[] = {
	{ START, 1699999800ull * 1000 * MS, START },
	{ START + 10 * MS, 1699999800ull * 1000 * MS + 10 * MS,
	  START + 10 * MS },
};
static const struct tb_fact gamma_facts[] = {
	{ "boot_id", "c3" }, { "hostname", "gamma" }, { "arch", "x86_64" },
};
static const struct tb_fact alpha_facts[] = {
	{ "boot_id", "a1" }, { "hostname", "alpha" }, { "arch", "x86_64" },
	{ "command", "rec -a" },
};
static const struct tb_fact beta_facts[] = {
	{ "boot_id", "b2" }, { "hostname", "beta" }, { "arch", "x86_64" },
	{ "command", "rec -a -g" }, { "incomplete", "the disk was full" },
	{ "note.kernel_names", "kallsyms shows no addresses" },
};

static const struct tb_fact user_facts[] = {
	{ "command", "rec -- app" },
	{ "user_only", "1" },
	{ "note.sampling", "the rate was lowered to 1000 Hz" },
};

static const struct tb_fact hidden_facts[] = {
	{ "command", "rec -- app" },
	{ "note.kernel_names", "kallsyms shows no addresses" },
};

static const struct tb_fact incomplete_facts[] = {
	{ "command", "rec -- app" },
	{ "ended_by", "output failed" },
	{ "incomplete", "the disk was full" },
	{ "unasked_addresses", "3" },
};

#define EPOCH(a) { a, ARRAY_LEN(a) }

static const struct tb_epoch basic_epoch[] = { EPOCH(basic) };
static const struct tb_epoch alpha_epoch[] = { EPOCH(basic) };
static const struct tb_epoch beta_epoch[] = { EPOCH(basic) };
static const struct tb_epoch later_epoch[] = { EPOCH(later) };
static const struct tb_epoch much_later_epoch[] = { EPOCH(much_later) };
static const struct tb_epoch both_epochs[] = { EPOCH(basic), EPOCH(later) };
static const struct tb_epoch recursion_epoch[] = { EPOCH(recursion) };
static const struct tb_epoch several_epoch[] = { EPOCH(several) };
static const struct tb_epoch nameless_epoch[] = { EPOCH(nameless) };
static const struct tb_epoch evil_epoch[] = { EPOCH(evil) };
static const struct tb_epoch halves_epoch[] = { EPOCH(halves) };
static const struct tb_epoch kernel_nameless_epoch[] = {
	EPOCH(kernel_nameless),
};

/* With facts of its own. */
#define BARE                                                                   \
	.images = images, .n_images = ARRAY_LEN(images),                       \
	.symbols = symbols, .n_symbols = ARRAY_LEN(symbols),                   \
	.threads = threads, .n_threads = ARRAY_LEN(threads),                   \
	.events = clock_event, .n_events = ARRAY_LEN(clock_event)

#define COMMON                                                                 \
	.images = images, .n_images = ARRAY_LEN(images),                       \
	.symbols = symbols, .n_symbols = ARRAY_LEN(symbols),                   \
	.threads = threads, .n_threads = ARRAY_LEN(threads),                   \
	.events = clock_event, .n_events = ARRAY_LEN(clock_event),             \
	.clocks = clocks, .n_clocks = ARRAY_LEN(clocks),                       \
	.facts = facts, .n_facts = ARRAY_LEN(facts),                           \
	.start_unix_ns = 1700000000ull * 1000 * MS

/* A file among others, which began so many seconds after the first. */
#define AMONG(number, name, after)                                             \
	BARE, .epochs = name##_epoch, .n_epochs = 1, .id = number,             \
	.start_unix_ns = (1700000000ull + after) * 1000 * MS
#define TELLS(name)                                                            \
	.clocks = name##_clocks, .n_clocks = ARRAY_LEN(name##_clocks),         \
	.facts = name##_facts, .n_facts = ARRAY_LEN(name##_facts)

enum wound { WHOLE, CUT, FLIPPED, HOLE };

struct fixture {
	const char *name;
	struct tb_trace trace;
	enum wound wound;
	size_t at; /* CUT: bytes taken off the end; else: offset */
};

static const struct fixture fixtures[] = {
	{ "basic", { COMMON, .epochs = basic_epoch, .n_epochs = 1 }, WHOLE, 0 },
	{ "epochs", { COMMON, .epochs = both_epochs, .n_epochs = 2,
		      .part_samples = 4 }, WHOLE, 0 },
	{ "alpha", { AMONG(21, alpha, 0), TELLS(alpha) }, WHOLE, 0 },
	{ "beta", { AMONG(22, beta, 5), TELLS(beta) }, WHOLE, 0 },
	{ "gamma", { AMONG(23, beta, 0), TELLS(gamma) }, WHOLE, 0 },
	{ "recursion", { COMMON, .epochs = recursion_epoch, .n_epochs = 1 },
	  WHOLE, 0 },
	{ "events", { .images = images, .n_images = ARRAY_LEN(images),
		      .symbols = symbols, .n_symbols = ARRAY_LEN(symbols),
		      .threads = threads, .n_threads = ARRAY_LEN(threads),
		      .events = two_events, .n_events = ARRAY_LEN(two_events),
		      .epochs = several_epoch, .n_epochs = 1 }, WHOLE, 0 },
	{ "nameless", { COMMON, .epochs = nameless_epoch, .n_epochs = 1 },
	  WHOLE, 0 },
	{ "evil", { .images = images, .n_images = ARRAY_LEN(images),
		    .symbols = evil_symbols,
		    .n_symbols = ARRAY_LEN(evil_symbols),
		    .threads = evil_threads,
		    .n_threads = ARRAY_LEN(evil_threads),
		    .events = clock_event, .n_events = ARRAY_LEN(clock_event),
		    .epochs = evil_epoch, .n_epochs = 1 }, WHOLE, 0 },
	{ "lossy", { COMMON, .epochs = basic_epoch, .n_epochs = 1,
		     .losses = some_losses,
		     .n_losses = ARRAY_LEN(some_losses) }, WHOLE, 0 },
	{ "useronly", { .images = images, .n_images = ARRAY_LEN(images),
			.symbols = symbols, .n_symbols = ARRAY_LEN(symbols),
			.threads = threads, .n_threads = ARRAY_LEN(threads),
			.events = clock_event,
			.n_events = ARRAY_LEN(clock_event),
			.epochs = recursion_epoch, .n_epochs = 1,
			.facts = user_facts,
			.n_facts = ARRAY_LEN(user_facts) }, WHOLE, 0 },
	{ "halves", { COMMON, .epochs = halves_epoch, .n_epochs = 1 }, WHOLE,
	  0 },
	{ "hidden", { BARE, .epochs = kernel_nameless_epoch, .n_epochs = 1,
		      .facts = hidden_facts,
		      .n_facts = ARRAY_LEN(hidden_facts) }, WHOLE, 0 },
	{ "early", { COMMON, .epochs = kernel_nameless_epoch, .n_epochs = 1,
		     .unclosed = true }, WHOLE, 0 },
	{ "incomplete", { BARE, .epochs = recursion_epoch, .n_epochs = 1,
			  .facts = incomplete_facts,
			  .n_facts = ARRAY_LEN(incomplete_facts) }, WHOLE, 0 },
	{ "eventless", { .images = images, .n_images = ARRAY_LEN(images),
			 .symbols = symbols, .n_symbols = ARRAY_LEN(symbols),
			 .threads = threads, .n_threads = ARRAY_LEN(threads),
			 .events = two_events,
			 .n_events = ARRAY_LEN(two_events),
			 .epochs = several_epoch, .n_epochs = 1 }, FLIPPED, 1 },
	{ "empty", { COMMON }, WHOLE, 0 },
	/* The wall clock was set back between the first two. */
	{ "first", { AMONG(1, basic, 100), TELLS(first) }, WHOLE, 0 },
	{ "second", { AMONG(2, later, 50), TELLS(second) }, WHOLE, 0 },
	{ "fourth", { AMONG(4, much_later, 200), TELLS(fourth) }, WHOLE, 0 },
	{ "fourth_open", { AMONG(4, much_later, 200), TELLS(fourth),
			   .unclosed = true }, WHOLE, 0 },
	{ "second_hole", { AMONG(2, later, 50), TELLS(second),
			   .part_samples = 4 }, HOLE, 3 },
	{ "alone", { AMONG(5, later, 60), TELLS(alone) }, WHOLE, 0 },
	{ "elsewhere", { AMONG(6, later, 300), .clocks = clocks,
			 .n_clocks = ARRAY_LEN(clocks),
			 .facts = elsewhere_facts,
			 .n_facts = ARRAY_LEN(elsewhere_facts) }, WHOLE, 0 },
	{ "unclosed", { COMMON, .epochs = basic_epoch, .n_epochs = 1,
			.part_samples = 8, .unclosed = true }, WHOLE, 0 },
	{ "cut", { COMMON, .epochs = both_epochs, .n_epochs = 2,
		   .part_samples = 4, .unclosed = true }, CUT, 40 },
	{ "flipped", { COMMON, .epochs = both_epochs, .n_epochs = 2,
		       .part_samples = 4 }, FLIPPED, 6 },
	{ "hole", { COMMON, .epochs = both_epochs, .n_epochs = 2,
		    .part_samples = 4 }, HOLE, 6 },
};

/* Offset of the n-th chunk. */
static size_t chunk_at(const struct buf *b, size_t n)
{
	size_t at = 0;

	do {
		at += 8;
		while (at + 4 <= b->n && memcmp(b->p + at, "CHNK", 4) != 0)
			at += 8;
	} while (n-- && at + 4 <= b->n);
	return at;
}

static void wound(const struct fixture *f, struct buf *b)
{
	size_t at = f->wound == WHOLE ? 0 : chunk_at(b, f->at);

	switch (f->wound) {
	case WHOLE:
		break;
	case CUT:
		b->n -= f->at;
		break;
	case FLIPPED: /* in the body */
		b->p[chunk_at(b, f->at + 1) - 9] ^= 0x10;
		break;
	case HOLE: /* the header is gone */
		memset(b->p + at, 0, 16);
		break;
	}
}

static int write_points(const char *folder, struct err *err)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s/points.ctr", folder);
	return tp_write(&points_trace, path, err);
}

static const struct {
	const char *name;
	const struct tb_trace *trace;
} counter_traces[] = {
	{ "counters", &countertrace_i915 },
	{ "pmu", &countertrace_pmu },
	{ "runs", &countertrace_runs },
	{ "clients", &countertrace_clients },
	{ "media", &findingtrace_media },
	{ "nvidia", &findingtrace_nvidia },
};

static int write_counters(const char *folder, struct err *err)
{
	char path[4096];
	int rc = 0;

	for (size_t i = 0; i < ARRAY_LEN(counter_traces) && !rc; i++) {
		snprintf(path, sizeof(path), "%s/%s.ctr", folder,
			 counter_traces[i].name);
		rc = tb_write(counter_traces[i].trace, path, err);
	}
	return rc;
}

static int write_calls(const char *folder, struct err *err)
{
	char path[4096];

	snprintf(path, sizeof(path), "%s/calls.ctr", folder);
	return calls_trace_write(path, err);
}

static int write_fixture(const struct fixture *f, const char *folder,
			 struct err *err)
{
	char path[4096];
	struct buf b;
	FILE *to;
	int rc;

	buf_init(&b, 0);
	rc = tb_build(&f->trace, &b, err);
	if (rc)
		goto out;
	wound(f, &b);
	snprintf(path, sizeof(path), "%s/%s.ctr", folder, f->name);
	to = fopen(path, "w");
	if (!to || fwrite(b.p, 1, b.n, to) != b.n)
		rc = err_set(err, ERR_IO, "cannot write '%s'", path);
	if (to && fclose(to) && !rc)
		rc = err_set(err, ERR_IO, "cannot write '%s'", path);
out:
	buf_fini(&b);
	return rc;
}

int main(int argc, char **argv)
{
	struct err err = { 0 };

	if (argc != 2) {
		fputs("usage: mkfixtures FOLDER\n", stderr);
		return 2;
	}
	for (size_t i = 0; i < ARRAY_LEN(fixtures); i++)
		if (write_fixture(&fixtures[i], argv[1], &err)) {
			fprintf(stderr, "%s: %s\n", fixtures[i].name,
				err.text);
			return 1;
		}
	if (write_points(argv[1], &err) || write_calls(argv[1], &err)) {
		fprintf(stderr, "%s\n", err.text);
		return 1;
	}
	if (write_counters(argv[1], &err)) {
		fprintf(stderr, "counters: %s\n", err.text);
		return 1;
	}
	return 0;
}
