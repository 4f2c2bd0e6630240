# The error of |Q| = 1 of a rotating body, kept in six ways, and the drift of psi.
#
#     gnuplot -e "csv='quaternion_norm.csv'; out='quaternion_norm'; format='svg'" examples/plot/quaternion_norm.gp
#
# Left and middle the six ways of the legend; right psi = (|Q|^2 - 1) / 2 of the constraint by a
# multiplier (theory 9.3), begun with a wrong rate psi': without Baumgarte's terms it grows as
# psi' t, with them it decays, and with the term alpha^2 psi twice as large it swings (E-20).

load ARG0[1:strlen(ARG0) - strlen("quaternion_norm.gp")] . "style.gp"

ways = "additive normalised exponential multiplier Baumgarte projected"
array words_of[6] = ["Q + h dQ/dt, left as it is", "Q + h dQ/dt, normalised", "Q ⊗ exp(h {/Symbol w})", \
    "multiplier of |Q| = 1", "multiplier with Baumgarte's terms", "multiplier, then |Q| = 1 restored"]
array colour[6] = ["#b5452c", "#7b8794", "#1b8a5a", "#0b62a4", "#7a4fa3", "#d1600a"]
of(w, column_) = strcol("way") eq w ? column(column_) : NaN

set multiplot layout 1, 3 title "|Q| = 1 of a rotating body, kept in six ways" font ",21" textcolor rgb ink
set tmargin 5
set bmargin 11.5
set title font ",16"
set rmargin 2
set xlabel "time (s)"
set xtics 2
set logscale y
set format y "10^{%T}"
set key at screen 0.36, screen 0.205 center top vertical maxrows 3 Left reverse samplen 1.5 font ",13"

set lmargin at screen 0.1
set rmargin at screen 0.32
set title "error of |Q|"
set ylabel "| |Q| - 1 | (-)" offset 1,0
set yrange [1e-17:10]
plot for [i = 1:6] csv using "t":(of(word(ways, i), "norm") + 1e-17) with lines linewidth 2 \
     linecolor rgb colour[i] title words_of[i]

set lmargin at screen 0.42
set rmargin at screen 0.65
set title "error of the attitude"
set ylabel "angle (rad)" offset 0,0
set yrange [1e-7:1]
unset key
plot for [i = 3:6] csv using "t":(of(word(ways, i), "attitude")) with lines linewidth 2 \
     linecolor rgb colour[i], \
     csv using "t":(of("additive", "attitude")) with lines linewidth 5 linecolor rgb colour[1], \
     csv using "t":(of("normalised", "attitude")) with lines linewidth 2 linecolor rgb colour[2]

set lmargin at screen 0.76
set rmargin at screen 0.98
set yrange [1e-8:1e-1]
set key at screen 0.99, screen 0.205 right top vertical maxrows 3 noreverse samplen 1.5 font ",13"
set title "{/Symbol y}, wrong rate at the start"
set ylabel "|{/Symbol y}|,  {/Symbol y} = (|Q|^2 - 1) / 2 (-)" offset -0.5,0
plot csv using "t":(abs(of("psi_none", "norm"))) with lines linestyle 1 title "multiplier alone", \
     csv using "t":(abs(of("psi_baumgarte", "norm"))) with lines linestyle 5 title "with Baumgarte's terms", \
     csv using "t":(abs(of("psi_mismatched", "norm"))) with lines linestyle 2 title "{/Symbol a}^2 {/Symbol y} doubled"
unset multiplot
