/* What /proc/PID/fdinfo/FD tells of an open DRM file: a line `drm-KEY: VALUE`
 * for each thing (Documentation/gpu/drm-usage-stats.rst of Linux). Keys that are
 * not known are passed over.
 *
 * Series made of it, by name; `part` is the engine or the memory:
 *
 *	drm-engine           count, ns       time that engines worked for it
 *	drm-cycles           count, cycles   the same as the engine counts it
 *	drm-total-cycles     count, cycles   what the engine counted in all; begins
 *	                                     anywhere
 *	drm-maxfreq          level, Hz       the engine's fastest clock
 *	drm-curfreq          level, Hz       its clock now
 *	drm-memory-total     level, bytes    that it has, shared ones too
 *	drm-memory-shared    level, bytes    that others have as well
 *	drm-memory-resident  level, bytes    that have memory behind them
 *	drm-memory-active    level, bytes    that engines work with
 *	drm-memory-purgeable level, bytes    that it does without when needed
 *
 * Busy share of an engine: of drm-engine its difference by time and capacity;
 * where there is none, of drm-cycles its difference by that of drm-total-cycles
 * and by capacity; where there is none of these either, by drm-maxfreq times the
 * seconds. Counts may step back: the greatest counts. An engine without a line
 * has not been used. */
#ifndef RECORD_COUNTER_FDINFO_FDINFO_H
#define RECORD_COUNTER_FDINFO_FDINFO_H

#include "format/base/span.h"
#include "format/catalog.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum rec_fdinfo_kind {
	REC_FDINFO_ENGINE,
	REC_FDINFO_CYCLES,
	REC_FDINFO_TOTAL_CYCLES,
	REC_FDINFO_MAXFREQ,
	REC_FDINFO_CURFREQ,
	REC_FDINFO_TOTAL,
	REC_FDINFO_SHARED,
	REC_FDINFO_RESIDENT,
	REC_FDINFO_ACTIVE,
	REC_FDINFO_PURGEABLE,
	REC_FDINFO_KINDS,
};

struct rec_fdinfo_value {
	enum rec_fdinfo_kind kind;
	struct span part;
	int64_t value;        /* in the unit of its kind */
};

#define REC_FDINFO_VALUES 128u
#define REC_FDINFO_CAPACITIES 32u
#define REC_FDINFO_WORD 63u  /* bytes of a name at most */

/* Spans are of the text that was parsed. */
struct rec_fdinfo {
	struct span driver;   /* empty: not told */
	struct span pdev;     /* PCI address, empty: is none */
	struct span name;     /* the client's own, empty: it has none */
	uint64_t client;      /* drm-client-id */
	bool has_client;
	struct rec_fdinfo_value values[REC_FDINFO_VALUES];
	size_t n;
	struct rec_fdinfo_value capacities[REC_FDINFO_CAPACITIES];
	size_t n_capacities;
	uint32_t unread;      /* known keys whose value makes no sense, or more
			       * of them than there is room for */
};

/* What its values are. */
const char *rec_fdinfo_series_name(enum rec_fdinfo_kind kind);
const char *rec_fdinfo_unit(enum rec_fdinfo_kind kind);
enum tf_series_kind rec_fdinfo_series_kind(enum rec_fdinfo_kind kind);

/* Any text will do. */
void rec_fdinfo_parse(struct rec_fdinfo *out, struct span text);

/* Engines that `part` stands for, at least 1. */
uint32_t rec_fdinfo_capacity(const struct rec_fdinfo *f, struct span part);

/* Whether `part` has a value of that kind. */
bool rec_fdinfo_has(const struct rec_fdinfo *f, enum rec_fdinfo_kind kind,
		    struct span part);

#endif
