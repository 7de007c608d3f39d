#include "record/import/text/frame.h"

#include "format/base/mem.h"
#include "record/import/text/scan.h"

/* perf prints an address in as many columns, right-aligned. */
#define ADDRESS_WIDTH 16

/* The last group in parentheses that a blank, or nothing, stands before; inside
 * it others may be nested: "(/memfd:x (deleted))". false: the line ends with
 * none. */
static bool last_group(struct span s, size_t *at)
{
	unsigned depth = 0;
	size_t i;

	if (!s.n || s.p[s.n - 1] != ')')
		return false;
	for (i = s.n; i; i--) {
		if (s.p[i - 1] == ')')
			depth++;
		else if (s.p[i - 1] == '(' && !--depth)
			break;
	}
	*at = i - 1;
	if (i && (i == 1 || rec_text_blank(s.p[i - 2])))
		return true;
	/* Not balanced: what follows the last " (". */
	for (i = s.n; i > 1; i--)
		if (s.p[i - 1] == '(' && rec_text_blank(s.p[i - 2])) {
			*at = i - 1;
			return true;
		}
	return false;
}

/* Takes "+0x1f" from the end. */
static bool take_offset(struct span *s, uint64_t *offset)
{
	size_t i = s->n;

	while (i && rec_text_hex_digit(s->p[i - 1]) < 16)
		i--;
	if (i == s->n || i < 3 || memcmp(s->p + i - 3, "+0x", 3) != 0 ||
	    !rec_text_hex(rec_text_from(*s, i), offset))
		return false;
	s->n = i - 3;
	return true;
}

/* Takes the address from the front. `lead`: blanks before it. */
static bool take_address(struct span *s, size_t lead, uint64_t *out)
{
	size_t i = 0;
	uint64_t v = 0;
	bool digits = false;

	for (; i < s->n; i++) {
		unsigned d = rec_text_hex_digit(s->p[i]);

		if (d > 15)
			break;
		v = v << 4 | d;
		digits |= rec_text_digit(s->p[i]);
	}
	if (!i || i > 16 || (i < s->n && !rec_text_blank(s->p[i])))
		return false;
	/* A function may be called "add". */
	if (!digits && lead + i < ADDRESS_WIDTH) {
		struct span rest = rec_text_skip_blanks(rec_text_from(*s, i));

		if (!rest.n || rest.p[0] == '(')
			return false;
	}
	*out = v;
	*s = rec_text_skip_blanks(rec_text_from(*s, i));
	return true;
}

static void take_image(struct span *s, struct rec_text_frame *out)
{
	uint64_t in_image;
	struct span group;
	size_t at;

	if (!last_group(*s, &at))
		return;
	group = span_of(s->p + at + 1, s->n - at - 2);
	*s = rec_text_cut_blanks(span_of(s->p, at));
	if (span_is(group, "inlined")) {
		out->inlined = true;
		return;
	}
	/* Of perf script -F dsoff. */
	(void)take_offset(&group, &in_image);
	if (!span_is(group, "[unknown]"))
		out->image = group;
}

bool rec_text_frame(struct span line, struct rec_text_frame *out)
{
	struct span s = rec_text_skip_blanks(line);
	size_t lead = line.n - s.n;

	*out = (struct rec_text_frame){ 0 };
	s = rec_text_cut_blanks(s);
	if (!s.n)
		return false;
	out->has_address = take_address(&s, lead, &out->address);
	take_image(&s, out);
	/* Without an address, it takes both of the others to believe it. */
	if (!out->has_address && (!s.n || s.p + s.n == line.p + line.n))
		return false;
	out->has_offset = take_offset(&s, &out->offset);
	if (!span_is(s, "[unknown]"))
		out->symbol = s;
	return true;
}

bool rec_text_is_source_line(struct span line)
{
	size_t i = line.n;

	if (line.n < 4 || line.p[0] != ' ' || line.p[1] != ' ')
		return false;
	if (line.p[i - 1] == ']') {
		for (i--; i && rec_text_hex_digit(line.p[i - 1]) < 16; i--)
			;
		return i > 2 && i < line.n - 1 && line.p[i - 1] == '[';
	}
	while (i && rec_text_digit(line.p[i - 1]))
		i--;
	return i > 2 && i < line.n && line.p[i - 1] == ':';
}

static bool is_vmlinux(struct span image)
{
	const uint8_t *slash = image.n ? memrchr(image.p, '/', image.n) : NULL;

	if (slash)
		image = rec_text_from(image, (size_t)(slash - image.p) + 1);
	return span_begins(image, "vmlinux") ||
	       span_begins(image, "vmlinuz");
}

static bool is_module(struct span image)
{
	static const char *const ends[] = { ".ko", ".ko.xz", ".ko.gz",
					    ".ko.zst", ".ko.debug" };

	for (size_t i = 0; i < ARRAY_LEN(ends); i++)
		if (span_ends(image, ends[i]))
			return true;
	return false;
}

/* "[ext4]", but not "[vdso]", "[JIT] tid 12", "[stack]" … */
static bool is_bracketed(struct span image)
{
	static const char *const user[] = {
		"[vdso", "[vsyscall", "[heap", "[stack", "[anon", "[JIT",
		"[uprobes", "[unknown", "[vvar", "[sigpage", "[vectors",
		"[inlined", "[jit",
	};

	if (!span_begins(image, "[") || !span_ends(image, "]"))
		return false;
	for (size_t i = 0; i < ARRAY_LEN(user); i++)
		if (span_begins(image, user[i]))
			return false;
	return true;
}

bool rec_text_in_kernel(struct span image, uint64_t address, bool has_address)
{
	/* A file could be called so, too. The upper half of 64 bits is the
	 * kernel's. */
	if (span_begins(image, "bpf_"))
		return has_address && address >= 0xffff000000000000u;
	return is_bracketed(image) || is_vmlinux(image) || is_module(image);
}
