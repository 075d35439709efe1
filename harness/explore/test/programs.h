/* The explored programs by name; programs_*.c has them. */
#ifndef HARNESS_EXPLORE_TEST_PROGRAMS_H
#define HARNESS_EXPLORE_TEST_PROGRAMS_H

void let_timer_tick(void); /* for programs: as the timer of crash.c does, but now */

/* ends: of waits, of loops, of threads */
void program_times_out_before_a_signal(void);
void program_times_out_before_a_broadcast(void);
void program_is_cancelled_before_a_signal(void);
void program_counts_at_a_key(void);
void program_creates_keys(void);
void program_works_until_stopped(void);
void program_deletes_a_key_between_destructors(void);
void program_two_exits(void);

/* machine: threads, thread-local and global variables, ends */
void program_two_increments(void);
void program_globals_start_afresh(void);
void program_thread_locals_are_apart(void);
void program_specifics_are_destroyed(void);
void program_exit_runs_cleanups(void);
void program_cancelled_in_wait(void);
void program_cancelled_while_disabled(void);
void program_main_leaves_first(void);
void program_two_hundred_threads_in_turn(void);
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
void program_weak_spellings(void);
void program_strong_spellings(void);

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
void program_late(void);
void program_in_time(void);
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

/* posix: what locks, waits and threads answer, and what is misuse */
void program_barrier_of_two_rounds(void);
void program_timedlock_of_own_mutex(void);
void program_waits_with_recursive_mutex(void);
void program_keeps_recursive_mutex_in_wait(void);
void program_invalid_times(void);
void program_once_is_cancelled(void);
void program_cancelled_when_signalled(void);
void program_rwlock_of_own(void);
void program_joined_by_two(void);
void program_joined_and_detached(void);
void program_joined_twice(void);
void program_names_a_thread_of_old(void);
void program_main_returns_with_specific(void);
void program_main_exits_with_specific(void);
void program_misuse(void);
enum misuse {
    MISUSE_LOCK_DESTROYED,
    MISUSE_TRYLOCK_DESTROYED,
    MISUSE_UNLOCK_DESTROYED,
    MISUSE_SIGNAL_DESTROYED,
    MISUSE_READ_LOCK_DESTROYED,
    MISUSE_WRITE_LOCK_DESTROYED,
    MISUSE_SPIN_LOCK_DESTROYED,
    MISUSE_SEM_WAIT_DESTROYED,
    MISUSE_SEM_POST_DESTROYED,
    MISUSE_BARRIER_DESTROYED,
    MISUSE_UNLOCK_ANOTHERS_READ_LOCK,
    MISUSE_DESTROY_LOCKED,
    MISUSE_DESTROY_READ_LOCKED,
    MISUSE_DESTROY_CONDITION_WITH_WAITER,
    MISUSE_DESTROY_SEMAPHORE_WITH_WAITER,
    MISUSE_DESTROY_BARRIER_WITH_WAITER,
    MISUSE_TWO_MUTEXES,
    MISUSES,
    MISUSE_NONE = MISUSES
};
void program_started_before_initialised(void);
void program_destroyed_before_joined(void);
void program_used_in_between(void);
enum object {
    OBJECT_MUTEX,
    OBJECT_CONDITION,
    OBJECT_RWLOCK,
    OBJECT_SPIN,
    OBJECT_SEMAPHORE,
    OBJECT_BARRIER,
    OBJECTS
};
void program_reads_too_early(void);
enum answer {
    ANSWER_THREAD,
    ANSWER_RESULT,
    ANSWER_KEY,
    ANSWER_STATE,
    ANSWER_VALUE,
    ANSWER_BLOCK,
    ANSWER_TIME,
    ANSWER_RESOLUTION,
    ANSWER_TIME_OF_DAY,
    ANSWER_SECONDS,
    ANSWER_LEFT,
    ANSWERS
};
void program_c11_waits(void);
void program_c11_locks(void);
void program_c11_deadlock(void);

/* limits: what the machine does not see by itself */
void program_loops_without_a_step(void);
void program_steps_when_the_time_is_up(void);
void program_computes_when_the_time_is_up(void);
void program_adds_twice_at_one_place(void);
void program_meets_after_many_steps(void);
void program_crashes_in_the_library(void);
void program_computes_for_a_moment(void);
void program_waits_by_the_clock(void);
void program_waits_by_clock_and_flag(void);
void program_looks_at_the_clock(void);
void program_uses_much_stack(void);
void program_asks_for_too_much_stack(void);
void program_overflows_by_large_frames(void);
void program_locks_and_unlocks(void);
void program_makes_a_key(void);
void program_makes_too_many_keys(void);
void program_asks_the_system(void);
void program_asks_the_system_too_much(void);
void program_draws_numbers(void);
void program_draws_without_a_seed(void);
void program_allocates(void);
void program_adds_atomically(void);
void program_fails_an_assertion(void);

