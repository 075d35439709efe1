# lateness.gp OUTPUT DATA LINES TITLE: microseconds against the share of tasks that are no later.
call "benches/plots/style.gp" ARG1 "420"
data = ARG2
set title ARG4
set xlabel "share of the tasks that are no later"
set ylabel "microseconds late"
set logscale x 10
set logscale y 10
set format y "%.0f"
set xtics ("50 %%" 2, "90 %%" 10, "99 %%" 100, "99.9 %%" 1000)
set xrange [1.8:1300]
set key width -4 # gnuplot takes long names for longer than they are
plot for [i = 0:ARG3 - 1] data index i using (1 / (1 - $1)):2 with linespoints \
    linetype i + 1 title columnheader(1)
