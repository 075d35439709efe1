# pending.gp OUTPUT DATA LINES TITLE WHAT: nanoseconds, of whatever time, against pending tasks.
call "benches/plots/style.gp" ARG1 "420"
data = ARG2
set title ARG4
set xlabel "pending tasks or timeouts"
set ylabel ARG5
set logscale x 10
set xtics ("10^3" 1e3, "10^4" 1e4, "10^5" 1e5, "10^6" 1e6)
set xrange [800:1.25e6]
set yrange [0:*]
set key width -4 # gnuplot takes long names for longer than they are
plot for [i = 0:ARG3 - 1] data index i using 1:2 with linespoints linetype i + 1 \
    title columnheader(1)
