import { expect } from 'chai';
import type pg from 'pg';
import type { PoolClient } from '../../../db/timescale/connections/client.ts';
import { inTransaction } from '../../../db/timescale/connections/transaction.ts';
import { recordScans } from '../../../domain/tracking/record.ts';
import type { Scan } from '../../../domain/tracking/scan.ts';
import type { TestDatabase } from '../../support/database.ts';
import { type Memory, RULES } from '../../support/recording.ts';

export interface Cost {
  statements: number;
  rows: number;
}

/** Statements sent and rows returned or written while a batch is recorded for the first time. */
export function costOfRecording(
  database: TestDatabase,
  scans: readonly Scan[],
  memory: Memory = {},
): Promise<Cost> {
  const cost = { statements: 0, rows: 0 };
  return inTransaction(database.pool, async (client) => {
    const now = Math.max(...scans.map(({ receivedAt }) => receivedAt));
    const { outcomes } = await recordScans(counted(client, cost), scans, {
      rules: RULES,
      now,
      isCareful: false,
      ...memory,
    });
    expect(new Set(outcomes.map(({ status }) => status))).to.deep.equal(new Set(['recorded']));
    return cost;
  });
}

/** `client`, with its statements and their rows counted into `cost`. */
function counted(client: PoolClient, cost: Cost): PoolClient {
  const query = async (statement: string | pg.QueryConfig, values?: unknown[]) => {
    cost.statements++;
    const result = await client.query(statement, values);
    cost.rows += result.rowCount ?? 0;
    return result;
  };
  return new Proxy(client, {
    get: (target, name) => (name === 'query' ? query : Reflect.get(target, name)),
  });
}
