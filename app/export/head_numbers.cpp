#include "app/export/head_numbers.h"

namespace headlight {
namespace {

std::string picture_name(const HeadPicture& picture) {
  switch (picture.kind) {
    case PictureKind::None:
      break;
    case PictureKind::Head:
      return "head " + std::to_string(picture.head);
    case PictureKind::BaselineHead:
      return "head " + std::to_string(picture.head) + " of A";
    case PictureKind::SameBaselineHead:
      return "the same head of A";
    case PictureKind::Mask:
      return "mask";
  }
  return "";
}

}  // namespace

HeadTable ordered_table(const std::string& session_title, Index sequence, const HeadPicture& picture,
                        const std::vector<HeadMeasures>& measures, const HeadOrder& order) {
  HeadTable table;
  table.session = session_title;
  table.sequence = sequence;
  table.picture = picture_name(picture);
  for (const HeadMeasureInfo& info : head_measure_table())
    table.measures.emplace_back(info.name);
  std::vector<std::optional<float>> keys(measures.size());
  for (std::size_t head = 0; order.by && head < measures.size(); ++head)
    keys[head] = measures[head].of(*order.by);
  table.heads = sorted_places(keys, order.ascending);
  for (const Index head : table.heads) {
    const HeadMeasures& own = measures[static_cast<std::size_t>(head)];
    table.values.emplace_back(own.values.begin(), own.values.end());
  }
  return table;
}

bool is_head_format(FileFormat format) {
  return format == FileFormat::Csv || format == FileFormat::Tsv || format == FileFormat::Json ||
         format == FileFormat::Npz;
}

std::string head_bytes(const HeadTable& table, FileFormat format) {
  if (format == FileFormat::Json) return head_json(table);
  if (format == FileFormat::Npz) return head_npz(table);
  return format == FileFormat::Tsv ? head_tsv(table) : head_csv(table);
}

}  // namespace headlight
