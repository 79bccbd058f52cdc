import { expect } from 'chai';
import { countOpenKept, listPageOfKept } from '../../../domain/administration/rejected/kept-page.ts';
import {
  countUnknownTags,
  listPageOfUnknownTags,
  type UnknownTagSort,
} from '../../../domain/administration/unknown-tags/page.ts';
import { UNKNOWN_TAGS_KEPT } from '../../../domain/tracking/unknown-tags.ts';
import { useDatabase } from '../../support/database.ts';
import { type Measured, MeasuredClient } from '../../support/measured-client.ts';
import { Site } from '../../support/site.ts';

const PAGE = { limit: 50, offset: 0 };

/** More than are ever kept of an organization, and as many messages as are. */
const TAGS = 30_000;
const MESSAGES = 10_000;

describe('an inbox with all that is kept of an organization', () => {
  const database = useDatabase();
  let orgId: number;
  let measured: MeasuredClient;

  before(async () => {
    ({ orgId } = await Site.create(database));
    await database.rows(
      `insert into unknown_tags (org_id, tag_type, tag_key, value, ambiguous, count, first_seen, last_seen, rssi)
       select $1, 'rfid', 'E28' || i, 'E28' || i, false, i % 97, now(), now() - i * interval '1 second', -30 - i % 50
       from generate_series(1, ${TAGS}) i`,
      [orgId],
    );
    await database.rows(
      `insert into rejected_messages (org_id, topic, reason, received_at, bytes, payload, payload_sha256)
       select $1, 'gate', 'no JSON', now(), 1000, convert_to(repeat('x', 1000), 'UTF8'), sha256('') from generate_series(1, ${MESSAGES})`,
      [orgId],
    );
    await database.rows(
      `with asset as (insert into assets (org_id, external_key, name) values ($1, 'A', 'A') returning id)
       insert into tags (org_id, tag_type, value, tag_key, asset_id)
       select $1, 'rfid', 'E1' || i, 'E1' || i, id from asset, generate_series(1, 5000) i`,
      [orgId],
    );
    await database.rows('vacuum analyze tags');
    await database.rows('vacuum analyze unknown_tags');
    await database.rows('vacuum analyze rejected_messages');
    measured = await MeasuredClient.connect(database.url, 'auto', true);
    database.beforeDrop(() => measured.client.end());
  });

  /** What the statements for rows took, and those that count. */
  async function took(work: (client: MeasuredClient['client']) => Promise<unknown>) {
    const all = await measured.measure(work);
    const of = (isCount: boolean): Measured => {
      const some = [...all].filter(([text]) => text.startsWith('select count(*)') === isCount);
      expect(some, [...all.keys()].join('\n')).to.have.length.below(2);
      return some[0]?.[1] ?? { rows: 0, pages: 0, scanned: [] };
    };
    return { rows: of(false), count: of(true) };
  }
  const tagsBy = (field: UnknownTagSort) =>
    took((client) =>
      listPageOfUnknownTags(
        { ...client, any: client.any.bind(client), one: client.one.bind(client), orgId } as never,
        { ...PAGE, isIgnored: false, sort: [{ field, isDescending: true }] },
      ),
    );

  it('reads of unknown tags the page alone, by the time of the last read', async () => {
    const { rows, count } = await tagsBy('last_seen_at');
    expect(rows.scanned).to.deep.equal([]);
    expect(rows.rows).to.be.below(20 * PAGE.limit);
    expect(rows.pages).to.be.below(20 * PAGE.limit);
    expect(count.rows).to.be.below(6 * UNKNOWN_TAGS_KEPT);
  });

  it('asks by strength whose a tag is for the page alone', async () => {
    const { rows } = await tagsBy('rssi');
    const [{ pages = 0 } = {}] = await database.rows<{ pages: number }>(
      `select (pg_relation_size('unknown_tags') / 8192)::integer as pages`,
    );
    // All are read and sorted; an asset or a location is looked for as often as the page has rows.
    expect(rows.rows).to.be.below(2 * TAGS + 20 * PAGE.limit);
    expect(rows.pages, `of ${pages}`).to.be.below(pages + 20 * PAGE.limit);
  });

  it('reads of rejected messages the page alone, and counts without looking at one', async () => {
    const { rows, count } = await took((client) => listPageOfKept(client, orgId, { ...PAGE, state: 'open' }));
    expect([rows.scanned, count.scanned]).to.deep.equal([[], []]);
    expect(rows.rows).to.be.below(20 * PAGE.limit);
    expect(count.pages).to.be.below(200);
  });

  it('counts a hundred for the number beside its name', async () => {
    const { count: tags } = await took((client) =>
      countUnknownTags(
        { ...client, one: client.one.bind(client), orgId } as never,
        { isIgnored: false },
        100,
      ),
    );
    const { count: messages } = await took((client) => countOpenKept(client, orgId, 100));
    expect([tags.rows, messages.rows].filter((rows) => rows > 1_000)).to.deep.equal([]);
  });
});
