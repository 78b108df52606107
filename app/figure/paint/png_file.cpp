#include "app/figure/paint/png_file.h"

#include <zlib.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <new>
#include <optional>
#include <unordered_map>

#include "engine/core/parallel.h"

namespace headlight {
namespace {

constexpr std::size_t kMostColors = 256;
// Levels of zlib: pictures of more than kLargePicture pixels are compressed quickly rather than well.
constexpr int kCompression = 5, kQuickCompression = 1;
constexpr std::int64_t kLargePicture = 1 << 24;
// Rows are compressed in parallel in bands of this size. It does not depend on the number of threads, so that
// a picture has the same bytes on every machine.
constexpr std::size_t kBandBytes = 1 << 21;
// Bytes of pixels that are made at once: several bands for each thread.
constexpr std::size_t kMadeBytes = std::size_t{1} << 26;

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
  std::vector<std::uint32_t> colors;  // in the order of their first pixels
  std::unordered_map<std::uint32_t, std::uint8_t> indices;
};

std::uint32_t color_of(const PngPixels& image, std::uint32_t pixel) {
  return image.has_opacity ? pixel : pixel | 0xFF000000u;
}

// Adds the colours of some rows; false if there are too many.
bool add_colors(const PngPixels& rows, Palette& palette) {
  for (int y = 0; y < rows.height; ++y) {
    const std::uint32_t* row = rows.pixels + y * rows.stride;
    for (int x = 0; x < rows.width; ++x) {
      if (x > 0 && row[x] == row[x - 1]) continue;
      const std::uint32_t color = color_of(rows, row[x]);
      const auto [at, added] =
          palette.indices.try_emplace(color, static_cast<std::uint8_t>(palette.colors.size()));
      if (!added) continue;
      if (palette.colors.size() == kMostColors) return false;
      palette.colors.push_back(color);
    }
  }
  return true;
}

// Compresses bytes by zlib without a header, so that bands can be joined to one stream.
class Deflater {
 public:
  explicit Deflater(int compression) {
    constexpr int kWithoutHeader = -15, kMemory = 8;
    if (deflateInit2(&stream_, compression, Z_DEFLATED, kWithoutHeader, kMemory, Z_DEFAULT_STRATEGY) != Z_OK)
      throw std::bad_alloc();
  }
  ~Deflater() { deflateEnd(&stream_); }
  Deflater(const Deflater&) = delete;
  Deflater& operator=(const Deflater&) = delete;

