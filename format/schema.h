/* What tables and columns a file has: names, types, units, roles, privacy. */
#ifndef FORMAT_SCHEMA_H
#define FORMAT_SCHEMA_H

#include "format/base/arena.h"
#include "format/base/buf.h"
#include "format/base/err.h"
#include "format/base/span.h"

#include <stdbool.h>
#include <stdint.h>

enum tf_type { /* numbers are on disk */
	TF_UNKNOWN = 0, /* as others that are not below: absent */
	TF_U64 = 1,
	TF_I64 = 2,
	TF_F64 = 3,
	TF_BOOL = 4,
	TF_BYTES = 5,
	TF_REF = 6, /* row of ref_table in the same epoch */
};

enum tf_kind {
	TF_KIND_DEFINITION = 1, /* base row + index is the id of a row */
	TF_KIND_EVENT = 2,      /* rows have a time */
	TF_KIND_INTERVAL = 3,   /* rows have a begin and an end */
};

enum tf_role { /* what the values are like; chooses the encoding */
	TF_ROLE_VALUE = 0, /* nothing special: planes, or a constant */
	TF_ROLE_TIME = 1,  /* ns of the file's clock, nearly rising: delta */
	TF_ROLE_ID = 2,    /* few distinct values: dictionary */
	TF_ROLE_SERIAL = 3, /* close to the row before: delta */
	TF_ROLE_TEXT = 4,  /* bytes for people */
	TF_ROLE_BLOB = 5,  /* bytes for programs */
	TF_ROLE_BELOW = 6, /* less than the number of the row: rise */
};

enum tf_privacy { /* what a redaction decides by; deny by default */
	TF_PRIVACY_NUMBER = 1,
	TF_PRIVACY_NAME = 2, /* function, thread, event names */
	TF_PRIVACY_PATH = 3,
	TF_PRIVACY_ARGUMENT = 4,
	TF_PRIVACY_ADDRESS = 5,
	TF_PRIVACY_HOST = 6,
	TF_PRIVACY_CONTENT = 7, /* bytes of somebody's memory */
};

struct tf_column {
	uint32_t id;       /* unique in its table, ascending */
	const char *name;
	enum tf_type type;
	bool list;         /* each row holds any number of values of `type` */
	const char *unit;  /* "ns", "bytes", "" … */
	uint32_t ref_table; /* for TF_REF, else 0 */
	enum tf_role role;
	enum tf_privacy privacy;

	/* What predicts it: id + 1 of columns of the same table, 0 for none.
	 * The row before with the same value of `key` (and of `second`) tells
	 * most of it; or, with `link`, what the column `link` was in the row
	 * before with the same `key`. Chooses the encoding as the role does. */
	uint32_t key, second, link;
};

struct tf_table {
	uint32_t id;
	const char *name; /* "sample", "sched:sched_switch" */
	enum tf_kind kind;
	const struct tf_column *columns;
	uint32_t n_columns;
};

/* Column index by name, or -1. */
int tf_table_column(const struct tf_table *t, const char *name);

/* The column of that number, or NULL. */
const struct tf_column *tf_table_column_of(const struct tf_table *t,
					   uint32_t id);

/* Can a part's smallest and largest time be taken from it? The first such
 * column of a table is the table's time. */
static inline bool tf_column_is_time(const struct tf_column *c)
{
	return c->role == TF_ROLE_TIME && c->type == TF_U64 && !c->list;
}

/* Do the times of its rows count for those of a chunk? A definition may be far
 * older than the rows that it is written for. */
static inline bool tf_table_is_timed(const struct tf_table *t)
{
	return t->kind != TF_KIND_DEFINITION;
}

/* The body of a SCHEMA chunk. */
void tf_schema_put(struct buf *out, const struct tf_table *const *tables,
		   size_t n);

/* A set of tables read from files; owns its memory. Zeroed is empty and ready.
 */
struct tf_schema {
	struct tf_table **tables; /* ascending id */
	size_t n;
	size_t cap;
	struct arena memory; /* of the tables */
};

/* Adds the tables of a SCHEMA chunk's body. A table that is announced again
 * must give each column that it shares with the first announcement the same
 * type; further columns are added to those known. A failure may leave some of
 * the tables added. */
int tf_schema_take(struct tf_schema *s, struct span body, struct err *err);
const struct tf_table *tf_schema_by_id(const struct tf_schema *s, uint32_t id);
const struct tf_table *tf_schema_by_name(const struct tf_schema *s,
					 const char *name);
void tf_schema_fini(struct tf_schema *s);

#endif
