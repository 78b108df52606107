// A model with the changes of a saved session.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "engine/network/network_pass.h"

namespace headlight {

inline constexpr const char* kChangesHelp = "a session (.headlight) of the model whose changes apply";

struct ChangedPass {
  NetworkPass pass;                  // its text is that of the session, if there is one
  std::vector<std::string> changes;  // in words
};
// session: whose changes apply; empty: none. Throws Error: as open_text_model and load_session; if the
// session has no model, or one of another kind.
ChangedPass changed_pass(const std::filesystem::path& folder, const std::filesystem::path& session);

}  // namespace headlight
