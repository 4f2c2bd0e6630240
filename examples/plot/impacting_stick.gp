# Height and angle of the stick over time, in time steps and by events.
#
#     gnuplot -e "csv='impacting_stick.csv'; out='impacting_stick'; format='svg'" examples/plot/impacting_stick.gp

load ARG0[1:strlen(ARG0) - strlen("impacting_stick.gp")] . "style.gp"

set title "A stick falls on a floor and bounces on its ends"
set xlabel "time (s)"
set ylabel "height of the centre (m)"
set y2label "angle from the floor (rad)" textcolor rgb ink
set border 11
set y2tics
stats csv using (column("t")) nooutput
set xrange [0:STATS_max]
set rmargin 10
set key outside bottom center horizontal
set bmargin 7

plot csv using "t":"z" with lines linestyle 1 title "height", \
     csv using "t":"z_exact" every 20 with points linestyle 3 title "by events", \
     csv using "t":"a" axes x1y2 with lines linestyle 5 title "angle (right)", \
     csv using "t":"a_exact" every 20 axes x1y2 with points linestyle 3 notitle
