import { readFileSync } from 'node:fs';
import type pg from 'pg';

/** Processor time of processes so far, in seconds; 0 for those of other machines and where there is no `/proc`. */
export function processorTime(pids: readonly number[]): number {
  return pids.reduce((sum, pid) => sum + ticksOf(pid) / TICKS_A_SECOND, 0);
}

/** Resident memory of a process in bytes. */
export function memoryOf(pid: number): number {
  const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kilobytes) * 1_024;
}

/** Processor time spent since `before` was taken by {@link timesOf}, also by processes that were not there then. */
export function timeSince(before: ReadonlyMap<number, number>, pids: readonly number[]): number {
  return pids.reduce((sum, pid) => sum + processorTime([pid]) - (before.get(pid) ?? 0), 0);
}

/** Processor time of each process so far. */
export function timesOf(pids: readonly number[]): ReadonlyMap<number, number> {
  return new Map(pids.map((pid) => [pid, processorTime([pid])]));
}

/** The server processes behind the connections of `application`. */
export async function backendsOf(client: pg.Client, application: string): Promise<number[]> {
  const { rows } = await client.query<{ pid: number }>(
    'select pid from pg_stat_activity where datname = current_database() and application_name = $1',
    [application],
  );
  return rows.map(({ pid }) => pid);
}

const TICKS_A_SECOND = 100;

/** User and system time: the 14th and 15th field, the second of which, the name, is in parentheses. */
function ticksOf(pid: number): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
    return Number(fields[11]) + Number(fields[12]);
  } catch {
    return 0;
  }
}
