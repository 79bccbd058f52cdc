import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const SYSTEM = join(
  process.env['XDG_CACHE_HOME'] ?? '/var/cache',
  'tagtrail/trixie-postgresql-17-timescaledb',
);
const PROGRAMS = '/usr/lib/postgresql/17/bin';

/**
 * Makes the system of `.ci/timescaledb` if need be, and in it a folder that has the same path within as without, with the
 * server's programs in `bin` for whoever is no root: each enters the system in a user namespace.
 */
export function sharedFolder(): string {
  execFileSync(fileURLToPath(new URL('../../.ci/timescaledb', import.meta.url)), ['build']);
  const shared = join(SYSTEM, 'srv');
  mkdirSync(shared, { recursive: true });
  const within = join(SYSTEM, shared);
  mkdirSync(dirname(within), { recursive: true });
  rmSync(within, { force: true });
  symlinkSync('/srv', within);
  const folder = mkdtempSync(join(shared, 'chaos-'));
  mkdirSync(join(folder, 'bin'));
  // The server wants its account to have a name there.
  const [, uid, gid] =
    /^postgres:[^:]*:(\d+):(\d+):/m.exec(readFileSync(join(SYSTEM, 'etc/passwd'), 'utf8')) ?? [];
  const enter = `unshare --user --map-user=${uid} --map-group=${gid} --root='${SYSTEM}' --wd=/`;
  for (const name of readdirSync(join(SYSTEM, PROGRAMS))) {
    const program = join(folder, 'bin', name);
    writeFileSync(program, `#!/bin/sh\nexec ${enter} ${PROGRAMS}/${name} "$@"\n`);
    chmodSync(program, 0o755);
  }
  return folder;
}
