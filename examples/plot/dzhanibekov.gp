# Angular velocity of a body that flips about its middle axis, with the closed form.
#
#     gnuplot -e "csv='dzhanibekov.csv'; out='dzhanibekov'; format='svg'" examples/plot/dzhanibekov.gp
#
# The spin (second axis) stays for a while and turns over; the wobble about the third axis grows and
# goes back.

load ARG0[1:strlen(ARG0) - strlen("dzhanibekov.gp")] . "style.gp"

set title "A free body spun about its middle axis"
set xlabel "time (s)"
set ylabel "angular velocity, body axes (rad/s)"
stats csv using (column("t")) nooutput
set xrange [0:STATS_max]
set key outside bottom center horizontal maxrows 1
set bmargin 6.5

plot csv using "t":"w2" every 5 with lines linestyle 1 title "middle axis", \
     csv using "t":"w3" every 5 with lines linestyle 5 title "third axis", \
     csv using "t":"w1" every 5 with lines linestyle 4 title "first axis", \
     csv using "t":"exact2" every 100 with points linestyle 3 title "elliptic functions", \
     csv using "t":"exact3" every 100 with points linestyle 3 notitle, \
     csv using "t":"exact1" every 100 with points linestyle 3 notitle
