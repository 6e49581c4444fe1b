#include "libcore/codegen/c/check.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <cstring>

#include "libcore/codegen/c/source.h"
#include "libcore/exec/session.h"

namespace quern::cgen {
namespace {

constexpr uint32_t factor = 1664525, summand = 1013904223;  // Numerical Recipes

// The random numbers of the C, too.
class Random {
   public:
    uint32_t next() {
        state_ = state_ * factor + summand;
        return state_ >> 16;
    }

   private:
    uint32_t state_ = 1;
};

// An input, and the C expression of each element.
struct Made {
    Stored stored;
    std::string element;
};

Made random_codes(Random& random, const Dims& dims, const Encoding& encoding) {
    const int64_t low = encoding.qmin, count = encoding.qmax - low + 1;
    std::vector<int64_t> items(static_cast<size_t>(count_of(dims)));
    for (int64_t& item : items) item = low + random.next() % count;
    return {{from_ints(encoding.storage, dims, items), encoding},
            fmt::format("({})({} + (int32_t)(random_bits() % {}U))", c_type(encoding.storage), low, count)};
}

// Of -1 to 1 in steps of 1/128; 0 or 1 where the C has no floats of this type, and of whole numbers.
Made random_numbers(Random& random, const Dims& dims, DType type) {
    const bool fine = is_float(type) && !is_short_float(type);
    std::vector<float> items(static_cast<size_t>(count_of(dims)));
    for (float& item : items) {
        const auto number = static_cast<int32_t>(random.next());
        item = fine ? static_cast<float>(number % 256 - 128) / 128 : static_cast<float>(number % 2);
    }
    if (fine) return {{from_floats(type, dims, items), {}}, fmt::format("({})((int32_t)(random_bits() % 256U) - 128) / 128", c_type(type))};
    const uint32_t one = type == DType::f16 ? 0x3c00 : type == DType::bf16 ? 0x3f80 : 1;
    const std::vector<int64_t> whole(items.begin(), items.end());
    return {{is_float(type) ? from_floats(type, dims, items) : from_ints(type, dims, whole), {}},
            fmt::format("({})(random_bits() % 2U * {}U)", c_type(type), one)};
}

Made random_input(Random& random, const CompiledGraph& program, ValueId id) {
    const Value& value = program.graph().value(id);
    const Dims dims = value.type.shape.concrete().value();
    return program.encoded(id) ? random_codes(random, dims, *value.enc) : random_numbers(random, dims, value.type.dtype);
}

// Each element goes into the sum; of integers its lower 32 bits.
uint32_t sum_of_integers(const Tensor& tensor) {
    uint32_t sum = 2166136261U;  // FNV-1a
    for (const int64_t item : to_ints(tensor)) sum = (sum ^ static_cast<uint32_t>(item)) * 16777619U;
    return sum;
}

std::string integers_checked(size_t output, const Tensor& tensor) {
    return fmt::format(
        "    for (sum = 2166136261U, i = 0; i < {1}; ++i) sum = (sum ^ (uint32_t)out_{0}[i]) * 16777619U;\n"
        "    wrong += sum != {2}U;\n",
        output, tensor.count(), sum_of_integers(tensor));
}

// A thousandth of what was added up: float models compute with the functions of a math library.
std::string floats_checked(size_t output, const Tensor& tensor) {
    double real = 0, size = 0;
    const std::vector<double> items = to_doubles(tensor);
    for (size_t i = 0; i < items.size(); ++i) {
        if (!std::isfinite(items[i])) continue;
        real += items[i] * static_cast<double>(1 + i % 7);
        size += std::abs(items[i]) * static_cast<double>(1 + i % 7);
    }
    const double apart = size / 1000 + 1e-6;
    return fmt::format(
        "    for (real = 0, i = 0; i < {1}; ++i)\n"
        "        if (out_{0}[i] - out_{0}[i] == 0) real += (double)out_{0}[i] * (double)(1 + i % 7);\n"
        "    wrong += !(real >= {2} && real <= {3});\n",
        output, tensor.count(), c_double(real - apart), c_double(real + apart));
}

// As they are held: float16 and bfloat16 as their bits.
std::string output_checked(size_t output, const Tensor& tensor) {
    if (is_short_float(tensor.dtype)) return integers_checked(output, Tensor{DType::u16, tensor.dims, tensor.data});
    return is_float(tensor.dtype) ? floats_checked(output, tensor) : integers_checked(output, tensor);
}

std::string array(std::string_view what, size_t index, DType type, const Dims& dims) {
    return fmt::format("static {} {}_{}[{}];\n", c_type(type), what, index, std::max<int64_t>(count_of(dims), 1));
}

std::string header_text(const std::string& name) {
    return fmt::format(
        "/* Made by quern: a run of {0} on made-up inputs, whose outputs are known. */\n"
        "#ifndef QUERN_CHECK_{0}\n#define QUERN_CHECK_{0}\n\n#ifdef __cplusplus\nextern \"C\" {{\n#endif\n\n"
        "/* How many outputs are wrong: integers must be the same, sums of floats within a thousandth. */\nint {0}_check(void);\n\n"
        "#ifdef __cplusplus\n}}\n#endif\n\n#endif\n",
        name);
}

}  // namespace

CheckTexts check_texts(const std::shared_ptr<const CompiledGraph>& program, const std::string& name) {
    Random random;
    std::vector<Stored> inputs;
    std::vector<std::string> arguments;
    std::string arrays, filled, checked;
    for (const ValueId id : program->graph().inputs) {
        const size_t i = inputs.size();
        Made made = random_input(random, *program, id);
        const Tensor& tensor = made.stored.tensor;
        arrays += array("in", i, tensor.dtype, tensor.dims);
        if (tensor.count() > 0) filled += fmt::format("    for (i = 0; i < {1}; ++i) in_{0}[i] = {2};\n", i, tensor.count(), made.element);
        arguments.push_back(fmt::format("in_{}", i));
        inputs.push_back(std::move(made.stored));
    }
    ThreadPool pool(default_threads());
    const std::vector<Stored> outputs = Session(program, pool).run_stored(inputs);
    for (size_t i = 0; i < outputs.size(); ++i) {
        const Tensor& tensor = outputs[i].tensor;
        arrays += array("out", i, tensor.dtype, tensor.dims);
        if (tensor.count() > 0) checked += output_checked(i, tensor);
        arguments.push_back(fmt::format("out_{}", i));
    }
    const bool integers = checked.find("sum ^") != checked.npos, reals = checked.find("real +=") != checked.npos;
    std::string text =
        fmt::format("/* Made by quern: see {0}_check.h. */\n#include \"{0}_check.h\"\n\n#include \"{0}.h\"\n\n{1}\n", name, arrays);
    if (!filled.empty())
        text += fmt::format(
            "static uint32_t state;\n\nstatic uint32_t random_bits(void) {{\n    state = state * {}U + {}U;\n    return state >> "
            "16;\n}}\n\n",
            factor, summand);
    text += fmt::format("int {}_check(void) {{\n{}{}{}    int wrong = 0;\n", name, (filled + checked).empty() ? "" : "    size_t i;\n",
                        integers ? "    uint32_t sum;\n" : "", reals ? "    double real;\n" : "");
    if (!filled.empty()) text += "    state = 1;\n";
    text += fmt::format("{}    {}_run({});\n{}    return wrong;\n}}\n", filled, name, fmt::join(arguments, ", "), checked);
    return {text, header_text(name)};
}

}  // namespace quern::cgen
