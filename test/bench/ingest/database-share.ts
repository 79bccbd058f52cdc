import { readFileSync } from 'node:fs';
import type pg from 'pg';
import { CoreShare } from './core-share.ts';

/**
 * The database server, on this machine, has a share of one core meanwhile.
 *
 * @param share null for as much as there is.
 * @param client goes on as before, so that looking does not count.
 */
export async function withDatabaseShare<Result>(
  client: pg.Client,
  share: number | null,
  work: () => Promise<Result>,
): Promise<Result> {
  if (share === null) {
    return work();
  }
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
  const own = rows[0]?.pid ?? 0;
  const server = parentOf(own);
  const core = new CoreShare('database', share);
  try {
    core.hold([server, ...childrenOf(server)]);
    core.spare(own);
    return await work();
  } finally {
    core.remove();
  }
}

function parentOf(pid: number): number {
  return Number(readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ')[1]);
}

function childrenOf(pid: number): number[] {
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
}
