# Regions of absolute stability, |R(z)| <= 1, filled where a step does not grow. Between the points of
# the table |R| is interpolated bilinearly, so that edges are smooth.
#
#     gnuplot -e "csv='stability_regions.csv'; out='stability_regions'; format='svg'" \
#         examples/plot/stability_regions.gp

load ARG0[1:strlen(ARG0) - strlen("stability_regions.gp")] . "style.gp"

shown = "explicit_euler heun kutta3 rk4 bogacki_shampine dormand_prince implicit_euler trapezoid gauss2 gauss3 radau2 radau3"
names = "'explicit Euler' Heun Kutta-3 RK4 Bogacki-Shampine Dormand-Prince 'implicit Euler' 'trapezoidal rule' 'Gauss, 2 stages' 'Gauss, 3 stages' 'Radau IIA, 2 stages' 'Radau IIA, 3 stages'"

if (format eq "svg") {
    set terminal svg size 1200,960 font "DejaVu Sans,14" background "#ffffff" dynamic enhanced
} else {
    set terminal pngcairo size 1200,960 font "DejaVu Sans,11" background "#ffffff" enhanced
}
set output out . "." . format
set multiplot layout 3,4 title "Where a step of x' = {/Symbol l}x does not grow: |R(h{/Symbol l})| ≤ 1 (shaded)" \
    font ",20" textcolor rgb ink
set lmargin 5; set rmargin 2; set tmargin 2.5; set bmargin 3.6
set size square
set xrange [-6:6]
set yrange [-6:6]
set xtics 3
set ytics 3
unset key
unset colorbox
unset grid
set title offset 0,-0.6 font ",15"
unset xlabel
unset ylabel
set label 1 "horizontal: Re h{/Symbol l} (-), vertical: Im h{/Symbol l} (-)" at screen 0.5, screen 0.015 center font ",13" textcolor rgb ink
set palette defined (0 "#9cc4e4", 1 "#ffffff")
set cbrange [0:1]
set style line 9 linecolor rgb ink linewidth 0.8
set arrow 1 from -6, 0 to 6, 0 nohead linestyle 9 front
set arrow 2 from 0, -6 to 0, 6 nohead linestyle 9 front

# the table is one square grid after another, Im z fast; n x n points become 5 (n - 1) + 1 of each side
# (a pole is cut off, for what is far above 1 says nothing about where 1 is)
finer = '$1 == name { if (!k || $2 != x[n]) { x[++n] = $2; m = 0 } y[++m] = $3; ' . \
    'v[n, m] = $4 < 2 ? $4 : 2; k++ } ' . \
    'END { for (i = 0; i <= 5 * (n - 1); i++) for (j = 0; j <= 5 * (m - 1); j++) { ' . \
    'a = int(i / 5); b = int(j / 5); p = i / 5 - a; q = j / 5 - b; a++; b++; c = a < n ? a + 1 : a; d = b < m ? b + 1 : b; ' . \
    'r = (1 - p) * ((1 - q) * v[a, b] + q * v[a, d]) + p * ((1 - q) * v[c, b] + q * v[c, d]); ' . \
    'print x[1] + (x[n] - x[1]) * i / (5 * (n - 1)) "," y[1] + (y[m] - y[1]) * j / (5 * (m - 1)) "," (r > 1 + 1e-9) } }'
do for [i = 1:words(shown)] {
    set title word(names, i)
    plot sprintf("< awk -F, -v name=%s '%s' '%s'", word(shown, i), finer, csv) using 1:2:3 with image
    unset label 1
}
unset multiplot
