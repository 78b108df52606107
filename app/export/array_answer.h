// Arrays that a command computes of a text, or the means of such arrays over the rows of a data set: what
// `headlight gradients` and `headlight patches` save, and `headlight serve` sends.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "engine/analysis/data_set.h"
#include "engine/arrays/array.h"

namespace headlight {

class JsonWriter;

// An array of one text.
struct TextArray {
  NamedArray array;
  std::vector<std::size_t> token_axes = {};  // which of its axes are the tokens of the text
  Index first_token = 0;                     // the token of the first number along these axes
  // What its last axis but one is of, and its last one; of a single axis `rows`. Empty: they have no names.
  std::vector<std::string> rows = {}, columns = {};
  bool by_row = true;  // whether the numbers of each row of a data set are stored beside their mean
};
// The array at these tokens alone, under these names. A token before the first one has NaN.
TextArray at_tokens(TextArray whole, const std::vector<Index>& tokens, const std::vector<std::string>& names);

struct AnswerArray {
  NamedArray array;
  std::vector<std::string> rows, columns;  // as those of TextArray
  // Of a data set: the standard error of each number (MeanWithError), and the numbers of each row, one row
  // after the other. Empty: of one text; each: not stored.
  std::vector<float> error = {}, each = {};
};

struct ArrayAnswer {
  std::vector<AnswerArray> arrays;
  std::vector<std::string> lines;  // for the terminal
  std::string about;               // a JSON object (about.h)
  // Of a data set, else null and empty: its rows, and the number of each: its loss, or that of its target.
  std::shared_ptr<const DataSet> set = {};
  std::vector<double> metric = {};
};
// The arrays of one text. Leaves `arrays` empty.
std::vector<AnswerArray> answer_arrays(std::vector<TextArray>& arrays);

// The means over the rows of a set, one row at a time.
class ArrayMeans {
 public:
  // Precondition: the same arrays, in the same shapes, as the row before.
  void add(const std::vector<TextArray>& row);
  std::vector<AnswerArray> arrays() const;

 private:
  struct Sums {
    TextArray first;                    // of the first row
    std::vector<double> mean, squares;  // running mean, and sum of squared distances from it; not by row
    std::vector<float> each;            // by row
  };
  void add_to(Sums& sums, const NamedArray& array) const;

  std::vector<Sums> all_;
  double rows_ = 0;
};

// Saves the arrays as .npz: each by its name, rows.NAME, columns.NAME, of a data set error.NAME,
// set_rows.NAME (rows of the set first), set_rows.metric and set.COLUMN, and `about`. Throws Error.
void save_array_answer(const ArrayAnswer& answer, const std::filesystem::path& file);
// {"name", "shape"}, and `rows` and `columns` where they have names, for each array in the order of
// sent_numbers().
void write_array_list(JsonWriter& json, const ArrayAnswer& answer);
// The numbers that go out behind that list: of each array its own, error.NAME and set_rows.NAME.
std::vector<const std::vector<float>*> sent_numbers(const ArrayAnswer& answer);

}  // namespace headlight
