/* The formats of the events of tracedatbuild.h, as a file holds them. */
#ifndef TESTS_TRACEDATFORMATS_H
#define TESTS_TRACEDATFORMATS_H

#include "tests/support/tracedatbuild.h"

/* A number in either byte order. */
void tdb_put(struct buf *b, bool big, size_t size, uint64_t v);

void tdb_formats_ftrace(struct buf *to, const struct tdb *t);
void tdb_formats_systems(struct buf *to, const struct tdb *t);

#endif
