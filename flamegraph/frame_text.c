/* How a frame is spelled in folded text. */
#include "frame_text.h"

#include "utf8.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define SUFFIX_SIZE 4

static const char empty_name[] = "[empty]";

static const char *const suffixes[FG_N_KINDS] = {
	[FG_USER] = "",		[FG_KERNEL] = "_[k]",	[FG_JIT] = "_[j]",
	[FG_INLINED] = "_[i]",	[FG_PROCESS] = "",	[FG_SPECIAL] = "",
};

const char *fg_kind_suffix(enum fg_kind kind)
{
	return suffixes[kind];
}

/* The kind that the end of a spelling tells, FG_USER for none. */
static enum fg_kind kind_of_suffix(const char *s, size_t size)
{
	for (int kind = 0; kind < FG_N_KINDS; kind++)
		if (suffixes[kind][0] && !memcmp(s + size - SUFFIX_SIZE,
						 suffixes[kind], SUFFIX_SIZE))
			return (enum fg_kind)kind;
	return FG_USER;
}

int fg_frame_spelled(struct fg_tree *tree, const char *s, size_t size,
		     uint32_t *out)
{
	enum fg_kind kind = FG_USER;

	if (!size)
		return fg_frame(tree, empty_name, sizeof(empty_name) - 1,
				FG_SPECIAL, out);
	if (size > SUFFIX_SIZE && s[size - 1] == ']')
		kind = kind_of_suffix(s, size);
	if (kind != FG_USER)
		size -= SUFFIX_SIZE;
	else if (size > 2 && s[0] == '[' && s[size - 1] == ']')
		kind = FG_SPECIAL;
	return fg_frame(tree, s, size, kind, out);
}

/* What stands in a folded line for the character `c`: no ';', no controls, and
 * nothing that a reader takes for a byte order mark. */
static uint32_t safe_char(uint32_t c)
{
	if (c == ';')
		return ':';
	return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0xfeff ? ' ' : c;
}

/* Writes at `to`, which has room for 3 * size. Blanks at the end are left out:
 * a reader could not tell them from those before the count. */
static size_t safe_name(const char *name, size_t size, char *to)
{
	size_t n = 0;
	uint32_t c;

	for (size_t i = 0; i < size;) {
		i += utf8_take(name + i, size - i, &c);
		n += utf8_put(safe_char(c), to + n);
	}
	while (n && to[n - 1] == ' ')
		n--;
	return n;
}

int fg_frame_safe(const struct fg_tree *t, uint32_t frame, struct fg_tree *dst,
		  uint32_t *out)
{
	const struct fg_frame *f = &t->frames[frame];
	const char *suffix = suffixes[f->kind];
	size_t cap, size;
	char *s;
	int rc;

	if (__builtin_mul_overflow(f->size, (size_t)3, &cap) ||
	    __builtin_add_overflow(cap, sizeof(empty_name) + SUFFIX_SIZE, &cap))
		return -EOVERFLOW;
	s = malloc(cap);
	if (!s)
		return -ENOMEM;
	size = safe_name(tree_name(t, frame), f->size, s);
	if (!size) {
		size = sizeof(empty_name) - 1;
		memcpy(s, empty_name, size);
	}
	memcpy(s + size, suffix, strlen(suffix));
	rc = fg_frame_spelled(dst, s, size + strlen(suffix), out);
	free(s);
	return rc;
}
