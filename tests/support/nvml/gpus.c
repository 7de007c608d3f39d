/* Starting, and which GPUs there are. */
#include "tests/support/nvml/script.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool attached;

static int start(const char *call)
{
	long long v;
	int code;

	forget_times();
	code = ask(call, devices, &v, 1);
	return code == NOT_SUPPORTED && !line_of(call) ? OK : code;
}

static int count(unsigned *n)
{
	if (!line_of("gpus"))
		return *n = 1, OK;
	return ask_u32("gpus", devices, n);
}

static int by_index(unsigned i, void **device)
{
	long long v;
	unsigned n = 0;
	int code;

	count(&n);
	if (!attached || i >= n || i >= GPUS)
		return 2;
	*device = &devices[i];
	code = ask("handle", *device, &v, 1);
	return line_of("handle") || code != NOT_SUPPORTED ? code : OK;
}

static void place(unsigned gpu, long long v[3])
{
	if (ask("pci", &devices[gpu], v, 3)) {
		v[0] = v[2] = 0;
		v[1] = 3 + gpu;
	}
}

static int by_address(const char *address, void **device)
{
	unsigned domain, bus, dev, n = 0;
	long long v[3];

	if (sscanf(address, "%x:%x:%x", &domain, &bus, &dev) != 3)
		return 2;
	count(&n);
	for (unsigned i = 0; i < n; i++) {
		place(i, v);
		if (v[0] == domain && v[1] == bus && v[2] == dev)
			return *device = &devices[i], OK;
	}
	return NOT_FOUND;
}

static int pci(void *device, void *to, bool has_address)
{
	long long v[3];
	char text[32] = "";
	int code = ask("pci", device, v, 3);

	if (code && (code != NOT_SUPPORTED || line_of("pci")))
		return code;
	place(index_of(device), v);
	snprintf(text, 16, "%04x:%02x:%02x.0", (unsigned)v[0], (unsigned)v[1],
		 (unsigned)v[2]);
	put(to, 0, text, 16);
	for (size_t i = 0; i < 3; i++)
		put32(to, 16 + 4 * i, v[i]);
	put32(to, 28, 0x233510de);
	put32(to, 32, 0);
	snprintf(text, 32, "%08x:%02x:%02x.0", (unsigned)v[0], (unsigned)v[1],
		 (unsigned)v[2]);
	if (has_address)
		put(to, 36, text, 32);
	else
		memset((char *)to + 36, 0xff, 16); /* reserved */
	return OK;
}

int nvmlInit(void)
{
	attached = true;
	return start("init");
}
int nvmlShutdown(void)
{
	attached = false;
	return OK;
}
int nvmlDeviceGetCount(unsigned *n)
{
	return count(n);
}
int nvmlDeviceGetHandleByIndex(unsigned i, void **device)
{
	return by_index(i, device);
}
int nvmlDeviceGetHandleByPciBusId(const char *address, void **device)
{
	return by_address(address, device);
}
int nvmlDeviceGetPciInfo(void *device, void *to)
{
	return pci(device, to, false);
}
int nvmlDeviceGetName(void *device, char *to, unsigned size)
{
	char *text = answer("name", index_of(device));

	/* As the real one once did: no zero where it just fits. */
	strncpy(to, text ? text : "Stand-in", size);
	free(text);
	return OK;
}
#if AGE >= 2
int nvmlInit_v2(void)
{
	return nvmlInit();
}
int nvmlDeviceGetCount_v2(unsigned *n)
{
	return count(n);
}
int nvmlDeviceGetHandleByIndex_v2(unsigned i, void **device)
{
	return by_index(i, device);
}
int nvmlDeviceGetHandleByPciBusId_v2(const char *address, void **device)
{
	return by_address(address, device);
}
int nvmlDeviceGetPciInfo_v2(void *device, void *to)
{
	return pci(device, to, false);
}
#endif
#if AGE >= 3
int nvmlInitWithFlags(unsigned flags)
{
	attached = !(flags & 2);
	return start("init_with");
}
int nvmlDeviceGetPciInfo_v3(void *device, void *to)
{
	return pci(device, to, true);
}
#endif
