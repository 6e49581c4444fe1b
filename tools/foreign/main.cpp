// quern-foreign: loads libraries of others where they can do no harm, started by libquern.
#include <array>

#include "libcore/backend/compile_options.h"
#include "libcore/backend/library.h"
#include "libcore/backend/question.h"
#include "tools/foreign/conformance_job.h"
#include "tools/foreign/execute.h"
#include "tools/foreign/model_job.h"
#include "tools/foreign/plugin_jobs.h"
#include "tools/foreign/serve.h"

namespace quern {
namespace {

ChildWork* answering = nullptr;

void pass_log_on(int level, const std::string&, const std::string& text) { answering->log(level, text); }

// Request: the question's name; of the back end: path, name and options; compile options as JSON, of questions with a graph.
void ask_backend(ChildWork& work) {
    answering = &work;
    set_backend_log(pass_log_on);
    work.stage("load");
    const quern_backend_api& table = open_backend(work.word(1));
    work.stage("create");
    const auto instance = std::make_shared<Instance>(table, work.word(2), work.word(3));
    work.stage(work.word(0));
    const std::string& options = work.word(4);
    const Graph graph = options.empty() ? Graph() : work.graph();
    answer(*instance, {work.word(0), &graph, parse_compile_options(options)}, work.out());
    work.stage("destroy");
}

constexpr std::array jobs{ChildJob{"backend", ask_backend}, ChildJob{"compose", compose_model, Confined::code},
                          ChildJob{"plugin-table", describe_plugin}, ChildJob{"plugin", run_plugin},
                          ChildJob{"conformance", check_backend}};

}  // namespace
}  // namespace quern

int main(int argc, char** argv) {
    using namespace quern;
    const std::string_view job = argc == 3 ? argv[1] : "";
    if (job == "execute") return execute_backend(Confined::programs, memory_of(argv[2]));
    if (job == "operators") return execute_backend(Confined::code, memory_of(argv[2]));
    return serve(argc, argv, jobs);
}
