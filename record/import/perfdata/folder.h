/* The files beside the first one where perf.data is a folder, as perf record
 * --threads writes it: "data.0", "data.1" and so on, records and nothing else. */
#ifndef RECORD_IMPORT_PERFDATA_FOLDER_H
#define RECORD_IMPORT_PERFDATA_FOLDER_H

#include "format/base/err.h"

#include <stddef.h>
#include <stdint.h>

/* One for each thread that recorded: for each CPU at most. */
#define REC_PD_FILES_MAX 65535u

struct rec_pd_folder {
	int fd;            /* the caller's */
	uint32_t *numbers; /* in their names, ascending */
	size_t n, cap;
};

/* Those in the folder `fd`. */
int rec_pd_folder_list(struct rec_pd_folder *f, int fd, struct err *err);
void rec_pd_folder_fini(struct rec_pd_folder *f); /* zeroed is fine */

/* The i-th of them: *fd is the caller's to close. */
int rec_pd_folder_open(const struct rec_pd_folder *f, size_t i, int *fd,
		       uint64_t *size, struct err *err);

#endif
