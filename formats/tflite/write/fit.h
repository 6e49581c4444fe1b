// What is written is what runs: operators are brought to what the format's runtime computes from them, whatever way the model came.
//   biases    of 16-bit data are 64-bit, unless the file says otherwise (quantized_bias_type)
//   slopes    of PRELU are codes beside codes
//   zeros     constants of nothing but zeros take the scale of the operand beside them
//   scales    which the format ties to each other, or fixes: a QUANTIZE goes in between
//   kernels   where there is none for the codes: DEQUANTIZE, the operator on real numbers, QUANTIZE
// Circle is read by other runtimes than onert, too: codes of ONE's types (uint8 with weights of uint8, int16), which are made for its NPUs,
// are written as they are, and what onert has no kernel for is said (fit_circle.cpp).
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "formats/tflite/file/file.h"
#include "libcore/graph/encoding.h"

namespace quern::support {
struct Runtime;
}

namespace quern::tflite_format {

struct FitOptions {
    const support::Runtime* runtime = nullptr;  // whose kernels count
    std::string_view called;                    // what messages call it
    bool others = false;                        // the format has other runtimes, which nothing is known of
    bool narrow_biases = false;                 // int32 biases of 16-bit data are meant: the model came from such a file
    bool keep = false;                          // with `others`: the codes are those of another file of the kind, and stay
    bool silent = false;                        // of what has no kernel
    bool strict = false;                        // an operator for whose codes there is no kernel is an error
};

// Throws Exit::unsupported naming the operator for which there is no kernel on real numbers either, or with `strict` all for which there is
// none for what was asked.
void fit(File& file, const FitOptions& options);

// The places of operators that are not written as they came, or do not run as they are written.
struct Fitted {
    std::vector<std::string> on_reals;      // they got real numbers
    std::vector<std::string> elsewhere;     // another runtime has the kernel
    std::vector<std::string> missing;       // there is no kernel
    std::vector<std::string> without_zero;  // the runtime rounds their data without the zero point that the file asks for
    std::vector<std::string> of_blocks;     // products with blocks of weights: the runtime rounds their data, too
};

// One subgraph that is fitted, operator by operator.
class Fitter {
   public:
    Fitter(Subgraph& graph, const FitOptions& options, Fitted& said) : graph_(graph), options_(options), said_(said) {}
    void run();
    void copy_outputs();  // fit_circle.cpp

   private:
    FileTensor& tensor(int64_t index) { return graph_.tensors[static_cast<size_t>(index)]; }
    bool has(const FileOperator& op, size_t i) const { return i < op.in.size() && op.in[i] >= 0; }
    bool on_codes(int64_t index) const;
    int64_t add(FileTensor tensor);
    int64_t add_constant(const FileTensor& like, const Tensor& contents, const std::optional<Encoding>& encoding);
    // A tensor for what is computed, like another one.
    int64_t temp(int64_t like, std::string_view what);
    void put(FileOperator op);
    void put(Code code, int64_t from, int64_t to);
    void put(Code code, Ints in, int64_t out, Attrs options);

    void fit(FileOperator op);
    // fit_circle.cpp
    void fit_for_others(FileOperator op);
    bool as_asked(const FileOperator& op) const;
    bool put_by_uint8(const FileOperator& op);
    bool fit_blocks(FileOperator& op);
    bool reads_blocks(const FileOperator& op) const;
    void put_bare_product(FileOperator op);
    // fit_constants.cpp
    void fit_bias(FileOperator& op);
    void fit_slopes(FileOperator& op);
    void fit_zeros(FileOperator& op);
    void fit_powers(FileOperator& op);
    // fit_scales.cpp
    bool fit_scales(FileOperator& op);  // false: the operator was written
    void tie_operands(FileOperator& op, size_t first);
    void write_to(FileOperator op, const Quantization& grid);
    // fit_kernels.cpp
    std::string missing_kernel(const FileOperator& op) { return missing_kernel(op, *options_.runtime); }
    std::string missing_kernel(const FileOperator& op, const support::Runtime& runtime);
    std::string missing_on_reals(const FileOperator& op, const support::Runtime& runtime);
    bool runs_elsewhere(const FileOperator& op);
    std::string far_scales(const FileOperator& op);
    void on_real_numbers(FileOperator op, const std::string& why);
    void name_after(int64_t made, int64_t out, const Ints& operands);
    int64_t real(int64_t index);
    Bytes real_data(const FileTensor& from);

    Subgraph& graph_;
    const FitOptions& options_;
    Fitted& said_;
    std::vector<FileOperator> made_;
    std::set<std::string> names_;         // of tensors
    std::map<int64_t, int64_t> reals_;    // of tensors of codes
    std::map<int64_t, int64_t> widened_;  // of biases
};

// Has it kernels for codes as arithmetic, not as a change of what they stand for?
bool takes_codes(const FileOperator& op);
bool same_grid(const Quantization& a, const Quantization& b);

}  // namespace quern::tflite_format
