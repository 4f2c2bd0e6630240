# Height of the key stone of an arch a little thicker and a little thinner than the line of thrust
# allows.
#
#     gnuplot -e "csv='arch.csv'; out='arch'; format='svg'" examples/plot/arch.gp

load ARG0[1:strlen(ARG0) - strlen("arch.gp")] . "style.gp"

set title "A masonry arch on both sides of its least thickness"
set xlabel "time (s)"
set ylabel "height of the key stone (m)"
set xrange [0:*]
set key bottom right

# run 0 is the thicker one; the other ends where it has fallen far enough
pick(k, y) = column("run") == k ? y : NaN
plot csv using "t":(pick(0, column("key"))) with lines linestyle 1 title "a little thicker: it stands", \
     csv using "t":(pick(1, column("key"))) with lines linestyle 2 title "a little thinner: it falls"
