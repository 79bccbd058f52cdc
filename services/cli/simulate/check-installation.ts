import { setTimeout } from 'node:timers/promises';
import { AppError } from '../../../base/errors.ts';
import { askApi } from '../../../simulation/answers.ts';
import { ApiError, createApiClient } from '../../../simulation/api-client.ts';
import type { TruthDocument } from '../../../simulation/truth/document.ts';
import { withConnections } from '../connections/database.ts';
import { type Answer, type CheckResult, check } from './check.ts';
import { storedCounts } from './stored-counts.ts';
import { storedRecords } from './stored-records.ts';

export interface CheckOptions {
  orgId: number;
  /** Ask this API instead of the database. */
  api: { url: string; key: string } | null;
  /** Seconds to wait for an installation to catch up. */
  wait: number;
  show(text: string): void;
}

/** Compares an installation with the truth of a simulation. @throws AppError `unavailable` if it does not answer. */
export function checkInstallation(truth: TruthDocument, options: CheckOptions): Promise<CheckResult> {
  const { api, orgId } = options;
  const keys = truth.assets.map(({ asset }) => asset);
  if (api !== null) {
    return untilAgreed(truth, options, () => askFromOutside(api, keys, options.show));
  }
  const names = truth.readers.map(({ reader }) => reader);
  return withConnections(({ pool }) =>
    untilAgreed(truth, options, async () => ({
      assets: await storedRecords(pool, orgId, keys),
      readers: await storedCounts(pool, orgId, names),
    })),
  );
}

async function untilAgreed(
  truth: TruthDocument,
  { wait }: CheckOptions,
  ask: () => Promise<Answer>,
): Promise<CheckResult> {
  const patience = performance.now() + wait * 1_000;
  for (;;) {
    const result = check(truth, await ask());
    if (result.differences.length === 0 || performance.now() >= patience) {
      return result;
    }
    await setTimeout(PAUSE);
  }
}

async function askFromOutside(
  { url, key }: { url: string; key: string },
  keys: readonly string[],
  show: (text: string) => void,
): Promise<Answer> {
  const asked = new Set(keys);
  try {
    const assets = await askApi(
      createApiClient(url.replace(/\/+$/, ''), key),
      (asset) => asked.has(asset),
      (count) => show(`${count} of ${keys.length} assets`),
    );
    return { assets, readers: null };
  } catch (error) {
    if (error instanceof ApiError) {
      throw new AppError('unavailable', error.message, { cause: error });
    }
    throw error;
  }
}

/** Milliseconds. */
const PAUSE = 1_000;
