import { prepareZXingModule, readBarcodes } from 'zxing-wasm/reader';
import wasm from 'zxing-wasm/reader/zxing_reader.wasm';
import { codeOf } from './code-of.ts';

/** In front of a camera there is one code, or a few on one label. */
const MOST_CODES = 4;

/**
 * Gets the decoder ready for browsers that have none of their own (Safari, Firefox, Chrome on most desktops): 960 kB, from
 * our own origin, loaded when the camera is first opened.
 *
 * @throws if it cannot be loaded.
 */
export async function openDecoder(): Promise<(image: ImageData) => Promise<string[]>> {
  const response = await fetch(wasm);
  if (!response.ok) {
    throw new Error(`the decoder's request got status ${response.status}`);
  }
  const wasmBinary = await response.arrayBuffer();
  await prepareZXingModule({ overrides: { wasmBinary }, fireImmediately: true });
  return async (image) => {
    const found = await readBarcodes(image, {
      textMode: 'Plain',
      tryHarder: true,
      maxNumberOfSymbols: MOST_CODES,
    });
    return found.filter(({ isValid }) => isValid).map(({ text, format }) => codeOf(text, format));
  };
}
