import { setTimeout } from 'node:timers/promises';
import { createClock } from '../../../base/clock.ts';
import { AppError, messageOf } from '../../../base/errors.ts';
import { MICROS_PER_SECOND, type Micros } from '../../../base/instant.ts';
import { TAGTRAIL } from '../../../base/typed-command.ts';
import type { Pool } from '../../../db/timescale/connections/client.ts';
import type { Database } from '../../../db/timescale/connections/database.ts';
import type { OrganizationDatabase } from '../../../db/timescale/connections/organization-door.ts';
import { endRule } from '../../../domain/alerts/rules/change-rule.ts';
import { createRule } from '../../../domain/alerts/rules/create-rule.ts';
import { listRules } from '../../../domain/alerts/rules/stored-rules.ts';
import type { Actor } from '../../../domain/changes/actor.ts';
import { type Connections, connectReaders, OneClientPerLogin } from '../../../simulation/connections.ts';
import { milliseconds } from '../../../simulation/encoders/encoder.ts';
import { ENCODERS } from '../../../simulation/encoders/encoders.ts';
import { type Hall, makeHall } from '../../../simulation/hall.ts';
import type { World } from '../../../simulation/location/oracle.ts';
import { makeCarts, makePopulation } from '../../../simulation/population.ts';
import { presenceDocument } from '../../../simulation/presence/make-document.ts';
import { type Progress, runSimulation } from '../../../simulation/run.ts';
import type { Site, SiteReader } from '../../../simulation/site.ts';
import { type TruthDocument, toDocument } from '../../../simulation/truth/document.ts';
import type { SiteRules } from '../../../simulation/truth/presence-document.ts';
import type { ReaderCounts } from '../../../simulation/truth/reader-truth.ts';
import type { DecidedSite } from '../../../simulation/truth/stated-truth.ts';
import { Truth } from '../../../simulation/truth/truth.ts';
import { Whereabouts } from '../../../simulation/truth/whereabouts.ts';
import { makeWarehouse } from '../../../simulation/warehouse.ts';
import type { Broker } from './broker.ts';
import { storedCounts } from './check-installation.ts';
import { type Installation, install } from './install.ts';
import type { SimulatePlan, WatchPlan } from './plan.ts';
import { readWorld } from './read-world.ts';

export interface SimulateOptions {
  db: OrganizationDatabase;
  all: Database;
  actor: Actor;
  pool: Pool;
  broker: Broker;
  signal: AbortSignal;
  show(text: string): void;
}

export interface Simulated {
  progress: Progress;
  truth: TruthDocument;
}

/**
 * Registers a site, lets its readers publish, and returns the truth.
 *
 * @throws AppError `conflict` if names or keys are taken, `unavailable` if messages do not arrive.
 */
export async function simulate(plan: SimulatePlan, options: SimulateOptions): Promise<Simulated> {
  const { orgId, prefix, tolerance, watch } = plan;
  const { db, all, actor, pool, broker, signal, show } = options;
  const topicRoot = `simulation/${orgId}/${prefix}`;
  const { site, hall } = siteOf(plan, topicRoot);
  const assets = makePopulation(plan.assets, prefix);
  const carts = makeCarts(plan.carts, prefix);
  const everything = [...assets, ...carts];
  show(`Registering ${site.readers.length} readers and ${everything.length} assets`);
  const installation = await install(
    { db, all, actor },
    {
      ...{ site, assets: everything, earlier: { orgId, prefix, topicRoot }, watch },
      hall: hall?.locations[0]?.key ?? null,
    },
  );
  const { world, version } = await readWorld(pool, orgId);
  const clock = createClock();
  const ruled = { orgId, prefix, location: site.locations[0]?.key ?? '', readers: installation.readers };
  const rules = await setSiteRules({ db: all, actor, now: clock() }, ruled, watch);
  let truth: Truth | null = null;
  const connections = await connect(broker, installation, (reader) => truth?.lost(reader));
  try {
    show('Waiting for the first messages to arrive');
    const before = await awaitArrival({ pool, connections, broker: broker.name }, orgId, site.readers, clock);
    truth = new Truth({
      assets: everything.map(({ key }) => key),
      readers: before,
      decided: world === null ? null : decidedSite(world, installation),
      rank: (location) => installation.locationIds.get(location) ?? 0,
      tolerance: tolerance * MICROS_PER_SECOND,
    });
    const startedAt = clock();
    const whereabouts = watch === null ? null : new Whereabouts();
    const progress = await runSimulation(
      {
        ...{ ...plan, site, assets, reread: watch?.reread ?? null },
        hall: hall === null ? null : { hall, carts },
      },
      {
        ...{ connections, truth, clock, signal, whereabouts },
        onProgress: (now) => show(progressText(now, plan.duration)),
      },
    );
    const run = { ...runDocument(plan, startedAt, clock()), site_version: version };
    const formatOf = (name: string) => site.readers.find((reader) => reader.name === name)?.format ?? '';
    const until = startedAt + Math.floor(progress.elapsed * MICROS_PER_SECOND);
    const presence =
      watch === null || whereabouts === null || rules === null
        ? null
        : presenceDocument({
            ...{ site, assets, whereabouts, watch, rules, from: startedAt, until },
            faults: faultsOf(plan),
          });
    return { progress, truth: toDocument(truth, { orgId, formatOf, run, presence }) };
  } finally {
    await connections.close();
  }
}

/** A warehouse, and a hall beside it if there are carts. */
function siteOf(
  { readers, carts, formats, prefix }: SimulatePlan,
  topicRoot: string,
): { site: Site; hall: Hall | null } {
  const warehouse = makeWarehouse({ readers, formats, prefix, topicRoot });
  const hall =
    carts === 0 ? null : makeHall({ prefix, topicRoot, parent: warehouse.locations[0]?.key ?? '' });
  const site = {
    locations: [...warehouse.locations, ...(hall?.locations ?? [])],
    readers: [...warehouse.readers, ...(hall?.gateways ?? []).map(({ reader }) => reader)],
  };
  return { site, hall };
}

