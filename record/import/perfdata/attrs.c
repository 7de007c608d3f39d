#include "record/import/perfdata/attrs.h"

#include "format/base/mem.h"
#include "record/perf/attr.h"
#include "record/perf/words.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define HEADER_SIZE 8u

/* Bytes of the first attr that was published; a size of 0 means it. */
#define ATTR_VER0 64u

/* The word of bit fields in struct perf_event_attr, which lies behind type,
 * size, config, period, sample_type and read_format. */
#define ATTR_FLAGS 40u

void rec_pd_attrs_fini(struct rec_pd_attrs *a)
{
	for (size_t i = 0; i < a->n; i++)
		free(a->items[i].name);
	free(a->items);
	map64_fini(&a->ids);
	*a = (struct rec_pd_attrs){ 0 };
}

static uint8_t reversed(uint8_t b)
{
	uint8_t r = 0;

	for (int i = 0; i < 8; i++)
		r = (uint8_t)(r | ((b >> i) & 1) << (7 - i));
	return r;
}

/* Compilers begin bit fields at the high bit of the first byte where numbers
 * are big-endian. precise_ip has two bits, 15 and 16. */
static uint64_t foreign_flags(uint64_t bytes)
{
	uint64_t v = 0;

	for (int i = 0; i < 8; i++)
		v |= (uint64_t)reversed((uint8_t)(bytes >> 8 * i)) << 8 * i;
	return (v & ~(UINT64_C(3) << 15)) | (v >> 15 & 1) << 16 |
	       (v >> 16 & 1) << 15;
}

/* A field of the attribute: where it is in struct perf_event_attr. */
static const struct attr_field {
	uint8_t size;
	uint8_t at;
} attr_fields[] = {
#define FIELD(f)                                                               \
	{ sizeof(((struct perf_event_attr *)0)->f),                            \
	  offsetof(struct perf_event_attr, f) }
	FIELD(type), FIELD(size), FIELD(config), FIELD(sample_period),
	FIELD(sample_type), FIELD(read_format), { 8, ATTR_FLAGS },
	FIELD(wakeup_events), FIELD(bp_type), FIELD(config1), FIELD(config2),
	FIELD(branch_sample_type), FIELD(sample_regs_user),
	FIELD(sample_stack_user), FIELD(clockid), FIELD(sample_regs_intr),
	FIELD(aux_watermark), FIELD(sample_max_stack), FIELD(__reserved_2),
	FIELD(aux_sample_size), FIELD(__reserved_3), FIELD(sig_data),
#undef FIELD
};

static bool take_field(struct rec_pd_fields *f, const struct attr_field *row,
		       struct perf_event_attr *out)
{
	uint8_t *to = (uint8_t *)out + row->at;
	uint16_t v16;
	uint32_t v32;
	uint64_t v64;

	switch (row->size) {
	case 2:
		if (!rec_pd_u16(f, &v16))
			return false;
		memcpy(to, &v16, 2);
		return true;
	case 4:
		if (!rec_pd_u32(f, &v32))
			return false;
		memcpy(to, &v32, 4);
		return true;
	default:
		if (!rec_pd_u64(f, &v64))
			return false;
		if (row->at == ATTR_FLAGS && f->foreign)
			v64 = foreign_flags(__builtin_bswap64(v64));
		memcpy(to, &v64, 8);
		return true;
	}
}

int rec_pd_attr_take(struct rec_pd_fields *f, struct perf_event_attr *out,
		     struct err *err)
{
	struct rec_pd_fields look = *f, own;
	struct span bytes;
	uint32_t type, size;

	if (!rec_pd_u32(&look, &type) || !rec_pd_u32(&look, &size))
		return err_set(err, ERR_FORMAT, "attribute of %zu bytes",
			       f->in.n);
	if (!size)
		size = ATTR_VER0;
	if (size < ATTR_VER0 || size % 8)
		return err_set(err, ERR_FORMAT, "attribute that claims %"
			       PRIu32 " bytes", size);
	if (!span_take(&f->in, size, &bytes))
		return err_set(err, ERR_FORMAT, "attribute of %" PRIu32
			       " bytes, of which %zu are there", size, f->in.n);
	own = rec_pd_fields(bytes, f->foreign);
	*out = (struct perf_event_attr){ 0 };
	for (size_t i = 0; i < ARRAY_LEN(attr_fields) && own.in.n; i++)
		(void)take_field(&own, &attr_fields[i], out);
	return 0;
}

