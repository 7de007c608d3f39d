/* Where in the input a record was. */
#ifndef RECORD_IMPORT_PERFDATA_PLACE_H
#define RECORD_IMPORT_PERFDATA_PLACE_H

#include <stdint.h>

/* A place is an offset in a file, and above this bit which of the files of a
 * folder it is, N + 1 of data.N, 0 of the first one. */
#define REC_PD_PLACE_FILE 48u

#define REC_PD_PLACE_TEXT 80u

/* "data.3: record at offset 1024" */
void rec_pd_place_text(char to[REC_PD_PLACE_TEXT], uint64_t at);

#endif
