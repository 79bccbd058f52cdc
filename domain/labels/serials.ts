import { append } from '../../base/append.ts';
import { AppError, conflict } from '../../base/errors.ts';
import type { OrganizationDatabase } from '../../db/timescale/connections/organization-door.ts';
import { texts } from '../../db/timescale/queries/array-parameters.ts';
import { NO_ROWS, rowsOf, sql } from '../../db/timescale/queries/sql.ts';
import type { Actor } from '../changes/actor.ts';
import type { ChangeEntry } from '../changes/entry.ts';
import { changed, makeChange, type OrganizationChange } from '../changes/make-change.ts';
import { MOST_OF_ORGANIZATION, requireRoom } from '../changes/require-room.ts';
import { epcOf } from '../identity/encode-epc.ts';
import { checkDigit, type Elements, matchingKey } from '../identity/gs1-elements.ts';
import { identifiersOf, namedByEpc } from '../identity/named.ts';
import { findLiveById } from '../master-data/by-id-or-key.ts';
import { attachOne } from '../master-data/tags/attach.ts';
import { toNewTag } from '../master-data/tags/new-tag.ts';

/** Application identifiers of what a range numbers: items (GTIN), pallets (SSCC), returnable assets (GRAI), assets (GIAI). */
export const SERIAL_AIS = ['01', '00', '8003', '8004'] as const;

export type SerialAi = (typeof SERIAL_AIS)[number];

/** `base` is what serial numbers complete: a GTIN, a GRAI without its 0, an SSCC's first digit and prefix, a company prefix. */
export interface RangeName {
  ai: SerialAi;
  base: string;
}

export interface SerialRange extends RangeName {
  prefix_length: number;
  filter: number;
  next_serial: number;
  last_serial: number;
}

export function listRanges(db: OrganizationDatabase): Promise<readonly SerialRange[]> {
  return db.any(sql.type(rowsOf<SerialRange>())`
    select ${COLUMNS} from serial_ranges where org_id = ${db.orgId} order by ai, base
    limit ${MOST_OF_ORGANIZATION.serialRanges.most}`);
}

const COLUMNS = sql.fragment`ai, base, prefix_length, filter, next_serial::float8, last_serial::float8`;

/**
 * Adds a range. A key has one range, so that no number is given twice.
 *
 * @throws AppError `invalid_input` (a number of it has no EPC), `conflict`.
 */
export function addRange(db: OrganizationDatabase, actor: Actor, range: SerialRange): Promise<SerialRange> {
  requireEpcs(range);
  return makeChange(db, actor, async (change) => {
    const { orgId } = change;
    // Others that add one wait, or two could have numbers in common.
    await requireRoom(change, orgId, 'serialRanges');
    const added = await change.maybeOne(sql.type(rowsOf<{ ai: string }>())`
      insert into serial_ranges (org_id, ai, base, prefix_length, filter, next_serial, last_serial)
      select ${orgId}, ${range.ai}, ${range.base}, ${range.prefix_length}, ${range.filter},
        ${range.next_serial}, ${range.last_serial}
      where not exists (
        select from serial_ranges
        where org_id = ${orgId} and ai = ${range.ai}
          and (starts_with(base, ${range.base}) or starts_with(${range.base}, base)))
      returning ai`);
    if (added === null) {
      throw conflict(`(${range.ai})${range.base} or a part of it already has a range`);
    }
    return changed(range, [entry(orgId, 'add_serials', null, { ...range })]);
  });
}

function requireEpcs(range: SerialRange): void {
  const { ai, base, prefix_length: length, next_serial: first, last_serial: last } = range;
  if (last < first) {
    throw new AppError('invalid_input', 'The last serial number is less than the first');
  }
  const digits = { '01': 14, '00': length + 1, '8003': 13, '8004': length }[ai];
  if (
    base.length !== digits ||
    !Number.isInteger(length) ||
    epcOfSerial(range, first) === null ||
    epcOfSerial(range, last) === null
  ) {
    throw new AppError(
      'invalid_input',
      `(${ai})${base} with the serial numbers ${first} to ${last} and a company prefix of ${length} digits has no EPC: check the key's check digit, the length of the prefix, and the last number`,
    );
  }
}

function entry(
  orgId: number,
  action: 'add_serials' | 'draw_serials',
  before: ChangeEntry['before'],
  after: ChangeEntry['after'],
): ChangeEntry {
  return { orgId, action, resource: { type: 'organization', id: orgId }, before, after };
}

function elementsOfSerial({ ai, base }: RangeName, serial: number): Elements {
  switch (ai) {
    case '01':
      return new Map([
        ['01', base],
        ['21', String(serial)],
      ]);
    case '00': {
      const digits = base + String(serial).padStart(17 - base.length, '0');
      return new Map([['00', digits + checkDigit(digits)]]);
    }
    case '8003':
      return new Map([['8003', `0${base}${serial}`]]);
    case '8004':
      return new Map([['8004', `${base}${serial}`]]);
  }
}

function epcOfSerial(range: SerialRange, serial: number): string | null {
  return epcOf(elementsOfSerial(range, serial), range.prefix_length, range.filter);
}

/** Assets of one call: they are labelled together or not at all. */
export const MOST_LABELLED = 500;

/** An asset with the EPC that its label is to carry. */
export interface Labelled {
  id: number;
  external_key: string;
  name: string;
  /** Upper-case hex digits. */
  epc: string;
  elements: Elements;
  link: string;
}

