import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const IMPORT = /from '(\.[^']+)'/g;
const TYPES_ONLY = /^import type [^;]*;/gm;

/** The test files of the suite that are, or import through other files of `test`, one that is looked for; types aside. */
export function testFiles(isOne: (file: string, text: string) => boolean): string[] {
  const leads = (file: string, seen: Set<string>): boolean => {
    if (seen.has(file) || !file.startsWith('test/') || !existsSync(file)) {
      return false;
    }
    seen.add(file);
    const text = readFileSync(file, 'utf8').replaceAll(TYPES_ONLY, '');
    return (
      isOne(file, text) ||
      [...text.matchAll(IMPORT)].some(([, path = '']) => leads(join(dirname(file), path), seen))
    );
  };
  return globSync('test/**/*.test.ts')
    .filter((file) => !file.startsWith('test/bench/') && leads(file, new Set()))
    .sort();
}
