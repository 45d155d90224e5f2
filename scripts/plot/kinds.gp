# kinds.gp — what each kind of figure in panels (lines.gp) has in its table, column by column, and on its axes.
#
# Set by the caller: kind; of time, pairs and energy also xlabel and ylabel, of time and pairs noise.

is_log = 'xy'
panel_column = 1
line_column = 2
x_column = 3
value = 4
low = 5
high = 6
ring_column = 0
end_column = 3
line_width = 1.5
xformat = '%.0s%c'
yformat = '%.0s %cs'
yformat_fine = yformat
backdrop = ''
if (!exists('noise')) { noise = 0 }
if (!exists('ylabel')) { ylabel = 'time of one evaluation' }
if (kind eq 'pairs') {
    value = 8
    low = 9
    high = 10
    yformat = '10^{%L}'
    yformat_fine = '%.0t×10^{%T}'
}
if (kind eq 'energy') {
    value = 13
    low = 0
    yformat = '10^{%L}'
    yformat_fine = '%g'
}
if (kind eq 'devices') {
    panel_column = 2
    line_column = 1
    xlabel = 'N (particles)'
}
xformat_fine = xformat
# One panel, a mark a precision.
if (kind eq 'error') {
    array panels[1] = ['']
    array panel_label[1] = ['']
    panel_column = 0
    x_column = 5
    low = 0
    ring_column = 6
    end_column = 5
    line_width = 0.8
    xtick_count = 0
    xlabel = 'largest force error / RMS force'
    xformat = '10^{%L}'
    xformat_fine = '%.0t×10^{%T}'
    backdrop = "load share.'/front.gp'"
    marks_of_points = 'precision'
    shape(p) = p eq 'float' ? 7 : (p eq 'mixed' ? 9 : (p eq 'double' ? 5 : 13))
    mark(l) = shape(strcol(1))
}
if (kind eq 'roofline') {
    x_column = 4
    value = 5
    low = 0
    ring_column = 6
    line_width = 0.8
    xtick_count = 0
    xlabel = 'operations per byte of the least traffic'
    ylabel = 'operations per second'
    xformat = '10^{%L}'
    xformat_fine = '%g'
    yformat = '10^{%L}'
    yformat_fine = '%.0t×10^{%T}'
    backdrop = "load share.'/roofline.gp'"
}
