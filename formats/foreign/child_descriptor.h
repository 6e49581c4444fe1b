// A descriptor that a child process is given.
#pragma once

namespace quern {

class ChildDescriptor {
   public:
    // Takes `fd`, and moves it above those that a child finds open: they are put there one after the other.
    explicit ChildDescriptor(int fd);
    ~ChildDescriptor() { close(); }
    ChildDescriptor(const ChildDescriptor&) = delete;
    ChildDescriptor& operator=(const ChildDescriptor&) = delete;
    int get() const { return fd_; }
    void close();

   private:
    int fd_;
};

}  // namespace quern
