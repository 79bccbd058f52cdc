import { append } from '../../../base/append.ts';
import {
  type FieldIssue,
  foreignKeyNotFound,
  invalidValue,
  refuseIssues,
  required,
  tooFew,
  tooLarge,
  tooMany,
} from '../../../base/checks/issues.ts';
import { MICROS_PER_SECOND, type Micros } from '../../../base/instant.ts';
import { requireName } from '../../../base/names.ts';
import { timeZoneNamed } from '../../../base/time-zones.ts';
import { rowsOf, sql } from '../../../db/timescale/queries/sql.ts';
import type { Connection } from '../../../db/timescale/queries/verbs.ts';
import { LIVE_READERS } from '../../administration/live-readers.ts';
import { holdLiveAssetsByKey, lockLiveLocationByKey } from '../../master-data/by-id-or-key.ts';
import { rangeOf } from '../../tracking/reading-kind.ts';
import { HOURS_REMEDY, parseHours } from './hours-text.ts';
import { isOfReadings, type Kind, type MetadataTerm } from './rule.ts';
import type { RuleChange } from './rule-change.ts';
import { LIMITS, MOST_AFTER, type RuleSettings } from './settings.ts';

/**
 * A rule with a change applied, checked. In a transaction, rows that it refers to stay live until the end.
 *
 * @throws Invalid with every fault, by the fields' names on the wire.
 */
export async function appliedChange(
  transaction: Connection,
  orgId: number,
  before: RuleSettings,
  given: RuleChange,
): Promise<RuleSettings> {
  requireName('a rule', given.name ?? before.name);
  refuseIssues(boundsIssues(given));
  const issues: FieldIssue[] = [];
  const to = { transaction, orgId, issues };
  const { selection } = before;
  const settings: RuleSettings = {
    kind: before.kind,
    name: given.name ?? before.name,
    after: given.after === undefined ? before.after : given.after,
    thenAfter: given.thenAfter === undefined ? before.thenAfter : given.thenAfter,
    hours: appliedHours(issues, before.hours, given),
    bound: {
      reading: given.reading === undefined ? before.bound.reading : given.reading,
      above: given.above === undefined ? before.bound.above : given.above,
      below: given.below === undefined ? before.bound.below : given.below,
      hysteresis: given.hysteresis === undefined ? before.bound.hysteresis : given.hysteresis,
    },
    locationId: await foundLocation(
      to,
      'location_external_key',
      given.locationExternalKey,
      before.locationId,
    ),
    selection: {
      assetIds: await withAdded(
        to,
        given.addedAssetExternalKeys,
        await foundAssets(to, 'asset_external_keys', given.assetExternalKeys, selection.assetIds),
      ),
      withinLocationId: await foundLocation(
        to,
        'within_location_external_key',
        given.withinLocationExternalKey,
        selection.withinLocationId,
      ),
      metadata: given.metadata === undefined ? selection.metadata : (given.metadata ?? []),
      readerIds: await foundReaders(to, given.readerIds, selection.readerIds),
    },
    mailTo: await foundMembers(to, given.mailTo, before.mailTo),
  };
  // Values that were not found are reported once, not as missing as well.
  refuseIssues(issues);
  refuseIssues(issuesOf(settings));
  return settings;
}

/** Working hours with a change; hours that are taken away take their time zone with them. */
function appliedHours(
  issues: FieldIssue[],
  before: RuleSettings['hours'],
  given: { hours?: string | null | undefined; timeZone?: string | null | undefined },
): RuleSettings['hours'] {
  const text = given.hours === undefined ? (before?.text ?? null) : given.hours;
  const timeZone = given.timeZone === undefined ? (before?.timeZone ?? null) : given.timeZone;
  if (text === null) {
    if (given.timeZone != null) {
      issues.push(invalidValue('time_zone', 'must be left out without hours'));
    }
    return null;
  }
  if (parseHours(text) === null) {
    issues.push(invalidValue('hours', HOURS_REMEDY));
  }
  const known = timeZone === null ? null : timeZoneNamed(timeZone);
  if (known === null) {
    const rule = 'must be a time zone of the IANA database if there are hours, e.g. Europe/Berlin';
    issues.push(invalidValue('time_zone', rule));
    return null;
  }
  return { text, timeZone: known };
}

