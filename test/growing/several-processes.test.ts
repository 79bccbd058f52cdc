import { expect } from 'chai';
import { databaseOn } from '../../db/timescale/connections/database.ts';
import { createWritePool } from '../../db/timescale/connections/pool.ts';
import { createApiKey } from '../../domain/administration/api-keys/issue-key.ts';
import { PUBLIC_SCOPES } from '../../domain/administration/api-keys/scopes.ts';
import { TEST_ACTOR } from '../support/actor.ts';
import { useDatabase } from '../support/database.ts';
import { useMosquitto } from '../support/mosquitto.ts';
import { itByNight } from '../support/random-sets.ts';
import { useRedis } from '../support/redis-server.ts';
import { Site } from '../support/site.ts';
import { until } from '../support/subscribed-ingest.ts';
import { startClients } from './clients.ts';
import { type LoadBalancer, startLoadBalancer } from './load-balancer.ts';
import { type PublishedRead, startPublishers } from './publishers.ts';
import { replicaOf } from './replica.ts';

/** Slow enough that hardly a token comes while the tests run. */
const LIMITS = { RATE_LIMIT_PER_MINUTE: '1', RATE_LIMIT_BURST: '100' };
const BURST = 100;
/** Requests of one client at a time: more only make the processes wait for each other. */
const LANES = 20;
const PLACES = ['DOCK', 'YARD', 'HALL'];
const TAGS = Array.from({ length: 20 }, (_, asset) => `E28011${String(asset).padStart(4, '0')}`);
const TOPICS = ['site/portal', 'site/gate', 'site/forklift'];

