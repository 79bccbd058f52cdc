import { setTimeout as pause } from 'node:timers/promises';
import { MAX_ITEMS } from '../../../domain/formats/mapping/values/limits.ts';
import { MOST_SETTINGS } from '../../../domain/tracking/location/site.ts';
import type { Route } from '../../../platform/http/route.ts';
import { API_ROUTES } from '../../../services/api/routes.ts';
import { GATEWAY_ROUTES } from '../../../services/handheld-gateway/routes.ts';
import { COSTLY_FORMATS } from '../../support/costly-formats.ts';
import { loadTargets } from '../../support/fuzz-targets.ts';
import { quantile } from '../../support/statistics.ts';
import { type Ask, type Attack, type Deed, PART, TURN } from './attack.ts';
import type { Case } from './case.ts';
import {
  burstsOf,
  casesOf,
  daysAgo,
  floodsOf,
  mixOf,
  strangersOf,
  treesOf,
  wrongSignInsTo,
} from './cases.ts';
import { costliest } from './costliest.ts';
import { dryFilesFor, keptFileFor, namesOf } from './files.ts';
import {
  largeMessage,
  type Messages,
  messagesOfMoves,
  messagesOfOneTag,
  messagesOfReads,
  worstMessage,
} from './messages.ts';
import type { ServerLoad } from './server-load.ts';
import type { Site } from './site.ts';
import type { Suffered } from './windows.ts';

export interface Listening {
  url: string;
  handheldUrl: string;
  mqttUrl: string;
  consoleUrl: string;
  /** Of webhooks. */
  receiverUrl: string;
}

/** What somebody may do: one or two lines of the table. */
export interface Line {
  what: string;
  /** Whether it stopped or slowed others before it was bounded. */
  hasStopped?: true;
  /** Found out by trying, where there are many. */
  worst(): Promise<readonly Worst[]>;
}

export interface Worst {
  name: string;
  attack(): Promise<Attack>;
  /** Milliseconds of an attack, where what it does takes time. */
  forMs?: number;
  /** What else there is to say of it. */
  note?(suffered: Suffered): Promise<string>;
}

const CONNECTIONS = 4;
/** More turns than an attack has. */
const TURNS = 100_000;

