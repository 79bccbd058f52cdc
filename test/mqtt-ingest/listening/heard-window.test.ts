import { setImmediate as nextRound } from 'node:timers/promises';
import { expect } from 'chai';
import type { Mapped } from '../../../domain/formats/mapping/run.ts';
import { readHeard, WINDOW_SECONDS } from '../../../domain/listening/heard.ts';
import { listenedFor } from '../../../domain/listening/wanted.ts';
import type { RegisteredReader } from '../../../domain/messages/load-readers.ts';
import { HeardWindow, ReaderListening } from '../../../services/mqtt-ingest/listening/listening.ts';

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
    // All else of a read would leave room for fewer in a notification.
    expect(full.tags[0]).to.have.all.keys('tagType', 'value', 'antenna', 'rssi', 'count', 'strongest', 'at');

    // The first are old now, the others a second later.
    const later = WINDOW_SECONDS + 1;
    note(later, ...named('C', 60), ...named('D', 10));
    note(later + 1, ...named('D', 10));
    const last = summary(later + 1);
    const count = (prefix: string) => last.tags.filter(({ value }) => value.startsWith(prefix)).length;
    expect(['A', 'B', 'C', 'D'].map(count)).to.deep.equal([0, 0, 60, 10]);
    expect(last.tagsLeftOut).to.equal(1);
  });

  it('takes one look at each read, however many listen for tags', async () => {
    const texts: string[] = [];
    let looks = 0;
    const message = heard('3034F4A8B0C0DE4000010001', '3034F4A8B0C0DE4000010002');
    for (const item of message.outcome === 'items' ? message.items : []) {
      if (item.outcome === 'read') {
        const { value } = item.read;
        const look = () => {
          looks += 1;
          return value;
        };
        Object.defineProperty(item.read, 'value', { get: look });
      }
    }
    const reader = { ...ONE_ANTENNA, readerId: 1, orgId: 1 } as unknown as RegisteredReader;
    const looksOf = async (listeners: number) => {
      const listening = new ReaderListening(async (told) => void texts.push(...told));
      for (let n = 1; n <= listeners; n++) {
        const value = `3034F4A8B0C0DE40000100${String(n).padStart(2, '0')}`;
        listening.want(listenedFor(1, [{ tag_type: 'rfid', value }]));
      }
      await nextRound();
      looks = 0;
      listening.note(reader, message, { topic: 'gate', payload: Buffer.alloc(1) });
      const seen = looks;
      await listening.tell();
      listening.stop();
      return seen;
    };
    expect(await looksOf(20)).to.equal(await looksOf(2));
    const counts = texts.slice(-2).map((text) => readHeard(text)?.tags.map(({ count }) => count));
    expect(counts).to.deep.equal([[1], [1]]);
  });
});
