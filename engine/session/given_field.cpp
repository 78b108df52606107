#include "engine/session/given_field.h"

#include <algorithm>
#include <cstring>

#include "engine/core/error.h"
#include "engine/session/session_words.h"

namespace headlight {
namespace {

bool same_bits(const Matrix& a, const Matrix& b) {
  return a.rows() == b.rows() && a.cols() == b.cols() &&
         std::memcmp(a.data(), b.data(), static_cast<std::size_t>(a.size()) * sizeof(float)) == 0;
}

}  // namespace

void read_given(const Json& value, bool has_d_out, ArrayReader& arrays, Model& model) {
  if (model.attention.projection == Projection::Linear)
    throw Error("queries, keys and values are given, but the projection is linear", "given",
                "write \"projection\": \"none\", or remove \"given\"");
  const JsonFields fields(value, "given", {"query", "key", "value"});
  for (std::size_t p = 0; p < model.given.size(); ++p) {
    const char* name = parameter_name(kParameters[p]);
    const Json* matrices = fields.find(name);
    model.given[p] = matrices ? arrays.batch(*matrices, fields.place(name)) : model.embeddings;
  }
  model.attention.projection = Projection::Given;
  const auto& queries = model.given.front();
  if (!has_d_out && !queries.empty()) model.attention.d_out = queries.front().cols();
}

void write_given(JsonWriter& out, const Model& model, ArrayWriter& arrays) {
  if (model.attention.projection != Projection::Given) return;
  out.key("given");
  out.begin_object();
  for (std::size_t p = 0; p < model.given.size(); ++p) {
    const std::vector<Matrix>& matrices = model.given[p];
    if (std::equal(matrices.begin(), matrices.end(), model.embeddings.begin(), model.embeddings.end(),
                   same_bits))
      continue;
    const std::string name = parameter_name(kParameters[p]);
    out.key(name);
    arrays.batch(out, "given." + name, matrices);
  }
  out.end_object();
}

}  // namespace headlight
