// The options that a command line has, and what the files that it names are.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace quern {

// Which options a command line has, by their long names, those that every tool has apart.
class GivenOptions {
   public:
    void add(std::string name) { names_.push_back(std::move(name)); }
    bool has(std::string_view name) const;
    // Throws Exit::usage if there is one of `names`, respectively another: "--temp WHY".
    void refuse(std::span<const std::string_view> names, std::string_view why) const;
    void refuse_others(std::span<const std::string_view> names, std::string_view why) const;

   private:
    std::vector<std::string> names_;
};

// What a file that the command line names is to the tool. No two outputs, and no output and input, may be one file; what is made of the
// model may take its place.
enum class FileRole { model, input, output, product };

}  // namespace quern
