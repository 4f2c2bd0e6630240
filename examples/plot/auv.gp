# The underwater vehicle: plan, depth, speed and commands of all runs in the table.
#
#     gnuplot -e "csv='auv.csv'; out='auv'; format='svg'" examples/plot/auv.gp
#
# Commands are those of the table (open loop) and of the pilot that passes waypoints; `waypoints` are
# their places in the plan.

load ARG0[1:strlen(ARG0) - strlen("auv.gp")] . "style.gp"
if (!exists("waypoints")) waypoints = "30,0;45,20;30,45;5,45"
if (format eq "svg") {
    set terminal svg size 1400,1000 font "DejaVu Sans,17" background "#ffffff" dynamic enhanced
} else {
    set terminal pngcairo size 1400,1000 font "DejaVu Sans,13" background "#ffffff" enhanced
}

of(run, name) = strcol("run") eq run ? column(name) : NaN
degree = 180 / pi

unset lmargin
unset rmargin
set tmargin 3
unset bmargin
set title font ",17"
set key outside bottom center horizontal samplen 2
set style line 4 linecolor rgb "#7b8794" linewidth 2.2 dashtype solid
set style line 6 linecolor rgb "#d1600a" linewidth 2
set multiplot layout 2,2

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
plot csv using (of("open", "x")):(of("open", "y")) with lines linestyle 4 title "table", \
     csv using (of("heading", "x")):(of("heading", "y")) with lines linestyle 5 title "heading", \
     csv using (of("waypoints", "x")):(of("waypoints", "y")) with lines linestyle 1 title "waypoints", \
     for [i = 1:n] "+" using (px[i]):(py[i]) every ::0::0 with points linestyle 3 notitle
set size noratio

set title "Height; the floor is z = 0"
set xlabel "time (s)"
set ylabel "z (m)"
set xrange [0:60]
plot csv using (of("open", "t")):(of("open", "z")) with lines linestyle 4 title "table", \
     csv using (of("heading", "t")):(of("heading", "z")) with lines linestyle 5 title "heading", \
     csv using (of("waypoints", "t")):(of("waypoints", "z")) with lines linestyle 1 title "waypoints", \
     csv using (of("floor", "t")):(of("floor", "z")) with lines linestyle 2 title "onto the floor"

set title "Speed along the hull"
set ylabel "u (m/s)"
plot csv using (of("open", "t")):(of("open", "u")) with lines linestyle 4 title "table", \
     csv using (of("heading", "t")):(of("heading", "u")) with lines linestyle 5 title "heading", \
     csv using (of("waypoints", "t")):(of("waypoints", "u")) with lines linestyle 1 title "waypoints", \
     csv using (of("floor", "t")):(of("floor", "u")) with lines linestyle 2 title "onto the floor"

set title "Second fin (rudder) and first (stern plane)"
set ylabel "deflection (degrees)"
plot csv using (of("open", "t")):(of("open", "fin2") * degree) with steps linestyle 4 title "table: rudder", \
     csv using (of("waypoints", "t")):(of("waypoints", "fin2") * degree) with steps linestyle 1 title "waypoints: rudder", \
     csv using (of("waypoints", "t")):(of("waypoints", "fin1") * degree) with steps linestyle 6 title "stern plane"
unset multiplot
