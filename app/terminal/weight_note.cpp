#include "app/terminal/weight_note.h"

#include "engine/model/weight_report.h"

namespace headlight {

void note_weights(const Model& model, const std::filesystem::path& file, std::ostream& err) {
  const std::string text = report_text(report_weights(model.given_weights), model, {});
  if (!text.empty()) err << "headlight: " << file.string() << ": " << text << '\n';
}

}  // namespace headlight
