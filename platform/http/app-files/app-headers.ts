import type { Headers } from '../problem.ts';

/** By directive; null removes one. */
export type ContentPolicy = Readonly<Record<string, string | null>>;

/** Headers of a web app that runs its own files only, talks to its own origin only, and is framed by nobody. */
export function appHeaders(policy: ContentPolicy, permissions: string): Headers {
  const directives = Object.entries({ ...OWN_FILES_ONLY, ...policy });
  return {
    'Content-Security-Policy': directives
      .flatMap(([name, value]) => (value === null ? [] : [`${name} ${value}`]))
      .join('; '),
    'Permissions-Policy': permissions,
    'X-Content-Type-Options': 'nosniff',
    'Referrer-Policy': 'no-referrer',
    'Cross-Origin-Opener-Policy': 'same-origin',
    'Cross-Origin-Resource-Policy': 'same-origin',
  };
}

const OWN_FILES_ONLY: ContentPolicy = {
  'default-src': "'none'",
  'script-src': "'self'",
  'style-src': "'self'",
  'connect-src': "'self'",
  'img-src': "'self' blob: data:",
  'font-src': "'self'",
  'manifest-src': "'self'",
  'worker-src': "'self'",
  'base-uri': "'none'",
  'form-action': "'none'",
  'frame-ancestors': "'none'",
};
