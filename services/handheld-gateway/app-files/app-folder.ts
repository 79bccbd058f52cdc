import { fileURLToPath } from 'node:url';

/** Where `npm install` builds the web app. */
export const APP_FOLDER = fileURLToPath(new URL('../../../clients/handheld-app/dist', import.meta.url));