/**
 * Faults of a change that exceeds bounds or selects nothing, by the fields' names on the wire. An empty selection does
 * not mean everything: a program whose list came out empty would get alerts about everything.
 */
function boundsIssues(given: RuleChange): FieldIssue[] {
  const { metadata } = given;
  return [
    ...tooLong('after_seconds', given.after),
    ...tooLong('then_seconds', given.thenAfter),
    ...tooManyOf('asset_external_keys', given.assetExternalKeys, LIMITS.assets),
    ...tooManyOf('reader_ids', given.readerIds, LIMITS.readers),
    ...noneOf('asset_external_keys', given.assetExternalKeys),
    ...noneOf('reader_ids', given.readerIds),
    ...tooManyOf('mail_to', given.mailTo, LIMITS.recipients),
    ...tooManyOf('metadata', metadata, LIMITS.terms),
    ...(metadata?.every(isTerm) === false
      ? [
          invalidValue(
            'metadata',
            `must be paths of up to ${LIMITS.pathLength} names, each with a value; names and values have up to ` +
              `${LIMITS.textLength} characters`,
          ),
        ]
      : []),
  ];
}

function tooLong(field: string, duration: Micros | null | undefined): FieldIssue[] {
  return duration != null && duration > MOST_AFTER ? [tooLarge(field, MOST_AFTER / MICROS_PER_SECOND)] : [];
}

function tooManyOf(field: string, list: readonly unknown[] | null | undefined, most: number): FieldIssue[] {
  return list != null && list.length > most ? [tooMany(field, most)] : [];
}

function noneOf(field: string, list: readonly unknown[] | null | undefined): FieldIssue[] {
  return list?.length === 0 ? [tooFew(field, 1)] : [];
}

function isTerm({ path, value }: MetadataTerm): boolean {
  return (
    path.length > 0 &&
    path.length <= LIMITS.pathLength &&
    path.every((name) => name !== '' && isText(name)) &&
    isText(value)
  );
}

/** The database refuses U+0000. */
function isText(text: string): boolean {
  return text.length <= LIMITS.textLength && !text.includes('\u0000');
}

/** Fields that some kinds have and others have not, by their names on the wire. */
const FIELDS = {
  after_seconds: ({ after }) => after !== null,
  then_seconds: ({ thenAfter }) => thenAfter !== null,
  location_external_key: ({ locationId }) => locationId !== null,
  hours: ({ hours }) => hours !== null,
  reading: ({ bound }) => bound.reading !== null,
  above: ({ bound }) => bound.above !== null,
  below: ({ bound }) => bound.below !== null,
  hysteresis: ({ bound }) => bound.hysteresis !== null,
  asset_external_keys: ({ selection }) => selection.assetIds !== null,
  within_location_external_key: ({ selection }) => selection.withinLocationId !== null,
  metadata: ({ selection }) => selection.metadata.length > 0,
  reader_ids: ({ selection }) => selection.readerIds !== null,
} satisfies Record<string, (settings: RuleSettings) => boolean>;

type FieldName = keyof typeof FIELDS;

const OF_ASSETS = ['asset_external_keys', 'within_location_external_key', 'metadata'] as const;

const OF_KIND: Record<Kind, { needs: readonly FieldName[]; takes: readonly FieldName[] }> = {
  overdue: { needs: ['after_seconds'], takes: ['then_seconds', ...OF_ASSETS] },
  dwell: { needs: ['after_seconds', 'location_external_key'], takes: ['then_seconds', ...OF_ASSETS] },
  not_allowed: { needs: ['location_external_key'], takes: OF_ASSETS },
  must_be: { needs: ['location_external_key'], takes: ['after_seconds', 'hours', ...OF_ASSETS] },
  reader: { needs: [], takes: ['after_seconds', 'reader_ids'] },
  reading: { needs: ['reading'], takes: ['above', 'below', 'hysteresis', 'after_seconds', ...OF_ASSETS] },
  battery_low: { needs: ['reading', 'below'], takes: ['hysteresis', 'after_seconds', ...OF_ASSETS] },
};

