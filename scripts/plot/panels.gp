# panels.gp — the places of curves.gp and roofline.gp: a panel a precision, side by side, and the legend of variants beside them,
# in pixels. A row of the legend takes 26; gnuplot leaves out entries that it has no room for.
#
# Set by the caller: arrays precisions[] and variants[], legend_width.

panels = |precisions|
left = 96
gap = 18
top = 96
bottom = 98
panel_width = panels == 1 ? 520 : (panels == 2 ? 400 : 330)
legend_left = left + panels * panel_width + (panels - 1) * gap + 22
width = legend_left + legend_width + 10
height = 500
if (top + 26 * |variants| + 40 > height) { height = top + 26 * |variants| + 40 }
