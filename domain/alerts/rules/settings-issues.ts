import { type FieldIssue, invalidValue, required } from '../../../base/checks/issues.ts';
import { MICROS_PER_SECOND } from '../../../base/instant.ts';
import type { Kind } from './rule.ts';
import type { RuleSettings } from './settings.ts';

/** Fields that some kinds have and others have not, by their names on the wire. */
const FIELDS = {
  after_seconds: ({ after }) => after !== null,
  then_seconds: ({ thenAfter }) => thenAfter !== null,
  location_external_key: ({ locationId }) => locationId !== null,
  hours: ({ hours }) => hours !== null,
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
};

/** Why a field makes no sense for the kinds that do not take it, and what to do instead. */
const REMEDIES: Record<FieldName, string> = {
  after_seconds: 'raises at once',
  then_seconds: 'has one threshold; leave it out, or make it a rule of overdue or dwell',
  location_external_key:
    'is not about one location; to select the assets of one use within_location_external_key',
  hours: 'holds at all hours; only must_be has hours of work',
  asset_external_keys: 'is about readers; select them with reader_ids',
  within_location_external_key: 'is about readers; select them with reader_ids',
  metadata: 'is about readers; select them with reader_ids',
  reader_ids: 'is about assets; only a rule of the kind reader selects readers',
};

/** What of a rule makes no sense, by the names that fields have on the wire. */
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
  return issues;
}
