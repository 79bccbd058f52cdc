import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { AppError } from '../../../base/errors.ts';
import type { Route } from '../../../db/timescale/cells/route.ts';
import { running } from '../running/running.ts';

/**
 * Tells a router by the command of `--route`.
 *
 * @throws AppError `conflict` if it fails.
 */
export function toldBy(command: string): (route: Route) => Promise<void> {
  return async ({ cell, credentials }) => {
    const { env } = running();
    const child = spawn(command, { shell: true, env, stdio: ['pipe', 'ignore', 'inherit'] });
    // A command that reads nothing closes it.
    child.stdin.on('error', () => {});
    child.stdin.end(credentials.map((credential) => `${credential} ${cell}\n`).join(''));
    const [status] = await once(child, 'close');
    if (status !== 0) {
      throw new AppError(
        'conflict',
        `The organization is in cell ${cell}, but the command of --route failed (${status}); run this again`,
      );
    }
  };
}
