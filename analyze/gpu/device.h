/* Which card a head is of, which the rows of drm do not say: that of its client,
 * as far as the trace has it. */
#ifndef ANALYZE_GPU_DEVICE_H
#define ANALYZE_GPU_DEVICE_H

#include "analyze/gpu/model.h"

/* Names the heads after the device file that the process of their client has
 * open, and after the driver of the hardware that its jobs run on. A head whose
 * clients leave several to choose from keeps its number alone, if no pipe says
 * its device (pipe.h). After all of the model but this. */
int an_devices_find(struct an_gpu *g, struct err *err);

#endif
