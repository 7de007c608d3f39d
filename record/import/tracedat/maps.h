/* What was mapped in the processes that were recorded (trace-cmd record
 * --proc-map). */
#ifndef RECORD_IMPORT_TRACEDAT_MAPS_H
#define RECORD_IMPORT_TRACEDAT_MAPS_H

#include "format/base/err.h"
#include "format/base/span.h"
#include "record/import/intake.h"

/* Lines that are none are passed over. */
int rec_dat_maps(struct rec_intake *to, struct span text, struct err *err);

#endif
