import { expect } from 'chai';
import type { Mapped } from '../../../domain/formats/mapping/run.ts';
import { WINDOW_SECONDS } from '../../../domain/listening/heard.ts';
import { HeardWindow } from '../../../services/mqtt-ingest/listening/listening.ts';

const BEGIN = 1_777_880_280_000;
const LISTENED = { orgId: 1, readerId: 1, antenna: 0 };

/** A reader with antenna 1. */
const ONE_ANTENNA = {
  antennas: new Map([[1, { locationId: null, minRssi: null, isEnabled: true }]]),
  antennasNamed: new Map(),
};

describe('what is heard at an antenna', () => {
  const heard = (...values: string[]): Mapped => ({
    outcome: 'items',
    items: values.map((value) => ({
      outcome: 'read',
      read: {
        ...{ tagType: 'rfid', value, antenna: 1, rssi: -50 },
        ...{ deviceTime: null, reader: null, reportUnknown: true, unusable: null },
      },
    })),
  });
  const named = (prefix: string, count: number) =>
    Array.from({ length: count }, (_, index) => `${prefix}${index}`);

  it('tells a hundred tags apart, says that there are more, and has room for others once some are gone', () => {
    const window = new HeardWindow(LISTENED);
    const note = (second: number, ...values: string[]) =>
      window.note(ONE_ANTENNA, heard(...values), { topic: 'gate', bytes: 10 }, BEGIN + second * 1_000);
    const summary = (second: number) => window.summary('test', BEGIN + second * 1_000);

    note(0, ...named('A', 60));
    note(1, ...named('B', 60));
    const full = summary(1);
    expect([full.tags.length, full.tagsLeftOut, full.reads]).to.deep.equal([100, 1, 120]);

    // The first are old now, the others a second later.
    const later = WINDOW_SECONDS + 1;
    note(later, ...named('C', 60), ...named('D', 10));
    note(later + 1, ...named('D', 10));
    const last = summary(later + 1);
    const count = (prefix: string) => last.tags.filter(({ value }) => value.startsWith(prefix)).length;
    expect(['A', 'B', 'C', 'D'].map(count)).to.deep.equal([0, 0, 60, 10]);
    expect(last.tagsLeftOut).to.equal(1);
  });
});
