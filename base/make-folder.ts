import { existsSync, mkdirSync, statSync } from 'node:fs';
import { dirname } from 'node:path';

/**
 * Makes a folder and those above it, unless they are there. Another process may make the same at the same time.
 *
 * `mkdir` with `recursive` is no alternative: Node.js 24 loops forever if the system allows no folder in an existing one
 * (`/proc`).
 *
 * @param mode of the folder itself.
 * @throws what `mkdirSync` throws.
 */
export function makeFolder(folder: string, mode?: number): void {
  if (!existsSync(dirname(folder))) {
    makeFolder(dirname(folder));
  }
  try {
    mkdirSync(folder, mode);
  } catch (error) {
    if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) {
      throw error;
    }
  }
}
