#include "record/import/text/folded_line.h"

#include "format/base/mem.h"
#include "record/import/text/scan.h"

static bool add_digit(uint64_t *v, uint8_t digit)
{
	uint64_t more;

	if (ckd_mul(&more, *v, (uint64_t)10) ||
	    ckd_add(&more, more, (uint64_t)(digit - '0')))
		return false;
	*v = more;
	return true;
}

/* "12", "12.5", ".5". Decimals that do not fit any more are left out. */
static bool count(struct span s, struct rec_text_count *out)
{
	bool point = false, full = false, any = false;

	*out = (struct rec_text_count){ 0 };
	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] == '.' && !point) {
			point = true;
			continue;
		}
		if (!rec_text_digit(s.p[i]))
			return false;
		any = true;
		full = full || !add_digit(&out->digits, s.p[i]);
		if (full && !point)
			return false;
		out->decimals += point && !full;
	}
	while (out->decimals && out->digits % 10 == 0) {
		out->digits /= 10;
		out->decimals--;
	}
	return any;
}

bool rec_text_folded(struct span line, unsigned n, struct rec_text_folded *out)
{
	struct rec_text_folded f = { 0 };
	struct span s = line, word;

	for (unsigned i = n; i--;)
		if (!rec_text_last_word(&s, &word) ||
		    !count(word, &f.counts[i]))
			return false;
	f.stack = rec_text_trim(s);
	if (!f.stack.n)
		return false;
	*out = f;
	return true;
}

bool rec_text_count_scale(const struct rec_text_count *c, unsigned decimals,
			  uint64_t *out)
{
	*out = c->digits;
	for (unsigned i = c->decimals; i < decimals; i++)
		if (ckd_mul(out, *out, (uint64_t)10))
			return false;
	return true;
}

void rec_text_folded_frame(struct span *stack, struct rec_text_frame *out)
{
	static const struct {
		const char *suffix, *image;
	} kinds[] = {
		{ "_[k]", "[kernel.kallsyms]" },
		{ "_[j]", "[jit]" },
		{ "_[i]", "[inlined]" },
	};
	const uint8_t *semi = stack->n ? memrchr(stack->p, ';', stack->n) :
					 NULL;
	struct span s = *stack;

	if (semi)
		s = rec_text_from(s, (size_t)(semi - s.p) + 1);
	stack->n = semi ? (size_t)(semi - stack->p) : 0;
	*out = (struct rec_text_frame){ 0 };
	for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
		if (span_ends(s, kinds[i].suffix)) {
			s.n -= strlen(kinds[i].suffix);
			out->image = span_of(kinds[i].image,
					     strlen(kinds[i].image));
			break;
		}
	if (!span_is(s, "[unknown]"))
		out->symbol = s;
}
