/* Calls Google Benchmark: gives it the user's words, registers the cases of a sweep and runs them,
 * and makes one report of all sweeps. */
#include "campaign/gbench.h"

#include <benchmark/benchmark.h>

#include <cctype>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <fstream>
#include <memory>
#include <regex>
#include <string>
#include <strings.h>
#include <vector>

namespace {

/* The values of --benchmark_out and --benchmark_out_format, which the library is not given. */
std::string output_path;
std::string output_format; /* "": JSON */

/* The library reports each of its runs by itself. Here a run is a sweep, and all sweeps are one
 * report: the context is reported once, and the end when the last sweep is over. */
class SweepsReporter : public benchmark::BenchmarkReporter {
  public:
    bool ReportContext(const Context &context) override {
        for (auto *outlet : outlets) {
            if (!has_context) {
                has_context = outlet->ReportContext(context);
            }
        }
        has_context = true;
        return true;
    }
    void ReportRuns(const std::vector<Run> &runs) override {
        for (auto *outlet : outlets) {
            outlet->ReportRuns(runs);
        }
    }
    void end() {
        for (auto *outlet : outlets) {
            if (has_context) {
                outlet->Finalize();
            }
        }
    }
    std::vector<benchmark::BenchmarkReporter *> outlets;

  private:
    bool has_context = false;
};

/* The value of "--name=value" if `word` is that flag; "" for a bare "--name". */
const char *flag_value(const char *word, const char *name) {
    size_t length = std::strlen(name);
    if (std::strncmp(word, name, length) != 0) {
        return nullptr;
    }
    if (word[length] == '=') {
        return word + length + 1;
    }
    return word[length] == '\0' ? "" : nullptr;
}

bool is_false(const char *value) {
    static const char *const words[] = { "0", "f", "n", "false", "no", "off" };
    for (const char *word : words) {
        if (strcasecmp(value, word) == 0) {
            return true;
        }
    }
    return false;
}

/* The library prints its help and exits with 0 on values that it does not know. */
bool check_choice(const char *word, const char *name, const char *choices, struct error *error) {
    const char *value = flag_value(word, name);
    if (!value) {
        return true;
    }
    std::string all = std::string(" ") + choices + " ";
    if (*value && all.find(std::string(" ") + value + " ") != std::string::npos) {
        return true;
    }
    return fail(error, STATUS_BAD_INPUT, "%s: there is no '%s': expected one of %s", name, value,
                choices);
}

bool take_word(const char *word, struct gbench_flags *flags, struct error *error) {
    const char *value;
    if (flag_value(word, "--benchmark_min_warmup_time")) {
        return fail(error, STATUS_BAD_INPUT,
                    "--benchmark_min_warmup_time: use --warm-up, before the `--`");
    }
    if ((value = flag_value(word, "--benchmark_list_tests"))) {
        flags->lists_only = !is_false(value);
    } else if ((value = flag_value(word, "--benchmark_out"))) {
        output_path = value;
        flags->own_output = *value != '\0';
    } else if ((value = flag_value(word, "--benchmark_out_format"))) {
        output_format = value;
    } else if (flag_value(word, "--benchmark_format")) {
        flags->own_display = true;
    } else if ((value = flag_value(word, "--benchmark_repetitions"))) {
        long repetitions = std::strtol(value, nullptr, 10);
        if (repetitions < 1) {
            return fail(error, STATUS_BAD_INPUT, "%s: expected a count of at least 1", word);
        }
        flags->repetitions = (size_t)repetitions;
    }
    return check_choice(word, "--benchmark_format", "console json csv", error) &&
           check_choice(word, "--benchmark_out_format", "console json csv", error) &&
           check_choice(word, "--benchmark_time_unit", "s ms us ns", error);
}

/* The library's flags can be set in the environment too; what the words say comes after. */
bool take_environment(struct gbench_flags *flags, struct error *error) {
    static const char *const names[] = { "list_tests",  "out",        "format",
                                         "repetitions", "out_format", "min_warmup_time",
                                         "time_unit" };
    for (const char *flag : names) {
        std::string variable = std::string("BENCHMARK_") + flag;
        for (char &letter : variable) {
            letter = (char)std::toupper((unsigned char)letter);
        }
        const char *value = std::getenv(variable.c_str());
        std::string word = std::string("--benchmark_") + flag + "=" + (value ? value : "");
        if (value && !take_word(word.c_str(), flags, error)) {
            return fail_within(error, "%s in the environment", variable.c_str());
        }
    }
    return true;
}

bool hand_to_library(const std::vector<std::string> &words, struct error *error) {
    std::vector<char *> arguments;
    static char program[] = "pairmark bench";
    arguments.push_back(program);
    for (const std::string &word : words) {
        arguments.push_back(const_cast<char *>(word.c_str()));
    }
    arguments.push_back(nullptr);
    int count = (int)arguments.size() - 1;
    benchmark::Initialize(&count, arguments.data());
    if (count > 1) {
        return fail(error, STATUS_BAD_INPUT,
                    "%s: not an option of Google Benchmark (`-- --help` lists them)", arguments[1]);
    }
    return true;
}

/* As the library will call the benchmark once it is registered. */
std::string registered_name(const char *name) {
    return std::string(name) + "/iterations:1/manual_time";
}

size_t find_matches(const char *const *names, size_t count, bool *chosen) {
    std::string filter = benchmark::GetBenchmarkFilter();
    bool negated = !filter.empty() && filter[0] == '-';
    if (negated) {
        filter.erase(0, 1);
    }
    if (filter.empty() || filter == "all") {
        filter = ".";
    }
    std::regex expression(filter, std::regex_constants::extended);
    size_t matches = 0;
    for (size_t i = 0; i < count; i++) {
        bool matches_it = std::regex_search(registered_name(names[i]), expression) != negated;
        matches += matches_it;
        if (chosen) {
            chosen[i] = matches_it;
        }
    }
    return matches;
}

void set_counter(benchmark::State &state, const char *name, double value) {
    if (!std::isnan(value)) {
        state.counters[name] = benchmark::Counter(value);
    }
}

/* One repetition of case `index` in this sweep. */
void visit_once(benchmark::State &state, const struct gbench_sweep *sweep, size_t place) {
    struct gbench_outcome outcome = { nullptr, NAN, NAN, NAN, NAN, NAN };
    sweep->visit(sweep->context, sweep->cases[place], &outcome);
    if (outcome.failure) {
        state.SkipWithError(outcome.failure);
    }
    for (auto _ : state) {
        state.SetIterationTime(outcome.seconds);
    }
    if (!outcome.failure) {
        set_counter(state, "pairs_per_s", outcome.pairs_per_s);
        set_counter(state, "evaluated_pairs_per_s", outcome.evaluated_pairs_per_s);
        set_counter(state, "ns_per_particle", outcome.ns_per_particle);
        set_counter(state, "hit_ratio", outcome.hit_ratio);
    }
}

void register_cases(const struct gbench_sweep *sweep) {
    for (size_t i = 0; i < sweep->count; i++) {
        benchmark::RegisterBenchmark(
            sweep->names[sweep->cases[i]],
            [sweep, i](benchmark::State &state) { visit_once(state, sweep, i); })
            ->Iterations(1)
            ->UseManualTime()
            ->Unit(benchmark::kMicrosecond);
    }
}

bool check_writable(const std::string &path, struct error *error) {
    std::FILE *file = std::fopen(path.c_str(), "a");
    if (!file) {
        return fail(error, STATUS_BAD_INPUT, "%s: %s", path.c_str(), std::strerror(errno));
    }
    std::fclose(file);
    return true;
}

/* The library would open its output anew in each sweep: so it knows of none, and this writes what
 * --benchmark_out and --benchmark_out_format ask for. */
struct report {
    std::ofstream file;
    std::unique_ptr<benchmark::BenchmarkReporter> to_file;
    SweepsReporter sweeps;
};
std::unique_ptr<report> open_report;

std::unique_ptr<benchmark::BenchmarkReporter> make_reporter(const std::string &format) {
    if (format == "csv") {
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
        return std::make_unique<benchmark::CSVReporter>();
#pragma GCC diagnostic pop
    }
    if (format == "console") {
        return std::make_unique<benchmark::ConsoleReporter>(benchmark::ConsoleReporter::OO_None);
    }
    return std::make_unique<benchmark::JSONReporter>();
}

bool open_file(const std::string &path, const std::string &format, struct error *error) {
    open_report->file.open(path);
    if (!open_report->file) {
        return fail(error, STATUS_BAD_INPUT, "%s: %s", path.c_str(), std::strerror(errno));
    }
    open_report->to_file = make_reporter(format);
    open_report->to_file->SetOutputStream(&open_report->file);
    open_report->to_file->SetErrorStream(&open_report->file);
    open_report->sweeps.outlets.push_back(open_report->to_file.get());
    return true;
}

void add_context(const char *const *word) {
    for (; word && word[0] && word[1]; word += 2) {
        benchmark::AddCustomContext(word[0], word[1]);
    }
}

} // namespace

