import { cp, glob, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { stripTypeScriptTypes } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * `npm pack` begins with this. It makes `dist`, where everything has the place it has here: JavaScript of what runs, as
 * Node.js strips no types below `node_modules`; the files that it reads; and the web apps. Lines keep their numbers.
 */
const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const DIST = join(ROOT, 'dist');
const SOURCES = '{base,db,domain,platform,services,simulation}/**/*.{ts,sql,json,md,png}';
/** How imports, threads and addresses name a source. */
const NAMED = /'([\w./-]+)\.ts'/g;
const APPS = ['clients/console-app/dist', 'clients/handheld-app/dist', 'clients/api-docs/dist'];

await rm(DIST, { recursive: true, force: true });
for await (const file of glob(SOURCES, { cwd: ROOT, exclude: ['**/README.md', '**/schema.sql'] })) {
  const made = join(DIST, file);
  await mkdir(dirname(made), { recursive: true });
  if (file.endsWith('.ts')) {
    const code = stripTypeScriptTypes(await readFile(join(ROOT, file), 'utf8'));
    await writeFile(made.replace(/\.ts$/, '.js'), code.replaceAll(NAMED, "'$1.js'"));
  } else {
    await cp(join(ROOT, file), made);
  }
}
for (const app of APPS) {
  await cp(join(ROOT, app), join(DIST, app), { recursive: true });
}
const { name, version, license, type } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8'));
await writeFile(join(DIST, 'package.json'), `${JSON.stringify({ name, version, license, type })}\n`);
