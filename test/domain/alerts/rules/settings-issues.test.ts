import { expect } from 'chai';
import { MICROS_PER_SECOND } from '../../../../base/instant.ts';
import { issuesOf } from '../../../../domain/alerts/rules/applied-change.ts';
import { KINDS, type Kind } from '../../../../domain/alerts/rules/rule.ts';
import { EVERYTHING, type RuleSettings } from '../../../../domain/alerts/rules/settings.ts';

const settings = (kind: Kind, more: Partial<RuleSettings> = {}): RuleSettings => ({
  ...{ kind, name: kind, after: null, thenAfter: null, locationId: null, hours: null },
  ...{ selection: EVERYTHING, mailTo: [], ...more },
});
const seconds = (count: number) => count * MICROS_PER_SECOND;
const fields = (...given: Parameters<typeof settings>) =>
  issuesOf(settings(...given)).map(({ field }) => field);

describe('what a rule must have', () => {
  it('is what its kind cannot do without', () => {
    expect(Object.fromEntries(KINDS.map((kind) => [kind, fields(kind)]))).to.deep.equal({
      overdue: ['after_seconds'],
      dwell: ['after_seconds', 'location_external_key'],
      not_allowed: ['location_external_key'],
      must_be: ['location_external_key'],
      reader: [],
    });
  });

  it('is nothing that its kind makes no use of', () => {
    const everything = {
      ...{ after: seconds(1), thenAfter: seconds(2), locationId: 1 },
      hours: { text: 'Mon 07:00-18:00', timeZone: 'UTC' },
      selection: {
        assetIds: [1],
        withinLocationId: 1,
        metadata: [{ path: ['a'], value: 'b' }],
        readerIds: [1],
      },
    };
    expect(Object.fromEntries(KINDS.map((kind) => [kind, fields(kind, everything)]))).to.deep.equal({
      overdue: ['location_external_key', 'hours', 'reader_ids'],
      dwell: ['hours', 'reader_ids'],
      not_allowed: ['after_seconds', 'then_seconds', 'hours', 'reader_ids'],
      must_be: ['then_seconds', 'reader_ids'],
      reader: [
        ...['then_seconds', 'location_external_key', 'hours'],
        ...['asset_external_keys', 'within_location_external_key', 'metadata'],
      ],
    });
  });

  it('has a second threshold beyond the first', () => {
    expect(fields('overdue', { after: seconds(60), thenAfter: seconds(60) })).to.deep.equal(['then_seconds']);
    expect(fields('overdue', { after: seconds(60), thenAfter: seconds(61) })).to.deep.equal([]);
    expect(fields('overdue', { after: 0 })).to.deep.equal(['after_seconds']);
  });
});
