/*
 * The litmus tests, and what the explorer is known to miss of them. litmus.h has the notation.
 *
 * The first part has shapes, each in five variants: rlx, ra, sc, fra, fsc. Their outcomes are
 * cycles of program order and communication, of which one rule says what RC11 has of them:
 *
 *   - A cycle within one location breaks coherence: forbidden.
 *   - A cycle of program order and reading alone is load buffering, which RC11 gives up: forbidden.
 *   - One other communication, a load that is overtaken or a store that is overwritten: allowed if
 *     relaxed, and forbidden as soon as program order and reading become happens-before.
 *   - Two or more of them: release and acquire do not suffice, seq_cst or fences of seq_cst do.
 *
 * The second part has accesses of mixed orders, and the idioms of real programs.
 *
 * Sources. Where it is a paper or a program, the test is there by this name, or stands for what is
 * there; verdicts on processors are not taken from it, only those on C and C++.
 *
 *      HC      J. Alglave, L. Maranget, M. Tautschnig, "Herding cats" (2014)
 *      TSO     S. Owens, S. Sarkar, P. Sewell, "A better x86 memory model: x86-TSO" (2009)
 *      B11     M. Batty and others, "Mathematizing C++ concurrency" (2011)
 *      RA      O. Lahav, N. Giannarakis, V. Vafeiadis, "Taming release-acquire consistency" (2016)
 *      RC11    O. Lahav and others, "Repairing sequential consistency in C/C++11" (2017)
 *      GenMC   the litmus tests of GenMC (M. Kokologiannakis, V. Vafeiadis)
 *      C11     the standard: 5.1.2.4, 7.17.3, 7.17.4
 *      W08     A. Williams, "Peterson's lock with C++0x atomics" (2008)
 *      B12     H.-J. Boehm, "Can seqlocks get along with programming language memory models?"
 *      hand    nowhere: the verdict was derived by hand from the definitions of RC11
 */
#include "harness/explore/test/litmus.h"

#include <stddef.h> /* NULL */

