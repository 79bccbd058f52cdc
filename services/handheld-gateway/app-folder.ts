import { fileURLToPath } from 'node:url';
import { appHeaders } from '../../platform/http/app-files/app-headers.ts';

/** Built by `npm install`. */
export const APP_FOLDER = fileURLToPath(new URL('../../clients/handheld-app/dist', import.meta.url));

/** The app may ask for the camera, and compile what reads its codes (WebAssembly; no `eval` comes with that). */
export const APP_HEADERS = appHeaders(
  { 'media-src': 'blob:', 'script-src': "'self' 'wasm-unsafe-eval'" },
  'camera=(self), geolocation=(), microphone=()',
);
