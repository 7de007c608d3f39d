/* What spans can be, each with its colours. They are told apart by lightness as
 * well as by hue, for every kind of colour vision. */
#ifndef ANALYZE_TIMELINE_CLASS_H
#define ANALYZE_TIMELINE_CLASS_H

#include <stddef.h>

enum an_class {
	AN_CLASS_NAMED,      /* one of the AN_NAMED_COLOURS, by its name */
	AN_CLASS_RUNNING,    /* on a CPU */
	AN_CLASS_RUNNABLE,   /* waits for a CPU */
	AN_CLASS_BLOCKED,    /* asleep until woken */
	AN_CLASS_DISK,       /* uninterruptible */
	AN_CLASS_FENCE,      /* waits for a fence */
	AN_CLASS_JOB,        /* on a ring */
	AN_CLASS_QUEUED,     /* a job that waits for its ring */
	AN_CLASS_VBLANK,
	AN_CLASS_FRAME,      /* a display frame that was in time */
	AN_CLASS_LATE,       /* one that was not */
	AN_CLASS_SAMPLE,
	AN_CLASS_MARK,
	AN_CLASS_LOSS,
	AN_CLASS_UNKNOWN,    /* the trace does not tell */
	AN_N_CLASSES,
};

struct an_class_row {
	const char *key;     /* of its style */
	const char *label;   /* in the legend */
	const char *light, *dark; /* "#rrggbb"; NULL: by name */
};

extern const struct an_class_row an_classes[AN_N_CLASSES];

#define AN_NAMED_COLOURS 8
extern const struct an_class_row an_named_colours[AN_NAMED_COLOURS];

/* Which of them a name has: the same in each picture. */
size_t an_named_colour(const void *name, size_t n);

#endif