/** Why a field makes no sense for the kinds that do not take it, and what to do instead. */
const REMEDIES: Record<FieldName, string> = {
  after_seconds: 'raises at once',
  then_seconds: 'has one threshold; leave it out, or make it a rule of overdue or dwell',
  location_external_key:
    'has no location of its own; to select assets by location use within_location_external_key',
  hours: 'holds at all hours; only must_be has working hours',
  reading: 'is not about what tags measure; only reading and battery_low are',
  above: 'has no upper bound; only reading has',
  below: 'has no lower bound; only reading and battery_low have',
  hysteresis: 'has no bound; only reading and battery_low have',
  asset_external_keys: 'is about readers; select them with reader_ids',
  within_location_external_key: 'is about readers; select them with reader_ids',
  metadata: 'is about readers; select them with reader_ids',
  reader_ids: 'is about assets; only a rule of the kind reader selects readers',
};

/** Contradictions in a rule, by the fields' names on the wire. */
export function issuesOf(settings: RuleSettings): FieldIssue[] {
  const { kind, after, thenAfter } = settings;
  const { needs, takes } = OF_KIND[kind];
  const names = Object.keys(FIELDS) as FieldName[];
  const issues = names.flatMap((name) => {
    const isGiven = FIELDS[name](settings);
    if (needs.includes(name)) {
      return isGiven
        ? []
        : [{ ...required(name), message: `${name} is required for a rule of the kind ${kind}` }];
    }
    return isGiven && !takes.includes(name)
      ? [invalidValue(name, `must be left out: a rule of the kind ${kind} ${REMEDIES[name]}`)]
      : [];
  });
  if (thenAfter !== null && after !== null && thenAfter <= after) {
    issues.push(
      invalidValue('then_seconds', `must be more than after_seconds, ${after / MICROS_PER_SECOND}`),
    );
  }
  if (['overdue', 'dwell'].includes(kind) && after === 0) {
    issues.push(invalidValue('after_seconds', `must be at least 1 for a rule of the kind ${kind}`));
  }
  return isOfReadings(settings) ? [...issues, ...boundIssuesOf(settings)] : issues;
}

/** Contradictions in what a rule says about readings. */
function boundIssuesOf({ kind, bound }: RuleSettings): FieldIssue[] {
  const { reading, above, below, hysteresis } = bound;
  if (reading === null) {
    return [];
  }
  const [least, most] = rangeOf(reading);
  const given = { above, below };
  const outside = (['above', 'below'] as const).filter(
    (name) => given[name] !== null && ((given[name] ?? 0) < least || (given[name] ?? 0) > most),
  );
  return [
    ...(kind === 'battery_low' && !reading.startsWith('battery_')
      ? [
          invalidValue(
            'reading',
            'must be battery_percent or battery_volts for a rule of the kind battery_low',
          ),
        ]
      : []),
    ...(kind === 'reading' && above === null && below === null
      ? [{ ...required('above'), message: 'above or below is required for a rule of the kind reading' }]
      : []),
    ...(above !== null && below !== null && kind === 'reading'
      ? [invalidValue('below', 'must be left out with above; for a range add a rule for each end')]
      : []),
    ...outside.map((name) => invalidValue(name, `must be between ${least} and ${most} for ${reading}`)),
    ...(hysteresis !== null && (hysteresis < 0 || hysteresis > most - least)
      ? [invalidValue('hysteresis', `must be between 0 and ${most - least} for ${reading}`)]
      : []),
  ];
}

