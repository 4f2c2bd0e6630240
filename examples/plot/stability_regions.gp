# Regions of absolute stability, |R(z)| <= 1, filled where a step does not grow.
#
#     gnuplot -e "csv='stability_regions.csv'; out='stability_regions'; format='svg'" \
#         examples/plot/stability_regions.gp

load ARG0[1:strlen(ARG0) - strlen("stability_regions.gp")] . "style.gp"

shown = "explicit_euler heun kutta3 rk4 bogacki_shampine dormand_prince implicit_euler trapezoid gauss2 gauss3 radau2 radau3"
name(s) = system("echo '" . s . "' | tr _ ' '")

if (format eq "svg") {
    set terminal svg size 1200,900 font "DejaVu Sans,14" background "#ffffff" dynamic enhanced
} else {
    set terminal pngcairo size 1200,900 font "DejaVu Sans,11" background "#ffffff" enhanced
}
set output out . "." . format
set multiplot layout 3,4 title "Where a step of x' = {/Symbol l}x does not grow: |R(h{/Symbol l})| ≤ 1 (shaded)" \
    font ",20" textcolor rgb ink
set lmargin 5; set rmargin 2; set tmargin 2.5; set bmargin 3
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
set palette defined (0 "#9cc4e4", 1 "#ffffff")
set cbrange [0:1]
set style line 9 linecolor rgb ink linewidth 0.8
set arrow 1 from -6, 0 to 6, 0 nohead linestyle 9 front
set arrow 2 from 0, -6 to 0, 6 nohead linestyle 9 front

# the table is one grid after another
do for [i = 1:words(shown)] {
    set title name(word(shown, i))
    plot "< grep '^" . word(shown, i) . ",' '" . csv . "'" \
         using 2:3:($4 <= 1 + 1e-9 ? 0 : 1) with image
}
unset multiplot
