import { execFileSync } from 'node:child_process';
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describePublicApi } from '../../../services/api/description/document.ts';
import { API_RESOURCES } from '../../../services/api/routes.ts';
import { replaceFolder } from '../../ui/build/replace-folder.ts';

/**
 * Generates the types in `src/paths.ts`, and makes JavaScript of everything, in `dist`; each in the place of an earlier
 * one when it is complete, so that who uses that is not disturbed.
 */
const folder = fileURLToPath(new URL('..', import.meta.url));
writePaths(join(folder, 'src/paths.ts'), process.argv[2]);
const typescript = createRequire(import.meta.url).resolve('typescript/package.json');
await replaceFolder(join(folder, 'dist'), async (made) => {
  const command = [join(dirname(typescript), 'bin/tsc'), '--project', folder, '--outDir', made];
  execFileSync(process.execPath, command, { stdio: 'inherit' });
});

/**
 * Writes the types of every operation to `file`.
 *
 * @param description where it is, a file or an address such as `https://tagtrail.example.com/api/openapi.json`; without
 *   it the types are those of the API in this repository.
 */
function writePaths(file: string, description?: string): void {
  const folder = mkdtempSync(join(tmpdir(), 'tagtrail-client-'));
  const unfinished = `${file}.${process.pid}`;
  try {
    generate(description ?? ownDescription(folder), unfinished);
    renameSync(unfinished, file);
  } finally {
    rmSync(unfinished, { force: true });
    rmSync(folder, { recursive: true, force: true });
  }
}

function ownDescription(folder: string): string {
  const file = join(folder, 'openapi.json');
  const document = describePublicApi(API_RESOURCES, {
    publicUrl: null,
    limits: { perMinute: 60, burst: 120 },
  });
  writeFileSync(file, JSON.stringify(document));
  return file;
}

function generate(description: string, file: string): void {
  const generator = createRequire(import.meta.url).resolve('openapi-typescript/package.json');
  const command = [join(dirname(generator), 'bin/cli.js'), description, '--output', file];
  execFileSync(process.execPath, command, { stdio: ['ignore', 'ignore', 'inherit'] });
}
