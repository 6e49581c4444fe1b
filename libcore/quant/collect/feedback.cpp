#include "libcore/quant/collect/feedback.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "libcore/base/error.h"
#include "libcore/base/json.h"

namespace quern {
namespace {

std::string hex_of(const Bytes& bytes) {
    std::string out;
    out.reserve(2 * bytes.size());
    for (size_t i = 0; i < bytes.size(); ++i) fmt::format_to(std::back_inserter(out), "{:02x}", static_cast<unsigned>(bytes.data()[i]));
    return out;
}

int digit(char c) { return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1; }

}  // namespace

void Feedback::enter(std::vector<Tensor>& inputs) const {
    for (size_t i = 0; i < loops.size(); ++i) inputs.at(loops[i].first) = state[i];
}

void Feedback::leave(const std::vector<Tensor>& outputs) {
    for (size_t i = 0; i < loops.size(); ++i) state[i] = outputs.at(loops[i].second);
}

std::string Feedback::json() const {
    std::string out = "[";
    for (const Tensor& tensor : state)
        out += fmt::format("{}{{\"bytes\":\"{}\",\"dims\":[{}],\"dtype\":\"{}\"}}", out.size() > 1 ? "," : "", hex_of(tensor.data),
                           fmt::join(tensor.dims, ","), name_of(tensor.dtype));
    return out + "]";
}

void Feedback::read(const JsonView& json) {
    if (json.size() != state.size()) json.fail(fmt::format("has {} items, need {}", json.size(), state.size()));
    for (size_t i = 0; i < state.size(); ++i) {
        const JsonView item = json.at(i);
        if (item["dtype"].text() != name_of(state[i].dtype)) item["dtype"].fail(fmt::format("need {}", name_of(state[i].dtype)));
        Dims dims;
        for (const uint64_t dim : item["dims"].naturals()) dims.push_back(static_cast<int64_t>(dim));
        const std::string& hex = item["bytes"].text();
        std::vector<std::byte> bytes(hex.size() / 2);
        for (size_t b = 0; b < bytes.size(); ++b) {
            const int high = digit(hex[2 * b]), low = digit(hex[2 * b + 1]);
            if (high < 0 || low < 0) item["bytes"].fail("is not in hexadecimal digits");
            bytes[b] = static_cast<std::byte>(16 * high + low);
        }
        if (hex.size() % 2 != 0 || bytes.size() != storage_size(state[i].dtype, static_cast<uint64_t>(count_of(dims))))
            item["bytes"].fail(fmt::format("has {} digits, which do not fit {}", hex.size(), to_string(dims)));
        state[i] = {state[i].dtype, std::move(dims), Bytes::own(std::move(bytes))};
    }
}

}  // namespace quern
