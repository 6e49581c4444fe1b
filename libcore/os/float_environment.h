// The floating-point environment of what computes: the default one, whatever the host has set (rounding, denormals flushed to zero).
#pragma once

#include <cfenv>

namespace quern {

class FloatEnvironment {
   public:
    FloatEnvironment() {
        std::fegetenv(&held_);
        std::fesetenv(FE_DFL_ENV);
    }
    ~FloatEnvironment() { std::fesetenv(&held_); }
    FloatEnvironment(const FloatEnvironment&) = delete;
    FloatEnvironment& operator=(const FloatEnvironment&) = delete;

   private:
    std::fenv_t held_;
};

}  // namespace quern
