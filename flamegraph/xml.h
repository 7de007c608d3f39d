/* Text that may come from anywhere, as XML. */
#ifndef FG_XML_H
#define FG_XML_H

#include "emit.h"

/* Writes `s` for content or a quoted attribute. Line breaks and tabs become
 * blanks; what XML forbids, or is no UTF-8, becomes U+FFFD. */
void fg_emit_xml(struct fg_emit *e, const char *s, size_t size);

/* How many bytes of `s` fit into `columns` of a monospaced font; never a part
 * of a character. */
size_t fg_xml_fit(const char *s, size_t size, uint64_t columns);

#endif
