import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));

/** The project's own files, by their path from its root. */
export function filesBelow(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      return isOfOthers(path) ? [] : filesBelow(path);
    }
    return [path];
  });
}

/** What is installed, built, kept at work, by git or by an editor. */
function isOfOthers(folder: string): boolean {
  return /(^|\/)(node_modules|dist[^/]*)$|^data$|^\.(?!ci$)/.test(folder);
}