static size_t words(uint64_t bits)
{
	return WORD * (size_t)__builtin_popcountll(bits);
}

/* perf refuses events of which it could not tell the records apart, so that the
 * first one stands for all. */
static void find_ids(struct rec_pd_attrs *a)
{
	uint64_t type = a->items[0].attr.sample_type;

	a->sample_has_id = type & (PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_ID);
	a->sample_id_at = a->other_id_at = 0;
	if (type & PERF_SAMPLE_IDENTIFIER) {
		a->other_id_at = WORD;
	} else if (type & PERF_SAMPLE_ID) {
		a->sample_id_at = words(type & (PERF_SAMPLE_IP |
						PERF_SAMPLE_TID |
						PERF_SAMPLE_TIME |
						PERF_SAMPLE_ADDR));
		a->other_id_at = WORD + words(type & (PERF_SAMPLE_STREAM_ID |
						      PERF_SAMPLE_CPU));
	}
	if (!a->items[0].attr.sample_id_all)
		a->other_id_at = 0;
}

int rec_pd_attrs_add(struct rec_pd_attrs *a, const struct perf_event_attr *attr,
		     struct err *err)
{
	struct rec_pd_attr *item;

	if (a->n >= REC_PD_ATTRS_MAX)
		return err_set(err, ERR_LIMIT, "more than %u events",
			       REC_PD_ATTRS_MAX);
	if (!mem_grow(&a->items, &a->cap, a->n + 1, sizeof(*a->items)))
		return err_nomem(err);
	item = &a->items[a->n++];
	*item = (struct rec_pd_attr){
		.attr = *attr,
		.layout = rec_attr_layout(attr),
	};
	rec_glance_make(&item->glance, &item->layout);
	find_ids(a);
	return 0;
}

int rec_pd_attrs_ids(struct rec_pd_attrs *a, size_t event,
		     struct rec_pd_fields f, struct err *err)
{
	uint64_t id;
	bool fresh;

	while (rec_pd_u64(&f, &id)) {
		if (a->n_ids >= REC_PD_IDS_MAX)
			return err_set(err, ERR_LIMIT, "more than %u ids of "
				       "events", REC_PD_IDS_MAX);
		if (!map64_put(&a->ids, id, (uint32_t)event, &fresh))
			return err_nomem(err);
		if (fresh)
			a->n_ids++;
	}
	return 0;
}

int rec_pd_attrs_name(struct rec_pd_attrs *a, size_t event, struct span name,
		      struct err *err)
{
	char *copy;

	if (event >= a->n || !name.n)
		return 0;
	copy = strndup((const char *)name.p, name.n);
	if (!copy)
		return err_nomem(err);
	free(a->items[event].name);
	a->items[event].name = copy;
	return 0;
}

int rec_pd_attrs_of_id(struct rec_pd_attrs *a, uint64_t id)
{
	struct rec_pd_recent *r = &a->recent[id % REC_PD_RECENT];
	uint32_t event;

	if (r->event && r->id == id)
		return (int)r->event - 1;
	if (!map64_get(&a->ids, id, &event))
		return -1;
	*r = (struct rec_pd_recent){ id, event + 1 };
	return (int)event;
}

static uint64_t id_at(const uint8_t *p, bool foreign)
{
	uint64_t id = word_at(p);

	return foreign ? __builtin_bswap64(id) : id;
}

int rec_pd_attrs_of(struct rec_pd_attrs *a, struct span record, bool foreign)
{
	int event;

	if (a->n <= 1 || !a->n_ids)
		return 0;
	if (half_at(record.p) == PERF_RECORD_SAMPLE) {
		if (!a->sample_has_id)
			return 0;
		if (record.n < HEADER_SIZE + a->sample_id_at + WORD)
			return -1;
		return rec_pd_attrs_of_id(
			a, id_at(record.p + HEADER_SIZE + a->sample_id_at,
				 foreign));
	}
	if (!a->other_id_at || record.n < HEADER_SIZE + a->other_id_at)
		return 0;
	/* What perf itself made up at the start has id 0. */
	event = rec_pd_attrs_of_id(
		a, id_at(record.p + record.n - a->other_id_at, foreign));
	return event < 0 ? 0 : event;
}

bool rec_pd_attrs_any(const struct rec_pd_attrs *a, uint64_t sample_type)
{
	for (size_t i = 0; i < a->n; i++)
		if (a->items[i].attr.sample_type & sample_type)
			return true;
	return false;
}
