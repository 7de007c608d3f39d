#include "analyze/findings/rule.h"

#include "format/base/mem.h"

/* In the order that findings of a card come in: what broke, what holds the GPU
 * back, how it is used. */
const struct an_rule an_rules[] = {
	{ "xid", "did the driver report an error?", AN_OF_NVML,
	  "read the kernel log around that time (dmesg | grep Xid)",
	  an_rule_xid },
	{ "ecc", "did its memory have errors?", AN_OF_NVML,
	  "look at them with nvidia-smi -q -d ECC; a GPU with errors that "
	  "could not be corrected wants a reset, one that goes on having them "
	  "a replacement", an_rule_ecc },
	{ "throttled", "was its clock held down while it worked?", AN_OF_NVML,
	  "look at its temperature, power and power-limit at that time "
	  "(analyze stat -e temperature,power,power-limit)",
	  an_rule_throttled },
	{ "held-down", "did the driver say that it is throttled?", AN_OF_SYSFS,
	  "look at its temperature and power at that time (analyze stat -e "
	  "temperature,power)", an_rule_held_down },
	{ "clock-low", "was it slower than asked for while it worked?",
	  AN_OF_SYSFS | AN_OF_PMU,
	  "look at what limits it: power of the package, temperature, or a "
	  "maximum that was set in /sys", an_rule_clock_low },
	{ "memory-full", "did its memory run out?", AN_OF_NVML | AN_OF_SYSFS,
	  "see who has it: analyze stat --by client", an_rule_memory_full },
	{ "launch-bound", "was it occupied by kernels that use little of it?",
	  AN_OF_NVML, "make kernels larger, batch them, or record them with "
	  "CUDA graphs; look for gaps between launches on the CPU side "
	  "(analyze timeline)", an_rule_launch_bound },
	{ "memory-bound", "did it wait for its memory?", AN_OF_NVML,
	  "move less: fuse kernels, use smaller types, look at how memory is "
	  "accessed", an_rule_memory_bound },
	{ "pcie-bound", "did it wait for transfers?", AN_OF_NVML,
	  "overlap copies with work, use pinned memory, keep data on the GPU",
	  an_rule_pcie_bound },
	{ "engine-busy", "was an engine busy all the time?",
	  AN_OF_FDINFO | AN_OF_PMU | AN_OF_SYSFS | AN_OF_NVML,
	  "see who used it: analyze stat --by client; and when: analyze "
	  "timeline", an_rule_engine_busy },
	{ "idle-memory", "was memory held while nothing was done?",
	  AN_OF_NVML | AN_OF_SYSFS,
	  "see who has it: analyze stat --by client", an_rule_idle_memory },
	{ "suspended", "did it sleep?", AN_OF_NVML | AN_OF_SYSFS,
	  "nothing is wrong by that; readings begin when it is used",
	  an_rule_suspended },
};
const size_t an_n_rules = ARRAY_LEN(an_rules);
