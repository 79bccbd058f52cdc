import { createHash } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import type { Middleware } from 'koa';
import type { OpenApiDocument } from '../../../platform/description/openapi.ts';
import { appHeaders } from '../../../platform/http/app-files/app-headers.ts';
import { serveFiles } from '../../../platform/http/app-files/serve-files.ts';
import { type Page, servePages } from '../../../platform/http/pages.ts';

export const JSON_PATH = '/api/openapi.json';
export const YAML_PATH = '/api/openapi.yaml';
export const DOCS_PATH = '/api/docs';

/** Former and likely addresses of the description, with the actual ones (contract 9). */
const MOVED: Readonly<Record<string, string>> = {
  '/api/v1/openapi.json': JSON_PATH,
  '/api/v1/openapi.yaml': YAML_PATH,
  '/openapi.json': JSON_PATH,
  '/openapi.yaml': YAML_PATH,
  '/api/docs/': DOCS_PATH,
};

/**
 * Serves a document without credentials: as JSON and YAML for machines, as a page for people. Each is made, or read, on first
 * request and kept, since most processes never need it: all of them take 125 ms of a start, and 30 MB.
 */
export function publishDescription(describe: () => OpenApiDocument): Middleware {
  const document = once(describe);
  const pages = new Map<string, () => Page | Promise<Page>>([
    [JSON_PATH, once(() => fixed('application/json', `${JSON.stringify(document(), null, 2)}\n`))],
    [YAML_PATH, once(() => yaml(document()))],
    ...Object.entries(MOVED).map(([from, to]) => [from, () => elsewhere(301, to)] as const),
    // Temporary: browsers would cache a permanent redirect, even once there is something at that address.
    ['/', () => elsewhere(302, DOCS_PATH)],
  ]);
  const described = servePages(async (path) => (await pages.get(path)?.()) ?? null);
  const reference = once(() => serveFiles(DOCS_FOLDER, DOCS_HEADERS, DOCS_PATH));
  return (koa, next) =>
    koa.path === DOCS_PATH || koa.path.startsWith(`${DOCS_PATH}/assets/`)
      ? reference()(koa, next)
      : described(koa, next);
}

/** Built by `npm install`. */
const DOCS_FOLDER = fileURLToPath(new URL('../../../clients/api-docs/dist', import.meta.url));

/** The library sets styles on elements. Scripts are the page's own, and talk to this API only. */
const DOCS_HEADERS = appHeaders(
  { 'style-src': "'self' 'unsafe-inline'" },
  'camera=(), geolocation=(), microphone=()',
);

function once<Result>(make: () => Result): () => Result {
  let made: { result: Result } | undefined;
  return () => {
    made ??= { result: make() };
    return made.result;
  };
}

async function yaml(document: OpenApiDocument): Promise<Page> {
  const { asYaml } = await import('./as-yaml.ts');
  return fixed('application/yaml', await asYaml(document));
}

/**
 * Changes with a new version only: cached for a few minutes, then revalidated by its `ETag`. As bytes, which all answers share:
 * a text of half a megabyte would be copied for each.
 */
function fixed(contentType: string, text: string): Page {
  const body = Buffer.from(text);
  return {
    status: 200,
    contentType,
    body,
    headers: {
      ETag: `"${createHash('sha256').update(body).digest('base64url')}"`,
      'Cache-Control': 'public, max-age=300',
      'X-Content-Type-Options': 'nosniff',
    },
  };
}

function elsewhere(status: 301 | 302, to: string): Page {
  return { status, body: null, headers: { Location: to } };
}
