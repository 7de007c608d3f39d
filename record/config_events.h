/* The part of a command line that says which events are recorded, where order
 * matters: a filter and a cgroup belong to the events before them. */
#ifndef RECORD_CONFIG_EVENTS_H
#define RECORD_CONFIG_EVENTS_H

#include "record/config.h"

/* Fills c->events; c->system_wide is set. */
int rec_config_events(struct rec_config *c, const struct rec_args *a,
		      struct err *err);

/* Adds the processes of the users (-u) to c->pids, without this one. */
int rec_config_users(struct rec_config *c, const struct rec_args *a,
		     const char *root, struct err *err);

#endif
