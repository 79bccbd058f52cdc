import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Middleware } from 'koa';
import type { OpenApiDocument } from '../../../platform/description/openapi.ts';
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
 * Serves a document without credentials: as JSON and YAML for machines, as a page for people. Each is made on first
 * request and kept, since most processes never need it: all of them take 125 ms of a start, and 30 MB.
 */
export function publishDescription(describe: () => OpenApiDocument): Middleware {
  const document = once(describe);
  const pages = new Map<string, () => Page | Promise<Page>>([
    [JSON_PATH, once(() => fixed('application/json', `${JSON.stringify(document(), null, 2)}\n`))],
    [YAML_PATH, once(() => yaml(document()))],
    [DOCS_PATH, once(() => docs(document()))],
    ...Object.entries(MOVED).map(([from, to]) => [from, () => elsewhere(301, to)] as const),
    // Temporary: browsers would cache a permanent redirect, even once there is something at that address.
    ['/', () => elsewhere(302, DOCS_PATH)],
  ]);
  return servePages(async (path) => (await pages.get(path)?.()) ?? null);
}

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
function fixed(contentType: string, text: string, headers: Record<string, string> = {}): Page {
  const body = Buffer.from(text);
  return {
    status: 200,
    contentType,
    body,
    headers: {
      ETag: `"${createHash('sha256').update(body).digest('base64url')}"`,
      'Cache-Control': 'public, max-age=300',
      'X-Content-Type-Options': 'nosniff',
      ...headers,
    },
  };
}

function elsewhere(status: 301 | 302, to: string): Page {
  return { status, body: null, headers: { Location: to } };
}

/** The page loads nothing and runs nothing: its one style sheet is inline, and allowed by its digest. */
async function docs(document: OpenApiDocument): Promise<Page> {
  const { documentPage } = await import('./page/page.ts');
  const style = readFileSync(new URL('page/style.css', import.meta.url), 'utf8');
  const digest = createHash('sha256').update(style).digest('base64');
  const policy = [
    "default-src 'none'",
    `style-src 'sha256-${digest}'`,
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
  const page = documentPage(document, { json: JSON_PATH, yaml: YAML_PATH }, style);
  return fixed('text/html; charset=utf-8', page, {
    'Content-Security-Policy': policy,
    'Referrer-Policy': 'no-referrer',
  });
}
