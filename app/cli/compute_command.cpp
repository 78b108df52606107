#include "app/cli/commands.h"
#include "app/cli/overwrite.h"
#include "engine/core/error.h"
#include "engine/formats/npy.h"
#include "engine/formats/session.h"

namespace headlight {
namespace {

NamedArray stage_array(const Evaluator& evaluator, const StageInfo& info) {
  const Model& model = evaluator.model();
  const Index heads = stage_heads(model, info.stage);
  NamedArray array;
  array.name = std::string(info.name);
  array.shape = {model.sequence_count()};
  if (info.per_head) array.shape.push_back(heads);
  array.shape.push_back(model.token_count());
  array.shape.push_back(stage_columns(model, info.stage));
  for (Index sequence = 0; sequence < model.sequence_count(); ++sequence)
    for (Index head = 0; head < heads; ++head) {
      const Matrix& matrix = evaluator.matrix(info.stage, sequence, head);
      array.values.insert(array.values.end(), matrix.data(), matrix.data() + matrix.size());
    }
  return array;
}

}  // namespace

void compute_stages(const std::filesystem::path& file, const std::filesystem::path& output, bool force) {
  if (output.extension() != ".npz")
    throw Error("the stages are saved as .npz only", output.string(), "give a name that ends in .npz");
  require_free(output, force);
  const Evaluator evaluator = evaluate(load_session(file).model);
  std::vector<NamedArray> arrays;
  for (const StageInfo& info : stage_table())
    arrays.push_back(stage_array(evaluator, info));
  write_npz(output, arrays);
}

}  // namespace headlight