  void add(const std::vector<std::uint8_t>& bytes) { run(bytes.data(), bytes.size(), Z_NO_FLUSH); }
  // Ends the stream, or flushes to a whole byte so that another band can follow.
  std::string finish(bool stream_ends) {
    run(nullptr, 0, stream_ends ? Z_FINISH : Z_SYNC_FLUSH);
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

// `to` has width * bytes_per_pixel() bytes.
void convert_row(std::uint8_t* to, const PngPixels& image, const std::uint32_t* row,
                 const std::optional<Palette>& palette) {
  if (palette) {
    std::uint8_t index = 0;
    for (int x = 0; x < image.width; ++x) {
      if (x == 0 || row[x] != row[x - 1]) index = palette->indices.at(color_of(image, row[x]));
      *to++ = index;
    }
    return;
  }
  const std::size_t step = image.has_opacity ? 4 : 3;
  for (int x = 0; x < image.width; ++x, to += step) {
    const std::uint32_t pixel = row[x];
    to[0] = static_cast<std::uint8_t>(pixel >> 16);
    to[1] = static_cast<std::uint8_t>(pixel >> 8);
    to[2] = static_cast<std::uint8_t>(pixel);
    if (image.has_opacity) to[3] = static_cast<std::uint8_t>(pixel >> 24);
  }
}

struct Band {
  std::string packed;
  uLong checksum = adler32(0, nullptr, 0);  // of the uncompressed bytes
  std::size_t bytes = 0;
};

// The Adler-32 checksum after `count` more zero bytes: the low sum does not change, the high sum grows by the
// low one for each.
uLong with_zeros(uLong checksum, std::size_t count) {
  constexpr std::uint64_t kModulus = 65521;
  const std::uint64_t low = checksum & 0xffff, high = checksum >> 16;
  return static_cast<uLong>((high + low * (count % kModulus)) % kModulus << 16 | low);
}

// Rows of a picture, of which the first may only stand above those to be packed.
struct Rows {
  PngPixels pixels;
  int begin = 0, end = 0;  // of those to be packed, in `pixels`
};

// Rows of pixels as stored in a PNG: each after a byte that names its filter, compressed by zlib.
struct PackedPixels {
  std::vector<std::uint32_t> palette;  // the pixels are indices in it; empty: they are RGB or RGBA
  std::string data;
};

// Packs a picture in bands.
class Packer {
 public:
  explicit Packer(const PngRows& picture) : picture_(picture), palette_(palette_of(picture)) {}

  PackedPixels pack() const {
    const int made = made_rows(picture_, pixel_bytes(picture_, palette_.has_value()));
    std::vector<Band> bands;
    for (int begin = 0; begin < picture_.height; begin += made) {
      const int above = begin > 0 ? 1 : 0, end = std::min(begin + made, picture_.height);
      add_bands({picture_.make(begin - above, end), above, end - begin + above}, end == picture_.height,
                bands);
    }
    return {palette_ ? palette_->colors : std::vector<std::uint32_t>(), joined(bands)};
  }

 private:
  static std::size_t pixel_bytes(const PngRows& picture, bool palette) {
    return palette ? 1 : picture.has_opacity ? 4 : 3;
  }
  static int band_rows(const PngRows& picture, std::size_t pixel_bytes) {
    const std::size_t row_bytes = 1 + pixel_bytes * static_cast<std::size_t>(picture.width);
    return static_cast<int>(std::max<std::size_t>(1, kBandBytes / row_bytes));
  }
  // Rows that are made at once: whole bands, or all.
  static int made_rows(const PngRows& picture, std::size_t pixel_bytes) {
    const std::size_t row_bytes = sizeof(std::uint32_t) * static_cast<std::size_t>(picture.width);
    const int most = static_cast<int>(std::max<std::size_t>(1, kMadeBytes / row_bytes)),
              band = band_rows(picture, pixel_bytes);
    return most >= picture.height ? picture.height : std::max(1, most / band) * band;
  }

  static std::optional<Palette> palette_of(const PngRows& picture) {
    // If there are too many colours, as is found at the beginning, the same rows are packed first.
    const int made = made_rows(picture, pixel_bytes(picture, false));
    Palette palette;
    for (int begin = 0; begin < picture.height; begin += made)
      if (!add_colors(picture.make(begin, std::min(begin + made, picture.height)), palette))
        return std::nullopt;
    return palette;
  }

  void add_bands(const Rows& rows, bool ends, std::vector<Band>& bands) const {
    const int height = rows.end - rows.begin,
              most = band_rows(picture_, pixel_bytes(picture_, palette_.has_value()));
    const std::size_t before = bands.size();
    bands.resize(before + static_cast<std::size_t>((height + most - 1) / most));
    for_each_index(
        static_cast<Index>(bands.size() - before), double{1} * picture_.width * height, [&](Index i) {
          const int begin = rows.begin + static_cast<int>(i) * most, end = std::min(begin + most, rows.end);
          bands[before + static_cast<std::size_t>(i)] =
              pack_band({rows.pixels, begin, end}, ends && end == rows.end);
        });
  }

  // Enlarged cells repeat whole rows: a repeated row is written as its difference to the one above, all
  // zeros.
  Band pack_band(const Rows& rows, bool stream_ends) const {
    constexpr std::uint8_t kPlain = 0, kUp = 2;
    const PngPixels& image = rows.pixels;
    const std::size_t row_bytes =
        pixel_bytes(picture_, palette_.has_value()) * static_cast<std::size_t>(image.width);
    std::vector<std::uint8_t> repeated(1 + row_bytes, 0), bytes(1 + row_bytes, kPlain);
    repeated.front() = kUp;
    const bool large = std::int64_t{picture_.width} * picture_.height > kLargePicture;
    Deflater deflater(large ? kQuickCompression : kCompression);
    Band band;
    for (int y = rows.begin; y < rows.end; ++y) {
      const std::uint32_t* row = image.pixels + y * image.stride;
      if (y > 0 && std::equal(row, row + image.width, row - image.stride)) {
        deflater.add(repeated);
        band.checksum = with_zeros(adler32(band.checksum, repeated.data(), 1), row_bytes);
      } else {
        convert_row(bytes.data() + 1, image, row, palette_);
        deflater.add(bytes);
        band.checksum = adler32_z(band.checksum, bytes.data(), bytes.size());
      }
      band.bytes += 1 + row_bytes;
    }
    band.packed = deflater.finish(stream_ends);
    return band;
  }

  // The bands as one stream of zlib.
  static std::string joined(const std::vector<Band>& bands) {
    std::string stream = "\x78\x01";  // deflate with a window of 32 KiB
    uLong checksum = adler32(0, nullptr, 0);
    for (const Band& band : bands) {
      stream += band.packed;
      checksum = adler32_combine(checksum, band.checksum, static_cast<z_off_t>(band.bytes));
    }
    append_number(stream, static_cast<std::uint32_t>(checksum));
    return stream;
  }

  const PngRows& picture_;
  std::optional<Palette> palette_;
};

PngRows rows_of(const PngPixels& image) {
  return {image.width, image.height, image.has_opacity, [image](int begin, int end) {
            PngPixels rows = image;
            rows.pixels += begin * image.stride;
            rows.height = end - begin;
            return rows;
          }};
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

// tEXt for printable ASCII, iTXt for any other text.
void append_text(std::string& file, const std::string& keyword, const std::string& text) {
  const bool plain = std::all_of(text.begin(), text.end(), [](char c) { return c >= 0x20 && c < 0x7F; });
  const std::string end(1, '\0');
  if (plain)
    append_chunk(file, "tEXt", keyword + end + text);
  else
    append_chunk(file, "iTXt", keyword + std::string(5, '\0') + text);
}

}  // namespace

std::string png_file(const PngPixels& image, const PngNotes& notes) {
  return png_file(rows_of(image), notes);
}

std::string png_file(const PngRows& picture, const PngNotes& notes) {
  const PackedPixels packed = Packer(picture).pack();
  const bool palette = !packed.palette.empty();
  std::string file = "\x89PNG\r\n\x1a\n";
  std::string header;
  append_number(header, static_cast<std::uint32_t>(picture.width));
  append_number(header, static_cast<std::uint32_t>(picture.height));
  header += '\x08';
  header += palette ? '\x03' : picture.has_opacity ? '\x06' : '\x02';
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
