# lines.gp — lines in panels, two beside each other, each named at its end; lines without a name are grey.
#
# Set by the caller: what common.gp asks for; data (a table) and its columns panel_column (0: one panel), line_column, x_column,
# value, low and high (0: no bars), ring_column (0: none; 1 in it: the point is ringed), end_column (a line ends where it is largest); arrays panels[] and panel_label[],
# lines[], line_label[] and line_style[], rest[] with rest_count of them; line_width; xlabel, ylabel; xformat, yformat and for
# axes of few decades xformat_fine, yformat_fine; is_log ('xy', 'x', 'y' or ''); xmin, xmax, ymin, ymax; longest_label (letters);
# left, panel_width and panel_height (pixels) where others are wanted; xtick_count, xtick[] and xtick_label[] (0: as gnuplot chooses); noise (0: not known); backdrop (commands that come first in
# each panel, or '').

panel_count = |panels|
across_panels = panel_count == 1 ? 1 : 2
down_panels = (panel_count + across_panels - 1) / across_panels
if (!exists('left')) { left = 82 }
strip = 34 + 7 * longest_label
if (!exists('panel_width')) { panel_width = panel_count == 1 ? 470 : 300 }
if (!exists('panel_height')) { panel_height = down_panels == 1 ? 330 : (down_panels == 2 ? 240 : 200) }
top = 106
row_gap = 94
note_lines = (strlen(note1) > 0) + (strlen(note2) > 0) + (strlen(note3) > 0)
width = across_panels * (left + panel_width + strip) + 8
if (width < 760) { width = 760 }
height = top + down_panels * panel_height + (down_panels - 1) * row_gap + 64 + 15 * note_lines

load share.'/common.gp'
# A script that marks points by something else than their line names lines without a mark.
label_mark(i) = exists('marks_of_points') ? -1 : marker(line_style[i])
if (!exists('marks_of_points')) { mark(i) = marker(line_style[i]) }

mine(p, name) = (panel_column == 0 || strcol(panel_column) eq panels[p]) && strcol(line_column) eq name
is_log_x = strstrt(is_log, 'x') > 0
is_log_y = strstrt(is_log, 'y') > 0
share_of(v, from, to, is_log) = is_log ? log(v / from) / log(to / from) : (v - from) / real(to - from)

# Where each line of each panel ends: end_y is NaN for one that is not in the panel.
array end_x[panel_count * |lines|]
array end_y[panel_count * |lines|]
do for [p = 1:panel_count] {
    do for [l = 1:|lines|] {
        undefine END_*
        stats data using (mine(p, lines[l]) ? column(x_column) : NaN):(mine(p, lines[l]) ? column(end_column) : NaN) \
            name 'END_x' nooutput
        stats data using (mine(p, lines[l]) ? column(value) : NaN):(mine(p, lines[l]) ? column(end_column) : NaN) \
            name 'END_y' nooutput
        is_there = exists('END_x_records')
        if (is_there) { is_there = END_x_records > 0 }
        end_x[(p - 1) * |lines| + l] = is_there ? END_x_pos_max_y : NaN
        end_y[(p - 1) * |lines| + l] = is_there ? END_y_pos_max_y : NaN
    }
}

set multiplot
if (is_log_x) { set logscale x }
if (is_log_y) { set logscale y }
set xrange [xmin:xmax]
set yrange [ymin:ymax]
set format x (is_log_x && is_fine(xmin, xmax) ? xformat_fine : xformat)
set format y (is_log_y && is_fine(ymin, ymax) ? yformat_fine : yformat)
if (xtick_count > 0) {
    set xtics () nomirror
    do for [i = 1:xtick_count] { set xtics add (xtick_label[i] xtick[i]) }
}
if (xtick_count == 0 && is_log_x && is_fine(xmin, xmax)) {
    set xtics () nomirror
    do for [e = int(floor(log10(xmin))):int(ceil(log10(xmax)))] {
        do for [m in '1 2 5'] {
            tick = real(m) * 10.0 ** e
            if (tick >= xmin && tick <= xmax) { set xtics add (tick) }
        }
    }
}
if (is_log_y && is_fine(ymin, ymax)) {
    set ytics () nomirror
    do for [e = int(floor(log10(ymin))):int(ceil(log10(ymax)))] {
        do for [m in '1 2 5'] {
            tick = real(m) * 10.0 ** e
            if (tick >= ymin && tick <= ymax) { set ytics add (tick) }
        }
    }
}
set xlabel xlabel offset 0, 0.2
set ylabel ylabel offset 0.8, 0

