// Whether code of others may be loaded at all: back ends, codegen plugins, operator packages, model libraries. It may, unless the
// environment says QUERN_LIBRARIES=off or a tool was given --no-libraries.
#pragma once

namespace quern {

// For the whole process, for good.
void forbid_foreign_code();

bool foreign_code_allowed();

// Before any of it is loaded, by this process or by one that it starts. Throws Exit::unsupported if it is forbidden.
void need_foreign_code();

}  // namespace quern
