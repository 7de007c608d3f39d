#include "analyze/command.h"

#include <stddef.h>

extern const struct an_command an_cmd_info, an_cmd_check, an_cmd_report,
	an_cmd_folded, an_cmd_flamegraph, an_cmd_dump, an_cmd_recover,
	an_cmd_cut, an_cmd_compact, an_cmd_merge, an_cmd_fences,
	an_cmd_frames, an_cmd_stalls, an_cmd_gaps, an_cmd_syscalls, an_cmd_stat,
	an_cmd_verdict, an_cmd_gpu, an_cmd_timeline;

const struct an_command *const an_commands[] = {
	&an_cmd_info,
	&an_cmd_check,
	&an_cmd_report,
	&an_cmd_folded,
	&an_cmd_flamegraph,
	&an_cmd_stat,
	&an_cmd_verdict,
	&an_cmd_gpu,
	&an_cmd_dump,
	&an_cmd_recover,
	&an_cmd_cut,
	&an_cmd_compact,
	&an_cmd_merge,
	&an_cmd_fences,
	&an_cmd_frames,
	&an_cmd_stalls,
	&an_cmd_gaps,
	&an_cmd_syscalls,
	&an_cmd_timeline,
	NULL,
};
