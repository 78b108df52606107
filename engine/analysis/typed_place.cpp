#include "engine/analysis/typed_place.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <sstream>
#include <utility>

#include "engine/core/error.h"

namespace headlight {
namespace {

using ReaderKind = StreamReader::Kind;

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream rest(text);
  for (std::string part; std::getline(rest, part, separator);)
    parts.push_back(part);
  return parts;
}

std::optional<Index> number_of(const std::string& text) {
  Index number = 0;
  const auto [after, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failed != std::errc() || after != text.data() + text.size()) return std::nullopt;
  return number;
}

// The number of a layer or head among `count`.
Index place_among(const std::string& text, const char* what, Index count, const std::string& typed,
                  const char* where) {
  const std::optional<Index> number = number_of(text);
  if (!number || *number < 0 || *number >= count)
    throw Error("'" + typed + "': there is no " + what + " " + text, where,
                "the model has " + std::string(what) + "s 0 to " + std::to_string(count - 1));
  return *number;
}

std::string between_blanks(const std::string& text) {
  const std::size_t first = text.find_first_not_of(' '), last = text.find_last_not_of(' ');
  return first == std::string::npos ? "" : text.substr(first, last - first + 1);
}

}  // namespace

StreamPart typed_sender(const NetworkConfig& config, const std::string& typed, const char* where) {
  if (typed == "embedding") return {StreamPart::Kind::Embedding, 0, 0};
  const std::vector<std::string> parts = split(typed, '.');
  if (parts.size() != 2)
    throw Error("'" + typed + "' is no sender", where,
                "give embedding, a head as LAYER.HEAD (0.1), or an MLP as mlp.LAYER");
  if (parts[0] == "mlp")
    return {StreamPart::Kind::Mlp, place_among(parts[1], "layer", config.layers, typed, where), 0};
  const Index layer = place_among(parts[0], "layer", config.layers, typed, where);
  return {StreamPart::Kind::Head, layer, place_among(parts[1], "head", config.heads, typed, where)};
}

std::string typed_word(const StreamPart& sender) {
  if (sender.kind == StreamPart::Kind::Embedding) return "embedding";
  const std::string layer = std::to_string(sender.layer);
  return sender.kind == StreamPart::Kind::Mlp ? "mlp." + layer : layer + "." + std::to_string(sender.head);
}

std::vector<HeadPlace> typed_heads(const NetworkConfig& config, const std::string& typed, const char* where) {
  std::vector<HeadPlace> heads;
  for (const std::string& word : typed_list(typed)) {
    const std::vector<std::string> parts = split(word, '.');
    if (parts.size() != 2)
      throw Error("'" + word + "' is no head", where, "give heads as LAYER.HEAD, with commas: 2.1,2.3");
    const Index layer = place_among(parts[0], "layer", config.layers, word, where);
    heads.push_back({layer, place_among(parts[1], "head", config.heads, word, where)});
  }
  return heads;
}

std::string typed_word(const std::vector<HeadPlace>& heads) {
  std::string text;
  for (const auto [layer, head] : heads)
    text += (text.empty() ? "" : ",") + std::to_string(layer) + "." + std::to_string(head);
  return text;
}

StreamReader typed_receiver(const NetworkConfig& config, const std::string& typed, const char* where) {
  if (typed == "logits") return {ReaderKind::Logits, config.layers, 0};
  const std::vector<std::string> parts = split(typed, '.');
  const bool mlp = parts.size() == 2 && parts[0] == "mlp";
  const bool head =
      parts.size() == 3 && (parts[0] == "queries" || parts[0] == "keys" || parts[0] == "values");
  if (!mlp && !head)
    throw Error("'" + typed + "' is no receiver", where,
                "give queries.LAYER.HEAD, keys.LAYER.HEAD, values.LAYER.HEAD, mlp.LAYER or logits");
  const Index layer = place_among(parts[1], "layer", config.layers, typed, where);
  if (mlp) return {ReaderKind::Mlp, layer, 0};
  const ReaderKind kind = parts[0] == "queries" ? ReaderKind::Queries
                          : parts[0] == "keys"  ? ReaderKind::Keys
                                                : ReaderKind::Values;
  const Index heads = kind == ReaderKind::Queries ? config.heads : config.kv_heads;
  return {kind, layer, place_among(parts[2], "head", heads, typed, where)};
}

std::string typed_word(const StreamReader& receiver) {
  const std::string layer = std::to_string(receiver.layer),
                    head = layer + "." + std::to_string(receiver.head);
  switch (receiver.kind) {
    case ReaderKind::Queries:
      return "queries." + head;
    case ReaderKind::Keys:
      return "keys." + head;
    case ReaderKind::Values:
      return "values." + head;
    case ReaderKind::Mlp:
      return "mlp." + layer;
    case ReaderKind::Logits:
      return "logits";
  }
  return "";
}

Index typed_number(const std::string& typed, const char* where) {
  const std::optional<Index> number = number_of(typed);
  if (!number || *number < 0)
    throw Error("'" + typed + "' is no number", where, "give a whole number from 0");
  return *number;
}

Index typed_position(const Network& network, const TokenIds& ids, const std::string& typed,
                     const char* where) {
  const auto count = static_cast<Index>(ids.size());
  if (const std::optional<Index> number = number_of(typed.starts_with('#') ? typed.substr(1) : typed)) {
    const Index at = *number < 0 ? *number + count : *number;
    if (at < 0 || at >= count)
      throw Error("there is no token " + std::to_string(*number), where,
                  "the text has tokens 0 to " + std::to_string(count - 1) + ", or from the end -1 to -" +
                      std::to_string(count));
    return at;
  }
  std::optional<Index> found;
  for (Index at = 0; at < count; ++at) {
    if (between_blanks(network.token_label(ids[static_cast<std::size_t>(at)])) != between_blanks(typed))
      continue;
    if (found)
      throw Error("'" + typed + "' is more than one token of the text: " + std::to_string(*found) + " and " +
                      std::to_string(at),
                  where, "give its number, as #" + std::to_string(*found));
    found = at;
  }
  if (!found)
    throw Error("'" + typed + "' is no token of the text", where,
                "give the words of one token, or its number, as #0 or #-1");
  return *found;
}

std::vector<Index> each_once(std::vector<Index> positions) {
  std::sort(positions.begin(), positions.end());
  positions.erase(std::unique(positions.begin(), positions.end()), positions.end());
  return positions;
}

std::vector<std::string> typed_list(const std::string& typed) {
  std::vector<std::string> words;
  for (const std::string& one : split(typed, ','))
    words.push_back(between_blanks(one));
  return words;
}

std::vector<Index> typed_positions(const Network& network, const TokenIds& ids, const std::string& typed,
                                   const char* where) {
  std::vector<Index> positions;
  for (const std::string& one : split(typed, ','))
    positions.push_back(typed_position(network, ids, one, where));
  return each_once(std::move(positions));
}

}  // namespace headlight
