#include "app/cli/changed_pass.h"

#include "engine/core/error.h"
#include "engine/interpretation/open_model.h"
#include "engine/session/session.h"

namespace headlight {
namespace {

// Where the session's model is not there, it is that of the command.
Session changed_session(const Network& network, const std::filesystem::path& session) {
  try {
    return load_session(session);
  } catch (const ModelNotFound&) {
    return load_session(session, nullptr, network.checkpoint().folder());
  }
}

}  // namespace

ChangedPass changed_pass(std::shared_ptr<const Network> network, const std::filesystem::path& session) {
  if (session.empty()) return {NetworkPass(std::move(network)), {}};
  const Session changed = changed_session(*network, session);
  if (!changed.work)
    throw Error("the session has no model's folder, and so no changes of one", session.string(),
                "save it while the model is open");
  if (!same_architecture(*network, *changed.work->network))
    throw Error("the session's model is of another kind than the folder's", session.string(),
                "give the session of this model, or of another checkpoint of it");
  const AdapterUse use = changed.work->network->adapter().value_or(AdapterUse::Added);
  if (network->adapter() && network->adapter() != use)
    network = open_text_model(network->checkpoint().folder(), use);
  ModelState state = state_of(*changed.work);
  state.network = network;
  NetworkPass pass(std::move(network));
  take_state(pass, state);
  return {std::move(pass), changes_in_words(*changed.work)};
}

}  // namespace headlight
