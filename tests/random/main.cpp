// Random graphs, drawn from the rows of operators: what the reference computes, fast kernels, any number of threads, contexts and
// generated C compute, too, of real numbers and of codes in each arithmetic profile; files and texts of them are read back as they were.
// What fails is printed as the smallest text form that fails in the same way.
//
//     random_graphs [--graphs N | --seconds N] [--seed S] [--kind NAME] [--first N] [--c-every N] [--folder FOLDER]
//     random_graphs --text FILE            compares that graph, as it was printed; those of --folder come before the others
//     random_graphs --check-reducer        the reducer on differences that are put in
#include <cstdlib>
#include <iostream>

#include "libcore/base/text.h"
#include "libcore/os/io.h"
#include "tests/random/check_reducer.h"
#include "tests/random/sweep.h"

namespace {

using namespace quern;
using namespace quern::random_graphs;

struct Options {
    SweepOptions sweep;
    std::string text, folder;
    bool check_reducer = false;
};

Options parse(int argc, char** argv) {
    Options options;
    for (int i = 1; i < argc; ++i) {
        const std::string_view word = argv[i];
        const auto value = [&] {
            if (i + 1 == argc) throw usage_error("{} needs a value", word);
            return std::string(argv[++i]);
        };
        const auto number = [&] { return static_cast<uint64_t>(parse_int(value()).value_or(0)); };
        if (word == "--graphs")
            options.sweep.graphs = number();
        else if (word == "--seconds")
            options.sweep.seconds = number();
        else if (word == "--seed")
            options.sweep.seed = number();
        else if (word == "--first")
            options.sweep.first = number();
        else if (word == "--kind")
            options.sweep.kind = value();
        else if (word == "--c-every")
            options.sweep.c_every = number();
        else if (word == "--folder")
            options.folder = value();
        else if (word == "--text")
            options.text = value();
        else if (word == "--check-reducer")
            options.check_reducer = true;
        else
            throw usage_error("unknown argument \"{}\"", word);
    }
    return options;
}

}  // namespace

int main(int argc, char** argv) {
    try {
        const Options options = parse(argc, argv);
        if (options.check_reducer) return reducer_works() ? 0 : 1;
        if (!options.text.empty()) return judge_text(map_input(options.text).text()) ? 0 : 1;
        const bool good = options.folder.empty() || judge_folder(options.folder);
        return sweep(options.sweep) && good ? 0 : 1;
    } catch (const Error& error) {
        std::cerr << "random_graphs: " << error.message() << "\n";
        return static_cast<int>(error.exit());
    }
}
