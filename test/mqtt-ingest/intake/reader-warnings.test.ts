import { expect } from 'chai';
import type { RegisteredReader } from '../../../domain/messages/load-readers.ts';
import { type ReaderWarning, ReaderWarnings } from '../../../services/mqtt-ingest/intake/reader-warnings.ts';
import { builtin, map } from '../../support/mapping.ts';

describe('the warnings of readers', () => {
  const SECOND = 1_000_000;
  const NOW = Date.UTC(2026, 4, 1, 10) * 1_000;
  const format = builtin('impinj-r700');
  const reader = (readerId: number): RegisteredReader => ({
    orgId: 1,
    readerId,
    name: `dock-${readerId}`,
    topic: `dock/${readerId}`,
    formatName: format.name,
    format,
    policies: {},
    username: `reader-${readerId}`,
    passwordSha256: Buffer.alloc(32),
    antennas: new Map(),
    antennasNamed: new Map(),
    registeredAt: 0,
  });
  const overflow = map(format, { eventType: 'overflow', overflowEvent: {} });
  const two = map(format, [{ eventType: 'overflow' }, { eventType: 'overflow' }]);
  const status = map(format, { eventType: 'inventoryStatus' });

  let told: ReaderWarning[];
  let warnings: ReaderWarnings;
  beforeEach(() => {
    told = [];
    warnings = new ReaderWarnings((warning) => told.push(warning));
  });

  it('are told with the reader and what its format says of them', () => {
    warnings.note(reader(7), overflow, NOW);
    expect(told).to.deep.equal([
      {
        orgId: 1,
        readerId: 7,
        reader: 'dock-7',
        warning: 'item /eventType is one of: overflow, overflowEvent',
        times: 1,
      },
    ]);
  });

  it('are told once a minute for each reader, with how many there were', () => {
    for (let second = 0; second < 60; second++) {
      warnings.note(reader(7), two, NOW + second * SECOND);
    }
    warnings.note(reader(8), overflow, NOW + 30 * SECOND);
    warnings.note(reader(7), overflow, NOW + 60 * SECOND);
    expect(told.map(({ readerId, times }) => [readerId, times])).to.deep.equal([
      [7, 2],
      [8, 1],
      [7, 119],
    ]);
  });

  it('are not silenced by a clock that is set back', () => {
    warnings.note(reader(7), overflow, NOW);
    warnings.note(reader(7), overflow, NOW - 3_600 * SECOND);
    expect(told).to.have.length(2);
  });

  it('are made of nothing else', () => {
    warnings.note(reader(7), status, NOW);
    warnings.note(reader(7), map(format, 'connected'), NOW);
    warnings.note(reader(7), map(format, '{'), NOW);
    warnings.note(null, overflow, NOW);
    expect(told).to.deep.equal([]);
  });
});
