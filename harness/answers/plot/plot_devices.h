/*
 * plot_devices — the same variants on several devices: time against N, a panel a variant, a line a
 * device.
 */
#ifndef PAIRMARK_ANSWERS_PLOT_PLOT_DEVICES_H
#define PAIRMARK_ANSWERS_PLOT_PLOT_DEVICES_H

#include "answers/plot/plot_sheet.h"

/* One figure for each box, interaction, outputs and precision for which some variant ran on two
 * devices, with two Ns. A device is a model and the backend that drove it. */
bool plot_devices(struct plot_sheet *sheet, struct error *error);

#endif
