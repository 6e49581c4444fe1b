#include "libcore/backend/host.h"

#include "formats/native/native.h"
#include "libcore/backend/guard.h"
#include "libcore/backend/view.h"

namespace quern {
namespace {

quern_status sink_write(const quern_sink* sink, const void* data, size_t size) {
    std::string ignored;
    return guarded(ignored, [&] { static_cast<OutputFile*>(sink->self)->write(data, size); });
}

quern_status host_serialize(const quern_host*, const quern_graph* graph, const quern_sink* sink) {
    std::string ignored;
    return guarded(ignored, [&] {
        OutputFile file([&](const void* data, size_t size) {
            if (sink->write(sink, data, size) != QUERN_OK) throw io_error("cannot write");
        });
        Model model;
        model.graph = GraphView::graph_of(graph);
        native_format::write(model, file);
        file.commit();
    });
}

}  // namespace

quern_host c_host(void* self, void (*log)(const quern_host* host, int32_t level, const char* text)) {
    return {sizeof(quern_host), QUERN_BACKEND_ABI, QUERN_VERSION, self, log, host_serialize};
}

quern_sink c_sink(OutputFile& file) { return {sizeof(quern_sink), &file, sink_write}; }

}  // namespace quern
