#include "app/ui/inputs/grid_statistics.h"

#include "app/ui/widgets/number_cell.h"

namespace headlight {

void update_statistics(GridStatistics& statistics, std::uint64_t revision, const InputId& input,
                       const GridRange& range, const Matrix& matrix) {
  if (statistics.revision == revision && statistics.input == input && statistics.range == range) return;
  const auto block = matrix.block(range.row, range.column, range.rows, range.columns);
  const double sum = block.cast<double>().sum();
  statistics = {revision,         input,           range, sum, sum / static_cast<double>(range.size()),
                block.minCoeff(), block.maxCoeff()};
}

std::string statistics_text(const GridStatistics& statistics) {
  const auto number = [](double value) { return cell_text(static_cast<float>(value)); };
  return std::to_string(statistics.range.size()) + " cells  ·  sum " + number(statistics.sum) + "  ·  mean " +
         number(statistics.mean) + "  ·  min " + number(statistics.least) + "  ·  max " +
         number(statistics.most);
}

}  // namespace headlight
