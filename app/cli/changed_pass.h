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
// session: whose changes apply; empty: none. Where it has the adapter of the network's folder off, the folder
// is opened again without. Where the session's model is not there, the network's folder is tried in its
// place. Throws Error: as load_session; if the session has no model, or one of another kind.
ChangedPass changed_pass(std::shared_ptr<const Network> network, const std::filesystem::path& session);

}  // namespace headlight
