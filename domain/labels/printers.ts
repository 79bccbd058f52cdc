import { isIP, Socket } from 'node:net';
import { AppError, conflict, messageOf, orNotFound } from '../../base/errors.ts';
import { FairSemaphore } from '../../base/fair-semaphore.ts';
import type { Networks } from '../../base/networks.ts';
import type { OrganizationDatabase } from '../../db/timescale/connections/organization-door.ts';
import { rowsOf, sql } from '../../db/timescale/queries/sql.ts';
import type { Actor } from '../changes/actor.ts';
import type { ChangeEntry } from '../changes/entry.ts';
import { changed, makeChange } from '../changes/make-change.ts';
import { MOST_OF_ORGANIZATION, requireRoom } from '../changes/require-room.ts';
import { createResolve, type Resolve } from '../webhooks/targets/checked-lookup.ts';
import { judgeAddress } from '../webhooks/targets/judge-address.ts';
import { hostOf } from '../webhooks/targets/target-url.ts';

/** A label printer of the site that takes ZPL over TCP. */
export interface Printer {
  name: string;
  /** Host, or `host:port`. */
  address: string;
}

/** How printers are reached. */
export interface PrinterParts {
  /** Only these: unlike receivers of webhooks, printers prove nothing, and are sent what tenants write. */
  networks: Networks;
  resolve: Resolve;
  /** Jobs at a time, and of one organization. */
  turns: FairSemaphore<number>;
}

/** Of raw printing; print servers with several printers count on, up to 9109. Other services must not be reached. */
const PORT = 9100;
/** As typed: a URL drops port 80. */
const ADDRESS = /^([\p{L}\p{M}\p{N}._-]+|\[[0-9a-f:.]+\])(?::(910\d))?$/iu;

export const ADDRESS_MAX_LENGTH = 255;

export function listPrinters(db: OrganizationDatabase): Promise<readonly Printer[]> {
  return db.any(sql.type(rowsOf<Printer>())`
    select name, address from printers where org_id = ${db.orgId}
    order by name limit ${MOST_OF_ORGANIZATION.printers.most}`);
}

/** @throws AppError `invalid_input` (the address), `conflict` (the name is taken, too many). */
export function addPrinter(
  db: OrganizationDatabase,
  actor: Actor,
  printer: Printer,
  networks: Networks,
): Promise<Printer> {
  const { host } = targetOf(printer);
  if (isIP(host) !== 0) {
    requireAllowed(printer, host, networks);
  }
  return makeChange(db, actor, async (change) => {
    const { orgId } = change;
    await requireRoom(change, orgId, 'printers');
    const added = await change.maybeOne(sql.type(rowsOf<Printer>())`
      insert into printers (org_id, name, address) values (${orgId}, ${printer.name}, ${printer.address})
      on conflict do nothing returning name, address`);
    if (added === null) {
      throw conflict(`There is a printer ${printer.name} already; remove it first`);
    }
    return changed(added, [entry(orgId, 'add_printer', null, { ...added })]);
  });
}

/** @throws AppError `not_found`. */
export function removePrinter(db: OrganizationDatabase, actor: Actor, name: string): Promise<Printer> {
  return makeChange(db, actor, async (change) => {
    const { orgId } = change;
    const removed = await orNotFound(
      `Printer ${name} not found`,
      change.maybeOne(sql.type(rowsOf<Printer>())`
        delete from printers where org_id = ${orgId} and name = ${name} returning name, address`),
    );
    return changed(removed, [entry(orgId, 'remove_printer', { ...removed }, null)]);
  });
}

function entry(
  orgId: number,
  action: 'add_printer' | 'remove_printer',
  before: ChangeEntry['before'],
  after: ChangeEntry['after'],
): ChangeEntry {
  return { orgId, action, resource: { type: 'organization', id: orgId }, before, after };
}

/** Bytes of a job, and milliseconds until a printer has to answer, to have taken the whole, and may end the connection. */
const MOST_BYTES = 4 * 1_024 * 1_024;
const CONNECTED_WITHIN = 5_000;
const TAKEN_WITHIN = 30_000;
const ENDED_WITHIN = 2_000;

const JOBS = {
  ...{ total: 32, perKey: 4, perKeyWithRoom: 4, kept: 8, waitingPerKey: 8, patience: 20_000 },
  refusal: () =>
    conflict(
      'Not printed: other jobs of the organization wait for their printers, four at a time; print again in a moment',
    ),
};

export function openPrinters(networks: Networks): PrinterParts {
  return { networks, resolve: createResolve(), turns: new FairSemaphore(JOBS) };
}

