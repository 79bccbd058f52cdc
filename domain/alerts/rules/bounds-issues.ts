import { type FieldIssue, invalidValue, tooFew, tooLarge, tooMany } from '../../../base/checks/issues.ts';
import { MICROS_PER_SECOND, type Micros } from '../../../base/instant.ts';
import type { MetadataTerm } from './rule.ts';
import type { RuleChange } from './rule-change.ts';
import { LIMITS, MOST_AFTER } from './settings.ts';

/**
 * What of a change is too much to be stored, or selects nothing, by the names that fields have on the wire. An empty selection is
 * not taken for none: a program whose list came out empty would have alerts of everything.
 */
export function boundsIssues(given: RuleChange): FieldIssue[] {
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
