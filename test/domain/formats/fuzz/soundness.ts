import type { Item, Mapped } from '../../../../domain/formats/mapping/run.ts';
import { MAX_ITEMS } from '../../../../domain/formats/mapping/values/limits.ts';
import { whyUnusable } from '../../../../domain/tracking/tag-key.ts';
import { FORBIDDEN_IN_TAG_VALUE, isTagType } from '../../../../domain/tracking/tag-type.ts';

/** What is wrong with an outcome, so that it should not reach the database; null if nothing is. */
export function faultOf(mapped: Mapped): string | null {
  if (mapped.outcome !== 'items') {
    return faultOfText('reason', mapped.reason, 2_000);
  }
  // What could not be decoded behind the last document is one more.
  if (mapped.items.length > MAX_ITEMS + 1) {
    return `${mapped.items.length} items`;
  }
  for (const item of mapped.items) {
    const fault = faultOfItem(item);
    if (fault !== null) {
      return `${fault} in ${JSON.stringify(item).slice(0, 500)}`;
    }
  }
  return null;
}

function faultOfItem(item: Item): string | null {
  if (item.outcome === 'ignored') {
    return faultOfText('reason', item.reason, 1_000);
  }
  if (item.outcome === 'rejected') {
    const { index, reason, excerpt } = item;
    const isIndex = Number.isInteger(index) && index >= 0 && index <= MAX_ITEMS;
    return isIndex
      ? (faultOfText('reason', reason, 1_000) ?? faultOfText('excerpt', excerpt, 500))
      : `index ${index}`;
  }
  const { tagType, value, antenna, rssi, deviceTime, reader, reportUnknown } = item.read;
  // Throws on nothing, says something of everything.
  whyUnusable(item.read);
  const tests: [string, boolean][] = [
    ['tag type', isTagType(tagType)],
    ['length of value', value !== '' && [...value].length <= 255],
    ['value', value.isWellFormed() && !FORBIDDEN_IN_TAG_VALUE.test(value)],
    ['antenna', isAntenna(antenna)],
    ['rssi', rssi === null || (rssi > -150 && rssi < 0)],
    ['time', deviceTime === null || (Number.isSafeInteger(deviceTime) && deviceTime > 0)],
    ['reader', reader === null || faultOfText('reader', reader, 255) === null],
    ['report unknown', typeof reportUnknown === 'boolean'],
  ];
  return tests.find(([, holds]) => !holds)?.[0] ?? null;
}

function isAntenna(antenna: number | string | null): boolean {
  if (typeof antenna === 'string') {
    return faultOfText('antenna', antenna, 64) === null;
  }
  return antenna === null || (Number.isInteger(antenna) && antenna >= 1 && antenna <= 65_535);
}

/** Text that a person reads and a database keeps: there, of bounded length, without control characters. */
function faultOfText(what: string, text: string, most: number): string | null {
  const isSound = text !== '' && text.length <= most && text.isWellFormed() && !/\p{Cc}/u.test(text);
  return isSound ? null : `${what} ${JSON.stringify(text).slice(0, 200)}`;
}
