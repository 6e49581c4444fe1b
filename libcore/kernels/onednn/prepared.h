// Primitives by input shape or layout.
#pragma once

#include "libcore/kernels/onednn/dnnl_value.h"
#include "libcore/kernels/prepared.h"
#include "libcore/kernels/refusal.h"

namespace quern::onednn {

// What oneDNN throws while one is made becomes a refusal.
template <class T, class Key = Dims>
class Prepared {
   public:
    template <class Make>
    std::shared_ptr<const T> get(const Key& key, const Make& make) {
        return entries_.get(key, [&] {
            try {
                return make();
            } catch (const dnnl::error& error) {
                throw KernelRefusal(Exit::unsupported, fmt::format("oneDNN: {}", error.what()));
            }
        });
    }

   private:
    quern::Prepared<T, Key> entries_;
};

template <class Primitive>
struct Ready {
    Primitive primitive;
    dnnl::memory::desc scratchpad;
};

template <class Primitive>
Ready<Primitive> ready(const typename Primitive::primitive_desc& desc) {
    return {Primitive(desc), desc.scratchpad_desc()};
}

}  // namespace quern::onednn
