import { createHash } from 'node:crypto';
import { appendFile, copyFile, cp, readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { bundle } from '../../ui/build/bundle.ts';
import { compressFolder } from '../../ui/build/compress-folder.ts';
import { replaceFolder } from '../../ui/build/replace-folder.ts';

export const SOURCE_FOLDER = fileURLToPath(new URL('../src', import.meta.url));

export const APP_FOLDER = fileURLToPath(new URL('../dist', import.meta.url));

/** Browsers of handhelds are rarely the newest: Chrome on Android 8, Safari of iOS 16. */
const TARGET = ['chrome100', 'safari16', 'firefox110'];

export async function buildApp(): Promise<void> {
  await replaceFolder(APP_FOLDER, async (folder) => {
    await bundle({ sources: SOURCE_FOLDER, folder, target: TARGET, splitting: true });
    await appendFile(join(folder, 'licenses.txt'), await licenseOfDecoder());
    await copyFile(join(SOURCE_FOLDER, 'manifest.webmanifest'), join(folder, 'manifest.webmanifest'));
    await cp(join(SOURCE_FOLDER, 'icons'), folder, { recursive: true });
    await buildWorker(folder);
    await compressFolder(folder);
  });
}

/** The version of the library that `zxing_reader.wasm` is compiled from. */
async function licenseOfDecoder(): Promise<string> {
  const apache = await readFile(new URL('../../../LICENSE', import.meta.url), 'utf8');
  return `\n${'-'.repeat(80)}\n\nzxing-cpp, https://github.com/zxing-cpp/zxing-cpp (Apache-2.0)\n\n${apache}`;
}

/** Files that most devices never need are cached on first use. */
const LATER = /^assets\/(decoder-|zxing_reader-)/;

/** The service worker lists the files to cache, and changes whenever any of them does. */
async function buildWorker(folder: string): Promise<void> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .sort();
  const digest = createHash('sha256');
  for (const file of files) {
    digest.update(file).update(await readFile(join(folder, file)));
  }
  await build({
    entryPoints: [join(SOURCE_FOLDER, 'worker/worker.ts')],
    outfile: join(folder, 'worker.js'),
    bundle: true,
    minify: true,
    format: 'iife',
    target: TARGET,
    define: {
      APP_VERSION: JSON.stringify(digest.digest('hex').slice(0, 12)),
      APP_FILES: JSON.stringify(files.filter((file) => file !== 'index.html' && !LATER.test(file))),
      LATER_FILES: JSON.stringify(files.filter((file) => LATER.test(file))),
    },
    logLevel: 'warning',
  });
}
