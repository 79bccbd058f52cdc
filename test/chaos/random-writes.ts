import type { TestDatabase } from '../support/database.ts';
import type { Random } from '../support/random.ts';
import { aRead, record } from '../support/recording.ts';
import { Site } from '../support/site.ts';

const KINDS = ['asset', 'location'] as const;
type Kind = (typeof KINDS)[number];

interface Writing {
  orgId: number;
  readerId: number;
  /** Where its antennas are: these are changed like others, but never deleted. */
  places: readonly number[];
  url: string;
  key: string;
}

/** Live rows of a kind above which none are added. */
const MOST = 120;

/** Rows of a batch or a file, at most. */
const AT_ONCE = 30;

/**
 * Writes whatever assets, locations and tags can become, by the API, and scans as ingestion does, whatever it is answered. What is
 * refused, or lost on the way, does not count: a copy has to have what is stored.
 */
export class RandomWrites {
  /** How often each write had each status; 0 for none. */
  readonly answers = new Map<string, number>();
  /** Writes that had an answer. */
  answered = 0;
  readonly #database: TestDatabase;
  readonly #random: Random;
  readonly #at: Writing;

  private constructor(database: TestDatabase, random: Random, at: Writing) {
    this.#database = database;
    this.#random = random;
    this.#at = at;
  }

  /** @param organization without a reader. */
  static async prepare(
    database: TestDatabase,
    random: Random,
    organization: { orgId: number; url: string; key: string },
  ): Promise<RandomWrites> {
    const site = Site.of(database, organization.orgId);
    const places = await Promise.all(['GATE', 'DOCK', 'YARD', 'HALL'].map((key) => site.location(key)));
    const readerId = await site.reader(`portal-${organization.orgId}`, places);
    return new RandomWrites(database, random, { ...organization, readerId, places });
  }

  /** Answers that no fault but one of the service explains. */
  get wrong(): string[] {
    return [...this.answers.keys()].filter((answer) => /5(?!03)\d\d$/.test(answer));
  }

