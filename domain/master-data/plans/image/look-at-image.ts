import { invalid, invalidValue } from '../../../../base/checks/issues.ts';

/** Bytes. The database has the same bound. */
export const MOST_IMAGE_BYTES = 5 * 1_048_576;

/** Pixels of a side, and of all: a browser takes four bytes for each, whatever the file takes. An A0 sheet at 150 dpi has 35 million. */
const MOST_SIDE = 16_384;
const MOST_PIXELS = 40_000_000;

export type ImageType = 'image/png' | 'image/jpeg' | 'image/webp';

export interface KnownImage extends ImageSize {
  mediaType: ImageType;
}

const KINDS: readonly [ImageType, (bytes: Buffer) => ImageSize | null][] = [
  ['image/png', readPng],
  ['image/jpeg', readJpeg],
  ['image/webp', readWebp],
];

/**
 * The type and size of an image, by its content.
 *
 * @throws Invalid, of the field `image`.
 */
export function lookAtImage(bytes: Buffer): KnownImage {
  for (const [mediaType, read] of KINDS) {
    const size = sizeBy(read, bytes);
    if (size !== null) {
      requireSize(size);
      return { mediaType, ...size };
    }
  }
  return refuse('must be a PNG, JPEG or WebP image; export the drawing as one of these');
}

function sizeBy(read: (bytes: Buffer) => ImageSize | null, bytes: Buffer): ImageSize | null {
  try {
    return read(bytes);
  } catch (error) {
    if (error instanceof BrokenImage) {
      return refuse(`${error.message}; save it again`);
    }
    throw error;
  }
}

function requireSize({ width, height }: ImageSize): void {
  if (width < 1 || height < 1) {
    refuse('has no pixels');
  }
  if (width > MOST_SIDE || height > MOST_SIDE || width * height > MOST_PIXELS) {
    refuse(
      `is ${width} x ${height} pixels; at most ${MOST_SIDE} a side and ${MOST_PIXELS / 1e6} million in all can be shown. Save it smaller`,
    );
  }
}

function refuse(rule: string): never {
  throw invalid([invalidValue('image', rule)]);
}

const MARK = 0xff;
const START_OF_SCAN = 0xda;
const END_OF_IMAGE = Buffer.from([MARK, 0xd9]);

/**
 * Null if the bytes are no JPEG.
 *
 * @throws BrokenImage if its segments do not lead to a frame, or no end follows what is scanned. Cameras append to the end.
 */
function readJpeg(bytes: Buffer): ImageSize | null {
  if (bytes.length < 3 || bytes[0] !== MARK || bytes[1] !== 0xd8 || bytes[2] !== MARK) {
    return null;
  }
  let size: ImageSize | null = null;
  let isTurned = false;
  for (let at = 2, parts = 1; ; parts++) {
    // Bytes that fill the space before a marker.
    while (bytes[at] === MARK && bytes[at + 1] === MARK && parts <= MOST_PARTS) {
      at += 1;
      parts += 1;
    }
    if (parts > MOST_PARTS) {
      throw new BrokenImage('is a JPEG in too many pieces');
    }
    if (at + 4 > bytes.length) {
      throw new BrokenImage('is a JPEG that is cut off');
    }
    const [mark, kind = 0, length] = [bytes[at], bytes[at + 1], bytes.readUInt16BE(at + 2)];
    if (mark !== MARK || length < 2) {
      throw new BrokenImage('is a JPEG with a broken header');
    }
    if (isFrame(kind)) {
      if (size !== null || length < 8 || at + 9 > bytes.length) {
        throw new BrokenImage('is a JPEG with a broken header');
      }
      size = { height: bytes.readUInt16BE(at + 5), width: bytes.readUInt16BE(at + 7) };
    }
    isTurned ||= kind === EXIF && isQuarterTurn(bytes.subarray(at + 4, at + 2 + length));
    at += 2 + length;
    if (kind === START_OF_SCAN) {
      if (size === null) {
        throw new BrokenImage('is a JPEG with a broken header');
      }
      if (bytes.lastIndexOf(END_OF_IMAGE) < at) {
        throw new BrokenImage('is a JPEG that is cut off');
      }
      return isTurned ? { width: size.height, height: size.width } : size;
    }
  }
}

const EXIF = 0xe1;
const ORIENTATION = 0x0112;

