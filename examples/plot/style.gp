# What the plots have in common, those of `percuss plot`, too. Variables the caller sets: csv (the
# table), out (file name without extension; the standard output without it), format (png or svg).

if (!exists("format")) format = "png"
if (format eq "svg") {
    set terminal svg size 1200,700 font "DejaVu Sans,18" background "#ffffff" dynamic enhanced
    dot = 0.45
} else {
    set terminal pngcairo size 1200,700 font "DejaVu Sans,15" background "#ffffff" enhanced
    dot = 0.9
}
if (exists("out")) set output out . "." . format

set datafile separator ","
set encoding utf8

ink = "#22303c"
set border 3 linewidth 1.2 linecolor rgb ink
set tics nomirror out textcolor rgb ink
set grid linecolor rgb "#dde3e8" linewidth 1 linetype 1
set title textcolor rgb ink font ",21" offset 0,0.3
set xlabel textcolor rgb ink
set ylabel textcolor rgb ink
set key textcolor rgb ink samplen 2.5 spacing 1.25
set lmargin 10
set rmargin 4
set tmargin 4
set bmargin 4.5

# distinguishable in print and for the colour-blind
set style line 1 linecolor rgb "#0b62a4" linewidth 2.2
set style line 2 linecolor rgb "#d1600a" linewidth 2 dashtype (8, 5)
set style line 3 linecolor rgb "#d1600a" pointtype 7 pointsize dot
set style line 4 linecolor rgb "#7b8794" linewidth 1.5 dashtype (3, 4)
set style line 5 linecolor rgb "#1b8a5a" linewidth 2.2
