#include "tests/conformance/run_case.h"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <optional>

#include "formats/format.h"
#include "formats/onnx/tensors.h"
#include "libcore/base/text.h"
#include "libcore/exec/session.h"
#include "libcore/ops/shared/sequence.h"
#include "tests/conformance/compare.h"
#include "tests/conformance/exceptions.h"

namespace conformance {
namespace {

namespace fs = std::filesystem;
constexpr unsigned seconds_per_case = 60;

void note_operators(const quern::Graph& graph, Result& result) {
    result.claimed = true;
    quern::for_each_graph(graph, [&](const quern::Graph& part, const std::string&) {
        for (const quern::NodeId id : part.order()) {
            const quern::Node& node = part.node(id);
            const quern::Op& op = *node.op;
            const std::string name = (op.domain.empty() ? "" : std::string(op.domain) + ".") + std::string(op.name);
            result.operators.insert(name);
            const auto first = std::ranges::find_if(node.in, [](quern::ValueId in) { return in != quern::ValueId::none; });
            const quern::DType dtype = first == node.in.end() ? quern::DType::none : part.value(*first).type.dtype;
            const bool claimed = op.known() && op.eval && (dtype == quern::DType::none || op.types.has(dtype));
            result.claimed &= claimed;
            if (claimed) result.pairs.insert(name + " " + std::string(quern::name_of(dtype)));
        }
    });
}

void mend_bfloat16(std::vector<quern::Tensor>& tensors, std::span<const quern::Type> types) {
    for (size_t i = 0; i < tensors.size() && i < types.size(); ++i) tensors[i].dtype = dtype_of_data(tensors[i], types[i].dtype);
}

// A few old cases hold data of another shape than their model declares.
bool fits(const quern::Tensor& tensor, const quern::Type& type) {
    if (type.kind != quern::Type::Kind::tensor || !type.shape.ranked) return true;
    if (type.shape.rank() != tensor.dims.size()) return false;
    for (size_t i = 0; i < tensor.dims.size(); ++i)
        if (type.shape.dims[i].known() && type.shape.dims[i].value != tensor.dims[i]) return false;
    return true;
}

// The same of sequences, item by item, and of optionals.
std::optional<std::string> value_difference(const quern::Tensor& got, const quern::Tensor& want, bool values, Slack slack) {
    if (!got.defined() || !want.defined())
        return got.defined() == want.defined() ? std::nullopt : std::optional<std::string>(got.defined() ? "is there" : "is empty");
    if (!is_sequence(got) || !is_sequence(want)) return difference(got, want, values, slack);
    const auto a = items_of(got), b = items_of(want);
    if (a.size() != b.size()) return fmt::format("has {} items, need {}", a.size(), b.size());
    for (size_t i = 0; i < a.size(); ++i)
        if (auto what = value_difference(a[i], b[i], values, slack)) return fmt::format("item {} {}", i, *what);
    return std::nullopt;
}

struct BadData {
    std::string what;
};

struct Judge {
    bool values;  // of random outputs only type and shape are compared
    int64_t steps;
    const Exception* exception;
};

// Puts what differs into `result`; false if it is wrong.
bool compare_outputs(const std::vector<quern::Tensor>& got, const std::vector<quern::Tensor>& wanted, const Judge& judge, Result& result) {
    for (size_t i = 0; i < got.size(); ++i) {
        const auto what = value_difference(got[i], wanted[i], judge.values, {judge.steps});
        if (!what) continue;
        const Exception* excuse = judge.exception;
        const bool excused = excuse && !value_difference(got[i], wanted[i], judge.values, {judge.steps, excuse->absolute});
        result.verdict = excused ? Verdict::excused : Verdict::wrong;
        result.reason = fmt::format("output {}: {}", i, excused ? excuse->reason : *what);
        if (!excused) return false;
    }
    return true;
}

bool run_data(const quern::Graph& graph, const std::shared_ptr<const quern::Program>& program, const fs::path& data, const Judge& judge,
              Result& result) {
    auto inputs = values_in(data, "input", graph, graph.inputs);
    auto wanted = values_in(data, "output", graph, graph.outputs);
    mend_bfloat16(inputs, program->input_types());
    for (size_t i = 0; i < inputs.size() && i < program->input_types().size(); ++i)
        if (const quern::Type& type = program->input_types()[i]; !fits(inputs[i], type))
            throw BadData{fmt::format("the case's input {} is {}, its model declares {}", i, quern::to_string(inputs[i].dims),
                                      quern::to_string(type))};
    quern::ThreadPool pool(1);
    quern::Session session(program, pool);
    const auto got = session.run(inputs);
    std::vector<quern::Type> types;
    for (const quern::Tensor& tensor : got) types.push_back(quern::Type::tensor(tensor.dtype));
    mend_bfloat16(wanted, types);
    if (got.size() == wanted.size()) return compare_outputs(got, wanted, judge, result);
    result.verdict = Verdict::wrong;
    result.reason = fmt::format("{} outputs, need {}", got.size(), wanted.size());
    return false;
}

Result run_here(const Case& test, bool reference, int64_t steps) {
    Result result;
    try {
        const quern::Model model = quern::read_model(test.folder / "model.onnx");
        note_operators(model.graph, result);
        const auto program = quern::Program::compile(model.graph, {.reference = reference});
        const bool random = test.group == Group::random || test.name.find("training_dropout") != test.name.npos;
        const Judge judge{!random, steps, exception_of(test.name)};
        for (size_t i = 0;; ++i) {
            const fs::path data = test.folder / fmt::format("test_data_set_{}", i);
            if (!fs::exists(data)) break;
            if (!run_data(model.graph, program, data, judge, result)) return result;
        }
        if (result.verdict != Verdict::excused) result.verdict = Verdict::pass;
    } catch (const quern::Error& error) {
        result.verdict = error.exit() == quern::Exit::unsupported ? Verdict::unsupported : Verdict::wrong;
        result.reason = error.message();
        const std::string place = (test.folder / "model.onnx").string() + ": ";
        if (result.reason.starts_with(place)) result.reason.erase(0, place.size());
    } catch (const BadData& bad) {
        result.verdict = Verdict::unsupported;
        result.claimed = false;
        result.reason = bad.what;
    } catch (const std::exception& error) {
        result.reason = error.what();
    }
    return result;
}

// ---- between the processes: one line a field ----------------------------------------------------------------------------

std::string packed(const std::set<std::string>& items) { return quern::join(std::vector<std::string>(items.begin(), items.end()), "\t"); }

std::set<std::string> unpacked(const std::string& line) {
    const auto items = quern::split(line, '\t');
    return {items.begin(), items.end()};
}

std::string to_text(const Result& result) {
    std::string reason = result.reason;
    std::ranges::replace(reason, '\n', ' ');
    return fmt::format("{}\n{}\n{}\n{}\n{}\n", static_cast<int>(result.verdict), result.claimed ? 1 : 0, packed(result.operators),
                       packed(result.pairs), reason);
}

std::optional<Result> from_text(const std::string& text) {
    const auto lines = quern::split(text, '\n');
    if (lines.size() < 5) return std::nullopt;
    return Result{static_cast<Verdict>(quern::parse_int(lines[0]).value_or(3)), lines[4], lines[1] == "1", unpacked(lines[2]),
                  unpacked(lines[3])};
}

std::string read_all(int fd) {
    std::string text;
    std::array<char, 4096> chunk{};
    for (ssize_t got = 0; (got = read(fd, chunk.data(), chunk.size())) > 0;) text.append(chunk.data(), static_cast<size_t>(got));
    return text;
}

}  // namespace

quern::DType dtype_of_data(const quern::Tensor& data, quern::DType declared) {
    return declared == quern::DType::bf16 && data.dtype == quern::DType::u16 ? declared : data.dtype;
}

std::vector<quern::Tensor> values_in(const fs::path& folder, const std::string& prefix, const quern::Graph& graph,
                                     const std::vector<quern::ValueId>& ids) {
    std::vector<quern::Tensor> out;
    for (size_t i = 0;; ++i) {
        const fs::path file = folder / fmt::format("{}_{}.pb", prefix, i);
        if (!fs::exists(file)) return out;
        out.push_back(quern::parse_onnx_value(quern::map_input(file), i < ids.size() ? graph.value(ids[i]).type : quern::Type()));
    }
}

std::string_view name_of(Verdict verdict) {
    constexpr std::array<std::string_view, 5> names{"pass", "unsupported", "wrong", "crash", "excused"};
    return names[static_cast<size_t>(verdict)];
}

Result in_child(const std::function<Result()>& body) {
    std::array<int, 2> ends{};
    if (pipe(ends.data()) != 0) throw quern::io_error("no pipe");
    const pid_t child = fork();
    if (child < 0) throw quern::io_error("no process");
    if (child == 0) {
        close(ends[0]);
        alarm(seconds_per_case);
        const std::string text = to_text(body());
        const bool written = write(ends[1], text.data(), text.size()) == static_cast<ssize_t>(text.size());
        _exit(written ? 0 : 1);
    }
    close(ends[1]);
    const std::string text = read_all(ends[0]);
    close(ends[0]);
    int status = 0;
    waitpid(child, &status, 0);
    if (auto result = WIFEXITED(status) ? from_text(text) : std::nullopt) return *result;
    Result crash;
    crash.reason = !WIFSIGNALED(status)          ? "ended without a result"
                   : WTERMSIG(status) == SIGALRM ? fmt::format("no result after {} s", seconds_per_case)
                                                 : fmt::format("signal {}", WTERMSIG(status));
    return crash;
}

Result run_case(const Case& test, bool reference, int64_t steps) {
    return in_child([&] { return run_here(test, reference, steps); });
}

}  // namespace conformance
