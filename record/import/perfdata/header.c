#include "record/import/perfdata/header.h"

#include "format/base/mem.h"
#include "record/import/perfdata/bytes.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define PIPE_SIZE 16u /* of a header in front of records */

/* Magic, own size, size of an attribute, three sections. */
#define PLAIN_SIZE 72u

#define SECTION_SIZE 16u

/* More than these no event needs: ids for each of its CPUs or threads. */
#define ATTRS_SIZE_MAX ((size_t)64 << 20)
#define IDS_SIZE_MAX ((size_t)REC_PD_IDS_MAX * 8)

/* Bit of the bitmap that perf has set since it has one. */
#define HEADER_HOSTNAME 3

static const struct magic {
	const char *text;
	bool foreign, old;
} magics[] = {
	{ "PERFILE2", false, false },
	{ "2ELIFREP", true, false },
	{ "PERFFILE", false, true },
};

static const struct magic *magic_of(struct span head)
{
	for (size_t i = 0; i < ARRAY_LEN(magics); i++)
		if (head.n >= 8 && !memcmp(head.p, magics[i].text, 8))
			return &magics[i];
	return NULL;
}

bool rec_pd_is(struct span head)
{
	return magic_of(head) != NULL;
}

static bool take_section(struct rec_pd_fields *f, struct rec_pd_section *s)
{
	return rec_pd_u64(f, &s->at) && rec_pd_u64(f, &s->size);
}

/* The bitmap is an array of longs: which bytes belong together depends on the
 * size of a long where the byte order is not ours. */
static void take_features(struct rec_pd_header *h, struct rec_pd_fields *f)
{
	for (size_t i = 0; i < ARRAY_LEN(h->features); i++)
		if (!rec_pd_u64(f, &h->features[i]))
			return;
	if (!h->foreign || rec_pd_has(h, HEADER_HOSTNAME))
		return;
	for (size_t i = 0; i < ARRAY_LEN(h->features); i++)
		h->features[i] = h->features[i] << 32 | h->features[i] >> 32;
}

bool rec_pd_clip(struct rec_pd_section *s, uint64_t size)
{
	if (s->at > size)
		return false;
	if (s->size > size - s->at)
		s->size = size - s->at;
	return true;
}

static int parse_file(struct rec_pd_header *h, struct rec_pd_fields *f,
		      uint64_t own, uint64_t size, struct err *err)
{
	struct rec_pd_section types;

	if (own < PLAIN_SIZE || !rec_pd_u64(f, &h->attr_size) ||
	    !take_section(f, &h->attrs) || !take_section(f, &h->data) ||
	    !take_section(f, &types))
		return err_set(err, ERR_FORMAT, "header cut short, or of a "
			       "wrong size (%" PRIu64 ")", own);
	if (own > PLAIN_SIZE)
		take_features(h, f);
	h->not_closed = !h->data.size;
	if (h->not_closed)
		h->data.size = UINT64_MAX;
	if (h->not_closed ||
	    ckd_add(&h->features_at, h->data.at, h->data.size))
		memset(h->features, 0, sizeof(h->features));
	if (!rec_pd_clip(&h->attrs, size))
		return err_set(err, ERR_FORMAT, "header: events at offset %"
			       PRIu64 ", the file ends at %" PRIu64,
			       h->attrs.at, size);
	h->cut = !h->not_closed && h->data.at <= size &&
		 h->data.size > size - h->data.at;
	if (!rec_pd_clip(&h->data, size))
		return err_set(err, ERR_FORMAT, "header: records at offset %"
			       PRIu64 ", the file ends at %" PRIu64,
			       h->data.at, size);
	return 0;
}

int rec_pd_header_parse(struct rec_pd_header *out, struct span head,
			uint64_t size, struct err *err)
{
	const struct magic *m = magic_of(head);
	struct rec_pd_header h = { 0 };
	struct rec_pd_fields f;
	uint64_t own;
	int rc = 0;

	if (!m)
		return err_set(err, ERR_FORMAT, "not a perf.data");
	h.foreign = m->foreign;
	h.old = m->old;
	f = rec_pd_fields(head, m->foreign);
	if (!rec_pd_skip(&f, 8) || !rec_pd_u64(&f, &own))
		return err_set(err, ERR_FORMAT, "header of %zu bytes", head.n);
	h.pipe = own == PIPE_SIZE;
	if (h.pipe)
		h.data = (struct rec_pd_section){ PIPE_SIZE, size - PIPE_SIZE };
	else
		rc = parse_file(&h, &f, own, size, err);
	if (!rc)
		*out = h;
	return rc;
}

static int take_ids(const struct rec_pd_section *s, int fd, uint64_t size,
		    bool foreign, struct rec_pd_attrs *to, struct err *err)
{
	uint8_t *p;
	int rc;

	if (!s->size)
		return 0;
	if (s->at > size || s->size > size - s->at)
		return err_set(err, ERR_FORMAT, "ids of %" PRIu64 " bytes at "
			       "offset %" PRIu64 ", the file ends at %" PRIu64,
			       s->size, s->at, size);
	rc = rec_pd_load(&p, fd, s->at, s->size, IDS_SIZE_MAX, err);
	if (rc)
		return rc;
	rc = rec_pd_attrs_ids(
		to, to->n - 1,
		rec_pd_fields(span_of(p, (size_t)s->size), foreign), err);
	free(p);
	return rc;
}

/* One entry: the attribute, then where its ids are. */
static int take_entry(const struct rec_pd_header *h, struct span entry, int fd,
		      uint64_t size, struct rec_pd_attrs *to, struct err *err)
{
	struct rec_pd_fields f = rec_pd_fields(entry, h->foreign);
	struct perf_event_attr attr;
	struct rec_pd_section ids;
	int rc = rec_pd_attr_take(&f, &attr, err);

	if (rc)
		return rc;
	if (!take_section(&f, &ids))
		return err_set(err, ERR_FORMAT, "no room for its ids behind an "
			       "attribute");
	rc = rec_pd_attrs_add(to, &attr, err);
	return rc ? rc : take_ids(&ids, fd, size, h->foreign, to, err);
}

int rec_pd_header_attrs(const struct rec_pd_header *h, int fd, uint64_t size,
			struct rec_pd_attrs *to, struct err *err)
{
	struct span rest, entry;
	uint8_t *p;
	int rc;

	if (!h->attr_size || h->attr_size > UINT16_MAX)
		return err_set(err, ERR_FORMAT, "header: attributes of %"
			       PRIu64 " bytes", h->attr_size);
	rc = rec_pd_load(&p, fd, h->attrs.at, h->attrs.size, ATTRS_SIZE_MAX,
			 err);
	if (rc)
		return rc;
	rest = span_of(p, (size_t)h->attrs.size);
	while (!rc && span_take(&rest, (size_t)h->attr_size, &entry))
		rc = take_entry(h, entry, fd, size, to, err);
	free(p);
	return rc ? err_in(err, rc, "event %zu", to->n) : 0;
}
