/* The sound trace files of tests/golden/format, and that of spec/walk.md, made
 * again. What they hold is said in tests/golden/format/README.md and, value by
 * value, in the tests. */
#ifndef TESTS_SUPPORT_GOLDENS_H
#define TESTS_SUPPORT_GOLDENS_H

#include "format/base/buf.h"
#include "format/base/err.h"
#include "format/io.h"
#include "format/schema.h"

/* A dynamic table with a column of each type, and lists. */
#define GOLDEN_TABLE 256u
extern const struct tf_table golden_table;
enum golden_column {
	GOLDEN_TIME,
	GOLDEN_U64,
	GOLDEN_I64,
	GOLDEN_F64,
	GOLDEN_BOOL,
	GOLDEN_BYTES,
	GOLDEN_REF,
	GOLDEN_LIST_U64,
	GOLDEN_LIST_I64,
	GOLDEN_LIST_REF,
	GOLDEN_CONST_I64,
};

#define GOLDEN_BIG_ROWS 5000u

/* A table whose columns predict each other. */
#define GOLDEN_KEYED_TABLE 257u
#define GOLDEN_KEYED_ROWS 600u
extern const struct tf_table golden_keyed_table;
enum golden_keyed_column {
	GOLDEN_KEYED_TIME, /* near the one before on the cpu */
	GOLDEN_KEYED_CPU,
	GOLDEN_KEYED_WHO,
	GOLDEN_KEYED_CALL,
	GOLDEN_KEYED_NAME, /* by who */
	GOLDEN_KEYED_ARG,  /* by who and call */
	GOLDEN_KEYED_PREV, /* who was before on the cpu */
};

#define GOLDEN_WALK_ROWS 2800u

/* Each writes a whole file through `sink`. */
int golden_small(struct tf_sink *sink, struct err *err);  /* packed, extremes */
int golden_epochs(struct tf_sink *sink, struct err *err); /* two epochs */
int golden_big(struct tf_sink *sink, struct err *err);    /* not packed */
int golden_keyed(struct tf_sink *sink, struct err *err);  /* by keys */

#define GOLDEN_FOLDER "tests/golden/format"

struct golden {
	const char *folder; /* from the root of the tree */
	const char *name;   /* of the file in it */
	int (*make)(struct tf_sink *sink, struct err *err);
};
/* NULL-ended. Tests that try every byte or allocation do so on the first ones.
 */
extern const struct golden goldens[];
extern const struct golden moregoldens[];

/* The file as bytes in `out`, a zeroed buffer: made now, or as it was stored,
 * which is looked for from the root of the tree. */
int golden_bytes(const struct golden *g, struct buf *out, struct err *err);
int golden_stored(const struct golden *g, struct buf *out, struct err *err);

#endif
