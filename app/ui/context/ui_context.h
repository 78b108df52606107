// The context of every panel: the read-only state, the view state, and the requests for changes.
#pragma once

#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/document/document.h"
#include "app/figure/paint/file_format.h"
#include "app/platform/texture_store.h"
#include "app/settings/preferences.h"
#include "app/ui/context/action_info.h"
#include "app/ui/context/probe.h"
#include "app/ui/context/redraw_timer.h"
#include "app/ui/context/theme.h"
#include "app/ui/context/view_state.h"
#include "engine/core/counting.h"
#include "engine/worker/worker.h"

namespace headlight {

// What a panel requests of the program beyond a change of the model.
enum class Action {
  Undo,
  Redo,
  New,
  Open,
  OpenArrays,
  OpenModel,
  ChooseImage,  // asks for the file
  OpenImage,
  ChooseDataSet,  // asks for the file
  OpenDataSet,    // beside the open model
  ChooseTrainingText,
  OpenPath,
  OpenLesson,
  Save,
  SaveAs,
  SaveAnswers,
  ExportStage,
  SavePicture,    // of the stage, with the options that were used last
  SavePage,       // the session as a page for a browser
  SaveAnimation,  // of the cell whose computation is played, or from the kept state to the present one
  SaveBundle,     // the session with what it needs on another machine
  AddToReport,    // the picture of the stage, or `result`
  ShowReport,
  SaveSentence,       // of the start screen, as a figure
  SaveWindowPicture,  // the pixels of the large picture: a view that has no figure
  CopyPyTorch,
  CopyNumPy,
  CopyCommand,  // that saves the numbers of the stage
  CopyPicture,
  CopyNumbers,
  CopyHeads,
  SaveHeads,
  ShowStart,
  OpenSentence,
  ShowRecovered,
  Recover,
  ViewRecovered,
  Quit,
  ContinueText,
  StopContinuing,
  ComputePatches,
  StopPatches,
  SaveResult,
};
struct ActionRequest {
  Action action;
  // OpenPath, OpenImage, OpenDataSet, OpenLesson; Recover and ViewRecovered: the recovery file.
  std::filesystem::path path = {};
  Stage stage = Stage::Weights;                         // ExportStage and all Copy actions
  FileFormat format = FileFormat::Tsv;                  // CopyNumbers, CopyHeads, SaveHeads, SaveResult
  Index tokens = 0;                                     // ContinueText: how many are added
  std::shared_ptr<const AnalysisRun> result = nullptr;  // SaveResult, AddToReport
};

struct UiContext {
  const Document& document;
  // The newest view result, without parts that belong to an earlier model (result_since); null before the
  // first.
  const ViewResult* answer = nullptr;
  const Theme& theme;
  ViewState& view;
  Probe& probe;
  TextureStore& textures;
  std::vector<Command>& commands;  // run in order after the frame
  std::vector<ActionRequest>& actions;
  ViewRequest& requested;  // collected in each frame
  Preferences& preferences;
  RedrawTimer& redraw_timer;
  const ActionInfo& (*find_action)(std::string_view id);  // precondition: the action exists
  std::optional<double> progress = {};                    // 0 to 1, of engine work that takes long

  void send(Command command) const { commands.push_back(std::move(command)); }
  // Requests another frame within so many seconds, for animations and delays.
  void wake_within(double seconds) const { redraw_timer.within(seconds); }
  std::string action_tip(std::string_view id) const { return headlight::action_tip(find_action(id)); }
  void act(Action action) const { actions.push_back({action, {}, Stage::Weights}); }
  void continue_text(Index tokens) const {
    actions.push_back({Action::ContinueText, {}, Stage::Weights, FileFormat::Tsv, tokens});
  }
  const Layer& layer() const { return document.layer(); }
  // The head of a view that shows one head: the chosen head, else the one drawn large, else the head of the
  // selected cell.
  Index shown_head() const {
    const Index heads = layer().head_count();
    if (view.head && *view.head < heads) return *view.head;
    const auto& cell = view.selection.cell;
    if (view.heads.one_large && (!cell || cell == view.heads.large_of))
      return std::min(view.heads.large, heads - 1);
    if (!cell || stage_info(cell->stage).heads == StageHeads::None) return 0;
    const bool of_keys = stage_info(cell->stage).heads == StageHeads::Keys;
    const Index head = of_keys ? cell->head * (heads / layer().kv_head_count()) : cell->head;
    return head < heads ? head : 0;
  }
  // Whether pictures of stages and grids of inputs show gradients: that takes a goal.
  bool shows_gradients() const {
    return view.learning.gradients && document.session().goal && !view.model.work;
  }
  // Identifies the open session and its layer: numbers of another layer are not an earlier state of this one.
  std::uint64_t opened_layer() const {
    constexpr int kLayers = 20;  // bits for the layer
    const auto& work = view.model.work;
    const std::size_t layer =
        work ? static_cast<std::size_t>(row_of(work->network->config(), work->layer)) : view.layers.at;
    return (document.opening() << kLayers) + layer;
  }
  // Whether shares of attention are shown as per cent: as the reader chose, else with a whole model. A layer
  // alone shows decimals, as notebooks and the texts of the course print them.
  bool percent() const {
    return preferences.shares ? *preferences.shares == ShareForm::PerCent : view.model.work != nullptr;
  }
  // The numbering of the open lesson's text if it has one, else the user's preference.
  Counting counting() const {
    const auto& lesson = document.session().lesson;
    return {lesson_counts() ? *lesson->count_from : preferences.count_from};
  }
  bool lesson_counts() const {
    const auto& lesson = document.session().lesson;
    return lesson && lesson->count_from;
  }
};

}  // namespace headlight
