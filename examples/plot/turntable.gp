# The path of a ball on a table that turns or is shaken, with its closed form.
#
#     gnuplot -e "csv='turntable.csv'; out='turntable'; format='svg'" examples/plot/turntable.gp
#
# Seen from above; the axis of the turntable is at the origin.

load ARG0[1:strlen(ARG0) - strlen("turntable.gp")] . "style.gp"

set title "A ball rolls on a moving table, seen from above"
set xlabel "x (m)"
set ylabel "y (m)"
set size ratio -1
set key outside bottom center horizontal
set bmargin 7

plot csv using "x":"y" with lines linestyle 1 title "path of the ball", \
     csv using "x_closed":"y_closed" every 50 with points linestyle 3 title "closed form"
