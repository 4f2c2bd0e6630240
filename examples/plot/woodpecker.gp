# Height and angles of the woodpecker toy over some cycles.
#
#     gnuplot -e "csv='woodpecker.csv'; out='woodpecker'; format='svg'" examples/plot/woodpecker.gp

load ARG0[1:strlen(ARG0) - strlen("woodpecker.gp")] . "style.gp"

set title "The woodpecker toy"
set xlabel "time (s)"
set ylabel "angle (rad)"
set y2label "height (mm)" textcolor rgb ink
set border 11
set y2tics
set xrange [0:0.6]
set rmargin 10
set key outside bottom center horizontal
set bmargin 7

plot csv using "t":"bird" with lines linestyle 1 title "bird", \
     csv using "t":"sleeve" with lines linestyle 2 title "sleeve", \
     csv using "t":(1e3 * column("y")) axes x1y2 with lines linestyle 5 title "height (right)"
