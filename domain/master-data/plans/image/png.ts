import { BrokenImage, type ImageSize, MOST_PARTS } from './image-size.ts';

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/** Length, type and checksum of a chunk. */
const AROUND_CHUNK = 12;

/** Null if the bytes are no PNG. @throws BrokenImage if its chunks do not lead from the header to the end. */
export function readPng(bytes: Buffer): ImageSize | null {
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