/** Every route, file, submission and message; each attack with a key, handheld or reader that was not used before. */
export function linesOf(
  { url, handheldUrl, mqttUrl, consoleUrl, receiverUrl }: Listening,
  site: Site,
  server: ServerLoad,
): Line[] {
  const key = async () => `Bearer ${await site.key()}`;
  const token = async () => `Bearer ${await site.handheld()}`;
  let begun = 0;

  const asked = (what: string, authorization: () => Promise<string>, cases: () => readonly Case[]): Line => ({
    what,
    worst: async () =>
      (await costliest(cases(), server, authorization)).map((each) => ({
        name: each.name,
        attack: async () => {
          const bearer = await authorization();
          const { connections = CONNECTIONS, isImpatient = false } = each;
          const asks = each.asks.map((ask) => ({
            ...ask,
            headers: { ...ask.headers, authorization: bearer },
          }));
          return { asks, connections, isPatient: !isImpatient, firstTurn: TURNS * begun++ };
        },
      })),
  });
  const routes = <Context>(
    base: string,
    authorization: () => Promise<string>,
    all: readonly Route<Context>[],
  ) =>
    // What is deleted can be asked for no more.
    all
      .toSorted((a, b) => Number(a.method === 'DELETE') - Number(b.method === 'DELETE'))
      .map((route) =>
        asked(`${route.method} ${route.path}`, authorization, () => casesOf(base, route, site)),
      );
  const published = (format: string, messages: () => Messages): Line => ({
    what: `message: ${format}`,
    worst: async () => {
      const { name, payloads } = messages();
      const login = () => site.reader(mqttUrl, format);
      const attack = async () => {
        return { login: await login(), payloads, connections: CONNECTIONS, isPatient: true, firstTurn: 0 };
      };
      return [{ name, attack }];
    },
  });
  /** The format is one of the organization's own, and makes as much of a message of 32 KiB as a format may. */
  const ownFormat = ([what, format, payload]: (typeof COSTLY_FORMATS)[number], at: number): Line => {
    const name = `costly-${at}`;
    const attack = async () => {
      await site.costlyFormat(name, format);
      const login = await site.reader(mqttUrl, name);
      return {
        login,
        payloads: [Buffer.from(payload)],
        connections: CONNECTIONS,
        isPatient: true,
        firstTurn: 0,
      };
    };
    return { what: 'message: a format of their own', worst: async () => [{ name: what, attack }] };
  };
  const doing = (deed: Deed): Attack => ({
    deed,
    connections: CONNECTIONS,
    isPatient: true,
    firstTurn: TURNS * begun++,
  });
  /** What an administrator does in the console, which has limits; bodies are JSON. */
  const administered = async (
    orgId: number,
    asks: readonly { method: string; path: string; body: string }[],
    beside?: Attack,
  ): Promise<Attack> => {
    const headers = {
      ...{ cookie: `tagtrail_session=${await site.session(orgId)}`, origin: consoleUrl },
      'x-tagtrail-console': '1',
    };
    return {
      asks: asks.map(({ method, path, body }) => ({
        ...{ method, url: `${consoleUrl}/console/v1${path}`, body: Buffer.from(body), isFresh: true },
        headers: {
          ...headers,
          'content-type': method === 'PATCH' ? 'application/merge-patch+json' : 'application/json',
        },
      })),
      ...{ connections: CONNECTIONS, isPatient: true, firstTurn: TURNS * begun++ },
      ...(beside && { beside }),
    };
  };
  const done = (kind: Deed['kind'], deed: () => Promise<Deed>): Line => ({
    what: 'deed',
    worst: async () => [{ name: kind, attack: async () => doing(await deed()) }],
  });
  /** The last settings that are allowed are made meanwhile, and refused once there are so many. */
  const located = (): Line => ({
    what: 'location settings',
    worst: async () => {
      const { orgId, firstAsset } = await site.organization('located', MAX_ITEMS);
      await site.locationSettings(orgId, MOST_SETTINGS - 100);
      const payloads = messagesOfMoves(firstAsset);
      const attack = async () => {
        const login = await site.reader(mqttUrl, 'tagtrail', orgId);
        const messages = { login, payloads, connections: CONNECTIONS, isPatient: true, firstTurn: 0 };
        const body = `{"location_external_key":"LOC-0${PART}","procedure":"strength","certainty":1.${TURN}}`;
        return administered(orgId, [{ method: 'POST', path: '/locating', body }], messages);
      };
      return [{ name: `${MAX_ITEMS} moves a message, 1,000 settings`, attack, forMs: 10_000 }];
    },
  });
  const heavy = (): Line => ({
    what: 'messages that take long to decide on',
    worst: async () => {
      const { orgId, firstAsset } = await site.organization('heavy', 1);
      await site.locationSettings(orgId, 200);
      const attack = async () => ({
        ...{ login: await site.reader(mqttUrl, 'tagtrail', orgId), payloads: messagesOfOneTag(firstAsset) },
        ...{ connections: CONNECTIONS, isPatient: true, firstTurn: 0 },
      });
      return [{ name: 'one tag read a thousand times a second, strength decides', attack, forMs: 10_000 }];
    },
  });
  const crowded = (count: number): Line => ({
    what: 'readers of one organization',
    worst: async () => {
      const attack = async () => {
        const each: Attack[] = [];
        while (each.length < count) {
          each.push({
            ...{ login: await site.reader(mqttUrl, 'tagtrail'), payloads: largeMessage(`C-${each.length}`) },
            ...{ connections: 1, isPatient: true, firstTurn: 0 },
          });
        }
        return allOf(each);
      };
      return [{ name: `${count}, each with messages of nearly a mebibyte`, attack, forMs: 10_000 }];
    },
  });
  /** Each organization changes assets one by one that its import has locked. */
  const awaited = (assets: number): Line => ({
    what: 'imports of two organizations',
    worst: async () => {
      const organizations = [
        await site.organization('imports', assets),
        await site.organization('imports as well', assets),
      ];
      const attack = async () => {
        const each: Attack[] = [];
        for (const { orgId, firstAsset } of organizations) {
          const authorization = `Bearer ${await site.key(orgId)}`;
          const asking = { isPatient: true, firstTurn: TURNS * begun++ };
          const change = (id: number): Ask => ({
            ...{ method: 'PATCH', url: `${url}/api/v1/assets/${id}`, isFresh: true },
            headers: { authorization, 'content-type': 'application/merge-patch+json' },
            body: Buffer.from(`{"description":"${TURN}"}`),
          });
          const { headers, ...file } = namesOf(url, await site.keysOf(orgId));
          each.push(
            { ...asking, connections: 1, asks: [{ ...file, headers: { ...headers, authorization } }] },
            { ...asking, connections: 6, asks: [1, 2, 3, 4, 5, 6].map((at) => change(firstAsset + at)) },
          );
        }
        return allOf(each);
      };
      return [{ name: `${assets} assets each, and changes that wait for them`, attack, forMs: 10_000 }];
    },
  });
  const registered = (): Line => ({
    what: 'readers',
    worst: async () => {
      const { orgId, readerIds } = await site.readers(20_000, 80_000);
      const asks = readerIds.map((id) => ({
        ...{ method: 'PATCH', path: `/readers/${id}/antennas/1` },
        body: `{"location_external_key":null,"min_rssi":-40.${PART}}`,
      }));
      const attack = () => administered(orgId, asks);
      return [{ name: 'antennas changed all the time, 20,000 readers with 80,000', attack }];
    },
  });
  const longTopics = (): Line => ({
    what: 'topics',
    worst: async () => {
      const { orgId } = site;
      const registered = (topic: string) => ({
        ...{ method: 'POST', path: '/readers' },
        body: `{"name":"long ${TURN}","topic":"org-${orgId}/${topic}","format":"tagtrail"}`,
      });
      // The first differs from others at its end only, so that comparing takes longest.
      const asks = [
        registered(`${`${'x'.repeat(15)}/`.repeat(30)}${TURN}`),
        registered(`${'a/'.repeat(30_000)}${TURN}`),
      ];
      const attack = async () =>
        administered(
          orgId,
          asks,
          doing({ kind: 'use long topics', login: await site.reader(mqttUrl, 'tagtrail') }),
        );
      return [{ name: 'long ones registered, subscribed to and published on', attack, forMs: 10_000 }];
    },
  });
  const unreleased = (): Line => ({
    what: 'publishes at QoS 2',
    worst: async () => {
      const attack = async () =>
        doing({
          kind: 'publish at QoS 2 and release nothing',
          login: await site.reader(mqttUrl, 'tagtrail'),
        });
      const note = async ({ inUseMb: { before, during, after } }: Suffered) =>
        `${[before, during, after].map((used) => used.toFixed(0)).join(', ')} MB in use before, at the end and after`;
      return [{ name: 'never released, a session for each 500', attack, forMs: 30_000, note }];
    },
  });
  const ruled = (assets: number): Line => ({
    what: 'rules of alerts',
    worst: async () => {
      const { orgId } = await site.organization('ruled', assets);
      await site.still(orgId);
      await site.alertOther();
      const attack = () => {
        const rule = `"kind":"dwell","location_external_key":"LOC-0001","after_seconds":1${PART}`;
        const body = `{${rule},"name":"back ${TURN}","valid_from":"${daysAgo(29)}"}`;
        return administered(orgId, [{ method: 'POST', path: '/rules', body }]);
      };
      const note = async ({ hostileSince, hostileUntil }: Suffered) => {
        // Until alerts of the quiet window are stored as well.
        await pause(10_000);
        const inAll = await site.pool.query('select count(*) as count from alerts where org_id = $1', [
          orgId,
        ]);
        const hostile = await site.alertDelays(hostileSince, hostileUntil);
        const quiet = await site.alertDelays(hostileUntil, new Date());
        const after = (delays: readonly number[]) =>
          `${delays.length} of others, p99 ${delays.length === 0 ? 'none' : `${quantile(delays, 0.99).toFixed(1)} s`}`;
        return `${inAll.rows[0]?.['count']} alerts; ${after(hostile)}; quiet ${after(quiet)}`;
      };
      return [{ name: `200 dated back 29 days, ${assets} assets`, attack, forMs: 30_000, note }];
    },
  });
  /** What the machine itself does to look-ups. */
  const control = (programs: number): Line => {
    const attack = async () => ({ programs, connections: 0, isPatient: true, firstTurn: 0 });
    return { what: 'nothing', worst: async () => [{ name: `${programs} busy programs`, attack }] };
  };
  /** Everything that is kept, again to each, by a receiver that answers at once. */
  const replayed = (count: number): Line => ({
    what: 'webhooks',
    worst: async () => {
      await site.webhooks(count, receiverUrl);
      const statement = `update webhook_lanes set position = 0, is_reset = true;
        update webhooks set state = 'on', revision = revision + 1`;
      const attack = async () => {
        return { databaseUrl: site.databaseUrl, statement, connections: 0, isPatient: true, firstTurn: 0 };
      };
      return [{ name: `${count} of one organization from the first event`, attack }];
    },
  });
  const formats = loadTargets().filter(({ format }) => !format.name.startsWith('whole-language'));
  const stoppers = [
    control(1),
    control(2),
    ...strangersOf(url).map((each) => asked('no request', key, () => [each])),
    ...COSTLY_FORMATS.map(ownFormat),
    done('sign in by names made up', async () => ({ kind: 'sign in by names made up', url: mqttUrl })),
    registered(),
    located(),
    heavy(),
    crowded(30),
    awaited(20_000),
    longTopics(),
    asked('POST /api/v1/assets/bulk', key, () => dryFilesFor(url)),
    replayed(300),
    unreleased(),
    asked('sign-ins at the console', key, () => [wrongSignInsTo(consoleUrl)]),
    ...treesOf(url, site).map((each) => asked('10 at once of one key', key, () => [each])),
    ruled(100_000),
  ].map((line): Line => ({ ...line, hasStopped: true }));

  return [
    ...routes(
      url,
      key,
      API_ROUTES.filter(({ isInternal }) => !isInternal),
    ),
    asked('any of one key', key, () => [mixOf(url)]),
    ...burstsOf(url).map((burst) => asked('120 at once of one key', key, () => [burst])),
    asked('POST /api/v1/assets/bulk', key, () => [keptFileFor(url)]),
    ...routes(handheldUrl, token, GATEWAY_ROUTES),
    ...submissionsTo(handheldUrl).map((each) => asked('submissions', token, () => [each])),
    ...formats.map((target) => published(target.format.name, () => worstMessage(target))),
    ...messagesOfReads().map((each) => published('tagtrail', () => each)),
    ...floodsOf(url).map((flood) => asked('beyond the limit', key, () => [flood])),
    ...stoppers,
  ];
}

