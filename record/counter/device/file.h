/* Files of a device in /sys that hold numbers: kept open and read again and
 * again, which is what makes it cheap. */
#ifndef RECORD_COUNTER_DEVICE_FILE_H
#define RECORD_COUNTER_DEVICE_FILE_H

#include "format/base/err.h"
#include "format/base/span.h"
#include "format/catalog.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum rec_device_form {
	REC_DEVICE_NUMBER,  /* the first number of the text */
	REC_DEVICE_STARRED, /* of lines "1: 800Mhz *", the one with the star */
	REC_DEVICE_METRICS, /* gpu_metrics.h */
};

enum rec_device_part {
	REC_DEVICE_FIXED,   /* as the row says */
	REC_DEVICE_LABEL,   /* temp1_input: the text of temp1_label, else
			     * "temp1" */
	REC_DEVICE_GT,      /* the folder gtN of the path */
	REC_DEVICE_BEHIND,  /* of the file's name, what is behind the row's */
};

/* What some file of a card tells; series are told apart by name and part: of two
 * files that tell the same the first one is taken. */
struct rec_device_row {
	const char *path;   /* below the card's folder, with * and [] */
	const char *name, *part, *unit;
	enum tf_series_kind kind;
	double scale;
	enum rec_device_form form;
	enum rec_device_part of;
};

extern const struct rec_device_row rec_device_rows[];
extern const size_t rec_n_device_rows;

#define REC_DEVICE_PART 64u
#define REC_DEVICE_LABEL_MAX 96u

/* The part that the file at `path` tells of; false: the name is too long. */
bool rec_device_part(char to[REC_DEVICE_PART], const struct rec_device_row *row,
		     const char *path);

/* The number in such a text; false: there is none, or it is too large. */
bool rec_device_value(int64_t *to, enum rec_device_form form, struct span text);

#endif