extern "C" bool gbench_take_words(char *const *words, size_t count, struct gbench_flags *flags,
                                  struct error *error) {
    *flags = gbench_flags{ false, false, false, 1 };
    try {
        if (!take_environment(flags, error)) {
            return false;
        }
        std::vector<std::string> taken;
        for (size_t i = 0; i < count; i++) {
            const char *path = flag_value(words[i], "--benchmark_out");
            if (!take_word(words[i], flags, error) ||
                (path && *path && !check_writable(path, error))) {
                return false;
            }
            taken.push_back(words[i]);
        }
        taken.push_back("--benchmark_out="); /* ours: struct report */
        return hand_to_library(taken, error);
    } catch (const std::exception &) {
        return fail_out_of_memory(error, "the words for Google Benchmark");
    }
}

extern "C" bool gbench_select(const char *const *names, size_t count, bool *chosen,
                              size_t *selected, struct error *error) {
    try {
        *selected = find_matches(names, count, chosen);
    } catch (const std::regex_error &problem) {
        return fail(error, STATUS_BAD_INPUT, "--benchmark_filter=%s: %s",
                    benchmark::GetBenchmarkFilter().c_str(), problem.what());
    } catch (const std::exception &) {
        return fail_out_of_memory(error, "the names of the cases");
    }
    if (*selected == 0) {
        return fail(error, STATUS_BAD_INPUT,
                    "--benchmark_filter=%s: none of the %zu cases matches (`-- "
                    "--benchmark_list_tests` names them)",
                    benchmark::GetBenchmarkFilter().c_str(), count);
    }
    return true;
}

