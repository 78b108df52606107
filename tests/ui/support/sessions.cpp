#include "tests/ui/support/sessions.h"

#include <filesystem>

#include "app/settings/assets.h"
#include "engine/core/error.h"
#include "engine/layer/reshape.h"

namespace headlight_test {

using namespace headlight;

Session lesson_session(const std::string& stem) {
  for (const std::filesystem::path& file : lesson_files())
    if (file.stem() == stem) return load_session(file);
  throw Error("there is no such lesson", stem, "");
}

Session large_session(Index tokens, Index heads) {
  Session session = lesson_session("20-two-heads");
  session.lesson.reset();
  Layer& layer = session.layer;
  const Index width = heads * 4;
  layer.tokens.clear();
  for (Index i = 0; i < tokens; ++i)
    layer.tokens.push_back("t" + std::to_string(i));
  layer.embeddings = {Matrix(tokens, width)};
  for (Index i = 0; i < layer.embeddings[0].size(); ++i)
    layer.embeddings[0].data()[i] = static_cast<float>((i * 37) % 101) / 101.0f;
  layer.attention.d_out = width;
  layer.attention.num_heads = heads;
  const WeightRecipe recipe = *layer.weights.recipe;
  draw_weights(layer, recipe);
  return session;
}

}  // namespace headlight_test
