#include "libcore/conformance/calls.h"

#include "libcore/backend/host.h"
#include "libcore/backend/view.h"
#include "libcore/base/text.h"

namespace quern::conformance {
namespace {

void no_log(const quern_host*, int32_t, const char*) {}

bool is_status(quern_status status) { return (status >= QUERN_OK && status <= QUERN_IO) || status == QUERN_INTERNAL; }

}  // namespace

Calls::Calls(const Context& context) : Calls(context, context.settings.options) {}

Calls::Calls(const Context& context, const std::string& options) : Calls(context, options, nullptr) {}

Calls::Calls(const Context& context, const std::string& options, quern_status* refusal)
    : table_(context.table), host_(c_host(nullptr, no_log)), backend_(created(options, refusal), "destroy", table_.destroy) {}

bool Calls::can_create(const Context& context, const std::string& options) {
    quern_status refusal = QUERN_OK;
    Calls(context, options, &refusal).end();
    return refusal == QUERN_OK;
}

quern_backend* Calls::created(const std::string& options, quern_status* refusal) const {
    quern_backend* made = nullptr;
    const quern_status status = foreign("create", [&] { return table_.create(&host_, options.c_str(), &made); });
    if (status != QUERN_OK) {
        const std::string said = looked_at(nullptr, "create", status);
        if (!refusal) throw fault("create failed with status {}: {}", status, said);
        *refusal = status;
        return nullptr;
    }
    if (!made) throw fault("create gave nothing");
    return made;
}

std::string Calls::looked_at(quern_backend* backend, std::string_view function, quern_status status) const {
    if (!is_status(status)) throw fault("{} answered with status {}, which backend.h does not know", function, status);
    const char* text = foreign("last_error", [&] { return table_.last_error(backend); });
    if (!text || !*text) throw fault("{} failed with status {}, and last_error says nothing", function, status);
    std::string said = text;
    if (!is_utf8(said) || said.find('\n') != said.npos)
        throw fault("{} failed with status {}, and what last_error says is not one line of UTF-8: {}", function, status, printable(said));
    return said;
}

Bytes Calls::compile(const Part& part) const {
    const GraphView view(part.graph);
    const std::string options = compile_options_json(part.options);
    SpoolFile spool;
    const quern_sink sink = c_sink(spool.file());
    need("compile", [&] { return table_.compile(handle(), view.get(), options.c_str(), &sink); });
    return spool.finish();
}

OwnedExecutable Calls::load(const Bytes& blob) const {
    quern_executable* made = nullptr;
    need("load", [&] { return table_.load(handle(), blob.data(), blob.size(), &made); });
    if (!made) throw fault("load gave nothing");
    return owned(made);
}

OwnedSession Calls::open(quern_executable* executable, int threads) const {
    auto options = sized<quern_session_options>();
    options.threads = threads;
    quern_session* made = nullptr;
    need("open", [&] { return table_.open(executable, &options, &made); });
    if (!made) throw fault("open gave nothing");
    return owned(made);
}

}  // namespace quern::conformance
