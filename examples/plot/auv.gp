# The underwater vehicle: plan, height, speed and fins of all runs in the table.
#
#     gnuplot -e "csv='auv.csv'; out='auv'; format='svg'" examples/plot/auv.gp
#
# Three runs are in open water, where z = 0 is nothing but the height that z counts from; the fourth has
# a scene of its own, with the sea floor at z = 0. `waypoints` are places in the plan.

load ARG0[1:strlen(ARG0) - strlen("auv.gp")] . "style.gp"
if (!exists("waypoints")) waypoints = "30,0;45,20;30,45;5,45"
if (format eq "svg") {
    set terminal svg size 1700,950 font "DejaVu Sans,16" background "#ffffff" dynamic enhanced
    words_font = ",17"
} else {
    set terminal pngcairo size 1700,950 font "DejaVu Sans,13" background "#ffffff" enhanced
    words_font = ",14"
}

of(run, name) = strcol("run") eq run ? column(name) : NaN
degree = 180 / pi

unset lmargin
unset rmargin
set tmargin 3
unset bmargin
set title font ",17"
unset key
set style line 4 linecolor rgb "#7b8794" linewidth 2.2 dashtype solid
set style line 6 linecolor rgb "#d1600a" linewidth 2
set multiplot layout 2,3 margins screen 0.06,0.98,0.17,0.93 spacing screen 0.075,0.17

set title "Plan"
set xlabel "x (m)"
set ylabel "y, to the left (m)"
set size ratio -1
n = 0
array px[32]
array py[32]
rest = waypoints
while (strlen(rest) > 0) {
    cut = strstrt(rest, ";")
    one = cut > 0 ? rest[1:cut - 1] : rest
    rest = cut > 0 ? rest[cut + 1:] : ""
    n = n + 1
    comma = strstrt(one, ",")
    px[n] = real(one[1:comma - 1])
    py[n] = real(one[comma + 1:])
}
plot csv using (of("open", "x")):(of("open", "y")) with lines linestyle 4, \
     csv using (of("heading", "x")):(of("heading", "y")) with lines linestyle 5, \
     csv using (of("waypoints", "x")):(of("waypoints", "y")) with lines linestyle 1, \
     for [i = 1:n] "+" using (px[i]):(py[i]) every ::0::0 with points linestyle 3 notitle
set size noratio

set title "Height in open water"
set xlabel "time (s)"
set ylabel "z (m)"
set xrange [0:*]
plot csv using (of("open", "t")):(of("open", "z")) with lines linestyle 4, \
     csv using (of("heading", "t")):(of("heading", "z")) with lines linestyle 5, \
     csv using (of("waypoints", "t")):(of("waypoints", "z")) with lines linestyle 1

set title "Height over the sea floor"
set ylabel "height of the origin (m)"
set yrange [0:*]
plot csv using (of("floor", "t")):(of("floor", "z")) with lines linestyle 2
set yrange [*:*]

set title "Speed along the hull"
set ylabel "u (m/s)"
plot csv using (of("open", "t")):(of("open", "u")) with lines linestyle 4, \
     csv using (of("heading", "t")):(of("heading", "u")) with lines linestyle 5, \
     csv using (of("waypoints", "t")):(of("waypoints", "u")) with lines linestyle 1, \
     csv using (of("floor", "t")):(of("floor", "u")) with lines linestyle 2

set title "Rudder (second fin)"
set ylabel "deflection (degrees)"
plot csv using (of("open", "t")):(of("open", "fin2") * degree) with steps linestyle 4, \
     csv using (of("heading", "t")):(of("heading", "fin2") * degree) with steps linestyle 5, \
     csv using (of("waypoints", "t")):(of("waypoints", "fin2") * degree) with steps linestyle 1

# the last place holds the words of all
set title "Stern plane (first fin)"
plot csv using (of("open", "t")):(of("open", "fin1") * degree) with steps linestyle 4, \
     csv using (of("heading", "t")):(of("heading", "fin1") * degree) with steps linestyle 5, \
     csv using (of("waypoints", "t")):(of("waypoints", "fin1") * degree) with steps linestyle 1

set origin 0, 0
set size 1, 0.07
set lmargin at screen 0.02
set rmargin at screen 0.98
set key at screen 0.5, screen 0.035 center center horizontal maxrows 1 samplen 3 Left reverse font words_font
unset title
unset xlabel
unset ylabel
unset border
unset tics
unset grid
set xrange [0:1]
set yrange [0:1]
plot NaN with lines linestyle 4 title "commands of a table", \
     NaN with lines linestyle 5 title "pilot that keeps a heading and a depth", \
     NaN with lines linestyle 1 title "pilot that passes waypoints (dots)", \
     NaN with lines linestyle 2 title "onto the sea floor"
unset multiplot
