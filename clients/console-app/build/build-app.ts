import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Metafile } from 'esbuild';
import { bundle } from '../../ui/build/bundle.ts';
import { compressFolder } from '../../ui/build/compress-folder.ts';
import { replaceFolder } from '../../ui/build/replace-folder.ts';

export const SOURCE_FOLDER = fileURLToPath(new URL('../src', import.meta.url));

export const APP_FOLDER = fileURLToPath(new URL('../dist', import.meta.url));

/** Browsers of desks and phones that are kept up to date: `color-mix`, container queries, `:has`. */
const TARGET = ['chrome111', 'safari16.4', 'firefox121'];

/** Builds the console into {@link APP_FOLDER}. Each screen is a file that is loaded when it is first opened. */
export async function buildApp(): Promise<Metafile> {
  let metafile: Metafile | undefined;
  await replaceFolder(APP_FOLDER, async (folder) => {
    metafile = await bundle({ sources: SOURCE_FOLDER, folder, target: TARGET, splitting: true });
    await cp(join(SOURCE_FOLDER, 'icons'), folder, { recursive: true });
    await compressFolder(folder);
  });
  return metafile as Metafile;
}
