# Tilt of the dominoes of a row over time: the same curve again and again, once the wave is steady.
#
#     gnuplot -e "csv='dominoes.csv'; out='dominoes'; format='svg'" examples/plot/dominoes.gp

load ARG0[1:strlen(ARG0) - strlen("dominoes.gp")] . "style.gp"

set title "A row of dominoes"
set xlabel "time (s)"
set ylabel "tilt from the vertical (rad)"
stats csv skip 1 nooutput
n = STATS_columns - 1
set xrange [0:*]
set yrange [0:pi/2]
unset key

plot for [i = 1:n] csv using "t":(column(i + 1)) every 4 with lines linestyle (i % 2 ? 1 : 5) notitle