/**
 * Gives each asset an RFID tag with the next serial number of a range; one that has such a tag keeps it, so that a label
 * can be printed again. A draw holds the range's row until it is committed, so that no number is given twice.
 *
 * @throws AppError `not_found` (range, asset), `conflict` (too few numbers left, too many tags).
 */
export function labelAssets(
  db: OrganizationDatabase,
  actor: Actor,
  { ai, base }: RangeName,
  externalKeys: readonly string[],
): Promise<readonly Labelled[]> {
  return makeChange(db, actor, async (change) => {
    const name = { ai, base };
    const range = await lockRange(change, name);
    const assets = await readAssets(change, name, [...new Set(externalKeys)]);
    const bare = assets.filter(({ epc }) => epc === null);
    const { epcs, next } = await draw(change, range, bare.length);
    const before = { ...name, next_serial: range.next_serial };
    const after = { ...name, next_serial: next };
    const entries = bare.length === 0 ? [] : [entry(change.orgId, 'draw_serials', before, after)];
    for (const [index, asset] of bare.entries()) {
      const epc = epcs[index] ?? '';
      const tag = toNewTag({ tag_type: 'rfid', value: epc });
      if (!tag.ok) {
        throw new Error(`EPC ${epc} is no tag`);
      }
      const attached = await attachOne(change, 'asset', asset.id, tag.value, () =>
        findLiveById(change, 'asset', asset.id),
      );
      append(entries, attached.entries);
      asset.epc = epc;
    }
    return changed(assets.map(labelled), entries);
  });
}

interface Found {
  id: number;
  external_key: string;
  name: string;
  /** Null if none of its tags is of the range. */
  epc: string | null;
}

async function readAssets(
  change: OrganizationChange,
  range: RangeName,
  keys: readonly string[],
): Promise<Found[]> {
  const rows = await change.any(sql.type(rowsOf<Omit<Found, 'epc'> & { values: string[] }>())`
    select asset.id, asset.external_key, asset.name, array(
      select value from tags
      where org_id = ${change.orgId} and asset_id = asset.id and tag_type = 'rfid' and detached_at is null
      order by id limit ${MOST_LOOKED_AT}
    ) as values
    from unnest(${sql.binary(texts(keys))}::text[]) with ordinality given (external_key, ordinal)
    join assets asset on asset.org_id = ${change.orgId} and asset.external_key = given.external_key
      and asset.deleted_at is null
    order by given.ordinal`);
  const missing = keys.find((key) => !rows.some((row) => row.external_key === key));
  if (missing !== undefined) {
    throw new AppError('not_found', `Asset ${missing} not found`);
  }
  return rows.map(({ values, ...asset }) => ({
    ...asset,
    epc: values.find((value) => isOf(range, value)) ?? null,
  }));
}

/** Tags of an asset among which one of the range is looked for. */
const MOST_LOOKED_AT = 100;

async function lockRange(change: OrganizationChange, { ai, base }: RangeName): Promise<SerialRange> {
  const range = await change.maybeOne(sql.type(rowsOf<SerialRange>())`
    select ${COLUMNS} from serial_ranges
    where org_id = ${change.orgId} and ai = ${ai} and base = ${base} for update`);
  if (range === null) {
    throw new AppError('not_found', `There is no range of serial numbers for (${ai})${base}`);
  }
  return range;
}

/** Whether an EPC is one of a range's. */
function isOf({ ai, base }: RangeName, hex: string): boolean {
  const key = namedByEpc(hex.toUpperCase())?.elements?.get(ai);
  return key?.startsWith(ai === '8003' ? `0${base}` : base) === true;
}

/** The next numbers whose key no live tag has: after a restore, some may have been printed and attached already. */
async function draw(
  change: OrganizationChange,
  range: SerialRange,
  count: number,
): Promise<{ epcs: readonly string[]; next: number }> {
  const epcs: string[] = [];
  let next = range.next_serial;
  let atOnce = count;
  while (epcs.length < count) {
    const most = Math.min(atOnce, range.last_serial - next + 1);
    if (most <= 0) {
      throw conflict(
        `The range of (${range.ai})${range.base} has ${epcs.length} serial numbers left, and ${count} are needed`,
      );
    }
    const first = next;
    const serials = Array.from({ length: most }, (_, index) => first + index);
    const keys = serials.map((serial) => matchingKey(elementsOfSerial(range, serial)));
    const taken = await takenKeys(change, keys);
    for (const [index, serial] of serials.entries()) {
      if (epcs.length === count) {
        break;
      }
      next = serial + 1;
      if (!taken.has(keys[index] ?? '')) {
        epcs.push(epcOfSerial(range, serial) ?? '');
      }
    }
    // If some are taken, thousands may be.
    atOnce = MOST_LABELLED;
  }
  await change.exec(sql.type(NO_ROWS)`
    update serial_ranges set next_serial = ${next}
    where org_id = ${change.orgId} and ai = ${range.ai} and base = ${range.base}`);
  return { epcs, next };
}

async function takenKeys(change: OrganizationChange, keys: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await change.any(sql.type(rowsOf<{ key: string }>())`
    select given.key from unnest(${sql.binary(texts(keys))}::text[]) given (key)
    where exists (
      select from tags where org_id = ${change.orgId} and normal_key = given.key and detached_at is null)`);
  return new Set(rows.map(({ key }) => key));
}

function labelled({ epc, ...asset }: Found): Labelled {
  const hex = (epc ?? '').toUpperCase();
  const named = namedByEpc(hex);
  const link = named === null ? null : identifiersOf(named).digital_link;
  if (named?.elements == null || link === null) {
    throw new Error(`EPC ${hex} names nothing`);
  }
  return { ...asset, epc: hex, elements: named.elements, link };
}
