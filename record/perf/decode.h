/* PERF_RECORD_* bytes to fields: pure, endless in what it distrusts, shared by
 * the live rings and the perf.data importer. Layouts: perf_event_open(2) and
 * include/uapi/linux/perf_event.h. */
#ifndef RECORD_PERF_DECODE_H
#define RECORD_PERF_DECODE_H

#include "format/base/err.h"
#include "format/base/span.h"

#include <stdbool.h>
#include <stdint.h>

#define REC_BUILD_ID_MAX 20

/* What shapes the records of an event: from its perf_event_attr. */
struct rec_layout {
	uint64_t sample_type;   /* PERF_SAMPLE_* */
	uint64_t read_format;   /* PERF_FORMAT_* */
	uint64_t branch_type;   /* branch_sample_type: HW_INDEX adds a word */
	uint64_t regs_user;     /* sample_regs_user: one word per bit */
	uint64_t regs_intr;     /* sample_regs_intr */
	bool sample_id_all;     /* other records end with sample id fields */
};

/* The fields that a sample, or the sample_id trailer of another record, may
 * hold; those that its layout lacks are zero, pid and tid are -1. */
struct rec_ids {
	int32_t pid, tid;
	uint64_t time, id, stream_id;
	uint32_t cpu;
};

struct rec_sample {
	uint64_t ip, addr, period;
	struct span chain;  /* n_chain words: addresses and PERF_CONTEXT_* */
	uint64_t n_chain;
	struct span raw;    /* tracepoint payload */
	struct span branches; /* struct perf_branch_entry, 24 bytes each */
	struct span read;   /* the PERF_SAMPLE_READ part, as it came */
	struct span user_regs;  /* the ABI word, then a word per register */
	struct span user_stack; /* as far as the kernel filled it */
	uint64_t cgroup;    /* its id in the v2 hierarchy; 0: none came */
};

struct rec_mmap {
	int32_t pid, tid;
	uint64_t start, size, offset;
	uint32_t major, minor;     /* without a build-id */
	uint64_t inode, inode_generation;
	uint8_t build_id[REC_BUILD_ID_MAX];
	uint8_t build_id_size;     /* 0: none came */
	uint32_t prot, flags;      /* MMAP: prot is PROT_EXEC or not, by misc */
	struct span path;
};

struct rec_comm { int32_t pid, tid; bool exec; struct span name; };
struct rec_task { int32_t pid, parent_pid, tid, parent_tid; }; /* fork, exit */
struct rec_lost { uint64_t id, count; };
struct rec_ksymbol {
	uint64_t address; uint32_t size; uint16_t type, flags;
	struct span name; /* flags bit 0: it went away */
};
struct rec_namespaces {
	int32_t pid, tid;
	uint64_t pid_ns; /* inode; 0: not told */
};
struct rec_cgroup { uint64_t id; struct span path; };
struct rec_switch { bool out, preempt; int32_t other_pid, other_tid; };

/* One record. `type` says which part of the union is set; a type that this
 * version does not know leaves it alone and is not an error. */
struct rec_record {
	uint32_t type; /* PERF_RECORD_* */
	uint16_t misc;
	struct rec_ids ids; /* for FORK, EXIT, THROTTLE… also from the body */
	union {
		struct rec_sample sample;
		struct rec_mmap mmap;   /* MMAP and MMAP2 */
		struct rec_comm comm;
		struct rec_task task;   /* FORK and EXIT */
		struct rec_lost lost;   /* LOST and LOST_SAMPLES (id 0) */
		struct rec_ksymbol ksymbol;
		struct rec_namespaces namespaces;
		struct rec_cgroup cgroup;
		struct rec_switch cswitch; /* SWITCH and SWITCH_CPU_WIDE */
	};
};

/* `record` is one whole record, its 8-byte header included; spans in *out
 * point into it. ERR_FORMAT: it contradicts itself; *out is undefined. */
int rec_decode(const struct rec_layout *layout, struct span record,
	       struct rec_record *out, struct err *err);

/* Where the parts of samples lie that are of single words and a chain, as most
 * are: made once of a layout. */
struct rec_glance {
	bool possible;
	bool has_chain;
	size_t fixed;         /* bytes in front of the chain, with the header */
	size_t time_at, cpu_at; /* 0: there is none */
};

void rec_glance_make(struct rec_glance *g, const struct rec_layout *layout);

/* Whether rec_decode() takes it, where that can be told at a glance. Then *time
 * is as rec_decode_time() has it, and *cpu that of the sample, -1: it does not
 * tell. false: rec_decode() has to say. */
bool rec_glance_fits(const struct rec_glance *g, struct span record,
		     uint64_t *time, int *cpu);

/* Only the time of a record (0: it has none): cheap, for deciding whether the
 * record belongs to this round. */
uint64_t rec_decode_time(const struct rec_layout *layout, struct span record);

/* The id of a sample's event; false: not a sample, or its layout does not begin
 * with one. */
bool rec_decode_id(const struct rec_layout *layout, struct span record,
		   uint64_t *id);

/* Word i of a chain, i < n_chain. */
uint64_t rec_chain_word(const struct rec_sample *s, uint64_t i);

#endif