/** At the same time. */
function allOf([first, ...rest]: readonly Attack[]): Attack {
  if (first === undefined) {
    throw new Error('no attack');
  }
  return rest.length === 0 ? first : { ...first, beside: allOf(rest) };
}

/** Submissions of as many scans as there can be, none of them sent before. */
function submissionsTo(base: string): Case[] {
  const url = `${base}/handheld/v1/submissions`;
  const sentAt = new Date().toISOString();
  const submissions = (name: string, value: (at: string) => string): Case => {
    const scans = Array.from({ length: 1_000 }, (_, at) => ({
      tag_type: 'rfid',
      value: value(String(at).padStart(3, '0')),
      observed_at: sentAt,
      rssi: -54,
    }));
    const location = { external_key: `LOC-0${PART}` };
    const body = { submission_id: `01KQSB3M8R0E5T9V2W${TURN}`, sent_at: sentAt, location, scans };
    const headers = { 'content-type': 'application/json' };
    const bytes = Buffer.from(JSON.stringify(body));
    return { name, asks: [{ method: 'POST', url, headers, body: bytes, isFresh: true }] };
  };
  return [
    submissions('1,000 assets that move', (at) => `E280${'0'.repeat(14)}${PART}${at}`),
    submissions('1,000 unknown tags of 255 characters', (at) => `${TURN}-${at}`.padEnd(255, 'x')),
  ];
}
