# peers.gp OUTPUT DATA PANELS TITLE: a panel of bars for each block of the data, two beside each
# other.
#
# A block begins with its title, in quotes; then a line per contender, the best first: its place
# from below, the median, the quartiles, the colour, its name, and the median in words.
panels = ARG3 + 0
across = panels > 1 ? 2 : 1
down = (panels + across - 1) / across
data = ARG2
heading = ARG4

ask(command) = system(sprintf("awk %s '%s'", command, data))
bars = ask("'/^[0-9]/ && $1 > most { most = $1 } END { print most }'") + 0
title_of(i) = ask(sprintf("-F '\"' '/^\"/ && ++n == %d { print $2 }'", i))

call "benches/plots/style.gp" ARG1 sprintf("%d", 40 + down * (52 + 23 * bars))
set multiplot layout down,across title heading font ",16" noenhanced
unset key
set border 2
unset xtics
unset grid
set ytics scale 0 noenhanced
set lmargin 15
set rmargin 10
set tmargin 3
set bmargin 0.5
set style fill solid 1 noborder
set xrange [0:1<*]
set yrange [0.4:bars + 0.6]
do for [i = 0:panels - 1] {
    set title title_of(i + 1) font ",14"
    plot data index i skip 1 using 2:1:(0):2:($1 - 0.36):($1 + 0.36):5:yticlabels(6) \
            with boxxyerror linecolor rgb variable, \
        data index i skip 1 using 2:1:3:4 with xerrorbars linecolor rgb "#404040" linewidth 1 \
            pointtype 0, \
        data index i skip 1 using ($4 > $2 ? $4 : $2):1:7 with labels left offset 0.6,0 \
            font ",13" noenhanced
}
unset multiplot
