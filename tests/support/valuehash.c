#include "tests/support/valuehash.h"

#define POLYNOMIAL 0xedb88320u

void valuehash_init(struct valuehash *h)
{
	for (uint32_t i = 0; i < 256; i++) {
		uint32_t c = i;

		for (int k = 0; k < 8; k++)
			c = c & 1 ? POLYNOMIAL ^ c >> 1 : c >> 1;
		h->table[i] = c;
	}
	h->crc = 0xffffffff;
}

void valuehash_add(struct valuehash *h, const uint8_t *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		h->crc = h->table[(h->crc ^ p[i]) & 0xff] ^ h->crc >> 8;
}

static void add_number(struct valuehash *h, uint64_t v)
{
	uint8_t bytes[8];

	for (int i = 0; i < 8; i++)
		bytes[i] = (uint8_t)(v >> (8 * i));
	valuehash_add(h, bytes, sizeof(bytes));
}

void valuehash_add_value(struct valuehash *h, const struct tf_view *v,
			 uint32_t column, uint32_t row)
{
	const struct tf_column *c = &v->table->columns[column];
	const struct tf_values *x = &v->columns[column];
	struct span s;

	if (c->list) {
		add_number(h, x->offsets[row + 1] - x->offsets[row]);
		for (uint32_t i = x->offsets[row]; i < x->offsets[row + 1];
		     i++)
			add_number(h, x->items[i]);
	} else if (c->type == TF_BYTES) {
		s = tf_view_bytes(v, column, row);
		add_number(h, s.n);
		valuehash_add(h, s.p, s.n);
	} else {
		add_number(h, x->v[row]);
	}
}

uint32_t valuehash_sum(const struct valuehash *h)
{
	return ~h->crc;
}
