import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { type Program, run } from '../support/process.ts';
import { until } from '../support/subscribed-ingest.ts';

interface Row {
  id: number;
  parent_id: number | null;
  [field: string]: unknown;
}

interface Stay {
  at: unknown;
  location_id: unknown;
  seconds: unknown;
}

interface Copy {
  moves: number;
  changes: number;
  locations: Record<number, Row>;
  assets: Record<number, Row>;
  tracks: Record<number, { location_id: number | null; history: Record<string, Stay> }>;
}

/** The example that keeps a copy by both feeds, as a process that is killed. Its client is built before. */
export class KeptCopy {
  readonly #folder = mkdtempSync(join(tmpdir(), 'tagtrail-copy-'));
  readonly #url: string;
  readonly #key: string;
  #program: Program;

  constructor(url: string, key: string) {
    this.#url = url;
    this.#key = key;
    this.#program = this.#start();
  }

  /** @throws what it said, if it had ended by itself. */
  async kill(): Promise<void> {
    const outcome = await this.#end('SIGKILL');
    if (outcome !== 'SIGKILL') {
      throw new Error(`the example ended with ${outcome}: ${this.#program.stderr()}`);
    }
    this.#program = this.#start();
  }

  /** Resolves when there is a copy, and it has events from after `before`. */
  async progressed(before: Pick<Copy, 'moves' | 'changes'> | null): Promise<void> {
    await until(() => {
      const now = this.read();
      return now !== null && (before === null || now.moves + now.changes > before.moves + before.changes);
    });
  }

  read(): Copy | null {
    const file = this.#file();
    return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : null;
  }

  /**
   * To be called when nothing is written any more, and all is sealed: lets it come to the heads of both feeds.
   *
   * @returns what it has otherwise than the API.
   */
  async differences(): Promise<string[]> {
    await this.#end('SIGTERM');
    this.#program = this.#start({ UNTIL: 'head' });
    const outcome = await this.#program.ended;
    const copy = this.read();
    if (outcome !== 0 || copy === null) {
      return [`the example ended with ${outcome}: ${this.#program.stderr()}`];
    }
    const found: string[] = [];
    const compare = (what: string, copied: unknown, wanted: unknown) => {
      if (!isDeepStrictEqual(copied, wanted)) {
        found.push(`${what}: ${JSON.stringify(copied)} instead of ${JSON.stringify(wanted)}`);
      }
    };
    for (const feed of ['moves', 'changes'] as const) {
      compare(
        `position of ${feed}`,
        copy[feed],
        (await this.#get<{ head: number }>(`${feed}?after=${copy[feed]}`)).head,
      );
    }
    const keyOf = (id: unknown) => copy.locations[id as number]?.['external_key'] ?? null;
    const locations = await this.#all('locations?include_not_in_effect=true&sort=created_at');
    const assets = await this.#all('assets?include_not_in_effect=true&sort=created_at');
    compare('locations', idsOf(copy.locations), idsOf(locations));
    compare('assets', idsOf(copy.assets), idsOf(assets));
    for (const row of locations) {
      const copied = {
        ...copy.locations[row.id],
        parent_external_key: keyOf(copy.locations[row.id]?.parent_id),
      };
      compare(`location ${row.id}`, copied, row);
    }
    for (const { position, ...row } of assets) {
      const { location_id, history } = copy.tracks[row.id] ?? { location_id: null, history: {} };
      const place = { location_id, location_external_key: keyOf(location_id) };
      compare(`asset ${row.id}`, { ...copy.assets[row.id], ...place }, row);
      const wanted = await this.#all(`assets/${row.id}/history?sort=event_observed_at`);
      compare(`history of asset ${row.id}`, history, Object.fromEntries(wanted.map(stayOf)));
    }
    return found;
  }

  /** As if it had been killed before it had read the histories. To be called after `differences`. */
  forgetHistories(): void {
    const copy = this.read();
    if (copy === null) {
      throw new Error('there is no copy');
    }
    const unread = Object.keys(copy.assets).map(Number);
    const tracks = Object.entries(copy.tracks).map(([id, track]) => [id, { ...track, history: {} }]);
    writeFileSync(this.#file(), JSON.stringify({ ...copy, tracks: Object.fromEntries(tracks), unread }));
  }

  async end(): Promise<void> {
    await this.#end('SIGKILL');
    rmSync(this.#folder, { recursive: true });
  }

  #file(): string {
    return join(this.#folder, 'copy.json');
  }

  #start(more: NodeJS.ProcessEnv = {}): Program {
    const settings = { TAGTRAIL_URL: this.#url, TAGTRAIL_KEY: this.#key, COPY: this.#file() };
    return run('clients/typescript/examples/copy-in-step.ts', [], { ...settings, ...more });
  }

  async #end(signal: NodeJS.Signals): Promise<number | NodeJS.Signals | null> {
    this.#program.child.kill(signal);
    return this.#program.ended;
  }

  async #get<Data>(path: string): Promise<Data> {
    const headers = { authorization: `Bearer ${this.#key}` };
    const answer = await fetch(`${this.#url}/api/v1/${path}`, { headers });
    const { data } = (await answer.json()) as { data: Data };
    return data;
  }

  async #all(list: string): Promise<Row[]> {
    const rows: Row[] = [];
    for (let page: Row[]; ; ) {
      page = await this.#get(`${list}&limit=200&offset=${rows.length}`);
      rows.push(...page);
      if (page.length < 200) {
        return rows;
      }
    }
  }
}

function idsOf(rows: object): number[] {
  return Object.values(rows)
    .map(({ id }) => id)
    .sort((a, b) => a - b);
}

function stayOf({ row, event_observed_at, location_id, duration_seconds }: Row): [string, Stay] {
  return [String(row), { at: event_observed_at, location_id, seconds: duration_seconds }];
}
