/* DRM clients: open files of GPUs, each once, whoever holds it.
 *
 * A client is known by its device and its drm-client-id, which no other file of
 * the device had or will have. One file may be open in many processes; what it
 * uses is charged to the first one that it was found in, for all of its time: when
 * that one ends and another still has the file, the series go on as they were.
 * They end when nobody has it any more.
 *
 * An engine that has not been used need not be told. Where it is told for the
 * first time, or where a client came while it was watched for, its time began
 * with nothing: then its series has a row of 0 at the last moment when it was so,
 * which is older than rows that were taken before. */
#ifndef RECORD_COUNTER_FDINFO_CLIENTS_H
#define RECORD_COUNTER_FDINFO_CLIENTS_H

#include "format/base/buf.h"
#include "format/base/intern.h"
#include "record/counter/drm.h"
#include "record/counter/fdinfo/fdinfo.h"
#include "record/counter/reading.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define REC_DRM_CLIENTS 4096u /* at one time */
#define REC_DRM_LABEL 128u

struct rec_drm_place {
	pid_t pid;            /* 0: none */
	int fd;
	int file;             /* open fdinfo, -1: to be opened each time */
};

struct rec_drm_client {
	uint32_t device;      /* of rec_drm_clients.devices */
	uint64_t id;
	pid_t pid;            /* whom it is charged to */
	char label[REC_DRM_LABEL];
	struct rec_drm_place at, spare;
	bool lost;            /* neither has it any more, */
	uint64_t lost_ns;     /* which was noticed then */
	uint64_t none_ns;     /* when it had used nothing, for sure; 0: never */
	struct rec_drm_client_series {
		enum rec_fdinfo_kind kind;
		uint32_t part;    /* of rec_drm_clients.parts */
		uint32_t series;
	} *series;
	size_t n, cap;
};

struct rec_drm_clients {
	const char *root;
	struct rec_readings *to;
	int proc;             /* ROOT/proc */
	struct rec_drm_client *items;
	size_t n, cap;
	struct intern devices, parts;
	uint64_t *greatest;   /* client of each device, so far */
	size_t greatest_cap;
	struct buf text;
	struct rec_fdinfo info;
	size_t n_files;       /* that are kept open */
	uint64_t watched_ns;  /* since when all that come are seen; 0: they are
			       * not */
};

/* `root` and `to` must stay; rows go into `to`. */
int rec_drm_clients_open(struct rec_drm_clients *c, const char *root,
			 struct rec_readings *to, struct err *err);
void rec_drm_clients_close(struct rec_drm_clients *c);

/* A process has this file open; what is no client, or tells nothing, is left out
 * and said to `to` once. */
void rec_drm_clients_see(struct rec_drm_clients *c, pid_t pid, int fd,
			 const char *node);

/* A reading of each. */
void rec_drm_clients_read(struct rec_drm_clients *c);

/* Everybody who may have a file has been seen: the series of those that nobody
 * has any more end, at the reading that found nothing: rows that are older than
 * others. */
void rec_drm_clients_settle(struct rec_drm_clients *c);

#endif
