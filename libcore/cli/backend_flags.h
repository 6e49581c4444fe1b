// --in-process and --backend-timeout: where and how long outside back ends run, for every tool that runs them.
#pragma once

#include <cstdint>
#include <optional>

namespace quern {

class Options;

class BackendFlags {
   public:
    void add(Options& options);
    // Sets it for this process. Throws Exit::usage where the two exclude each other.
    void apply() const;

   private:
    bool in_process_ = false;
    std::optional<int64_t> timeout_;
};

}  // namespace quern
