#include "app/ui/picture/beam_pull.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/figure/plan/names.h"
#include "app/ui/picture/movement_text.h"
#include "app/ui/widgets/number_cell.h"
#include "app/ui/widgets/plan_painter.h"
#include "app/ui/widgets/widgets.h"
#include "engine/core/error.h"
#include "engine/worker/training_worker.h"

namespace headlight {
namespace {

// Distinct from the gestures of grids, settings, masks, goals and training, which share the document's
// history.
constexpr std::uint64_t kPullGesture = std::uint64_t{3} << 61;
constexpr Index kMostPulled = 512;  // tokens; with more a picture would lag behind the hand
constexpr float kLeastMove = 4;     // planned pixels until a press is a pull
constexpr float kFullShare = 160;   // planned pixels from a weight of 0 to 1
constexpr int kQuickPasses = 30, kAllPasses = 400;
constexpr std::array<TrainedPart, 3> kPullable = {TrainedPart::Embeddings, TrainedPart::Query,
                                                  TrainedPart::Key};

std::string parts_text(const std::vector<TrainedPart>& parts) {
  std::string text;
  for (std::size_t i = 0; i < parts.size(); ++i)
    text += (i == 0 ? "" : i + 1 == parts.size() ? " and " : ", ") + part_label(parts[i]);
  return text;
}

}  // namespace

bool BeamPull::offered(const UiContext& ui) {
  const Layer& model = ui.layer();
  return !ui.view.model.work && std::max(model.token_count(), model.key_count()) <= kMostPulled &&
         std::any_of(kPullable.begin(), kPullable.end(),
                     [&](TrainedPart part) { return has_part(model, part); });
}

std::vector<TrainedPart> BeamPull::parts(const Layer& layer) const {
  std::vector<TrainedPart> parts, all;
  for (const TrainedPart part : kPullable) {
    if (!has_part(layer, part)) continue;
    all.push_back(part);
    if (std::find(chosen_.begin(), chosen_.end(), part) != chosen_.end()) parts.push_back(part);
  }
  return parts.empty() ? all : parts;
}

void BeamPull::press(TakenBeam beam, ImVec2 at, ImVec2 query, bool from_end) {
  taken_ = Taken{std::move(beam), at, query, from_end, false, {}, {}, false, nullptr, 0, 0};
}

BeamPull::Wish BeamPull::wish_at(ImVec2 mouse, const BeamGeometry& keys) const {
  if (taken_->from_end) return {true, keys.key_at(mouse.y)};
  const float share = taken_->beam.row(0, taken_->beam.weight.column);
  const double moved = static_cast<double>(taken_->at.y - mouse.y) / static_cast<double>(kFullShare);
  return {false, std::clamp(static_cast<double>(share) + moved, 0.0, 1.0)};
}

void BeamPull::begin(const UiContext& ui) {
  taken_->began = true;
  taken_->start = std::make_shared<const Layer>(ui.layer());
  taken_->gesture = kPullGesture | ui.document.revision();
  taken_->opening = ui.document.opening();
}

BeamPull::Outcome BeamPull::search(const Taken& taken, const std::vector<TrainedPart>& parts, bool thorough) {
  Outcome outcome;
  outcome.cell = taken.beam.weight;
  outcome.parts = parts_text(parts);
  const Layer& start = *taken.start;
  if (taken.wish.moves)
    outcome.cell.column =
        std::clamp<Index>(static_cast<Index>(std::lround(taken.wish.value)), 0, start.key_count() - 1);
  const auto goal = taken.wish.moves ? moved_beam(start, taken.beam, taken.wish.value)
                                     : widened_beam(start, taken.beam, taken.wish.value);
  outcome.closed = !goal || !is_wantable(start, outcome.cell);
  if (!goal) return outcome;
  outcome.wanted = wanted_weight(*goal, outcome.cell);
  Layer layer = start;
  try {
    LeastChangeRequest request;
    request.parameters = parts;
    request.passes = thorough ? kAllPasses : kQuickPasses;
    outcome.change = change_least(start, layer, *goal, request);
    TrainingSettings trained;
    trained.parameters = parts;
    outcome.blocks = trained_matrices(layer, trained);
  } catch (const Error& error) {
    outcome.failure = error.what();
  }
  return outcome;
}

void BeamPull::ask(const UiContext& ui, bool thorough) {
  if (!job_) job_ = std::make_shared<NewestJob<Outcome>>();
  taken_->asked = taken_->wish;
  taken_->thorough = thorough;
  job_->start(
      [taken = *taken_, parts = parts(ui.layer()), thorough] { return search(taken, parts, thorough); });
}

void BeamPull::take(UiContext& ui) {
  auto outcome = job_ ? job_->take() : std::nullopt;
  if (!outcome) return;
  if (!outcome->blocks.empty()) ui.send(SetBlocks{outcome->blocks, "Pull beam", {}, taken_->gesture});
  outcome->revision = ui.document.revision() + (outcome->blocks.empty() ? 0 : 1);
  outcome_ = std::move(outcome);
}

void BeamPull::follow(UiContext& ui, const BeamGeometry& keys, bool held) {
  if (!taken_) return;
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  if (held && !taken_->began) {
    const float away = std::abs(mouse.y - taken_->at.y);
    if (away > ui.theme.px(kLeastMove)) begin(ui);
  }
  if (!taken_->began) {
    if (!held) taken_.reset();
    return;
  }
  // Another session, or an undo in between: the pull is over.
  if (taken_->opening != ui.document.opening()) {
    if (job_) job_->forget();
    return taken_.reset();
  }
  take(ui);
  ui.wake_within(0);
  if (held) taken_->wish = wish_at(mouse, keys);
  if (job_ && job_->running()) return;
  const bool asked = taken_->asked && *taken_->asked == taken_->wish;
  if (!asked)
    ask(ui, !held);
  else if (!held && !taken_->thorough && !(outcome_ && outcome_->change.reached))
    ask(ui, true);
  else if (!held)
    taken_.reset();
}

void BeamPull::draw(const UiContext& ui, const BeamGeometry& keys) const {
  if (!pulls()) return;
  const double key =
      taken_->wish.moves ? taken_->wish.value : static_cast<double>(taken_->beam.weight.column);
  const Point end = {double{keys.keys_x}, double{keys.y_of(key)}};
  const auto px = [&](float planned) { return double{ui.theme.px(planned)}; };
  Drawing drawing;
  drawing.curves.push_back({level_curve({double{taken_->query.x}, double{taken_->query.y}}, end),
                            std::max(1.0, px(1.5f)), ui.theme.accent, px(5)});
  drawing.dots.push_back({end.x, end.y, px(4), ui.theme.accent});
  paint_drawing(drawing, {}, *ImGui::GetWindowDrawList(), ui.theme);
}

std::optional<CellAddress> BeamPull::wanted() const {
  return outcome_ ? std::optional<CellAddress>(outcome_->cell) : std::nullopt;
}

std::string BeamPull::words(const UiContext& ui, std::optional<float> reached) const {
  // An own change is counted in the frame after it was sent.
  if (!outcome_ || (outcome_->revision != ui.document.revision() && !pulls())) return "";
  const Counting counting = ui.counting();
  const CellAddress& cell = outcome_->cell;
  const std::string pair = token_name(ui.layer().tokens, cell.row, counting) + " → " +
                           token_name(ui.layer().key_labels(), cell.column, counting);
  if (!outcome_->failure.empty()) return outcome_->failure;
  if (outcome_->closed) return pair + ": the mask closes this pair";
  const std::string wanted = number_text(static_cast<float>(outcome_->wanted), 2);
  std::string text = pair + " ";
  if (reached) text += number_text(*reached, 2) + " of ";
  text += wanted;
  const LeastChange& change = outcome_->change;
  if (!change.reached && !pulls())
    text +=
        change.settled ? ", the nearest that " + outcome_->parts + " allow" : ", not reached yet: pull again";
  const std::string moved = most_moved_text(change.movements, counting);
  return moved.empty() ? text : text + "   ·   most moved: " + moved;
}

void BeamPull::choose_parts(UiContext& ui) {
  if (tool_button(ui, "flow.pull.parts", "May move…", "What pulling a beam may change"))
    ImGui::OpenPopup("flow.pull.parts");
  if (!ImGui::BeginPopup("flow.pull.parts")) return;
  const std::vector<TrainedPart> moving = parts(ui.layer());
  for (const TrainedPart part : kPullable) {
    if (!has_part(ui.layer(), part)) continue;
    bool on = std::find(moving.begin(), moving.end(), part) != moving.end();
    if (!check_box(ui, std::string("flow.pull.part.") + part_name(part), part_label(part), on,
                   part_tip(part)))
      continue;
    std::vector<TrainedPart> changed;
    for (const TrainedPart other : kPullable)
      if (other == part ? on : std::find(moving.begin(), moving.end(), other) != moving.end())
        changed.push_back(other);
    if (!changed.empty()) chosen_ = changed;
  }
  ImGui::EndPopup();
}

}  // namespace headlight
