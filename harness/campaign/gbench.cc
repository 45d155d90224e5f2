#include "campaign/gbench.h"

#include <benchmark/benchmark.h>

#include <cctype>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <regex>
#include <string>
#include <strings.h>
#include <vector>

namespace {

/* The campaign has a progress line of its own. */
class SilentReporter : public benchmark::BenchmarkReporter {
  public:
    bool ReportContext(const Context &) override {
        return true;
    }
    void ReportRuns(const std::vector<Run> &) override {
    }
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

bool take_word(const char *word, struct bench_options *wishes, struct error *error) {
    const char *value;
    if (flag_value(word, "--benchmark_min_warmup_time")) {
        return fail(error, STATUS_BAD_INPUT,
                    "--benchmark_min_warmup_time: use --warm-up, before the `--`");
    }
    if ((value = flag_value(word, "--benchmark_list_tests"))) {
        wishes->lists_only = !is_false(value);
    } else if ((value = flag_value(word, "--benchmark_out"))) {
        wishes->own_output = *value != '\0';
    } else if (flag_value(word, "--benchmark_format")) {
        wishes->own_display = true;
    } else if ((value = flag_value(word, "--benchmark_repetitions"))) {
        long repetitions = std::strtol(value, nullptr, 10);
        if (repetitions < 1) {
            return fail(error, STATUS_BAD_INPUT, "%s: expected a count of at least 1", word);
        }
        wishes->repetitions = (size_t)repetitions;
    }
    return check_choice(word, "--benchmark_format", "console json csv", error) &&
           check_choice(word, "--benchmark_out_format", "console json csv", error) &&
           check_choice(word, "--benchmark_time_unit", "s ms us ns", error);
}

/* The library's flags can be set in the environment too; what the words say comes after. */
bool take_environment(struct bench_options *wishes, struct error *error) {
    static const char *const flags[] = { "list_tests",  "out",        "format",
                                         "repetitions", "out_format", "min_warmup_time",
                                         "time_unit" };
    for (const char *flag : flags) {
        std::string variable = std::string("BENCHMARK_") + flag;
        for (char &letter : variable) {
            letter = (char)std::toupper((unsigned char)letter);
        }
        const char *value = std::getenv(variable.c_str());
        std::string word = std::string("--benchmark_") + flag + "=" + (value ? value : "");
        if (value && !take_word(word.c_str(), wishes, error)) {
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

void run_once(benchmark::State &state, const struct gbench_campaign *campaign, size_t index) {
    struct gbench_outcome outcome = { nullptr, NAN, NAN, NAN, NAN, NAN };
    campaign->run(campaign->context, index, &outcome);
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

void register_cases(const struct gbench_campaign *campaign) {
    for (size_t i = 0; i < campaign->count; i++) {
        benchmark::RegisterBenchmark(
            campaign->names[i],
            [campaign, i](benchmark::State &state) { run_once(state, campaign, i); })
            ->Iterations(1)
            ->UseManualTime()
            ->Unit(benchmark::kMicrosecond);
    }
}

/* The library ends the process when it cannot open its output: better found out before. */
bool check_writable(const std::string &path, struct error *error) {
    std::FILE *file = std::fopen(path.c_str(), "a");
    if (!file) {
        return fail(error, STATUS_BAD_INPUT, "%s: %s", path.c_str(), std::strerror(errno));
    }
    std::fclose(file);
    return true;
}

/* Where the words left the output open, it goes to the campaign's folder, as JSON. */
bool choose_output(const struct gbench_campaign *campaign, struct error *error) {
    if (!campaign->json_path) {
        return true;
    }
    std::string path = campaign->json_path;
    return check_writable(path, error) &&
           hand_to_library({ "--benchmark_out=" + path, "--benchmark_out_format=json" }, error);
}

void add_context(const struct gbench_campaign *campaign) {
    const char *const *word = campaign->context_words;
    for (; word && word[0] && word[1]; word += 2) {
        benchmark::AddCustomContext(word[0], word[1]);
    }
}

} // namespace

extern "C" bool gbench_take_words(char *const *words, size_t count, struct bench_options *wishes,
                                  struct error *error) {
    *wishes = bench_options{ false, false, false, 1 };
    try {
        if (!take_environment(wishes, error)) {
            return false;
        }
        std::vector<std::string> taken;
        for (size_t i = 0; i < count; i++) {
            const char *path = flag_value(words[i], "--benchmark_out");
            if (!take_word(words[i], wishes, error) ||
                (path && *path && !check_writable(path, error))) {
                return false;
            }
            taken.push_back(words[i]);
        }
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

extern "C" bool gbench_run(const struct gbench_campaign *campaign,
                           const struct bench_options *wishes, struct error *error) {
    try {
        SilentReporter silent;
        if (!choose_output(campaign, error)) {
            return false;
        }
        add_context(campaign);
        register_cases(campaign);
        (void)benchmark::RunSpecifiedBenchmarks(wishes->own_display ? nullptr : &silent);
        benchmark::ClearRegisteredBenchmarks();
        benchmark::Shutdown();
    } catch (const std::exception &problem) {
        return fail(error, STATUS_SYSTEM, "Google Benchmark: %s", problem.what());
    }
    return true;
}
