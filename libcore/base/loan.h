// A free list that threads borrow from: the item goes back when the loan ends, also by an exception. There must be as many items as
// borrowers at a time.
#pragma once

#include <mutex>
#include <vector>

namespace quern {

template <class T>
class FreeList {
   public:
    class Loan {
       public:
        explicit Loan(FreeList& list) : list_(list), item_(list.take()) {}
        ~Loan() { list_.put(item_); }
        Loan(const Loan&) = delete;
        Loan& operator=(const Loan&) = delete;
        T* operator->() const { return item_; }

       private:
        FreeList& list_;
        T* item_;
    };
    void put(T* item) {
        const std::scoped_lock lock(mutex_);
        items_.push_back(item);
    }

   private:
    T* take() {
        const std::scoped_lock lock(mutex_);
        T* item = items_.back();
        items_.pop_back();
        return item;
    }
    std::mutex mutex_;
    std::vector<T*> items_;
};

}  // namespace quern
