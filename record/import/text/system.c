#include "record/import/text/system.h"

#include "format/base/mem.h"
#include "record/import/text/scan.h"

/* Beginnings of names, the longer of two before the shorter. */
static const struct {
	const char *begins, *system;
} systems[] = {
	{ "sched_", "sched" },
	{ "drm_sched_", "gpu_scheduler" },
	{ "drm_run_job", "gpu_scheduler" },
	{ "drm_", "drm" },
	{ "dma_fence_", "dma_fence" },
	{ "amdgpu_dm_", "amdgpu_dm" },
	{ "intel_", "i915" },
	{ "g4x_", "i915" },
	{ "vlv_", "i915" },
	{ "virtio_gpu_", "virtio_gpu" },
	{ "gpu_mem_total", "gpu_mem" },
	{ "sys_enter_", "syscalls" },
	{ "sys_exit_", "syscalls" },
	{ "sys_enter", "raw_syscalls" },
	{ "sys_exit", "raw_syscalls" },
	{ "irq_handler_", "irq" },
	{ "softirq_", "irq" },
	{ "tasklet_", "irq" },
	{ "timer_", "timer" },
	{ "hrtimer_", "timer" },
	{ "itimer_", "timer" },
	{ "tick_stop", "timer" },
	{ "workqueue_", "workqueue" },
	{ "cpu_idle", "power" },
	{ "cpu_frequency", "power" },
	{ "clock_", "power" },
	{ "device_pm_", "power" },
	{ "suspend_resume", "power" },
	{ "wakeup_source_", "power" },
	{ "kmalloc", "kmem" },
	{ "kfree", "kmem" },
	{ "kmem_", "kmem" },
	{ "mm_page_", "kmem" },
	{ "mm_filemap_", "filemap" },
	{ "mm_vmscan_", "vmscan" },
	{ "mm_compaction_", "compaction" },
	{ "page_fault_", "exceptions" },
	{ "signal_", "signal" },
	{ "task_", "task" },
	{ "xhci_", "xhci-hcd" },
	{ "print", "ftrace" },
	{ "bprint", "ftrace" },
	{ "bputs", "ftrace" },
	{ "tracing_mark_write", "ftrace" },
	{ "user_stack", "ftrace" },
	{ "kernel_stack", "ftrace" },
};

struct span rec_text_system(struct span name)
{
	const uint8_t *end;

	for (size_t i = 0; i < ARRAY_LEN(systems); i++)
		if (span_begins(name, systems[i].begins))
			return span_of(systems[i].system,
				       strlen(systems[i].system));
	end = name.n > 1 ? memchr(name.p + 1, '_', name.n - 1) : NULL;
	return end ? span_of(name.p, (size_t)(end - name.p)) : name;
}
