import { expect } from 'chai';
import { CommitUnknown, type TransactionMark } from '../../../db/timescale/connections/transaction.ts';
import { exactlyOnce } from '../../../services/mqtt-ingest/intake/exactly-once.ts';

describe('a flush whose commit was not answered', () => {
  const [first, second, third] = [{ name: 'first' }, { name: 'second' }, { name: 'third' }];
  type Item = typeof first;
  const mark: TransactionMark = { xid: '1', timeline: '00000001', databaseNow: 0, askedAt: 0 };

  for (const went of [true, false]) {
    it(`is asked about once, with all that it was to commit, and ${went ? 'not ' : ''}repeated`, async () => {
      const flushed: string[][] = [];
      const asked: string[][] = [];
      const flush = exactlyOnce<Item, string>(
        async (items) => {
          flushed.push(items.map(({ name }) => name));
          const results = items.map(({ name }) => `${name} of ${flushed.length}`);
          if (flushed.length === 1) {
            throw new CommitUnknown(mark, results, new Error('lost'));
          }
          return results;
        },
        async (_mark, items) => {
          asked.push(items.map(({ name }) => name));
          return went;
        },
      );
      const lost = await flush([first, second]).catch((error: unknown) => error);
      expect(lost).to.have.property('message', 'lost');
      const answers = [...(await flush([first, third])), ...(await flush([second]))];
      expect(asked).to.deep.equal([['first', 'second']]);
      expect(flushed.slice(1)).to.deep.equal(went ? [['third']] : [['first', 'third'], ['second']]);
      expect(answers).to.deep.equal(
        went ? ['first of 1', 'third of 2', 'second of 1'] : ['first of 2', 'third of 2', 'second of 3'],
      );
    });
  }
});
