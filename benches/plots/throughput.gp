# throughput.gp OUTPUT DATA LINES TITLE: tasks per second against workers.
call "benches/plots/style.gp" ARG1 "420"
data = ARG2
set title ARG4
set xlabel "workers"
set ylabel "million tasks per second"
set logscale x 2
set xtics (1, 2, 4, 8)
set xrange [0.9:8.9]
set yrange [0:*]
plot for [i = 0:ARG3 - 1] data index i using 1:2 with linespoints linetype i + 1 \
    title columnheader(1)
