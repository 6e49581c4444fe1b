// What the name of an output leads to, and how a finished file gets that name.
#pragma once

#include <sys/stat.h>

#include <optional>
#include <string>
#include <string_view>

#include "libcore/os/leftovers.h"

namespace quern {

struct OutputTarget {
    enum class Kind {
        stream,  // an open descriptor of this process: "-", /dev/stdout, /dev/fd/N, links to them
        device,  // what is not a file: a pipe, a terminal, /dev/null
        file,
    };
    Kind kind = Kind::file;
    int stream = -1;
    std::string path;                       // of a file: the one behind symbolic links
    std::string shown;                      // for messages
    std::optional<struct stat> existing{};  // a file that is there

    std::string folder() const;
    bool terminal() const;
};

// Throws Exit::io if `path` cannot be an output: a folder, a file that may not be written, links in a circle.
OutputTarget output_target(const std::string& path);

// Throws Exit::usage if `product`, which `option` names, is the file `model`: "-" and what is not there yet are none.
void keep_model(const std::string& product, const std::string& model, std::string_view option);

// Which file an output or input is, however it is named: device and inode; of an output that is not there yet, its canonical path. Empty:
// no file that could be lost (a pipe, a terminal, what cannot be opened), though outputs to one descriptor have one key.
std::string output_key(const std::string& path);
std::string input_key(const std::string& path);

// A file under construction in the folder of a target: without a name where the file system has such files, else under a short-lived one.
// It has the mode that the process gives new files, or the owner and mode of the file that it will replace.
class StagedFile {
   public:
    explicit StagedFile(const OutputTarget& target);
    ~StagedFile();
    StagedFile(const StagedFile&) = delete;
    StagedFile& operator=(const StagedFile&) = delete;
    int fd() const { return fd_; }
    // Under the target's name. `executable`: a new file may be run by whoever may read it.
    void publish(bool executable);

   private:
    void open_named(unsigned mode);
    void called(const std::string& name);
    void set_mode(bool executable) const;
    bool link_to(const std::string& path) const;
    void name_it(bool executable);

    const OutputTarget& target_;
    int fd_ = -1;
    std::string temporary_;  // empty: it has no name
    std::optional<Leftover> leftover_;
};

}  // namespace quern