/** Where names are looked up and faults are collected. */
interface LookUp {
  transaction: Connection;
  orgId: number;
  issues: FieldIssue[];
}

/** Names of a list that are reported if they are not found. */
const MOST_NAMED = 20;

async function foundLocation(
  { transaction, orgId, issues }: LookUp,
  field: string,
  key: string | null | undefined,
  before: number | null,
): Promise<number | null> {
  if (key === undefined || key === null) {
    return key === undefined ? before : null;
  }
  const id = await lockLiveLocationByKey(transaction, orgId, key);
  if (id === null) {
    issues.push(foreignKeyNotFound(field, key));
  }
  return id;
}

async function withAdded(
  to: LookUp,
  keys: readonly string[] | undefined,
  listed: readonly number[] | null,
): Promise<readonly number[] | null> {
  if (keys === undefined) {
    return listed;
  }
  const field = 'added_asset_external_keys';
  if (listed === null) {
    to.issues.push(invalidValue(field, 'must be left out: the rule has no list of assets'));
    return null;
  }
  const added = (await foundAssets(to, field, keys, null)) ?? [];
  const all = [...new Set([...listed, ...added])].sort((a, b) => a - b);
  append(to.issues, tooManyOf(field, all, LIMITS.assets));
  return all;
}

async function foundAssets(
  { transaction, orgId, issues }: LookUp,
  field: string,
  keys: readonly string[] | null | undefined,
  before: readonly number[] | null,
): Promise<readonly number[] | null> {
  if (keys === undefined || keys === null) {
    return keys === undefined ? before : null;
  }
  const wanted = [...new Set(keys)];
  const rows = await holdLiveAssetsByKey(transaction, orgId, wanted);
  refuseOthers(issues, field, wanted, new Set(rows.map(({ external_key: key }) => key)));
  return rows.map(({ id }) => id);
}

/** Does not wait for a reader's deletion: a rule about a deleted reader never comes true. */
async function foundReaders(
  { transaction, orgId, issues }: LookUp,
  ids: readonly number[] | null | undefined,
  before: readonly number[] | null,
): Promise<readonly number[] | null> {
  if (ids === undefined || ids === null) {
    return ids === undefined ? before : null;
  }
  const wanted = [...new Set(ids)].sort((a, b) => a - b);
  const rows = await transaction.any(sql.type(rowsOf<{ id: number }>())`
    select reader.id from ${LIVE_READERS}
    where reader.org_id = ${orgId} and reader.id = any (${sql.array(wanted, 'int4')})`);
  refuseOthers(issues, 'reader_ids', wanted, new Set(rows.map(({ id }) => id)));
  return wanted;
}

async function foundMembers(
  { transaction, orgId, issues }: LookUp,
  addresses: readonly string[] | null | undefined,
  before: readonly string[],
): Promise<readonly string[]> {
  if (addresses === undefined || addresses === null || addresses.length === 0) {
    return addresses === undefined ? before : [];
  }
  const wanted = [...new Set(addresses.map((address) => address.toLowerCase()))].sort();
  const rows = await transaction.any(sql.type(rowsOf<{ address: string }>())`
    select address from member_addresses(${orgId}, ${sql.array(wanted, 'text')}) as address`);
  const members = new Set(rows.map(({ address }) => address));
  const others = wanted.filter((address) => !members.has(address)).slice(0, MOST_NAMED);
  const rule = 'must be members of the organization, who can be invited to the console';
  append(
    issues,
    others.map((address) => invalidValue('mail_to', `${rule}; ${address} is none`)),
  );
  return wanted;
}

function refuseOthers<Name extends string | number>(
  issues: FieldIssue[],
  field: string,
  wanted: readonly Name[],
  found: ReadonlySet<Name>,
): void {
  const others = wanted.filter((name) => !found.has(name)).slice(0, MOST_NAMED);
  append(
    issues,
    others.map((name) => ({ ...foreignKeyNotFound(field, name), params: { value: name } })),
  );
}
