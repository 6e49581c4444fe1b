// The border of the C interface: exceptions become a status and a text.
#pragma once

#include <new>
#include <string>

#include "libcore/backend/backend.h"
#include "libcore/base/error.h"

namespace quern {

// Runs `body`; what it throws is kept in `error` as one line.
template <class Body>
quern_status guarded(std::string& error, const Body& body) noexcept {
    try {
        body();
        return QUERN_OK;
    } catch (const Error& failure) {
        error = failure.message();
        return static_cast<quern_status>(failure.exit());
    } catch (const std::bad_alloc&) {
        error = "out of memory";
        return QUERN_IO;
    } catch (const std::exception& failure) {
        error = failure.what();
        return QUERN_INTERNAL;
    }
}

}  // namespace quern
