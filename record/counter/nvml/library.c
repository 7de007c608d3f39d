#include "record/counter/nvml/library.h"

#include "format/base/mem.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#define LIBRARY "libnvidia-ml.so.1"
#define MAX_NAMES 3

static const struct symbol {
	size_t at;
	const char *names[MAX_NAMES]; /* the newest first */
	bool needed;
} symbols[] = {
#define CALL(member, ...)                                                      \
	{ offsetof(struct rec_nvml, member), { __VA_ARGS__ }, false }
#define NEEDED(member, ...)                                                    \
	{ offsetof(struct rec_nvml, member), { __VA_ARGS__ }, true }
	NEEDED(init, "nvmlInit_v2", "nvmlInit"),
	CALL(init_with, "nvmlInitWithFlags"),
	NEEDED(shutdown, "nvmlShutdown"),
	NEEDED(count, "nvmlDeviceGetCount_v2", "nvmlDeviceGetCount"),
	NEEDED(by_index, "nvmlDeviceGetHandleByIndex_v2",
	       "nvmlDeviceGetHandleByIndex"),
	CALL(by_address, "nvmlDeviceGetHandleByPciBusId_v2",
	     "nvmlDeviceGetHandleByPciBusId"),
	CALL(name, "nvmlDeviceGetName"),
	CALL(uuid, "nvmlDeviceGetUUID"),
	CALL(mig_mode, "nvmlDeviceGetMigMode"),
	CALL(mig_most, "nvmlDeviceGetMaxMigDeviceCount"),
	CALL(mig_by_index, "nvmlDeviceGetMigDeviceHandleByIndex"),
	CALL(mig_instance, "nvmlDeviceGetGpuInstanceId"),
	CALL(mig_part, "nvmlDeviceGetComputeInstanceId"),
	NEEDED(pci, "nvmlDeviceGetPciInfo_v3", "nvmlDeviceGetPciInfo_v2",
	       "nvmlDeviceGetPciInfo"),
	CALL(utilization, "nvmlDeviceGetUtilizationRates"),
	CALL(encoder, "nvmlDeviceGetEncoderUtilization"),
	CALL(decoder, "nvmlDeviceGetDecoderUtilization"),
	CALL(memory, "nvmlDeviceGetMemoryInfo_v2"),
	CALL(memory_v1, "nvmlDeviceGetMemoryInfo"),
	CALL(power, "nvmlDeviceGetPowerUsage"),
	CALL(power_limit, "nvmlDeviceGetEnforcedPowerLimit"),
	CALL(energy, "nvmlDeviceGetTotalEnergyConsumption"),
	CALL(clock, "nvmlDeviceGetClockInfo"),
	CALL(clock_max, "nvmlDeviceGetMaxClockInfo"),
	CALL(reasons, "nvmlDeviceGetCurrentClocksEventReasons",
	     "nvmlDeviceGetCurrentClocksThrottleReasons"),
	CALL(temperature, "nvmlDeviceGetTemperature"),
	CALL(temperature_v, "nvmlDeviceGetTemperatureV"),
	CALL(performance, "nvmlDeviceGetPerformanceState"),
	CALL(pcie, "nvmlDeviceGetPcieThroughput"),
	CALL(ecc, "nvmlDeviceGetTotalEccErrors"),
	CALL(compute, "nvmlDeviceGetComputeRunningProcesses_v3",
	     "nvmlDeviceGetComputeRunningProcesses_v2"),
	CALL(compute_v1, "nvmlDeviceGetComputeRunningProcesses"),
	CALL(graphics, "nvmlDeviceGetGraphicsRunningProcesses_v3",
	     "nvmlDeviceGetGraphicsRunningProcesses_v2"),
	CALL(graphics_v1, "nvmlDeviceGetGraphicsRunningProcesses"),
	CALL(mps, "nvmlDeviceGetMPSComputeRunningProcesses_v3",
	     "nvmlDeviceGetMPSComputeRunningProcesses_v2"),
	CALL(mps_v1, "nvmlDeviceGetMPSComputeRunningProcesses"),
	CALL(process_use, "nvmlDeviceGetProcessUtilization"),
	CALL(samples, "nvmlDeviceGetSamples"),
	CALL(events_new, "nvmlEventSetCreate"),
	CALL(events_free, "nvmlEventSetFree"),
	CALL(events_of, "nvmlDeviceRegisterEvents"),
	CALL(events_wait, "nvmlEventSetWait_v2", "nvmlEventSetWait"),
	CALL(gpm_support, "nvmlGpmQueryDeviceSupport"),
	CALL(gpm_new, "nvmlGpmSampleAlloc"),
	CALL(gpm_free, "nvmlGpmSampleFree"),
	CALL(gpm_sample, "nvmlGpmSampleGet"),
	CALL(gpm_mig_sample, "nvmlGpmMigSampleGet"),
	CALL(gpm_metrics, "nvmlGpmMetricsGet"),
};

