#include "app/shell/export_controller.h"

#include <utility>

#include "app/export/head_numbers.h"
#include "app/ui/context/shown_layer.h"
#include "engine/core/error.h"

namespace headlight {
namespace {

constexpr double kMostLinesPreviewed = 80e6;

// A flow has a line for each weight: too many to paint while the user waits.
bool too_large(const FigureChoice& choice, const Layer& layer) {
  if (!figure_kind_info(choice.kind).lines) return false;
  const auto tokens = static_cast<double>(layer.token_count());
  const Index heads = stage_heads(layer, choice.part.stage);
  const double shown = static_cast<double>(choice.part.heads ? choice.part.heads->size() : heads);
  return shown * tokens * tokens > kMostLinesPreviewed;
}

const std::shared_ptr<const FigurePreview>& no_preview() {
  static const auto kNone = [] {
    FigurePreview none;
    none.note = "This flow is large: it is painted for the file, but not for a preview";
    return std::make_shared<const FigurePreview>(std::move(none));
  }();
  return kNone;
}

}  // namespace

ExportController::ExportController(std::function<void()> wake, ExportJobs::SendRead send)
    : jobs_(std::move(wake), std::move(send)) {}

ExportSource ExportController::source(const UiContext& ui) {
  const Baseline& baseline = ui.view.baseline;
  const std::string title = with_layer(ui.document.session().title, shown_layer(ui));
  const bool as_before = source_.session && source_.revision == ui.document.revision() &&
                         source_.baseline.layer == baseline.layer && source_.session->title == title;
  if (as_before) return source_;
  Session session = ui.document.session();
  session.title = title;
  source_ = {std::make_shared<const Session>(std::move(session)), ui.document.revision(), baseline};
  source_.baseline.title = with_layer(baseline.title, baseline.layer_name);
  return source_;
}

void ExportController::start(ExportRequest request, const UiContext& ui) {
  if (jobs_.progress().running)
    throw Error("another export is running", "export",
                "wait until it has ended, or stop it in its dialog (Ctrl+E)");
  jobs_.start(std::move(request), source(ui));
}

void ExportController::copy_stage(const ActionRequest& request, const UiContext& ui) {
  const bool picture = request.action == Action::CopyPicture;
  FigureChoice choice = choice_on_screen(ui, request.stage);
  if (!picture) {
    choice = {FigureKind::Heads, choice_for(choice.part, request.stage), std::nullopt};
    if (request.stage != Stage::Weights) choice.part.by_value = false;
  }
  const FigureOptions options = figure_options(last_export_settings(ui), ui, choice);
  start({picture ? FileFormat::Png : request.format, {{choice, options, {}}}}, ui);
}

void ExportController::draw_stage(Stage stage, const UiContext& ui) {
  constexpr double kDpi = 192;
  const FigureChoice choice = choice_on_screen(ui, stage);
  FigureOptions options = figure_options(last_export_settings(ui), ui, choice);
  options.dpi = kDpi;
  start({FileFormat::Png, {{choice, options, {}}}}, ui);
  drawing_ = true;
}

void ExportController::show(ExportDialogState& dialog, const UiContext& ui) {
  if (!dialog.open) return;
  dialog.preview = too_large(dialog.wanted.choice, ui.layer()) ? no_preview() : jobs_.newest_preview();
  dialog.updating = jobs_.previewing();
  dialog.progress = jobs_.progress();
}

void ExportController::follow(ExportDialogState& dialog, const UiContext& ui) {
  if (std::exchange(dialog.stop_asked, false)) jobs_.stop();
  const bool previewed = dialog.wanted.width_px > 0 && !too_large(dialog.wanted.choice, ui.layer());
  if (dialog.open && previewed) jobs_.preview(dialog.wanted, source(ui));
  if (dialog.open) return;
  jobs_.end_previews();
  dialog.preview.reset();
  dialog.drawn.reset();
  if (!jobs_.running()) source_ = {};
}

bool ExportController::settled(const ExportDialogState& dialog) const {
  return !jobs_.running() && (dialog.preview == no_preview() || dialog.preview == jobs_.newest_preview());
}

std::optional<ExportController::Message> ExportController::take_outcome(ExportDialogState& dialog) {
  auto outcome = jobs_.take_outcome();
  if (!outcome) return std::nullopt;
  bool failed = outcome->kind == ExportOutcome::Kind::Failed;
  if (std::exchange(drawing_, false) && !failed) return Message{outcome->text, false, {}, outcome->picture};
  try {
    if (!outcome->picture.empty()) picture_clipboard_.offer(std::move(outcome->picture));
  } catch (const Error& error) {
    outcome->text = error.what();
    failed = true;
  }
  export_ended(dialog, failed, outcome->kind == ExportOutcome::Kind::Saved, outcome->text);
  return Message{outcome->text, failed, outcome->clipboard_text, {}};
}

std::string shown_head_bytes(const UiContext& ui, FileFormat format) {
  const ViewState& view = ui.view;
  std::vector<HeadMeasures> measures;
  for (Index head = 0; head < ui.layer().head_count(); ++head) {
    const MeasuresRequest request{view.sequence, head, view.heads.picture};
    const auto own = ui.answer ? ui.answer->find(request) : nullptr;
    if (!own || !ui.answer->all_measured() || ui.answer->revision != ui.document.revision())
      throw Error("not every head is measured yet", "table of heads", "wait a moment");
    measures.push_back(*own);
  }
  const std::string title = with_layer(ui.document.session().title, shown_layer(ui));
  return head_bytes(ordered_table(title, view.sequence, view.heads.picture, measures,
                                  {view.heads.sorting.by, view.heads.sorting.ascending}),
                    format);
}

}  // namespace headlight
