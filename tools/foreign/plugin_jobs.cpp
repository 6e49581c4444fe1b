#include "tools/foreign/plugin_jobs.h"

#include <deque>
#include <optional>

#include "libcore/backend/guard.h"
#include "libcore/backend/host.h"
#include "libcore/backend/view.h"
#include "libcore/base/json.h"
#include "libcore/base/text.h"
#include "tools/foreign/plugin_library.h"

namespace quern {
namespace {

Json facts_of(const PluginLibrary& library) {
    const quern_codegen_plugin* table = library.table();
    if (!table) return {{"onert", true}};
    Json options = Json::array();
    for (size_t i = 0; i < table->option_count; ++i)
        options.push_back({{"name", table->options[i]->name}, {"doc", table->options[i]->doc}});
    return {{"name", table->name},   {"doc", fmt::format("{} (plugin, version {})", table->doc, table->version)},
            {"input", table->input}, {"product", table->product},
            {"options", options},    {"preferences", table->preferences != 0}};
}

// The newest error is held back, for it is the message if the plugin then fails.
class Diagnostics {
   public:
    explicit Diagnostics(ChildWork& work) : work_(work) {}

    void add(int level, const std::string& text) {
        if (level != QUERN_LOG_ERROR) return work_.log(level, text);
        flush();
        error_ = text;
        work_.remember(text);
    }
    void flush() {
        if (error_) work_.log(QUERN_LOG_ERROR, *error_);
        error_.reset();
        work_.remember("");
    }
    // The exit code is the plugin's own where it can be one.
    void check(int status, std::string_view function) {
        if (status == 0) return flush();
        const Exit exit = status > 0 && status < 126 ? static_cast<Exit>(status) : Exit::unsupported;
        throw Error(exit, error_ ? *error_ : fmt::format("{} returned {}", function, status));
    }

   private:
    ChildWork& work_;
    std::optional<std::string> error_;
};

void host_log(const quern_host* host, int32_t level, const char* text) {
    std::string ignored;
    guarded(ignored, [&] { static_cast<Diagnostics*>(host->self)->add(level, text ? text : ""); });
}

struct PluginRequest {
    explicit PluginRequest(const ChildWork& work)
        : name(work.word(1)),
          model(work.word(2)),
          output(work.word(3)),
          preference(static_cast<int32_t>(parse_int(work.word(4)).value_or(0))) {
        for (size_t i = 5; i < work.request().size(); i += 2)
            settings.push_back({sizeof(quern_setting), work.word(i).c_str(), work.word(i + 1).c_str()});
    }
    const std::string &name, &model, &output;
    int32_t preference;
    std::deque<quern_setting> settings;
};

quern_status generate(const quern_codegen_plugin& table, Diagnostics& diagnostics, const PluginRequest& request, ChildWork& work) {
    std::vector<const quern_setting*> list;
    for (const quern_setting& setting : request.settings) list.push_back(&setting);
    std::optional<Graph> graph;
    std::optional<GraphView> view;
    if (table.input == QUERN_INPUT_GRAPH) view.emplace(graph.emplace(work.graph()));
    const quern_host host = c_host(&diagnostics, host_log);
    const quern_sink sink = c_sink(work.out());
    const quern_codegen_request c_request{.struct_size = sizeof(quern_codegen_request),
                                          .name = request.name.c_str(),
                                          .graph = view ? view->get() : nullptr,
                                          .model = request.model.empty() ? nullptr : request.model.c_str(),
                                          .preference = request.preference,
                                          .setting_count = list.size(),
                                          .settings = list.data(),
                                          .sink = request.output.empty() ? &sink : nullptr,
                                          .output = request.output.empty() ? nullptr : request.output.c_str()};
    return foreign("generate", [&] { return table.generate(&host, &c_request); });
}

}  // namespace

void describe_plugin(ChildWork& work) {
    work.stage("load");
    work.out().write(json_line(facts_of(PluginLibrary(work.word(0)))));
}

void run_plugin(ChildWork& work) {
    work.stage("load");
    const PluginLibrary library(work.word(0));
    const PluginRequest request(work);
    Diagnostics diagnostics(work);
    const std::string_view function = library.table() ? "generate" : "codegen";
    work.stage(function);
    const int status = library.table() ? generate(*library.table(), diagnostics, request, work)
                                       : library.onert_codegen(request.model.c_str(), request.output.c_str());
    library.flush();
    diagnostics.check(status, function);
}

}  // namespace quern
