# Height of the bouncing ball over time, with its apexes in closed form.
#
#     gnuplot -e "csv='ball.csv'; out='ball'; format='svg'; e=0.9" examples/plot/bouncing_ball.gp
#
# A ball of radius r dropped at rest from z0 lands first after t0 = sqrt(2 (z0 - r) / g); the apex
# after bounce k is r + (z0 - r) e^(2k). All apexes lie on the parabola
#     H(t) = r + (z0 - r) (1 - t / t_inf)^2,    t_inf = t0 (1 + e) / (1 - e),
# apex k at t_inf (1 - e^k), and infinitely many bounces end at t_inf. e and g must be those of the
# run. For e = 1, or a ball that is thrown, there is no closed form in the plot.

if (!exists("e")) e = 0.9
if (!exists("g")) g = 9.81

load ARG0[1:strlen(ARG0) - strlen("bouncing_ball.gp")] . "style.gp"

# start, radius and duration stand in the table
stats csv using (column("z")) every ::0::0 nooutput
z0 = STATS_min
stats csv using (column("z") - column("gap")) every ::0::0 nooutput
r = STATS_min
stats csv using (column("vz")) every ::0::0 nooutput
dropped = STATS_min == 0 && e < 1
stats csv using (column("t")) nooutput
t_end = STATS_max

t0 = sqrt(2 * (z0 - r) / g)
t_inf = dropped ? t0 * (1 + e) / (1 - e) : 1
H(t) = r + (z0 - r) * (1 - t / t_inf)**2

set title sprintf("Bouncing ball: e = %g, centre at %g m at the start", e, z0)
set xlabel "time (s)"
set ylabel "height of the centre (m)"
set xrange [0:t_end]
stats csv using (column("z")) nooutput
set yrange [0:STATS_max * 1.08]
set samples 400

if (!dropped) {
    plot csv using "t":"z" with lines linestyle 1 notitle
    exit
}
if (t_inf < t_end) {
    # right of the line, where the ball lies, or left of it near the end: the apexes are lower there
    late = t_inf > 0.85 * t_end
    set arrow 1 from t_inf, 0 to t_inf, graph 0.55 nohead linestyle 4
    set label 1 sprintf("at rest after\n%.3f s", t_inf) at t_inf, graph 0.52 textcolor rgb ink
    if (late) { set label 1 right offset -1, 0 } else { set label 1 left offset 1, 0 }
}

plot sample [s=0:t_inf < t_end ? t_inf : t_end] '+' using (s):(H(s)) with lines linestyle 2 \
         title "closed form: through the apexes r + (z_0 - r) e^{2k}", \
     csv using "t":"z" with lines linestyle 1 title "simulated", \
     [k=0:40:1] '+' using (t_inf * (1 - e**k)):(r + (z0 - r) * e**(2 * k)) \
         with points linestyle 3 notitle
