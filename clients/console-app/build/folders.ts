import { fileURLToPath } from 'node:url';

export const SOURCE_FOLDER = fileURLToPath(new URL('../src', import.meta.url));

export const APP_FOLDER = fileURLToPath(new URL('../dist', import.meta.url));
