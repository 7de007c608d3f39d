#include "analyze/selection/spots.h"

static bool is_cpu(const struct an_selection *sel, uint32_t cpu)
{
	return !sel->cpu_bits || (cpu / 64 < sel->n_cpu_words &&
				  sel->cpu_bits[cpu / 64] >> (cpu % 64) & 1);
}

bool an_selection_has_thread(const struct an_selection *sel, uint32_t thread,
			     uint32_t cpu)
{
	return an_selection_is_marked(sel->thread, sel->n_threads, thread) &&
	       is_cpu(sel, cpu);
}

bool an_selection_has(const struct an_selection *sel, const struct an_trace *t,
		      uint32_t thread, uint32_t cpu,
		      const struct an_spot *spot)
{
	uint32_t ip = an_spot_ip(t, spot);

	if (!an_selection_has_thread(sel, thread, cpu) ||
	    !an_selection_is_marked(sel->leaf, sel->n_frames, ip))
		return false;
	return !sel->through ||
	       an_selection_is_marked(sel->through, sel->n_frames, ip) ||
	       an_selection_is_marked(sel->node, sel->n_nodes, spot->kstack) ||
	       an_selection_is_marked(sel->node, sel->n_nodes, spot->ustack);
}
