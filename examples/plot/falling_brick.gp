# Heights of the centre and of the eight vertices of the falling brick.
#
#     gnuplot -e "csv='falling_brick.csv'; out='falling_brick'; format='svg'" examples/plot/falling_brick.gp
#
# At rest four vertices are on the ground and four at the height of the face that ended on top.

load ARG0[1:strlen(ARG0) - strlen("falling_brick.gp")] . "style.gp"

set title "A brick tumbles, bounces on its vertices and comes to rest"
set xlabel "time (s)"
set ylabel "height (m)"
stats csv using (column("t")) nooutput
t_end = STATS_max
stats csv using "t":(column("kinetic") > 1e-6 ? column("t") : NaN) nooutput
set xrange [0:(1.25 * STATS_max_y < t_end ? 1.25 * STATS_max_y : t_end)]
set yrange [0:*]
set key top right

plot for [i=1:8] csv using "t":(column(sprintf("z%d", i))) with lines linewidth 1 \
         linecolor rgb "#7b8794" title (i == 1 ? "its eight vertices" : ""), \
     csv using "t":"z" with lines linestyle 1 title "centre"
