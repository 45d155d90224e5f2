/*
 * peak — the device's measured rate of multiply-adds: what percent_of_peak is a percentage of.
 */
#ifndef PAIRMARK_MEASURE_PEAK_H
#define PAIRMARK_MEASURE_PEAK_H

#include "box/box.h"
#include "device/device.h"

/* Operations per second (a multiply-add is two) in the precision's arithmetic: the best of several
 * launches of measure/peak.cl, each long enough to be timed well. */
bool peak_measure(struct device *device, enum precision precision, double *operations_per_s,
                  struct error *error);

#endif
