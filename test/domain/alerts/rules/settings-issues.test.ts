import { expect } from 'chai';
import { MICROS_PER_SECOND } from '../../../../base/instant.ts';
import { issuesOf } from '../../../../domain/alerts/rules/applied-change.ts';
import { KINDS, type Kind } from '../../../../domain/alerts/rules/rule.ts';
import { EVERYTHING, type RuleSettings } from '../../../../domain/alerts/rules/settings.ts';
import { UNBOUND } from '../../../../domain/tracking/reading-bound.ts';

const settings = (kind: Kind, more: Partial<RuleSettings> = {}): RuleSettings => ({
  ...{ kind, name: kind, bound: UNBOUND, after: null, thenAfter: null, locationId: null, hours: null },
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
      reading: ['reading'],
      battery_low: ['reading', 'below'],
    });
  });

  it('is nothing that its kind makes no use of', () => {
    const everything = {
      ...{ after: seconds(1), thenAfter: seconds(2), locationId: 1 },
      hours: { text: 'Mon 07:00-18:00', timeZone: 'UTC' },
      bound: { reading: 'temperature_c' as const, above: 8, below: 2, hysteresis: 1 },
      selection: {
        assetIds: [1],
        withinLocationId: 1,
        metadata: [{ path: ['a'], value: 'b' }],
        readerIds: [1],
      },
    };
    const bound = ['reading', 'above', 'below', 'hysteresis'];
    expect(Object.fromEntries(KINDS.map((kind) => [kind, fields(kind, everything)]))).to.deep.equal({
      overdue: ['location_external_key', 'hours', ...bound, 'reader_ids'],
      dwell: ['hours', ...bound, 'reader_ids'],
      not_allowed: ['after_seconds', 'then_seconds', 'hours', ...bound, 'reader_ids'],
      must_be: ['then_seconds', ...bound, 'reader_ids'],
      reader: [
        ...['then_seconds', 'location_external_key', 'hours', ...bound],
        ...['asset_external_keys', 'within_location_external_key', 'metadata'],
      ],
      reading: ['then_seconds', 'location_external_key', 'hours', 'reader_ids', 'below'],
      battery_low: ['then_seconds', 'location_external_key', 'hours', 'above', 'reader_ids', 'reading'],
    });
  });

  it('is one bound within what can be measured', () => {
    const bound = { reading: 'humidity_percent' as const, above: null, below: null, hysteresis: null };
    expect(fields('reading', { bound })).to.deep.equal(['above']);
    expect(fields('reading', { bound: { ...bound, above: 101, hysteresis: -1 } })).to.deep.equal([
      ...['above', 'hysteresis'],
    ]);
    expect(fields('reading', { bound: { ...bound, below: 100, hysteresis: 100 } })).to.deep.equal([]);
    expect(fields('battery_low', { bound: { ...bound, below: 20 } })).to.deep.equal(['reading']);
  });

  it('has a second threshold beyond the first', () => {
    expect(fields('overdue', { after: seconds(60), thenAfter: seconds(60) })).to.deep.equal(['then_seconds']);
    expect(fields('overdue', { after: seconds(60), thenAfter: seconds(61) })).to.deep.equal([]);
    expect(fields('overdue', { after: 0 })).to.deep.equal(['after_seconds']);
  });
});
