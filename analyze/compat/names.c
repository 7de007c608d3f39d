#include "analyze/compat/names.h"

#include <inttypes.h>
#include <string.h>

#define WORD(text) span_of(text, sizeof(text) - 1)

/* Where it is found, else text.n. */
static size_t find(struct span text, size_t from, struct span what)
{
	const uint8_t *at = from >= text.n ? NULL :
		memmem(text.p + from, text.n - from, what.p, what.n);

	return at ? (size_t)(at - text.p) : text.n;
}

static bool has(struct span text, struct span what)
{
	return find(text, 0, what) < text.n;
}

static struct span base_name(struct span path)
{
	path = span_base_name(path);
	if (span_ends(path, " (deleted)"))
		path.n -= strlen(" (deleted)");
	return path;
}

/* Modules and what perf shows in brackets, the vDSO too; vmlinux of any version
 * and place. */
static bool is_kernel(struct span dso)
{
	struct span name = base_name(dso);

	if (has(dso, WORD("unknown")))
		return false;
	return span_begins(dso, "[") || span_ends(name, ".ko") ||
	       span_ends(name, "vmlinux") || span_begins(name, "vmlinux-");
}

/* …/tmp/perf-PID.map… */
static bool is_jit(struct span dso)
{
	struct span head = WORD("/tmp/perf-");

	for (size_t at = find(dso, 0, head); at < dso.n;
	     at = find(dso, at + 1, head)) {
		size_t i = at + head.n, digits = i;

		while (i < dso.n && dso.p[i] >= '0' && dso.p[i] <= '9')
			i++;
		if (i > digits &&
		    span_begins(span_of(dso.p + i, dso.n - i), ".map"))
			return true;
	}
	return false;
}

/* "net/http.(*Client).Do": the parentheses are of the name, no arguments. */
static bool is_go_method(struct span name)
{
	size_t at = find(name, 0, WORD(".("));

	return at < name.n && find(name, at + 2, WORD(").")) < name.n;
}

/* Where the arguments begin, which are left out. */
static size_t arguments(struct span name)
{
	size_t at = find(name, 0, WORD("("));

	if (is_go_method(name))
		return name.n;
	while (at < name.n &&
	       span_begins(span_of(name.p + at, name.n - at),
			   "(anonymous namespace)"))
		at = find(name, at + 1, WORD("("));
	return at;
}

static uint8_t tidy_byte(uint8_t c)
{
	if (c == ';')
		return ':';
	return c < ' ' || c == 0x7f ? ' ' : c;
}

/* An L before a class is how the JVM writes its type. */
static void put_tidy(struct buf *to, struct span name, bool java)
{
	name.n = arguments(name);
	if (java && span_begins(name, "L") && has(name, WORD("/")))
		span_skip(&name, 1);
	for (size_t i = 0; i < name.n; i++)
		if (name.p[i] != '"' && name.p[i] != '\'')
			buf_u8(to, tidy_byte(name.p[i]));
}

static void put_image(struct buf *to, const struct an_compat_frame *f,
		      const struct an_compat_options *opt)
{
	struct span image = WORD("unknown");
	struct buf name;

	if (f->dso.n && !span_is(f->dso, "[unknown]"))
		image = base_name(f->dso);
	buf_init(&name, 0);
	buf_u8(&name, '[');
	buf_put(&name, image.p, image.n);
	if (opt->addrs)
		buf_printf(&name, " <%" PRIx64 ">", f->address);
	buf_u8(&name, ']');
	put_tidy(to, span_of(name.p, name.n), false);
	to->failed |= buf_failed(&name);
	buf_fini(&name);
}

static void put_suffix(struct buf *to, size_t from, struct span suffix)
{
	if (!has(span_of(to->p + from, to->n - from), suffix))
		buf_put(to, suffix.p, suffix.n);
}

static void put_mark(struct buf *to, size_t from, struct span dso, bool inlined,
		     const struct an_compat_options *opt)
{
	if (inlined)
		put_suffix(to, from, WORD("_[i]"));
	else if (opt->kernel && is_kernel(dso))
		buf_put(to, "_[k]", 4);
	else if (opt->jit && is_jit(dso))
		put_suffix(to, from, WORD("_[j]"));
}

/* Names of which nothing is there are only shown before others. */
static struct span without_empty_end(struct span symbol)
{
	while (span_ends(symbol, "->"))
		symbol.n -= 2;
	return symbol;
}

bool an_compat_names(struct buf *to, const struct an_compat_frame *f,
		     bool java, const struct an_compat_options *opt)
{
	struct span left = without_empty_end(f->symbol), piece;
	size_t begin = to->n;

	if (!f->symbol.n) {
		put_image(to, f, opt);
		put_mark(to, begin, f->dso, false, opt);
		return true;
	}
	if (!left.n || span_begins(left, "("))
		return false;
	for (bool inlined = false, more = true; more; inlined = true) {
		size_t n = find(left, 0, WORD("->"));

		more = n < left.n;
		span_take(&left, n, &piece);
		if (inlined)
			buf_u8(to, ';');
		begin = to->n;
		put_tidy(to, piece, java);
		put_mark(to, begin, f->dso, inlined, opt);
		span_skip(&left, 2);
	}
	return true;
}

void an_compat_command(struct buf *to, struct span comm, int32_t pid,
		       int32_t tid, const struct an_compat_options *opt)
{
	for (size_t i = 0; i < comm.n; i++) {
		uint8_t c = tidy_byte(comm.p[i]);

		buf_u8(to, c == ' ' ? '_' : c);
	}
	if (!opt->pid && !opt->tid)
		return;
	if (pid < 0)
		buf_put(to, "-?", 2);
	else
		buf_printf(to, "-%" PRId32, pid);
	if (opt->tid)
		buf_printf(to, "/%" PRId32, tid);
}

bool an_compat_is_java(struct span comm)
{
	return span_begins(comm, "java");
}
