import { setTimeout as pause } from 'node:timers/promises';
import { run } from '../../support/process.ts';
import { Tenant, type TenantFaults } from './tenant.ts';
import type { TwoCells } from './two-cells.ts';

export interface CellsRun {
  moves: number;
  kills: number;
  tenants: readonly Tenant[];
  faults: readonly TenantFaults[];
  /** Milliseconds that the moving organization was answered 503, of moves that nobody killed. */
  refusedFor: number[];
  /** Of those that were killed, until they were run again. */
  refusedForByKills: number[];
  /** How often a neighbour was answered anything but 201. */
  neighboursRefused: number;
  seconds: number;
}

/**
 * Moves an organization between two cells, there and back, while it and two neighbours write and read. Every second move is
 * killed and run again.
 */
export async function runCells(
  cells: TwoCells,
  { moves, kills, readers }: { moves: number; kills: number; readers: number },
  random: () => number,
): Promise<CellsRun> {
  const began = performance.now();
  const [first, second] = cells.databases;
  const moving = await Tenant.create(first, cells.haproxy, 'Moving', readers);
  const neighbours = [
    await Tenant.create(first, cells.haproxy, 'Neighbour', 1),
    await Tenant.create(second, cells.haproxy, 'Neighbour there', 1),
  ];
  const tenants = [moving, ...neighbours];
  await cells.serve();
  tenants.forEach((tenant) => {
    tenant.begin();
  });
  await served(tenants);
  const [refusedFor, refusedForByKills]: [number[], number[]] = [[], []];
  let killed = 0;
  let longest = LATEST_KILL;
  for (let number = 0; number < moves; number++) {
    const [from, to] = number % 2 === 0 ? [first, second] : [second, first];
    const before = moving.refusedFor.length;
    const isKilled = number % 2 === 1 && kills > 0;
    const args = ['cell', 'move', '--org', `${moving.orgId}`, '--to', to.url, '--route', cells.haproxy.route];
    for (let kill = 0; isKilled && kill < kills; kill++) {
      killed += await killSometime(args, { url: from.url, after: random() * longest });
    }
    const started = performance.now();
    await complete(args, from.url);
    longest = isKilled ? longest : performance.now() - started;
    await served(tenants);
    (isKilled ? refusedForByKills : refusedFor).push(
      moving.refusedFor.slice(before).reduce((sum, one) => sum + one, 0),
    );
    await command(['org', 'erase', '--org', `${moving.orgId}`, '--confirm', moving.name], from.url);
  }
  await Promise.all(tenants.map((tenant) => tenant.stop()));
  const homes = [moves % 2 === 0 ? first : second, first, second];
  const faults = await Promise.all(tenants.map((tenant, index) => tenant.findFaults(homes[index] ?? first)));
  return {
    ...{ moves, kills: killed, tenants, faults, refusedFor, refusedForByKills },
    neighboursRefused: neighbours.reduce((sum, { refusedFor: times }) => sum + times.length, 0),
    seconds: (performance.now() - began) / 1_000,
  };
}

/** All of them are again, or for the first time. */
async function served(tenants: readonly Tenant[]): Promise<void> {
  const before = tenants.map(({ created, reads }) => ({ created, reads }));
  while (
    tenants.some(
      ({ created, reads }, index) =>
        created <= (before[index]?.created ?? 0) || reads <= (before[index]?.reads ?? 0),
    )
  ) {
    await pause(20);
  }
}

/** @returns 1 if it was killed, 0 if it had come to its end before. */
async function killSometime(args: string[], { url, after }: { url: string; after: number }): Promise<number> {
  const program = run('services/cli/tagtrail.ts', args, { DATABASE_URL: url });
  const isOver = await Promise.race([program.ended.then(() => true), pause(after, false)]);
  program.child.kill('SIGKILL');
  await program.ended;
  return isOver ? 0 : 1;
}

/** Milliseconds, before a move was seen to take less. */
const LATEST_KILL = 8_000;

async function complete(args: string[], url: string): Promise<void> {
  for (;;) {
    const program = run('services/cli/tagtrail.ts', args, { DATABASE_URL: url });
    const status = await program.ended;
    if (status === 0 || program.stderr().includes('has moved to')) {
      return;
    }
    if (!AGAIN.test(program.stderr())) {
      throw new Error(`cell move ended with ${status}: ${program.stderr()}`);
    }
    await pause(100);
  }
}

/** What says to run it again. */
const AGAIN = /Another process is moving|Changes kept coming|Another transaction/;

async function command(args: string[], url: string): Promise<void> {
  const program = run('services/cli/tagtrail.ts', args, { DATABASE_URL: url });
  if ((await program.ended) !== 0) {
    throw new Error(`${args.join(' ')}: ${program.stderr()}`);
  }
}
