// Blobs of the back end opencl on any bytes: refused, or a net, which is refused by a reason or becomes kernels and constants for devices
// of different abilities.
#include <cstdio>
#include <cstdlib>

#include "libcore/opencl/blob.h"
#include "libcore/opencl/lowering.h"

namespace {

constexpr size_t largest_constant = size_t{1} << 24;

void make_constants(const quern::opencl::Program& program) {
    for (const quern::opencl::Buffer& buffer : program.buffers)
        if (buffer.make && buffer.bytes <= largest_constant && buffer.make().size() > buffer.bytes) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    using namespace quern::opencl;
    try {
        const Net net = net_of_blob({reinterpret_cast<const std::byte*>(data), size});
        for (const bool able : {false, true}) make_constants(lower(net, {able, able, able}));
        const std::vector<std::byte> again = blob_of(net);
        net_of_blob(again);
    } catch (const Failure& failure) {
        if (failure.status() == QUERN_INTERNAL) std::abort();
    }
    return 0;
}
