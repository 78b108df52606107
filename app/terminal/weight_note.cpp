#include "app/terminal/weight_note.h"

#include "engine/layer/weight_report.h"

namespace headlight {

void note_weights(const Layer& layer, const std::filesystem::path& file, std::ostream& err) {
  const std::string text = report_text(report_weights(layer.given_weights), layer, {});
  if (!text.empty()) err << "headlight: " << file.string() << ": " << text << '\n';
}

}  // namespace headlight
