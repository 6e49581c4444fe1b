// Results half way between two codes, of both signs: an int part drawn anew with scales that make them, few large codes and small numbers.
#include <algorithm>
#include <array>

#include "libcore/conformance/checks.h"
#include "libcore/conformance/part_check.h"

namespace quern::conformance {
namespace {

// How a step of the results stands to one of the sums before them.
struct Scales {
    float data, weight, result;
};
// Of powers of two every fourth sum is a tie, by any arithmetic. The product of the next two is rounded to float32: four of that are a tie
// in float32, and beside one where scales are multiplied in float64. With a weight scale of 0.2 every tenth sum is a tie once its product
// is rounded to float32.
constexpr std::array<Scales, 3> scales{Scales{0.0625f, 0.5f, 0.125f}, Scales{0.1f, 0.3f, 4 * (0.1f * 0.3f)}, Scales{0.0625f, 0.2f, 0.125f}};

bool has_integer_codes(const Encoding& e) { return e.is_fixed() && !e.block && !e.format && !e.min.defined() && is_integer(e.storage); }

void set_scale(Encoding& e, float scale) {
    e.scale = from_floats(DType::f32, e.scale.dims, std::vector<float>(static_cast<size_t>(e.scale.count()), scale));
}

// Codes up to `max` steps from the zero point, within the limits.
Tensor near_zero(random_graphs::Draw& draw, const Dims& dims, const Encoding& e, int64_t max) {
    std::vector<int64_t> items(static_cast<size_t>(count_of(dims)));
    for (int64_t& item : items) item = std::clamp(e.zero_at() + draw.number(-max, max), e.qmin, e.qmax);
    return from_ints(e.storage, dims, items);
}

class Ties {
   public:
    Ties(const Part& part, const Scales& scales) : draw_(1), scales_(scales), out_(part) {}

    // Nothing: it has no codes that such scales go with.
    std::optional<Part> make() {
        Graph& graph = out_.graph;
        for (size_t i = 0; i < graph.value_count(); ++i) {
            const auto id = static_cast<ValueId>(i);
            Value& value = graph.value(id);
            if (value.erased || !value.enc) continue;
            if (!has_integer_codes(*value.enc)) return std::nullopt;
            value.constant() ? set_constant(value) : set_scale(*value.enc, is_output(id) ? scales_.result : scales_.data);
        }
        for (const int64_t max : {int64_t{3}, int64_t{40}}) add_sample(max);
        out_.samples.erase(out_.samples.begin());
        return std::move(out_);
    }

   private:
    bool is_output(ValueId id) const { return std::ranges::find(out_.graph.outputs, id) != out_.graph.outputs.end(); }

    void set_constant(Value& value) {
        const bool bias = bits_of(value.enc->storage) > 16;
        set_scale(*value.enc, bias ? scales_.data * scales_.weight : scales_.weight);
        value.data = near_zero(draw_, stored_dims(value), *value.enc, bias ? 8 : 2).data;
    }

    void add_sample(int64_t max) {
        Inputs inputs = out_.samples[0];
        for (size_t i = 0; i < inputs.size(); ++i) {
            const auto& e = out_.graph.value(out_.graph.inputs[i]).enc;
            if (!e) continue;
            inputs[i].encoding = *e;
            inputs[i].tensor = near_zero(draw_, inputs[i].tensor.dims, *e, max);
        }
        out_.samples.push_back(std::move(inputs));
    }

    random_graphs::Draw draw_;
    const Scales& scales_;
    Part out_;
};

bool takes_all(const Context& context, const Part& part) {
    return std::ranges::all_of(taken_nodes(context, part.graph, part.options), [](bool taken) { return taken; });
}

bool check_ties(const Context& context, Part& part) {
    bool any = false;
    for (const Scales& some : scales) {
        const std::optional<Part> ties = Ties(part, some).make();
        if (!ties || !takes_all(context, *ties)) continue;
        check_part(context, *ties);
        any = true;
    }
    return any;
}

}  // namespace

std::vector<Step> rounding_steps(const Context& context) {
    return steps_of_subjects(context, check_ties, [](const CaseId& id) { return id.codes; });
}

}  // namespace quern::conformance
