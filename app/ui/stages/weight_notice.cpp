#include "app/ui/stages/weight_notice.h"

#include <string>

#include "app/ui/widgets/area.h"
#include "app/ui/widgets/widgets.h"
#include "engine/model/weight_report.h"

namespace headlight {

float weight_notice(UiContext& ui, Stage stage, ImVec2 at, float width) {
  if (stage != Stage::Weights || !ui.answer || !ui.answer->weight_report) return 0;
  if (ui.model().given_weights.empty()) return 0;  // the result belongs to the previous model
  const std::string text = report_text(*ui.answer->weight_report, ui.model(), ui.counting());
  if (text.empty()) return 0;
  ImFont* font = ui.theme.fonts.label;
  const float height = font_size(font) + ui.theme.px(6);
  ImGui::SetCursorScreenPos(at);
  ImGui::Dummy({width, height});
  ui.probe.mark("focus.notice", text);
  tooltip(ui, text);
  fitted_text(font, at, width, ui.theme.text, text);
  return height;
}

}  // namespace headlight
