# devices.gp — time against N, a panel a variant, a line a device.
#
# Set by the caller: what common.gp asks for; data (a table: device, variant, n, time, low, high), arrays variants[],
# variant_label[], devices[], xmin, xmax, ymin, ymax, xtick[] and xtick_label[].

panels = |variants|
across_panels = panels <= 4 ? panels : (panels <= 6 ? 3 : 4)
down_panels = (panels + across_panels - 1) / across_panels
left = 96
gap = 18
panel_width = panels == 1 ? 520 : (across_panels == 2 ? 360 : 270)
panel_height = down_panels == 1 ? 300 : 200
legend_rows = |devices|
legend_top = 74
top = legend_top + 22 * legend_rows + 34
row_gap = 66
bottom = 104
width = left + across_panels * panel_width + (across_panels - 1) * gap + 24
if (width < 640) { width = 640 }
height = top + down_panels * panel_height + (down_panels - 1) * row_gap + bottom

load share.'/common.gp'
# Tol's bright colours: other than the variants', for these are devices. Beyond six, dashes tell them apart.
device_colours = '#4477AA #EE6677 #228833 #AA3377 #CCBB44 #66CCEE'
device_colour(d) = word(device_colours, 1 + (d - 1) % 6)
device_marker(d) = marker(d - 1)
device_dash(d) = 1 + int((d - 1) / 6) % 4
# Those drawn first are larger, so that they show behind the others where times are the same.
device_size(d) = d == 1 ? 1.4 : (d == 2 ? 0.9 : 0.6)
device_width(d) = d == 1 ? 3.6 : (d == 2 ? 1.8 : 1.2)

set multiplot
set logscale xy
set xrange [xmin:xmax]
set yrange [ymin:ymax]
set xtics () nomirror
do for [i = 1:|xtick|] { set xtics add (xtick_label[i] xtick[i]) }
if (fine(ymin, ymax)) {
    set ytics () nomirror
    do for [e = int(floor(log10(ymin))):int(ceil(log10(ymax)))] {
        do for [m in '1 2 5'] {
            tick = real(m) * 10.0 ** e
            if (tick >= ymin && tick <= ymax) { set ytics add (tick) }
        }
    }
} else { set ytics autofreq nomirror }
mine(d, v) = int($1) == d && strcol(2) eq variants[v]
do for [v = 1:panels] {
    column_of = (v - 1) % across_panels
    row_of = (v - 1) / across_panels
    x0 = left + column_of * (panel_width + gap)
    y0 = top + row_of * (panel_height + row_gap)
    set lmargin at screen across(x0)
    set rmargin at screen across(x0 + panel_width)
    set tmargin at screen down(y0)
    set bmargin at screen down(y0 + panel_height)
    set title variant_label[v] noenhanced offset 0, -0.6
    if (column_of == 0) { set ylabel 'time of one evaluation' offset 0.5, 0; set format y '%.0s %cs' } \
    else { unset ylabel; set format y '' }
    if (v + across_panels > panels) { set xlabel 'N (particles)' offset 0, 0.3 } else { unset xlabel }
    plot for [d = 1:|devices|] data using (mine(d, v) ? $3 : NaN):4:5:6 with yerrorbars \
            linecolor rgb device_colour(d) pointtype -1 linewidth 1 notitle, \
         for [d = 1:|devices|] data using (mine(d, v) ? $3 : NaN):4 with linespoints \
            linecolor rgb device_colour(d) dashtype device_dash(d) pointtype device_marker(d) \
            pointsize device_size(d) linewidth device_width(d) notitle
    do for [l = 101:105] { unset label l }
}

# The legend above the panels, a line a device: their names are long.
set tmargin at screen down(legend_top)
set bmargin at screen down(legend_top + 22 * legend_rows)
set lmargin at screen across(14)
set rmargin at screen across(width - 10)
unset title; unset xlabel; unset ylabel; unset border; unset tics; unset grid; unset logscale
set xrange [0:1]
set yrange [0:1]
set key at graph 0, 1 left top Left reverse noenhanced samplen 2.5 spacing 1.1 maxcols 1
plot NaN notitle, for [d = 1:|devices|] keyentry with linespoints linecolor rgb device_colour(d) \
    dashtype device_dash(d) pointtype device_marker(d) pointsize device_size(d) linewidth device_width(d) title devices[d]
unset multiplot
unset output
