/* What rec --gpu would take here, and lack. */
#ifndef RECORD_DOCTOR_GPU_H
#define RECORD_DOCTOR_GPU_H

#include "record/doctor/doctor.h"

void rec_doctor_gpu(struct rec_doctor *d, struct rec_finding *f);

#endif
