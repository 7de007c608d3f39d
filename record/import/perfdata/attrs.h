/* The events of a perf.data: their attributes, ids and names, and to which of
 * them a record belongs. */
#ifndef RECORD_IMPORT_PERFDATA_ATTRS_H
#define RECORD_IMPORT_PERFDATA_ATTRS_H

#include "format/base/err.h"
#include "format/base/map64.h"
#include "format/base/span.h"
#include "record/import/perfdata/fields.h"
#include "record/perf/decode.h"

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define REC_PD_ATTRS_MAX 65536u
#define REC_PD_IDS_MAX (1u << 21)

struct rec_pd_attr {
	struct perf_event_attr attr; /* what this version knows of it */
	struct rec_layout layout;
	struct rec_glance glance; /* of the layout */
	char *name;          /* as the file tells; NULL: it does not */
	uint64_t lost, lost_samples; /* by records of these types */
};

/* Each CPU has an id of its own for each event: so many ids come by turns. */
#define REC_PD_RECENT 64u

struct rec_pd_recent {
	uint64_t id;
	uint32_t event; /* + 1; 0: nothing */
};

struct rec_pd_attrs {
	struct rec_pd_attr *items;
	size_t n, cap;
	struct map64 ids;    /* → index of the event */
	size_t n_ids;
	struct rec_pd_recent recent[REC_PD_RECENT]; /* by the end of an id */
	/* Where a record has its id, in bytes: from the start of a sample's
	 * body, from the end of any other record. 0 below the end: it has none.
	 */
	bool sample_has_id;
	size_t sample_id_at, other_id_at;
};

void rec_pd_attrs_fini(struct rec_pd_attrs *a); /* zeroed is fine */

/* Takes an attribute of the size that it says it has; bytes that are newer than
 * this version are skipped. */
int rec_pd_attr_take(struct rec_pd_fields *f, struct perf_event_attr *out,
		     struct err *err);

int rec_pd_attrs_add(struct rec_pd_attrs *a, const struct perf_event_attr *attr,
		     struct err *err);

/* All of `f` are ids of the event. An id that is known already stays what it
 * was. */
int rec_pd_attrs_ids(struct rec_pd_attrs *a, size_t event,
		     struct rec_pd_fields f, struct err *err);

/* Names that are there already give way. */
int rec_pd_attrs_name(struct rec_pd_attrs *a, size_t event, struct span name,
		      struct err *err);

/* The event of an id; -1: none. */
int rec_pd_attrs_of_id(struct rec_pd_attrs *a, uint64_t id);

/* The event of a record, whose head is in native form, its body too unless
 * `foreign`; -1: it has an id that is nobody's. Where ids are not told the first
 * event is taken for it. */
int rec_pd_attrs_of(struct rec_pd_attrs *a, struct span record, bool foreign);

/* Whether any event samples with a user stack, and the like: one of these bits
 * of sample_type. */
bool rec_pd_attrs_any(const struct rec_pd_attrs *a, uint64_t sample_type);

#endif
