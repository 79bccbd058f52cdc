import { append } from '../../../base/append.ts';
import type { Micros } from '../../../base/instant.ts';
import type { Readings } from '../../tracking/reading-kind.ts';
import { TAG_TYPES, type TagType } from '../../tracking/tag-type.ts';
import { faultOfTagValue } from './acceptance.ts';
import type { Condition } from './condition.ts';
import { decode } from './decoding/decode.ts';
import { splitFields, trimmed } from './decoding/lines.ts';
import type { Selection } from './each.ts';
import type { Candidates, Fields, UnusableReadings } from './fields.ts';
import type { Format } from './format.ts';
import { tagLikeIn } from './near-miss.ts';
import { type Policies, withOverrides } from './policies.ts';
import type { Rule } from './rule.ts';
import { type Around, Scope } from './scope.ts';
import { allowedWork, briefWork, EXCERPT, MAX_ITEMS, MAX_PAYLOAD_BYTES } from './values/limits.ts';
import { asGiven, excerptOf, shown } from './values/printable.ts';

export interface TagRead {
  readonly tagType: TagType;
  /** 1 to 255 characters, spelled as the format produces it. */
  readonly value: string;
  /** A port from 1 to 65535, or a name; null if the payload names none. */
  readonly antenna: number | string | null;
  /** dBm, with fraction. */
  readonly rssi: number | null;
  /** Null if the payload has no usable time, or the time of reception is to be used. */
  readonly deviceTime: Micros | null;
  /** The values that the tag measures; absent if the payload has none. */
  readonly readings?: Readings;
  /** The payload's name for the reader; informative only. */
  readonly reader: string | null;
  /** True if an unmatched tag is listed as unknown. */
  readonly reportUnknown: boolean;
  /** Values of the payload that cannot be used. Nearly always null. */
  readonly unusable: Unusable | null;
}

/** As the payload has it; texts, lists and objects are shortened. */
export interface Unusable {
  readonly rssi?: number | string;
  /** In a notation that the format does not know, or in the next century. */
  readonly time?: number | string;
  /** By a clock that was not set. */
  readonly unsetClock?: number | string;
  /** Such as a battery at 255 %. */
  readonly readings?: UnusableReadings;
}

interface ReadItem {
  readonly outcome: 'read';
  readonly read: TagRead;
}

/** Ordinary, but not a read: a heartbeat, a status, an advertisement of something other than a beacon. */
interface Ignored {
  readonly outcome: 'ignored';
  readonly reason: string;
  /** Reason to log it, such as dropped reads. */
  readonly warning?: string;
  /** Something in it that looks like a tag: should it have been a read? */
  readonly nearMiss?: string;
}

interface Rejected {
  readonly outcome: 'rejected';
  readonly reason: string;
  /** Position in the message, from 0. */
  readonly index: number;
  /** Truncated to 500 UTF-16 units. */
  readonly excerpt: string;
}

export type Item = ReadItem | Ignored | Rejected;

export type Mapped =
  | { readonly outcome: 'items'; readonly items: Item[] }
  | Ignored
  | { readonly outcome: 'rejected'; readonly reason: string };

export type { Policies } from './policies.ts';

export interface Message {
  readonly topic: string;
  readonly payload: Buffer;
}

/**
 * Decodes a message. Pure and total: never throws, whatever the bytes, and takes linear time and memory. A
 * reader's `policies` override the format's.
 *
 * Measured with Node 24 on one core of a small server, messages of 50 reads: csl-cs463 970,000 reads/s,
 * tagtrail 600,000, zebra-iotc 470,000 (back to back 400,000; one read a message 340,000), and 240,000 if
 * every read has a number beyond 2^53. Parsing the JSON takes about a quarter of that time; reading dates is
 * most of the rest. To repeat it: `node test/domain/formats/mapping/throughput.ts`.
 */
export function mapMessage(format: Format, message: Message, policies?: Partial<Policies>): Mapped {
  return mapWithin(allowedWork(message.payload.length), format, message, policies);
}

/** {@link mapMessage} if it is brief; null if others should not wait for it. */
export function mapBriefly(format: Format, message: Message, policies?: Partial<Policies>): Mapped | null {
  const mapped = mapWithin(briefWork(message.payload.length), format, message, policies);
  return mapped.outcome === 'rejected' && mapped.reason === TOO_MUCH_WORK ? null : mapped;
}

