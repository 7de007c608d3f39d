#include "format/key.h"

struct tf_key tf_key_pair(uint32_t *restrict to, uint32_t *restrict place,
			  const struct tf_key *a, const struct tf_key *b,
			  size_t rows)
{
	uint32_t n = 0;

	for (size_t i = 0; i < rows; i++) {
		uint32_t *at = &place[(size_t)a->of[i] * b->n + b->of[i]];

		if (!*at)
			*at = ++n;
		to[i] = *at - 1;
	}
	return (struct tf_key){ to, n };
}

struct tf_key tf_key_lag(uint32_t *restrict to, uint32_t *restrict last,
			 const struct tf_key *source, const struct tf_key *by,
			 size_t rows)
{
	for (uint32_t i = 0; i < by->n; i++)
		last[i] = source->n;
	for (size_t i = 0; i < rows; i++) {
		uint32_t *at = &last[by->of[i]];

		to[i] = *at;
		*at = source->of[i];
	}
	return (struct tf_key){ to, source->n + 1 };
}
