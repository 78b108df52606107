#include "app/ui/model/result_places.h"

#include <algorithm>

#include "app/ui/context/shown_layer.h"
#include "engine/analysis/edge_attribution.h"
#include "engine/analysis/words.h"
#include "engine/core/error.h"
#include "engine/interpretation/predictions.h"

namespace headlight {
namespace {

// One cell of an answer.
struct ResultCell {
  const UiContext& ui;
  const AnalysisRun& answer;
  const ResultTable& table;
  Index row, column;

  const Analysis& analysis() const { return answer.analysis; }
  const Network& network() const { return *answer.of->network; }
  LayerPlace layer() const { return LayerPlace(analysis().layer); }
  bool of_open_text() const {
    return analysis().texts.size() == 1 && analysis().texts.front() == ui.view.model.work->ids;
  }
  // A token of the text, by its number in the table.
  std::optional<Index> token(Index number) const {
    if (!of_open_text()) return std::nullopt;
    if (!analysis().words) return number;
    return words_of_text(network(), ui.view.model.work->ids).begins[static_cast<std::size_t>(number)];
  }
  // The last place in the open text of a token of the vocabulary, not behind `end`.
  std::optional<Index> last_place(const std::string& label, Index end) const {
    const auto& ids = ui.view.model.work->ids;
    for (Index at = std::min(end, static_cast<Index>(ids.size()) - 1); at >= 0; --at)
      if (network().label(ids[static_cast<std::size_t>(at)]) == label) return at;
    return std::nullopt;
  }
  const std::string& row_name() const { return table.rows[static_cast<std::size_t>(row)]; }
  const std::string& column_name() const { return table.columns[static_cast<std::size_t>(column)]; }
};

// The token is predicted from those before it, or in the place of itself.
NumberPlace loss_place(const ResultCell& cell) {
  NumberPlace place;
  if (cell.analysis().set || cell.table.name == "target") return place;
  if (cell.table.kind == ResultTable::Kind::List) {
    place.text = cell.analysis().texts[static_cast<std::size_t>(cell.row)];
    place.words = "this text, which becomes the open one";
    return place;
  }
  const bool causal = cell.network().config().causal;
  place.position = cell.token(std::max<Index>(0, cell.row - (causal ? 1 : 0)));
  if (!place.position) return place;
  const std::string label = spoken_label(token_label(*cell.ui.view.model.work, *place.position));
  place.words = "what is expected " + std::string(causal ? "behind" : "at") + " “" + label + "”";
  return place;
}

// The rows of the table "rest" that stand for a sum are of the token that is predicted.
NumberPlace rest_place(const ResultCell& cell) {
  const Index last = cell.network().config().layers - 1;
  const bool whole = cell.of_open_text();
  const auto predicted = whole ? std::optional(cell.ui.view.model.shown_position()) : std::nullopt;
  if (cell.row_name() == "embedding") return stream_place(cell.ui, 0, predicted);
  if (cell.row_name() == "output biases") return attention_place(cell.ui, LayerPlace(last), predicted);
  if (cell.row_name() == "patches" && !cell.ui.view.model.work->on.patches.empty()) {
    const Patch& first = cell.ui.view.model.work->on.patches.front();
    return patch_place(cell.ui, first.stage, first.layer, has_heads(first.stage) ? first.head : first.row);
  }
  return stream_place(cell.ui, last + 1, predicted);
}

NumberPlace parts_place(const ResultCell& cell) {
  if (cell.table.kind == ResultTable::Kind::List) return rest_place(cell);
  if (cell.table.name == "mlps") return mlp_place(cell.ui, cell.row);
  const Side side = cell.table.name == "cross_heads" ? Side::Cross : Side::Own;
  return head_place(cell.ui, LayerPlace(side, cell.row), cell.column);
}

// Each head of each layer, one after the other, or those that were ablated together.
NumberPlace listed_head_place(const ResultCell& cell) {
  const Index heads = cell.network().config().heads;
  if (cell.analysis().together.empty())
    return head_place(cell.ui, LayerPlace(cell.row / heads), cell.row % heads);
  const auto [layer, head] = cell.analysis().together.front();
  return head_place(cell.ui, LayerPlace(layer), head);
}

// What the head writes for a token that it attends to stands in its values, and its scores with the keys.
NumberPlace circuit_place(const ResultCell& cell) {
  const auto at = static_cast<Index>(cell.ui.view.model.work->ids.size()) - 1;
  const auto place = [&](Stage stage, std::optional<Index> row, std::optional<Index> column) {
    return head_place(cell.ui, cell.layer(), cell.analysis().head, stage, row, column);
  };
  if (cell.table.name == "singular_values") return place(Stage::Weights, std::nullopt, std::nullopt);
  const auto row = cell.last_place(cell.row_name(), at);
  if (cell.table.name != "qk")
    return row ? place(Stage::Values, row, std::nullopt) : place(Stage::Weights, std::nullopt, std::nullopt);
  const auto key = cell.last_place(cell.column_name(), row && cell.network().config().causal ? *row : at);
  return row && key ? place(Stage::Scores, row, key) : place(Stage::Weights, std::nullopt, std::nullopt);
}

// What all neurons of the layer add, of the open text, is the part of its MLP on *Parts*. Of other texts, and
// where there are no parts, nothing shows it.
NumberPlace neuron_place(const ResultCell& cell) {
  NumberPlace place;
  if (!cell.of_open_text() || !cell.network().config().stream_is_sum()) return place;
  place.page = ModelPage::Parts;
  place.mlp_part = cell.analysis().layer;
  place.words = "neuron " + cell.row_name() + " of the MLP of " +
                names_of_layers(cell.ui).text(cell.layer()) + ", whose part is that of all its neurons";
  return place;
}

NumberPlace norm_place(const ResultCell& cell) {
  if (cell.table.name == "stream") return stream_place(cell.ui, cell.row, cell.token(cell.column));
  if (cell.table.name == "mlps") return mlp_place(cell.ui, cell.row);
  return attention_place(cell.ui, LayerPlace(cell.row), cell.token(cell.column));
}

// Through all layers: the weights of the last one, or those of the layer of the row, of the shown head.
NumberPlace rollout_place(const ResultCell& cell) {
  const bool by_layer = cell.table.name == "by_layer";
  const Index layer = by_layer ? cell.row : cell.network().config().layers - 1;
  const auto query =
      by_layer ? cell.of_open_text()
                     ? std::optional(predicted_position(cell.network(), cell.ui.view.model.work->ids))
                     : std::nullopt
               : cell.token(cell.row);
  return head_place(cell.ui, LayerPlace(layer), cell.ui.shown_head(), Stage::Weights, query,
                    cell.token(cell.column));
}

// A row of labels names its tokens by what they look like.
NumberPlace direction_place(const ResultCell& cell) {
  if (cell.table.name == "target" || cell.table.name == "generated") return {};
  const Network& network = cell.network();
  try {
    const TypedTarget typed = typed_target(network, cell.row_name());
    if (network.label(typed.id) == cell.row_name()) return target_place(cell.ui, typed.id);
  } catch (const Error&) {
    // it is no word of the vocabulary as it is typed
  }
  std::int32_t id = 0;
  while (id + 1 < network.config().vocabulary && network.label(id) != cell.row_name())
    ++id;
  return target_place(cell.ui, id);
}

NumberPlace part_place(const ResultCell& cell, const StreamPart& part, std::optional<Index> token) {
  switch (part.kind) {
    case StreamPart::Kind::Head:
      return head_place(cell.ui, LayerPlace(part.layer), part.head);
    case StreamPart::Kind::Mlp:
      return mlp_place(cell.ui, part.layer, true);
    case StreamPart::Kind::Embedding:
    case StreamPart::Kind::Position:
    case StreamPart::Kind::Biases:
      break;
  }
  return stream_place(cell.ui, 0, token);
}

NumberPlace reader_place(const ResultCell& cell, const StreamReader& reader) {
  using Kind = StreamReader::Kind;
  switch (reader.kind) {
    case Kind::Queries:
      return head_place(cell.ui, LayerPlace(reader.layer), reader.head, Stage::Queries);
    case Kind::Keys:
      return head_place(cell.ui, LayerPlace(reader.layer), reader.head, Stage::Keys);
    case Kind::Values:
      return head_place(cell.ui, LayerPlace(reader.layer), reader.head, Stage::Values);
    case Kind::Mlp:
      return mlp_place(cell.ui, reader.layer, true);
    case Kind::Logits:
      break;
  }
  return stream_place(cell.ui, reader.layer, std::nullopt);
}

// The cell of the first table that a row of a list of the strongest is of.
std::pair<Index, Index> listed_cell(const ResultCell& cell) {
  if (cell.table.name != "strongest") return {cell.row, cell.column};
  return strongest_edges(cell.answer.result.tables.front().values)[static_cast<std::size_t>(cell.row)];
}

// A part that another layer has made, of the key if it is one, else of the query.
NumberPlace score_place(const ResultCell& cell) {
  const std::vector<StreamPart> parts = parts_before(cell.network(), cell.analysis().layer);
  const auto [row, column] = listed_cell(cell);
  const StreamPart &query = parts[static_cast<std::size_t>(row)],
                   &key = parts[static_cast<std::size_t>(column)];
  const bool made = key.kind == StreamPart::Kind::Head || key.kind == StreamPart::Kind::Mlp;
  return part_place(cell, made ? key : query, std::nullopt);
}

// The place that a dictionary is of, at the token of the row if it has one.
NumberPlace feature_place(const ResultCell& cell) {
  if (cell.table.name == "steered" || cell.table.name == "generated") return direction_place(cell);
  const bool of_token = cell.table.name == "tokens" || cell.table.name == "activations";
  const std::optional<Index> token = of_token ? cell.token(cell.row) : std::nullopt;
  const std::optional<PatchStage>& place = cell.answer.result.place;
  if (place == PatchStage::MlpAdded) return mlp_place(cell.ui, cell.analysis().layer, true);
  if (place == PatchStage::AttentionAdded) return attention_place(cell.ui, cell.layer(), token);
  return stream_place(cell.ui, cell.analysis().layer, token);
}

// A path leads to what receives.
NumberPlace path_place(const ResultCell& cell) {
  const NetworkConfig& c = cell.network().config();
  if (cell.table.name == "kept") return stream_place(cell.ui, c.layers, std::nullopt);
  const std::optional<StreamReader>& one = cell.analysis().receiver;
  if (cell.analysis().kind == AnalysisKind::Paths && one) return reader_place(cell, *one);
  const std::vector<StreamReader> receivers = receivers_of(c);
  return reader_place(cell, receivers[static_cast<std::size_t>(listed_cell(cell).second)]);
}

}  // namespace

NumberPlace answer_place(const UiContext& ui, const AnalysisRun& answer, std::size_t table, Index row,
                         Index column) {
  const ResultCell cell = {ui, answer, answer.result.tables[table], row, column};
  switch (answer.analysis.kind) {
    case AnalysisKind::Loss:
      return loss_place(cell);
    case AnalysisKind::Lens:
      return expected_place(ui, row, cell.token(column));
    case AnalysisKind::Parts:
      return parts_place(cell);
    case AnalysisKind::Patches:
      return has_heads(answer.analysis.stage) || cell.of_open_text()
                 ? patch_place(ui, answer.analysis.stage, row, column)
                 : stream_place(ui, row, std::nullopt);
    case AnalysisKind::Ablation:
      if (cell.table.name == "mlps") return mlp_place(ui, row, true);
      return cell.table.name == "heads" ? head_place(ui, LayerPlace(row), column) : listed_head_place(cell);
    case AnalysisKind::Measures:
      return listed_head_place(cell);
    case AnalysisKind::Circuit:
      return circuit_place(cell);
    case AnalysisKind::Composition:
      if (cell.table.name == "random") return head_place(ui, cell.layer(), answer.analysis.head);
      return head_place(ui, LayerPlace(row), column);
    case AnalysisKind::Neurons:
      return neuron_place(cell);
    case AnalysisKind::Norms:
      return norm_place(cell);
    case AnalysisKind::Moved:
      return head_place(ui, cell.layer(), answer.analysis.head, Stage::Weights, cell.token(row),
                        cell.token(column));
    case AnalysisKind::Rollout:
      return rollout_place(cell);
    case AnalysisKind::Direction:
      return direction_place(cell);
    case AnalysisKind::Score:
      return score_place(cell);
    case AnalysisKind::Paths:
    case AnalysisKind::Edges:
      return path_place(cell);
    case AnalysisKind::Features:
      return feature_place(cell);
  }
  return {};
}

void show_answer_place(UiContext& ui, const AnalysisRun& answer, const NumberPlace& place) {
  AnalysisView& view = ui.view.model.analyses;
  const AnalysisInfo& info = analysis_info(answer.analysis.kind);
  if (info.of_layer) view.layer = answer.analysis.layer;
  if (info.of_head) view.head = answer.analysis.head;
  follow_place(ui, place);
}

}  // namespace headlight
