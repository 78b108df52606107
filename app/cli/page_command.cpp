#include "app/cli/page_command.h"

#include "app/export/exported_files.h"
#include "app/page/page.h"
#include "engine/core/ascii.h"
#include "engine/core/error.h"
#include "engine/core/file.h"

namespace headlight {

void save_page(const PageOptions& options, std::ostream& out, std::ostream& err) {
  const std::string ending = lowered(options.output.extension().string());
  if (ending != ".html" && ending != ".htm")
    throw Error("a page is saved as .html", options.output.string(), "give a name with this ending");
  require_free(options.output, options.force);
  const Session session = load_source(options.source, err);
  const Evaluator evaluator = evaluate(session.layer);
  const Page page = page_of(session, {evaluator, session.title}, options.still);
  write_file_atomically(options.output, page.html);
  out << options.output.string() << " saved";
  if (!page.still.empty() && !options.still) out << ", standing still: " << page.still;
  out << '\n';
}

}  // namespace headlight
