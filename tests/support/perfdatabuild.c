#include "tests/support/perfdatabuild.h"

#include <string.h>

#define HEADER_SIZE 104u
#define SECTION_SIZE 16u

static void put(struct pdb *p, uint64_t v, unsigned size)
{
	for (unsigned i = 0; i < size; i++)
		buf_u8(&p->b, (uint8_t)(v >> 8 * (p->big ? size - 1 - i : i)));
}

void pdb_u16(struct pdb *p, uint16_t v)
{
	put(p, v, 2);
}

void pdb_u32(struct pdb *p, uint32_t v)
{
	put(p, v, 4);
}

void pdb_u64(struct pdb *p, uint64_t v)
{
	put(p, v, 8);
}

void pdb_pair(struct pdb *p, uint32_t a, uint32_t b)
{
	put(p, a, 4);
	put(p, b, 4);
}

void pdb_bytes(struct pdb *p, const void *bytes, size_t n)
{
	buf_put(&p->b, bytes, n);
}

void pdb_room(struct pdb *p, const char *text, size_t room)
{
	size_t n = strlen(text);

	buf_put(&p->b, text, n);
	buf_zero(&p->b, room - n);
}

void pdb_string(struct pdb *p, const char *text)
{
	size_t room = (strlen(text) + 64) / 64 * 64;

	pdb_u32(p, (uint32_t)room);
	pdb_room(p, text, room);
}

size_t pdb_begin(struct pdb *p, uint32_t type, uint16_t misc)
{
	size_t at = p->b.n;

	pdb_u32(p, type);
	pdb_u16(p, misc);
	pdb_u16(p, 0);
	return at;
}

void pdb_end(struct pdb *p, size_t begin)
{
	size_t size;

	buf_zero(&p->b, -(p->b.n - begin) % 8);
	size = p->b.n - begin;
	p->b.p[begin + (p->big ? 7 : 6)] = (uint8_t)size;
	p->b.p[begin + (p->big ? 6 : 7)] = (uint8_t)(size >> 8);
}

/* Bit fields begin at the other end of each byte there. */
static uint64_t flags_of(const struct pdb *p, uint64_t flags)
{
	uint64_t v = 0;

	if (!p->big)
		return flags;
	for (unsigned i = 0; i < 64; i++)
		v |= (flags >> i & 1) << (63 - i);
	return v;
}

void pdb_attr(struct pdb *p, const struct pdb_attr *a)
{
	size_t at = p->b.n;

	pdb_pair(p, a->type, a->size);
	pdb_u64(p, a->config);
	pdb_u64(p, a->period);
	pdb_u64(p, a->sample_type);
	pdb_u64(p, a->read_format);
	pdb_u64(p, flags_of(p, a->flags));
	pdb_pair(p, 0, 0); /* wakeup, breakpoint type */
	pdb_u64(p, 0);     /* config1 */
	if (a->size >= 80) {
		pdb_u64(p, 0); /* config2 */
		pdb_u64(p, a->branch_type);
	}
	if (a->size >= 96) {
		pdb_u64(p, a->regs_user);
		pdb_pair(p, 0, 0); /* stack size, clock */
	}
	/* What later versions added. */
	if (a->size > p->b.n - at)
		buf_zero(&p->b, a->size - (p->b.n - at));
	p->b.n = at + a->size;
}

static uint64_t all_ids(const struct pdb_file *f)
{
	uint64_t n = 0;

	for (size_t i = 0; i < f->n_attrs; i++)
		n += f->attrs[i].n_ids;
	return n;
}

static void section(struct pdb *p, uint64_t at, uint64_t size)
{
	pdb_u64(p, at);
	pdb_u64(p, size);
}

static void header(struct pdb *p, const struct pdb_file *f, uint64_t attrs_at,
		   uint64_t entry, uint64_t data_at)
{
	uint64_t bits[4] = { 0 };

	pdb_bytes(p, f->old ? "PERFFILE" : p->big ? "2ELIFREP" : "PERFILE2", 8);
	pdb_u64(p, HEADER_SIZE);
	pdb_u64(p, entry);
	section(p, attrs_at, entry * f->n_attrs);
	section(p, data_at, f->killed ? 0 : f->data.n);
	section(p, 0, 0);
	for (size_t i = 0; i < f->n_features; i++)
		bits[f->features[i].number / 64] |=
			UINT64_C(1) << f->features[i].number % 64;
	for (size_t i = 0; i < 4; i++)
		pdb_u64(p, bits[i]);
}

static void attrs(struct pdb *p, const struct pdb_file *f, uint64_t ids_at)
{
	for (size_t i = 0; i < f->n_attrs; i++) {
		pdb_attr(p, &f->attrs[i]);
		section(p, ids_at, f->attrs[i].n_ids * 8);
		buf_zero(&p->b, f->more);
		ids_at += f->attrs[i].n_ids * 8;
	}
}

static void features(struct pdb *p, const struct pdb_file *f)
{
	uint64_t at = p->b.n + f->n_features * SECTION_SIZE;

	for (size_t i = 0; i < f->n_features; i++) {
		section(p, at, f->features[i].body.n);
		at += f->features[i].body.n;
	}
	for (size_t i = 0; i < f->n_features; i++)
		pdb_bytes(p, f->features[i].body.p, f->features[i].body.n);
}

void pdb_file(struct pdb *p, const struct pdb_file *f)
{
	uint64_t entry = f->attrs[0].size + SECTION_SIZE + f->more;
	uint64_t attrs_at = HEADER_SIZE + all_ids(f) * 8;
	uint64_t data_at = attrs_at + entry * f->n_attrs;

	header(p, f, attrs_at, entry, data_at);
	for (size_t i = 0; i < f->n_attrs; i++)
		for (size_t k = 0; k < f->attrs[i].n_ids; k++)
			pdb_u64(p, f->attrs[i].ids[k]);
	attrs(p, f, HEADER_SIZE);
	pdb_bytes(p, f->data.p, f->data.n);
	if (!f->killed)
		features(p, f);
}

void pdb_pipe(struct pdb *p)
{
	pdb_bytes(p, p->big ? "2ELIFREP" : "PERFILE2", 8);
	pdb_u64(p, 16);
}

void pdb_pipe_attr(struct pdb *p, const struct pdb_attr *a)
{
	size_t at = pdb_begin(p, 64, 0);

	pdb_attr(p, a);
	for (size_t i = 0; i < a->n_ids; i++)
		pdb_u64(p, a->ids[i]);
	pdb_end(p, at);
}
