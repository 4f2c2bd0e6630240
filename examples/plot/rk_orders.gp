# Work and precision of Runge-Kutta methods: evaluations of f against the error over the run.
#
#     gnuplot -e "csv='rk_orders.csv'; out='rk_orders'; format='svg'" examples/plot/rk_orders.gp
#
# The slope of a line is -1 / order; the further left and down a line, the cheaper the method.

load ARG0[1:strlen(ARG0) - strlen("rk_orders.gp")] . "style.gp"

set title "What an error costs, by method"
set xlabel "evaluations of f, those of Newton's method included"
set ylabel "root mean square error over the run (-)"
set logscale xy
set format y "10^{%T}"
set format x "10^{%T}"
set xrange [20:2e5]
set yrange [1e-13:10]
set key outside right top vertical samplen 2 spacing 1.05 font ",13" maxrows 19
set rmargin 27

explicit = "explicit_euler heun ralston midpoint kutta3 heun3 bogacki_shampine rk4 dormand_prince"
implicit = "implicit_euler trapezoid gauss1 radau2 gauss2 radau3 gauss3 sdirk4"
explicit_names = "'explicit Euler' Heun Ralston midpoint Kutta-3 Heun-3 Bogacki-Shampine RK4 Dormand-Prince"
implicit_names = "'implicit Euler' 'trapezoidal rule' 'Gauss, 1 stage' 'Radau IIA, 2' 'Gauss, 2' 'Radau IIA, 3' 'Gauss, 3' 'SDIRK, order 4'"

array colour[9] = ["#7b8794", "#d1600a", "#e0a030", "#b5452c", "#1b8a5a", "#64b08a", "#7a4fa3", "#0b62a4", "#111111"]
plot NaN with lines linecolor rgb "#ffffff" title "explicit:", \
     for [i = 1:words(explicit)] csv \
         using (strcol("method") eq word(explicit, i) ? column("evaluations") : NaN):"error" \
         with linespoints linewidth 2 pointtype 7 pointsize 0.5 linecolor rgb colour[i] \
         title word(explicit_names, i), \
     NaN with lines linecolor rgb "#ffffff" title "implicit:", \
     for [i = 1:words(implicit)] csv \
         using (strcol("method") eq word(implicit, i) ? column("evaluations") : NaN):"error" \
         with linespoints linewidth 1.6 dashtype (6, 4) pointtype 6 pointsize 0.6 linecolor rgb colour[i] \
         title word(implicit_names, i)
