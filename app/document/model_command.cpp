#include "app/document/model_command.h"

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

// Applies a command on tokens to the list of ids.
struct TokenEdit {
  const Network& network;
  std::vector<std::int32_t> ids;

  void operator()(const RenameToken& c) { splice(c.at, 1, ids_of_label(network, c.label)); }
  void operator()(const InsertToken& c) {
    splice(c.at, 0,
           c.copy ? std::vector{ids[at(std::max<Index>(c.at - 1, 0))]} : ids_of_label(network, c.label));
  }
  void operator()(const RemoveToken& c) { splice(c.at, 1, {}); }
  void operator()(const MoveToken& c) {
    const std::int32_t moved = ids[at(c.from)];
    splice(c.from, 1, {});
    splice(c.to, 0, {moved});
  }
  void operator()(const ChangeLines& c) {
    const std::vector<std::int32_t> lines(ids.begin() + c.edit.at,
                                          std::min(ids.begin() + c.edit.at + c.edit.count, ids.end()));
    switch (c.edit.change) {
      case LineChange::Insert:
        return splice(c.edit.at, 0,
                      {ids[at(std::min<Index>(c.edit.at, static_cast<Index>(ids.size()) - 1))]});
      case LineChange::Duplicate:
        return splice(c.edit.at + c.edit.count, 0, lines);
      case LineChange::Remove:
        return splice(c.edit.at, c.edit.count, {});
      case LineChange::Move:
        splice(c.edit.at, c.edit.count, {});
        return splice(c.edit.to, 0, lines);
    }
  }
  template <class Other>
  void operator()(const Other&) {}

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

bool edits_open_model(const Command& command) {
  if (const auto* lines = std::get_if<ChangeLines>(&command))
    return lines->edit.kind == LineKind::Token || lines->edit.kind == LineKind::Key;
  return std::holds_alternative<EditOpenModel>(command) || std::holds_alternative<ReplaceTokens>(command) ||
         std::holds_alternative<RenameToken>(command) || std::holds_alternative<InsertToken>(command) ||
         std::holds_alternative<RemoveToken>(command) || std::holds_alternative<MoveToken>(command);
}

std::optional<EditOpenModel> open_model_edit(const Command& command, const OpenModel& work) {
  if (!edits_open_model(command)) return std::nullopt;
  if (const auto* edit = std::get_if<EditOpenModel>(&command)) return *edit;
  if (const auto* words = std::get_if<ReplaceTokens>(&command))
    return EditOpenModel{
        SetModelText{joined(words->tokens), work.layer.side == Side::Encoder ? Side::Encoder : Side::Own},
        "Text"};
  const Side side = work.layer.side == Side::Encoder || edits_keys(command) ? Side::Encoder : Side::Own;
  TokenEdit edit{*work.network, ids_of(work, side)};
  std::visit(edit, command);
  return EditOpenModel{SetModelIds{std::move(edit.ids), side}, command_name(command)};
}

bool is_of_view(const EditOpenModel& edit) {
  return std::holds_alternative<ShowLayer>(edit.edit) || std::holds_alternative<ShowCheckpoint>(edit.edit);
}

}  // namespace headlight
