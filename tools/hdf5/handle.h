// Objects of libhdf5, closed when they go, and its errors as ours.
#pragma once

#define H5_USE_110_API  // NOLINT: the functions of 1.10 also where a later release is
#include <hdf5.h>

#include <string>
#include <utility>

#include "libcore/base/error.h"

namespace quern::hdf5 {

// The innermost reason of the last failure, in libhdf5's words.
std::string last_failure();

class Handle {
   public:
    // Throws Exit::bad_input if `id` is none: "WHAT: ...".
    Handle(hid_t id, herr_t (*close)(hid_t), const std::string& what) : id_(id), close_(close) {
        if (id < 0) throw bad_input("{}: {}", what, last_failure());
    }
    Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
    Handle& operator=(Handle&&) = delete;
    ~Handle() {
        if (id_ >= 0) close_(id_);
    }
    operator hid_t() const { return id_; }  // NOLINT: as libhdf5's functions take it

   private:
    hid_t id_;
    herr_t (*close_)(hid_t);
};

// Throws Exit::bad_input if a function of libhdf5 failed.
void check(herr_t state, const std::string& what);

}  // namespace quern::hdf5
