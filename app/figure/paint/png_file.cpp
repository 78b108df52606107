#include "app/figure/paint/png_file.h"

#include <zlib.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <new>
#include <optional>
#include <unordered_map>

namespace headlight {
namespace {

constexpr std::size_t kMostColors = 256;
// Of zlib. Large pictures are compressed quickly rather than well.
constexpr int kCompression = 5, kQuickCompression = 1;
constexpr std::int64_t kLargePicture = 1 << 24;

void append_number(std::string& bytes, std::uint32_t value) {
  for (int shift = 24; shift >= 0; shift -= 8)
    bytes += static_cast<char>(value >> shift);
}

void append_chunk(std::string& file, const char* type, const std::string& data) {
  append_number(file, static_cast<std::uint32_t>(data.size()));
  const std::string body = type + data;
  file += body;
  append_number(file, static_cast<std::uint32_t>(crc32(0, reinterpret_cast<const Bytef*>(body.data()),
                                                       static_cast<uInt>(body.size()))));
}

struct Palette {
  std::vector<std::uint32_t> colors;  // in the order in which they are met
  std::unordered_map<std::uint32_t, std::uint8_t> indices;
};

std::uint32_t color_of(const PngPixels& image, std::uint32_t pixel) {
  return image.has_opacity ? pixel : pixel | 0xFF000000u;
}

std::optional<Palette> palette_of(const PngPixels& image) {
  Palette palette;
  for (int y = 0; y < image.height; ++y) {
    const std::uint32_t* row = image.pixels + y * image.stride;
    for (int x = 0; x < image.width; ++x) {
      if (x > 0 && row[x] == row[x - 1]) continue;
      const std::uint32_t color = color_of(image, row[x]);
      const auto [at, added] =
          palette.indices.try_emplace(color, static_cast<std::uint8_t>(palette.colors.size()));
      if (!added) continue;
      if (palette.colors.size() == kMostColors) return std::nullopt;
      palette.colors.push_back(color);
    }
  }
  return palette;
}

// Deflates rows as they come: a picture of 12 heads would be hundreds of megabytes in one piece.
class Deflater {
 public:
  explicit Deflater(int compression) {
    if (deflateInit(&stream_, compression) != Z_OK) throw std::bad_alloc();
  }
  ~Deflater() { deflateEnd(&stream_); }
  Deflater(const Deflater&) = delete;
  Deflater& operator=(const Deflater&) = delete;

  void add(const std::vector<std::uint8_t>& bytes) { run(bytes.data(), bytes.size(), Z_NO_FLUSH); }
  std::string finish() {
    run(nullptr, 0, Z_FINISH);
    return std::move(packed_);
  }

 private:
  void run(const std::uint8_t* data, std::size_t size, int flush) {
    stream_.next_in = const_cast<Bytef*>(data);
    stream_.avail_in = static_cast<uInt>(size);
    do {
      stream_.next_out = buffer_;
      stream_.avail_out = sizeof buffer_;
      deflate(&stream_, flush);
      packed_.append(reinterpret_cast<const char*>(buffer_), sizeof buffer_ - stream_.avail_out);
    } while (stream_.avail_out == 0);
  }

  z_stream stream_{};
  Bytef buffer_[1 << 16];
  std::string packed_;
};

void append_row(std::vector<std::uint8_t>& bytes, const PngPixels& image, const std::uint32_t* row,
                const std::optional<Palette>& palette) {
  std::uint32_t before = 0;
  std::uint8_t index = 0;
  for (int x = 0; x < image.width; ++x) {
    const std::uint32_t pixel = row[x];
    if (palette) {
      if (x == 0 || pixel != before) index = palette->indices.at(color_of(image, pixel));
      before = pixel;
      bytes.push_back(index);
      continue;
    }
    for (const int shift : {16, 8, 0})
      bytes.push_back(static_cast<std::uint8_t>(pixel >> shift));
    if (image.has_opacity) bytes.push_back(static_cast<std::uint8_t>(pixel >> 24));
  }
}

// Enlarged cells repeat whole rows: such a row is written as its difference to the one above, which is zeros.
std::string packed_rows(const PngPixels& image, const std::optional<Palette>& palette) {
  constexpr std::uint8_t kPlain = 0, kUp = 2;
  const std::size_t pixel_bytes = palette ? 1 : image.has_opacity ? 4 : 3;
  std::vector<std::uint8_t> repeated(1 + pixel_bytes * static_cast<std::size_t>(image.width), 0), bytes;
  repeated.front() = kUp;
  const bool large = std::int64_t{image.width} * image.height > kLargePicture;
  Deflater deflater(large ? kQuickCompression : kCompression);
  for (int y = 0; y < image.height; ++y) {
    const std::uint32_t* row = image.pixels + y * image.stride;
    if (y > 0 && std::equal(row, row + image.width, row - image.stride)) {
      deflater.add(repeated);
      continue;
    }
    bytes.assign(1, kPlain);
    append_row(bytes, image, row, palette);
    deflater.add(bytes);
  }
  return deflater.finish();
}

void append_palette(std::string& file, const std::vector<std::uint32_t>& palette) {
  std::string colors, opacities;
  for (const std::uint32_t color : palette) {
    for (const int shift : {16, 8, 0})
      colors += static_cast<char>(color >> shift);
    opacities += static_cast<char>(color >> 24);
  }
  append_chunk(file, "PLTE", colors);
  opacities.erase(opacities.find_last_not_of('\xFF') + 1);
  if (!opacities.empty()) append_chunk(file, "tRNS", opacities);
}

// tEXt for what Latin-1 can say, iTXt for the rest.
void append_text(std::string& file, const std::string& keyword, const std::string& text) {
  const bool plain = std::all_of(text.begin(), text.end(), [](char c) { return c >= 0x20 && c < 0x7F; });
  const std::string end(1, '\0');
  if (plain)
    append_chunk(file, "tEXt", keyword + end + text);
  else
    append_chunk(file, "iTXt", keyword + std::string(5, '\0') + text);
}

}  // namespace

PackedPixels pack_pixels(const PngPixels& image) {
  const std::optional<Palette> palette = palette_of(image);
  return {palette ? palette->colors : std::vector<std::uint32_t>(), packed_rows(image, palette)};
}

std::string png_file(const PngPixels& image, const PngNotes& notes) {
  const PackedPixels packed = pack_pixels(image);
  const bool palette = !packed.palette.empty();
  std::string file = "\x89PNG\r\n\x1a\n";
  std::string header;
  append_number(header, static_cast<std::uint32_t>(image.width));
  append_number(header, static_cast<std::uint32_t>(image.height));
  header += '\x08';
  header += palette ? '\x03' : image.has_opacity ? '\x06' : '\x02';
  header += std::string(3, '\0');
  append_chunk(file, "IHDR", header);
  if (notes.dpi > 0) {
    std::string resolution;
    const auto per_metre = static_cast<std::uint32_t>(std::lround(notes.dpi / 0.0254));
    append_number(resolution, per_metre);
    append_number(resolution, per_metre);
    append_chunk(file, "pHYs", resolution + '\x01');
  }
  for (const auto& [keyword, text] : notes.texts)
    if (!text.empty()) append_text(file, keyword, text);
  if (palette) append_palette(file, packed.palette);
  append_chunk(file, "IDAT", packed.data);
  append_chunk(file, "IEND", "");
  return file;
}

}  // namespace headlight
