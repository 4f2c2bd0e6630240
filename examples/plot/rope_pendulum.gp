# Paths of the mass on a rope, and the tension of the rope.
#
#     gnuplot -e "csv='rope_pendulum.csv'; out='rope_pendulum'; format='svg'" examples/plot/rope_pendulum.gp
#
# On the left the plane of the motion with the circle the rope allows: solid while taut, dashed
# while slack, dots from the time steps. The anchor is found from the table: it is where all taut
# points are at the length of the rope. On the right the tension over time.

load ARG0[1:strlen(ARG0) - strlen("rope_pendulum.gp")] . "style.gp"

# length, and lowest point of the throw (its start): the anchor is above it
stats csv using (column("distance")) nooutput
l = STATS_max
stats csv using (column("motion") == 1 ? column("t") : NaN) nooutput
thrown = STATS_records > 0
stats csv every ::1::1 using (column("t")) nooutput
h = STATS_max
taut(k) = column("motion") == k && column("taut") == 1
slack(k) = column("motion") == k && column("taut") == 0
keep(condition, y) = condition ? y : NaN
if (thrown) {
    stats csv using (column("motion") == 1 && column("t") == 0 ? column("x") : NaN) nooutput
    ax = STATS_max
    stats csv using (column("motion") == 1 && column("t") == 0 ? column("y") + l : NaN) nooutput
    ay = STATS_max
}

set multiplot
set label 2 "A mass on a rope, dropped and thrown" at screen 0.5, screen 0.955 center font ",21" textcolor rgb ink
set tmargin 3
set lmargin at screen 0.09
set rmargin at screen 0.52
set size ratio -1
set xlabel "x (m)"
set ylabel "y (m)"
set key at screen 0.5, screen 0.1 center center vertical maxrows 2 samplen 2 font ",14"
set bmargin at screen 0.27
if (thrown) {
    set object 1 circle at ax, ay size l fillstyle empty border linecolor rgb "#b9c2ca" linewidth 1.2
    set label 1 at ax, ay point pointtype 7 pointsize 0.8 linecolor rgb ink
    set xrange [ax - 1.25 * l:ax + 1.25 * l]
    set yrange [ay - 1.15 * l:ay + 1.35 * l]
}
plot csv using (keep(taut(0), column("x"))):"y" with lines linestyle 1 title "dropped, rope taut", \
     csv using (keep(slack(0), column("x"))):"y" with lines linestyle 1 dashtype (3, 3) title "dropped, slack", \
     csv using (keep(taut(1), column("x"))):"y" with lines linestyle 5 title "thrown, rope taut", \
     csv using (keep(slack(1), column("x"))):"y" with lines linestyle 5 dashtype (3, 3) title "thrown, slack", \
     csv using (keep(column("t") < 1.6, column("x_steps"))):"y_steps" every 15 with points \
         linestyle 3 pointsize 0.5 * dot title sprintf("in time steps of %g s", h), \
     NaN with lines linecolor rgb "#b9c2ca" linewidth 1.2 title "reach of the rope"
unset object 1
unset label 1
unset label 2

set size noratio
set lmargin at screen 0.64
set rmargin at screen 0.97
set autoscale
set xlabel "time (s)"
set ylabel "tension (N)"
stats csv using (column("t")) nooutput
set xrange [0:STATS_max]
set yrange [0:*]
set key default inside top right textcolor rgb ink samplen 2.5 spacing 1.25
plot csv using (keep(column("motion") == 0, column("t"))):"tension" with lines linestyle 1 \
         title "dropped", \
     csv using (keep(column("motion") == 1, column("t"))):"tension" with lines linestyle 5 \
         title "thrown"
unset multiplot
