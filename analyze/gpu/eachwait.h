/* Waits one by one, as rows. */
#ifndef ANALYZE_GPU_EACHWAIT_H
#define ANALYZE_GPU_EACHWAIT_H

#include "analyze/gpu/waits.h"
#include "analyze/out/table.h"

/* The selected ones by their begin. Release with an_table_free(), also when it
 * fails. */
int an_waits_table(struct an_table **out, const struct an_gpu *g,
		   const struct an_selection *sel, struct err *err);

#endif
