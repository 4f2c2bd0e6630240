# Steps of an adaptive run while the nose passes the pole at several distances, in Euler angles and
# with a quaternion.
#
#     gnuplot -e "csv='euler_vs_quaternion.csv'; out='euler_vs_quaternion'; format='svg'" examples/plot/euler_vs_quaternion.gp
#
# On the right what is left of the attitude with fixed steps.

load ARG0[1:strlen(ARG0) - strlen("euler_vs_quaternion.gp")] . "style.gp"

of(form, y) = strcol("form") eq form ? y : NaN
near(miss) = abs(column("miss") / miss - 1) < 1e-6 && column("h") > 0 ? column("h") : NaN

set multiplot layout 1, 2 title "Past gimbal lock" font ",21" textcolor rgb ink
set tmargin 5
set bmargin 9
set logscale y
set format y "10^{%T}"
set key outside bottom center horizontal maxrows 4 samplen 2 font ",13"
set title "steps while the nose passes the pole" font ",16"
set xlabel "time (s)"
set ylabel "step (s)"
stats csv using (of("euler", column("t"))) nooutput
set xrange [0.3 * STATS_max:0.7 * STATS_max]
array distance[3] = [1e-1, 1e-3, 1e-5]
array colour[3] = ["#7b8794", "#1b8a5a", "#0b62a4"]
plot for [i = 1:3] csv using "t":(of("euler", near(distance[i]))) with linespoints linewidth 2 \
         pointtype 7 pointsize 0.4 linecolor rgb colour[i] title sprintf("Euler angles, %g rad away", distance[i]), \
     csv using "t":(of("quaternion", near(1e-5))) with lines linestyle 2 title "quaternion, 1e-05 rad away"
set title "what fixed steps leave" font ",16"
set xlabel "distance from the pole (rad)"
set ylabel "error of the attitude (rad)"
stats csv using (of("euler_fixed", column("miss"))) nooutput
set logscale x
set xrange [0.8 * STATS_min:1.25 * STATS_max]
set format x "%g"
set xtics (0.005, 0.01, 0.02, 0.04, 0.08)
set yrange [1e-14:*]
plot csv using "miss":(of("euler_fixed", column("error"))) with linespoints linestyle 1 pointtype 7 title "Euler angles", \
     csv using "miss":(of("quaternion_fixed", column("error"))) with linespoints linestyle 2 pointtype 7 title "quaternion"
unset multiplot
