#include "engine/arrays/head_table.h"

#include <limits>
#include <utility>

#include "engine/arrays/npy.h"
#include "engine/core/digits.h"
#include "engine/json/json_writer.h"

namespace headlight {
namespace {

std::string separated(const HeadTable& table, char separator) {
  std::string text = "head";
  for (const std::string& measure : table.measures)
    text += separator + measure;
  text += '\n';
  for (std::size_t row = 0; row < table.heads.size(); ++row) {
    text += std::to_string(table.heads[row]);
    for (const std::optional<float>& value : table.values[row]) {
      text += separator;
      if (value) append_float(text, *value);
    }
    text += '\n';
  }
  return text;
}

}  // namespace

std::string head_csv(const HeadTable& table) {
  return separated(table, ',');
}

std::string head_tsv(const HeadTable& table) {
  return separated(table, '\t');
}

std::string head_json(const HeadTable& table) {
  JsonWriter json;
  json.begin_object();
  json.key("session").text(table.session);
  json.key("sequence").whole(table.sequence);
  json.key("picture");
  table.picture.empty() ? json.null() : json.text(table.picture);
  json.key("heads").begin_list();
  for (std::size_t row = 0; row < table.heads.size(); ++row) {
    json.next_item();
    json.begin_object();
    json.key("head").whole(table.heads[row]);
    for (std::size_t column = 0; column < table.measures.size(); ++column) {
      json.key(table.measures[column]);
      const std::optional<float>& value = table.values[row][column];
      value ? json.float32(*value) : json.null();
    }
    json.end_object();
  }
  json.end_list();
  if (!table.about.empty()) {
    json.key("about").json(table.about);
  }
  json.end_object();
  return json.take();
}

std::string head_npz(const HeadTable& table) {
  const auto heads = static_cast<Index>(table.heads.size()),
             measures = static_cast<Index>(table.measures.size());
  NamedArray values{"measures", {heads, measures}, {}}, names{"rows.measures", {heads}, {}, {}};
  for (std::size_t row = 0; row < table.heads.size(); ++row) {
    names.texts.push_back(std::to_string(table.heads[row]));
    for (const std::optional<float>& value : table.values[row])
      values.values.push_back(value.value_or(std::numeric_limits<float>::quiet_NaN()));
  }
  std::vector<NamedArray> arrays = {
      std::move(values), std::move(names), {"columns.measures", {measures}, {}, table.measures}};
  if (!table.about.empty()) arrays.push_back({"about", {}, {}, {table.about}});
  return npz_bytes(arrays);
}

}  // namespace headlight
