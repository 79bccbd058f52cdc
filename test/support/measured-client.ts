import { Client } from '../../db/timescale/connections/client.ts';
import { connectionConfig } from '../../db/timescale/connections/connection.ts';

/** What the executions of one statement took, all of them together. */
export interface Measured {
  /** Rows that any step of the plans had in hand, those that it threw away included. */
  rows: number;
  /** Pages of tables and indexes that were looked into. */
  pages: number;
  /** Tables that were read from one end to the other. */
  scanned: string[];
}

/** A connection whose statements are measured by the server itself, as they are run (`auto_explain`). */
export class MeasuredClient {
  readonly client: Client;
  readonly #names = new Map<string, string>();
  #measured = new Map<string, Measured>();

  readonly #isEvery: boolean;

  private constructor(client: Client, isEvery: boolean) {
    this.client = client;
    this.#isEvery = isEvery;
  }

  /**
   * @param plans `force_generic_plan`: a plan is made once and kept; `force_custom_plan`: for every execution.
   * @param isEvery measures statements without a name, too.
   */
  static async connect(
    url: string,
    plans: 'auto' | 'force_generic_plan' | 'force_custom_plan' = 'auto',
    isEvery = false,
  ) {
    const client = new Client({ ...connectionConfig(url, 'measured'), pipeline: true });
    await client.connect();
    const measured = new MeasuredClient(client, isEvery);
    for (const [setting, value] of [...EXPLAINING, ['plan_cache_mode', plans]] as const) {
      if (setting.startsWith('auto_explain')) {
        await client.query(`load 'auto_explain'`);
      }
      await client.query('select set_config($1, $2, false)', [setting, value]);
    }
    client.on('notice', ({ message = '' }) => measured.#take(message));
    const query = client.query.bind(client) as (...values: unknown[]) => unknown;
    client.query = ((...values: unknown[]) => {
      const [config] = values;
      if (isNamed(config)) {
        measured.#names.set(config.text.trim(), config.name);
      }
      return query(...values);
    }) as typeof client.query;
    return measured;
  }

  /**
   * What each statement took while `work` ran in a transaction that is rolled back: by its name, or by its text if it
   * has none.
   */
  async measure(work: (client: Client) => Promise<unknown>): Promise<ReadonlyMap<string, Measured>> {
    this.#measured = new Map();
    await this.client.query('begin');
    try {
      await work(this.client);
    } finally {
      await this.client.query('rollback');
    }
    return this.#measured;
  }

  #take(message: string): void {
    const explained = readExplained(message);
    if (explained === null) {
      return;
    }
    const { text, rows, pages, scanned } = explained;
    const isMeasured = this.#isEvery || text.startsWith(FOREIGN_KEY_CHECK);
    const name = this.#names.get(text) ?? (isMeasured ? text : undefined);
    if (name === undefined) {
      return;
    }
    const before = this.#measured.get(name) ?? { rows: 0, pages: 0, scanned: [] };
    this.#measured.set(name, {
      rows: before.rows + rows,
      pages: before.pages + pages,
      scanned: [...before.scanned, ...scanned],
    });
  }
}

/** What a notice of `auto_explain` says of an execution; null if it is another notice. */
export function readExplained(message: string): (Measured & { text: string; plan: object }) | null {
  const start = message.indexOf('{');
  if (!message.startsWith('duration:') || start === -1) {
    return null;
  }
  const { 'Query Text': text, Plan: plan } = JSON.parse(message.slice(start)) as {
    'Query Text': string;
    Plan: Step;
  };
  const steps = allSteps(plan);
  return {
    text: text.trim(),
    plan,
    rows: steps.reduce((sum, step) => sum + rowsInHand(step), 0),
    pages: (plan['Shared Hit Blocks'] ?? 0) + (plan['Shared Read Blocks'] ?? 0),
    scanned: steps.flatMap(scannedTable),
  };
}

/** Of a session that reports the plan and work of each statement. */
export const EXPLAINING = [
  ['auto_explain.log_min_duration', '0'],
  ['auto_explain.log_analyze', 'on'],
  ['auto_explain.log_buffers', 'on'],
  ['auto_explain.log_nested_statements', 'on'],
  ['auto_explain.log_timing', 'off'],
  ['auto_explain.log_format', 'json'],
  ['auto_explain.log_parameter_max_length', '0'],
  ['auto_explain.log_level', 'notice'],
] as const;

/** What PostgreSQL runs for each row that refers to another. */
const FOREIGN_KEY_CHECK = 'SELECT 1 FROM ONLY';

interface Step {
  'Node Type': string;
  'Relation Name'?: string;
  'Actual Rows'?: number;
  'Actual Loops'?: number;
  'Rows Removed by Filter'?: number;
  'Rows Removed by Index Recheck'?: number;
  'Rows Removed by Join Filter'?: number;
  'Shared Hit Blocks'?: number;
  'Shared Read Blocks'?: number;
  Plans?: Step[];
}

function allSteps(step: Step): Step[] {
  return [step, ...(step.Plans ?? []).flatMap(allSteps)];
}

function rowsInHand(step: Step): number {
  const {
    'Actual Rows': rows = 0,
    'Actual Loops': loops = 0,
    'Rows Removed by Filter': filtered = 0,
    'Rows Removed by Index Recheck': rechecked = 0,
    'Rows Removed by Join Filter': joined = 0,
  } = step;
  return (rows + filtered + rechecked + joined) * loops;
}

function scannedTable(step: Step): string[] {
  return step['Node Type'] === 'Seq Scan' && (step['Actual Loops'] ?? 0) > 0
    ? [step['Relation Name'] ?? '']
    : [];
}

function isNamed(config: unknown): config is { name: string; text: string } {
  return typeof config === 'object' && config !== null && 'name' in config && 'text' in config;
}
