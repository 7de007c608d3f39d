/* Two events and their records in every form that a perf.data can have, and what
 * the stand-in for the intake makes of them. */
#ifndef TESTS_SUPPORT_PERFDATAUSUAL_H
#define TESTS_SUPPORT_PERFDATAUSUAL_H

#include "tests/support/perfdatabuild.h"

/* Numbers of linux/perf_event.h and perf's own event.h. */
enum { MMAP = 1, LOST, COMM, EXIT, THROTTLE, FORK = 7, SAMPLE = 9, MMAP2,
       LOST_SAMPLES = 13, SWITCH, SWITCH_WIDE, NAMESPACES, KSYMBOL, BPF_EVENT,
       CGROUP, TEXT_POKE };
enum { TRACING = 66, BUILD_ID, ROUND, AUXTRACE = 71, UPDATE = 78, FEATURE = 80,
       COMPRESSED, COMPRESSED2 = 83 };
enum { IP = 1, TID = 2, TIME = 4, READ = 16, CHAIN = 32, ID = 64, CPU = 128,
       PERIOD = 256, RAW = 1024, BRANCHES = 2048, REGS_USER = 4096,
       STACK_USER = 8192, IDENTIFIER = 65536, REGS_INTR = 262144,
       SAMPLE_CGROUP = 2097152 };
enum { KERNEL = 1, USER };
#define CONTEXT_KERNEL ((uint64_t)-128)
#define CONTEXT_USER ((uint64_t)-512)

#define USUAL (IDENTIFIER | IP | TID | TIME | CPU | PERIOD)

/* cpu-clock with ids 11 and 12, page-faults with 21 and 22. */
extern const struct pdb_attr usual_events[2];

/* Records of these. `id`: of the event. */
void usual_trailer(struct pdb *p, uint32_t tid, uint64_t time, uint32_t cpu,
		   uint64_t id);
void usual_mmap2(struct pdb *p, uint64_t time, uint64_t start);
void usual_sample(struct pdb *p, uint64_t id, uint64_t time, uint32_t cpu,
		  uint64_t period);
/* Any type whose body is words. */
void usual_words(struct pdb *p, uint32_t type, uint16_t misc, const uint64_t *w,
		 size_t n, uint64_t time, uint64_t id);

/* One of each, of two CPUs, not in the order of time; and what comes of them. */
void usual_records(struct pdb *p);
extern const char usual_lines[];

/* Files without features. */
void usual_file_of(struct pdb *out, const struct pdb_attr *attrs, size_t n,
		   const struct pdb *data);
void usual_file(struct pdb *out, bool big);
void usual_pipe(struct pdb *out, bool big);
/* Their records as one stream of zstd, flushed and cut every `cut` bytes; without
 * a file around them, and with one. */
void usual_compressed_records(struct pdb *out, size_t cut, uint32_t type);
void usual_compressed(struct pdb *out, size_t cut, uint32_t type);

#endif
