# The axis of a heavy top let go at rest, from above, and its tilt over time with the closed form.
#
#     gnuplot -e "csv='heavy_top.csv'; out='heavy_top'; format='svg'" examples/plot/heavy_top.gp
#
# It falls, is deflected, and comes to rest again at a cusp.

load ARG0[1:strlen(ARG0) - strlen("heavy_top.gp")] . "style.gp"

of(form, y) = strcol("form") eq form ? y : NaN

set multiplot layout 1, 2 title "A heavy top let go with its axis at rest" font ",21" textcolor rgb ink
set tmargin 5
set bmargin 6.5
set key outside bottom center horizontal maxrows 1 samplen 2
set title "tip of the axis, a unit vector, from above" font ",16"
set xlabel "x of the unit vector (-)"
set ylabel "y of the unit vector (-)"
set size ratio -1
set xtics 0.1
plot csv using (of("joint", column("ex"))):"ey" with lines linestyle 1 title "held by a joint", \
     csv using (of("angles", column("ex"))):"ey" every 5 with points linestyle 3 title "in Euler angles"
set size noratio
set xtics autofreq
set title "tilt of the axis" font ",16"
set xlabel "time (s)"
set ylabel "tilt (rad)"
plot csv using "t":(of("quaternion", acos(column("ez")))) with lines linestyle 1 title "with a quaternion", \
     csv using "t":(of("quaternion", acos(column("exact")))) every 5 with points linestyle 3 \
         title "closed form"
unset multiplot