/**
 * Sends what `make` makes to a printer, which is connected before: one that is switched off costs no serial numbers.
 *
 * @throws AppError `not_found`; `conflict` that names the printer and the remedy.
 */
export async function printOn<Made extends { zpl: string }>(
  db: OrganizationDatabase,
  name: string,
  { networks, resolve, turns }: PrinterParts,
  make: () => Promise<Made>,
): Promise<Made> {
  const printer = await orNotFound(
    `Printer ${name} not found`,
    db.maybeOne(sql.type(rowsOf<Printer>())`
      select name, address from printers where org_id = ${db.orgId} and name = ${name}`),
  );
  return turns.run(db.orgId, async () => {
    const { host, port } = targetOf(printer);
    const addresses = isIP(host) === 0 ? await lookedUp(printer, resolve(host, db.orgId)) : [host];
    for (const address of addresses) {
      requireAllowed(printer, address, networks);
    }
    const socket = await connect(printer, addresses[0] ?? host, port);
    try {
      const made = await make();
      await send(printer, socket, Buffer.from(made.zpl));
      return made;
    } finally {
      socket.destroy();
    }
  });
}

function lookedUp(printer: Printer, found: Promise<string[]>): Promise<string[]> {
  return found.catch((error: unknown) => {
    throw fault(printer, 'has a name that cannot be looked up; give its IP address', error);
  });
}

/** Every address of a name, and the connection goes to one of these: another answer of the name server gains nothing. */
function requireAllowed(printer: Printer, address: string, networks: Networks): void {
  if (judgeAddress(address, networks) !== 'named') {
    throw new AppError(
      'invalid_input',
      `Printer ${printer.name}: ${address} is in no network of PRINTER_NETWORKS; ask the operator to name it there`,
    );
  }
}

/** @throws AppError `invalid_input`. */
function targetOf({ name, address }: Printer): { host: string; port: number } {
  const [, host = '', port = PORT] = ADDRESS.exec(address) ?? [];
  if (!URL.canParse(`http://${host}`)) {
    throw new AppError(
      'invalid_input',
      `Printer ${name}: the address must be a host such as 10.20.0.7 or labels.example.com, with a port from 9100 to 9109 behind a colon if it is another than 9100`,
    );
  }
  return { host: hostOf(new URL(`http://${host}`)), port: Number(port) };
}

function connect(printer: Printer, host: string, port: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = new Socket();
    const fail = (error: Error) => {
      socket.destroy();
      reject(
        fault(printer, 'does not answer; see that it is on, connected, and prints raw data over TCP', error),
      );
    };
    const timer = setTimeout(
      () => fail(new Error(`No answer within ${CONNECTED_WITHIN / 1_000} s`)),
      CONNECTED_WITHIN,
    );
    socket.once('error', fail);
    socket.once('close', () => clearTimeout(timer));
    socket.connect({ host, port }, () => {
      clearTimeout(timer);
      // It may be reset before anything is sent.
      socket.off('error', fail).on('error', () => {});
      resolve(socket);
    });
  });
}

/** Ends once the printer has taken everything, and has ended the connection or could have; what it says is dropped. */
function send(printer: Printer, socket: Socket, job: Buffer): Promise<void> {
  if (job.length > MOST_BYTES) {
    throw fault(printer, `takes at most ${MOST_BYTES} bytes at once; choose fewer assets`);
  }
  return new Promise((resolve, reject) => {
    const fail = (error: Error) => {
      clearTimeout(timer);
      reject(
        fault(
          printer,
          'did not take all labels. The assets keep their numbers: see to paper and ribbon, and print again what is missing',
          error,
        ),
      );
    };
    const ended = () => fail(new Error('The printer ended the connection'));
    let timer = setTimeout(() => fail(new Error(`Not taken within ${TAKEN_WITHIN / 1_000} s`)), TAKEN_WITHIN);
    socket.once('error', fail);
    socket.once('finish', () => {
      clearTimeout(timer);
      timer = setTimeout(resolve, ENDED_WITHIN);
    });
    socket.once('close', () => {
      clearTimeout(timer);
      socket.writableFinished ? resolve() : ended();
    });
    if (!socket.writable) {
      ended();
      return;
    }
    socket.resume();
    socket.end(job);
  });
}

function fault({ name, address }: Printer, says: string, cause?: unknown): AppError {
  const why = cause === undefined ? '' : ` (${messageOf(cause)})`;
  return new AppError('conflict', `Printer ${name} at ${address} ${says}${why}`, { cause });
}
