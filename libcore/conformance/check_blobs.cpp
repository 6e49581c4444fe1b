// Blobs: the same ones of the same graph, broken ones, those in files.
#include <cstring>

#include "libcore/backend/view.h"
#include "libcore/base/text.h"
#include "libcore/conformance/checks.h"
#include "libcore/conformance/part_check.h"
#include "libcore/conformance/raw_run.h"
#include "libcore/os/child.h"
#include "libcore/os/temporary.h"

namespace quern::conformance {
namespace {

constexpr size_t parts_tried = 8;

// Takes so many bytes.
struct NarrowSink {
    explicit NarrowSink(size_t bytes) : left(bytes) { sink = {sizeof sink, this, write}; }
    static quern_status write(const quern_sink* sink, const void*, size_t size) {
        auto& own = *static_cast<NarrowSink*>(sink->self);
        if (size > own.left) return QUERN_IO;
        own.left -= size;
        return QUERN_OK;
    }
    size_t left;
    quern_sink sink;
};

std::string compile_again(const Context& context, const Part& part) {
    const Calls calls(context), others(context);
    const Bytes blob = calls.compile(part);
    for (const Calls* by : {&calls, &others})
        if (const Bytes again = by->compile(part); !std::ranges::equal(again.span(), blob.span()))
            throw fault("compile gives other bytes when it is asked again{}", by == &others ? ", of another instance" : "");
    const GraphView view(part.graph);
    for (const size_t bytes : {size_t{0}, blob.size() / 2, blob.size() - std::min<size_t>(1, blob.size())}) {
        NarrowSink narrow(bytes);
        const std::string options = compile_options_json(part.options);
        const quern_status status =
            foreign("compile", [&] { return context.table.compile(calls.handle(), view.get(), options.c_str(), &narrow.sink); });
        if (!blob.empty() && status != QUERN_IO)
            throw fault("compile returned status {} where the sink, after {} bytes, returned {}", status, bytes,
                        static_cast<int>(QUERN_IO));
    }
    return "twice and by two instances";
}

// What is accepted is described, opened, and given back.
bool is_taken(const Calls& calls, const Bytes& blob) {
    quern_executable* made = nullptr;
    if (calls.status("load", [&] { return calls.table().load(calls.handle(), blob.data(), blob.size(), &made); }) != QUERN_OK) return false;
    if (!made) throw fault("load gave nothing");
    OwnedExecutable executable = calls.owned(made);
    const quern_interface* view = nullptr;
    calls.status("describe", [&] { return calls.table().describe(executable.get(), &view); });
    auto options = sized<quern_session_options>();
    options.threads = 1;
    quern_session* session = nullptr;
    if (calls.status("open", [&] { return calls.table().open(executable.get(), &options, &session); }) == QUERN_OK && session)
        calls.owned(session).end();
    executable.end();
    return true;
}

Bytes with_flip(const Bytes& blob, size_t at) {
    MutableBytes copy(blob.size());
    std::memcpy(copy.data(), blob.data(), blob.size());
    copy.data()[at] ^= std::byte{0xFF};
    return std::move(copy).freeze();
}

std::string broken(const Context& context, const Part& part) {
    constexpr size_t tries = 64;
    const Calls calls(context);
    const Bytes blob = calls.compile(part);
    MutableBytes noise(std::max<size_t>(blob.size(), 64));
    for (size_t i = 0; i < noise.size(); ++i) noise.data()[i] = static_cast<std::byte>(i * 167 + 13);
    if (is_taken(calls, Bytes())) throw fault("load took a blob of 0 bytes");
    if (is_taken(calls, std::move(noise).freeze())) throw fault("load took a blob of bytes that no back end wrote");
    for (size_t i = 0; i < tries && i < blob.size(); ++i) {
        is_taken(calls, Bytes::copy(blob.data(), i * blob.size() / std::min(tries, blob.size())));
        is_taken(calls, with_flip(blob, i * blob.size() / std::min(tries, blob.size())));
    }
    is_taken(calls, blob);
    return fmt::format("of each {} cut off and {} with another byte", tries, tries);
}

std::string in_files(const Context& context, const Part& part) {
    if (!QUERN_OPTIONAL(context.table, load_file)) return "no load_file: the host reads them";
    const Calls calls(context);
    const TemporaryFolder folder;
    const std::string path = folder.path() + "/part.blob", missing = folder.path() + "/missing.blob";
    write_output(path, calls.compile(part).text());
    quern_executable* made = nullptr;
    calls.need("load_file", [&] { return context.table.load_file(calls.handle(), path.c_str(), &made); });
    calls.owned(made).end();
    calls.refused("load_file", "a file that is not there", [&] { return context.table.load_file(calls.handle(), missing.c_str(), &made); });
    return "and one that is not there";
}

}  // namespace

std::vector<Step> compile_steps(const Context& context) { return steps_of_parts(context, parts_tried, false, compile_again); }
std::vector<Step> blobs_steps(const Context& context) { return steps_of_parts(context, parts_tried, false, broken); }
std::vector<Step> files_steps(const Context& context) { return steps_of_parts(context, parts_tried, false, in_files); }

}  // namespace quern::conformance
