# The angles of the legs of the simplest walker over some steps.
#
#     gnuplot -e "csv='simplest_walker.csv'; out='simplest_walker'; format='svg'" examples/plot/simplest_walker.gp
#
# The other leg has the angle theta - phi; at each impact the legs change roles.

load ARG0[1:strlen(ARG0) - strlen("simplest_walker.gp")] . "style.gp"

set title "The simplest walker: its legs, from the normal of the slope"
set xlabel "time (in units of the leg and of gravity)"
set ylabel "angle (rad)"
stats csv using (column("t")) nooutput
set xrange [0:STATS_max]
set key outside bottom center horizontal
set bmargin 7

plot csv using "t":"theta" with lines linestyle 1 title "leg on the ground", \
     csv using "t":(column("theta") - column("phi")) with lines linestyle 2 title "other leg"
