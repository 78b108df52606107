#include "app/ui/questions/save_choice.h"

#include <array>
#include <vector>

#include "app/ui/widgets/widgets.h"

namespace headlight {

void save_choice(UiContext& ui, const std::string& name, float width,
                 const std::function<std::shared_ptr<const QuestionResult>()>& answer) {
  constexpr std::array kSaved = {FileFormat::Png, FileFormat::Svg,  FileFormat::Pdf,
                                 FileFormat::Csv, FileFormat::Json, FileFormat::Npz};
  std::vector<Choice> formats = {{"save", "Save…", "Choose a format"}};
  for (const FileFormat format : kSaved)
    formats.push_back({std::string(file_format_info(format).id), std::string(file_format_info(format).name),
                       std::string(file_format_info(format).what)});
  const auto chosen = choice_box(ui, name, formats, 0, width,
                                 "Save what is shown: PNG, SVG or PDF as a figure, the others as numbers");
  if (!chosen || *chosen == 0) return;
  ActionRequest request{Action::SaveFinding};
  request.format = kSaved[*chosen - 1];
  request.finding = answer();
  ui.actions.push_back(std::move(request));
}

}  // namespace headlight
