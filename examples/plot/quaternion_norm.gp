# What is left of |Q| = 1 of a turning body, kept in six ways, and the drift of psi.
#
#     gnuplot -e "csv='quaternion_norm.csv'; out='quaternion_norm'; format='svg'" examples/plot/quaternion_norm.gp
#
# Errors of |Q| and of the attitude; psi = (|Q|^2 - 1) / 2 from an error of its rate:
# without Baumgarte, with it, and with a constraint that does not belong to its gradient.

load ARG0[1:strlen(ARG0) - strlen("quaternion_norm.gp")] . "style.gp"

ways = "additive normalised exponential multiplier Baumgarte projected"
array colour[6] = ["#b5452c", "#7b8794", "#1b8a5a", "#0b62a4", "#7a4fa3", "#d1600a"]
of(w, column_) = strcol("way") eq w ? column(column_) : NaN

set multiplot layout 1, 3
set title font ",16"
set lmargin 9
set rmargin 2
set xlabel "time (s)"
set xtics 2
set logscale y
set format y "10^{%T}"
set yrange [1e-16:10]
set key at graph 0.97, graph 0.52 vertical samplen 1.5 font ",13"
set title "error of |Q|"
plot for [i = 1:6] csv using "t":(of(word(ways, i), "norm") + 1e-17) with lines linewidth 2 \
     linecolor rgb colour[i] title word(ways, i)
set title "error of the attitude (rad)"
set yrange [1e-7:1]
unset key
plot for [i = 3:6] csv using "t":(of(word(ways, i), "attitude")) with lines linewidth 2 \
     linecolor rgb colour[i], \
     csv using "t":(of("additive", "attitude")) with lines linewidth 4 linecolor rgb colour[1], \
     csv using "t":(of("normalised", "attitude")) with lines linewidth 2 linecolor rgb colour[2]
unset logscale y
set format y "%g"
set yrange [-2e-4:1e-3]
set key at graph 0.97, graph 0.6
set title "psi after an error of its rate"
plot csv using "t":(of("psi_none", "norm")) with lines linestyle 1 title "without alpha", \
     csv using "t":(of("psi_baumgarte", "norm")) with lines linestyle 5 title "with alpha", \
     csv using "t":(of("psi_mismatched", "norm")) with lines linestyle 2 title "A of another phi"
unset multiplot
