# Tilt of the dominoes of a row over time: the same curve again and again, once the wave is steady.
# A curve bends where its domino hits the next one, and where those behind it come to push.
#
#     gnuplot -e "csv='dominoes.csv'; out='dominoes'; format='svg'" examples/plot/dominoes.gp

load ARG0[1:strlen(ARG0) - strlen("dominoes.gp")] . "style.gp"

set title "A row of dominoes, a curve for each, in the order in which they fall"
set xlabel "time (s)"
set ylabel "tilt from the vertical (rad)"
stats csv skip 1 nooutput
n = STATS_columns - 1
set xrange [0:*]
set yrange [-0.02:1.04*pi/2]
set key outside bottom center horizontal maxrows 1
set bmargin 6.5

# a domino that stands is left out
falls(tilt) = tilt > 1e-3 ? tilt : NaN
plot for [i = 1:n - 1] csv using "t":(falls(column(i + 1))) every 4 with lines linestyle (i % 2 ? 1 : 5) \
     title (i == 1 ? "first, third, fifth ..." : i == 2 ? "second, fourth ..." : ""), \
     csv using "t":(falls(column(n + 1))) every 4 with lines linestyle 2 title "the last, with none to lean on"
