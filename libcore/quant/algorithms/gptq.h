// GPTQ: Frantar et al. 2022, "GPTQ: Accurate Post-Training Quantization for Generative Pre-trained Transformers".
//
// Weights of an output are rounded one after the other, those whose inputs are greatest first; what is not rounded yet makes up for the
// error, by the inverse of the Hessian H = X^T X of the inputs. `damping` times the mean of H's diagonal is added to it. The order of the
// weights does not depend on the output, scales stay as they are.
#pragma once

#include <memory>
#include <vector>

#include "libcore/quant/algorithms/refine.h"

namespace quern {

class InverseHessian {
   public:
    // Of the rows that are no judges. Takes 16 * depth^2 bytes.
    InverseHessian(const float* x, size_t rows, size_t depth, double damping, ThreadPool& pool);

    size_t depth() const { return order_.size(); }
    const std::vector<size_t>& order() const { return order_; }  // columns as they are rounded
    // Row i of U, upper triangular, with U^T U the inverse of H in that order.
    const double* row(size_t i) const { return u_.data() + i * depth(); }

   private:
    void add_products(const float* x, size_t rows, ThreadPool& pool);
    void factor(ThreadPool& pool);
    void invert(ThreadPool& pool);

    std::vector<size_t> order_;
    std::vector<double> u_;
};

// Codes for one output.
std::vector<float> gptq(const Channel& channel, const InverseHessian& hessian);

}  // namespace quern
