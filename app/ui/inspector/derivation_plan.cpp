#include "app/ui/inspector/derivation_plan.h"

#include <algorithm>

namespace headlight {
namespace {

constexpr std::size_t kLeastTerms = 3;  // lines, including the one that sums up the others

Fold fold_of(const Folds& folds, const std::string& id) {
  const auto found = folds.find(id);
  return found == folds.end() ? Fold::ByRoom : found->second;
}

// The height of an unfolded step without its terms.
float fixed_height(const DerivationStep& step, const DerivationSizes& sizes) {
  const auto lines = static_cast<float>(step.before.size() + step.after.size());
  return sizes.gap + lines * sizes.line + (step.note.empty() ? 0 : sizes.note(step.note));
}

float least_height(const DerivationStep& step, const DerivationSizes& sizes) {
  return fixed_height(step, sizes) +
         static_cast<float>(std::min(step.terms.size(), kLeastTerms)) * sizes.line;
}

class Planner {
 public:
  Planner(const Derivation& derivation, const Folds& folds, const DerivationSizes& sizes, float room)
      : derivation_(derivation), folds_(folds), sizes_(sizes), room_(room) {}

  DerivationPlan plan() {
    choose_open();
    share_room();
    for (std::size_t i = 0; i < derivation_.steps.size(); ++i)
      add_step(i);
    add_row();
    return std::move(plan_);
  }

 private:
  // Unfolds the last step that can be unfolded, if it fits and the user has not folded it.
  void choose_open() {
    const std::vector<DerivationStep>& steps = derivation_.steps;
    left_ = room_ - sizes_.step * static_cast<float>(steps.size() + (sizes_.row > 0 ? 1 : 0));
    for (const DerivationStep& step : steps) {
      if (!step.code.empty()) left_ -= sizes_.code(step.code);
      const Fold fold = fold_of(folds_, step.id);
      const bool open = step.folds() && (fold == Fold::Open || fold == Fold::Whole);
      plan_.open.push_back(open);
      if (open) left_ -= least_height(step, sizes_);
    }
    const auto last =
        std::find_if(steps.rbegin(), steps.rend(), [](const DerivationStep& step) { return step.folds(); });
    if (last == steps.rend() || fold_of(folds_, last->id) != Fold::ByRoom) return;
    const float needs = least_height(*last, sizes_);
    if (needs > left_ && steps.size() > 1) return;
    plan_.open[static_cast<std::size_t>(steps.rend() - last) - 1] = true;
    left_ -= needs;
  }

  // The remaining height goes to the terms, from the last step backwards, and then to the bars of the row.
  void share_room() {
    shown_.resize(derivation_.steps.size(), 0);
    for (std::size_t i = derivation_.steps.size(); i-- > 0;) {
      if (!plan_.open[i]) continue;
      const DerivationStep& step = derivation_.steps[i];
      shown_[i] = std::min(step.terms.size(), kLeastTerms);
      if (fold_of(folds_, step.id) == Fold::Whole) shown_[i] = step.terms.size();
      const auto more = static_cast<std::size_t>(std::max(0.0f, left_ / sizes_.line));
      const std::size_t added = std::min(more, step.terms.size() - shown_[i]);
      shown_[i] += added;
      left_ -= static_cast<float>(added) * sizes_.line;
    }
    const Fold row = fold_of(folds_, kRowId);
    plan_.row_open = sizes_.row > 0 && (row == Fold::ByRoom ? sizes_.row <= left_ : row != Fold::Closed);
  }

  void add(StepLine::Kind kind, std::size_t step, std::size_t item, float height, float sum = 0) {
    plan_.lines.push_back({kind, step, item, plan_.height, height, sum});
    plan_.height += height;
  }

  void add_step(std::size_t at) {
    using Kind = StepLine::Kind;
    const DerivationStep& step = derivation_.steps[at];
    add(Kind::Step, at, 0, sizes_.step);
    if (!step.code.empty()) add(Kind::Code, at, 0, sizes_.code(step.code));
    if (!plan_.open[at]) return;
    for (std::size_t i = 0; i < step.before.size(); ++i)
      add(Kind::Before, at, i, sizes_.line);
    const bool whole = shown_[at] >= step.terms.size();
    const std::size_t terms = whole ? step.terms.size() : shown_[at] - 1;
    const std::vector<std::size_t> shown = shown_terms(step, terms);
    for (const std::size_t i : shown)
      add(Kind::Term, at, i, sizes_.line);
    if (!whole) {
      double sum = 0;
      for (std::size_t i = 0; i < step.terms.size(); ++i)
        if (!std::binary_search(shown.begin(), shown.end(), i))
          sum += static_cast<double>(step.terms[i].product);
      add(Kind::More, at, step.terms.size() - terms, sizes_.line, static_cast<float>(sum));
    }
    for (std::size_t i = 0; i < step.after.size(); ++i)
      add(Kind::After, at, i, sizes_.line);
    if (!step.note.empty()) add(Kind::Note, at, 0, sizes_.note(step.note));
    plan_.height += sizes_.gap;
  }

  void add_row() {
    if (sizes_.row <= 0) return;
    add(StepLine::Kind::Row, 0, 0, sizes_.step);
    if (plan_.row_open) add(StepLine::Kind::Bars, 0, 0, sizes_.row);
  }

  const Derivation& derivation_;
  const Folds& folds_;
  const DerivationSizes& sizes_;
  float room_, left_ = 0;
  std::vector<std::size_t> shown_;  // lines for terms, by step
  DerivationPlan plan_;
};

}  // namespace

DerivationPlan plan_derivation(const Derivation& derivation, const Folds& folds, const DerivationSizes& sizes,
                               float room) {
  return Planner(derivation, folds, sizes, room).plan();
}

}  // namespace headlight
