import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { type BuildOptions, build, type Metafile, type Plugin } from 'esbuild';

/**
 * Bundles `main.tsx` with its imports, the page that loads it and the licences of its packages. With `splitting`,
 * dynamic imports become separate files.
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
  const options = {
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
  } as const satisfies BuildOptions;
  const plugins = splitting ? [sharedTogether((await build({ ...options, write: false })).metafile)] : [];
  const { metafile } = await build({ ...options, plugins });
  await writeFile(join(folder, 'licenses.txt'), await licensesOf(metafile));
  await writePage(sources, folder, metafile);
  return metafile;
}

/**
 * esbuild makes a file for each set of screens that share something: a first screen was 30 files, most of them below 1 kB. Here
 * whatever is shared is imported by all of them, so it is one file; but what belongs to screens or languages stays apart.
 */
function sharedTogether({ outputs }: Metafile): Plugin {
  const made = Object.values(outputs);
  const shared = made
    .filter(({ entryPoint }) => entryPoint === undefined)
    .flatMap(({ inputs }) => Object.keys(inputs))
    .filter((file) => !/(^|\/)(screens|texts|node_modules)\//.test(file));
  const imports = shared.map((file) => `import ${JSON.stringify(resolve(file))};\n`).join('');
  const importing = new Set(
    made.flatMap(({ entryPoint = '' }) => (entryPoint.endsWith('.tsx') ? resolve(entryPoint) : [])),
  );
  return {
    name: 'shared-together',
    setup: ({ onResolve, onLoad }) => {
      onResolve({ filter: /^shared:$/ }, () => ({ path: 'shared', namespace: 'shared' }));
      onLoad({ filter: /^/, namespace: 'shared' }, () => ({ contents: imports, resolveDir: process.cwd() }));
      onLoad({ filter: /\.tsx$/ }, async ({ path }) =>
        importing.has(path)
          ? { contents: `import 'shared:';\n${await readFile(path, 'utf8')}`, loader: 'tsx' }
          : null,
      );
    },
  };
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

/**
 * The licences of the packages that a bundle has code of, which want to go with every copy of it.
 *
 * @throws Error if a package has no licence among its files.
 */
async function licensesOf({ outputs }: Metafile): Promise<string> {
  const files = Object.values(outputs).flatMap(({ inputs }) => Object.keys(inputs));
  const folders = new Set(files.flatMap((file) => PACKAGE_FOLDER.exec(file)?.[0] ?? []));
  const licenses = await Promise.all([...folders].sort().map(licenseOf));
  return licenses.join(`\n${'-'.repeat(80)}\n\n`);
}

const PACKAGE_FOLDER = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/;

async function licenseOf(folder: string): Promise<string> {
  const { name, version, license } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
  const file = (await readdir(folder)).find((each) => /^([a-z]+-)?licen[cs]e/i.test(each));
  if (file === undefined) {
    throw new Error(`${name} has no licence among its files`);
  }
  return `${name} ${version} (${license})\n\n${(await readFile(join(folder, file), 'utf8')).trim()}\n`;
}
