// The panels of an open model with the controller that answers them, driven without a window.
#pragma once

#include <chrono>
#include <cmath>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "app/shell/analysis_controller.h"
#include "app/shell/checkpoint_controller.h"
#include "app/shell/data_set_controller.h"
#include "app/shell/model_controller.h"
#include "app/shell/model_session.h"
#include "app/shell/training_controller.h"
#include "app/ui/model/checkpoint_bar.h"
#include "app/ui/model/intervention_dialog.h"
#include "app/ui/model/model_pages.h"
#include "app/ui/model/model_panel.h"
#include "app/ui/model/overwrite_dialog.h"
#include "app/ui/model/set_table.h"
#include "app/ui/model/train_dialog.h"
#include "engine/interpretation/open_model.h"
#include "tests/support/model_files.h"
#include "tests/support/places.h"
#include "tests/ui/support/panel_fixture.h"

namespace headlight_test {

inline std::string folder_of(const std::string& family) {
  return source_root() + "/tests/golden/models/" + family;
}

// The model panel beside the model's pages, its data set above them, and the slider over checkpoints below.
struct ModelBench {
  headlight::ModelPanelState panel;
  headlight::ModelPagesState pages;
  headlight::OverwriteDialogState overwrite;
  headlight::InterventionDialogState intervention;
  headlight::CheckpointBarState bar;
  headlight::SetTableState set_table;
  std::optional<headlight::ModelController> room;
  std::optional<headlight::DataSetController> sets;
  std::optional<headlight::AnalysisController> questions;
  std::optional<headlight::CheckpointController> checkpoints;
  std::optional<headlight::TrainingController> training;
  headlight::TrainDialogState train;
  std::optional<headlight::ActionRequest> saved;  // the newest answer that was to be saved
  PanelFixture fixture;

  // `family`: that of a golden model, or the absolute path of a model's folder.
  explicit ModelBench(const std::string& family, ImVec2 size = {1280, 800})
      : fixture(
            headlight::model_session(std::filesystem::path(folder_of("")) / family),
            [this](headlight::UiContext& ui) { draw(ui); }, size) {
    settle();
  }
  explicit ModelBench(const ModelCopy& copy)
      : fixture(headlight::model_session(copy.path()), [this](headlight::UiContext& ui) { draw(ui); }) {
    settle();
  }

  void draw(headlight::UiContext& ui) {
    if (!room) {
      room.emplace([] {});
      sets.emplace([] {});
      questions.emplace([] {});
      checkpoints.emplace([] {});
      training.emplace([] {});
      ui.view.focus_view = headlight::FocusView::Model;
    }
    take_actions();
    training->follow(ui.view.model.training);
    const auto run = [&](const headlight::Command& command) {
      run_command(command, fixture.document(), ui.view.model);
    };
    if (const auto command = checkpoints->follow(fixture.document(), ui.view, room->idle())) run(*command);
    for (const headlight::Command& command : room->follow(fixture.document(), ui.view))
      run(command);
    sets->follow(ui.view);
    questions->follow(ui.view, ui.shown_head());
    ImVec2 all = ImGui::GetContentRegionAvail();
    ImVec2 at = ImGui::GetCursorScreenPos();
    if (!ui.view.model.work) return;
    if (const float above = headlight::set_table_height(ui); above > 0) {
      headlight::set_table(ui, set_table, {at, {all.x, above}});
      at.y += above;
      all.y -= above;
      ImGui::SetCursorScreenPos(at);
    }
    if (const float low = headlight::checkpoint_bar_height(ui, all.y); low > 0) {
      all.y -= low;
      headlight::checkpoint_bar(ui, bar, {{at.x, at.y + all.y}, {all.x, low}});
      ImGui::SetCursorScreenPos(at);
    }
    ImGui::BeginChild("panel", {all.x * 0.3f, all.y});
    headlight::model_panel(ui, panel, all.y);
    ImGui::EndChild();
    headlight::model_pages(ui, pages, {{at.x + all.x * 0.32f, at.y}, {all.x * 0.66f, all.y}});
    headlight::overwrite_dialog(ui, overwrite);
    headlight::intervention_dialog(ui, intervention);
    headlight::train_dialog(ui, train);
  }
  // Draws frames until all requests are answered and the results are drawn.
  void settle() {
    constexpr int kFrames = 6;
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    for (int quiet = 0; quiet < kFrames && std::chrono::steady_clock::now() < until;) {
      robot().frames(1);
      quiet = room && room->idle() && sets->idle() && questions->idle() && checkpoints->idle() &&
                      training->idle() && model().adding == 0
                  ? quiet + 1
                  : 0;
      if (quiet == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }
  void click(const std::string& name) {
    robot().click(name);
    settle();
  }
  void take_actions() {
    for (const headlight::ActionRequest& request : fixture.actions()) {
      if (request.action == headlight::Action::SaveResult) saved = request;
      room->run(request, fixture.document(), fixture.view());
    }
    fixture.clear();
  }
  void send(headlight::OpenModelEdit edit) {
    run_command(headlight::EditOpenModel{std::move(edit), "Edit"}, fixture.document(), model());
  }
  void edit(headlight::OpenModelEdit edit) {
    send(std::move(edit));
    settle();
  }
  // Sets the text to its ids after `change`.
  void edit_ids(const std::function<void(std::vector<std::int32_t>&)>& change) {
    std::vector<std::int32_t> ids = open().ids;
    change(ids);
    edit(headlight::SetModelIds{std::move(ids)});
  }
  PanelRobot& robot() { return fixture.robot(); }
  headlight::ModelView& model() { return fixture.view().model; }
  const headlight::OpenModel& open() { return *fixture.document().session().work; }
  // The predictions of a separate pass in the current state.
  std::vector<headlight::Prediction> expected() {
    headlight::NetworkPass pass(open().network);
    headlight::take_state(pass, headlight::state_of(open()));
    return headlight::likeliest(pass.logits(model().shown_position(), 1).row(0), 10);
  }
  bool tells_expected() {
    const std::vector<headlight::Prediction> all = expected();
    if (!model().fresh || model().answer->predictions.size() != all.size()) return false;
    for (std::size_t i = 0; i < all.size(); ++i)
      if (model().answer->predictions[i].id != all[i].id ||
          std::abs(model().answer->predictions[i].logit - all[i].logit) > 1e-3f)
        return false;
    return true;
  }
};

}  // namespace headlight_test
