// The session interface (quern.h) as tools use it: like any other program, but what fails throws.
#pragma once

#include "include/quern/quern.h"

#include <memory>
#include <string>
#include <type_traits>
#include <vector>

#include "formats/tensors/fit.h"

namespace quern {

// Throws Exit::usage unless the suffix of `path` names a format that quantized models can be written in.
void check_quantized_path(const std::string& path);

class ApiSession {
   public:
    ApiSession();  // what the session says goes to notice()

    // Calls a function of quern.h with this session: session(quern_load_model_from_file, "net.circle"). Throws Error with its status.
    template <class... Args>
    void operator()(quern_status (*function)(quern_inference_session*, Args...), std::type_identity_t<Args>... args) const {
        check(function(held_.get(), args...));
    }

    quern_session_state state() const;
    std::vector<InputSpec> inputs() const;
    std::vector<InputSpec> outputs() const;
    // `tensor` must stay until the last run that uses it; numbers of the input's dtype, or its codes.
    void set_input(size_t index, const Tensor& tensor) const;
    // Of the last run, a copy.
    Tensor output(size_t index) const;
    std::string text(quern_status (*function)(quern_inference_session*, const char**)) const;

   private:
    static void check(quern_status status);
    struct Close {
        void operator()(quern_inference_session* session) const { quern_close_session(session); }
    };
    std::unique_ptr<quern_inference_session, Close> held_;
};

}  // namespace quern
