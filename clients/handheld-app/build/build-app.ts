import { createHash } from 'node:crypto';
import { copyFile, cp, mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { build } from 'esbuild';
import { APP_FOLDER, SOURCE_FOLDER } from './folders.ts';
import { licensesOf } from './licenses.ts';

/** Browsers of handhelds are rarely the newest: Chrome on Android 8, Safari of iOS 16. */
const TARGET = ['chrome100', 'safari16', 'firefox110'];

/**
 * Builds the app into {@link APP_FOLDER}, by way of a temporary folder, so that a gateway serving it meanwhile never
 * sees half of the files.
 */
export async function buildApp(): Promise<void> {
  const folder = `${APP_FOLDER}.${process.pid}`;
  await mkdir(folder, { recursive: true });
  try {
    const { script, style } = await bundle(folder);
    await Promise.all([
      writePage(folder, script, style),
      copyFile(join(SOURCE_FOLDER, 'manifest.webmanifest'), join(folder, 'manifest.webmanifest')),
      cp(join(SOURCE_FOLDER, 'icons'), folder, { recursive: true }),
    ]);
    await buildWorker(folder);
    await rm(APP_FOLDER, { recursive: true, force: true });
    await rename(folder, APP_FOLDER);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function bundle(folder: string): Promise<{ script: string; style: string }> {
  const { metafile } = await build({
    entryPoints: [{ in: join(SOURCE_FOLDER, 'main.tsx'), out: 'app' }],
    outdir: folder,
    // Below `assets/` the gateway lets browsers keep files for good.
    entryNames: 'assets/[name]-[hash]',
    bundle: true,
    minify: true,
    format: 'esm',
    target: TARGET,
    jsx: 'automatic',
    jsxImportSource: 'preact',
    metafile: true,
    banner: { js: '/*! What of this comes from others: licenses.txt */' },
    legalComments: 'none',
    logLevel: 'warning',
  });
  await writeFile(join(folder, 'licenses.txt'), await licensesOf(metafile));
  const made = Object.keys(metafile.outputs).map((path) => path.slice(path.indexOf('assets/')));
  return { script: named(made, '.js'), style: named(made, '.css') };
}

async function writePage(folder: string, script: string, style: string): Promise<void> {
  const page = await readFile(join(SOURCE_FOLDER, 'index.html'), 'utf8');
  await writeFile(
    join(folder, 'index.html'),
    page.replace('app.js', () => script).replace('app.css', () => style),
  );
}

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
      APP_FILES: JSON.stringify(files.filter((file) => file !== 'index.html')),
    },
    logLevel: 'warning',
  });
}

function named(files: readonly string[], ending: string): string {
  const file = files.find((name) => name.endsWith(ending));
  if (file === undefined) {
    throw new Error(`the bundle has no ${ending} file`);
  }
  return file;
}
