import { invalid, invalidValue } from '../../../../base/checks/issues.ts';
import { BrokenImage, type ImageSize } from './image-size.ts';
import { readJpeg } from './jpeg.ts';
import { readPng } from './png.ts';
import { readWebp } from './webp.ts';

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
 * What an image is, by its content; whatever it is called.
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
