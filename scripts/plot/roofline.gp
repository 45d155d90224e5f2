# roofline.gp — the roofs that lines.gp draws in a panel of a roofline: the rate of copying, and of multiply-adds.
#
# Set by the caller: copy_rate (bytes/s), roof1.. (operations/s of each panel's multiply-adds; 0: unknown).

roof = value(sprintf('roof%d', p))
rate(v, unit) = gprintf('%.1s %c', v).unit
start = xmin * copy_rate < ymin ? ymin / copy_rate : xmin
ridge = roof > 0 ? roof / copy_rate : xmax
slope = atan2(panel_height / log10(ymax / ymin), panel_width / log10(xmax / xmin)) * 180 / pi
set arrow 200 from first start, first start * copy_rate to first ridge, first ridge * copy_rate nohead \
    linecolor rgb faint linewidth 1.4 back
at_x = start * (xmax / xmin) ** 0.03
set label 200 rate(copy_rate, 'B/s, copy') at first at_x, first at_x * copy_rate left offset character 0, 0.8 rotate by slope \
    font font_small textcolor rgb faint
unset arrow 201
unset label 201
if (roof > 0) {
    set arrow 201 from first ridge, first roof to first xmax, first roof nohead linecolor rgb faint linewidth 1.4 back
    set label 201 rate(roof, 'op/s, multiply-add') at first xmax, first roof right offset character -0.5, 0.6 \
        font font_small textcolor rgb faint
}
