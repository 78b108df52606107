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

std::size_t bytes_per_pixel(const PngPixels& image, const std::optional<Palette>& palette) {
  return palette ? 1 : image.has_opacity ? 4 : 3;
}

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

// Enlarged cells repeat whole rows: a repeated row is written as its difference to the one above, all zeros.
Band pack_band(const PngPixels& image, const std::optional<Palette>& palette, int begin, int end) {
  constexpr std::uint8_t kPlain = 0, kUp = 2;
  const std::size_t row_bytes = bytes_per_pixel(image, palette) * static_cast<std::size_t>(image.width);
  std::vector<std::uint8_t> repeated(1 + row_bytes, 0), bytes(1 + row_bytes, kPlain);
  repeated.front() = kUp;
  const bool large = std::int64_t{image.width} * image.height > kLargePicture;
  Deflater deflater(large ? kQuickCompression : kCompression);
  Band band;
  for (int y = begin; y < end; ++y) {
    const std::uint32_t* row = image.pixels + y * image.stride;
    if (y > 0 && std::equal(row, row + image.width, row - image.stride)) {
      deflater.add(repeated);
      band.checksum = with_zeros(adler32(band.checksum, repeated.data(), 1), row_bytes);
    } else {
      convert_row(bytes.data() + 1, image, row, palette);
      deflater.add(bytes);
      band.checksum = adler32_z(band.checksum, bytes.data(), bytes.size());
    }
    band.bytes += 1 + row_bytes;
  }
  band.packed = deflater.finish(end == image.height);
  return band;
}

// Joins the bands to one stream of zlib.
std::string joined(const std::vector<Band>& bands) {
  std::string stream = "\x78\x01";  // deflate with a window of 32 KiB
  uLong checksum = adler32(0, nullptr, 0);
  for (const Band& band : bands) {
    stream += band.packed;
    checksum = adler32_combine(checksum, band.checksum, static_cast<z_off_t>(band.bytes));
  }
  append_number(stream, static_cast<std::uint32_t>(checksum));
  return stream;
}

std::string packed_rows(const PngPixels& image, const std::optional<Palette>& palette) {
  const std::size_t row_bytes = 1 + bytes_per_pixel(image, palette) * static_cast<std::size_t>(image.width);
  const int rows = static_cast<int>(std::max<std::size_t>(1, kBandBytes / row_bytes));
  std::vector<Band> bands(static_cast<std::size_t>((image.height + rows - 1) / rows));
  for_each_index(static_cast<Index>(bands.size()), double{1} * image.width * image.height, [&](Index i) {
    const int begin = static_cast<int>(i) * rows;
    bands[static_cast<std::size_t>(i)] =
        pack_band(image, palette, begin, std::min(begin + rows, image.height));
  });
  return joined(bands);
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
