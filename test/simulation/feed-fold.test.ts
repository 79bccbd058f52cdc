import { expect } from 'chai';
import type { FeedEvent, FeedRow } from '../../simulation/feed-event.ts';
import { FeedFold } from '../../simulation/feed-fold.ts';

const MOVED = 'tagtrail.asset.moved.v1';
const CORRECTED = 'tagtrail.history.corrected.v1';

describe('checking the move feed against histories', () => {
  const time = (minute: number) => `2026-05-01T10:${String(minute).padStart(2, '0')}:00.000Z`;
  const row = (minute: number, location: string, seconds: number | null = null): FeedRow => ({
    row: `00177762${String(minute).padStart(8, '0')}`,
    event_observed_at: time(minute),
    location_external_key: location,
    duration_seconds: seconds,
  });
  const event = (
    position: number,
    told: Partial<Pick<FeedEvent['data'], 'added' | 'removed' | 'changed'>>,
    { type = MOVED, at = position, asset = 17 } = {},
  ): FeedEvent => ({
    type,
    time: time(at),
    data: { position, asset: { id: asset }, added: [], removed: [], changed: [], ...told },
  });
  const EVENTS = [
    event(1, { added: [row(1, 'DOCK')] }),
    event(2, { added: [row(5, 'AISLE', 240)] }),
    event(3, { added: [row(3, 'GATE', 120)], changed: [row(5, 'AISLE', 120)] }, { type: CORRECTED }),
    event(4, { removed: [row(1, 'DOCK')], changed: [row(3, 'GATE')] }, { type: CORRECTED }),
  ];
  const history = [
    { at: time(3), location: 'GATE', durationSeconds: null },
    { at: time(5), location: 'AISLE', durationSeconds: 120 },
  ];
  const answered = [{ id: 17, asset: 'PALLET-01', history }];
  const differences = (events: readonly FeedEvent[], histories = answered) => {
    const fold = new FeedFold();
    for (const each of events) {
      fold.apply(each);
    }
    return fold.differences(histories).map(({ asset, what, answer }) => [asset, what, answer]);
  };

  it('finds nothing where the events, applied in order, give the history', () => {
    expect(differences(EVENTS)).to.deep.equal([]);
    expect(differences([])).to.have.length(2);
  });

  it('finds a position that is skipped, and what is missing for it', () => {
    expect(differences(EVENTS.toSpliced(2, 1))).to.deep.equal([
      ['the feed', 'positions of the feed skipped', '1'],
      ['PALLET-01', 'history by the feed', `${time(5)} AISLE after 240 s`],
    ]);
    expect(differences(EVENTS.slice(1))[0]).to.deep.equal(['the feed', 'positions of the feed skipped', '1']);
  });

  it('finds a position that is given twice', () => {
    const again = event(2, { added: [row(8, 'DOCK', 1)] }, { at: 4, asset: 18 });
    expect(differences([...EVENTS, again])).to.deep.equal([
      ['the feed', 'positions of the feed given twice', '1'],
    ]);
  });

  it('finds an event that is earlier than the one before of its asset, and not than that of another', () => {
    const other = event(5, { added: [row(1, 'DOCK')] }, { at: 1, asset: 18 });
    expect(differences([...EVENTS, other])).to.deep.equal([]);
    expect(differences([...EVENTS, other, event(6, {}, { at: 3 })])).to.deep.equal([
      ['the feed', 'events of the feed before earlier ones of their asset', '1'],
    ]);
  });

  it('passes over events of types that it does not know, but for their positions', () => {
    const alert = event(5, { added: [row(9, 'DOCK', 1)] }, { type: 'tagtrail.alert.raised.v1', at: 1 });
    expect(differences([...EVENTS, alert])).to.deep.equal([]);
  });

  it('finds what a head promises and no page has', async () => {
    const fold = new FeedFold();
    const pages = [
      { events: EVENTS.slice(0, 2), head: 5 },
      { events: EVENTS.slice(2), head: 5 },
    ];
    expect(await fold.catchUp(async () => pages.shift() ?? { events: [], head: 5 })).to.equal(true);
    expect(fold.faults).to.deep.equal({ twice: 0, skipped: 1, inverted: 0 });
    expect(await new FeedFold().catchUp(async () => null)).to.equal(false);
  });
});
