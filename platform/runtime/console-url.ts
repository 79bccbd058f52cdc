import type { Setting } from './settings.ts';

/** An origin: scheme, host and port. */
export const CONSOLE_URL: Setting<string | null> = {
  purpose:
    'where people reach the console, if not at its own port: links lead there, and with https its cookie is sent over TLS only',
  initial: null,
  absent: null,
  remedy: 'an address without a path, such as https://tracking.example.com',
  read: (text) => {
    const url = URL.canParse(text) ? new URL(text) : null;
    const isOrigin = url?.pathname === '/' && url.search === '' && url.hash === '' && url.username === '';
    return isOrigin && /^https?:$/.test(url.protocol) ? url.origin : undefined;
  },
};