extern "C" bool gbench_open(const struct gbench_flags *flags, const char *json_path,
                            const char *const *context_words, struct error *error) {
    try {
        open_report = std::make_unique<report>();
        add_context(context_words);
        if (flags->own_display) {
            open_report->sweeps.outlets.push_back(benchmark::CreateDefaultDisplayReporter());
        }
        return flags->own_output ? open_file(output_path, output_format, error)
               : json_path       ? open_file(json_path, "json", error)
                                 : true;
    } catch (const std::exception &problem) {
        return fail(error, STATUS_SYSTEM, "Google Benchmark: %s", problem.what());
    }
}

extern "C" bool gbench_run(const struct gbench_sweep *sweep, struct error *error) {
    try {
        register_cases(sweep);
        (void)benchmark::RunSpecifiedBenchmarks(&open_report->sweeps);
        benchmark::ClearRegisteredBenchmarks();
    } catch (const std::exception &problem) {
        return fail(error, STATUS_SYSTEM, "Google Benchmark: %s", problem.what());
    }
    return true;
}

extern "C" bool gbench_close(struct error *error) {
    open_report->sweeps.end();
    open_report->file.flush();
    const bool written = !open_report->file.fail();
    open_report.reset();
    benchmark::Shutdown();
    return written || fail(error, STATUS_SYSTEM, "Google Benchmark's output could not be written");
}
