#include "analyze/sched/letters.h"

#include <stdbool.h>
#include <string.h>

#define NEEDLE "__print_flags("

static const char usual[] = "SDTtXZPI";
static const char digits[] = "0123456789abcdef";

/* The next `{ 0x4, "T" }`, decimal before 4.14; false: there is none. */
static bool next_pair(struct span *in, uint64_t *bit, char *letter)
{
	const uint8_t *open;

	while (in->n && (open = memchr(in->p, '{', in->n))) {
		uint64_t v = 0, base = 10;
		size_t i = 1;

		span_skip(in, (size_t)(open - in->p));
		while (i < in->n && in->p[i] == ' ')
			i++;
		if (i + 2 < in->n && in->p[i] == '0' && in->p[i + 1] == 'x') {
			base = 16;
			i += 2;
		}
		for (; i < in->n; i++) {
			const char *d = in->p[i] ? strchr(digits, in->p[i]) :
						   NULL;

			if (!d)
				break;
			v = v * base + (uint64_t)(d - digits);
		}
		while (i < in->n && (in->p[i] == ' ' || in->p[i] == ','))
			i++;
		if (i + 2 < in->n && in->p[i] == '"' && in->p[i + 2] == '"') {
			*bit = v;
			*letter = (char)in->p[i + 1];
			span_skip(in, i + 3);
			return true;
		}
		span_skip(in, 1);
	}
	return false;
}

static void set(struct an_letters *l, uint64_t bit, char letter)
{
	if (bit && !(bit & (bit - 1)))
		l->of_bit[__builtin_ctzll(bit)] = letter;
}

void an_letters_make(struct an_letters *l, struct span format)
{
	const uint8_t *at = format.n ? memmem(format.p, format.n, NEEDLE,
					      sizeof(NEEDLE) - 1) : NULL;
	bool any = false;
	uint64_t bit;
	char letter;

	*l = (struct an_letters){ 0 };
	if (at)
		span_skip(&format, (size_t)(at - format.p));
	while (at && next_pair(&format, &bit, &letter)) {
		set(l, bit, letter);
		any = true;
	}
	for (unsigned i = 0; !any && usual[i]; i++)
		l->of_bit[i] = usual[i];
}

char an_letter_of(const struct an_letters *l, uint64_t prev_state)
{
	char found = 0;

	for (unsigned i = 0; i < 64; i++) {
		if (!(prev_state >> i & 1))
			continue;
		if (!l->of_bit[i])
			return 'R';
		if (!found)
			found = l->of_bit[i];
	}
	return found ? found : 'R';
}
