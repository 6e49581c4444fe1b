#include "libcore/cli/tool.h"

#include <fcntl.h>
#include <malloc.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <new>

#include "formats/foreign/child.h"
#include "libcore/backend/custom_op.h"
#include "libcore/backend/helper.h"
#include "libcore/backend/instance.h"
#include "libcore/base/few.h"
#include "libcore/base/memory_limit.h"
#include "libcore/base/notice.h"
#include "libcore/base/text.h"
#include "libcore/cli/command_line.h"
#include "libcore/cli/signals.h"
#include "libcore/cli/time_limit.h"
#include "libcore/cli/version.h"
#include "libcore/os/folder.h"
#include "libcore/os/foreign_code.h"
#include "libcore/os/standard_error.h"
#include "libcore/os/standard_output.h"

namespace quern {
namespace {

std::string tool_name;
int level = 1;
std::FILE* out = stdout;  // for products

template <class... Args>
void say(fmt::format_string<Args...> text, Args&&... args) {
    write_standard_error(fmt::format(text, std::forward<Args>(args)...));
}

// A library of others that ends the process, perhaps with 0, must not look like success.
pid_t running = 0;
void ended_from_inside() {
    if (running != ::getpid()) return;
    say("{}: a library ended the process by calling exit\n", tool_name);
    ::_exit(static_cast<int>(Exit::unsupported));
}

void show_log(int severity, const std::string& backend, const std::string& text) {
    const int min = severity <= QUERN_LOG_ERROR ? 0 : severity == QUERN_LOG_WARNING ? 1 : 2;
    if (level >= min) say("{}: back end \"{}\": {}\n", tool_name, backend, printable(text));
}

// A standard stream that is closed must not be the number of the next file: it is one that cannot be read or written.
void open_streams() {
    for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
        if (::fcntl(stream, F_GETFD) < 0 && ::open("/dev/null", stream == STDOUT_FILENO ? O_RDONLY : O_WRONLY) != stream)
            ::_exit(static_cast<int>(Exit::io));
    keep_standard_output();
    if (standard_output() == STDOUT_FILENO) return;
    if (std::FILE* kept = ::fdopen(standard_output(), "w"))
        out = kept;
    else
        ::dup2(standard_output(), STDOUT_FILENO);  // what cannot be written fails there
}

void check_stdout(bool good) {
    if (good) return;
    if (errno == EPIPE) throw ClosedPipe{};
    throw io_error("<stdout>: {}", std::strerror(errno));
}

void add_common(CommandLine& line, bool quiet) {
    line.group = common_options;
    const auto add = [&](const char* names, const char* doc, auto& to) {
        line.rows.push_back({line.group, names, {}, doc});
        line.app.add_flag(names, to);
    };
    line.rows.push_back({line.group, "--op-package", "LIBRARY", "load custom operators from a library; may repeat"});
    line.app.add_option("--op-package", line.op_packages)->allow_extra_args(false);
    add("--no-libraries", "load no code of others: back ends, plugins, model libraries ...", line.no_libraries);
    line.rows.push_back(
        {line.group, "--memory-limit", "SIZE", "memory limit of a run, such as 512M or 8G (default: the machine's memory)"});
    line.app.add_option("--memory-limit", line.memory_limit);
    line.rows.push_back({line.group, "--time-limit", "SECONDS", "end without a product after so many seconds (default: never)"});
    line.app.add_option("--time-limit", line.time_limit);
    add("--follow-links", "files that a model names may be links that lead out of its folder", line.follow_links);
    if (quiet) {
        add("-v,--verbose", "print more; may repeat", line.verbose);
        add("-q,--quiet", "print errors only", line.quiet);
    }
    add("-h,--help", "print this help and exit", line.help);
    add("--version",
        quiet ? "print the version and exit; with -v the instruction set, libraries and formats, too" : "print the version and exit",
        line.version);
    line.app.add_flag("--man-options", line.man);
    line.app.add_flag("--man-examples", line.man_examples);
}

// An option as the user spelled it: to the parser "_" and "-" are the same.
std::string as_typed(int argc, char** argv, const std::string& name) {
    for (int i = 1; i < argc; ++i) {
        const std::string_view argument = argv[i], word = argument.substr(0, argument.find('='));
        if (word.starts_with("--") && spelled_for_parser(std::string(word)) == name) return std::string(word);
    }
    return name;
}

// CLI11's complaint in our words.
Error parse_error(const CLI::ParseError& error, const CommandLine& line, int argc, char** argv) {
    if (dynamic_cast<const CLI::ArgumentMismatch*>(&error)) {
        const std::string what = error.what();
        if (what.ends_with("disallowed flag override"))
            return usage_error("{}: takes no value", as_typed(argc, argv, "--" + what.substr(0, what.find(' '))));
        const std::string name = as_typed(argc, argv, what.substr(0, what.find(':')));
        const bool twice = what.find("At Most ") != what.npos || what.find("At most ") != what.npos;  // before CLI11 2.6, and since
        return usage_error("{}: {}", name, twice ? "given twice" : "needs a value");
    }
    if (!dynamic_cast<const CLI::ExtrasError*>(&error)) return usage_error("{}", error.what());
    const std::vector<std::string> extra = line.app.remaining();
    const std::string word = extra.empty() ? "" : as_typed(argc, argv, extra.front().substr(0, extra.front().find('=')));
    if (word.rfind('-', 0) != 0) return usage_error("unexpected argument \"{}\"", escape(word));
    return usage_error("unknown option \"{}\"{}", escape(word), did_you_mean(word, line.long_names()));
}

// "-- quantize", as a document has it.
std::optional<Error> torn_option(int argc, char** argv, const CommandLine& line) {
    const std::vector<std::string> names = line.long_names();
    for (int i = 1; i + 1 < argc; ++i) {
        const std::string whole = std::string("--") + argv[i + 1];
        if (std::string_view(argv[i]) == "--" && std::find(names.begin(), names.end(), whole) != names.end())
            return usage_error("unexpected \"-- {}\"", argv[i + 1]).with_hint(fmt::format("without the space: {}", whole));
    }
    return std::nullopt;
}

// "--profile", "p.html" as "--profile=p.html", which is all that CLI11 takes, where a flag's file has this suffix: [=FILE.html].
std::vector<std::string> with_files_of_flags(std::vector<std::string> arguments, const CommandLine& line) {
    constexpr std::string_view begin = "[=FILE.";
    for (const HelpRow& row : line.rows) {
        if (!row.value.starts_with(begin)) continue;
        const std::string suffix = row.value.substr(begin.size() - 1, row.value.size() - begin.size());
        for (size_t i = 0; i + 1 < arguments.size() && arguments[i] != "--"; ++i) {
            if (arguments[i] != row.names || !arguments[i + 1].ends_with(suffix)) continue;
            arguments[i] += "=" + arguments[i + 1];
            arguments.erase(arguments.begin() + static_cast<std::ptrdiff_t>(i) + 1);
        }
    }
    return arguments;
}

Exit run_tool(Tool& tool, int argc, char** argv) {
    CommandLine line;
    line.app.set_help_flag();
    Options options(line);
    tool.options(options);
    add_common(line, tool.has_quiet());
    if (argc > 1 && std::string_view(argv[1]) == "--completion-words") {
        print(completion_words(line, argc > 2 ? argv[2] : ""));
        return Exit::ok;
    }
    if (argc == 1 && ::isatty(STDIN_FILENO) == 1) {  // nobody types a model
        write_standard_error(help_text(tool, line));
        return Exit::usage;
    }
    try {
        std::vector<std::string> arguments = with_files_of_flags(normal_arguments(argc, argv), line);
        std::reverse(arguments.begin(), arguments.end());  // CLI11 takes them last first
        line.app.parse(std::move(arguments));
    } catch (const CLI::ParseError& error) {
        if (!line.help && !line.version && !line.man && !line.man_examples)
            throw torn_option(argc, argv, line)
                .value_or(parse_error(error, line, argc, argv).with_hint(tool.command() + " --help lists the options"));
    }
    level = line.quiet ? 0 : 1 + line.verbose;
    show_details(level > 1);
    if (line.help) return print(help_text(tool, line)), Exit::ok;
    if (line.man) return print(man_options(line)), Exit::ok;
    if (line.man_examples) return print(man_examples(tool)), Exit::ok;
    if (line.version) {
        print(fmt::format("{} (quern) {}\n{}", tool.name(), QUERN_VERSION, line.verbose ? version_details() : ""));
        return Exit::ok;
    }
    line.note_given();
    check_files(line);
    if (!line.memory_limit.empty()) at_place("--memory-limit", [&] { set_memory_limit(parse_memory_size(line.memory_limit)); });
    if (!line.time_limit.empty()) at_place("--time-limit", [&] { start_time_limit(parse_time_limit(line.time_limit), tool.name()); });
    if (line.no_libraries) forbid_foreign_code();
    if (line.follow_links) follow_links();
    load_op_packages_of_environment();
    for (const std::string& name : line.op_packages) load_op_package(name);
    return tool.run();
}

int report(const Error& error) noexcept try {
    say("{}: {}\n", tool_name, error.message());
    for (const std::string& line : level > 1 ? error.details() : few_of(error.details())) say("  {}\n", line);
    if (!error.hint().empty()) say("hint: {}\n", one_line(error.hint()));
    return static_cast<int>(error.exit());
} catch (const std::exception&) {  // no memory for the message
    return static_cast<int>(error.exit());
}

// The reader of standard output has gone: the tool ends as SIGPIPE would have ended it, after cleaning up.
int end_by_closed_pipe() {
    std::signal(SIGPIPE, SIG_DFL);
    std::raise(SIGPIPE);
    return 128 + SIGPIPE;
}

}  // namespace

std::vector<std::string> CommandLine::long_names() const {
    std::vector<std::string> names;
    for (const HelpRow& row : rows)
        for (const std::string& name : split(row.names, ','))
            if (name.rfind("--", 0) == 0) names.push_back(name);
    return names;
}

std::string spelled_for_parser(std::string names) {
    std::replace(names.begin(), names.end(), '_', '-');
    std::replace(names.begin(), names.end(), ':', '-');
    return names;
}

std::vector<std::string> normal_arguments(int argc, char** argv) {
    std::vector<std::string> arguments(argv + 1, argv + argc);
    for (std::string& argument : arguments) {
        if (argument == "--") break;
        if (argument.rfind("--", 0) != 0) continue;
        const size_t end = std::min(argument.find('='), argument.size());
        argument = spelled_for_parser(argument.substr(0, end)) + argument.substr(end);
    }
    return arguments;
}

int verbosity() { return level; }

void notice(std::string_view message) {
    if (level <= 0) return;
    std::vector<std::string> lines;
    for (const std::string& line : split(message, '\n')) lines.push_back(one_line(line));
    say("{}: {}\n", tool_name, join(lines, "\n"));
}

void notice_few(const std::vector<std::string>& lines) {
    for (const std::string& line : level > 1 ? lines : few_of(lines)) notice(line);
}

void print(std::string_view text) { check_stdout(std::fwrite(text.data(), 1, text.size(), out) == text.size()); }

// What a caught exception means to the user.
static Error as_error(const std::exception& caught) {
    if (const auto* error = dynamic_cast<const Error*>(&caught)) return *error;
    if (dynamic_cast<const std::bad_alloc*>(&caught)) return io_error("out of memory");
    return bug("internal error: {}", caught.what());
}

Exit reported(const std::string& place, const std::function<void()>& part) {
    try {
        part();
        return Exit::ok;
    } catch (const std::exception& caught) {
        Error error = as_error(caught);
        if (!error.message().starts_with(place)) error.at(place);
        report(error);
        return error.exit();
    }
}

static int guarded_run(Tool& tool, int argc, char** argv) {
    try {
        const Exit exit = run_tool(tool, argc, argv);
        if (auto late = late_backend_failure(); late && exit == Exit::ok) throw Error(*late);
        check_stdout(std::fflush(out) == 0);
        return static_cast<int>(exit);
    } catch (const ClosedPipe&) {
        return end_by_closed_pipe();
    } catch (const std::exception& caught) {
        std::fflush(out);
        return report(as_error(caught));
    }
}

int tool_main(Tool& tool, int argc, char** argv) {
    ::mallopt(M_MXFAST, 0);  // graphs are many small blocks: they join at once, not all again with each large block that goes
    tool_name = tool.name();
    std::signal(SIGPIPE, SIG_IGN);
    std::signal(SIGXFSZ, SIG_IGN);  // what goes beyond the limit cannot be written, which is an error like others
    open_streams();
    remove_leftovers_at_signals();  // with a pipe, which must be none of those
    end_where_an_input_changes(tool_name.c_str());
    set_backend_log(show_log);
    set_backend_runs({.apart = true, .seconds = child_seconds("QUERN_BACKEND_TIMEOUT")});
    set_notice_sink(notice);
    running = ::getpid();
    std::atexit(ended_from_inside);
    const int code = guarded_run(tool, argc, argv);
    end_time_limit();
    running = 0;
    return code;
}

}  // namespace quern
