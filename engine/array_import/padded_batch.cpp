// One sequence of a batch: how many tokens it has, by names, lengths and masks of keys.
#include <cmath>
#include <string>
#include <utility>

#include "engine/array_import/array_choices.h"
#include "engine/array_import/array_names.h"
#include "engine/core/digits.h"

namespace headlight {
namespace {

std::string tokens_text(Index count) {
  return std::to_string(count) + (count == 1 ? " token" : " tokens");
}

// The keys of one row of a mask that are no padding; empty if they do not stand together.
std::optional<TokenFacts::Row> open_keys(const TokenFacts::Row& ones, MaskTruth truth, Index keys) {
  const bool together = ones.end - ones.first == ones.count;
  if (!together) return std::nullopt;
  if (truth == MaskTruth::Allowed) return ones;
  if (ones.count == 0) return TokenFacts::Row{0, keys, keys};
  if (ones.end == keys) return TokenFacts::Row{0, ones.first, ones.first};
  if (ones.first == 0) return TokenFacts::Row{ones.end, keys, keys - ones.end};
  return std::nullopt;
}

std::string sequences_text(Index batch) {
  return batch == 1 ? "the only one is 0" : "the sequences are 0 to " + std::to_string(batch - 1);
}

}  // namespace

void ArrayChoices::set_sequence(std::optional<Index> sequence, const Layer& layer) {
  sequence_ = sequence;
  work_out(layer);
}

std::optional<ArrayRole> ArrayChoices::role_or_name(std::size_t entry) const {
  if (roles_[entry]) return roles_[entry]->role;
  const ArrayEntry& array = entries_[entry];
  if (array.problem || array.text || array.shape.empty() || left_out_[entry]) return std::nullopt;
  return read_array_name(array.name, array.shape.size()).role;
}

// The number of tokens that the array names; empty if it is unknown.
std::optional<Index> ArrayChoices::token_names(std::size_t entry) const {
  Index count = 1;
  for (const Index size : entries_[entry].shape)
    count *= size;
  if (entries_[entry].text || count == plan_->tokens) return count;
  if (!facts_[entry]) return std::nullopt;
  const Index texts = facts_[entry]->tokens.texts;
  return texts > 1 || texts == plan_->tokens ? texts : count;
}

std::optional<ArrayChoices::NamedTokens> ArrayChoices::named_tokens() const {
  if (tokens_) return NamedTokens{static_cast<Index>(tokens_->size()), "--tokens"};
  const auto entry = entry_with(ArrayRole::Tokens);
  const auto count = entry ? token_names(*entry) : std::nullopt;
  return count ? std::optional(NamedTokens{*count, entries_[*entry].name}) : std::nullopt;
}

// The tokens of the chosen sequence by its length, or by its row of a mask of keys.
std::optional<ArrayChoices::Span> ArrayChoices::span_by(std::size_t entry) const {
  const auto role = role_or_name(entry);
  if (!role || !facts_[entry]) return std::nullopt;
  const TokenFacts& facts = facts_[entry]->tokens;
  const auto at = static_cast<std::size_t>(*sequence_);
  const std::string& name = entries_[entry].name;
  if (*role == ArrayRole::Lengths && static_cast<Index>(facts.lengths.size()) == plan_->sequences) {
    const float length = facts.lengths[at];
    if (length >= 1 && length <= static_cast<float>(plan_->tokens) && length == std::floor(length))
      return Span{0, static_cast<Index>(length), name};
    std::string text;
    append_float(text, length);
    throw Error("sequence " + std::to_string(at) + " has the length " + text + ", and there are " +
                    std::to_string(plan_->tokens) + " positions",
                name, "give lengths from 1 to " + std::to_string(plan_->tokens));
  }
  const bool of_keys =
      *role == ArrayRole::KeyMask || (*role == ArrayRole::Mask && is_key_mask(entries_[entry].shape));
  if (!of_keys || !facts_[entry]->mask.zero_one || entries_[entry].shape.back() != plan_->tokens ||
      static_cast<Index>(facts.rows.size()) != plan_->sequences)
    return std::nullopt;
  const auto truth = mask_truth(entry);
  const auto keys = truth ? open_keys(facts.rows[at], *truth, plan_->tokens) : std::nullopt;
  return keys && keys->count > 0 ? std::optional(Span{keys->first, keys->count, name}) : std::nullopt;
}

// The same by all arrays. Throws `Error` if two of them disagree.
std::optional<ArrayChoices::Span> ArrayChoices::span_of_sequence() const {
  std::optional<Span> span;
  for (std::size_t entry = 0; entry < entries_.size(); ++entry) {
    const auto found = span_by(entry);
    if (found && span && (found->first != span->first || found->count != span->count))
      throw Error("sequence " + std::to_string(*sequence_) + " has " + tokens_text(found->count) +
                      " here and " + std::to_string(span->count) + " by " + span->by,
                  found->by, "leave one of the two out");
    if (found && !span) span = found;
  }
  return span;
}

// Precondition: there is a plan, and a sequence is chosen. Padding is known only where queries and keys are
// the same tokens.
SequencePart ArrayChoices::part_of_batch() const {
  const std::string sequence = "sequence " + std::to_string(*sequence_);
  if (*sequence_ >= batch_) throw Error("there is no " + sequence, "--sequence", sequences_text(batch_));
  SequencePart part{*sequence_, 0, 0};
  if (plan_->key_tokens > 0) return part;
  const auto span = span_of_sequence();
  if (span) part = {*sequence_, span->first, span->count};
  const auto names = named_tokens();
  if (!names || names->count == plan_->tokens || names->count == part.count) return part;
  if (names->count > plan_->tokens)
    throw Error("holds " + tokens_text(names->count) + ", and " + sequence + " has " +
                    std::to_string(plan_->tokens) + " positions",
                names->where, "give those of this sequence, at most one for each position");
  if (span)
    throw Error("holds " + tokens_text(names->count) + ", and " + sequence + " has " +
                    std::to_string(span->count) + " by " + span->by,
                names->where, "give those of this sequence");
  return {*sequence_, 0, names->count};
}

// The plan stays where the sequence cannot be taken: that is a problem of its own.
void ArrayChoices::take_part() {
  batch_ = plan_->sequences;
  if (!sequence_) return;
  try {
    hints_.alone = part_of_batch();
  } catch (const Error& error) {
    problem_ = error;
  }
}

Index ArrayChoices::possible_batch() const {
  const auto pairs = attention();
  const bool sliced = pairs && entries_[*pairs].shape.size() == 4 && by_layers().value_or(false);
  return sliced ? entries_[*pairs].shape[0] : batch_;
}

// Fewer names than positions, which may be those of one sequence of a padded batch.
std::optional<ArrayQuestion> ArrayChoices::sequence_unsaid() const {
  if (!plan_ || sequence_ || plan_->key_tokens > 0) return std::nullopt;
  const auto names = named_tokens();
  if (!names || names->count >= plan_->tokens) return std::nullopt;
  const auto entry = tokens_ ? chosen_.front() : *entry_with(ArrayRole::Tokens);
  const Index batch = possible_batch();
  const std::string one_each = "; else give one for each position";
  return ArrayQuestion{
      ArrayQuestion::Kind::Sequence, entry,
      (tokens_ ? "--tokens holds " : "it holds ") + tokens_text(names->count) + ", and there are " +
          std::to_string(plan_->tokens) + " positions",
      batch == 1 ? "if the other positions are padding, say so with --sequence 0" + one_each
                 : "if they are those of one sequence of a padded batch, say which with --sequence 0 to " +
                       std::to_string(batch - 1) + one_each};
}

// "sequence 1 of 3 is taken alone: 5 of its 8 positions, the others are padding", "" for a whole batch.
std::string ArrayChoices::part_words() const {
  if (!hints_.alone || !plan_) return {};
  const SequencePart& part = *hints_.alone;
  std::string text = batch_ > 1 ? "sequence " + std::to_string(part.sequence) + " (from 0) of " +
                                      std::to_string(batch_) + " is taken alone"
                                : "";
  if (part.count == 0 || part.count == plan_->tokens) return text;
  return text + (text.empty() ? "" : ": ") + "positions " + std::to_string(part.first) + " to " +
         std::to_string(part.first + part.count - 1) + " of its " + std::to_string(plan_->tokens) +
         ", the others are padding";
}

}  // namespace headlight
