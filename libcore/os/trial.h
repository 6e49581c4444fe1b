// A trial: while it lives, what this thread writes to names and streams is counted and goes nowhere.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace quern {

class Trial {
   public:
    Trial();  // one at a time
    ~Trial();
    Trial(const Trial&) = delete;
    Trial& operator=(const Trial&) = delete;

    struct Output {
        std::string path;
        uint64_t bytes = 0;
    };
    const std::vector<Output>& outputs() const { return outputs_; }  // in the order in which they were opened
    // Of this thread; nullptr: what is written is written.
    static Trial* current();
    // What an output that is shown as `path` does with its bytes.
    std::function<void(const void* data, size_t size)> counter(const std::string& path);

   private:
    std::vector<Output> outputs_;
};

}  // namespace quern
