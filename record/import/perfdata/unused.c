#include "record/import/perfdata/unused.h"

#include "format/base/mem.h"
#include "record/import/perfdata/stream.h"

#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdio.h>

/* Types with a name. `note`: what more there is to say; NULL: they are of no use
 * to anybody, and not told. */
static const struct known {
	uint32_t type;
	const char *name, *note;
} knowns[] = {
	{ PERF_RECORD_READ, "READ", "" },
	{ PERF_RECORD_UNTHROTTLE, "UNTHROTTLE", NULL },
	{ PERF_RECORD_AUX, "AUX", "" },
	{ PERF_RECORD_ITRACE_START, "ITRACE_START", "" },
	{ PERF_RECORD_NAMESPACES, "NAMESPACES",
	  " (all but the pid namespaces)" },
	{ PERF_RECORD_BPF_EVENT, "BPF_EVENT", "" },
	{ PERF_RECORD_TEXT_POKE, "TEXT_POKE",
	  " (of use to hardware traces only)" },
	{ PERF_RECORD_AUX_OUTPUT_HW_ID, "AUX_OUTPUT_HW_ID", "" },
	{ REC_PD_HEADER_ATTR, "HEADER_ATTR", NULL },
	{ REC_PD_HEADER_EVENT_TYPE, "EVENT_TYPE", NULL },
	{ REC_PD_HEADER_TRACING_DATA, "TRACING_DATA", NULL },
	{ REC_PD_HEADER_BUILD_ID, "BUILD_ID", NULL },
	{ REC_PD_ID_INDEX, "ID_INDEX", NULL },
	{ REC_PD_AUXTRACE_INFO, "AUXTRACE_INFO", "" },
	{ REC_PD_AUXTRACE, "AUXTRACE", "" },
	{ REC_PD_AUXTRACE_ERROR, "AUXTRACE_ERROR", "" },
	{ REC_PD_THREAD_MAP, "THREAD_MAP", NULL },
	{ REC_PD_CPU_MAP, "CPU_MAP", NULL },
	{ REC_PD_STAT_CONFIG, "STAT_CONFIG", "" },
	{ REC_PD_STAT, "STAT", "" },
	{ REC_PD_STAT_ROUND, "STAT_ROUND", "" },
	{ REC_PD_EVENT_UPDATE, "EVENT_UPDATE", NULL },
	{ REC_PD_TIME_CONV, "TIME_CONV", NULL },
	{ REC_PD_HEADER_FEATURE, "FEATURE", NULL },
	{ REC_PD_FINISHED_INIT, "FINISHED_INIT", NULL },
	{ REC_PD_BPF_METADATA, "BPF_METADATA", "" },
};

static const struct known *known(uint32_t type)
{
	for (size_t i = 0; i < ARRAY_LEN(knowns); i++)
		if (knowns[i].type == type)
			return &knowns[i];
	return NULL;
}

void rec_pd_unused_add(struct rec_pd_unused *u, uint32_t type)
{
	for (size_t i = 0; i < u->n_types; i++) {
		if (u->types[i].type == type) {
			u->types[i].n++;
			return;
		}
	}
	if (u->n_types == REC_PD_UNUSED_TYPES)
		u->others++;
	else
		u->types[u->n_types++] =
			(struct rec_pd_unused_type){ type, 1 };
}

/* "NAMESPACES 1, BPF_EVENT 14", of those that are known or those that are not. */
static size_t list(const struct rec_pd_unused *u, bool unknown, char *to,
		   size_t size)
{
	size_t n = 0;

	to[0] = '\0';
	for (size_t i = 0; i < u->n_types; i++) {
		const struct known *k = known(u->types[i].type);
		const char *comma = n ? ", " : "";
		int more;

		if (!k != unknown || (k && !k->note))
			continue;
		more = k ? snprintf(to + n, size - n, "%s%s %" PRIu64 "%s",
				    comma, k->name, u->types[i].n, k->note) :
			   snprintf(to + n, size - n, "%s%" PRIu32 " (%" PRIu64
				    ")", comma, u->types[i].type,
				    u->types[i].n);
		if (more < 0 || (size_t)more >= size - n)
			break;
		n += (size_t)more;
	}
	return n;
}

void rec_pd_unused_tell(const struct rec_pd_unused *u, struct rec_intake *to)
{
	char text[600];

	if (list(u, false, text, sizeof(text)))
		rec_intake_fact(to, "import.unused_records", "%s", text);
	if (list(u, true, text, sizeof(text)) || u->others)
		rec_intake_fact(to, "note.unknown_records", "records of types "
				"that are not known were skipped: %s%s", text,
				u->others ? ", and others" : "");
	for (size_t i = 0; i < u->n_types; i++)
		if (u->types[i].type == REC_PD_STAT)
			rec_intake_fact(to, "note.perf_stat", "%" PRIu64
					" counts of perf stat were not "
					"imported (try: perf stat report)",
					u->types[i].n);
	if (u->aux_bytes)
		rec_intake_fact(to, "note.aux", "%" PRIu64 " bytes of hardware "
				"trace (AUX) are not used", u->aux_bytes);
}