/** Whether browsers show it turned by a quarter, as cameras that were held upright say. */
function isQuarterTurn(segment: Buffer): boolean {
  const tiff = segment.subarray(6);
  const order = tiff.toString('latin1', 0, 2);
  if (segment.toString('latin1', 0, 6) !== 'Exif\0\0' || tiff.length < 14 || !['II', 'MM'].includes(order)) {
    return false;
  }
  const isLittle = order === 'II';
  const short = (at: number) => (isLittle ? tiff.readUInt16LE(at) : tiff.readUInt16BE(at));
  const first = isLittle ? tiff.readUInt32LE(4) : tiff.readUInt32BE(4);
  const count = first + 2 <= tiff.length ? short(first) : 0;
  for (let at = first + 2, entry = 0; entry < count && at + 12 <= tiff.length; entry++, at += 12) {
    if (short(at) === ORIENTATION) {
      return short(at + 8) >= 5 && short(at + 8) <= 8;
    }
  }
  return false;
}

/** SOF0 to SOF15 but for DHT, JPG and DAC, which have numbers among them. */
function isFrame(kind: number): boolean {
  return kind >= 0xc0 && kind <= 0xcf && kind !== 0xc4 && kind !== 0xc8 && kind !== 0xcc;
}

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/** Length, type and checksum of a chunk. */
const AROUND_CHUNK = 12;

/** Null if the bytes are no PNG. @throws BrokenImage if its chunks do not lead from the header to the end. */
function readPng(bytes: Buffer): ImageSize | null {
  if (!bytes.subarray(0, SIGNATURE.length).equals(SIGNATURE)) {
    return null;
  }
  const first = chunkAt(bytes, SIGNATURE.length);
  if (first.type !== 'IHDR' || first.length !== 13) {
    throw new BrokenImage('is a PNG without a header');
  }
  const header = SIGNATURE.length + 8;
  const size = { width: bytes.readUInt32BE(header), height: bytes.readUInt32BE(header + 4) };
  let hasPixels = false;
  for (let at = SIGNATURE.length, type = '', parts = 1; type !== 'IEND'; parts++) {
    if (parts > MOST_PARTS) {
      throw new BrokenImage('is a PNG in too many pieces');
    }
    const chunk = chunkAt(bytes, at);
    hasPixels ||= chunk.type === 'IDAT';
    type = chunk.type;
    at = chunk.end;
  }
  if (!hasPixels) {
    throw new BrokenImage('is a PNG without an image in it');
  }
  return size;
}

function chunkAt(bytes: Buffer, at: number): { type: string; length: number; end: number } {
  if (at + AROUND_CHUNK > bytes.length) {
    throw new BrokenImage('is a PNG that is cut off');
  }
  const length = bytes.readUInt32BE(at);
  const end = at + AROUND_CHUNK + length;
  if (end > bytes.length) {
    throw new BrokenImage('is a PNG that is cut off');
  }
  return { type: bytes.toString('latin1', at + 4, at + 8), length, end };
}

/** `RIFF`, length, `WEBP`, then the name and length of the first chunk. */
const CHUNK = 12;
const CONTENT = 20;

/** Null if the bytes are no WebP. @throws BrokenImage if it is shorter than it says, or begins with no image. */
function readWebp(bytes: Buffer): ImageSize | null {
  if (bytes.toString('latin1', 0, 4) !== 'RIFF' || bytes.toString('latin1', 8, CHUNK) !== 'WEBP') {
    return null;
  }
  if (bytes.length < CONTENT + 10 || bytes.readUInt32LE(4) + 8 > bytes.length) {
    throw new BrokenImage('is a WebP that is cut off');
  }
  switch (bytes.toString('latin1', CHUNK, CHUNK + 4)) {
    case 'VP8 ':
      return lossy(bytes);
    case 'VP8L':
      return lossless(bytes);
    case 'VP8X':
      return { width: 1 + bytes.readUIntLE(CONTENT + 4, 3), height: 1 + bytes.readUIntLE(CONTENT + 7, 3) };
    default:
      throw new BrokenImage('is a WebP without an image in it');
  }
}

function lossy(bytes: Buffer): ImageSize {
  if (bytes.readUIntBE(CONTENT + 3, 3) !== 0x9d012a) {
    throw new BrokenImage('is a WebP with a broken header');
  }
  return {
    width: bytes.readUInt16LE(CONTENT + 6) & 0x3fff,
    height: bytes.readUInt16LE(CONTENT + 8) & 0x3fff,
  };
}

function lossless(bytes: Buffer): ImageSize {
  if (bytes[CONTENT] !== 0x2f) {
    throw new BrokenImage('is a WebP with a broken header');
  }
  const bits = bytes.readUInt32LE(CONTENT + 1);
  return { width: 1 + (bits & 0x3fff), height: 1 + ((bits >>> 14) & 0x3fff) };
}

/** The facts in the header of an image. */
interface ImageSize {
  width: number;
  height: number;
}

/** Parts of a file: an image of 5 MiB has some hundred; a million empty ones would hold up everybody. */
const MOST_PARTS = 20_000;

/** The reason why an image cannot be shown. */
class BrokenImage extends Error {}
