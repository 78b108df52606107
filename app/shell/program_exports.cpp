// Exports: files and the clipboard.
#include <utility>

#include <imgui.h>

#include "app/export/head_numbers.h"
#include "app/shell/program.h"
#include "app/ui/context/shown_layer.h"
#include "app/ui/main_window/action_table.h"
#include "engine/core/error.h"
#include "engine/core/file.h"

namespace headlight {
namespace {

constexpr double kMostLinesPreviewed = 80e6;

// A flow has a line for each weight: too many to paint while the user waits.
bool too_large(const FigureChoice& choice, const Model& model) {
  if (choice.kind != FigureKind::Flow) return false;
  const auto tokens = static_cast<double>(model.token_count());
  const Index heads = stage_heads(model, choice.part.stage);
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

UiContext Program::context(const ViewResult* answer, ViewRequest& requested) {
  return {document_, answer,   theme_,    view_,        probe_,        window_.textures(),
          commands_, actions_, requested, preferences_, redraw_timer_, action_info};
}

void Program::ask_export(Stage stage) {
  ViewRequest none;
  dialogs_.ask_export(context(nullptr, none), stage);
}

ExportSource Program::export_source() {
  ViewRequest none;
  const std::string title = with_layer(document_.session().title, shown_layer(context(nullptr, none)));
  const bool as_before = export_source_.session && export_source_.revision == document_.revision() &&
                         export_source_.kept.model == view_.kept.model &&
                         export_source_.session->title == title;
  if (as_before) return export_source_;
  Session session = document_.session();
  session.title = title;
  export_source_ = {std::make_shared<const Session>(std::move(session)), document_.revision(), view_.kept};
  export_source_.kept.title = with_layer(view_.kept.title, view_.kept.layer);
  return export_source_;
}

void Program::copy_stage(const ActionRequest& request) {
  ViewRequest none;
  const UiContext ui = context(nullptr, none);
  const StyleKind style = theme_.kind == ThemeKind::Dark ? StyleKind::Dark : StyleKind::Light;
  const bool picture = request.action == Action::CopyPicture;
  FigureChoice choice = choice_on_screen(ui, request.stage);
  if (!picture) choice = {FigureKind::Heads, choice_for(choice.part, request.stage), std::nullopt};
  const FigureOptions options = figure_options(export_settings(preferences_.exports, style), ui, choice);
  start_export({picture ? FileFormat::Png : request.format, {{choice, options, {}}}});
}

std::string Program::head_bytes_shown(FileFormat format) {
  const auto told = result_since(answer_shown_, document_.model_revision(), view_.kept.model);
  std::vector<HeadMeasures> measures;
  for (Index head = 0; head < document_.model().head_count(); ++head) {
    const MeasuresRequest request{view_.sequence, head, view_.head_picture};
    const auto own = told ? told->find(request) : nullptr;
    if (!own || !told->all_measured() || told->revision != document_.revision())
      throw Error("not every head is measured yet", "table of heads", "wait a moment");
    measures.push_back(*own);
  }
  ViewRequest none;
  const std::string title = with_layer(document_.session().title, shown_layer(context(nullptr, none)));
  return head_bytes(ordered_table(title, view_.sequence, view_.head_picture, measures,
                                  {view_.head_sorting.by, view_.head_sorting.ascending}),
                    format);
}

void Program::pass_on_heads(const ActionRequest& request) {
  head_bytes_ = head_bytes_shown(request.format);
  if (request.action == Action::SaveHeads) {
    ViewRequest none;
    return dialogs_.ask_save_heads(context(nullptr, none), request.format);
  }
  ImGui::SetClipboardText(head_bytes_.c_str());
  say("Copied the table of heads");
}

void Program::save_heads(const std::filesystem::path& path) {
  write_file_atomically(path, std::exchange(head_bytes_, {}));
  say("Saved as " + path.string());
}

void Program::start_export(ExportRequest request) {
  if (exports_.progress().running) return complain("Wait until what is being saved is saved");
  exports_.start(std::move(request), export_source());
  redraw();
}

void Program::show_export() {
  ExportDialogState& dialog = dialogs_.exporting();
  if (!dialog.open) return;
  const bool shown = !too_large(dialog.wanted.choice, document_.model());
  dialog.preview = shown ? exports_.newest_preview() : no_preview();
  dialog.updating = exports_.previewing();
  dialog.progress = exports_.progress();
}

void Program::follow_export() {
  ExportDialogState& dialog = dialogs_.exporting();
  if (std::exchange(dialog.stop_asked, false)) exports_.stop();
  const bool previewed = dialog.wanted.width_px > 0 && !too_large(dialog.wanted.choice, document_.model());
  if (dialog.open && previewed) exports_.preview(dialog.wanted, export_source());
  if (dialog.open) return;
  exports_.end_previews();
  dialog.preview.reset();
  dialog.drawn.reset();
  if (!exports_.running()) export_source_ = {};
}

bool Program::exports_shown() const {
  const auto& drawn = dialogs_.exporting().preview;
  return !exports_.running() && (drawn == no_preview() || drawn == exports_.newest_preview());
}

void Program::take_export_outcome() {
  auto outcome = exports_.take_outcome();
  if (!outcome) return;
  ExportDialogState& dialog = dialogs_.exporting();
  bool failed = outcome->kind == ExportOutcome::Kind::Failed;
  if (!outcome->clipboard_text.empty()) ImGui::SetClipboardText(outcome->clipboard_text.c_str());
  try {
    if (!outcome->picture.empty()) picture_clipboard_.offer(std::move(outcome->picture));
  } catch (const Error& error) {
    outcome->text = error.what();
    failed = true;
  }
  export_ended(dialog, failed, outcome->kind == ExportOutcome::Kind::Saved, outcome->text);
  redraw();
  if (dialog.open) return;  // the dialog shows the outcome
  failed ? complain(outcome->text) : say(outcome->text);
}

}  // namespace headlight
