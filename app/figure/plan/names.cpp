#include "app/figure/plan/names.h"

#include <algorithm>
#include <cstdio>

#include "app/figure/plan/label_text.h"
#include "engine/core/visible_text.h"

namespace headlight {

std::string visible_label(const std::string& label) {
  constexpr std::size_t kMostShown = 256;  // bytes
  const std::string text = capped(label, kMostShown);
  const std::size_t begin = std::min(text.find_first_not_of(' '), text.size());
  const std::size_t end = begin == text.size() ? begin : text.find_last_not_of(' ') + 1;
  std::string visible;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    if (i < begin || i >= end)
      visible += "\u00B7";
    else if (byte == '\n')
      visible += "\u23CE";
    else if (byte == '\t')
      visible += "\u21E5";
    else
      visible += text[i];
  }
  return visible_text(visible);
}

std::string spoken_label(const std::string& label) {
  return visible_label(label.size() > 1 && label.front() == ' ' ? label.substr(1) : label);
}

std::string token_name(std::span<const std::string> labels, Index at, Counting counting) {
  const bool named = at >= 0 && at < static_cast<Index>(labels.size());
  const std::string label = named ? spoken_label(labels[static_cast<std::size_t>(at)]) : "";
  return label + (label.empty() ? "(" : " (") + counting.number(at) + ")";
}

std::string head_name(Index head, Counting counting) {
  return "head " + counting.number(head);
}

std::string spoken_heads(const std::string& name, Counting counting) {
  std::string spoken;
  for (std::size_t at = 0; at < name.size();) {
    const char* const rest = name.c_str() + at;
    const bool begins = at == 0 || name[at - 1] == ' ';
    int layer = 0, head = 0, of_head = 0, of_mlp = 0;
    if (begins && std::sscanf(rest, "L%d H%d%n", &layer, &head, &of_head) == 2 && of_head > 0) {
      spoken += "L" + counting.number(layer) + " H" + counting.number(head);
      at += static_cast<std::size_t>(of_head);
    } else if (begins && std::sscanf(rest, "L%d MLP%n", &layer, &of_mlp) == 1 && of_mlp > 0) {
      spoken += "L" + counting.number(layer) + " MLP";
      at += static_cast<std::size_t>(of_mlp);
    } else {
      spoken += name[at++];
    }
  }
  return spoken;
}

std::string heads_name(const std::vector<Index>& heads, Counting counting) {
  std::string text = heads.size() == 1 ? "head " : "heads ";
  for (std::size_t i = 0; i < heads.size(); ++i)
    text += (i == 0 ? "" : ", ") + counting.number(heads[i]);
  return text;
}

std::string matrix_name(const TileRequest& request, Counting counting) {
  if (request.content == TileContent::HeadMean) return "mean of all heads";
  if (request.content == TileContent::HeadMaximum) return "maximum of all heads";
  return head_name(request.head, counting);
}

namespace {

const char* title_of(Stage stage) {
  switch (stage) {
    case Stage::Embeddings:
      return "Embeddings";
    case Stage::Queries:
      return "Queries";
    case Stage::Keys:
      return "Keys";
    case Stage::Values:
      return "Values";
    case Stage::RotatedQueries:
      return "Rotated queries";
    case Stage::RotatedKeys:
      return "Rotated keys";
    case Stage::Scores:
      return "Attention scores";
    case Stage::Scaled:
      return "Scaled scores";
    case Stage::Capped:
      return "Capped scores";
    case Stage::Biased:
      return "Scores with bias";
    case Stage::Masked:
      return "Masked scores";
    case Stage::Weights:
      return "Attention weights";
    case Stage::Dropped:
      return "Attention weights after dropout";
    case Stage::Context:
      return "Context vectors";
    case Stage::Concat:
      return "Context vectors of all heads";
    case Stage::Output:
      return "Output of attention";
  }
  return "";
}

}  // namespace

std::string figure_title(const TileRequest& request) {
  const std::string stage = title_of(request.stage);
  if (request.content == TileContent::WithoutFirst) return stage + " without the first key";
  return is_by_value(request.content) ? stage + " × |value|" : stage;
}

std::string tile_name(const TileRequest& request) {
  const std::string stage(stage_info(request.stage).name);
  if (request.content == TileContent::WithoutFirst) return stage + " without the first key";
  return is_by_value(request.content) ? stage + " × |value|" : stage;
}

}  // namespace headlight
