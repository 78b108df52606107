#include "app/shell/checkpoint_controller.h"

#include <algorithm>
#include <new>
#include <set>
#include <utility>

#include "engine/interpretation/heads_glance.h"
#include "engine/interpretation/open_model.h"
#include "engine/interpretation/predictions.h"

namespace headlight {
namespace {

// Checkpoints that stay open, the one on screen included. Their files are mapped: the system can take the
// memory back.
constexpr std::size_t kMostOpenCheckpoints = 5;

Error no_memory(const SavedStep& step) {
  return Error("there is not enough memory for this checkpoint", step.folder.string(),
               "close other programs");
}

bool same_but_network(const ModelState& a, const ModelState& b) {
  return same_input(a, b) && a.layers == b.layers && a.patches == b.patches &&
         a.interventions == b.interventions;
}

// After the layers are computed.
void read_pairs(NetworkPass& pass, std::size_t checkpoints, CheckpointHeads& heads) {
  constexpr double kMostNumbers = 8e6;
  const NetworkConfig& config = pass.network().config();
  if (config.cross) return;  // a pair would be of tokens of two texts
  const auto pairs = static_cast<double>(pass.token_count()) * static_cast<double>(pass.token_count());
  if (pairs * static_cast<double>(config.layers * config.heads) * static_cast<double>(checkpoints) >
      kMostNumbers)
    return;
  for (Index layer = 0; layer < config.layers; ++layer)
    for (Index head = 0; head < config.heads; ++head)
      heads.weights.push_back(pass.weights_there(layer, head));
  if (!pass.network().predicts() || pass.network().reads_images()) return;
  const Matrix logits = pass.logits(0, pass.token_count());
  for (Index token = 0; token < logits.rows(); ++token)
    heads.likeliest.push_back(likeliest(logits.row(token), 1).front().id);
}

// As `headlight ask loss`, after the layers are computed.
std::optional<double> loss_of_text(NetworkPass& pass) {
  const Network& network = pass.network();
  if (!network.config().causal || !network.predicts() || network.reads_images() || pass.token_count() < 2)
    return std::nullopt;
  return mean_loss(token_losses(pass));
}

// Following the newest checkpoint is one step of undo.
constexpr std::uint64_t kFollowingGesture = std::uint64_t{5} << 50;

std::vector<std::int64_t> axis_of(const std::vector<SavedStep>& steps, const std::vector<Index>& planned) {
  std::set<std::int64_t> all(planned.begin(), planned.end());
  for (const SavedStep& one : steps)
    all.insert(one.step);
  return {all.begin(), all.end()};
}

// Of no head where the checkpoint cannot be computed: the slider says why when it comes there.
CheckpointHeads heads_at(const SavedStep& step, std::size_t checkpoints, ModelState state,
                         std::shared_ptr<const Network> network) {
  CheckpointHeads heads;
  try {
    if (!network) network = std::make_shared<const Network>(step.folder);
    if (!same_architecture(*network, *state.network)) return heads;
    state.network = std::move(network);
    NetworkPass pass(state.network);
    take_state(pass, state);
    const HeadsOverview overview = overview_of_heads(pass, 1, [](Index, Index) {});
    for (const HeadOverview& head : overview.all)
      heads.measures.push_back(head.measures);
    read_pairs(pass, checkpoints, heads);
    heads.loss = loss_of_text(pass);
  } catch (const Error&) {
    heads = {};
  } catch (const std::bad_alloc&) {
    heads = {};
  }
  return heads;
}

}  // namespace

std::optional<Command> CheckpointController::follow(const Document& document, ViewState& view, bool free) {
  CheckpointsView& checkpoints = view.model.checkpoints;
  if (document_opening_ != document.opening()) begin(document, checkpoints);
  if (!document.session().work) return std::nullopt;
  const OpenModel& work = *document.session().work;
  follow_training(work, view.model);
  if (checkpoints.steps.empty()) return std::nullopt;
  follow_network(work, checkpoints);
  std::optional<Command> command = follow_slider(work, checkpoints);
  if (!command) follow_measures(work, checkpoints, free && !opening_.running());
  return command;
}

void CheckpointController::begin(const Document& document, CheckpointsView& view) {
  document_opening_ = document.opening();
  opening_.forget();
  measuring_.forget();
  opening_at_.reset();
  recent_.clear();
  measured_.reset();
  measures_wanted_ = false;
  view = {};
  const std::shared_ptr<const OpenModel>& work = document.session().work;
  if (!work) return;
  CheckpointSeries series = series_of(work->network->checkpoint().folder());
  view.inside = series.inside;
  view.steps = std::move(series.steps);
  begun_at_ = series.current;
  training_.clear();
  training_saved_ = 0;
  training_revision_ = 0;
  is_of_training_ = false;
  if (!view.steps.empty()) view.losses = losses_of_folder(view.steps.back().folder);
  view.axis = axis_of(view.steps, {});
}

void CheckpointController::follow_training(const OpenModel& work, ModelView& view) {
  const TrainingView& training = view.training;
  if (std::exchange(training_revision_, training.revision) == training.revision) return;
  if (training.folder.empty() || training.saved == 0) return;
  CheckpointsView& checkpoints = view.checkpoints;
  const bool other = training.folder != training_;
  if (other || training.saved != training_saved_) {
    training_ = training.folder;
    training_saved_ = training.saved;
    std::vector<SavedStep> steps = checkpoints_in(training.folder);
    const std::filesystem::path& own = work.network->checkpoint().folder();
    is_of_training_ = (is_of_training_ && !other) || index_of_folder(steps, own) ||
                      index_of_folder({{0, training.model}}, own);
    if (is_of_training_) take_series(work, std::move(steps), checkpoints);
    if (is_of_training_ && training.follows && !checkpoints.steps.empty()) {
      checkpoints.asked = checkpoints.steps.size() - 1;
      checkpoints.gesture = kFollowingGesture;
    }
  }
  if (!is_of_training_) return;
  checkpoints.losses = training.losses;
  checkpoints.axis = axis_of(checkpoints.steps, training.goes_on() ? training.planned : std::vector<Index>());
}

// What is known of a checkpoint's heads stays.
void CheckpointController::take_series(const OpenModel& work, std::vector<SavedStep> steps,
                                       CheckpointsView& view) {
  std::vector<std::shared_ptr<const CheckpointHeads>> heads(steps.size());
  for (std::size_t i = 0; i < view.steps.size() && i < view.heads.size(); ++i)
    for (std::size_t j = 0; j < steps.size(); ++j)
      if (steps[j] == view.steps[i]) heads[j] = view.heads[i];
  view.steps = std::move(steps);
  view.heads = std::move(heads);
  view.inside = true;
  view.asked.reset();
  view.trouble.clear();
  opening_.forget();
  opening_at_.reset();
  measuring_.forget();
  begun_at_ = 0;
  view.current = index_of_folder(view.steps, work.network->checkpoint().folder()).value_or(begun_at_);
}

// Undo and redo change the checkpoint too.
void CheckpointController::follow_network(const OpenModel& work, CheckpointsView& view) {
  if (!recent_.empty() && recent_.front() == work.network) return;
  remember(work.network);
  view.current = index_of_folder(view.steps, work.network->checkpoint().folder()).value_or(begun_at_);
}

void CheckpointController::remember(const NetworkPointer& network) {
  recent_.remove(network);
  recent_.push_front(network);
  if (recent_.size() > kMostOpenCheckpoints) recent_.pop_back();
}

CheckpointController::NetworkPointer CheckpointController::remembered(const SavedStep& step) const {
  for (const NetworkPointer& network : recent_)
    if (index_of_folder({step}, network->checkpoint().folder())) return network;
  return nullptr;
}

void CheckpointController::take_opened(CheckpointsView& view) {
  std::optional<Opened> opened = opening_.take();
  if (!opened) return;
  opening_at_.reset();
  if (opened->network) {
    recent_.insert(recent_.empty() ? recent_.end() : std::next(recent_.begin()), opened->network);
    if (recent_.size() > kMostOpenCheckpoints) recent_.pop_back();
  }
  if (!opened->failure || view.asked != opened->at) return;
  view.trouble = opened->failure->what();
  view.asked.reset();
}

std::optional<Command> CheckpointController::follow_slider(const OpenModel& work, CheckpointsView& view) {
  take_opened(view);
  if (view.asked && (*view.asked == view.current || *view.asked >= view.steps.size())) view.asked.reset();
  if (!view.asked) return std::nullopt;
  const SavedStep& step = view.steps[*view.asked];
  if (const NetworkPointer network = remembered(step)) return shown(work, view, network);
  if (opening_at_ == view.asked) return std::nullopt;
  opening_at_ = view.asked;
  opening_.start([at = *view.asked, step] {
    Opened opened;
    opened.at = at;
    try {
      opened.network = std::make_shared<const Network>(step.folder);
    } catch (const Error& error) {
      opened.failure = error;
    } catch (const std::bad_alloc&) {
      opened.failure = no_memory(step);
    }
    return opened;
  });
  return std::nullopt;
}

std::optional<Command> CheckpointController::shown(OpenModel work, CheckpointsView& view,
                                                   const NetworkPointer& network) {
  view.asked.reset();
  view.trouble.clear();
  try {
    set_network(work, network);
  } catch (const Error& error) {
    view.trouble = error.what();
    return std::nullopt;
  }
  return EditOpenModel{ShowCheckpoint{network}, "Another checkpoint", view.gesture};
}

void CheckpointController::follow_measures(const OpenModel& work, CheckpointsView& view, bool free) {
  ModelState state = state_of(work);
  if (!measured_ || !same_but_network(*measured_, state)) {
    view.heads.assign(view.steps.size(), nullptr);
    measured_ = std::move(state);
    measuring_.forget();
  }
  if (std::optional<Measured> measured = measuring_.take())
    view.heads[measured->at] = std::make_shared<const CheckpointHeads>(std::move(measured->heads));
  measures_wanted_ = std::any_of(view.heads.begin(), view.heads.end(), [](const auto& one) { return !one; });
  if (!free) return measuring_.forget();
  if (measures_wanted_ && !measuring_.running()) measure_next(work, view);
}

// The one on screen first.
void CheckpointController::measure_next(const OpenModel& work, const CheckpointsView& view) {
  std::size_t at = view.current;
  for (std::size_t i = 0; view.heads[at] && i < view.heads.size(); ++i)
    at = i;
  measuring_.start([at, step = view.steps[at], count = view.steps.size(), state = state_of(work),
                    network = remembered(view.steps[at])] {
    return Measured{at, heads_at(step, count, state, network)};
  });
}

}  // namespace headlight