/* litmus: memory models */
void litmus_sb_relaxed(void);
void litmus_sb_fenced(void);
void litmus_sb_fence_against_seq_cst(void);
void litmus_mp_relaxed(void);
void litmus_mp_locked(void);
void litmus_corr(void);
void litmus_cowr(void);
void litmus_waits(void);
void litmus_waits_beside_a_sleeper(void);
void litmus_plain_initialisation(void);

/* races: data races, and freed memory */
void race_two_writes(void);
void race_write_and_read(void);
void race_one_without_lock(void);
void race_none_two_reads(void);
void race_none_locked(void);
void race_none_bytes(void);
void race_bits(void);
void race_memset(void);
void race_none_beside_memset(void);
void race_memcpy(void);
void race_none_beside_memcpy(void);
void race_atomic_store_and_plain_read(void);
void race_atomic_load_and_plain_write(void);
void race_none_atomic_load_and_plain_read(void);
void race_none_atomic_both(void);
void race_message_relaxed(void);
void race_message_release_only(void);
void race_message_acquire_only(void);
void race_message_acquire_fence_only(void);
void race_none_message(void);
void race_none_message_fenced(void);
void race_none_message_seq_cst_fenced(void);
void race_write_after_release(void);
void race_none_passed_on(void);
void race_stored_over(void);
void race_none_created_and_joined(void);
void race_not_joined(void);
void race_none_stacks_again(void);
void race_none_place_again(void);
void race_passed_on_by_the_next(void);
void race_passed_on_after_an_addition(void);
void program_locks_what_a_dead_thread_has(void);
void program_unlocks_what_a_dead_thread_has(void);
void program_unlocks_a_dead_threads_read_lock(void);
void program_unlocks_a_dead_threads_spin_lock(void);
void race_none_many_successors(void);
void race_seen_by_a_third(void);
void race_beside_a_known_write(void);
void race_none_semaphore(void);
void race_none_rwlock(void);
void race_write_with_read_lock(void);
void race_none_once(void);
void race_none_barrier(void);
void race_none_condition(void);
void freed_read(void);
void freed_write(void);
void freed_atomic(void);
void freed_lock(void);
void freed_signal(void);
void freed_memset(void);
void freed_twice(void);
void freed_none(void);
void freed_when_alone(void);
void freed_while_used(void);
void freed_while_locked(void);
void freed_by_the_last(void);
void freed_by_the_last_relaxed(void);
void freed_before_signal(void);
void freed_after_signal(void);
void freed_after_broadcast(void);
void freed_never_allocated(void);
void block_left_behind(void);
void block_not_left(void);
void race_publication_relaxed(void);
void race_none_publication(void);
void race_none_sixteen_bytes(void);

/* memory: in the hands of the system's functions; each with a race, and with none */
#define TEXT_FUNCTIONS             \
    TEXT_FUNCTION(strlen)          \
    TEXT_FUNCTION(strnlen)         \
    TEXT_FUNCTION(strcpy_from)     \
    TEXT_FUNCTION(strncpy_from)    \
    TEXT_FUNCTION(strcmp)          \
    TEXT_FUNCTION(strncmp)         \
    TEXT_FUNCTION(strcasecmp)      \
    TEXT_FUNCTION(strchr)          \
    TEXT_FUNCTION(strrchr)         \
    TEXT_FUNCTION(strstr)          \
    TEXT_FUNCTION(memchr)          \
    TEXT_FUNCTION(strcspn)         \
    TEXT_FUNCTION(strdup)          \
    TEXT_FUNCTION(strndup)         \
    TEXT_FUNCTION(atoi)            \
    TEXT_FUNCTION(print_of_text)   \
    TEXT_FUNCTION(print_of_part)   \
    TEXT_FUNCTION(printf)          \
    TEXT_FUNCTION(puts)            \
    TEXT_FUNCTION(sscanf)          \
    TEXT_FUNCTION(strcpy)          \
    TEXT_FUNCTION(strncpy)         \
    TEXT_FUNCTION(strcat)          \
    TEXT_FUNCTION(strncat)         \
    TEXT_FUNCTION(sprintf)         \
    TEXT_FUNCTION(snprintf)        \
    TEXT_FUNCTION(scan_of_text)    \
    TEXT_FUNCTION(scan_of_set)     \
    TEXT_FUNCTION(scan_of_short)   \
    TEXT_FUNCTION(scan_of_double)  \
    TEXT_FUNCTION(scan_of_letters) \
    TEXT_FUNCTION(scan_cut_short)  \
    TEXT_FUNCTION(qsort)
#define TEXT_FUNCTION(name) \
    void race_##name(void); \
    void race_none_beside_##name(void);
