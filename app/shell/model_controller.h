// Updates the window's view of the open model from the document, and requests the results that its edits and
// the shown page need from the model's worker thread.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "app/document/document.h"
#include "app/ui/context/ui_context.h"
#include "engine/core/newest_job.h"
#include "engine/core/torch_stream.h"

namespace headlight {

// What a file that is dropped onto the window is for: pictures are images of an open model of images, and a
// .tsv file is the data set of a model of texts.
Action dropped_action(const std::filesystem::path& file, const ViewState& view);

// Runs the command. Why an edit of the open model does not fit is told beside its text, in view.trouble, and
// ends the continuation of the text; throws as Document::run otherwise.
void run_command(const Command& command, Document& document, ModelView& view);

class ModelController {
 public:
  // `wake` is called on other threads when follow() has something to do; it must only wake the window.
  explicit ModelController(const std::function<void()>& wake)
      : worker_(wake),
        baseline_worker_(wake),
        keeping_(wake),
        patching_(wake),
        estimating_(wake),
        reading_(wake) {}

  // Call once before each frame. Stores new results in `view` and requests what is missing. Returns what
  // follows for the document, to be run at once: the computed layer, a continued text, a read image.
  std::vector<Command> follow(const Document& document, ViewState& view);
  // Carries out OpenImage, ContinueText, StopContinuing, ComputePatches or StopPatches; does nothing for
  // other actions.
  void run(const ActionRequest& request, const Document& document, ViewState& view);
  // Whether all requests are answered.
  bool idle() const {
    return !worker_.running() && !baseline_worker_.running() && !keeping_.running() && !patching_.running() &&
           !estimating_.running() && !reading_.running();
  }

 private:
  // Adds so many tokens to the text, one after the other, as one step.
  void continue_text(Index tokens, ViewState& view);
  // Reads an image for the open model.
  void read_image_file(const std::filesystem::path& path, const Document& document);
  void take_image(ModelView& view, std::vector<Command>& commands);
  // Computes the map of all patches of A's chosen stage into the open text.
  void compute_patches(const Document& document, const ViewState& view);
  void begin(const Document& document);
  bool take_result(const Document& document, ModelView& view, std::vector<Command>& commands);
  void ask(const Document& document, ViewState& view);
  void add_token(const Document& document, ModelView& view, std::vector<Command>& commands);
  void follow_baseline(ViewState& view);
  // Computes the layer of a text that a panel asks for as A.
  void follow_keeping(ViewState& view);
  void follow_patches(ViewState& view);
  // Requests the estimate that the page *Patches* shows.
  void follow_estimate(ViewState& view);
  static void follow_layers(const OpenModel& work, LayersView& layers, std::vector<Command>& commands);

  std::uint64_t opening_ = 0;  // of the document, at the last look
  std::optional<std::pair<ModelState, ModelRequest>> asked_;
  std::optional<std::pair<std::shared_ptr<const OpenModel>, ModelRequest>> baseline_asked_;
  std::optional<TorchStream> stream_;  // that tokens are drawn from
  // The gesture of tokens added in one run: one undo step. Differs from every gesture of the panels.
  std::uint64_t run_ = std::uint64_t{1} << 50;
  std::shared_ptr<const OpenModel> keeping_asked_;  // whose layer `keeping_` computes
  ModelWorker worker_, baseline_worker_, keeping_;
  struct ReadImage {
    std::shared_ptr<const OpenImage> image;  // null: it failed
    std::string failure;
  };
  NewestJob<std::shared_ptr<const PatchMapResult>> patching_;
  NewestJob<std::shared_ptr<const PatchEstimateResult>> estimating_;
  NewestJob<ReadImage> reading_;
  std::optional<PatchEstimateResult> estimate_asked_;  // without an answer
  std::shared_ptr<std::atomic<double>> patch_progress_ = std::make_shared<std::atomic<double>>(0);
};

}  // namespace headlight
