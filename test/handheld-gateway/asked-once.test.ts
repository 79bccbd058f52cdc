import { expect } from 'chai';
import { createClock } from '../../base/clock.ts';
import { DatabaseClock } from '../../domain/tracking/database-clock.ts';
import { type CountingProxy, openCountingProxy } from '../support/counting-proxy.ts';
import { useGateway } from '../support/gateway.ts';
import { aSubmission, statusesOf } from '../support/new-submission.ts';

/** Sent beside submissions, whenever the feed has something new or a second is over. */
const OF_SEALING = [
  'wake-sealer',
  'seal-moves',
  'last-drawn-move',
  'drawers-of-moves',
  'organizations-to-seal',
  'count-unsealed',
  '',
];

describe('what a submission asks of the database', () => {
  const gateway = useGateway();
  const now = Date.now();
  let proxy: CountingProxy;
  let url: string;
  before(async () => {
    const { site } = gateway;
    await site.location('DOCK-1');
    await site.tag({ locationId: await site.location('SHELF-7') }, 'S7', 'barcode');
    await site.asset('FORKLIFT', 'E280AA');
    proxy = await openCountingProxy(gateway.database);
    url = await gateway.start(
      { DATABASE_URL: proxy.url },
      { clock: () => now * 1_000, databaseClock: new DatabaseClock(createClock()) },
    );
    // Credentials are looked up once and connections made; and the asset has a position from now on.
    await submit([scan('E280AA', 100)]);
  });

  /** @param secondsAgo by a clock that stands still. */
  const scan = (value: string, secondsAgo: number, tag_type = 'rfid') => ({
    tag_type,
    value,
    observed_at: new Date(now - secondsAgo * 1_000).toISOString(),
  });

  async function submit(scans: object[]) {
    const before = proxy.statements().length;
    const more = { location: { external_key: 'DOCK-1' }, sent_at: new Date(now).toISOString() };
    const answer = await gateway.submit(aSubmission(scans, more), { url });
    expect(answer.status, answer.text).to.equal(201);
    const sent = proxy
      .statements()
      .slice(before)
      .filter((name) => !OF_SEALING.includes(name));
    const times = (name: string) => sent.filter((each) => each === name).length;
    return {
      statuses: statusesOf(answer),
      // Of 512 moves one is marked besides.
      sent: sent.filter((name) => name !== 'mark-histories' && name !== 'keep-marks'),
      lookUps: {
        'resolve-exact-tags': times('resolve-exact-tags'),
        'lock-locations': times('lock-locations'),
        'lock-positions': times('lock-positions'),
      },
    };
  }

  const ONCE = { 'resolve-exact-tags': 1, 'lock-locations': 1, 'lock-positions': 1 };

  it('is to look tags up once, and to lock locations and positions once, for one scan', async () => {
    const { statuses, lookUps } = await submit([scan('E280AA', 90)]);
    expect(statuses).to.deep.equal(['seen']);
    expect(lookUps).to.deep.equal(ONCE);
  });

  it('is that too where the scan moves its asset, comes late, or is of the instant of the last one', async () => {
    const moving = await submit([scan('S7', 51, 'barcode'), scan('E280AA', 50)]);
    expect(moving.statuses).to.deep.equal(['location', 'moved']);
    const late = await submit([scan('E280AA', 80)]);
    expect(late.statuses).to.deep.equal(['seen']);
    const tied = await submit([scan('E280AA', 50)]);
    expect(tied.statuses).to.deep.equal(['moved']);
    for (const { lookUps } of [moving, late, tied]) {
      expect(lookUps).to.deep.equal(ONCE);
    }
  });

  it('is no more for fifty scans at two places than for one that moves its asset', async () => {
    const moving = await submit([scan('S7', 40, 'barcode'), scan('E280AA', 39)]);
    expect(moving.statuses).to.deep.equal(['location', 'moved']);
    const fifty = await submit([
      ...Array.from({ length: 25 }, (_, index) => scan('E280AA', 30 - index)),
      scan('S7', 5, 'barcode'),
      ...Array.from({ length: 25 }, (_, index) => scan('E280AA', 4 - index / 10)),
    ]);
    expect(fifty.statuses.filter((status) => status === 'moved')).to.have.lengthOf(2);
    expect(fifty.lookUps).to.deep.equal(ONCE);
    expect(fifty.sent).to.deep.equal(moving.sent);
  });
});
