# What all figures share: a page's width, a light background, words that can be read on paper, and
# colours that are told apart by everybody (Okabe and Ito).
#
# Called with the file to write and the height in pixels.

set terminal svg size 760,ARG2 + 0 enhanced font "sans-serif,14" background rgb "white" \
    linewidth 1.2
set output ARG1

set linetype 1 linecolor rgb "#0072b2" linewidth 2.2 pointtype 7 pointsize 0.7
set linetype 2 linecolor rgb "#d55e00" linewidth 2.2 pointtype 5 pointsize 0.7
set linetype 3 linecolor rgb "#009e73" linewidth 2.2 pointtype 9 pointsize 0.9
set linetype 4 linecolor rgb "#cc79a7" linewidth 2.2 pointtype 13 pointsize 0.9
set linetype 5 linecolor rgb "#e69f00" linewidth 2.2 pointtype 11 pointsize 0.9
set linetype 6 linecolor rgb "#56b4e9" linewidth 2.2 pointtype 7 pointsize 0.7
set linetype 7 linecolor rgb "#7f7f7f" linewidth 2.2 pointtype 5 pointsize 0.7
set linetype 8 linecolor rgb "#000000" linewidth 2.2 pointtype 9 pointsize 0.9
set linetype cycle 8

set border 3 linecolor rgb "#606060"
set tics nomirror out scale 0.5 textcolor rgb "#202020"
set grid ytics linetype 1 linecolor rgb "#e4e4e4" linewidth 0.8
set key outside right center Left reverse samplen 1.5 spacing 1.3 noenhanced
set title font ",16" noenhanced
set lmargin 11