TEXT_FUNCTIONS
#undef TEXT_FUNCTION
void race_none_strcpy_locked(void);
void freed_strlen(void);
void freed_strcpy(void);
void freed_printed(void);
void program_works_with_text(void);
void program_reallocates_to_nothing(void);
void program_keeps_a_long_list(void);
void program_loses_a_long_list(void);
void program_loses_a_ring(void);
void program_keeps_a_tagged_pointer(void);
void program_loses_a_tagged_pointer(void);
void program_exits_with_a_local_variable(void);
void program_exits_and_has_lost(void);
void program_ends_before_its_thread(void);
void program_loses_beside_a_thread(void);
void program_does_not_join(void);
void program_has_a_thread_with_a_variable(void);
void program_loses_after_main(void);
void program_starts_with_a_thread_local(void);
void program_stores_a_thread_local(void);
void program_exchanges_a_thread_local(void);
void program_compares_and_stores_a_thread_local(void);
void program_passes_other_variables_on(void);
void program_passes_a_thread_local_plainly(void);
void program_passes_a_global_plainly(void);
void program_passes_a_value_of_a_thread_local(void);
void program_passes_a_thread_local_in_a_block(void);
void program_frees_a_passed_thread_local(void);
void program_frees_a_passed_global(void);
void program_keeps_a_thread_local_to_itself(void);
void program_tells_by_trylock(void);
void program_tells_by_timedlock(void);
void program_tells_by_unlock(void);
void program_tells_by_trywrlock(void);
void program_tells_by_read_unlock(void);
void program_tells_by_tryrdlock(void);
void program_tells_by_spin_trylock(void);
void program_tells_by_getvalue(void);
void program_tells_by_post(void);
void program_tells_by_trywait(void);
void program_tells_by_signal(void);
void program_tells_by_wait(void);
void program_tells_by_cancel(void);
void program_tries_and_loads_seq_cst(void);
void program_signals_with_mutex(void);
void program_signals_after_mutex(void);
void program_signals_without_mutex(void);
void program_has_its_own_atomic(void);
void program_relies_on_its_own_atomic(void);
void program_spins_on_its_own_atomic(void);
void program_locks_a_thread_local(void);
void program_tries_a_thread_local_until(void);
void program_waits_on_a_thread_local(void);
void program_signals_a_thread_local(void);
void program_posts_to_a_thread_local(void);
void program_leaves_while_a_local_is_used(void);
void program_stays_while_a_local_is_used(void);
void program_uses_a_local_of_a_dead_thread(void);

/* replay: what is repeated, shrunk and checked */
void program_for_replay(void);
void program_weak_without_loop(void);
void program_two_stores(void);
void program_two_stores_changed(void);
void program_one_store_less(void);
void program_long(void);
void program_long_changed(void);
void program_buffer_with_if(void);

/* show: what is told of an execution */
void program_late_signal(void);
void program_races_on_a_member(void);
void program_passes_probes(void);
void program_tells_its_line(void);
void program_goes_round(void);
void program_follows_a_null_pointer(void);
void program_follows_what_was_never_written(void);
void program_writes_to_its_code(void);
void program_writes_where_there_is_nothing(void);
void program_divides_by_zero(void);
void program_fails_once(void);
void program_uses_names(void);
void program_deadlock_with_main(void);

/* soundness: programs of which a search once said that it had seen everything */
void program_returns_before_its_thread_asserts(void);
void program_exits_before_its_thread(void);
void program_reads_what_a_detached_thread_wrote(void);
void program_creates_after_anothers_join(void);
void program_waits_longer_than_the_slack(void);
void program_locks_after_its_deadline(void);
void program_compares_addresses(void);
void program_many_readers_and_a_writer(void);
void program_five_stale_loads(void);
void program_oldest_of_many_stores(void);
void program_reader_after_reader(void);
void program_writer_after_reader(void);
void program_two_assertions(void);
void program_relaxed_store_after_release(void);
void program_relaxed_store_of_another(void);
void program_ticket_lock_on_halves(void);
void program_plain_race(void);
void program_spins_without_yield(void);
void program_spins_in_vain(void);
void program_lock_by_compare_exchange(void);
void program_spins_by_trying(void);
void program_yields_after_a_failed_exchange(void);
void program_pushes_with_yields(void);
void program_creates_in_a_loop(void);
void program_gives_up_spinning(void);
void program_polls_in_vain(void);
void program_increments_often(void);
void program_weak_exchange_of_an_old_value(void);
void program_is_cancelled_after_a_load(void);
void program_lock_by_exchange(void);
void program_deletes_a_key(void);
void program_prefers_writers(void);
void program_reads_lock_often(void);
void program_sleeps_for_what_is_written(void);
void program_draws_until_it_gives_up(void);
void program_draws_for_long(void);

/* many: `crowd` threads at the same time, beside main; it belongs to the harness */
extern unsigned crowd;
void program_crowd_is_apart(void);
void program_crowd_is_joined(void);
void program_crowd_meets(void);
void program_crowd_is_detached(void);
void program_crowd_with_a_race(void);
void program_crowd_meets_and_races(void);
void program_crowd_without_a_race(void);
void program_crowd_in_a_circle(void);
void program_crowd_in_a_line(void);
void program_crowd_reads(void);
void program_crowd_reads_and_one_does_not(void);
void program_crowd_is_signalled(void);
void program_crowd_passes_a_message(void);

#endif
