// The whole model that is open: keeps the window's view of it in step with the document, and what the panels
// ask for on its way through the model's own thread.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "app/document/document.h"
#include "app/ui/context/ui_context.h"
#include "engine/core/newest_job.h"
#include "engine/random/torch_stream.h"

namespace headlight {

class ModelController {
 public:
  // `wake`: called beside the window when there is something to follow; it must only wake it.
  explicit ModelController(const std::function<void()>& wake)
      : worker_(wake), baseline_worker_(wake), patching_(wake) {}

  // Once before each frame: takes what is known by now into `view`, and asks for what the panels requested.
  // Returns what has become of the document, to be carried out at once: a change of text, layer or model that
  // was asked for and is known now.
  std::optional<SetOpenModel> follow(Document& document, ViewState& view);
  // A command of the document that a whole model takes otherwise: tokens that come, go, move or are renamed
  // are a change of its text. Returns whether it was one.
  bool takes(const Command& command, ViewState& view) const;
  // Everything that was asked for is answered.
  bool idle() const { return !worker_.running() && !baseline_worker_.running() && !patching_.running(); }

 private:
  struct KnownBase {
    std::shared_ptr<const OpenModel> of;
    LayerBase base;
  };
  void begin(const Document& document);
  const LayerBase* base_of(const std::shared_ptr<const OpenModel>& work) const;
  void remember_base(std::shared_ptr<const OpenModel> work, LayerBase base);
  void follow_document(Document& document, ModelView& view);
  void apply_edits(ModelView& view);
  std::optional<SetOpenModel> take_answer(const Document& document, ModelView& view);
  void ask(const Document& document, ViewState& view);
  void add_token(ModelView& view);
  void follow_baseline(ViewState& view);
  void follow_patches(ViewState& view);
  void follow_layers(ViewState& view);

  std::uint64_t opening_ = 0, revision_ = 0;  // of the document, as it was last looked at
  std::shared_ptr<const OpenModel> current_;  // what is open with what was edited of its layer
  std::shared_ptr<const OpenModel> wanted_;   // and with the edits that are on their way
  std::vector<ModelChange> edits_;            // those
  std::vector<KnownBase> bases_;              // of the states that were open last
  std::optional<std::pair<ModelState, ModelQuestion>> asked_;
  std::optional<std::pair<std::shared_ptr<const OpenModel>, ModelQuestion>> baseline_asked_;
  std::optional<TorchStream> stream_;  // that tokens are drawn from
  // The gesture of the tokens that are added one after the other: one undo step. Never one of the panels'.
  std::uint64_t run_ = std::uint64_t{1} << 50;
  ModelWorker worker_, baseline_worker_;
  NewestJob<std::shared_ptr<const PatchMapAnswer>> patching_;
  std::shared_ptr<std::atomic<double>> patch_progress_ = std::make_shared<std::atomic<double>>(0);
};

}  // namespace headlight
