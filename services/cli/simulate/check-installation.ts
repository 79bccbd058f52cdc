import { setTimeout } from 'node:timers/promises';
import { AppError } from '../../../base/errors.ts';
import { MICROS_PER_MILLISECOND, type Micros } from '../../../base/instant.ts';
import { askApi } from '../../../simulation/answers.ts';
import { ApiError, createApiClient } from '../../../simulation/api-client.ts';
import { FeedFold } from '../../../simulation/feed-fold.ts';
import { askAlerts } from '../../../simulation/presence/ask-alerts.ts';
import { askPresence } from '../../../simulation/presence/ask-presence.ts';
import { comparedInstants } from '../../../simulation/presence/compare-presence.ts';
import type { TruthDocument } from '../../../simulation/truth/document.ts';
import { withConnections, withOrganization } from '../connections/database.ts';
import { type Answer, type CheckResult, check, isAgreed } from './check.ts';
import { storedAlerts } from './stored-alerts.ts';
import { storedCounts } from './stored-counts.ts';
import { storedMoves } from './stored-moves.ts';
import { storedPresence } from './stored-presence.ts';
import { storedRecords } from './stored-records.ts';
import { wasSmoothed } from './stored-smoothing.ts';

export interface CheckOptions {
  orgId: number;
  api: { url: string; key: string } | null;
  /** Seconds to wait for an installation to catch up. */
  wait: number;
  show(text: string): void;
}

/** @throws AppError `unavailable` if the installation does not answer. */
export function checkInstallation(truth: TruthDocument, options: CheckOptions): Promise<CheckResult> {
  const { api, orgId } = options;
  const keys = truth.assets.map(({ asset }) => asset);
  const instants = truth.presence == null ? [] : comparedInstants(truth.presence);
  const { overdue, reader } = truth.presence?.rules ?? {};
  const rules = [overdue, reader].flatMap((rule) => rule?.id ?? []);
  const fold = new FeedFold();
  if (api !== null) {
    return untilAgreed(truth, options, () =>
      askFromOutside(api, { keys, instants, rules, fold, show: options.show }),
    );
  }
  const names = truth.readers.map(({ reader }) => reader);
  return withOrganization(orgId, (db) =>
    withConnections(({ pool }) =>
      untilAgreed(truth, options, async () => ({
        assets: await storedRecords(pool, orgId, keys),
        readers: await storedCounts(pool, orgId, names),
        feed: (await fold.catchUp((after) => storedMoves(db, after))) ? fold : null,
        isSmoothed: await wasSmoothed(pool, orgId, beginningOf(truth)),
        presence: await atEach(instants, (at) => storedPresence(db, new Set(keys), at)),
        alerts: await storedAlerts(pool, orgId, rules),
      })),
    ),
  );
}

async function atEach<Answered>(
  instants: readonly number[],
  ask: (at: number) => Promise<Answered>,
): Promise<ReadonlyMap<number, Answered>> {
  const answers = new Map<number, Answered>();
  for (const at of instants) {
    answers.set(at, await ask(at));
  }
  return answers;
}

function beginningOf({ assets }: TruthDocument): Micros {
  const times = assets.flatMap(({ history }) => history.slice(0, 1)).map(({ at }) => Date.parse(at));
  return times.reduce((earliest, time) => Math.min(earliest, time), Date.now()) * MICROS_PER_MILLISECOND;
}

async function untilAgreed(
  truth: TruthDocument,
  { wait }: CheckOptions,
  ask: () => Promise<Answer>,
): Promise<CheckResult> {
  const begun = performance.now();
  for (;;) {
    const result = check(truth, await ask());
    const { differences, feed_differences: further, presence } = result;
    const patience = Math.max(
      differences.length + (presence?.differences.length ?? 0) > 0
        ? 0
        : Math.min(further.length, 1) * SEALED_WITHIN,
      wait * 1_000,
    );
    if (isAgreed(result) || performance.now() - begun >= patience) {
      return result;
    }
    await setTimeout(PAUSE);
  }
}

async function askFromOutside(
  { url, key }: { url: string; key: string },
  {
    keys,
    instants,
    rules,
    fold,
    show,
  }: {
    keys: readonly string[];
    instants: readonly number[];
    rules: readonly string[];
    fold: FeedFold;
    show: (text: string) => void;
  },
): Promise<Answer> {
  const asked = new Set(keys);
  const api = createApiClient(url.replace(/\/+$/, ''), key);
  try {
    const assets = await askApi(
      api,
      (asset) => asked.has(asset),
      (count) => show(`${count} of ${keys.length} assets`),
    );
    const isWhole = await fold.catchUp((after) => {
      show(`${after} events of the feed`);
      return api.moves(after);
    });
    const presence = await atEach(instants, (at) => askPresence(api, at));
    const alerts = rules.length === 0 ? null : await askAlerts(api, rules);
    return { assets, readers: null, feed: isWhole ? fold : null, isSmoothed: null, presence, alerts };
  } catch (error) {
    if (error instanceof ApiError) {
      throw new AppError('unavailable', error.message, { cause: error });
    }
    throw error;
  }
}

/** Milliseconds. */
const PAUSE = 1_000;

/** Milliseconds after which an event is in the feed, even where another process has to take over the sealing. */
const SEALED_WITHIN = 6_000;
