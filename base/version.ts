import { readFileSync } from 'node:fs';

/** The version of tagtrail in `package.json`. */
export const { version: VERSION }: { version: string } = JSON.parse(
  readFileSync(new URL('../package.json', import.meta.url), 'utf8'),
);
