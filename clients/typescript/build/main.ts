import { execFileSync } from 'node:child_process';
import { existsSync, renameSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { writePaths } from './write-paths.ts';

/**
 * Generates the types in `src/paths.ts`, and makes JavaScript of everything, in `dist`; each in the place of an earlier
 * one when it is complete, so that who uses that is not disturbed.
 */
const folder = fileURLToPath(new URL('..', import.meta.url));
const dist = join(folder, 'dist');
const [unfinished, former] = [`${dist}.${process.pid}`, `${dist}.${process.pid}.former`];
writePaths(join(folder, 'src/paths.ts'), process.argv[2]);
const typescript = createRequire(import.meta.url).resolve('typescript/package.json');
try {
  execFileSync(
    process.execPath,
    [join(dirname(typescript), 'bin/tsc'), '--project', folder, '--outDir', unfinished],
    { stdio: 'inherit' },
  );
  if (existsSync(dist)) {
    renameSync(dist, former);
  }
  renameSync(unfinished, dist);
} finally {
  rmSync(unfinished, { recursive: true, force: true });
  rmSync(former, { recursive: true, force: true });
}
