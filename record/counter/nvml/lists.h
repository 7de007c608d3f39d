/* The lists that the library fills: of processes that hold memory of a GPU, and
 * of samples of what they used. */
#ifndef RECORD_COUNTER_NVML_LISTS_H
#define RECORD_COUNTER_NVML_LISTS_H

#include "record/counter/nvml/library.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* More processes than that on one GPU are taken for a lie. */
#define REC_NVML_LIST_MAX 65536u

/* Clients of CUDA's Multi-Process Service are in a list of their own. */
enum rec_nvml_list {
	REC_NVML_COMPUTE, REC_NVML_GRAPHICS, REC_NVML_MPS, REC_NVML_LISTS
};

struct rec_nvml_holder {
	uint32_t pid;
	enum rec_nvml_list list;
	bool known;      /* how much is */
	uint64_t memory; /* bytes */
};

struct rec_nvml_lists {
	void *room; /* what the library writes into */
	size_t room_size;
	struct rec_nvml_holder *holders;
	size_t n, cap;
};

/* Empties `holders`. */
void rec_nvml_lists_clear(struct rec_nvml_lists *l);

/* Adds who is in a list; nobody where that fails. Returns an enum nvml_code:
 * NVML_FUNCTION_NOT_FOUND where the library has no such list, NVML_UNKNOWN
 * where there is no memory or the library's count is absurd. */
int rec_nvml_lists_add(struct rec_nvml_lists *l, const struct rec_nvml *lib,
		       struct nvml_device *d, enum rec_nvml_list list);

/* The same of the GPU's list, by the numbers of an instance in it:
 * NVML_FUNCTION_NOT_FOUND where the library's entries have none. */
int rec_nvml_lists_add_of(struct rec_nvml_lists *l, const struct rec_nvml *lib,
			  struct nvml_device *d, enum rec_nvml_list list,
			  unsigned instance, unsigned part);

/* Makes each process one holder, by pid. One that has parts of a GPU that is
 * shared out is in a list more than once, and holds the sum; who is in several
 * lists is told of by the greatest: they say the same. */
void rec_nvml_lists_fold(struct rec_nvml_lists *l);

/* Samples of use after `since_us`, to be used up before the next call; *n 0 and
 * NVML_OK where there is nothing new. */
int rec_nvml_lists_uses(struct rec_nvml_lists *l, const struct rec_nvml *lib,
			struct nvml_device *d, uint64_t since_us,
			const struct nvml_process_use **uses, size_t *n);

void rec_nvml_lists_fini(struct rec_nvml_lists *l);

#endif