/* ISO C knows no way from an address to a function, POSIX says that the bytes
 * are the same. */
static void find(struct rec_nvml *lib, const struct symbol *s)
{
	void *f = NULL;

	for (size_t i = 0; i < MAX_NAMES && s->names[i] && !f; i++)
		f = dlsym(lib->handle, s->names[i]);
	memcpy((char *)lib + s->at, &f, sizeof(f));
}

bool rec_nvml_has(const struct rec_nvml *lib, size_t call)
{
	void *f;

	memcpy(&f, (const char *)lib + call, sizeof(f));
	return f != NULL;
}

const char *rec_nvml_symbol(size_t call)
{
	for (size_t i = 0; i < ARRAY_LEN(symbols); i++)
		if (symbols[i].at == call)
			return symbols[i].names[0];
	return "";
}

/* The drivers 535.43 to 535.86 made the entries of the third version longer and
 * 535.98 took that back, all under the same names. They are known by a function
 * that came with the one and by one that came with the other. */
static bool has_long_processes(void *handle)
{
	return dlsym(handle, "nvmlDeviceGetComputeRunningProcesses_v3") &&
	       dlsym(handle, "nvmlDeviceGetConfComputeMemSizeInfo") &&
	       !dlsym(handle, "nvmlDeviceGetRunningProcessDetailList");
}

int rec_nvml_load(struct rec_nvml *lib, struct err *err)
{
	const char *own = secure_getenv("COLTRACE_NVML");
	const char *path = own && *own ? own : LIBRARY, *why;

	*lib = (struct rec_nvml){ .handle = dlopen(path, RTLD_NOW) };
	if (!lib->handle) {
		/* It begins with the name of the file. */
		why = dlerror();
		err_set(err, ERR_UNSUPPORTED, "%s", why ? why : path);
		return 1;
	}
	for (size_t i = 0; i < ARRAY_LEN(symbols); i++) {
		find(lib, &symbols[i]);
		if (!symbols[i].needed || rec_nvml_has(lib, symbols[i].at))
			continue;
		err_set(err, ERR_UNSUPPORTED, "'%s' has no '%s'", path,
			symbols[i].names[0]);
		rec_nvml_unload(lib);
		return 1;
	}
	lib->process_cc = has_long_processes(lib->handle);
	return 0;
}

int rec_nvml_start(struct rec_nvml *lib, bool attach, struct err *err)
{
	int code;

	if (attach)
		code = lib->init();
	else if (lib->init_with)
		code = lib->init_with(NVML_INIT_NO_ATTACH);
	else
		code = NVML_FUNCTION_NOT_FOUND;
	if (code == NVML_OK) {
		lib->begun = true;
		return 0;
	}
	err_set(err, ERR_UNSUPPORTED, "NVML cannot start: %s",
		rec_nvml_text(code));
	return 1;
}

void rec_nvml_unload(struct rec_nvml *lib)
{
	if (lib->begun)
		lib->shutdown();
	if (lib->handle)
		dlclose(lib->handle);
	*lib = (struct rec_nvml){ .handle = NULL };
}

const char *rec_nvml_text(int code)
{
	static const struct { int code; const char *text; } texts[] = {
		{ NVML_UNINITIALIZED, "it was not started" },
		{ NVML_INVALID_ARGUMENT, "it takes the question for wrong" },
		{ NVML_NOT_SUPPORTED, "not supported by this GPU" },
		{ NVML_NO_PERMISSION, "no permission (try as root)" },
		{ NVML_NOT_FOUND, "not found" },
		{ NVML_DRIVER_NOT_LOADED, "the driver is not loaded" },
		{ NVML_IRQ_ISSUE, "the GPU's interrupts do not come" },
		{ NVML_FUNCTION_NOT_FOUND, "this library cannot" },
		{ NVML_CORRUPTED_INFOROM, "the GPU's own memory of facts is "
					  "damaged" },
		{ NVML_GPU_IS_LOST, "the GPU is lost" },
		{ NVML_RESET_REQUIRED, "the GPU needs a reset" },
		{ NVML_OPERATING_SYSTEM, "the system refuses (a container "
					 "without the device?)" },
		{ NVML_VERSION_MISMATCH,
		  "the library is of another version than the driver" },
		{ NVML_MEMORY_MISSING, "no memory" },
		{ NVML_ARGUMENT_VERSION_MISMATCH,
		  "this library knows another version of the question" },
		{ NVML_DEPRECATED, "no longer supported" },
		{ NVML_NOT_READY, "the GPU is not ready" },
		{ NVML_GPU_NOT_FOUND, "there is no such GPU" },
		{ NVML_UNKNOWN, "it does not know why" },
	};

	for (size_t i = 0; i < ARRAY_LEN(texts); i++)
		if (texts[i].code == code)
			return texts[i].text;
	return "it failed";
}
