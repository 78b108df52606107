#include "app/export/stage_numbers.h"

#include <stdexcept>

#include "engine/arrays/npy.h"

namespace headlight {
namespace {

NamedArray whole_stage(const Evaluator& evaluator, const StageInfo& info) {
  const Model& model = evaluator.model();
  const Index heads = stage_heads(model, info.stage);
  NamedArray array{std::string(info.name), whole_shape(model, info.stage), {}};
  for (Index sequence = 0; sequence < model.sequence_count(); ++sequence)
    for (Index head = 0; head < heads; ++head) {
      const Matrix& matrix = evaluator.matrix(info.stage, sequence, head);
      array.values.insert(array.values.end(), matrix.data(), matrix.data() + matrix.size());
    }
  return array;
}

}  // namespace

StageTable stage_table_of(const ComputedSession& session, const StageChoice& choice) {
  const Model& model = session.evaluator.model();
  const std::vector<Index> heads = chosen_heads(choice, model);
  std::vector<Matrix> values;
  values.reserve(heads.size());
  for (const Index head : heads)
    values.push_back(session.evaluator.matrix(choice.stage, choice.sequence, head));
  return labelled_stage(model, session.title, choice.stage, choice.sequence, heads, std::move(values));
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

std::vector<Index> whole_shape(const Model& model, Stage stage) {
  std::vector<Index> shape = {model.sequence_count()};
  if (stage_info(stage).per_head) shape.push_back(stage_heads(model, stage));
  shape.push_back(model.token_count());
  shape.push_back(stage_columns(model, stage));
  return shape;
}

std::vector<NamedArray> every_stage(const Evaluator& evaluator) {
  std::vector<NamedArray> arrays;
  for (const StageInfo& info : stage_table())
    arrays.push_back(whole_stage(evaluator, info));
  return arrays;
}

}  // namespace headlight
