#include "app/document/model_edits.h"

#include <algorithm>
#include <utility>

#include "engine/core/error.h"

namespace headlight {
namespace {

// Of words of a text, without what begins or ends it.
std::vector<std::int32_t> ids_of_label(const Network& network, const std::string& label) {
  if (!network.tokenizer())
    throw Error("the folder has no tokenizer.json, so tokens have no names", "token", "give the text as ids");
  const Tokenizer& tokenizer = *network.tokenizer();
  std::vector<std::int32_t> ids = tokenizer.encode(label);
  ids.erase(ids.begin(), ids.begin() + static_cast<std::ptrdiff_t>(tokenizer.prefix_id_count()));
  ids.erase(ids.end() - static_cast<std::ptrdiff_t>(tokenizer.suffix_id_count()), ids.end());
  return ids;
}

// Applies a command on tokens to the list of ids. Returns false for other commands.
struct TokenEdit {
  const Network& network;
  std::vector<std::int32_t> ids;

  bool operator()(const RenameToken& c) {
    splice(c.at, 1, ids_of_label(network, c.label));
    return true;
  }
  bool operator()(const InsertToken& c) {
    splice(c.at, 0,
           c.copy ? std::vector{ids[at(std::max<Index>(c.at - 1, 0))]} : ids_of_label(network, c.label));
    return true;
  }
  bool operator()(const RemoveToken& c) {
    splice(c.at, 1, {});
    return true;
  }
  bool operator()(const MoveToken& c) {
    const std::int32_t moved = ids[at(c.from)];
    splice(c.from, 1, {});
    splice(c.to, 0, {moved});
    return true;
  }
  bool operator()(const ChangeLines& c) {
    if (c.edit.kind != LineKind::Token && c.edit.kind != LineKind::Key) return false;
    const std::vector<std::int32_t> lines(ids.begin() + c.edit.at,
                                          std::min(ids.begin() + c.edit.at + c.edit.count, ids.end()));
    switch (c.edit.change) {
      case LineChange::Insert:
        splice(c.edit.at, 0, {ids[at(std::min<Index>(c.edit.at, static_cast<Index>(ids.size()) - 1))]});
        return true;
      case LineChange::Duplicate:
        splice(c.edit.at + c.edit.count, 0, lines);
        return true;
      case LineChange::Remove:
        splice(c.edit.at, c.edit.count, {});
        return true;
      case LineChange::Move:
        splice(c.edit.at, c.edit.count, {});
        splice(c.edit.to, 0, lines);
        return true;
    }
    return false;
  }
  template <class Other>
  bool operator()(const Other&) {
    return false;
  }

 private:
  static std::size_t at(Index place) { return static_cast<std::size_t>(place); }
  void splice(Index place, Index count, const std::vector<std::int32_t>& put) {
    const auto begin = ids.begin() + std::clamp<Index>(place, 0, static_cast<Index>(ids.size()));
    const auto end = begin + std::min<Index>(count, ids.end() - begin);
    ids.insert(ids.erase(begin, end), put.begin(), put.end());
  }
};

// Whether the command changes the tokens that cross-attention attends to.
bool edits_keys(const Command& command) {
  if (const auto* rename = std::get_if<RenameToken>(&command)) return rename->of_keys;
  const auto* lines = std::get_if<ChangeLines>(&command);
  return lines && lines->edit.kind == LineKind::Key;
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words)
    text += (text.empty() ? "" : " ") + word;
  return text;
}

}  // namespace

std::optional<EditOpenModel> open_model_edit(const Command& command, const OpenModel& work) {
  if (const auto* edit = std::get_if<EditOpenModel>(&command)) return *edit;
  if (const auto* words = std::get_if<ReplaceTokens>(&command))
    return EditOpenModel{
        SetModelText{joined(words->tokens), work.layer.side == Side::Encoder ? Side::Encoder : Side::Own},
        "Text"};
  const Side side = work.layer.side == Side::Encoder || edits_keys(command) ? Side::Encoder : Side::Own;
  TokenEdit edit{*work.network, ids_of(work, side)};
  if (!std::visit(edit, command)) return std::nullopt;
  return EditOpenModel{SetModelIds{std::move(edit.ids), side}, command_name(command)};
}

bool is_of_view(const EditOpenModel& edit) {
  return std::holds_alternative<ShowLayer>(edit.edit) || std::holds_alternative<ShowCheckpoint>(edit.edit);
}

void ModelEdits::begin(std::shared_ptr<const OpenModel> open) {
  edited_ = std::move(open);
  list_.clear();
  outcome_.reset();
}

void ModelEdits::rebase(std::shared_ptr<const OpenModel> open) {
  if (!open) return begin(nullptr);
  edited_ = std::move(open);
  for (EditOpenModel& edit : std::exchange(list_, {}))
    add(std::move(edit));
}

void ModelEdits::add(EditOpenModel edit) {
  OpenModel work = *edited_;
  try {
    apply_open_model_edit(edit.edit, work);
    outcome_ = "";
  } catch (const Error& error) {
    outcome_ = error.what();
    return;
  }
  if (work == *edited_) return;
  edited_ = std::make_shared<const OpenModel>(std::move(work));
  list_.push_back(std::move(edit));
}

std::optional<std::string> ModelEdits::take_outcome() {
  return std::exchange(outcome_, std::nullopt);
}

}  // namespace headlight