function mapWithin(work: number, format: Format, message: Message, policies?: Partial<Policies>): Mapped {
  const { payload } = message;
  if (payload.length > MAX_PAYLOAD_BYTES) {
    const reason = `payload of ${payload.length} bytes is over the limit of ${MAX_PAYLOAD_BYTES}`;
    return { outcome: 'rejected', reason };
  }
  const scope = new Scope(message.topic, work);
  const ignored = reasonToIgnore(format, scope, payload);
  if (ignored !== null) {
    return { outcome: 'ignored', reason: ignored };
  }
  const decoded = decode(format.decoders, payload);
  if ('fault' in decoded) {
    return { outcome: 'rejected', reason: decoded.fault };
  }
  const run = new DocumentRun(format.rules, scope, withOverrides(format.policies, policies));
  for (const document of decoded.documents) {
    const fault = run.add(document);
    if (fault !== null) {
      return { outcome: 'rejected', reason: fault };
    }
  }
  return run.result(decoded.rest);
}

/** Messages ignored as a whole before decoding: by topic, or by text such as `connected`. */
function reasonToIgnore(format: Format, scope: Scope, payload: Buffer): string | null {
  if (format.ignoredTopics.some((matches) => matches(scope.levels))) {
    return 'messages of this topic are ignored';
  }
  if (payload.length <= format.longestIgnoredText + BLANKS_AROUND) {
    const text = trimmed(payload.toString('utf8'));
    if (format.ignoredTexts.has(text)) {
      return `the text ${JSON.stringify(text)} is ignored`;
    }
  }
  return null;
}

/** Bytes of blanks tolerated around an ignored text. */
const BLANKS_AROUND = 8;

/** Why a message is rejected that its format makes too much work of. */
const TOO_MUCH_WORK =
  'its format takes too much work for it: use fewer candidates and transforms, of shorter texts';

/** Takes the documents of one message through the rules and collects the outcome of every item. */
class DocumentRun {
  readonly #rules: readonly Rule[];
  readonly #scope: Scope;
  readonly #policies: Policies;
  readonly #outcomes: Item[] = [];
  #index = 0;
  #foundAny = false;

  constructor(rules: readonly Rule[], scope: Scope, policies: Policies) {
    this.#rules = rules;
    this.#scope = scope;
    this.#policies = policies;
  }