function faultsOf({ faults, duration }: SimulatePlan) {
  return {
    faults,
    duration: duration === null ? null : duration * MICROS_PER_SECOND,
    isRealTime: true,
  };
}

function decidedSite(world: World, { readers, locationIds }: Installation): DecidedSite {
  const readerIds = new Map(readers.map(({ name, id }) => [name, id]));
  const keys = new Map([...locationIds].map(([key, id]) => [id, key]));
  return {
    world,
    readerId: (name) => readerIds.get(name) ?? 0,
    locationId: (key) => locationIds.get(key) ?? 0,
    locationKey: (id) => keys.get(id) ?? '',
  };
}

async function connect(
  broker: Broker,
  { readers }: Installation,
  onLost: (reader: string) => void,
): Promise<Connections> {
  try {
    return await connectReaders(
      broker.url,
      readers.map((reader) => ({ ...reader, login: broker.hasLogin ? null : reader.login })),
      onLost,
    );
  } catch (error) {
    if (error instanceof OneClientPerLogin) {
      throw new AppError(
        'misconfigured',
        `The broker at ${broker.name} takes the login in MQTT_URL for the client id, so the simulated readers would end each other's connections; name a listener where clients have ids of their own (in mosquitto without use_username_as_clientid), or one reader (--readers 1)`,
      );
    }
    throw new AppError(
      'unavailable',
      `The broker at ${broker.name} refuses the simulated readers: ${messageOf(error)}; is it the one of this database's ingestion?`,
    );
  }
}

function runDocument(plan: SimulatePlan, startedAt: Micros, endedAt: Micros) {
  const { prefix, formats, faults, seed, rate, speed, tolerance } = plan;
  return {
    ...{ prefix, formats, faults: [...faults], seed, rate, speed, tolerance_seconds: tolerance },
    started_at: milliseconds(startedAt),
    ended_at: milliseconds(endedAt),
  };
}

function progressText({ elapsed, messages, reads }: Progress, duration: number | null): string {
  const time = duration === null ? `${Math.floor(elapsed)} s` : `${Math.floor(elapsed)} of ${duration} s`;
  return `${time}: ${reads} reads in ${messages} messages stored (Ctrl-C ends it in order)`;
}

/**
 * Makes every reader publish heartbeats until the database has counted one, so that later messages arrive,
 * too.
 *
 * @returns the readers' counters at that time.
 * @throws AppError `unavailable` if they do not arrive.
 */
async function awaitArrival(
  { pool, connections, broker }: { pool: Pool; connections: Connections; broker: string },
  orgId: number,
  readers: readonly SiteReader[],
  now: () => Micros,
): Promise<ReadonlyMap<string, ReaderCounts>> {
  const names = readers.map(({ name }) => name);
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const counts = await storedCounts(pool, orgId, names);
    const missing = readers.filter(({ name }) => (counts.get(name)?.messages ?? 0) === 0);
    if (missing.length === 0) {
      return counts;
    }
    // Repeated with pauses: a heartbeat still on its way would be counted late.
    if (attempt % ATTEMPTS_BETWEEN_HEARTBEATS === 0) {
      const published = missing.map((reader) => {
        const { topic, payload } = ENCODERS[reader.format].heartbeat(reader, now(), attempt);
        return connections.publish(reader.name, payload, { topic });
      });
      await Promise.race([Promise.all(published), setTimeout(PATIENCE)]);
    } else {
      await setTimeout(PAUSE);
    }
  }
  throw new AppError(
    'unavailable',
    `What is published to ${broker} does not arrive in this database; check that ingestion runs on both (${TAGTRAIL} doctor)`,
  );
}

/** Milliseconds. */
const PAUSE = 100;
const PATIENCE = 5_000;
const ATTEMPTS = 100;
const ATTEMPTS_BETWEEN_HEARTBEATS = 40;

interface RuledSite {
  orgId: number;
  prefix: string;
  /** Key of the location that all is in. */
  location: string;
  readers: Installation['readers'];
}

/** Ends the rules of an earlier simulation, and sets those of a watched site. */
async function setSiteRules(
  { db, actor, now }: { db: Database; actor: Actor; now: Micros },
  { orgId, prefix, location, readers }: RuledSite,
  watch: WatchPlan | null,
): Promise<SiteRules | null> {
  const names = { overdue: `${prefix}overdue`, reader: `${prefix}reader` };
  for (const { id, settings } of await listRules(db, orgId)) {
    if (Object.values(names).includes(settings.name)) {
      await endRule(db, actor, now, { orgId, id }, { validFrom: null });
    }
  }
  if (watch === null) {
    return null;
  }
  const [after, thenAfter, readerAfter] = [watch.maxGap, 2 * watch.maxGap, watch.expected / 3];
  const overdue = await createRule(db, actor, now, {
    ...{ orgId, kind: 'overdue', name: names.overdue, withinLocationExternalKey: location },
    ...{ after, thenAfter },
  });
  const reader = await createRule(db, actor, now, {
    ...{ orgId, kind: 'reader', name: names.reader, after: readerAfter },
    readerIds: readers.map(({ id }) => id),
  });
  const seconds = (span: Micros) => span / MICROS_PER_SECOND;
  return {
    overdue: { id: overdue.id, after_seconds: seconds(after), then_seconds: seconds(thenAfter) },
    reader: { id: reader.id, after_seconds: seconds(readerAfter) },
  };
}
