/* What a GPU is asked for with one call. */
#include "tests/support/nvml/script.h"

#include <stdio.h>
#include <string.h>

static int ask_of(const char *call, const void *device, unsigned arg,
		  unsigned *to)
{
	char key[32];

	snprintf(key, sizeof(key), "%s%u", call, arg);
	return ask_u32(key, device, to);
}

ONE(nvmlDeviceGetUtilizationRates, void)
{
	long long v[2];
	int code = ask("utilization", device, v, 2);

	put32(to, 0, v[0]);
	put32(to, 4, v[1]);
	return code;
}
/* total/reserved/free/used */
ONE(nvmlDeviceGetMemoryInfo, void)
{
	long long v[4];
	int code = ask("memory", device, v, 4);

	put64(to, 0, v[0]);
	put64(to, 8, v[2]);
	put64(to, 16, v[1] + v[3]);
	return code;
}
ONE(nvmlDeviceGetPowerUsage, unsigned)
{
	return ask_u32("power", device, to);
}
OF(nvmlDeviceGetClockInfo, unsigned)
{
	return ask_of("clock", device, arg, to);
}
OF(nvmlDeviceGetMaxClockInfo, unsigned)
{
	return ask_of("clockmax", device, arg, to);
}
OF(nvmlDeviceGetTemperature, unsigned)
{
	return ask_of("temperature", device, arg, to);
}
#if AGE >= 4
ONE(nvmlDeviceGetTemperatureV, void)
{
	long long v;
	uint32_t version, sensor;
	char key[32];
	int code;

	memcpy(&version, to, 4);
	memcpy(&sensor, (char *)to + 4, 4);
	if (version != (12 | 1 << 24))
		return 25;
	snprintf(key, sizeof(key), "temperatureV%u", sensor);
	code = ask(key, device, &v, 1);
	put32(to, 8, v);
	return code;
}
#endif
ONE(nvmlDeviceGetPerformanceState, unsigned)
{
	return ask_u32("performance", device, to);
}
ONE(nvmlDeviceGetCurrentClocksThrottleReasons, unsigned long long)
{
	return ask_u64("reasons", device, to);
}
int nvmlDeviceGetTotalEccErrors(void *device, unsigned type,
				    unsigned counter, unsigned long long *to)
{
	char key[16];

	snprintf(key, sizeof(key), "ecc%u.%u", type, counter);
	return ask_u64(key, device, to);
}
#if AGE >= 2
ONE(nvmlDeviceGetEnforcedPowerLimit, unsigned)
{
	return ask_u32("limit", device, to);
}
ONE(nvmlDeviceGetTotalEnergyConsumption, unsigned long long)
{
	return ask_u64("energy", device, to);
}
OF(nvmlDeviceGetPcieThroughput, unsigned)
{
	return ask_of("pcie", device, arg, to);
}
static int coder(const char *call, void *device, unsigned *to, unsigned *period)
{
	*period = 167000;
	return ask_u32(call, device, to);
}
int nvmlDeviceGetEncoderUtilization(void *device, unsigned *to,
					unsigned *us)
{
	return coder("encoder", device, to, us);
}
int nvmlDeviceGetDecoderUtilization(void *device, unsigned *to,
					unsigned *us)
{
	return coder("decoder", device, to, us);
}
#endif
#if AGE >= 3
ONE(nvmlDeviceGetMemoryInfo_v2, void)
{
	long long v[4];
	uint32_t version;
	int code;

	memcpy(&version, to, 4);
	if (version != (40 | 2 << 24))
		return 25;
	code = ask("memory", device, v, 4);
	for (size_t i = 0; i < 4; i++)
		put64(to, 8 + 8 * i, v[i]);
	return code;
}
#endif
#if AGE >= 4
ONE(nvmlDeviceGetCurrentClocksEventReasons, unsigned long long)
{
	return ask_u64("reasons", device, to);
}
#endif
