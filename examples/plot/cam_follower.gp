# Height of the follower and its force on the cam over time, with their closed forms.
#
#     gnuplot -e "csv='cam_follower.csv'; out='cam_follower'; format='svg'" examples/plot/cam_follower.gp
#
# Where the force is zero the follower flies.

load ARG0[1:strlen(ARG0) - strlen("cam_follower.gp")] . "style.gp"

set title "A cam turns too fast for its follower"
set xlabel "time (s)"
set ylabel "height of the follower (mm)"
set y2label "force on the cam (N)" textcolor rgb ink
set border 11
set y2tics
stats csv using (column("t")) nooutput
set xrange [0:STATS_max]
stats csv using (column("force_closed")) nooutput
set y2range [0:2 * STATS_max]
set rmargin 10
set key outside bottom center horizontal
set bmargin 7

plot csv using "t":(1e3 * column("z")) with lines linestyle 1 title "height", \
     csv using "t":(1e3 * column("z_closed")) every 30 with points linestyle 3 title "closed form", \
     csv using "t":"force" axes x1y2 with lines linestyle 5 title "force (right)"