const struct litmus_row litmus_rows[] = {
    /* Two threads, two locations. */
    {"SB", "x=1 F y | y=1 F x", "00", "AAFAF", "HC"},
    {"MP", "x=1 F y=1 | y F x", "10", "AFFFF", "HC"},
    {"LB", "x F y=1 | y F x=1", "11", "FFFFF", "RC11"},
    {"S", "x=2 F y=1 | y F x=1 : x", "12", "AFFFF", "HC"},
    {"R", "x=1 F y=1 | y=2 F x : y", "02", "AAFAF", "HC"},
    {"2+2W", "x=1 F y=2 | y=1 F x=2 : x y", "11", "AAFAF", "RA"},
    {"SB+rfis", "x=1 F x F y | y=1 F y F x", "1010", "AAFAF", "GenMC"},
    {"n6", "x=1 F x F y | y=1 F x=2 : x", "101", "AAFAF", "TSO"},
    {"LB+ctrls", "x (1) F y=1 | y (1) F x=1", "11", "FFFFF", "B11"},

    /* One location. */
    {"coWW", "x=1 F x=2 : x", "1", "FFFFF", "HC"},
    {"coRW1", "x F x=1", "1", "FFFFF", "HC"},
    {"coRW2", "x F x=1 | x=2 : x", "22", "FFFFF", "HC"},
    {"coWR0", "x=1 F x", "0", "FFFFF", "HC"},
    {"coWR", "x=1 F x | x=2 : x", "21", "FFFFF", "HC"},
    {"coRR", "x=1 | x F x", "10", "FFFFF", "HC"},
    {"CoMP", "x=1 F x=2 | x F x", "21", "FFFFF", "B11"},
    {"CoSB", "x=1 F x | x=2 F x", "21", "FFFFF", "TSO"},
    {"CoLB", "x F x=1 | x F x=2", "21", "FFFFF", "TSO"},
    {"CoS", "x=1 F x=2 | x F x=3 : x", "22", "FFFFF", "hand"},
    {"CoR", "x=1 F x=2 | x=3 F x : x", "13", "FFFFF", "hand"},
    {"Co2+2W", "x=1 F x=2 | x=3 F x=4 : x", "1", "FFFFF", "hand"},
    {"CoWRC", "x=1 | x F x=2 | x F x", "121", "FFFFF", "hand"},
    {"CoIRIW", "x=1 | x=2 | x F x | x F x", "1221", "FFFFF", "B11"},

    /* Three threads, two locations. */
    {"WRC", "x=1 | x F y=1 | y F x", "110", "AFFFF", "HC"},
    {"RWC", "x=1 | x F y | y=1 F x", "100", "AAFAF", "HC"},
    {"WWC", "x=2 | x F y=1 | y F x=1 : x", "212", "AFFFF", "HC"},
    {"WRW+WR", "x=1 | x F y=1 | y=2 F x : y", "102", "AAFAF", "HC"},
    {"WRR+2W", "x=2 | x F y | y=1 F x=1 : x", "202", "AAFAF", "HC"},
    {"WRW+2W", "x=2 | x F y=1 | y=2 F x=1 : x y", "222", "AAFAF", "HC"},
    {"n7", "x=1 F x F y | y=1 | y F x", "1010", "AAFAF", "TSO"},

    /* Three threads, three locations. */
    {"3.SB", "x=1 F y | y=1 F z | z=1 F x", "000", "AAFAF", "HC"},
    {"3.LB", "x F y=1 | y F z=1 | z F x=1", "111", "FFFFF", "HC"},
    {"3.2W", "x=2 F y=1 | y=2 F z=1 | z=2 F x=1 : x y z", "222", "AAFAF", "HC"},
    {"ISA2", "x=1 F y=1 | y F z=1 | z F x", "110", "AFFFF", "HC"},
    {"W+RWC", "x=1 F y=1 | y F z | z=1 F x", "100", "AAFAF", "HC"},
    {"Z6.0", "x=1 F y=1 | y F z=1 | z=2 F x : z", "102", "AAFAF", "HC"},
    {"Z6.1", "x=2 F y=1 | y=2 F z=1 | z F x=1 : x y", "122", "AAFAF", "HC"},
    {"Z6.2", "x=2 F y=1 | y F z=1 | z F x=1 : x", "112", "AFFFF", "HC"},
    {"Z6.3", "x=1 F y=1 | y=2 F z=1 | z F x : y", "102", "AAFAF", "HC"},
    {"Z6.4", "x=1 F y=1 | y=2 F z | z=1 F x : y", "002", "AAFAF", "HC"},
    {"Z6.5", "x=2 F y=1 | y=2 F z | z=1 F x=1 : x y", "022", "AAFAF", "HC"},

    /* Four threads. */
    {"IRIW", "x=1 | y=1 | x F y | y F x", "1010", "AAFAF", "HC"},
    {"IRRWIW", "x=2 | x F y | y=1 | y F x=1 : x", "2012", "AAFAF", "HC"},
    {"IRWIW", "x=2 | x F y=1 | y=2 | y F x=1 : x y", "2222", "AAFAF", "HC"},
    {"4.SB", "x=1 F y | y=1 F z | z=1 F w | w=1 F x", "0000", "AAFAF", "HC"},

    /* Read-modify-writes: none comes between what one reads and what it writes. */
    {"inc+inc", "x+1 | x+1 : x", "001", "FFFFF", "B11"},
    {"3.inc", "x+1 | x+1 | x+1 : x", "0112", "FFFFF", "B11"},
    {"inc2+inc", "x+1 F x+1 | x+1 : x", "0102", "FFFFF", "GenMC"},
    {"xchg+xchg", "x~1 | x~2 : x", "002", "FFFFF", "B11"},
    {"cas+cas", "x?0:1 | x?0:2", "00", "FFFFF", "B11"},
    {"inc+W", "x+1 | x=5 : x", "01", "FFFFF", "B11"},
    {"SB+xchg", "x~1 F y | y~1 F x", "0000", "AAFAF", "RC11"},
    {"SB+inc", "x=1 F y+2 | y=1 F x+2", "00", "AAFAF", "hand"},
    {"SB+rmws", "x~1 F y+0 | y~1 F x+0", "0000", "FFFFF", "hand"},
    {"MP+xchg", "x=1 F y~1 | y F x", "010", "AFFFF", "hand"},
    {"MP+inc", "x=1 F y=1 | y+0 F x", "10", "AFFFF", "hand"},
    {"S+xchg", "x=2 F y=1 | y F x~1 : x", "102", "AFFFF", "hand"},
    {"R+xchg", "x=1 F y~1 | y=2 F x : y", "002", "AAFAF", "hand"},
    {"2+2W+xchg", "x~1 F y~2 | y~1 F x~2 : x y", "202011", "FFFFF", "hand"},
    {"CAS fails", "x=1 F y=1 | y F x?1:2", "10", "AFFFF", "C11"},
    {"Dekker", "x=1 F y (0) z+1 | y=1 F x (0) z+1 : z", "00012", "AAFAF", "HC"},
    {"spinlock", "z?0:1 (0) F x x=1 F z=0 | z?0:1 (0) F x x=2 F z=0", "0000", "AFFFF", "C11"},

    /* Release and acquire: both sides are needed. */
    {"MP+rel+acq", "x=1 y=1.rel | y.acq x", "10", "F", "GenMC"},
    {"MP+rel+rlx", "x=1 y=1.rel | y x", "10", "A", "B11"},
    {"MP+rlx+acq", "x=1 y=1 | y.acq x", "10", "A", "B11"},
    {"MP+sc+sc", "x=1 y=1.sc | y.sc x", "10", "F", "C11"},
    {"MP+sc+acq", "x=1 y=1.sc | y.acq x", "10", "F", "C11"},
    {"MP+rel+sc", "x=1 y=1.rel | y.sc x", "10", "F", "C11"},
    {"MP+data.sc", "x=1.sc y=1 | y x.sc", "10", "A", "hand"},
    {"MP+inc.rel+acq", "x=1 y+1.rel | y+0.acq x", "010", "F", "C11"},
    {"MP+inc.acq+rel", "x=1 y+1.acq | y+0.rel x", "010", "A", "C11"},
    {"MP+inc.sc+sc", "x=1 y+1.sc | y+0.sc x", "010", "F", "C11"},
    {"MP+cas.acq", "x=1 y=1.rel | y?1:2.acq x", "10", "F", "C11"},
    {"MP+cas fails.acq", "x=1 y=1.rel | y?2:3.ar.acq x", "10", "F", "C11"},
    {"MP+cas fails.rlx", "x=1 y=1.rel | y?2:3.ar.rlx x", "10", "A", "C11"},
    {"MP+cas fails.sc", "x=1 y=1.rel | y?2:3.sc x", "10", "F", "C11"},
    {"WRC+rel+acq", "x=1 | x y=1.rel | y.acq x", "110", "F", "B11"},
    {"WRC+rlx+acq", "x=1 | x y=1 | y.acq x", "110", "A", "B11"},
    {"ISA2+rel+rlx+acq", "x=1 y=1.rel | y.acq z=1 | z.acq x", "110", "A", "hand"},
    {"ISA2+rel+inc+acq", "x=1 y=1.rel | y+1 z=1.rel | z.acq x", "110", "A", "hand"},
    {"IRIWish", "x=1 | x (1) y=1.rel | x F.ar y | y F.ar x", "11010", "F", "GenMC"},

    /* Fences of every order, and where they stand. */
    {"MP+relf+acqf", "x=1 F.rel y=1 | y F.acq x", "10", "F", "GenMC"},
    {"MP+relf+acq", "x=1 F.rel y=1 | y.acq x", "10", "F", "GenMC"},
    {"MP+rel+acqf", "x=1 y=1.rel | y F.acq x", "10", "F", "GenMC"},
    {"MP+scf+acq", "x=1 F.sc y=1 | y.acq x", "10", "F", "C11"},
    {"MP+rel+scf", "x=1 y=1.rel | y F.sc x", "10", "F", "C11"},
    {"MP+relf+rlx", "x=1 F.rel y=1 | y x", "10", "A", "C11"},
    {"MP+rlx+acqf", "x=1 y=1 | y F.acq x", "10", "A", "C11"},
    {"MP+acqf+acqf", "x=1 F.acq y=1 | y F.acq x", "10", "A", "C11"},
    {"MP+relf+relf", "x=1 F.rel y=1 | y F.rel x", "10", "A", "C11"},
    {"MP+late relf", "x=1 y=1 F.rel | y F.acq x", "10", "A", "C11"},
    {"MP+early acqf", "x=1 F.rel y=1 | F.acq y x", "10", "A", "C11"},

    /* Release sequences. */
    {"MPU+rel+acq", "x=1 y=1.rel | y+1 | y.acq x", "120", "F", "GenMC"},
    {"MPU+rel+acqf", "x=1 y=1.rel | y+1 | y F.acq x", "120", "F", "GenMC"},
    {"MPU+relf+acq", "x=1 F.rel y=1 | y+1 | y.acq x", "120", "F", "GenMC"},
    {"MPU2+rel+acq", "x=1 y=1.rel | y?1:2 | y?2:3 | y.acq x", "1230", "F", "GenMC"},
    {"MP+rel+W+acq", "x=1 y=1.rel | y (1) y=2 | y.acq x", "120", "A", "C11"},
    {"MP+rels+acq", "x=1 y=1.rel y=2 | y.acq x", "20", "F", "GenMC"},
    {"MP+rels+acqf", "x=1 y=1.rel y=2 | y F.acq x", "20", "F", "GenMC"},
    {"MP+rels+W+acq", "x=1 y=1.rel y=3 | y=2 | y.acq x", "30", "F", "hand"},
    {"MPU+rels+acq", "x=1 y=1.rel y=2 | y?2:3 | y.acq x", "230", "F", "GenMC"},
    {"MP+relf+WW+acq", "x=1 F.rel y=1 y=2 | y.acq x", "20", "F", "C11"},
    {"S+rels+acq", "x=1 y=1.rel y=2 | y.acq (2) x=2 : x", "21", "F", "GenMC"},
    {"S+within rels", "y=1.rel y=2 z=1 | z (1) y=3 | y y y", "1132", "A", "hand"},

    /* seq_cst beside weaker orders. */
    {"SB+3sc+acq", "x=1.sc y.sc | y=1.sc x.acq", "00", "A", "GenMC"},
    {"SB+3sc+rel", "x=1.sc y.sc | y=1.rel x.sc", "00", "A", "GenMC"},
    {"SB+scf+sc", "x=1 F.sc y | y=1.sc x.sc", "00", "F", "RC11"},
    {"SB+scf+W.sc", "x=1 F.sc y | y=1.sc x", "00", "A", "hand"},
    {"SB+scf+R.sc", "x=1 F.sc y | y=1 x.sc", "00", "A", "hand"},
    {"SB+scf+arf", "x=1 F.sc y | y=1 F.ar x", "00", "A", "C11"},
    {"SB+scf+hb", "x=1.sc y.sc | y=1 F.sc z=1.rel | z.acq x", "010", "F", "hand"},
    {"3.SB+2scf", "x=1 F.sc y | y=1 F.sc z | z=1 x", "000", "A", "hand"},
    {"R+3sc+acq", "x=1.sc y=1.sc | y=2.sc x.acq : y", "02", "A", "hand"},
    {"R+3sc+rel", "x=1.sc y=1.rel | y=2.sc x.sc : y", "02", "A", "hand"},
    {"R+sc+scf", "x=1.sc y=1.sc | y=2 F.sc x : y", "02", "F", "RC11"},
    {"R+scf+sc", "x=1 F.sc y=1 | y=2.sc x.sc : y", "02", "F", "RC11"},
    {"2+2W+3sc+rel1", "x=1.sc y=2.sc | y=1.sc x=2.rel : x y", "11", "A", "GenMC"},
    {"2+2W+3sc+rel2", "x=1.sc y=2.sc | y=1.rel x=2.sc : x y", "11", "A", "GenMC"},
    {"2+2W+2sc+scf", "x=1.sc y=2.sc | y=1 F.sc x=2 : x y", "11", "F", "GenMC"},
    {"2+2W+scf", "x=1 F.sc y=2 | y=1 x=2 : x y", "11", "A", "hand"},
    {"RWC+rlx+scf+sc", "x=1 | x.acq F.sc y | y=1.sc x.sc", "100", "A", "hand"},
    {"RWC+rel+scf+sc", "x=1.rel | x.acq F.sc y | y=1.sc x.sc", "100", "F", "hand"},
    {"RWC-acq-sc", "x=1.sc | x.acq y.sc | y=1.sc x.sc", "100", "A", "hand"},
    {"W+RWC+scf", "x=1 y=1.rel | y.acq F.sc z | z=1 F.sc x", "100", "F", "RC11"},
    {"W+RWC+sc", "x=1.sc y=1.rel | y.acq z.sc | z=1.sc x.sc", "100", "F", "hand"},
    {"IRIW-acq-sc", "x=1.sc | y=1.sc | x.acq y.sc | y.acq x.sc", "1010", "A", "RC11"},
    {"IRIW+rlx+sc", "x=1 | y=1 | x.sc y.sc | y.sc x.sc", "1010", "A", "hand"},
    {"IRIW+scf+arf", "x=1 | y=1 | x F.sc y | y F.ar x", "1010", "A", "C11"},
    {"Z6.U", "x=1.sc y=1.rel | y+1.sc y | y=3.sc x.sc", "130", "A", "RC11"},

    /* Idioms. */
    {"Peterson", "x=1 z~2.ar y.acq | y=1 z~1.ar x.acq", "0020", "F", "W08"},
    {"Peterson+rlx", "x=1 z~2 y | y=1 z~1 x", "0020", "A", "W08"},
    {"ARC", "x=1 z+1.rel (1) F.acq y | y=1 z+1.rel (1) F.acq x", "100-", "F", "C11"},
    {"ARC+ar", "x=1 z+1.ar (1) y | y=1 z+1.ar (1) x", "100-", "F", "C11"},
    {"ARC+rel", "x=1 z+1.rel (1) y | y=1 z+1.rel (1) x", "100-", "A", "C11"},
    {"ARC+rlx", "x=1 z+1 (1) F.acq y | y=1 z+1 (1) F.acq x", "100-", "A", "C11"},
    {"seqlock", "z=1 F.rel x=1 y=1 z=2.rel | z.acq x y F.acq z", "0100", "F", "B12"},
    {"seqlock+rlx", "z=1 x=1 y=1 z=2 | z x y z", "0100", "A", "B12"},

    /* The bounds of memory_stores.c. */
    {"5 old loads", "x=1 y=1 | y x x x x x", "100000", "A", "hand"},
    {"17 stores", "x=1 x=2 x=3 x=4 x=5 x=6 x=7 x=8 x=9 x=a x=b x=c x=d x=e x=f x=g x=h y=1 | y x",
     "10", "A", "hand"},
    {.name = NULL},
};

const struct litmus_exception litmus_exceptions[] = {
    {"MP+data.sc", "10", REASON_SEQ_CST_ORDER},
    {"RWC-acq-sc", "100", REASON_SEQ_CST_ORDER},
    {"IRIW-acq-sc", "1010", REASON_SEQ_CST_ORDER},
    {"Z6.U", "130", REASON_SEQ_CST_ORDER},
    {"S+within rels", "1132", REASON_RELEASE_SEQUENCE},
    {"MP+rels+W+acq", "30", REASON_C11_SEQUENCE},
    {.name = NULL},
};