# As tall as two times of the run differ that are not told apart.
if (noise > 0) {
    foot = ymin * (ymax / ymin) ** 0.05
    set arrow 90 from graph 0.975, first foot to graph 0.975, first foot * (1.0 + noise) heads size screen 4.0 / width, 90 \
        linecolor rgb faint linewidth 1.2 front
    set label 190 sprintf('noise floor %.2g %%', 100 * noise) at graph 0.95, first foot * sqrt(1.0 + noise) right noenhanced \
        font font_small textcolor rgb faint front
}

least_step = 15.0
array place[|lines|]
array order[|lines|]
do for [p = 1:panel_count] {
    x0 = left + ((p - 1) % across_panels) * (left + panel_width + strip)
    y0 = top + ((p - 1) / across_panels) * (panel_height + row_gap)
    set lmargin at screen across(x0)
    set rmargin at screen across(x0 + panel_width)
    set tmargin at screen down(y0)
    set bmargin at screen down(y0 + panel_height)
    set title panel_label[p] noenhanced offset 0, -0.5
    if (strlen(backdrop) > 0) { eval backdrop }

    # The names, from the top down: each where its line ends, then pushed apart.
    named = 0
    do for [l = 1:|lines|] {
        e = (p - 1) * |lines| + l
        if (end_y[e] == end_y[e]) {
            at = y0 + panel_height * (1 - share_of(end_y[e], ymin, ymax, is_log_y))
            k = named
            while (k > 0 && (k > 0 ? place[k] > at : 0)) {
                place[k + 1] = place[k]
                order[k + 1] = order[k]
                k = k - 1
            }
            place[k + 1] = at
            order[k + 1] = l
            named = named + 1
        }
    }
    do for [again = 1:100] {
        do for [k = 1:named - 1] {
            push = 0.5 * (least_step - (place[k + 1] - place[k]))
            if (push > 0) { place[k] = place[k] - push; place[k + 1] = place[k + 1] + push }
        }
        if (named > 0) {
            if (place[1] < y0 + 2) { place[1] = y0 + 2 }
            if (place[named] > y0 + panel_height) { place[named] = y0 + panel_height }
        }
    }
    do for [k = 1:named] {
        l = order[k]
        e = (p - 1) * |lines| + l
        set arrow 300 + k from first end_x[e], first end_y[e] to screen across(x0 + panel_width + 12), screen down(place[k]) nohead \
            linecolor rgb colour(line_style[l]) linewidth 0.8 dashtype (2, 3) back
        set label 300 + k line_label[l] at screen across(x0 + panel_width + 18), screen down(place[k]) left noenhanced \
            textcolor rgb ink offset character 0.9, -0.25 point pointtype label_mark(l) pointsize 0.7 \
            linecolor rgb colour(line_style[l])
    }
    plot for [r = 1:rest_count] data using (mine(p, rest[r]) ? column(x_column) : NaN):(column(value)) with linespoints \
            linecolor rgb rest_colour linewidth 0.8 pointtype 7 pointsize 0.3 notitle, \
         for [l = 1:(low > 0 ? |lines| : 0)] data using (mine(p, lines[l]) ? column(x_column) : NaN):(column(value)): \
            (column(low)):(column(high)) with yerrorbars linecolor rgb colour(line_style[l]) pointtype -1 linewidth 1 notitle, \
         for [l = 1:|lines|] data using (mine(p, lines[l]) ? column(x_column) : NaN):(column(value)) with lines \
            linetype dashes(line_style[l]) linecolor rgb colour(line_style[l]) linewidth line_width notitle, \
         for [l = 1:|lines|] data using (mine(p, lines[l]) ? column(x_column) : NaN):(column(value)):(mark(l)) with points \
            pointtype variable linecolor rgb colour(line_style[l]) pointsize 0.75 notitle, \
         for [r = 1:(ring_column > 0 ? rest_count : 0)] data using (mine(p, rest[r]) && column(ring_column) == 1 ? \
            column(x_column) : NaN):(column(value)) with points linecolor rgb rest_colour pointtype 6 pointsize 0.8 notitle, \
         for [l = 1:(ring_column > 0 ? |lines| : 0)] data using (mine(p, lines[l]) && column(ring_column) == 1 ? \
            column(x_column) : NaN):(column(value)) with points linecolor rgb ink linewidth 0.8 pointtype 6 pointsize 1.3 notitle
    do for [i = 101:106] { unset label i }
    do for [k = 1:named] { unset arrow 300 + k; unset label 300 + k }
    unset arrow 90
    unset label 190
}
unset multiplot
unset output
