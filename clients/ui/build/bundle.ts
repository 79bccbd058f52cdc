import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { build, type Metafile } from 'esbuild';
import { licensesOf } from './licenses.ts';

/**
 * Bundles `main.tsx` and what it imports, with the page that loads it and the licences of the packages in it. With
 * `splitting`, what is imported when needed stands in files of its own.
 */
export async function bundle({
  sources,
  folder,
  target,
  splitting = false,
}: {
  sources: string;
  folder: string;
  target: string[];
  splitting?: boolean;
}): Promise<Metafile> {
  const { metafile } = await build({
    entryPoints: [{ in: join(sources, 'main.tsx'), out: 'app' }],
    outdir: folder,
    // Below `assets/` servers let browsers keep files for good.
    entryNames: 'assets/[name]-[hash]',
    chunkNames: 'assets/[name]-[hash]',
    bundle: true,
    minify: true,
    splitting,
    loader: { '.wasm': 'file' },
    assetNames: 'assets/[name]-[hash]',
    publicPath: '/',
    format: 'esm',
    target,
    jsx: 'automatic',
    jsxImportSource: 'preact',
    metafile: true,
    banner: { js: '/*! What of this comes from others: licenses.txt */' },
    legalComments: 'none',
    logLevel: 'warning',
  });
  await writeFile(join(folder, 'licenses.txt'), await licensesOf(metafile));
  await writePage(sources, folder, metafile);
  return metafile;
}

async function writePage(sources: string, folder: string, { outputs }: Metafile): Promise<void> {
  const page = await readFile(join(sources, 'index.html'), 'utf8');
  const made = Object.keys(outputs).map((path) => path.slice(path.indexOf('assets/')));
  await writeFile(
    join(folder, 'index.html'),
    page.replace('app.js', () => named(made, '.js')).replace('app.css', () => named(made, '.css')),
  );
}

function named(files: readonly string[], ending: string): string {
  const file = files.find((name) => name.startsWith('assets/app-') && name.endsWith(ending));
  if (file === undefined) {
    throw new Error(`the bundle has no ${ending} file`);
  }
  return file;
}
