#include "record/proc/facts.h"

#include "format/base/buf.h"
#include "format/base/time.h"
#include "record/proc/procfs.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

static void fact(struct rec_defs *d, const char *key, const void *value,
		 size_t n)
{
	struct tf_builder *b;
	uint32_t key_id, value_id;

	if (!rec_sink_reserve_wait(d->sink))
		return;
	key_id = rec_defs_string(d, key, strlen(key));
	value_id = rec_defs_string(d, value, n);
	b = rec_sink_rows(d->sink, TF_TABLE_FACT);
	tf_builder_set(b, TF_FACT_KEY, key_id);
	tf_builder_set(b, TF_FACT_VALUE, value_id);
	if (!tf_builder_commit(b))
		d->failed = true;
}

void rec_fact_text(struct rec_defs *d, const char *key, struct span text)
{
	fact(d, key, text.p, text.n < TF_MAX_STRING ? text.n : TF_MAX_STRING);
}

void rec_fact(struct rec_defs *d, const char *key, const char *fmt, ...)
{
	char text[1024];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	fact(d, key, text, strlen(text));
}

static bool plain(const char *word)
{
	return *word && !word[strcspn(word, " \t\n'\"\\$`*?[](){}<>|&;#~")];
}

void rec_fact_file(struct rec_defs *d, const char *key, const char *root,
		   const char *path)
{
	struct buf b;

	buf_init(&b, 0);
	if (rec_procfs_read(&b, NULL, root, "%s", path) == 0 && b.n)
		rec_fact_text(d, key, span_of(b.p, b.n));
	buf_fini(&b);
}

void rec_fact_command(struct rec_defs *d, const char *key, char **argv)
{
	struct buf b;

	buf_init(&b, TF_MAX_STRING);
	for (char **word = argv; *word; word++) {
		bool quote = !plain(*word);

		if (word != argv)
			buf_u8(&b, ' ');
		if (quote)
			buf_u8(&b, '\'');
		for (const char *c = *word; *c; c++)
			if (*c == '\'')
				buf_put(&b, "'\\''", 4);
			else
				buf_u8(&b, (uint8_t)*c);
		if (quote)
			buf_u8(&b, '\'');
	}
	fact(d, key, b.p, b.n);
	buf_fini(&b);
}

static void cpu_model(struct rec_defs *d)
{
	static const char name[] = "model name";
	struct span text, line;
	struct buf b;

	buf_init(&b, (size_t)16 << 20);
	if (rec_procfs_read(&b, NULL, d->root, "/proc/cpuinfo") < 0)
		b.n = 0;
	text = span_of(b.p, b.n);
	while (rec_line(&text, &line)) {
		const uint8_t *colon;

		if (line.n < sizeof(name) ||
		    memcmp(line.p, name, sizeof(name) - 1))
			continue;
		colon = memchr(line.p, ':', line.n);
		if (colon && colon + 2 <= line.p + line.n) {
			colon += 2;
			fact(d, "cpu_model", colon,
			     (size_t)(line.p + line.n - colon));
			break;
		}
	}
	buf_fini(&b);
}

static void sysctl(struct rec_defs *d, const char *key)
{
	uint64_t v;

	if (rec_procfs_number(&v, d->root, "/proc/sys/kernel/%s", key))
		rec_fact(d, key, "%llu", (unsigned long long)v);
}

static void boot_id(struct rec_defs *d)
{
	struct span text, line;
	struct buf b;

	/* A read asks for more room than the one line takes. */
	buf_init(&b, (size_t)64 << 10);
	if (rec_procfs_read(&b, NULL, d->root,
			    "/proc/sys/kernel/random/boot_id") == 0) {
		text = span_of(b.p, b.n);
		if (rec_line(&text, &line))
			fact(d, "boot_id", line.p, line.n);
	}
	buf_fini(&b);
}

void rec_facts_machine(struct rec_defs *d)
{
	struct utsname u;

	if (uname(&u) == 0) {
		rec_fact(d, "arch", "%s", u.machine);
		rec_fact(d, "kernel", "%s", u.release);
		rec_fact(d, "kernel_version", "%s", u.version);
		rec_fact(d, "hostname", "%s", u.nodename);
	}
	boot_id(d);
	rec_fact(d, "cpus", "%ld", sysconf(_SC_NPROCESSORS_ONLN));
	rec_fact(d, "page_size", "%ld", sysconf(_SC_PAGESIZE));
	rec_fact(d, "pointer_size", "%zu", sizeof(void *));
	rec_fact(d, "clock", "monotonic");
	cpu_model(d);
	sysctl(d, "perf_event_paranoid");
	sysctl(d, "kptr_restrict");
	sysctl(d, "perf_event_max_stack");
}

/* The reading whose two looks at the monotonic clock were closest together is
 * the one that was interrupted least. */
void rec_clock_reading(struct rec_defs *d)
{
	uint64_t best = UINT64_MAX, mono = 0, real = 0, boot = 0;
	struct tf_builder *b;

	for (int i = 0; i < 3; i++) {
		uint64_t before = time_now_ns(CLOCK_MONOTONIC);
		uint64_t r = time_now_ns(CLOCK_REALTIME);
		uint64_t t = time_now_ns(CLOCK_BOOTTIME);
		uint64_t after = time_now_ns(CLOCK_MONOTONIC);

		if (after - before >= best)
			continue;
		best = after - before;
		mono = before + best / 2;
		real = r;
		boot = t;
	}
	if (!rec_sink_reserve_wait(d->sink))
		return;
	b = rec_sink_rows(d->sink, TF_TABLE_CLOCK);
	tf_builder_set(b, TF_CLOCK_MONOTONIC, mono);
	tf_builder_set(b, TF_CLOCK_REALTIME, real);
	tf_builder_set(b, TF_CLOCK_BOOTTIME, boot);
	if (!tf_builder_commit(b))
		d->failed = true;
}
