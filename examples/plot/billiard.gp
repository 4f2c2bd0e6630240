# Speeds of the balls of the billiard table over time, with their closed forms.
#
#     gnuplot -e "csv='billiard.csv'; out='billiard'; format='svg'" examples/plot/billiard.gp
#
# While a ball slides its speed changes by mu g t; when v = R omega it rolls, and both stay.

load ARG0[1:strlen(ARG0) - strlen("billiard.gp")] . "style.gp"

set title "Billiard balls: sliding until they roll"
set xlabel "time (s)"
set ylabel "speed v, and spin R {/Symbol w} (m/s)"
stats csv using (column("t")) nooutput
set xrange [0:STATS_max]
set key outside bottom center horizontal maxrows 2
set bmargin 8

pick(k, y) = column("case") == k ? y : NaN
plot csv using "t":(pick(0, column("v"))) with lines linestyle 1 title "struck without spin: v", \
     csv using "t":(pick(0, column("R_omega"))) with lines linestyle 2 title "struck without spin: R {/Symbol w}", \
     csv using "t":(pick(1, column("v"))) with lines linestyle 5 title "set down spinning: v", \
     csv using "t":(pick(2, column("v"))) with lines linestyle 4 title "struck with backspin: v", \
     csv using "t":(pick(0, column("v_closed"))) every 40 with points linestyle 3 title "v in closed form", \
     csv using "t":(pick(1, column("v_closed"))) every 40 with points linestyle 3 notitle, \
     csv using "t":(pick(2, column("v_closed"))) every 40 with points linestyle 3 notitle
