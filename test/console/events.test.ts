import { expect } from 'chai';
import { useConsole } from '../support/console.ts';
import { appendMoves, type FeedRow } from '../support/feed-rows.ts';
import { readEvents } from '../support/read-events.ts';
import { Site } from '../support/site.ts';

describe('moves sent to the console', () => {
  const suite = useConsole();
  const { database } = suite;
  let site: Site;
  let token: string;
  let assetId: number;
  let [dock, yard] = [0, 0];
  const viewers: AbortController[] = [];

  /** The events of a stream, one after the other; comments are passed over. */
  const view = async (query = '', headers: Record<string, string> = {}, as = token) => {
    const leaving = new AbortController();
    viewers.push(leaving);
    const answer = await fetch(`${suite.url}/console/v1/events${query}`, {
      headers: { Cookie: `tagtrail_session=${as}`, ...headers },
      signal: leaving.signal,
    });
    return { status: answer.status, headers: answer.headers, next: readEvents(answer) };
  };
  const move = (row: Partial<FeedRow> = {}): FeedRow => ({
    ...{ assetId, locationId: dock, previousLocationId: yard },
    ...{ since: '2026-05-04T08:00:00Z', lastSeen: '2026-05-04T08:00:00Z', ...row },
  });
  const append = (...rows: FeedRow[]) => appendMoves(database, site.orgId, rows);

  before(async () => {
    site = await Site.create(database);
    token = await suite.as('viewer', site.orgId);
    dock = await site.location('DOCK');
    yard = await site.location('YARD');
    assetId = await site.asset('LIFT-1');
  });
  afterEach(() => {
    for (const viewer of viewers.splice(0)) {
      viewer.abort();
    }
  });

  it('begin with what is committed next, each with where the asset was before and its name', async () => {
    const head = await append(move());
    const { status, headers, next } = await view();
    expect(status).to.equal(200);
    expect(headers.get('content-type')).to.equal('text/event-stream; charset=utf-8');
    expect(await next()).to.deep.equal({ id: String(head), event: 'ready', data: { position: head, head } });
    await append(move());
    const told = await next();
    expect(told).to.deep.include({ id: String(head + 1), event: 'move' });
    expect(told?.data.data).to.deep.include({
      asset: { id: assetId, external_key: 'LIFT-1', name: 'LIFT-1' },
      previous_location_id: yard,
      position: head + 1,
    });
    expect(told?.data.data.current).to.include({ location_id: dock, changed: true });
  });

  it('go on after the last event that the browser had', async () => {
    const head = await append(move(), move(), move());
    const { next } = await view(`?after=1`, { 'Last-Event-ID': String(head - 2) });
    expect((await next())?.id).to.equal(String(head - 2));
    expect((await next())?.id).to.equal(String(head - 1));
    expect((await next())?.id).to.equal(String(head));
  });

  it('have the last moves before them, also beneath many alerts and what was only put right', async () => {
    await append(move({ lastSeen: '2026-05-04T08:01:00Z' }));
    const last = await append(move());
    const alert = { id: 'A', rule_id: 'R', rule_name: 'R', asset_id: assetId, state: 'open' };
    await append(
      ...Array.from({ length: 40 }, () => ({
        ...{ assetId: null as never, kind: 'alert_opened' as never, rows: { alert: [alert] } },
      })),
      move({ kind: 'corrected', previousLocationId: dock, rows: { changed: [] } }),
    );
    const { data } = (await suite.call({ path: '/latest-moves', token, orgId: site.orgId })).body;
    expect(data.slice(-2).map((each: { data: { position: number } }) => each.data.position)).to.deep.equal([
      last - 1,
      last,
    ]);
    expect(data.at(-1).data).to.deep.include({ previous_location_id: yard });
  });

  it('say where to begin anew after events that are not kept any more, and beyond the head', async () => {
    const head = await append(move(), move(), move());
    await database.rows('update move_heads set oldest = head where org_id = $1', [site.orgId]);
    for (const after of [0, head + 7]) {
      const { next } = await view(`?after=${after}`);
      expect((await next())?.event).to.equal('ready');
      expect(await next()).to.deep.equal({ id: String(head), event: 'reset', data: { position: head } });
    }
    await database.rows('update move_heads set oldest = 1 where org_id = $1', [site.orgId]);
  });

  it('are those of the organization asked for, and of members only', async () => {
    const other = await Site.create(database, 'Other');
    const { next } = await view(`?organization=${site.orgId}`);
    await next();
    await appendMoves(database, other.orgId, [{ assetId: await other.asset('OTHER'), locationId: null }]);
    const head = await append(move());
    expect((await next())?.id).to.equal(String(head));
    expect((await view(`?organization=${other.orgId}`)).status).to.equal(403);
    expect((await view('', { Cookie: '' })).status).to.equal(401);
  });

  it('end with the session', async () => {
    const leaver = await suite.as('viewer', site.orgId);
    const { next } = await view('', {}, leaver);
    await next();
    expect((await suite.call({ method: 'DELETE', path: '/session', token: leaver })).status).to.equal(204);
    // Whatever was still good when it was sent may be told; then nothing is.
    const all = setInterval(() => append(move()).catch(() => {}), 200);
    try {
      while ((await next()) !== null) {}
    } finally {
      clearInterval(all);
    }
    const metrics = await (await fetch(`${suite.url}/metrics`)).text();
    expect(metrics).to.match(/^tagtrail_console_event_streams_cut_total\{why="signed_out"\} 1$/m);
  });

  it('go to a user in so many tabs, and no more', async () => {
    const many = await suite.as('viewer', site.orgId);
    for (let tab = 0; tab < 30; tab++) {
      await (await view('', {}, many)).next();
    }
    expect((await view('', {}, many)).status).to.equal(503);
    viewers[0]?.abort();
    expect((await view('', {}, token)).status).to.equal(200);
  });
});

/** Null once the stream has ended. */
