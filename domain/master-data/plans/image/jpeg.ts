import { BrokenImage, type ImageSize, MOST_PARTS } from './image-size.ts';

const MARK = 0xff;
const START_OF_SCAN = 0xda;
const END_OF_IMAGE = Buffer.from([MARK, 0xd9]);

/**
 * Null if the bytes are no JPEG.
 *
 * @throws BrokenImage if its segments do not lead to a frame, or no end follows what is scanned. Cameras append to the end.
 */
export function readJpeg(bytes: Buffer): ImageSize | null {
  if (bytes.length < 3 || bytes[0] !== MARK || bytes[1] !== 0xd8 || bytes[2] !== MARK) {
    return null;
  }
  let size: ImageSize | null = null;
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
    at += 2 + length;
    if (kind === START_OF_SCAN) {
      if (size === null) {
        throw new BrokenImage('is a JPEG with a broken header');
      }
      if (bytes.lastIndexOf(END_OF_IMAGE) < at) {
        throw new BrokenImage('is a JPEG that is cut off');
      }
      return size;
    }
  }
}

/** SOF0 to SOF15 but for DHT, JPG and DAC, which have numbers among them. */
function isFrame(kind: number): boolean {
  return kind >= 0xc0 && kind <= 0xcf && kind !== 0xc4 && kind !== 0xc8 && kind !== 0xcc;
}
