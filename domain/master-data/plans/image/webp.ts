import { BrokenImage, type ImageSize } from './image-size.ts';

/** `RIFF`, length, `WEBP`, then the name and length of the first chunk. */
const CHUNK = 12;
const CONTENT = 20;

/** Null if the bytes are no WebP. @throws BrokenImage if it is shorter than it says, or begins with no image. */
export function readWebp(bytes: Buffer): ImageSize | null {
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
