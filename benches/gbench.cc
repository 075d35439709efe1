/* Google Benchmark for C: the C++ side of gbench.h. Each function is a line or two over
 * benchmark::State; what needs thought is the fixture, which Google Benchmark's own set-up hooks
 * cannot provide: they are bare function pointers and are not told which bench they serve. */

#include "gbench.h"

#include <benchmark/benchmark.h>

#include <algorithm> /* sort */
#include <atomic>
#include <cmath>    /* ceil */
#include <iostream> /* cerr */
#include <memory>   /* shared_ptr */
#include <mutex>
#include <string>
#include <vector>

namespace
{

/* The C side's state and, behind it, Google Benchmark's. */
struct Run {
    gb_state c;
    benchmark::State &google;
    bool begun = false;    /* the batch has been handed out */
    bool finished = false; /* and the clock stopped after it */

    Run(benchmark::State &state)
        : c{0, nullptr, state.thread_index(), state.threads(), this}, google(state)
    {
    }
};

std::atomic<bool> went_wrong(false); /* some bench: the exit status */

void fail(benchmark::State &google, const char *why)
{
    went_wrong = true;
    google.SkipWithError(why);
}

Run &run_of(const gb_state *state)
{
    return *static_cast<Run *>(state->internal);
}

/* One fixture for all threads of a run. The first to enter holds the lock while it makes it, so
   the others find it made; the last to leave destroys it, or lets it lie for the next run if the
   bench says `keep`. Google Benchmark joins all threads of a run before it starts the next; so at
   most one fixture lies about, and whoever makes another clears it away. */
class Fixture
{
  public:
    explicit Fixture(const gb_bench &bench) : bench_(bench) {}

    bool enter(Run &run)
    {
        std::lock_guard<std::mutex> guard(lock_);
        if (entered_++ == 0)
            make(run);
        else if (unusable_)
            run.google.SkipWithError("there is no fixture");
        run.c.fixture = value_;
        return !unusable_;
    }

    void leave(Run &run)
    {
        std::lock_guard<std::mutex> guard(lock_);
        if (++left_ < run.c.threads)
            return;
        entered_ = left_ = 0;
        if (bench_.keep && !unusable_)
            kept_ = this;
        else
            destroy();
    }

    static void clear()
    {
        if (kept_)
            kept_->destroy();
        kept_ = nullptr;
    }

  private:
    void make(Run &run)
    {
        std::vector<int64_t> arguments;
        for (const gb_argument &argument : bench_.arguments)
            if (argument.name)
                arguments.push_back(run.google.range(arguments.size()));
        if (kept_ == this && arguments == arguments_)
            return;
        clear();
        arguments_ = arguments;
        value_ = bench_.set_up ? bench_.set_up(&run.c) : nullptr;
        unusable_ = run.google.error_occurred();
    }

    void destroy()
    {
        if (bench_.tear_down)
            bench_.tear_down(value_);
        value_ = nullptr;
    }

    static Fixture *kept_;

    const gb_bench &bench_;
    std::mutex lock_;
    int entered_ = 0;
    int left_ = 0;
    bool unusable_ = false; /* the set-up has failed or skipped */
    void *value_ = nullptr;
    std::vector<int64_t> arguments_; /* for which it was made */
};

Fixture *Fixture::kept_;

void run_bench(const gb_bench &bench, Fixture &fixture, benchmark::State &state)
{
    Run run(state);

    if (bench.fit != GB_NO_FIT && bench.arguments[0].name)
        state.SetComplexityN(state.range(0));
    if (fixture.enter(run)) {
        bench.run(&run.c);
        if (!run.finished && !state.error_occurred())
            fail(state, "the bench left its loop early; gb_fail says why");
    }
    fixture.leave(run);
}

std::vector<int64_t> values_of(const gb_argument &argument)
{
    std::vector<int64_t> values{argument.from};
    const int64_t plus = argument.plus > 0 ? argument.plus : 1;

    for (;;) {
        const int64_t last = values.back();
        const bool grows = argument.times > 1 && last > 0;
        if (grows ? last > argument.to / argument.times : last > argument.to - plus)
            return values;
        values.push_back(grows ? last * argument.times : last + plus);
    }
}

void set_arguments(benchmark::internal::Benchmark *google, const gb_bench &bench)
{
    std::vector<std::string> names;
    std::vector<std::vector<int64_t>> values;

    for (const gb_argument &argument : bench.arguments) {
        if (argument.name) {
            names.push_back(argument.name);
            values.push_back(values_of(argument));
        }
    }
    if (!names.empty())
        google->ArgNames(names)->ArgsProduct(values);
}

void set_clock(benchmark::internal::Benchmark *google, gb_clock clock)
{
    switch (clock) {
    case GB_CPU_TIME:
        break;
    case GB_REAL_TIME:
        google->UseRealTime();
        break;
    case GB_PROCESS_TIME:
        google->MeasureProcessCPUTime();
        break;
    case GB_MANUAL_TIME:
        google->UseManualTime();
        break;
    }
}

benchmark::BigO big_o(gb_fit fit)
{
    switch (fit) {
    case GB_NO_FIT:
        break;
    case GB_O_1:
        return benchmark::o1;
    case GB_O_LOG_N:
        return benchmark::oLogN;
    case GB_O_N:
        return benchmark::oN;
    case GB_O_N_LOG_N:
        return benchmark::oNLogN;
    case GB_O_N_SQUARED:
        return benchmark::oNSquared;
    case GB_O_N_CUBED:
        return benchmark::oNCubed;
    case GB_O_BEST:
        return benchmark::oAuto;
    }
    return benchmark::oNone;
}

void add(const gb_bench &bench)
{
    static const benchmark::TimeUnit units[] = {benchmark::kNanosecond, benchmark::kMicrosecond,
                                                benchmark::kMillisecond, benchmark::kSecond};
    auto fixture = std::make_shared<Fixture>(bench);
    auto *google =
        benchmark::RegisterBenchmark(bench.name, [&bench, fixture](benchmark::State &state) {
            run_bench(bench, *fixture, state);
        });

    set_arguments(google, bench);
    set_clock(google, bench.clock);
    google->Unit(units[bench.unit]);
    if (bench.fit != GB_NO_FIT)
        google->Complexity(big_o(bench.fit));
    for (int i = 0; i < GB_MAX_THREADS && bench.threads[i] > 0; i++)
        google->Threads(bench.threads[i]);
    if (bench.iterations > 0)
        google->Iterations(bench.iterations);
    else if (bench.min_time > 0)
        google->MinTime(bench.min_time);
    if (bench.repetitions > 0)
        google->Repetitions(bench.repetitions);
}

} // namespace

