#include "tools/onert_run/pairs.h"

#include <algorithm>

#include "libcore/base/error.h"
#include "libcore/base/json.h"
#include "libcore/base/text.h"

namespace quern::onert_run {
namespace {

template <class Take>
void each_pair(const std::string& option, const std::string& text, const Take& take) {
    if (text.empty() || are_of_file(text)) return;
    try {
        at_place(option, [&] {
            const Json document = parse_json(text);
            const JsonView pairs(document);
            if (pairs.size() % 2 != 0) pairs.fail("has no value for its last number");
            for (size_t i = 0; i < pairs.size(); i += 2) take(static_cast<size_t>(pairs.at(i).natural()), pairs.at(i + 1));
        });
    } catch (const Error& error) {
        throw usage_error("{}", error.message()).with_hint("as in '[0, [1, 20], 2, []]', or of sizes '[0, 40, 2, 80]'");
    }
}

}  // namespace

bool are_of_file(const std::string& text) { return text == "h5" || text == "H5"; }

std::map<size_t, Dims> shape_pairs(const std::string& option, const std::string& text) {
    std::map<size_t, Dims> shapes;
    each_pair(option, text, [&](size_t index, const JsonView& dims) {
        Dims& shape = shapes[index];
        for (const uint64_t dim : dims.naturals()) shape.push_back(static_cast<int64_t>(std::min<uint64_t>(dim, INT64_MAX)));
    });
    return shapes;
}

std::map<size_t, size_t> size_pairs(const std::string& option, const std::string& text) {
    std::map<size_t, size_t> sizes;
    each_pair(option, text, [&](size_t index, const JsonView& size) { sizes[index] = size.natural(); });
    return sizes;
}

}  // namespace quern::onert_run
