// A bounded cache of what a kernel makes for the shape or layout of its input: most models see one, text models a few.
#pragma once

#include <list>
#include <memory>
#include <mutex>
#include <utility>

#include "libcore/graph/type.h"

namespace quern {

template <class T, class Key = Dims>
class Prepared {
   public:
    // The entry of `key`, made by `make()` if it is not there. Entries stay alive while someone holds them.
    template <class Make>
    std::shared_ptr<const T> get(const Key& key, const Make& make) {
        const std::scoped_lock lock(mutex_);
        for (auto it = entries_.begin(); it != entries_.end(); ++it)
            if (it->first == key) {
                entries_.splice(entries_.begin(), entries_, it);
                return entries_.front().second;
            }
        entries_.emplace_front(key, std::make_shared<const T>(make()));
        if (entries_.size() > limit) entries_.pop_back();
        return entries_.front().second;
    }

   private:
    static constexpr size_t limit = 8;
    mutable std::mutex mutex_;
    std::list<std::pair<Key, std::shared_ptr<const T>>> entries_;
};

}  // namespace quern
