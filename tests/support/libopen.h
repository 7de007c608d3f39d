/* Opens traces by libcoltrace, for tests of it. What goes wrong fails the test.
 */
#ifndef TESTS_LIBOPEN_H
#define TESTS_LIBOPEN_H

#include "format/base/buf.h"
#include "lib/coltrace.h"

/* Of the files in tests/golden/format, as in goldens[]. */
enum { LIB_SMALL, LIB_EPOCHS, LIB_BIG };
extern const char *const lib_stored_paths[];

struct ct_trace *lib_open_stored(int which);
struct ct_trace *lib_open_buf(const struct buf *b);

/* `columns` as for ct_cursor_new(). */
struct ct_cursor *lib_cursor(const struct ct_trace *t, const char *table,
			     const char *const *columns, uint64_t min,
			     uint64_t max);
const struct ct_batch *lib_next(struct ct_cursor *c);
void lib_no_more(struct ct_cursor *c);

#endif