  async write(): Promise<void> {
    const kind = this.#random.pick(KINDS);
    const hasRoom = (await this.#live(kind)) < MOST;
    switch (this.#random.below(12)) {
      case 0:
        return hasRoom ? this.#create(kind) : this.#delete(kind);
      case 1:
        return hasRoom ? this.#batch(kind) : this.#delete(kind);
      case 2:
        return hasRoom ? this.#import() : this.#delete(kind);
      case 3:
        return this.#delete(kind);
      case 4:
        return this.#rename(kind);
      case 5:
        return this.#reparent();
      case 6:
        return this.#change(kind);
      case 7:
        return this.#detach();
      case 8:
      case 9:
        return this.#attach(kind);
      default:
        return this.#scan();
    }
  }

  async #create(kind: Kind): Promise<void> {
    const parent = kind === 'location' ? { parent_id: await this.#anyOf('location') } : {};
    const tags = this.#random.once(2) ? [this.#tag()] : [];
    await this.#send(`create ${kind}`, 'POST', `${kind}s`, { name: this.#text(), tags, ...parent });
  }

  async #change(kind: Kind): Promise<void> {
    const id = await this.#anyOf(kind);
    const random = this.#random;
    const fields = [
      { name: this.#text() },
      { description: random.once(3) ? null : this.#text() },
      { is_active: random.once(2) },
      { valid_to: random.pick([null, '2020-01-01T00:00:00Z', '2040-01-01T00:00:00.123456Z']) },
      kind === 'asset' ? { metadata: { [this.#text()]: random.below(100) } } : { name: this.#text() },
    ];
    await this.#send(`change ${kind}`, 'PATCH', `${kind}s/${id}`, {
      ...random.pick(fields),
      ...random.pick(fields),
    });
  }

  async #reparent(): Promise<void> {
    const parent = this.#random.once(4) ? null : await this.#anyOf('location');
    const id = await this.#anyOf('location');
    await this.#send('re-parent', 'PATCH', `locations/${id}`, { parent_id: parent });
  }

  async #rename(kind: Kind): Promise<void> {
    const external_key = `R-${this.#random.below(200)}`;
    await this.#send(`rename ${kind}`, 'POST', `${kind}s/${await this.#anyOf(kind)}/rename`, {
      external_key,
    });
  }

  async #delete(kind: Kind): Promise<void> {
    const id = await this.#anyOf(kind);
    if (kind === 'asset' || !this.#at.places.includes(id)) {
      await this.#send(`delete ${kind}`, 'DELETE', `${kind}s/${id}`);
    }
  }

  async #attach(kind: Kind): Promise<void> {
    await this.#send(`attach to ${kind}`, 'POST', `${kind}s/${await this.#anyOf(kind)}/tags`, this.#tag());
  }

  async #detach(): Promise<void> {
    const [tag] = await this.#database.rows<{ id: number; parent: string }>(
      `select id, coalesce('assets/' || asset_id, 'locations/' || location_id) as parent from tags
       where org_id = $1 and detached_at is null order by random() limit 1`,
      [this.#at.orgId],
    );
    await this.#send('detach', 'DELETE', `${tag?.parent}/tags/${tag?.id}`);
  }

  async #batch(kind: Kind): Promise<void> {
    const items = this.#keys('B').map((external_key) => ({
      ...{ external_key, name: this.#text() },
      ...(this.#random.once(4) ? { tags: [this.#tag()] } : {}),
      ...(kind === 'location' && this.#random.once(3) ? { parent_external_key: this.#key('B') } : {}),
    }));
    const [all_or_nothing, dry_run] = [this.#random.once(4), this.#random.once(8)];
    await this.#send(`batch of ${kind}s`, 'POST', `${kind}s/batch`, { items, all_or_nothing, dry_run });
  }

  async #import(): Promise<void> {
    const lines = this.#keys('C').map((key) => {
      const { tag_type, value } = this.#tag();
      return `${key},${this.#text()},${this.#random.once(10) ? `${tag_type}:${value}` : ''}`;
    });
    const body = new FormData();
    body.append('file', new Blob([`external_key,name,tags\n${lines.join('\n')}\n`]), 'assets.csv');
    await this.#send('import assets', 'POST', 'assets/bulk', body);
  }

  async #scan(): Promise<void> {
    const { orgId, readerId, places } = this.#at;
    const random = this.#random;
    const now = Date.now() * 1_000;
    // Some come late, up to ten minutes.
    const scans = Array.from({ length: 1 + random.below(6) }, () =>
      aRead({
        ...{ orgId, readerId, value: this.#tag().value, locationId: random.pick(places), receivedAt: now },
        at: now - random.below(random.once(4) ? 600_000_000 : 1_000_000),
      }),
    );
    await record(this.#database, scans);
    this.#count('scan', 200);
  }

  async #send(what: string, method: string, path: string, body?: object): Promise<void> {
    const { url, key } = this.#at;
    const json = { 'content-type': `application/${method === 'PATCH' ? 'merge-patch+' : ''}json` };
    const isForm = body instanceof FormData;
    const status = await fetch(`${url}/api/v1/${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, ...(body === undefined || isForm ? {} : json) },
      body: isForm ? body : body === undefined ? null : JSON.stringify(body),
    })
      .then(async (answer) => {
        await answer.text();
        return answer.status;
      })
      .catch(() => 0);
    this.#count(what, status);
  }

  #count(what: string, status: number): void {
    const answer = `${what} ${status}`;
    this.answered += status === 0 ? 0 : 1;
    this.answers.set(answer, (this.answers.get(answer) ?? 0) + 1);
  }

  async #live(kind: Kind): Promise<number> {
    const sql = `select count(*)::int4 as count from ${kind}s where org_id = $1 and deleted_at is null`;
    const [row] = await this.#database.rows<{ count: number }>(sql, [this.#at.orgId]);
    return row?.count ?? 0;
  }

  /** The id of a live row; 1 if there is none. */
  async #anyOf(kind: Kind): Promise<number> {
    const sql = `select id from ${kind}s where org_id = $1 and deleted_at is null order by random() limit 1`;
    const [row] = await this.#database.rows<{ id: number }>(sql, [this.#at.orgId]);
    return row?.id ?? 1;
  }

  #keys(prefix: string): string[] {
    return [...new Set(Array.from({ length: 1 + this.#random.below(AT_ONCE) }, () => this.#key(prefix)))];
  }

  #key(prefix: string): string {
    return `${prefix}-${this.#random.below(60)}`;
  }

  #tag(): { tag_type: string; value: string } {
    return { tag_type: 'rfid', value: `E280${this.#random.below(120)}` };
  }

  #text(): string {
    return `${this.#random.pick(['Crate', 'Käfig', '箱', 'Box 😀'])} ${this.#random.below(1_000)}`;
  }
}
