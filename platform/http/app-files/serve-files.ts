import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { extname, join, relative, sep } from 'node:path';
import type { Middleware } from 'koa';
import { type Encoded, type Page, servePages } from '../pages.ts';
import type { Headers } from '../problem.ts';

/**
 * Serves the files of a built web app below `base`, with the folder's `index.html` at `base` itself, and their
 * compressed copies (`app.js.br`, `app.js.gz`) to clients that accept them. Files are read once, at start: no request
 * is ever turned into a file name. Other paths are passed on.
 *
 * @param folder without it, nothing is served.
 * @param headers of every file.
 */
export function serveFiles(folder: string, headers: Headers, base = '/'): Middleware {
  const at = base.replace(/\/$/, '');
  const pages = new Map(filesBelow(folder).map((file) => [at + pathOf(folder, file), pageOf(file, headers)]));
  const index = pages.get(`${at}/index.html`);
  if (index !== undefined) {
    pages.set(base, index);
  }
  return servePages(async (path) => pages.get(path) ?? null);
}

export function isAppBuilt(folder: string): boolean {
  return existsSync(join(folder, 'index.html'));
}

function filesBelow(folder: string): string[] {
  if (!isAppBuilt(folder)) {
    return [];
  }
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((file) => !COPY.test(file));
}

const COPY = /\.(?:br|gz)$/;

function pathOf(folder: string, file: string): string {
  return `/${relative(folder, file).split(sep).map(encodeURIComponent).join('/')}`;
}

function pageOf(file: string, headers: Headers): Page {
  const body = readFileSync(file);
  return {
    status: 200,
    contentType: contentTypeOf(file),
    body,
    encoded: encodedOf(file),
    headers: {
      ETag: `"${createHash('sha256').update(body).digest('base64url')}"`,
      'Cache-Control': HASHED.test(file.replaceAll(sep, '/'))
        ? 'public, max-age=31536000, immutable'
        : 'no-cache',
      ...headers,
    },
  };
}

function encodedOf(file: string): Encoded {
  const [br, gzip] = ['br', 'gz'].map((ending) => {
    const copy = `${file}.${ending}`;
    return existsSync(copy) ? readFileSync(copy) : undefined;
  });
  return { ...(br && { br }), ...(gzip && { gzip }) };
}

/** `assets/index-Bx3kP9dQ.js`: the name changes with the content, so it can be cached for good. */
const HASHED = /\/assets\/(?:[^/]+\/)*[^/]*[-.][A-Za-z0-9_-]{8,}\.[a-z0-9.]+$/;

function contentTypeOf(file: string): string {
  return TYPES[extname(file).toLowerCase()] ?? 'application/octet-stream';
}

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json',
  '.map': 'application/json',
  '.webmanifest': 'application/manifest+json',
  '.txt': 'text/plain; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.webp': 'image/webp',
  '.ico': 'image/vnd.microsoft.icon',
  '.woff2': 'font/woff2',
  '.wasm': 'application/wasm',
  '.mp3': 'audio/mpeg',
  '.ogg': 'audio/ogg',
  '.wav': 'audio/wav',
};
