#include "tools/foreign/conformance_job.h"

#include "libcore/conformance/answer.h"

namespace quern {

void check_backend(ChildWork& work) {
    conformance::answer_request(work.word(0), {[&](const std::string& place) { work.stage(place); },
                                               [&](const std::string& text) { work.report(child::Report::told, 0, text); }});
}

}  // namespace quern
