/* Processes, samples and events. */
#include "tests/support/nvml/script.h"

#include <stdlib.h>

#define LIST(name, call, size)                                                 \
	int name(void *device, unsigned *n, void *to)                      \
	{                                                                      \
		return ask_list(call, device, n, to, size, process_##size);    \
	}

/* pid/bytes/instance/part */
static void process_16(void *to, const long long *v)
{
	put32(to, 0, v[0]);
	put64(to, 8, v[1]);
}
LIST(nvmlDeviceGetComputeRunningProcesses, "compute", 16)
LIST(nvmlDeviceGetGraphicsRunningProcesses, "graphics", 16)
#if AGE >= 2
LIST(nvmlDeviceGetMPSComputeRunningProcesses, "mps", 16)
static void process_24(void *to, const long long *v)
{
	process_16(to, v);
	put32(to, 16, v[2]);
	put32(to, 20, v[3]);
}
LIST(nvmlDeviceGetComputeRunningProcesses_v2, "compute", 24)
LIST(nvmlDeviceGetGraphicsRunningProcesses_v2, "graphics", 24)
LIST(nvmlDeviceGetMPSComputeRunningProcesses_v2, "mps", 24)
#endif
#if AGE == 3
static void process_32(void *to, const long long *v)
{
	process_24(to, v);
	put64(to, 24, 0x5555555555555555);
}
LIST(nvmlDeviceGetComputeRunningProcesses_v3, "compute", 32)
LIST(nvmlDeviceGetGraphicsRunningProcesses_v3, "graphics", 32)
LIST(nvmlDeviceGetMPSComputeRunningProcesses_v3, "mps", 32)
#elif AGE >= 4
LIST(nvmlDeviceGetComputeRunningProcesses_v3, "compute", 24)
LIST(nvmlDeviceGetGraphicsRunningProcesses_v3, "graphics", 24)
LIST(nvmlDeviceGetMPSComputeRunningProcesses_v3, "mps", 24)
ONE(nvmlDeviceGetRunningProcessDetailList, void)
{
	(void)device, (void)to;
	return NOT_SUPPORTED;
}
#endif
#if AGE >= 3
ONE(nvmlDeviceGetConfComputeMemSizeInfo, void)
{
	(void)device, (void)to;
	return NOT_SUPPORTED;
}
#endif
#if AGE >= 2
/* pid/us/sm/memory/encoder/decoder */
static void use(void *to, const long long *v)
{
	put32(to, 0, v[0]);
	put64(to, 8, stamp(v[1]));
	for (size_t i = 0; i < 4; i++)
		put32(to, 16 + 4 * i, v[2 + i]);
}
int nvmlDeviceGetProcessUtilization(void *device, void *to, unsigned *n,
					unsigned long long since)
{
	(void)since; /* it gives old ones again */
	return ask_list("uses", device, n, to, 32, use);
}

/* us/mW. Without room the real one tells how much is needed. */
static void sample(void *to, const long long *v)
{
	put64(to, 0, stamp(v[0]));
	put64(to, 8, v[1]);
}
int nvmlDeviceGetSamples(void *device, unsigned type,
			     unsigned long long since, unsigned *value_type,
			     unsigned *n, void *to)
{
	(void)since;
	*value_type = line_of("value_type") ?
			      (unsigned)atoi(line_of("value_type")) :
			      1;
	if (type)
		return NOT_SUPPORTED;
	if (!to)
		return line_of("samples_most") ?
			       ask_u32("samples_most", device, n) :
		       line_of("samples") ? (*n = 120, OK) :
					    NOT_SUPPORTED;
	return ask_list("samples", device, n, to, 16, sample);
}
#endif

int nvmlEventSetCreate(void **set)
{
	*set = devices;
	return OK;
}
int nvmlEventSetFree(void *set)
{
	return set == devices ? OK : 2;
}
int nvmlDeviceRegisterEvents(void *device, unsigned long long mask,
				 void *set)
{
	(void)device;
	if (set != devices || mask != 8)
		return 2;
	return line_of("events") ? OK : NOT_SUPPORTED;
}
/* gpu/type/data/instance/part, or "none"; the last two are greater by one, 0
 * that the driver cannot tell. */
static int event(void *set, void *to, unsigned ms, bool whole)
{
	long long v[5];
	const char *device;
	int code;

	if (set != devices || ms)
		return 2;
	code = ask("events", devices, v, 5);
	if (code)
		return code == NOT_SUPPORTED ? TIMEOUT : code;
	device = &devices[v[0]];
	put(to, 0, &device, 8);
	put64(to, 8, v[1]);
	put64(to, 16, v[2]);
	if (whole) {
		put32(to, 24, v[3] - 1);
		put32(to, 28, v[4] - 1);
	}
	return OK;
}
#if AGE >= 2
int nvmlEventSetWait_v2(void *set, void *to, unsigned ms)
{
	return event(set, to, ms, true);
}
#endif
int nvmlEventSetWait(void *set, void *to, unsigned ms)
{
	return event(set, to, ms, false);
}
