// Two-dimensional depthwise convolution: a filter for each channel. Data have their channels last.
#pragma once

#include <string_view>

#include "libcore/kernels/conv_site.h"
#include "libcore/memory/memory.h"
#include "libcore/os/threads.h"

namespace quern::direct {

class DepthConv {
   public:
    // As DirectConv has them (direct_conv.h); `conv` has a filter for each channel.
    static std::string_view obstacle(const ConvSite& conv, const Shape& x);
    DepthConv(const ConvSite& conv, const SumAndClamp& tail, const ConvSite::Place& at) : at_(at), tail_(tail) {
        kernel_h_ = conv.filter.at(2);
        kernel_w_ = conv.filter.at(3);
    }

    bool reads_in_place() const { return false; }
    void run(const float* x, const float* filter, const float* bias, float* out, Memory& memory, ThreadPool& pool) const;

   private:
    struct Task;
    void run_line(const Task& task, int64_t line, int64_t block) const;

    const ConvSite::Place& at_;
    SumAndClamp tail_;
    int64_t kernel_h_, kernel_w_;
};

}  // namespace quern::direct
