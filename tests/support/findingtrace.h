/* Traces to draw conclusions from, whose figures can be worked out by hand. */
#ifndef TESTS_SUPPORT_FINDINGTRACE_H
#define TESTS_SUPPORT_FINDINGTRACE_H

#include "tests/support/tracebuild.h"

/* 10 s of processes that work on video, or do not, on an i915, with samples of
 * their CPU time (1 ms each) and of the engine of all. */
enum {
	FT_HARDWARE = 100, /* video 3 s of 10; CPU 100 ms, no codec */
	FT_SOFTWARE = 200, /* no client; CPU 4 s, 2 of them in libx264 */
	FT_OTHER = 300,    /* renders; CPU 6 s in a file that is no codec */
	FT_MIXED = 400,    /* video 1 s; CPU 1 s in libdav1d */
	FT_IDLE = 500,     /* CPU 1 ms */
	FT_ABSENT = 600,   /* is not in the trace */
	FT_LITTLE = 700,   /* CPU 1 s, no codec, no client */
	FT_SCALES = 800,   /* video-enhance 5 s, video none; CPU 2 s in
			    * libavcodec */
};
extern const struct tb_trace findingtrace_media;

/* The same without readings. */
extern const struct tb_trace findingtrace_samples;

/* A GPU of NVIDIA that all goes wrong with, for 2 s. */
extern const struct tb_trace findingtrace_nvidia;

#endif
