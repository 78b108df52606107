#include "app/export/array_answer.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "app/export/result_files.h"
#include "engine/analysis/set_analysis.h"
#include "engine/arrays/npy.h"
#include "engine/arrays/zip_writer.h"
#include "engine/core/file.h"
#include "engine/json/json_writer.h"

namespace headlight {
namespace {

constexpr float kNoToken = std::numeric_limits<float>::quiet_NaN();

// Along one axis the numbers of these places; of a place below 0 NaN.
NamedArray chosen_along(const NamedArray& array, std::size_t axis, const std::vector<Index>& chosen) {
  Index outer = 1, inner = 1;
  for (std::size_t i = 0; i < array.shape.size(); ++i)
    if (i != axis) (i < axis ? outer : inner) *= array.shape[i];
  NamedArray part{array.name, array.shape, {}};
  part.shape[axis] = static_cast<Index>(chosen.size());
  for (Index block = 0; block < outer; ++block)
    for (const Index place : chosen) {
      if (place < 0) {
        part.values.insert(part.values.end(), static_cast<std::size_t>(inner), kNoToken);
        continue;
      }
      const float* const from = array.values.data() + (block * array.shape[axis] + place) * inner;
      part.values.insert(part.values.end(), from, from + inner);
    }
  return part;
}

std::vector<Index> with_rows(std::vector<Index> shape, std::size_t rows) {
  shape.insert(shape.begin(), static_cast<Index>(rows));
  return shape;
}

// By rows that are one after the other.
MeanWithError mean_of_each(const std::vector<float>& each, std::size_t numbers) {
  std::vector<Matrix> rows;
  for (std::size_t at = 0; at < each.size(); at += numbers)
    rows.emplace_back(Eigen::Map<const Matrix>(each.data() + at, 1, static_cast<Index>(numbers)));
  return mean_with_error(rows);
}

std::vector<float> numbers_in(const Matrix& matrix) {
  return {matrix.data(), matrix.data() + matrix.size()};
}

// One after the other, so that an array is in memory once more and not all of them.
class ArrayFile {
 public:
  explicit ArrayFile(const std::filesystem::path& path) : file_(path), archive_(file_) {}

  void add(const NamedArray& array) { archive_.add(array.name + ".npy", npy_bytes(array)); }
  void add_names(const std::string& name, const std::vector<std::string>& names) {
    if (!names.empty()) add({name, {static_cast<Index>(names.size())}, {}, names});
  }
  void commit() {
    archive_.finish();
    file_.commit();
  }

 private:
  AtomicFile file_;
  ZipWriter archive_;
};

}  // namespace

TextArray at_tokens(TextArray whole, const std::vector<Index>& tokens,
                    const std::vector<std::string>& names) {
  std::vector<Index> places;
  places.reserve(tokens.size());
  for (const Index token : tokens)
    places.push_back(token - whole.first_token);
  for (const std::size_t axis : whole.token_axes) {
    whole.array = chosen_along(whole.array, axis, places);
    const bool last = axis + 1 == whole.array.shape.size() && axis > 0;
    (last ? whole.columns : whole.rows) = names;
  }
  whole.first_token = 0;
  return whole;
}

std::vector<AnswerArray> answer_arrays(std::vector<TextArray>& arrays) {
  std::vector<AnswerArray> all;
  all.reserve(arrays.size());
  for (TextArray& one : arrays)
    all.push_back({std::move(one.array), std::move(one.rows), std::move(one.columns)});
  arrays.clear();
  return all;
}

void ArrayMeans::add(const std::vector<TextArray>& row) {
  if (all_.empty())
    for (const TextArray& one : row)
      all_.push_back({one, {}, {}, {}});
  rows_ += 1;
  for (std::size_t i = 0; i < row.size(); ++i)
    add_to(all_[i], row[i].array);
}

// Welford 1962: the mean and the squares are those of the rows so far.
void ArrayMeans::add_to(Sums& sums, const NamedArray& array) const {
  if (sums.first.by_row) {
    sums.each.insert(sums.each.end(), array.values.begin(), array.values.end());
    return;
  }
  sums.mean.resize(array.values.size());
  sums.squares.resize(array.values.size());
  for (std::size_t i = 0; i < array.values.size(); ++i) {
    const auto value = static_cast<double>(array.values[i]);
    const double before = value - sums.mean[i];
    sums.mean[i] += before / rows_;
    sums.squares[i] += before * (value - sums.mean[i]);
  }
}

std::vector<AnswerArray> ArrayMeans::arrays() const {
  std::vector<AnswerArray> all;
  for (const Sums& sums : all_) {
    const TextArray& first = sums.first;
    AnswerArray one{{first.array.name, first.array.shape, {}}, first.rows, first.columns};
    if (first.by_row) {
      const MeanWithError mean = mean_of_each(sums.each, first.array.values.size());
      one.array.values = numbers_in(mean.mean);
      one.error = numbers_in(mean.error);
      one.each = sums.each;
    } else {
      one.array.values.assign(sums.mean.begin(), sums.mean.end());
      for (const double squares : sums.squares)
        one.error.push_back(rows_ < 2 ? kNoToken
                                      : static_cast<float>(std::sqrt(squares / (rows_ - 1) / rows_)));
    }
    all.push_back(std::move(one));
  }
  return all;
}

void save_array_answer(const ArrayAnswer& answer, const std::filesystem::path& file) {
  ArrayFile saved(file);
  for (const auto& [array, rows, columns, error, each] : answer.arrays) {
    saved.add(array);
    saved.add_names("rows." + array.name, rows);
    saved.add_names("columns." + array.name, columns);
    if (!error.empty()) saved.add({"error." + array.name, array.shape, error});
    if (!each.empty())
      saved.add({"set_rows." + array.name, with_rows(array.shape, answer.set->rows.size()), each});
  }
  if (answer.set) {
    for (const NamedArray& cells : set_cells(*answer.set))
      saved.add(cells);
    saved.add({"set_rows.metric",
               {static_cast<Index>(answer.metric.size())},
               {answer.metric.begin(), answer.metric.end()}});
  }
  saved.add({"about", {}, {}, {answer.about}});
  saved.commit();
}

void write_array_list(JsonWriter& json, const ArrayAnswer& answer) {
  json.begin_list();
  const auto write = [&](const std::string& name, const std::vector<Index>& shape) {
    json.next_item();
    json.begin_object();
    json.key("name").text(name);
    json.key("shape").wholes(shape);
  };
  for (const auto& [array, rows, columns, error, each] : answer.arrays) {
    write(array.name, array.shape);
    if (!rows.empty()) json.key("rows").texts(rows);
    if (!columns.empty()) json.key("columns").texts(columns);
    json.end_object();
    if (!error.empty()) {
      write("error." + array.name, array.shape);
      json.end_object();
    }
    if (!each.empty()) {
      write("set_rows." + array.name, with_rows(array.shape, answer.set->rows.size()));
      json.end_object();
    }
  }
  json.end_list();
}

std::vector<const std::vector<float>*> sent_numbers(const ArrayAnswer& answer) {
  std::vector<const std::vector<float>*> numbers;
  for (const AnswerArray& one : answer.arrays) {
    numbers.push_back(&one.array.values);
    if (!one.error.empty()) numbers.push_back(&one.error);
    if (!one.each.empty()) numbers.push_back(&one.each);
  }
  return numbers;
}

}  // namespace headlight
