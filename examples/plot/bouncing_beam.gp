# Height of the hinge, droop of the bars and force on the post over time.
#
#     gnuplot -e "csv='bouncing_beam.csv'; out='bouncing_beam'; format='svg'" examples/plot/bouncing_beam.gp

load ARG0[1:strlen(ARG0) - strlen("bouncing_beam.gp")] . "style.gp"

set title "A beam with a joint bounces on a post"
set xlabel "time (s)"
set ylabel "height of the hinge (mm), force (N)"
set y2label "droop of the bars (rad)" textcolor rgb ink
set border 11
set y2tics
stats csv using (column("t")) nooutput
set xrange [0:STATS_max]
set yrange [0:80]
set rmargin 10
set key outside bottom center horizontal
set bmargin 7

plot csv using "t":(1e3 * column("hinge")) with lines linestyle 1 title "hinge", \
     csv using "t":"force" with lines linestyle 2 title "force", \
     csv using "t":"a" axes x1y2 with lines linestyle 5 title "droop (right)", \
     csv using "t":"a_exact" every 15 axes x1y2 with points linestyle 3 title "droop by events"
