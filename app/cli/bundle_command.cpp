#include "app/cli/bundle_command.h"

#include <system_error>

#include "app/cli/source.h"
#include "app/export/exported_files.h"
#include "engine/core/digits.h"
#include "engine/core/error.h"
#include "engine/interpretation/open_model.h"

namespace headlight {

std::string bundle_in_words(const Session& session, bool with_model) {
  if (!session.work) return "the session has no model: all that it needs is in it";
  const std::string name = session.work->network->name(), size = bytes_text(model_bytes(session));
  if (with_model) return "the files of the model " + name + " (" + size + ") are in it";
  return "the model " + name + " (" + size +
         ") is not in it: it is named, with its size and the hash of its header, and has to be there on the "
         "other machine";
}

void bundle_session(const BundleOptions& options, std::ostream& out, std::ostream& err) {
  if (options.output.extension() != ".headlight")
    throw Error("a bundle is saved as .headlight", options.output.string(), "give a name with this ending");
  require_free(options.output, options.force);
  std::error_code missing;
  if (std::filesystem::equivalent(options.session, options.output, missing))
    throw Error("the bundle would replace the session that it is made of", options.output.string(),
                "give it another name");
  const Session session = load_session_with(options.session, options.model);
  const bool with_model = carries_model(session, options.with_model);
  save_bundle(session, options.output, {with_model, options.session});
  err << "headlight: " << bundle_in_words(session, with_model);
  if (session.work && !with_model && options.with_model == WithModel::Small)
    err << " (--with-model always puts it in)";
  err << '\n';
  out << options.output.string() << " saved\n";
}

}  // namespace headlight
