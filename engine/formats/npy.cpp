#include "engine/formats/npy.h"

#include <bit>
#include <cstring>

#include "engine/core/error.h"
#include "engine/formats/element_type.h"
#include "engine/formats/file.h"
#include "engine/formats/npy_header.h"
#include "engine/formats/session.h"

namespace headlight {
namespace {

// values: in Fortran order, the first index running fastest. Returns them in C order.
std::vector<float> c_order(const std::vector<float>& values, const std::vector<Index>& shape) {
  std::vector<float> result(values.size());
  std::vector<Index> index(shape.size(), 0);
  for (float& value : result) {
    Index source = 0;
    for (std::size_t axis = shape.size(); axis-- > 0;)
      source = source * shape[axis] + index[axis];
    value = values[static_cast<std::size_t>(source)];
    for (std::size_t axis = shape.size(); axis-- > 0;) {
      if (++index[axis] < shape[axis]) break;
      index[axis] = 0;
    }
  }
  return result;
}

}  // namespace

NamedArray parse_npy(std::string_view bytes, const std::string& where) {
  const NpyHeader header = parse_npy_header(bytes, where);
  const std::uint64_t size = array_bytes(header.shape, header.type, kMaxArrayBytes, where);
  const std::string_view data = bytes.substr(header.data_offset);
  if (data.size() < size)
    throw Error("the file ends after " + std::to_string(data.size()) + " of " + std::to_string(size) +
                    " bytes of values (shape " + shape_text(header.shape) + ")",
                where, "it was cut off: save or copy it again");
  if (data.size() > size)
    throw Error(std::to_string(data.size() - size) + " bytes follow the values (shape " +
                    shape_text(header.shape) + ")",
                where, "the file is damaged or holds several arrays: save one array in it");
  NamedArray array;
  array.shape = header.shape;
  array.values = decode_elements(data, header.type, where);
  if (header.fortran_order && header.shape.size() > 1) array.values = c_order(array.values, array.shape);
  return array;
}

std::string npy_bytes(const NamedArray& array) {
  static_assert(std::endian::native == std::endian::little,
                "float32 values are copied as they lie in memory");
  std::string bytes = npy_header_bytes(array.shape);
  const std::size_t header_size = bytes.size();
  bytes.resize(header_size + array.values.size() * sizeof(float));
  if (!array.values.empty())
    std::memcpy(bytes.data() + header_size, array.values.data(), array.values.size() * sizeof(float));
  return bytes;
}

NamedArray read_npy(const std::filesystem::path& path) {
  require_file(path, kMaxArrayBytes);
  NamedArray array = parse_npy(read_file(path), path.string());
  array.name = path.stem().string();
  return array;
}

}  // namespace headlight
