/* The explored programs by name; programs_*.c has them. */
#ifndef HARNESS_EXPLORE_TEST_PROGRAMS_H
#define HARNESS_EXPLORE_TEST_PROGRAMS_H

/* machine: threads, thread-local and global variables, ends */
void program_two_increments(void);
void program_globals_start_afresh(void);
void program_thread_locals_are_apart(void);
void program_specifics_are_destroyed(void);
void program_exit_runs_cleanups(void);
void program_cancelled_in_wait(void);
void program_cancelled_while_disabled(void);
void program_forty_threads_in_turn(void);
void program_reads_fresh_memory(void);
void program_aborts(void);
void program_fails_assertion(void);
void program_crashes(void);
void program_overflows_its_stack(void);
void program_leaks(void);
void program_keeps_in_a_global(void);
void program_frees_twice(void);
void program_spins_for_ever(void);
void program_spins_until_told(void);
void program_unlocks_what_is_not_its_own(void);
void program_without_memory(void);
void program_without_thread(void);
void program_weak_compare_exchange(void);

/* waits: locks, conditions, time */
void program_deadlock_of_two(void);
void program_locks_in_order(void);
void program_lost_wakeup(void);
void program_wakeup_not_lost(void);
void program_if_instead_of_while(void);
void program_while_instead_of_if(void);
void program_timeout_against_signal(void);
void program_timeout_overtakes(void);
void program_hour_is_not_overtaken(void);
void program_which_waiter(void);
void program_recursive_mutex(void);
void program_errorcheck_mutex(void);
void program_trylock(void);
void program_timedlock(void);
void program_readers_and_a_writer(void);
void program_spin_locks(void);
void program_semaphore(void);
void program_semaphore_timeout(void);
void program_barrier(void);
void program_once(void);
void program_sleeps(void);
void program_wall_clock(void);

/* litmus: memory models */
void litmus_sb_relaxed(void);
void litmus_sb_release_acquire(void);
void litmus_sb_seq_cst(void);
void litmus_sb_fenced(void);
void litmus_sb_weakly_fenced(void);
void litmus_sb_fence_against_seq_cst(void);
void litmus_sb_fence_against_seq_cst_store(void);
void litmus_sb_fence_against_seq_cst_load(void);
void litmus_sb_rmw(void);
void litmus_mp_relaxed(void);
void litmus_mp_release_only(void);
void litmus_mp_acquire_only(void);
void litmus_mp_release_acquire(void);
void litmus_mp_fenced(void);
void litmus_mp_fence_to_acquire(void);
void litmus_mp_release_to_fence(void);
void litmus_mp_locked(void);
void litmus_release_sequence(void);
void litmus_no_release_sequence(void);
void litmus_late_exchange(void);
void litmus_lb_relaxed(void);
void litmus_corr(void);
void litmus_corr_of_two(void);
void litmus_cowr(void);
void litmus_wrc_relaxed(void);
void litmus_wrc_release_acquire(void);
void litmus_iriw_relaxed(void);
void litmus_iriw_release_acquire(void);
void litmus_iriw_seq_cst(void);
void litmus_iriw_fenced(void);
void litmus_rwc_release_acquire(void);
void litmus_rwc_fenced(void);
void litmus_2_2w_relaxed(void);
void litmus_2_2w_seq_cst(void);
void litmus_r_relaxed(void);
void litmus_r_seq_cst(void);
void litmus_r_fenced(void);
void litmus_s_relaxed(void);
void litmus_waits(void);
void litmus_plain_initialisation(void);

#endif
