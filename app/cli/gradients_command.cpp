#include "app/cli/commands.h"
#include "app/export/exported_files.h"
#include "app/export/stage_numbers.h"
#include "engine/arrays/npy.h"
#include "engine/core/error.h"
#include "engine/learning/gradients.h"

namespace headlight {
namespace {

NamedArray gradient_array(const std::string& name, std::vector<Index> shape,
                          const std::vector<Matrix>& matrices) {
  NamedArray array{"grad." + name, std::move(shape), {}};
  for (const Matrix& matrix : matrices)
    array.values.insert(array.values.end(), matrix.data(), matrix.data() + matrix.size());
  return array;
}

// An output projection has the name of the stage that it computes.
std::string array_name(const Layer& layer, Stage stage) {
  const bool taken = stage == Stage::Output && layer.uses(Parameter::Output);
  return std::string(stage_info(stage).name) + (taken ? "_stage" : "");
}

std::vector<NamedArray> gradient_arrays(const Layer& layer, const Gradients& all) {
  std::vector<NamedArray> arrays = {{"loss", {}, {static_cast<float>(all.loss)}}};
  for (const StageInfo& info : stage_table())
    if (!all.of(info.stage).empty())
      arrays.push_back(
          gradient_array(array_name(layer, info.stage), whole_shape(layer, info.stage), all.of(info.stage)));
  if (!all.key_embeddings.empty())
    arrays.push_back(gradient_array(
        "key_embeddings", {layer.sequence_count(), layer.key_count(), layer.key_d_in()}, all.key_embeddings));
  for (const Parameter p : kParameters) {
    const Matrix &matrix = all.matrix(p), &bias = all.bias(p);
    const std::string name = parameter_name(p);
    if (layer.uses(p)) arrays.push_back(gradient_array(name, {matrix.rows(), matrix.cols()}, {matrix}));
    if (layer.uses_bias(p)) arrays.push_back(gradient_array(name + "_bias", {bias.cols()}, {bias}));
  }
  return arrays;
}

}  // namespace

void save_gradients(const Source& source, const std::filesystem::path& output, bool force,
                    std::ostream& out) {
  const std::filesystem::path& file = source.path;
  if (output.extension() != ".npz")
    throw Error("gradients are saved as .npz only", output.string(), "give a name that ends in .npz");
  require_free(output, force);
  const Session session = load_session_with(file, source.model);
  if (!session.goal)
    throw Error("the session has no goal, whose loss gradients are of", file.string() + ": goal",
                "write \"goal\": {\"stage\": \"weights\", \"loss\": \"squared\", \"target\": [...]}");
  Gradients all;
  try {
    all = gradients(session.layer, *session.goal);
  } catch (const Error& error) {
    throw error.inside(file.string());
  }
  write_npz(output, gradient_arrays(session.layer, all));
  out << "loss " << all.loss << "\n" << output.string() << " saved\n";
}

}  // namespace headlight