describe('two processes of each service on one database', () => {
  const broker = useMosquitto();
  const redis = useRedis();
  const database = useDatabase();
  const apis = [1, 2].map(() =>
    replicaOf('services/api/main.ts', () => ({
      DATABASE_URL: database.url,
      REDIS_URL: redis.url,
      API_PORT: '0',
      SHUTDOWN_DELAY_MS: '1000',
      ...LIMITS,
    })),
  );
  const ingests = ['one', 'two'].map((name) =>
    replicaOf('services/mqtt-ingest/main.ts', () => ({
      DATABASE_URL: database.url,
      MQTT_URL: broker.url,
      MQTT_CLIENT_ID: name,
      INGEST_PORT: '0',
    })),
  );
  let balancer: LoadBalancer;
  let site: Site;
  let keys: Awaited<ReturnType<typeof createWritePool>>;
  const assets = new Map<string, number>();

  before(async () => {
    await redis.start();
    site = await Site.create(database);
    const places: number[] = [];
    for (const place of PLACES) {
      places.push(await site.location(place));
    }
    for (const topic of TOPICS) {
      await site.reader(topic, places);
    }
    for (const tag of TAGS) {
      assets.set(tag, await site.asset(`PALLET-${tag}`, tag));
    }
    keys = createWritePool(database.url, { max: 2 });
    balancer = await startLoadBalancer();
    await Promise.all([...apis.map(startApi), ...ingests.map(startIngest)]);
  });
  database.beforeDrop(async () => {
    await Promise.all([...apis, ...ingests].map((replica) => replica.stop('SIGKILL')));
    await balancer?.close();
    await keys?.end();
  });

  async function startApi(api: (typeof apis)[number]): Promise<void> {
    await api.start();
    await balancer.add(api.url);
  }
  async function startIngest(ingest: (typeof ingests)[number]): Promise<void> {
    await ingest.start();
    await until(async () => (await ingest.figure('tagtrail_ingest_subscriptions')) > 0);
  }
  const timesAlone = () => apis.reduce((sum, api) => sum + api.times('Rate limits are not shared'), 0);
  async function areShared(): Promise<boolean> {
    const alone = await Promise.all(apis.map((api) => api.figure('tagtrail_rate_limit_degraded')));
    return alone.every((figure) => figure === 0);
  }
  /** Does `work` again if a process counted by itself meanwhile: it does if it waits too long for Valkey, on a busy machine. */
  async function whileShared<Result>(work: () => Promise<Result>): Promise<Result> {
    for (;;) {
      const before = timesAlone();
      await until(areShared);
      const result = await work();
      if ((await areShared()) && timesAlone() === before) {
        return result;
      }
    }
  }
  const newKey = async () =>
    (
      await createApiKey(databaseOn(keys), TEST_ACTOR, {
        orgId: site.orgId,
        name: 'client',
        scopes: PUBLIC_SCOPES,
        expiresAt: null,
      })
    ).key;
  /** A key whose budget is not spent, as many requests as there may be. */
  function budgeted(): () => Promise<string> {
    let left = 0;
    let key = newKey();
    return () => {
      left -= 1;
      if (left < 0) {
        key = newKey();
        left = BURST - 1;
      }
      return key;
    };
  }

  itByNight(
    'have one budget for each API key, also over a rolling restart of the API in which no request fails',
    async () => {
      const spend = async (key: string, requests: number) => {
        const headers = { Authorization: `Bearer ${key}` };
        const statuses: number[] = [];
        const oneAfterAnother = async () => {
          for (let sent = 0; sent < requests / LANES; sent++) {
            const answer = await fetch(`${balancer.url}/api/v1/orgs/me`, { headers });
            await answer.arrayBuffer();
            statuses.push(answer.status);
          }
        };
        await Promise.all(Array.from({ length: LANES }, oneAfterAnother));
        expect(statuses.filter((status) => status !== 200 && status !== 429)).to.deep.equal([]);
        return statuses.filter((status) => status === 200).length;
      };
      let attempts = 0;
      const { spent, began, allowed } = await whileShared(async () => {
        attempts += 1;
        const [key, start] = [await newKey(), performance.now()];
        return { spent: key, began: start, allowed: await spend(key, 3 * BURST) };
      });
      const comeBack = () => Math.floor((performance.now() - began) / 60_000);
      expect(allowed).to.be.within(BURST, BURST + comeBack());
      for (const { url } of apis) {
        expect(balancer.answeredBy(url)).to.equal((attempts * 3 * BURST) / 2);
      }

      const clients = startClients(balancer.url, 4, budgeted());
      for (const api of apis) {
        const answered = clients.answered;
        await until(() => clients.answered > answered + 50);
        expect(await api.stop('SIGTERM')).to.equal(0);
        await startApi(api);
        await until(() => balancer.answeredBy(api.url) > 50);
      }
      await clients.end();
      expect(clients.failures).to.deep.equal([]);
      expect(balancer.failures).to.deep.equal([]);
      const rows = await database.rows<{ id: number; name: string }>(
        `select id, name from assets where id <> all ($1)`,
        [[...assets.values()]],
      );
      expect(new Map(rows.map(({ id, name }) => [id, name]))).to.deep.equal(clients.written);

      const allowedLater = await whileShared(() => spend(spent, BURST));
      expect(allowed + allowedLater).to.be.within(BURST, BURST + comeBack());
    },
  );

  itByNight(
    'lose no read and double none over a rolling restart of ingestion, and tell the right history',
    async () => {
      const connections = new Map(
        await Promise.all(TOPICS.map(async (topic) => [topic, await broker.connect()] as const)),
      );
      const publishers = startPublishers({ clients: connections, tags: TAGS, antennas: PLACES.length });
      for (const ingest of ingests) {
        const published = publishers.reads.length;
        await until(() => publishers.reads.length > published + 400);
        await until(async () => (await ingest.figure('tagtrail_ingest_committed_messages_total')) > 0);
        expect(await ingest.stop('SIGTERM')).to.equal(0);
        await startIngest(ingest);
        await until(async () => (await ingest.figure('tagtrail_ingest_committed_messages_total')) > 50);
      }
      await publishers.end();
      const { reads } = publishers;
      const stored = async () => (await database.rows('select from scan_events')).length;
      await until(async () => (await stored()) >= reads.length);
      await Promise.all(ingests.map((ingest) => ingest.stop('SIGTERM')));
      expect(await stored()).to.equal(reads.length);

      const keyFor = budgeted();
      for (const [tag, id] of assets) {
        const told = await historyOf(`${balancer.url}/api/v1/assets/${id}/history`, keyFor);
        expect(told).to.deep.equal(movesOf(reads.filter(({ value }) => value === tag)));
      }
    },
  );
});

type Move = [at: string, place: string | undefined];

/** Where reads put their asset, and when it came there. */
function movesOf(reads: readonly PublishedRead[]): Move[] {
  const inOrder = reads.toSorted((a, b) => Date.parse(a.observed_at) - Date.parse(b.observed_at));
  return inOrder
    .filter(({ antenna }, index) => antenna !== inOrder[index - 1]?.antenna)
    .map(({ observed_at, antenna }) => [observed_at, PLACES[antenna - 1]]);
}

async function historyOf(url: string, keyFor: () => Promise<string>): Promise<Move[]> {
  const moves: Move[] = [];
  for (;;) {
    const query = `sort=event_observed_at&limit=200&offset=${moves.length}`;
    const headers = { Authorization: `Bearer ${await keyFor()}` };
    const answer = await fetch(`${url}?${query}`, { headers });
    expect(answer.status).to.equal(200);
    const page = (await answer.json()) as HistoryPage;
    moves.push(...page.data.map((row): Move => [row.event_observed_at, row.location_external_key]));
    if (page.data.length === 0 || moves.length === page.total_count) {
      return moves;
    }
  }
}

interface HistoryPage {
  data: { event_observed_at: string; location_external_key: string }[];
  total_count: number;
}
