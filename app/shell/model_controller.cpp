#include "app/shell/model_controller.h"

#include <algorithm>

#include "engine/core/ascii.h"
#include "engine/core/error.h"
#include "engine/interpretation/patch_estimate.h"
#include "engine/interpretation/patch_map.h"

namespace headlight {
namespace {

constexpr Index kPredictions = 10;

std::shared_ptr<const ModelResult> shared(ModelResult answer) {
  return std::make_shared<const ModelResult>(std::move(answer));
}

// Keeps results other than the predictions until they are computed again, so that numbers move smoothly
// during a change. Results of another text or token would carry wrong names and are dropped.
void keep_last(const ModelResult& before, ModelResult& answer) {
  if (!same_architecture(*answer.state.network, *before.state.network) ||
      !same_input(answer.state, before.state))
    return;
  if (!answer.glance) answer.glance = before.glance;
  if (answer.losses.empty() && answer.state == before.state) answer.losses = before.losses;
  if (answer.request.position != before.request.position) return;
  if (answer.lens.empty()) answer.lens = before.lens;
  if (answer.parts) return;
  answer.parts = before.parts;
  answer.embeddings = before.embeddings;
  answer.sources = before.sources;
  answer.request.sources = before.request.sources;
}

// Whether the losses of all tokens cost no more than a moment: each is a product with the whole vocabulary.
bool has_cheap_losses(const OpenModel& work) {
  constexpr double kMostProducts = 2e9;
  const NetworkConfig& config = work.network->config();
  const bool predicts = work.network->predicts() && config.causal && work.ids.size() > 1;
  return predicts && static_cast<double>(work.ids.size()) * static_cast<double>(config.vocabulary) *
                             static_cast<double>(config.width) <=
                         kMostProducts;
}

// Whether the pictures of all heads cost no more than a moment beside a pass.
bool has_cheap_heads(const OpenModel& work) {
  constexpr double kMostWeights = 4e7;
  const NetworkConfig& config = work.network->config();
  const auto tokens = static_cast<double>(work.ids.size());
  return static_cast<double>(config.layers) * static_cast<double>(config.heads) * tokens * tokens <=
         kMostWeights;
}

// Adds the results that the shown page needs beside the predictions.
void add_page_needs(const ViewState& view, ModelRequest& request) {
  const ModelView& model = view.model;
  if (!view.shows_pages()) return;
  const bool predicts = model.work->network->predicts();
  const bool heads = model.page == ModelPage::Heads;
  request.lens = model.page == ModelPage::Layers && predicts;
  request.picture_side = heads ? model.glance_side : 0;
  const bool parts = model.page == ModelPage::Parts || (heads && model.map_colors == MapColors::Part);
  const bool sums = model.work->network->config().stream_is_sum();
  if (parts && predicts && sums && model.fresh) {
    request.parts = model.logit_choice();
    request.sources = model.part;
    request.embeddings = !heads && model.work->network->has_gradients();
  }
}

// Computes an answer, whose `of` and `from` are given, with a pass over each of the two texts. Null if it was
// stopped.
template <class Answer, class Compute>
std::shared_ptr<const Answer> answered(Answer answer, const Compute& compute) {
  try {
    NetworkPass pass(answer.of->network), source(answer.from->network);
    take_state(pass, state_of(*answer.of));
    take_state(source, state_of(*answer.from));
    compute(pass, source, answer);
  } catch (const Stopped&) {
    return nullptr;
  } catch (const Error& error) {
    answer.failure = error;
  } catch (const std::bad_alloc&) {
    answer.failure.emplace("there is not enough memory for it", "patches", "give shorter texts");
  }
  return std::make_shared<const Answer>(std::move(answer));
}

std::shared_ptr<const PatchMapResult> patched(PatchMapResult asked,
                                              const std::function<void(double)>& progress) {
  return answered(std::move(asked), [&](NetworkPass& pass, NetworkPass& source, PatchMapResult& answer) {
    answer.before =
        static_cast<double>(chosen_logit(pass.logits(answer.logit.position, 1).row(0), answer.logit));
    answer.map = patch_map(pass, source, answer.stage, answer.logit, [&](Index done, Index all) {
      progress(static_cast<double>(done) / static_cast<double>(std::max<Index>(1, all)));
    });
  });
}

std::shared_ptr<const PatchEstimateResult> estimated(PatchEstimateResult asked) {
  return answered(std::move(asked), [](NetworkPass& pass, NetworkPass& source, PatchEstimateResult& answer) {
    answer.estimate = estimate_patches(pass, source, answer.logit);
  });
}

}  // namespace

Action dropped_action(const std::filesystem::path& file, const ViewState& view) {
  const std::string ending = lowered(file.extension().string());
  const bool picture = ending == ".png" || ending == ".jpg" || ending == ".jpeg";
  const bool read = picture && view.model.work && view.model.work->image;
  if (ending == ".tsv" && view.model.work && !view.model.work->image) return Action::OpenDataSet;
  return read ? Action::OpenImage : Action::OpenPath;
}

void run_command(const Command& command, Document& document, ModelView& view) {
  if (!document.session().work || !edits_open_model(command)) return document.run(command);
  view.trouble.clear();
  try {
    document.run(command);
  } catch (const Error& error) {
    view.trouble = error.what();
    view.adding = 0;
  }
}

std::vector<Command> ModelController::follow(const Document& document, ViewState& view) {
  ModelView& model = view.model;
  const std::shared_ptr<const OpenModel>& work = document.session().work;
  std::vector<Command> commands;
  if (!work) {
    if (opening_ != 0) {
      begin(document);
      view.layers = {};
    }
    opening_ = 0;
    view.baseline_asked = {};
    model.work = nullptr;
    model.answer = model.baseline = nullptr;
    return commands;
  }
  if (document.opening() != opening_) {
    begin(document);
    view.baseline_asked = {};
    model.answer = model.baseline = nullptr;
    model.part.reset();  // the model may have no such head
  }
  // The next call goes on with the document as it is then.
  if (take_result(document, model, commands)) return commands;
  follow_layers(*work, view.layers, commands);
  add_token(document, model, commands);
  take_image(model, commands);
  model.work = work;
  ask(document, view);
  follow_keeping(view);
  follow_baseline(view);
  follow_patches(view);
  follow_estimate(view);
  model.progress = worker_.running() ? std::optional(worker_.progress()) : std::nullopt;
  return commands;
}

void ModelController::begin(const Document& document) {
  opening_ = document.opening();
  asked_.reset();
  baseline_asked_.reset();
  stream_.reset();
  // Results of a closed model are never taken, so running() would stay true.
  worker_.forget();
  baseline_worker_.forget();
  keeping_.forget();
  keeping_asked_ = nullptr;
  patching_.forget();
  estimating_.forget();
  reading_.forget();
  estimate_asked_.reset();
}

// Returns whether the document is to change.
bool ModelController::take_result(const Document& document, ModelView& view, std::vector<Command>& commands) {
  std::optional<ModelResult> answer = worker_.take();
  if (!answer) return false;
  const std::shared_ptr<const OpenModel>& work = document.session().work;
  if (answer->failure) {
    view.trouble = answer->failure->what();
    view.adding = 0;
    if (document.has_layer() || !document.can_undo()) return false;
    commands.emplace_back(GiveUpLayer{});
  } else {
    const bool of_work = is_state_of(answer->state, *work);
    // A result of another model has other token names.
    if (answer->state.network != work->network && !of_work) return false;
    if (view.answer) keep_last(*view.answer, *answer);
    view.answer = shared(std::move(*answer));
    const bool brings_layer = of_work && view.answer->layer && view.answer->request.layer == work->layer;
    if (document.has_layer() || !brings_layer) return false;
    commands.emplace_back(TakeLayer{work, view.answer->layer});
  }
  asked_.reset();  // the next edit may lead to the same state, which is then requested again
  return true;
}

void ModelController::ask(const Document& document, ViewState& view) {
  ModelView& model = view.model;
  const bool edited = !document.has_layer();
  const std::shared_ptr<const OpenModel>& work = document.session().work;
  ModelState state = state_of(*work);
  ModelRequest request;
  request.position = model.shown_position();
  request.top = kPredictions;
  if (edited) request.layer = work->layer;
  const bool known = model.answer && is_state_of(model.answer->state, *work);
  model.fresh = known && model.answer->request.position == request.position;
  // The page of a text that is still typed is requested with its predictions: it would be blank in between.
  if ((model.fresh && !edited) || has_cheap_heads(*work)) add_page_needs(view, request);
  // They are requested once for a state, and not again where another token's predictions are.
  const bool same_asked = asked_ && asked_->first == state && asked_->second.position == request.position;
  const bool have_losses = known && !model.answer->losses.empty();
  request.losses = has_cheap_losses(*work) && (!have_losses || (same_asked && asked_->second.losses));
  if (asked_ && asked_->second == request && asked_->first == state) return;
  // A page that needs less than the one before it does not repeat the request.
  const bool less = model.fresh && !edited && !request.lens && request.picture_side == 0 && !request.parts;
  if (less) return;
  worker_.ask(state, request);
  asked_.emplace(std::move(state), request);
}

void ModelController::run(const ActionRequest& request, const Document& document, ViewState& view) {
  if (request.action == Action::OpenImage) read_image_file(request.path, document);
  if (request.action == Action::ContinueText) continue_text(request.tokens, view);
  if (request.action == Action::StopContinuing) view.model.adding = 0;
  if (request.action == Action::ComputePatches) compute_patches(document, view);
  if (request.action == Action::StopPatches) patching_.forget();
}

void ModelController::read_image_file(const std::filesystem::path& path, const Document& document) {
  if (!document.session().work) return;
  reading_.start([path = std::filesystem::absolute(path), network = document.session().work->network] {
    try {
      return ReadImage{std::make_shared<const OpenImage>(read_image(path, *network)), ""};
    } catch (const Error& error) {
      return ReadImage{nullptr, error.what()};
    } catch (const std::bad_alloc&) {
      return ReadImage{nullptr, "there is not enough memory for this image"};
    }
  });
}

void ModelController::take_image(ModelView& view, std::vector<Command>& commands) {
  const std::optional<ReadImage> read = reading_.take();
  if (!read) return;
  view.trouble = read->failure;
  if (read->image) commands.emplace_back(EditOpenModel{SetModelImage{read->image}, "Image"});
}

void ModelController::continue_text(Index tokens, ViewState& view) {
  view.model.adding = tokens;
  ++run_;
  view.model.position.reset();
  if (!stream_) stream_.emplace(view.model.seed);
}

// Adds the next token once the previous one is part of the text.
void ModelController::add_token(const Document& document, ModelView& view, std::vector<Command>& commands) {
  if (view.adding == 0) {
    stream_.reset();
    return;
  }
  const std::shared_ptr<const OpenModel>& open = document.session().work;
  const bool ready = document.has_layer() && view.answer && is_state_of(view.answer->state, *open) &&
                     view.answer->logits &&
                     view.answer->request.position == static_cast<Index>(open->ids.size()) - 1;
  if (!ready) return;
  std::vector<std::int32_t> ids = open->ids;
  ids.push_back(drawn_token(view.answer->logits->row(0), view.sampling, *stream_));
  --view.adding;
  commands.emplace_back(EditOpenModel{SetModelIds{std::move(ids)}, "Continue", run_});
}

void ModelController::follow_baseline(ViewState& view) {
  ModelView& model = view.model;
  const std::shared_ptr<const OpenModel>& work = view.baseline.work;
  if (std::optional<ModelResult> answer = baseline_worker_.take()) {
    if (answer->failure)
      model.trouble = answer->failure->what();
    else
      model.baseline = shared(std::move(*answer));
  }
  if (!work || work->network->config().vocabulary != model.work->network->config().vocabulary) {
    model.baseline = nullptr;
    baseline_asked_.reset();
    return;
  }
  // The answer belongs to an earlier baseline A.
  if (model.baseline && !is_state_of(model.baseline->state, *work)) model.baseline = nullptr;
  ModelRequest request;
  ModelView of_baseline;
  of_baseline.work = work;
  of_baseline.position = model.position;
  request.position = of_baseline.shown_position();
  if (model.baseline && model.baseline->request.position != request.position) model.baseline = nullptr;
  request.top = kPredictions;
  request.lens = view.shows_page(ModelPage::Layers) && work->network->predicts();
  request.picture_side = model.map_colors == MapColors::Change ? model.glance_side : 0;
  if (work->network == model.work->network) request.values = model.baseline_place;
  if (baseline_asked_ && baseline_asked_->first == work && baseline_asked_->second == request) return;
  baseline_asked_.emplace(work, request);
  baseline_worker_.ask(state_of(*work), request);
}

void ModelController::follow_keeping(ViewState& view) {
  Baseline& asked = view.baseline_asked;
  std::optional<ModelResult> answer = keeping_.take();
  if (answer && asked.work && asked.work == keeping_asked_) {
    if (answer->failure) {
      view.model.trouble = answer->failure->what();
    } else {
      asked.layer = answer->layer;
      view.baseline = asked;
    }
    asked = {};
  }
  if (asked.work == keeping_asked_) return;
  keeping_asked_ = asked.work;
  if (!asked.work) return keeping_.forget();
  ModelRequest request;
  request.layer = asked.work->layer;
  keeping_.ask(state_of(*asked.work), request);
}

void ModelController::compute_patches(const Document& document, const ViewState& view) {
  if (!document.session().work || !view.baseline.work || !view.model.answer) return;
  PatchMapResult asked;
  asked.of = document.session().work;
  asked.from = view.baseline.work;
  asked.logit = view.model.logit_choice();
  asked.stage = view.model.patch_stage;
  *patch_progress_ = 0;
  patching_.start([asked = std::move(asked), progress = patch_progress_] {
    return patched(asked, [&](double done) { *progress = done; });
  });
}

void ModelController::follow_patches(ViewState& view) {
  ModelView& model = view.model;
  if (auto answer = patching_.take(); answer && *answer) model.patches = std::move(*answer);
  model.patch_progress = patching_.running() ? std::optional<double>(*patch_progress_) : std::nullopt;
}

void ModelController::follow_estimate(ViewState& view) {
  ModelView& model = view.model;
  if (auto answer = estimating_.take(); answer && *answer) model.estimate = std::move(*answer);
  const bool shown = view.shows_page(ModelPage::Patches);
  if (!shown || !view.baseline.work || !model.fresh || !model.work->network->predicts()) return;
  PatchEstimateResult asked{model.work, view.baseline.work, model.logit_choice(), {}, {}};
  if (estimate_asked_ && estimate_asked_->of == asked.of && estimate_asked_->from == asked.from &&
      estimate_asked_->logit == asked.logit)
    return;
  estimate_asked_ = asked;
  estimating_.start([asked = std::move(asked)] { return estimated(asked); });
}

// Updates the list of layers in the top bar.
void ModelController::follow_layers(const OpenModel& work, LayersView& layers,
                                    std::vector<Command>& commands) {
  const NetworkConfig& config = work.network->config();
  const std::vector<LayerPlace> places = layer_places(config);
  layers.names.clear();
  for (const LayerPlace place : places)
    layers.names.push_back((config.cross ? side_name(place.side) + std::string(" ") : "") +
                           std::to_string(place.layer));
  layers.count = places.size();
  layers.at = static_cast<std::size_t>(row_of(config, work.layer));
  if (const auto asked = std::exchange(layers.asked, std::nullopt);
      asked && *asked != layers.at && *asked < places.size())
    commands.emplace_back(EditOpenModel{ShowLayer{places[*asked]}, "Another layer"});
}

}  // namespace headlight