void gb_add(const gb_bench *benches, size_t count)
{
    for (size_t i = 0; i < count; i++)
        add(benches[i]);
}

/* Called when the counter is at zero: at the loop's begin and at its end. The caller goes round
   once for the true that it gets, hence the minus one. */
bool gb__next_batch(gb_state *state)
{
    Run &run = run_of(state);

    if (!run.begun && run.google.KeepRunningBatch(run.google.max_iterations)) {
        run.begun = true;
        state->remaining = run.google.max_iterations - 1;
        return true;
    }
    if (run.begun && !run.finished)
        run.google.KeepRunningBatch(run.google.max_iterations);
    run.finished = true;
    return false;
}

int64_t gb_value(const gb_state *state, size_t argument)
{
    return run_of(state).google.range(argument);
}

void gb_pause(gb_state *state)
{
    run_of(state).google.PauseTiming();
}

void gb_resume(gb_state *state)
{
    run_of(state).google.ResumeTiming();
}

void gb_iteration_time(gb_state *state, double seconds)
{
    run_of(state).google.SetIterationTime(seconds);
}

void gb_fail(gb_state *state, const char *why)
{
    state->remaining = 0;
    if (!run_of(state).google.error_occurred())
        fail(run_of(state).google, why);
}

/* Google Benchmark knows no other way to end a run early than an error: the text must tell. */
void gb_skip(gb_state *state, const char *because)
{
    state->remaining = 0;
    if (!run_of(state).google.error_occurred())
        run_of(state).google.SkipWithError((std::string("skipped, because ") + because).c_str());
}

void gb_complexity_n(gb_state *state, int64_t n)
{
    run_of(state).google.SetComplexityN(n);
}

int64_t gb_iterations(const gb_state *state)
{
    return run_of(state).google.iterations();
}

void gb_items(gb_state *state, int64_t items)
{
    run_of(state).google.SetItemsProcessed(items);
}

void gb_bytes(gb_state *state, int64_t bytes)
{
    run_of(state).google.SetBytesProcessed(bytes);
}

void gb_counter(gb_state *state, const char *name, double value, int kind)
{
    using benchmark::Counter;
    auto flags = Counter::kDefaults;
    const auto multiples = kind & GB_BINARY ? Counter::kIs1024 : Counter::kIs1000;

    flags = kind & GB_RATE ? flags | Counter::kIsRate : flags;
    flags = kind & GB_PER_THREAD ? flags | Counter::kAvgThreads : flags;
    flags = kind & GB_PER_ITERATION ? flags | Counter::kAvgIterations : flags;
    flags = kind & GB_INVERT ? flags | Counter::kInvert : flags;
    run_of(state).google.counters[name] = Counter(value, flags, multiples);
}

void gb_label(gb_state *state, const char *text)
{
    run_of(state).google.SetLabel(text);
}

/* By nearest rank: the least value that so many of the sample do not exceed. */
void gb_percentiles(gb_state *state, const char *name, double *values, size_t count)
{
    static const struct {
        const char *name;
        double share;
    } ranks[] = {{"_p50", 0.5}, {"_p90", 0.9}, {"_p99", 0.99}, {"_p99.9", 0.999}, {"_max", 1}};

    std::sort(values, values + count);
    for (const auto &rank : ranks) {
        const double place = std::ceil(rank.share * static_cast<double>(count));
        const size_t index = place < 1 ? 0 : static_cast<size_t>(place) - 1;
        if (count > 0)
            gb_counter(state, (std::string(name) + rank.name).c_str(), values[index], GB_PLAIN);
    }
}

int main(int argc, char **argv)
{
    benchmark::Initialize(&argc, argv);
    if (benchmark::ReportUnrecognizedArguments(argc, argv))
        return 1;
    const bool ran = benchmark::RunSpecifiedBenchmarks() > 0;
    Fixture::clear();
    benchmark::Shutdown();
    if (!ran)
        std::cerr << "no bench was run; `" << argv[0]
                  << " --benchmark_list_tests` prints their names\n";
    return went_wrong ? 1 : ran ? 0 : 2;
}
