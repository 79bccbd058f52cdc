import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import manifest from '../../package.json' with { type: 'json' };

const PROGRAM = fileURLToPath(new URL('unpack-browser.ts', import.meta.url));
const VERSION = manifest.devDependencies['@sparticuz/chromium'];
const FOLDER = fileURLToPath(
  new URL(`../../node_modules/.cache/tagtrail-browser/${VERSION}`, import.meta.url),
);

/**
 * The folder with the browser that npm brings, its libraries and its fonts. Whoever comes first unpacks it: beside its
 * place and then moved there whole, as suites run side by side, and another account may have left one in `/tmp`.
 */
export async function unpackedBrowser(): Promise<string> {
  if (!existsSync(FOLDER)) {
    mkdirSync(dirname(FOLDER), { recursive: true });
    const made = mkdtempSync(`${FOLDER}-`);
    try {
      await promisify(execFile)(process.execPath, [PROGRAM, FOLDER], {
        env: { ...process.env, TMPDIR: made },
      });
      renameSync(made, FOLDER);
    } catch (error) {
      if (!existsSync(FOLDER)) {
        throw error;
      }
      // Another was faster.
    } finally {
      rmSync(made, { recursive: true, force: true });
    }
  }
  return FOLDER;
}
