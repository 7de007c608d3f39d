#include "record/import/text/layouts.h"

#include "format/base/mem.h"
#include "record/import/text/scan.h"

/* As the print formats of the kernel, and of libtraceevent's plugins, have
 * them. {x}: field x, the fewest bytes that let the rest match; {#x}: a number;
 * {*}: whatever follows; a blank: at least one. */
static const struct layout {
	const char *event, *pattern;
} layouts[] = {
	{ "sched_switch", "{prev_comm}:{#prev_pid} [{#prev_prio}] {prev_state} "
	  "==> {next_comm}:{#next_pid} [{#next_prio}]" },
	{ "sched_wakeup", "{comm}:{#pid} [{#prio}] CPU:{#target_cpu}" },
	{ "sched_wakeup", "{comm}:{#pid} [{#prio}] success={#success} "
	  "CPU:{#target_cpu}" },
	{ "sched_wakeup_new", "{comm}:{#pid} [{#prio}] CPU:{#target_cpu}" },
	{ "sched_wakeup_new", "{comm}:{#pid} [{#prio}] success={#success} "
	  "CPU:{#target_cpu}" },
	{ "sched_waking", "{comm}:{#pid} [{#prio}] CPU:{#target_cpu}" },
	{ "sys_enter", "NR {#id} {*}" },
	{ "sys_exit", "NR {#id} = {#ret}" },
	{ "drm_sched_job", "entity={entity}, id={#id}, fence={fence}, "
	  "ring={name}, job count:{#job_count}, "
	  "hw job count:{#hw_job_count}" },
	{ "drm_run_job", "entity={entity}, id={#id}, fence={fence}, "
	  "ring={name}, job count:{#job_count}, "
	  "hw job count:{#hw_job_count}" },
	{ "drm_sched_process_job", "fence={fence} signaled" },
	{ "drm_sched_job_wait_dep", "job ring={name}, id={#id}, "
	  "depends fence={fence}, context={#ctx}, seq={#seqno}" },
	{ "drm_sched_job_queue", "dev={dev}, "
	  "fence={#fence_context}:{#fence_seqno}, ring={name}, "
	  "job count:{#job_count}, hw job count:{#hw_job_count}, "
	  "client_id:{#client_id}" },
	{ "drm_sched_job_run", "dev={dev}, "
	  "fence={#fence_context}:{#fence_seqno}, ring={name}, "
	  "job count:{#job_count}, hw job count:{#hw_job_count}, "
	  "client_id:{#client_id}" },
	{ "drm_sched_job_done",
	  "fence={#fence_context}:{#fence_seqno} signaled" },
	{ "drm_sched_job_add_dep", "fence={#fence_context}:{#fence_seqno} "
	  "depends on fence={#ctx}:{#seqno}" },
	{ "drm_sched_job_unschedulable",
	  "fence={#fence_context}:{#fence_seqno} "
	  "depends on unsignalled fence={#ctx}:{#seqno}" },
	{ "amdgpu_cs_ioctl", "sched_job={#sched_job_id}, timeline={timeline}, "
	  "context={#context}, seqno={#seqno}, ring_name={ring}, "
	  "num_ibs={#num_ibs}" },
	{ "amdgpu_cs_ioctl", "timeline={timeline}, fence={#context}:{#seqno}, "
	  "ring_name={ring}, num_ibs={#num_ibs}" },
	{ "amdgpu_sched_run_job", "sched_job={#sched_job_id}, "
	  "timeline={timeline}, context={#context}, seqno={#seqno}, "
	  "ring_name={ring}, num_ibs={#num_ibs}" },
	{ "amdgpu_sched_run_job", "timeline={timeline}, "
	  "fence={#context}:{#seqno}, ring_name={ring}, "
	  "num_ibs={#num_ibs}" },
	{ "amdgpu_bo_move", "bo={bo}, from={#old_placement}, "
	  "to={#new_placement}, {*}" },
	{ "i915_request_add", "dev={#dev}, engine={#class}:{#instance}, {*}" },
	{ "i915_request_queue", "dev={#dev}, engine={#class}:{#instance}, {*}" },
	{ "i915_request_retire",
	  "dev={#dev}, engine={#class}:{#instance}, {*}" },
	{ "i915_request_submit",
	  "dev={#dev}, engine={#class}:{#instance}, {*}" },
	{ "i915_request_execute",
	  "dev={#dev}, engine={#class}:{#instance}, {*}" },
	{ "i915_request_in", "dev={#dev}, engine={#class}:{#instance}, {*}" },
	{ "i915_request_out", "dev={#dev}, engine={#class}:{#instance}, {*}" },
	{ "i915_request_wait_begin",
	  "dev={#dev}, engine={#class}:{#instance}, {*}" },
	{ "i915_request_wait_end",
	  "dev={#dev}, engine={#class}:{#instance}, {*}" },
	{ "intel_gpu_freq_change", "new_freq={#freq}" },
	{ "virtio_gpu_cmd_queue", "vdev={#dev} {*}" },
	{ "virtio_gpu_cmd_response", "vdev={#dev} {*}" },
};

/* Of a field that is no number; so that a hostile line costs little. */
#define FIELD_MAX 64u

struct match {
	struct rec_text_pair *pairs;
	size_t n;
	struct span rest;
};

static size_t number_size(struct span s)
{
	size_t i = s.n && s.p[0] == '-' ? 1 : 0, sign = i;

	while (i < s.n && rec_text_digit(s.p[i]))
		i++;
	return i > sign ? i : 0;
}

static bool match(struct match *m, const char *pattern, struct span text);

static bool match_field(struct match *m, const char *name, const char *end,
			struct span text)
{
	size_t kept = m->n, most = text.n < FIELD_MAX ? text.n : FIELD_MAX;
	bool number = *name == '#';

	if (*name == '*') {
		m->rest = text;
		return true;
	}
	name += number;
	if (m->n == REC_TEXT_PAIRS_MAX)
		return false;
	m->pairs[m->n] = (struct rec_text_pair){
		.key = span_of(name, (size_t)(end - name)),
	};
	if (number) {
		size_t n = number_size(text);

		m->pairs[m->n++].value = span_of(text.p, n);
		return n && match(m, end + 1, rec_text_from(text, n));
	}
	for (size_t n = 1; n <= most; n++) {
		m->n = kept;
		m->pairs[m->n++].value = span_of(text.p, n);
		if (match(m, end + 1, rec_text_from(text, n)))
			return true;
	}
	return false;
}

/* As deep as a pattern has fields. */
static bool match(struct match *m, const char *pattern, struct span text)
{
	for (; *pattern; pattern++) {
		if (*pattern == '{')
			return match_field(m, pattern + 1,
					   strchr(pattern, '}'), text);
		if (*pattern == ' ') {
			if (!text.n || !rec_text_blank(text.p[0]))
				return false;
			text = rec_text_skip_blanks(text);
			continue;
		}
		if (!text.n || text.p[0] != (uint8_t)*pattern)
			return false;
		text = rec_text_from(text, 1);
	}
	return !rec_text_skip_blanks(text).n;
}

bool rec_text_layout(struct span event, struct span text,
		     struct rec_text_pair pairs[REC_TEXT_PAIRS_MAX], size_t *n,
		     struct span *rest)
{
	for (size_t i = 0; i < ARRAY_LEN(layouts); i++) {
		struct match m = { .pairs = pairs };

		if (!span_is(event, layouts[i].event) ||
		    !match(&m, layouts[i].pattern, text))
			continue;
		*n = m.n;
		*rest = m.rest;
		return true;
	}
	return false;
}
