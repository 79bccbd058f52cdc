import { fileURLToPath } from 'node:url';

/** Built by `npm install`. */
export const APP_FOLDER = fileURLToPath(new URL('../../../clients/handheld-app/dist', import.meta.url));
