#include "record/symbol/demangle.h"

#include "format/layout.h"

#include <libiberty/demangle.h>
#include <setjmp.h>
#include <string.h>

/* The demangler refuses names longer than 1,024 characters unless told not to
 * limit its recursion. Up to this length the stack holds it: 64 bytes of parts
 * a character, and a level of calls each. */
#define MAX_DEEP_NAME 8192

struct output {
	struct buf *to;
	int options;
	jmp_buf full;
};

/* A name of a few hundred bytes can say a readable form of gigabytes. The
 * demangler cannot be asked to stop, and keeps all that it has on the stack:
 * it is left by a jump. */
static void append(const char *text, size_t n, void *ctx)
{
	struct output *out = ctx;
	size_t room = TF_MAX_STRING - out->to->n;

	buf_put(out->to, text, n < room ? n : room);
	if (n > room || buf_failed(out->to))
		longjmp(out->full, 1);
}

static bool demangle(struct output *out, const char *name)
{
	if (setjmp(out->full))
		return true;
	if (rust_demangle_callback(name, out->options, append, out))
		return true;
	buf_clear(out->to);
	return cplus_demangle_v3_callback(name, out->options, append, out);
}

static bool looks_mangled(const char *name)
{
	return name[0] == '_' && (name[1] == 'Z' || name[1] == 'R');
}

bool rec_demangle(struct buf *out, const char *name)
{
	struct output output = { .to = out, .options = DMGL_PARAMS | DMGL_ANSI };

	buf_clear(out);
	if (!looks_mangled(name))
		return false;
	if (strnlen(name, MAX_DEEP_NAME + 1) <= MAX_DEEP_NAME)
		output.options |= DMGL_NO_RECURSE_LIMIT;
	if (!demangle(&output, name) || buf_failed(out))
		buf_clear(out);
	return out->n > 0;
}
