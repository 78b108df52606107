#include "app/export/stage_numbers.h"

#include <algorithm>
#include <stdexcept>

#include "engine/arrays/npy.h"
#include "engine/core/error.h"

namespace headlight {
namespace {

constexpr double kMostOfMap = 1e9;  // bytes of numbers from a session with StorageKind::Map

FigurePart whole_part(const Layer& layer, Stage stage) {
  return {{0, stage_rows(layer, stage)}, {0, stage_columns(layer, stage)}};
}

// Throws Error if so many matrices of a stage, each of this part, do not fit in memory.
void require_room(const ComputedSession& session, Stage stage, const FigurePart& part, std::size_t matrices) {
  const double all = sizeof(float) * static_cast<double>(part.rows.count()) *
                     static_cast<double>(part.columns.count()) * static_cast<double>(matrices);
  const StorageKind storage = session.ask([](const Evaluator& evaluator) { return evaluator.storage(); });
  if (all <= default_memory_budget() && (storage != StorageKind::Map || all <= kMostOfMap)) return;
  throw Error("the numbers take " + gigabytes_text(all) + ", which is more than there is room for",
              std::string(stage_info(stage).name),
              "choose fewer heads, or rows and columns, or save a figure");
}

Matrix numbers_of(const ComputedSession& session, Stage stage, Index sequence, Index head,
                  const FigurePart& part, const StageChoice& choice = {}) {
  return session.ask([&](const Evaluator& evaluator) {
    if (choice.content() != TileContent::Stage)
      return (choice.pool != HeadPool::Each ? evaluator.heads_together(stage, sequence, choice.pool)
              : choice.by_value             ? evaluator.value_weighted(stage, sequence, head)
                                            : evaluator.without_first(stage, sequence, head))
          .block(part.rows.begin, part.columns.begin, part.rows.count(), part.columns.count())
          .eval();
    RowSource source = evaluator.rows(stage, sequence, head);
    if (part == whole_part(session.layer(), stage)) return source.whole();
    Matrix values(part.rows.count(), part.columns.count());
    for (Index row = 0; row < values.rows(); ++row)
      std::copy_n(source.row(part.rows.begin + row) + part.columns.begin, values.cols(),
                  values.row(row).data());
    return values;
  });
}

// The table of the values, with only the labels of the part.
StageTable labelled_part(const ComputedSession& session, const StageChoice& choice,
                         const std::vector<Index>& heads, const FigurePart& part,
                         std::vector<Matrix> values) {
  StageTable table =
      labelled_stage(session.layer(), session.title, choice.stage, choice.sequence, heads, std::move(values));
  const auto keep = [](std::vector<std::string>& labels, const IndexRange& range) {
    labels.erase(labels.begin() + range.end, labels.end());
    labels.erase(labels.begin(), labels.begin() + range.begin);
  };
  keep(table.rows, part.rows);
  keep(table.columns, part.columns);
  if (choice.pool != HeadPool::Each) table.together = choice.pool == HeadPool::Mean ? "mean" : "maximum";
  if (choice.content() == TileContent::ValueWeighted) table.stage += "_by_value";
  if (choice.content() == TileContent::WithoutFirst) table.stage += "_without_first_key";
  table.first_row = part.rows.begin;
  table.first_column = part.columns.begin;
  return table;
}

NamedArray whole_stage(const ComputedSession& session, const StageInfo& info) {
  const Layer& layer = session.layer();
  const Index heads = stage_heads(layer, info.stage);
  NamedArray array{std::string(info.name), whole_shape(layer, info.stage), {}};
  for (Index sequence = 0; sequence < layer.sequence_count(); ++sequence)
    for (Index head = 0; head < heads; ++head) {
      const Matrix matrix = numbers_of(session, info.stage, sequence, head, whole_part(layer, info.stage));
      array.values.insert(array.values.end(), matrix.data(), matrix.data() + matrix.size());
    }
  return array;
}

}  // namespace

StageTable stage_table_of(const ComputedSession& session, const StageChoice& choice) {
  const std::vector<Index> heads = chosen_heads(choice, session.layer());
  const FigurePart part = chosen_part(choice, session.layer());
  require_room(session, choice.stage, part, heads.size());
  std::vector<Matrix> values;
  values.reserve(heads.size());
  for (const Index head : heads)
    values.push_back(numbers_of(session, choice.stage, choice.sequence, head, part, choice));
  return labelled_part(session, choice, heads, part, std::move(values));
}

StageTable stage_table_beginning(const ComputedSession& session, const StageChoice& choice, Index rows,
                                 Index columns) {
  const Index head = chosen_heads(choice, session.layer()).front();
  FigurePart part = chosen_part(choice, session.layer());
  part.rows.end = std::min(part.rows.end, part.rows.begin + rows);
  part.columns.end = std::min(part.columns.end, part.columns.begin + columns);
  return labelled_part(session, choice, {head}, part,
                       {numbers_of(session, choice.stage, choice.sequence, head, part, choice)});
}

std::string table_bytes(const StageTable& table, FileFormat format) {
  switch (format) {
    case FileFormat::Csv:
      return stage_csv(table);
    case FileFormat::Tsv:
      return stage_tsv(table);
    case FileFormat::Json:
      return stage_json(table);
    case FileFormat::Latex:
      return stage_latex(table);
    case FileFormat::Markdown:
      return stage_markdown(table);
    case FileFormat::Npy:
      return npy_bytes(stage_array(table));
    case FileFormat::Npz:
      return npz_bytes({stage_array(table)});
    case FileFormat::Png:
    case FileFormat::Svg:
    case FileFormat::Pdf:
      break;
  }
  throw std::logic_error("a figure's format holds no table");
}

std::vector<Index> whole_shape(const Layer& layer, Stage stage) {
  std::vector<Index> shape = {layer.sequence_count()};
  if (stage_info(stage).per_head) shape.push_back(stage_heads(layer, stage));
  shape.push_back(stage_rows(layer, stage));
  shape.push_back(stage_columns(layer, stage));
  return shape;
}

std::vector<NamedArray> every_stage(const ComputedSession& session) {
  const Layer& layer = session.layer();
  const std::vector<Stage> stages = stages_in_use(layer);
  const auto square = std::count_if(stages.begin(), stages.end(), is_pair);
  require_room(session, Stage::Weights, whole_part(layer, Stage::Weights),
               static_cast<std::size_t>(square * layer.sequence_count() * layer.head_count()));
  std::vector<NamedArray> arrays;
  arrays.reserve(stages.size());
  for (const Stage stage : stages)
    arrays.push_back(whole_stage(session, stage_info(stage)));
  return arrays;
}

}  // namespace headlight
