#include "app/cli/page_command.h"

#include <memory>
#include <utility>

#include "app/export/exported_files.h"
#include "app/page/model_page.h"
#include "engine/core/ascii.h"
#include "engine/core/error.h"
#include "engine/core/file.h"
#include "engine/interpretation/first_text.h"
#include "engine/session/model_folder_field.h"

namespace headlight {
namespace {

// The model with the text; its last layer is shown, whose heads are next to what it predicts.
Session whole_model(const Source& source) {
  require_no_array_options(source);
  OpenModel work;
  work.network = open_text_model(source.path);
  if (source.text.words)
    set_text(work, *source.text.words);
  else if (!source.text.ids.empty())
    set_ids(work, source.text.ids);
  else
    set_first_text(work);
  work.layer = work.network->config().layers - 1;
  Session session;
  session.title = work.network->name();
  session.layer = shown_layer(work);
  session.work = std::make_shared<const OpenModel>(std::move(work));
  return session;
}

}  // namespace

void save_page(const PageOptions& options, std::ostream& out, std::ostream& err) {
  const std::string ending = lowered(options.output.extension().string());
  if (ending != ".html" && ending != ".htm")
    throw Error("a page is saved as .html", options.output.string(), "give a name with this ending");
  require_free(options.output, options.force);
  const bool whole = is_model_folder(options.source.path) && !options.source.layer;
  const Session session = whole ? whole_model(options.source) : load_source(options.source, err);
  const Evaluator evaluator = evaluate(session.layer);
  const ComputedSession computed(evaluator, session.title);
  const Page page =
      session.work ? model_page(session, computed, options.still) : page_of(session, computed, options.still);
  write_file_atomically(options.output, page.html);
  out << options.output.string() << " saved";
  if (!page.still.empty() && !options.still) out << ", standing still: " << page.still;
  out << '\n';
  if (whole) report_omitted(*session.work->network, err);
}

}  // namespace headlight
