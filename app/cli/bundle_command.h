// The command `headlight bundle`.
#pragma once

#include <filesystem>
#include <ostream>

#include "engine/session/session.h"

namespace headlight {

struct BundleOptions {
  std::filesystem::path session, output;  // .headlight
  std::filesystem::path model;  // of the session, in place of the one that it names; empty: that one
  WithModel with_model = WithModel::Small;
  bool force = false;  // replace the file if it exists
};

// Saves the session with all of its numbers, its report and, of a small model, the files of the model as one
// archive that opens on another machine. Writes to `out` that it is saved, and to `err` whether the model is
// in it. Throws Error as load_session() and save_bundle(), if the output has another ending or is the session
// itself, and if it exists and `force` is not set.
void bundle_session(const BundleOptions& options, std::ostream& out, std::ostream& err);

// What is in a bundle of the session, for people: "with its model gpt2 (12 MB)", "without ...".
std::string bundle_in_words(const Session& session, bool with_model);

}  // namespace headlight
