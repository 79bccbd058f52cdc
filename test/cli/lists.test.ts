import { expect } from 'chai';
import { commandLineOn, typed, wholeCommandLine } from '../support/command-line.ts';
import { useDatabase } from '../support/database.ts';
import { Site } from '../support/site.ts';
import { storeAnyFormat } from '../support/stored-format.ts';

const LISTS = typed(await wholeCommandLine()).flatMap(([noun = '', verb]) => (verb === 'list' ? [noun] : []));

/** As long as may be, without a blank, and not the same anywhere in it. */
function long(prefix: string, length = 255): string {
  const counted = Array.from({ length }, (_, index) => `-${index}`).join('');
  return `${`${prefix}${counted}`.slice(0, length - 1)}E`;
}

/** The longest name a format may have. */
const FORMAT = 'f'.repeat(63);

describe('lists for a terminal', () => {
  const database = useDatabase();
  const { tagtrail } = commandLineOn(() => database);
  let org: string;
  /** What a list must show whole. */
  const shown: Record<string, readonly string[]> = {
    org: [long('org')],
    changes: [long('author'), long('CHANGED')],
    key: [long('key'), 'hidden\\u{1b}[2Jname'],
    handheld: [long('handheld')],
    reader: [long('reader'), long('topic'), long('PLACE')],
    format: [FORMAT, long('about', 1_000)],
    rejected: ['rejected/topic'],
    'mqtt-consumer': [long('consumer')],
    user: [long('user')],
    rule: [long('rule')],
    alert: [long('raised'), long('reader')],
    webhook: [long('webhook'), long('https://example.com/', 2_048)],
    'unknown-tags': [long('tag'), long('PLACE')],
    locate: [long('PLACE'), long('author')],
    printer: [long('printer'), 'printer.example.com'],
  };

  before(async () => {
    const site = await Site.create(database, long('org'));
    org = String(site.orgId);
    const readerId = await site.reader(long('reader'), [await site.location(long('PLACE'))], {
      topic: long('topic'),
      format: FORMAT,
    });
    await database.rows(
      `insert into api_keys (id, org_id, name, scopes, secret_sha256)
       select lpad(place::text, 26, '0'), $1, name, '{assets:read,assets:write,locations:read,tracking:read}', sha256('x')
       from unnest($2::text[]) with ordinality as key (name, place)`,
      [site.orgId, [long('key'), 'hidden\u001b[2Jname']],
    );
    await database.rows(`insert into handhelds (org_id, name, token_sha256) values ($1, $2, sha256('x'))`, [
      site.orgId,
      long('handheld'),
    ]);
    await database.rows(
      `insert into printers (org_id, name, address) values ($1, $2, 'printer.example.com:9100')`,
      [site.orgId, long('printer')],
    );
    await storeAnyFormat(database, FORMAT, {
      name: FORMAT,
      description: long('about', 1_000),
      decode: 'json',
      rules: [{ each: '/*', fields: { tag_type: [{ const: 'rfid' }], value: [{ item: '/v' }] } }],
    });
    await database.rows(
      `insert into unknown_tags
         (org_id, tag_type, tag_key, value, ambiguous, first_seen, last_seen, count, reader_id, location_id)
       select $1, 'rfid', $2, $2, false, now(), now(), 1, $3, id from locations where org_id = $1`,
      [site.orgId, long('tag'), readerId],
    );
    await database.rows(
      `insert into changes (org_id, actor_type, actor_id, action, resource_type, resource_id, external_key, before, after)
       values ($1, 'command_line', $2, 'update', 'asset', '1', $3, '{"name": "one"}', '{"name": "two"}')`,
      [site.orgId, long('author'), long('CHANGED')],
    );
    await database.rows(
      `insert into location_settings (org_id, location_id, valid_from, procedure, certainty, actor_type, actor_id)
       select $1, id, now(), 'strength', 1, 'command_line', $2 from locations where org_id = $1`,
      [site.orgId, long('author')],
    );
    await database.rows(
      `insert into mqtt_consumers (org_id, name, password_sha256) values ($1, $2, sha256('x'))`,
      [site.orgId, long('consumer')],
    );
    await database.rows(
      `with account as (insert into users (email, name) values ($2, $3) returning id)
       insert into memberships (user_id, org_id, role) select id, $1, 'operator' from account`,
      [site.orgId, `${'m'.repeat(242)}@example.com`, long('user')],
    );
    await database.rows(
      `with webhook as (insert into webhooks (org_id, name, url) values ($1, $2, $3) returning org_id, id)
       insert into webhook_lanes (org_id, webhook_id, lane, position)
       select org_id, id, lane, 0 from webhook cross join generate_series(0, 7) lane`,
      [site.orgId, long('webhook'), long('https://example.com/', 2_048)],
    );
    await database.rows(
      `insert into rules
         (org_id, id, version, valid_from, is_ended, kind, name, after_seconds, location_id, metadata, mail_to)
       select $1, lpad('', 26, '0'), 1, now(), false, 'dwell', $2, 60, id, '[]', '{}' from locations where org_id = $1`,
      [site.orgId, long('rule')],
    );
    await database.rows(
      `insert into alerts (org_id, id, rule_id, rule_valid_from, rule_name, kind, level, reader_id, opened_at, because)
       values ($1, lpad('', 26, '0'), lpad('', 26, '0'), now(), $2, 'reader', 'warning', $3, now(), '{}')`,
      [site.orgId, long('raised'), readerId],
    );
    await database.rows(
      `insert into rejected_messages (org_id, reader_id, topic, reason, received_at, bytes, payload, payload_sha256)
       values ($1, $2, $3, $4, now(), 1, 'x', sha256('x'))`,
      [site.orgId, readerId, `rejected/topic/${long('t')}`, long('reason', 1_000)],
    );
  });

  for (const noun of LISTS) {
    it(`fits 100 columns with the longest names: ${noun} list`, async () => {
      const isOfOrganization = !['org', 'format'].includes(noun);
      const { status, stdout } = await tagtrail(noun, 'list', ...(isOfOrganization ? ['--org', org] : []));
      expect(status).to.equal(0);
      const lines = stdout.split('\n');
      expect(Math.max(...lines.map(({ length }) => length))).to.be.within(60, 100);
      const words = lines.map((line) => line.trim()).join('');
      for (const name of shown[noun] ?? [`an example of what ${noun} list shows`]) {
        expect(words).to.include(name);
      }
    });
  }
});
