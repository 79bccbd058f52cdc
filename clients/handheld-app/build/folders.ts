import { fileURLToPath } from 'node:url';

/** What the app is made from. */
export const SOURCE_FOLDER = fileURLToPath(new URL('../src', import.meta.url));

/** What is made of it, and served: never committed. */
export const APP_FOLDER = fileURLToPath(new URL('../dist', import.meta.url));
