import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import type { Middleware } from 'koa';
import { type Page, servePages } from '../../../platform/http/pages.ts';
import { contentTypeOf } from './content-types.ts';

/**
 * Serves the files of a built web app, with the folder's `index.html` at `/`. They are read once, now: no request is
 * ever turned into a file name. Other paths are passed on.
 *
 * @param folder without it, nothing is served.
 */
export function serveApp(folder: string): Middleware {
  const pages = new Map(filesBelow(folder).map((file) => [pathOf(folder, file), pageOf(file)]));
  const index = pages.get('/index.html');
  if (index !== undefined) {
    pages.set('/', index);
  }
  return servePages(async (path) => pages.get(path) ?? null);
}

/** Whether there is an app to serve. */
export function isAppBuilt(folder: string): boolean {
  return existsSync(join(folder, 'index.html'));
}

function filesBelow(folder: string): string[] {
  if (!isAppBuilt(folder)) {
    return [];
  }
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

function pathOf(folder: string, file: string): string {
  return `/${relative(folder, file).split(sep).map(encodeURIComponent).join('/')}`;
}

function pageOf(file: string): Page {
  const body = readFileSync(file);
  return {
    status: 200,
    contentType: contentTypeOf(file),
    body,
    headers: {
      ETag: `"${createHash('sha256').update(body).digest('base64url')}"`,
      'Cache-Control': HASHED.test(file.replaceAll(sep, '/'))
        ? 'public, max-age=31536000, immutable'
        : 'no-cache',
      ...APP_HEADERS,
    },
  };
}

/** `assets/index-Bx3kP9dQ.js`: the name changes with the content, so it can be cached for good. */
const HASHED = /\/assets\/(?:[^/]+\/)*[^/]*[-.][A-Za-z0-9_-]{8,}\.[a-z0-9.]+$/;

/** The app runs its own files only, talks to its own origin only, and may ask for the camera. */
const APP_HEADERS = {
  'Content-Security-Policy': [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "connect-src 'self'",
    "img-src 'self' blob: data:",
    "font-src 'self'",
    'media-src blob:',
    "manifest-src 'self'",
    "worker-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; '),
  'Permissions-Policy': 'camera=(self), geolocation=(), microphone=()',
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
};
