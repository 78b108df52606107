#include "app/shell/data_set_controller.h"

#include <algorithm>
#include <new>
#include <utility>

#include "engine/core/file.h"
#include "engine/core/stopping.h"

namespace headlight {
namespace {

constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 26;

// Adds the number of each row's target, or without targets the loss of its text.
void add_metrics(const OpenModel& work, std::optional<Metric> metric, ReadSet& read) {
  Analysis analysis;
  analysis.kind = AnalysisKind::Loss;
  analysis.set = read.all;
  analysis.metric = metric;
  analysis.metric = has_target(analysis) ? std::optional(target_metric(analysis)) : std::nullopt;
  read.metric = analysis.metric.value_or(Metric::Loss);
  NetworkPass pass(work.network);
  take_state(pass, state_of(work));
  const AnalysisResult result = run_analysis(pass, analysis, [](double) {});
  for (const RowResult& row : result.rows)
    read.metrics.push_back(row.metric);
}

// Null if it was stopped.
std::shared_ptr<const ReadSet> read_set(const OpenModel& work, const std::string& path,
                                        std::optional<Metric> metric) {
  ReadSet read;
  try {
    require_file(path, kMostBytes);
    read.all = std::make_shared<const DataSet>(parse_data_set(*work.network, read_text_file(path), path));
    add_metrics(work, metric, read);
  } catch (const Stopped&) {
    return nullptr;
  } catch (const Error& failure) {
    read.failure = failure;
  } catch (const std::bad_alloc&) {
    read.failure.emplace("there is not enough memory for it", path, "take fewer rows");
  }
  return std::make_shared<const ReadSet>(std::move(read));
}

std::shared_ptr<const DataSet> rows_that_are_on(const DataSet& all, const std::vector<Index>& off) {
  auto on = std::make_shared<DataSet>(all);
  on->rows.clear();
  for (std::size_t row = 0; row < all.rows.size(); ++row)
    if (std::binary_search(off.begin(), off.end(), static_cast<Index>(row)))
      on->left_out.push_back(static_cast<Index>(row));
    else
      on->rows.push_back(all.rows[row]);
  return on->rows.empty() ? nullptr : on;
}

// With a set goes the target of its last row, if it is still chosen: it says nothing about another text.
void leave_row(ModelView& model) {
  model.set.opened_row.reset();
  const std::optional<RowTarget> opened = std::exchange(model.set.opened, std::nullopt);
  if (!opened || *opened != RowTarget{model.target, model.against}) return;
  model.target.reset();
  model.against.reset();
}

}  // namespace

void DataSetController::follow(ViewState& view) {
  DataSetView& set = view.model.set;
  const std::shared_ptr<const OpenModel>& work = view.model.work;
  if (!work || !work->set) {
    leave_row(view.model);
    job_.forget();
    asked_.reset();
    set.read = nullptr;
    set.rows = nullptr;
    set.reading = false;
    return;
  }
  if (auto read = job_.take(); read && *read) {
    set.read = std::move(*read);
    set.rows = nullptr;
  }
  const Asked now = {work->network, work->on, work->set->path, set.metric};
  if (asked_ != now) {
    const bool another = !asked_ || asked_->path != now.path || asked_->network != now.network;
    if (asked_ && asked_->path != now.path) leave_row(view.model);
    if (another) set.read = nullptr;
    if (another) set.rows = nullptr;
    asked_ = now;
    job_.start([work = *work, now] { return read_set(work, now.path, now.metric); });
  }
  set.reading = job_.running();
  if (!set.read || !set.read->all) return;
  if (set.rows && off_ == work->set->off) return;
  off_ = work->set->off;
  set.rows = rows_that_are_on(*set.read->all, off_);
}

}  // namespace headlight
