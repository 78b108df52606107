// A model with changes: those of saved sessions, of lists in JSON, or both.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/interpretation/open_model.h"
#include "engine/network/network_pass.h"

namespace headlight {

inline constexpr const char* kChangesHelp =
    "changes of the model: a session (.headlight) that has them, or a JSON file with a list of them";

// A model and the pass over it, brought from one text and its changes to the next.
class ChangedPass {
 public:
  explicit ChangedPass(std::shared_ptr<const Network> network);

  // Sets the changes, each source after the one before it, and the text. A source is the name of a file, a
  // session or a list in JSON, or the list itself: "[{...}]". Where a session has the adapter of the
  // network's folder off, the folder is opened again without; where its model is not there, the network's
  // folder is tried in its place. types: as for NetworkPass::set_ids. Throws
  // Error: as load_session; for a change that the list has wrong; if a session has no model, or one of
  // another kind; and if a change does not fit the text. The pass then takes another text all the same.
  void take(const std::vector<std::string>& sources, const std::vector<std::int32_t>& ids,
            const std::vector<std::int32_t>& types = {});

  // Takes the model as its folder has it, with the adapter that is there; without changes.
  void take_as_stored();

  NetworkPass& pass() { return *pass_; }
  const Network& network() const { return *network_; }
  const std::shared_ptr<const Network>& network_owner() const { return network_; }
  const std::vector<std::string>& changes() const { return changes_; }  // in words

 private:
  void take_adapter(AdapterUse use);

  std::shared_ptr<const Network> network_;
  std::optional<NetworkPass> pass_;  // always there
  std::vector<std::string> changes_;
};

}  // namespace headlight
