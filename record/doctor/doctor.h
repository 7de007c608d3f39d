/* What can be recorded on this machine by this user, why not the rest, and the
 * least that would change it. Changes nothing. */
#ifndef RECORD_DOCTOR_DOCTOR_H
#define RECORD_DOCTOR_DOCTOR_H

#include "format/base/arena.h"
#include "format/base/err.h"
#include "record/doctor/machine.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum rec_verdict {
	REC_YES,
	REC_PARTLY,
	REC_NO,
};

#define REC_MENDS_MAX 4

struct rec_finding {
	enum rec_verdict verdict;
	const char *why;          /* NULL: nothing to say */
	struct rec_mend {
		const char *command;
		const char *scope; /* who gains by it */
	} mends[REC_MENDS_MAX];   /* the least privilege first */
	size_t n_mends;
};

struct rec_setting {
	const char *value;
	const char *note; /* what it means for recording; NULL: nothing */
};

/* Zeroed but for the machine is ready. */
struct rec_doctor {
	const struct rec_machine *m;
	struct arena texts;
	uint64_t file_caps; /* that some mend asks for */
	bool failed;        /* out of memory */
};

void rec_doctor_fini(struct rec_doctor *d);

/* A text that lives as long as *d; "" with d->failed set when out of memory. */
const char *rec_doctor_text(struct rec_doctor *d, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

struct rec_ability {
	const char *id;    /* for JSON */
	const char *title;
	void (*examine)(struct rec_doctor *d, struct rec_finding *f);
};

/* The first one is own programs: without it nothing can be recorded. */
extern const struct rec_ability rec_abilities[];
extern const size_t rec_n_abilities;

struct rec_setting_row {
	const char *name;
	void (*read)(struct rec_doctor *d, struct rec_setting *s);
};

extern const struct rec_setting_row rec_settings[];
extern const size_t rec_n_settings;

/* Mends. A file capability replaces the ones that the file had, so those that
 * this process has by it are named, too. */
void rec_mend(struct rec_doctor *d, struct rec_finding *f, const char *scope,
	      const char *fmt, ...) __attribute__((format(printf, 4, 5)));
void rec_mend_caps(struct rec_doctor *d, struct rec_finding *f, uint64_t caps);

/* "setcap cap_perfmon,cap_syslog=ep /usr/bin/rec" */
const char *rec_doctor_setcap(struct rec_doctor *d, uint64_t caps);

/* "cap_perfmon,cap_syslog"; "none" */
const char *rec_doctor_cap_names(struct rec_doctor *d, uint64_t caps);

/* The capabilities that matter to recording. */
extern const uint64_t rec_doctor_caps;

#endif
