import { expect } from 'chai';
import { databaseOn } from '../../../db/timescale/connections/database.ts';
import { createWritePool } from '../../../db/timescale/connections/pool.ts';
import { documentsFor } from '../../../domain/epcis/subscribed.ts';
import type { MoveEvent } from '../../../domain/moves/event.ts';
import { useDatabase } from '../../support/database.ts';
import { longestHold, Yardstick } from '../../support/held-loop.ts';

describe('what a subscription to EPCIS gets', () => {
  const database = useDatabase();

  it('holds up nobody, however much a move corrects', async () => {
    const pool = createWritePool(database.url, { max: 1 });
    const corrected = (at: number) => ({
      ...{ row: String(1_780_000_000_000_000 + at), event_observed_at: '', duration_seconds: null },
      ...{ location_id: 1, location_external_key: 'A', was: { location_id: 2, duration_seconds: null } },
    });
    const move = {
      ...{ time: '2026-06-01T00:00:00.000Z', subject: 'assets/1' },
      data: {
        ...{ position: 1, asset: { id: 1, external_key: 'A' }, added: [], removed: [] },
        changed: Array.from({ length: 1_000 }, (_, at) => corrected(at)),
      },
    } as unknown as MoveEvent;
    const query = { queryName: 'all', given: {}, base: null };
    const told = async () => {
      const documents = await documentsFor(databaseOn(pool), 1, query, '1', [move]);
      expect(
        JSON.parse(documents.get(move) ?? '').epcisBody.queryResults.resultsBody.eventList,
      ).to.have.lengthOf(2_000);
    };
    const yardstick = new Yardstick(JSON.stringify(Array(200_000).fill(['a'])));
    const isHeld = await yardstick.isExceededBy((attempts) => longestHold(told, attempts));
    await pool.end();
    expect(isHeld).to.equal(false);
  });
});
