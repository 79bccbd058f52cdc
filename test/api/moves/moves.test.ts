import { expect } from 'chai';
import { expectIssues, expectProblem, useApi } from '../../support/api.ts';
import { appendMoves } from '../../support/feed-rows.ts';

const MOVES = '/api/v1/moves';

describe('GET /moves', () => {
  const api = useApi();
  let asset: number;
  let dock: number;
  const make = async (resource: string, external_key: string) =>
    (await api.call({ method: 'POST', path: `/api/v1/${resource}`, json: { name: 'Any', external_key } }))
      .body?.data.id;
  const read = (query = '', key = api.key) => api.call({ path: `${MOVES}?${query}`, key });
  const positions = async (query: string) => {
    const { status, text, body } = await read(query);
    expect(status, text).to.equal(200);
    return body?.data.moves.map(({ data }: { data: { position: number } }) => data.position);
  };

  it('is empty where nothing has moved', async () => {
    const { body } = await read();
    expect(body).to.deep.equal({ data: { moves: [], next: 0, head: 0, oldest: 1 } });
  });

  it('has what comes after a position, and says where to go on', async () => {
    asset = await make('assets', 'FORKLIFT-2');
    dock = await make('locations', 'DOCK-1');
    const move = {
      assetId: asset,
      locationId: dock,
      since: '2026-05-04T08:00:00Z',
      lastSeen: '2026-05-04T08:00:00Z',
    };
    const rows = {
      added: [[1_777_881_600_000_000, dock, null]],
      changed: [[1_777_881_700_000_000, dock, 5, dock, 6]],
    };
    await appendMoves(
      api.database,
      api.orgId,
      Array.from({ length: 70 }, (_, index) =>
        index % 2 === 0 ? move : { ...move, kind: 'corrected' as const, rows },
      ),
    );
    const { body } = await read();
    expect(body?.data).to.include({ next: 50, head: 70, oldest: 1 });
    expect(body?.data.moves).to.have.length(50);
    expect(Object.keys(body?.data)).to.deep.equal(['moves', 'next', 'head', 'oldest']);
    expect((await read('after=50')).body?.data).to.include({ next: 70, head: 70 });
    expect(await positions('after=67&limit=2')).to.deep.equal([68, 69]);
    expect(await positions('after=69&limit=200')).to.deep.equal([70]);
    expect((await read('after=70')).body?.data).to.deep.equal({ moves: [], next: 70, head: 70, oldest: 1 });
  });

  it('shows no other organization anything of it', async () => {
    const { key } = await api.organization('Other');
    expect((await read('', key)).body?.data).to.deep.equal({ moves: [], next: 0, head: 0, oldest: 1 });
  });

  it('refuses a position that was not given yet, however large, and says what was', async () => {
    for (const after of ['71', '9007199254740993', '9'.repeat(400)]) {
      const answer = await read(`after=${after}&wait=30`);
      expectIssues(answer, [['after', 'invalid_value']]);
      expect(answer.body?.error?.fields?.[0]).to.deep.include({
        message: 'after must be at most 70, the head of the feed',
        params: { max: 70 },
      });
    }
  });

  it('refuses what is no position, limit or time, each by its name', async () => {
    for (const [query, issues] of [
      [
        'after=-1&limit=0&wait=-1',
        [
          ['after', 'too_small'],
          ['limit', 'too_small'],
          ['wait', 'too_small'],
        ],
      ],
      [
        'limit=201&wait=31',
        [
          ['limit', 'too_large'],
          ['wait', 'too_large'],
        ],
      ],
      [
        'after=x&limit=&wait=1.5',
        [
          ['after', 'invalid_value'],
          ['limit', 'invalid_value'],
          ['wait', 'invalid_value'],
        ],
      ],
      ['after=1&after=2', [['after', 'invalid_value']]],
      [
        'offset=1&sort=id',
        [
          ['offset', 'unknown_field'],
          ['sort', 'unknown_field'],
        ],
      ],
    ] as const) {
      expectIssues(await read(query), issues);
    }
  });

  it('needs tracking:read before it looks at the query', async () => {
    const key = await api.keyWith(['assets:read']);
    expectProblem(await read('after=x', key), 'forbidden', 'Missing required scope: tracking:read');
  });

  it('answers HEAD as GET', async () => {
    const get = await read('after=68');
    const head = await api.call({ method: 'HEAD', path: `${MOVES}?after=68` });
    expect(head.text).to.equal('');
    expect(head.headers.get('content-length')).to.equal(get.headers.get('content-length'));
  });

  it('is gone up to what is kept, and says where that begins', async () => {
    await api.database.rows('update move_heads set oldest = 41 where org_id = $1', [api.orgId]);
    for (const query of ['', 'after=0', 'after=39', 'after=39&wait=30']) {
      const answer = await read(query);
      expectProblem(answer, 'feed_expired');
      expect(answer.status).to.equal(410);
      expect(answer.body?.error).to.include({ title: 'Feed expired', status: 410, instance: MOVES });
      expect(answer.body?.error?.detail).to.include(' 41, ');
      expect(answer.body?.error).to.deep.include({ params: { oldest: 41, head: 70 } });
    }
    expect(await positions('after=40&limit=1')).to.deep.equal([41]);
    await api.database.rows('update move_heads set oldest = 71 where org_id = $1', [api.orgId]);
    expect((await read('after=70')).body?.data).to.deep.equal({ moves: [], next: 70, head: 70, oldest: 71 });
  });
});
