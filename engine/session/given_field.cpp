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

// Sets d_k and d_v from the matrices; 0 for a width of d_out / num_heads, so that it follows d_out.
void infer_widths(const Json& attention, Layer& layer) {
  AttentionSettings& a = layer.attention;
  const auto width = [&](Parameter parameter, Index heads) -> Index {
    const auto& matrices = layer.given[static_cast<std::size_t>(parameter)];
    const Index columns = matrices.empty() ? 0 : matrices.front().cols();
    return heads > 0 && columns % heads == 0 ? columns / heads : 0;
  };
  const Index groups = layer.kv_head_count();
  const Index d_k = a.d_k > 0 ? a.d_k : width(Parameter::Query, a.num_heads);
  const Index d_v = a.d_v > 0 ? a.d_v : width(Parameter::Value, groups);
  if (!attention.contains("d_out")) a.d_out = std::max<Index>(d_v, 1) * a.num_heads;
  const Index shared = a.d_out % a.num_heads == 0 ? a.d_out / a.num_heads : 0;
  a.d_k = d_k == shared ? 0 : d_k;
  a.d_v = d_v == shared ? 0 : d_v;
}

std::vector<Matrix> read_rows(const JsonFields& fields, Parameter parameter, Index& heads,
                              ArrayReader& arrays, const Layer& layer) {
  const char* name = parameter_name(parameter);
  if (const Json* value = fields.find(name)) return arrays.heads(*value, fields.place(name), heads);
  const bool of_keys = parameter != Parameter::Query && !layer.key_embeddings.empty();
  const std::vector<Matrix>& x = of_keys ? layer.key_embeddings : layer.embeddings;
  if (x.empty()) fields.require(name, "give it, or embeddings, which it then is");
  return x;
}

void read_given_weights(const JsonFields& fields, const Json& attention, ArrayReader& arrays, Layer& layer) {
  AttentionSettings& a = layer.attention;
  const Json& weights =
      fields.require("weights", "the projection is \"weights\": give an array of H x Tq x Tk");
  layer.given_weights = arrays.pairs(weights, fields.place("weights"));
  if (!attention.contains("num_heads")) a.num_heads = layer.given_weights.heads;
  Index groups = a.num_kv_heads;
  if (fields.has("value")) layer.given.back() = read_rows(fields, Parameter::Value, groups, arrays, layer);
  if (groups != a.num_kv_heads && groups != a.num_heads) a.num_kv_heads = groups;
  if (a.d_out == 0 && !fields.has("value")) a.d_out = a.num_heads;
  infer_widths(attention, layer);
}

}  // namespace

void read_given(const Json& value, const Json& attention, ArrayReader& arrays, Layer& layer) {
  AttentionSettings& a = layer.attention;
  if (a.projection == Projection::Linear)
    throw Error("queries, keys and values are given, but the projection is linear", "given",
                "write \"projection\": \"none\", or remove \"given\"");
  const bool weights = a.projection == Projection::Weights;
  const JsonFields fields(value, "given",
                          weights ? std::vector<std::string>{"weights", "value"}
                                  : std::vector<std::string>{"query", "key", "value"});
  if (weights) return read_given_weights(fields, attention, arrays, layer);
  Index heads = attention.contains("num_heads") ? a.num_heads : 0, groups = a.num_kv_heads;
  layer.given[0] = read_rows(fields, Parameter::Query, heads, arrays, layer);
  if (heads > 0) a.num_heads = heads;
  if (groups == 0 && attention.contains("num_heads")) groups = a.num_heads;
  layer.given[1] = read_rows(fields, Parameter::Key, groups, arrays, layer);
  layer.given[2] = read_rows(fields, Parameter::Value, groups, arrays, layer);
  if (groups > 0 && groups != a.num_heads) a.num_kv_heads = groups;
  a.projection = Projection::Given;
  infer_widths(attention, layer);
}

void write_given(JsonWriter& out, const Layer& layer, ArrayWriter& arrays) {
  const Projection projection = layer.attention.projection;
  if (projection != Projection::Given && projection != Projection::Weights) return;
  out.key("given").begin_object();
  if (projection == Projection::Weights) {
    out.key("weights");
    arrays.pairs(out, "given.weights", layer.given_weights);
  }
  for (std::size_t p = 0; p < layer.given.size(); ++p) {
    const std::vector<Matrix>& matrices = layer.given[p];
    const bool of_keys = p > 0 && !layer.key_embeddings.empty();
    const std::vector<Matrix>& x = of_keys ? layer.key_embeddings : layer.embeddings;
    if (matrices.empty() || std::equal(matrices.begin(), matrices.end(), x.begin(), x.end(), same_bits))
      continue;
    const std::string name = parameter_name(kParameters[p]);
    out.key(name);
    arrays.batch(out, "given." + name, matrices);
  }
  out.end_object();
}

}  // namespace headlight
