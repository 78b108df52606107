// The checksum of zlib over the bytes of an array.
const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? 0xedb88320 ^ (crc >>> 1) : crc >>> 1;
  return crc;
});

export function crc32({ buffer, byteOffset, byteLength }) {
  let crc = 0xffffffff;
  for (const byte of new Uint8Array(buffer, byteOffset, byteLength)) crc = TABLE[(crc ^ byte) & 0xff] ^ (crc >>> 8);
  return (crc ^ 0xffffffff) >>> 0;
}
