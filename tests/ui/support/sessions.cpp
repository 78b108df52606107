#include "tests/ui/support/sessions.h"

#include <filesystem>

#include "app/settings/assets.h"
#include "engine/core/error.h"
#include "engine/model/reshape.h"

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
  Model& model = session.model;
  const Index width = heads * 4;
  model.tokens.clear();
  for (Index i = 0; i < tokens; ++i)
    model.tokens.push_back("t" + std::to_string(i));
  model.embeddings = {Matrix(tokens, width)};
  for (Index i = 0; i < model.embeddings[0].size(); ++i)
    model.embeddings[0].data()[i] = static_cast<float>((i * 37) % 101) / 101.0f;
  model.attention.d_out = width;
  model.attention.num_heads = heads;
  const WeightRecipe recipe = *model.weights.recipe;
  draw_weights(model, recipe);
  return session;
}

}  // namespace headlight_test
