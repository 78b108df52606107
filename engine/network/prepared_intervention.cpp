#include "engine/network/prepared_intervention.h"

namespace headlight {

void PreparedIntervention::set_range(InterventionRange range) {
  range_ = std::move(range);
  selected_.assign(static_cast<std::size_t>(units_), -1);
  for (std::size_t i = 0; i < range_.units.size(); ++i)
    selected_[static_cast<std::size_t>(range_.units[i])] = static_cast<Index>(i);
}

void PreparedIntervention::share_source(const PreparedIntervention& other) {
  const Intervention &a = *what_, &b = *other.what_;
  if (a.place == b.place && a.layer == b.layer && a.how == b.how && a.texts == b.texts && other.source_)
    source_ = other.source_;
}

void PreparedIntervention::apply(Index begin, MatrixOut rows) const {
  for (std::size_t i = 0; i < range_.units.size(); ++i)
    apply_to_selected(static_cast<Index>(i), begin,
                      rows.middleCols(range_.units[i] * range_.numbers, range_.numbers));
}

void PreparedIntervention::apply_to_unit(Index unit, Index begin, MatrixOut rows) const {
  if (const Index nth = selected_[static_cast<std::size_t>(unit)]; nth >= 0)
    apply_to_selected(nth, begin, rows);
}

void PreparedIntervention::apply_to_selected(Index nth, Index begin, MatrixOut rows) const {
  for (std::size_t i = 0; i < range_.positions.size(); ++i) {
    const Index row = range_.positions[i] - begin;
    if (row >= 0 && row < rows.rows()) change(nth, static_cast<Index>(i), rows.row(row));
  }
}

// nth, position: among those that are selected.
void PreparedIntervention::change(Index nth, Index position, Cells cells) const {
  const Index first = range_.units[static_cast<std::size_t>(nth)] * range_.numbers;
  switch (what_->how) {
    case InterventionHow::Zero:
      cells.setZero();
      break;
    case InterventionHow::Mean:
      cells = source_->row(0).segment(first, range_.numbers);
      break;
    case InterventionHow::Resample:
      cells = source_->row(range_.from[static_cast<std::size_t>(position)]).segment(first, range_.numbers);
      break;
    case InterventionHow::Value:
      for (Index i = 0; i < cells.size(); ++i)
        cells(i) = what_->value.at(0, nth, position, i);
      break;
    case InterventionHow::Add:
      for (Index i = 0; i < cells.size(); ++i)
        cells(i) += static_cast<float>(what_->strength * static_cast<double>(what_->direction(0, i)));
      break;
    case InterventionHow::ProjectOut:
      project_out(cells);
      break;
  }
}

void PreparedIntervention::project_out(Cells cells) const {
  double product = 0, square = 0;
  for (Index i = 0; i < cells.size(); ++i) {
    const auto along = static_cast<double>(what_->direction(0, i));
    product += static_cast<double>(cells(i)) * along;
    square += along * along;
  }
  for (Index i = 0; i < cells.size(); ++i)
    cells(i) -= static_cast<float>(product / square * static_cast<double>(what_->direction(0, i)));
}

void PreparedIntervention::apply_backward(Index begin, MatrixOut gradient) const {
  for (const Index unit : range_.units)
    apply_backward_to_unit(unit, begin, gradient.middleCols(unit * range_.numbers, range_.numbers));
}

void PreparedIntervention::apply_backward_to_unit(Index unit, Index begin, MatrixOut gradient) const {
  if (what_->how == InterventionHow::Add || selected_[static_cast<std::size_t>(unit)] < 0) return;
  for (const Index position : range_.positions) {
    const Index row = position - begin;
    if (row < 0 || row >= gradient.rows()) continue;
    if (what_->how == InterventionHow::ProjectOut)
      project_out(gradient.row(row));
    else
      gradient.row(row).setZero();
  }
}

}  // namespace headlight
