/* Prints findings, and what was looked at. */
#ifndef ANALYZE_FINDINGS_SHOW_H
#define ANALYZE_FINDINGS_SHOW_H

#include "analyze/findings/findings.h"
#include "analyze/out/table.h"

#define AN_FINDINGS_JSON_VERSION 1

/* JSON is a whole document; CSV a line for each proof. */
int an_findings_show(const struct an_findings *f, enum an_format format,
		     FILE *to, struct err *err);

#endif
