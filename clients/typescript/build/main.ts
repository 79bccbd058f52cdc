import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { writePaths } from './write-paths.ts';

/** Generates the types in `src/paths.ts`, and makes JavaScript of everything, in `dist`. */
const folder = fileURLToPath(new URL('..', import.meta.url));
writePaths(join(folder, 'src/paths.ts'), process.argv[2]);
rmSync(join(folder, 'dist'), { recursive: true, force: true });
const typescript = createRequire(import.meta.url).resolve('typescript/package.json');
execFileSync(process.execPath, [join(dirname(typescript), 'bin/tsc'), '--project', folder], {
  stdio: 'inherit',
});