  /** @returns why the message is rejected as a whole: it now exceeds a limit. */
  add(document: unknown): string | null {
    const scope = this.#scope;
    const outcomes: Item[] = [];
    const sources: unknown[] = [];
    const lacking = new Map<Item, Lacking>();
    let found = false;
    let idle: (NothingThere & { rule: Rule }) | undefined;
    for (const rule of this.#rules) {
      scope.enter(document);
      scope.workLeft -= rule.workOfDocument;
      const selection = select(rule, scope);
      if (scope.workLeft < 0) {
        return TOO_MUCH_WORK;
      }
      if ('reason' in selection) {
        idle ??= { ...selection, rule };
        continue;
      }
      found = true;
      if (this.#index + selection.items.length > MAX_ITEMS) {
        return `payload has more than ${MAX_ITEMS} items`;
      }
      for (let at = 0; at < selection.items.length; at++) {
        const item = selection.items[at];
        const around = selection.arounds[at] ?? NOWHERE;
        const seen = rule.split !== null && typeof item === 'string' ? splitFields(item, rule.split) : item;
        scope.see(seen, around, selection.keys[at] ?? null);
        scope.workLeft -= rule.work;
        const failed = firstFailing(rule.itemConditions, scope);
        const outcome =
          failed === undefined
            ? mapItem(rule, scope, this.#policies, this.#index)
            : ignored(rule, scope, failed.otherwise);
        if (failed?.asksFor === true) {
          lacking.set(outcome, { rule, isOther: false, around, item: seen });
        }
        outcomes.push(outcome);
        if (scope.workLeft < 0) {
          return TOO_MUCH_WORK;
        }
        // Equal texts may stand in several places.
        sources.push(typeof item === 'object' ? item : `${rule.place} ${at}`);
        this.#index += 1;
      }
    }
    if (found) {
      this.#foundAny = true;
    } else if (idle !== undefined) {
      outcomes.push(ignoredWhole(document, idle, scope, lacking));
    }
    const kept = this.#rules.length > 1 ? withoutRepeatedIgnoring(outcomes, sources) : outcomes;
    append(
      this.#outcomes,
      lacking.size === 0 ? kept : kept.map((outcome) => withNearMiss(outcome, lacking.get(outcome), scope)),
    );
    return scope.workLeft < 0 ? TOO_MUCH_WORK : null;
  }

  /** @param rest undecodable bytes after the documents. */
  result(rest: { readonly reason: string; readonly excerpt: string } | undefined): Mapped {
    if (rest !== undefined) {
      this.#outcomes.push({ outcome: 'rejected', ...rest, index: this.#index });
    }
    const [first] = this.#outcomes;
    // No document had a place for items: a status message, ignored as a whole.
    return first?.outcome === 'ignored' && !this.#foundAny && rest === undefined
      ? first
      : { outcome: 'items', items: this.#outcomes };
  }
}

/** A document in which no rule found a place for items. */
function ignoredWhole(
  document: unknown,
  { rule, reason, isLacking, isOther }: NothingThere & { rule: Rule },
  scope: Scope,
  lacking: Map<Item, Lacking>,
): Item {
  scope.enter(document);
  const outcome = ignored(rule, scope, reason);
  if (isLacking) {
    lacking.set(outcome, { rule, isOther, around: { node: document, outer: null }, item: document });
  }
  return outcome;
}

/** Why a rule finds no items in a document. */
interface NothingThere {
  reason: string;
  /** No condition distinguished the document from one with reads, but it lacks something. */
  isLacking: boolean;
  isOther: boolean;
}

function select(rule: Rule, scope: Scope): Selection | NothingThere {
  const failed = firstFailing(rule.documentConditions, scope);
  if (failed !== undefined) {
    return { reason: failed.otherwise, isLacking: failed.asksFor, isOther: false };
  }
  const isOther = rule.documentConditions.length > 0;
  return (
    rule.select(scope, rule.wantsKeys) ?? { reason: `nothing at ${rule.place}`, isLacking: true, isOther }
  );
}

/**
 * An item ignored by one rule but taken by another does not count as ignored. One ignored by all rules is
 * counted once.
 */
function withoutRepeatedIgnoring(outcomes: readonly Item[], sources: readonly unknown[]): Item[] {
  const taken = new Set(sources.filter((_source, at) => outcomes[at]?.outcome !== 'ignored'));
  return outcomes.filter((outcome, at) => {
    if (outcome.outcome !== 'ignored') {
      return true;
    }
    // Nothing at all, where another rule found something: each event has one kind of list, and lacks the others.
    const isNew = !taken.has(sources[at]) && !(sources[at] === null && taken.size > 0);
    taken.add(sources[at]);
    return isNew;
  });
}

/**
 * Outcome of the scope's item, the `index`th of its message. Only an unusable tag type or value rejects it: a
 * read without antenna, RSSI or time is better than none.
 */
function mapItem(rule: Rule, scope: Scope, policies: Policies, index: number): Item {
  const { fields } = rule;
  const tagType = fields.tagType(scope);
  if (tagType === undefined) {
    return rejected(scope, index, whyNoTagType(fields.tagTypes, scope));
  }
  const value = fields.value[policies.identity](scope);
  if (value === undefined) {
    return withoutValue(rule, scope, policies, index);
  }
  const rssi = fields.rssi(scope);
  const isDated = policies.time === 'device';
  const time = isDated ? fields.observedAt(scope) : undefined;
  const measured = fields.readings?.(scope) ?? null;
  const refused = measured?.unusable ?? null;
  const read: TagRead = {
    tagType,
    value,
    antenna: fields.antenna(scope),
    rssi: rssi ?? null,
    deviceTime: time ?? null,
    reader: fields.reader(scope) ?? null,
    reportUnknown: reportsUnknown(tagType, policies),
    unusable:
      rssi === undefined || (isDated && time === undefined) || refused !== null
        ? unusableOf(fields, scope, refused, {
            hasRssi: rssi !== undefined,
            hasTime: !isDated || time !== undefined,
          })
        : null,
  };
  const readings = measured?.readings ?? null;
  return { outcome: 'read', read: readings === null ? read : { ...read, readings } };
}

/** @param has whether a field was read, or is not wanted. */
function unusableOf(
  fields: Fields,
  scope: Scope,
  readings: UnusableReadings | null,
  has: { hasRssi: boolean; hasTime: boolean },
): Unusable | null {
  const rssi = has.hasRssi ? undefined : fields.givenRssi(scope);
  const time = has.hasTime ? undefined : fields.givenTime(scope);
  if (rssi === undefined && time === undefined && readings === null) {
    return null;
  }
  return {
    ...(rssi === undefined ? {} : { rssi: asGiven(rssi) }),
    ...(time === undefined ? {} : { [time.isUnset ? 'unsetClock' : 'time']: asGiven(time.given) }),
    ...(readings === null ? {} : { readings }),
  };
}

function firstFailing(conditions: readonly Condition[], scope: Scope): Condition | undefined {
  for (const condition of conditions) {
    if (!condition.holds(scope)) {
      return condition;
    }
  }
  return undefined;
}

function ignored(rule: Rule, scope: Scope, reason: string): Ignored {
  const warning = rule.warn.find((condition) => condition.holds(scope));
  return warning === undefined
    ? { outcome: 'ignored', reason }
    : { outcome: 'ignored', reason, warning: warning.saying };
}

/** An ignored item or document that no condition distinguished from a read, but that lacks something. */
interface Lacking {
  rule: Rule;
  /** The document meets the rule's conditions: another event of the same devices. */
  isOther: boolean;
  around: Around;
  item: unknown;
}

const NOWHERE: Around = { node: undefined, outer: null };

/** Looks once at what no rule has read: each look walks all of it. */
function withNearMiss(outcome: Item, lacking: Lacking | undefined, scope: Scope): Item {
  if (lacking === undefined || outcome.outcome !== 'ignored') {
    return outcome;
  }
  scope.see(lacking.item, lacking.around, null);
  const reader = lacking.rule.fields.reader(scope) ?? null;
  const nearMiss = tagLikeIn(lacking.item, { reader, isDevice: lacking.isOther });
  return nearMiss === null ? outcome : { ...outcome, nearMiss };
}

function withoutValue(rule: Rule, scope: Scope, policies: Policies, index: number): Item {
  const { identity } = policies;
  const candidates = rule.fields.values[identity];
  if (candidates.all.length === 0) {
    return rejected(scope, index, `the format has no value for the identity ${identity}`);
  }
  const isBeacon = identity === 'ibeacon' || identity === 'eddystone';
  return isBeacon && candidates.all.some((candidate) => candidate.identity === identity)
    ? ignored(rule, scope, `holds no ${identity} identity`)
    : rejected(scope, index, whyNoValue(candidates, scope));
}

function rejected(scope: Scope, index: number, reason: string): Item {
  scope.workLeft -= EXCERPT;
  return { outcome: 'rejected', reason, index, excerpt: excerptOf(scope.item) };
}

function reportsUnknown(tagType: TagType, policies: Policies): boolean {
  return policies.reportUnknown === null ? tagType !== 'ble' : policies.reportUnknown === 'on';
}

function whyNoTagType(candidates: Candidates, scope: Scope): string {
  for (const candidate of candidates.all) {
    const source = candidate.source(scope);
    if (source !== undefined && source !== null) {
      return `tag type ${shown(source)} is none of: ${TAG_TYPES.join(', ')}`;
    }
  }
  return `no tag type (${candidates.places})`;
}

function whyNoValue(candidates: Candidates, scope: Scope): string {
  for (const candidate of candidates.all) {
    const source = candidate.source(scope);
    if (source === undefined || source === null) {
      continue;
    }
    const value = candidate.read(scope);
    if (value === undefined || value === null) {
      return `value ${shown(source)} (${candidate.name}) is not of the kind that the format expects`;
    }
    if (typeof value !== 'string') {
      return `value ${shown(value)} (${candidate.name}) is not a text`;
    }
    return `value ${shown(value)} (${candidate.name}) ${faultOfTagValue(value) ?? 'is not usable'}`;
  }
  return `no value (${candidates.places})`;
}
