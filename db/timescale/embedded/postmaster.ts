import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Postmaster {
  pid: number;
  port: number;
  isAlive: boolean;
}

/** The server that wrote the cluster's `postmaster.pid`; null after an orderly stop. */
export function readPostmaster(cluster: string): Postmaster | null {
  const lock = readLock(cluster);
  if (lock === null) {
    return null;
  }
  const { pid, folder, port } = lock;
  return { pid, port, isAlive: isAlive(pid) && serves(pid, folder) };
}

/**
 * Makes PostgreSQL start despite the lock file of a dead server whose process id was reused: it would take that process
 * for the server. The rest of the file stays; PostgreSQL uses it to find out whether remains of the dead server still
 * use the data.
 */
export function dropReusedPid(cluster: string): void {
  const lock = readLock(cluster);
  if (lock !== null && isAlive(lock.pid) && !serves(lock.pid, lock.folder)) {
    writeFileSync(join(cluster, LOCK_FILE), lock.text.replace(/^\d+/, NOBODYS_PID));
  }
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

const LOCK_FILE = 'postmaster.pid';

/** Greater than any process id of Linux (4,194,304) or macOS (99,998). */
const NOBODYS_PID = '999999999';

/** Line 1 is the process id, 2 the folder as given to the server, 4 the port. */
function readLock(cluster: string): { text: string; pid: number; folder: string; port: number } | null {
  let text: string;
  try {
    text = readFileSync(join(cluster, LOCK_FILE), 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') {
      return null;
    }
    throw error;
  }
  const [pid = '', folder = '', , port = ''] = text.split('\n');
  // The file is empty for a moment between its creation and its first write.
  return /^\d+$/.test(pid) && /^\d+$/.test(port)
    ? { text, pid: Number(pid), folder, port: Number(port) }
    : null;
}

/** True if the process is a PostgreSQL on that folder, or might be. */
function serves(pid: number, folder: string): boolean {
  const command = commandOf(pid);
  return command === null || (command.includes('postgres') && command.includes(folder));
}

function commandOf(pid: number): string | null {
  try {
    return existsSync('/proc/self/cmdline')
      ? readFileSync(`/proc/${pid}/cmdline`, 'utf8')
      : execFileSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' });
  } catch {
    return null;
  }
}
