# The speed of the wheel without a rim over time, with its closed form.
#
#     gnuplot -e "csv='rimless_wheel.csv'; out='rimless_wheel'; format='svg'" examples/plot/rimless_wheel.gp
#
# Each impact of a foot takes a part of the speed; the slope gives it back.

load ARG0[1:strlen(ARG0) - strlen("rimless_wheel.gp")] . "style.gp"

set title "A wheel without a rim walks down a slope"
set xlabel "time (s)"
set ylabel "angular velocity (rad/s)"
stats csv using (column("t")) nooutput
set xrange [0:STATS_max]
set key outside bottom center horizontal
set bmargin 7

plot csv using "t":"omega" with lines linestyle 1 title "in time steps", \
     csv using "t":"omega_closed" every 10 with points linestyle 3 title "closed form"
