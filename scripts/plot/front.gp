# front.gp — the Pareto front that lines.gp draws in a figure of time against error, and what the marks of precisions are.
#
# Set by the caller: front_count, front_x1.., front_y1.. from fast to accurate; precision_count, precision1...

set style line 90 linecolor rgb '#d8d8d8' linewidth 4
do for [i = 1:front_count] {
    x = value(sprintf('front_x%d', i))
    y = value(sprintf('front_y%d', i))
    right = i > 1 ? value(sprintf('front_x%d', i - 1)) : xmax
    above = i < front_count ? value(sprintf('front_y%d', i + 1)) : ymax
    set arrow 400 + 2 * i from first right, first y to first x, first y nohead back linestyle 90
    set arrow 401 + 2 * i from first x, first y to first x, first above nohead back linestyle 90
}
set label 400 'ringed: on the Pareto front' at screen across(x0 + panel_width), screen down(y0 - 14) right noenhanced \
    font font_small textcolor rgb faint
key_x = x0
do for [i = 1:precision_count] {
    words = value(sprintf('precision%d', i))
    set label 400 + i words at screen across(key_x), screen down(y0 - 14) left offset character 0.9, -0.25 noenhanced \
        point pointtype shape(words) pointsize 0.8 linecolor rgb faint textcolor rgb ink
    key_x = key_x + 30 + 7 * strlen(words)
}
