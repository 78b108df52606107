#include "app/recovery/autosave_writer.h"

#include <new>
#include <utility>

#include "app/document/document.h"
#include "engine/core/error.h"
#include "engine/core/parallel.h"

namespace headlight {
namespace {

using Clock = std::chrono::steady_clock;

Index numbers_in(const Layer& layer) {
  Index count = layer.custom_mask.size();
  for (const PairArray* array : {&layer.given_weights, &layer.allowed, &layer.score_bias})
    for (const Matrix& matrix : array->matrices)
      count += matrix.size();
  for (const Matrix& matrix : layer.key_embeddings)
    count += matrix.size();
  for (const Matrix& matrix : layer.embeddings)
    count += matrix.size();
  for (const std::vector<Matrix>& matrices : layer.given)
    for (const Matrix& matrix : matrices)
      count += matrix.size();
  for (const Matrix& matrix : layer.weights.matrices)
    count += matrix.size();
  return count;
}

bool is_edit_alone(const std::optional<Change>& change) {
  return change && !change->labels && !change->weights_edited && !change->goal && change->edit;
}

// Each change of a painted mask holds the whole mask, and each step of training all that is trained: only the
// newest one is needed.
bool replaces(const std::optional<Change>& later, const std::optional<Change>& earlier) {
  if (!is_edit_alone(later) || !is_edit_alone(earlier) || later->edit->index() != earlier->edit->index())
    return false;
  if (const auto* several = std::get_if<BlocksEdit>(&*later->edit))
    return same_place(*several, std::get<BlocksEdit>(*earlier->edit));
  return std::holds_alternative<MaskEdit>(*later->edit);
}

}  // namespace

AutosaveWriter::AutosaveWriter(AutosaveOptions options)
    : options_(std::move(options)),
      files_(options_.folder),
      thread_(start_thread("autosave", [this] { work(); })) {}

AutosaveWriter::~AutosaveWriter() {
  {
    const std::scoped_lock lock(mutex_);
    ending_ = true;
  }
  came_.notify_all();
  thread_.join();
}

void AutosaveWriter::follow_saved(const RecoveryOrigin& origin) {
  Item item;
  item.origin = origin;
  add(std::move(item));
}

void AutosaveWriter::follow_opened(const RecoveryOrigin& origin, std::shared_ptr<const Session> opened) {
  needs_session_ = false;
  Item item;
  item.origin = origin;
  item.opened = std::move(opened);
  add(std::move(item));
}

void AutosaveWriter::note(Change change, std::uint64_t changes) {
  Item item;
  item.change = std::move(change);
  item.changes = changes;
  add(std::move(item));
}

void AutosaveWriter::keep(const Session& session, std::uint64_t changes) {
  Item item;
  item.whole = std::make_unique<Session>(session);
  item.changes = changes;
  const bool needed = needs_session_.exchange(false);
  try {
    add(std::move(item));
  } catch (...) {
    if (needed) needs_session_ = true;
    throw;
  }
}

bool AutosaveWriter::write_now(std::chrono::milliseconds limit) {
  std::unique_lock lock(mutex_);
  // A write in progress does not count: it may lack the newest changes.
  const std::uint64_t wanted = noted_, attempts = attempts_ + (busy_ ? 2 : 1);
  const auto done = [&] { return written_ >= wanted; };
  if (done()) return true;
  urgent_ = true;
  came_.notify_all();
  tried_.wait_for(lock, limit, [&] { return done() || (failing_ && attempts_ >= attempts); });
  return done();
}

void AutosaveWriter::forget() {
  constexpr std::chrono::seconds kPatience{10};
  add({});
  write_now(kPatience);
}

std::optional<std::string> AutosaveWriter::take_trouble() {
  const std::scoped_lock lock(mutex_);
  return std::exchange(trouble_, std::nullopt);
}

void AutosaveWriter::add(Item item) {
  {
    const std::scoped_lock lock(mutex_);
    ++noted_;
    if (item.changes == 0) urgent_ = true;  // the recovery files are outdated
    if (!waiting_.empty() && replaces(item.change, waiting_.back().change))
      waiting_.back() = std::move(item);
    else
      waiting_.push_back(std::move(item));
  }
  came_.notify_all();
}

void AutosaveWriter::work() {
  constexpr std::chrono::seconds kBeforeNextTry{5};
  Clock::time_point earliest;
  std::unique_lock lock(mutex_);
  for (;;) {
    const auto due = [this] { return ending_ || urgent_ || !waiting_.empty(); };
    failing_ ? void(came_.wait_for(lock, kBeforeNextTry, due)) : came_.wait(lock, due);
    came_.wait_until(lock, earliest, [this] { return ending_ || urgent_; });
    std::vector<Item> items = std::exchange(waiting_, {});
    const std::uint64_t noted = noted_;
    urgent_ = false;
    busy_ = true;
    lock.unlock();
    const bool written = carry_out(items);
    earliest = Clock::now() + options_.pause;
    lock.lock();
    busy_ = false;
    failing_ = !written;
    if (written) written_ = noted;
    ++attempts_;
    tried_.notify_all();
    if (ending_ && waiting_.empty()) return;
  }
}

// Returns whether everything is on disk.
bool AutosaveWriter::carry_out(std::vector<Item>& items) {
  try {
    for (Item& item : items)
      copy_referenced(item);
  } catch (const std::exception& failure) {
    opened_.reset();
    mirror_.reset();
    needs_session_ = true;
    report(failure.what());
    return false;
  }
  try {
    write();
    return mirror_ || changes_ == 0;
  } catch (const std::exception& failure) {
    whole_ = true;
    unwritten_.clear();
    report(failure.what());
    return false;
  }
}

void AutosaveWriter::copy_referenced(Item& item) {
  if (item.origin) origin_ = std::move(*item.origin);
  if (item.opened) {
    opened_ = std::move(item.opened);
    mirror_.reset();
  }
  changes_ = item.changes;
  if (item.change && opened_) {
    mirror_ = std::make_unique<Session>(*opened_);
    opened_.reset();
    whole_ = true;
  }
  if (item.whole) {
    opened_.reset();
    mirror_ = std::move(item.whole);
    whole_ = true;
  } else if (item.change && mirror_) {
    const bool small = numbers_in(mirror_->layer) <= options_.small;
    if (small || whole_ || changes_ == 0 || !fits_journal(*item.change, mirror_->layer))
      whole_ = true;
    else
      append_record(unwritten_, *item.change, changes_);
    apply_change(*item.change, *mirror_);
  }
  if (changes_ == 0) whole_ = true;
}

void AutosaveWriter::write() {
  if (changes_ == 0) {
    files_.remove();
  } else if (!mirror_) {
    return;
  } else if (whole_ || !files_.there() ||
             files_.journal_size() + unwritten_.size() > options_.longest_journal) {
    files_.write_whole(*mirror_, origin_, changes_);
    whole_ = false;
  } else if (!unwritten_.empty()) {
    files_.append(unwritten_);
  }
  unwritten_.clear();
}

void AutosaveWriter::report(const std::string& trouble) {
  {
    const std::scoped_lock lock(mutex_);
    if (failing_) return;  // already reported
    trouble_ = "Changes are not kept for a crash: " + trouble;
  }
  if (options_.on_trouble) options_.on_trouble();
}

}  // namespace headlight
