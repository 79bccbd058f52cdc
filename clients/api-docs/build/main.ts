// `npm install` ends with this. Where it leaves out what the page is made of (`--omit=optional`), so does this.
import { createHash } from 'node:crypto';
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compressFolder } from '../../ui/build/compress-folder.ts';
import { replaceFolder } from '../../ui/build/replace-folder.ts';
import { unlessLeftOut } from '../../ui/build/unless-left-out.ts';

const SOURCES = fileURLToPath(new URL('../src', import.meta.url));

await unlessLeftOut("The API's page", () =>
  replaceFolder(fileURLToPath(new URL('../dist', import.meta.url)), async (folder) => {
    const page = await readFile(join(SOURCES, 'index.html'), 'utf8');
    const scripts = {
      'scalar.js': await scalar(),
      'page.js': await readFile(join(SOURCES, 'page.js'), 'utf8'),
    };
    let named = page;
    await mkdir(join(folder, 'assets'));
    for (const [name, code] of Object.entries(scripts)) {
      const hash = createHash('sha256').update(code).digest('hex').slice(0, 8);
      const file = `assets/${name.replace('.', `-${hash}.`)}`;
      await writeFile(join(folder, file), code);
      named = named.replace(`"${name}"`, `"docs/${file}"`);
    }
    await writeFile(join(folder, 'index.html'), named);
    const entry = createRequire(import.meta.url).resolve('@scalar/fastify-api-reference');
    await copyFile(join(dirname(entry), '../LICENSE'), join(folder, 'licenses.txt'));
    await compressFolder(folder);
  }),
);

type Plugin = (fastify: object, options: object, done: () => void) => void;

/**
 * Scalar's one file for browsers: MIT, 961 kB by Brotli, with search and requests, released monthly, and nothing fetched
 * from elsewhere. Redoc (650 kB by gzip) sends telemetry unless told otherwise, and tries requests only in its paid edition.
 * Scalar's own package installs 284 packages (311 MB). Its plugin for Fastify serves the same file and installs 28 (30 MB),
 * so this asks the plugin for the file as Fastify would.
 */
async function scalar(): Promise<string> {
  const { default: plugin } = (await import('@scalar/fastify-api-reference')) as unknown as {
    default: Plugin;
  };
  const routes: { url: string; handler: (request: unknown, reply: object) => string }[] = [];
  const fastify = { initialConfig: {}, hasPlugin: () => false, route: (each: never) => routes.push(each) };
  await new Promise<void>((resolve) => plugin(fastify, { configuration: { url: '/' } }, resolve));
  const route = routes.find(({ url }) => url.endsWith('.js'));
  const reply = { header: () => reply, send: (text: string) => text };
  return route?.handler({}, reply) ?? '';
}
