# Work and precision of Runge-Kutta methods: evaluations of f against the error over the run.
#
#     gnuplot -e "csv='rk_orders.csv'; out='rk_orders'; format='svg'" examples/plot/rk_orders.gp
#
# The slope of a line is -1 / order; the further left and down a line, the cheaper the method.

load ARG0[1:strlen(ARG0) - strlen("rk_orders.gp")] . "style.gp"

set title "What an error costs: every tableau"
set xlabel "evaluations of f"
set ylabel "root mean square error"
set logscale xy
set format y "10^{%T}"
set format x "10^{%T}"
set xrange [20:2e5]
set yrange [1e-13:10]
set key outside right top vertical samplen 2 spacing 1.15 font ",15"
set rmargin 27

explicit = "explicit_euler heun ralston midpoint kutta3 heun3 bogacki_shampine rk4 dormand_prince"
implicit = "implicit_euler trapezoid gauss1 radau2 gauss2 radau3 gauss3 sdirk4"
name(s) = system("echo '" . s . "' | tr _ ' '")

array colour[9] = ["#7b8794", "#d1600a", "#e0a030", "#b5452c", "#1b8a5a", "#64b08a", "#7a4fa3", "#0b62a4", "#111111"]
plot for [i = 1:words(explicit)] csv \
         using (strcol("method") eq word(explicit, i) ? column("evaluations") : NaN):"error" \
         with linespoints linewidth 2 pointtype 7 pointsize 0.5 linecolor rgb colour[i] \
         title name(word(explicit, i)), \
     for [i = 1:words(implicit)] csv \
         using (strcol("method") eq word(implicit, i) ? column("evaluations") : NaN):"error" \
         with lines linewidth 1.6 dashtype (6, 4) linecolor rgb colour[i] \
         title name(word(implicit, i))
