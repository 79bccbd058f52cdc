import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { databaseOn } from '../../db/timescale/connections/database.ts';
import { countRows } from '../../db/timescale/erase/erase-rows.ts';
import { SECRET_COLUMNS } from '../../db/timescale/erase/export-rows.ts';
import { eraseOrganization } from '../../domain/administration/organizations/erase-organization.ts';
import { deleteOrganization } from '../../domain/administration/organizations/organizations.ts';
import { removeMembership, setRole } from '../../domain/administration/users/accounts/set-role.ts';
import { createUser } from '../../domain/administration/users/create-user.ts';
import { makeResetLink } from '../../domain/administration/users/links/make-link.ts';
import { TEST_ACTOR } from '../support/actor.ts';
import { commandLineOn } from '../support/command-line.ts';
import { useDatabase } from '../support/database.ts';
import { fillDatabase } from '../support/filled-database.ts';
import { Site } from '../support/site.ts';
import { untilWaiting } from '../support/until-waiting.ts';

/** Of the installation, and of people, who may belong to several organizations. */
const OF_NO_ORGANIZATION = [
  ...['alert_derivation', 'broker_sessions', 'broker_subscriptions', 'intake_watches', 'known_devices'],
  ...['organizations', 'refused_sign_ins', 'schema_migrations', 'sessions', 'silence_derivation', 'users'],
  'webhook_deliverers',
];

const NAME = 'Acme "quoted", ü';

describe('erasing an organization', () => {
  const database = useDatabase();
  const { json, fails } = commandLineOn(() => database);
  const folder = mkdtempSync(join(tmpdir(), 'tagtrail-erase-'));
  after(() => rmSync(folder, { recursive: true }));
  let org: number;
  let other: number;

  before(async () => {
    await fillDatabase(database);
    const [filled] = await database.rows<{ id: number }>('select id from organizations');
    org = filled?.id ?? 0;
    const site = Site.of(database, org);
    await site.location('SHELF-2', await site.location('RACK'));
    await site.asset('CRATE', 'C1');
    const neighbour = await Site.create(database, 'Neighbour');
    other = neighbour.orgId;
    const place = await neighbour.location('DOCK');
    const kept = await neighbour.asset('KEPT', 'E290');
    await neighbour.reader('theirs', [place]);
    for (const table of ['scan_events', 'location_transitions', 'positions']) {
      await copyOne(table, { org_id: other, asset_id: kept, location_id: place });
    }
    for (const name of ['Both', 'Only', 'Former', 'Elsewhere']) {
      // Before they belong to any organization, so that it is logged for the installation.
      const user = { email: `${name.toLowerCase()}@example.com`, name, membership: null };
      const { id } = await createUser(databaseOn(database.pool), TEST_ACTOR, user);
      await makeResetLink(databaseOn(database.pool), TEST_ACTOR, { userId: id, orgId: null });
      // As of who was a member of the other one, and was told of alerts there.
      await database.rows(
        'insert into alert_mail_recipients (org_id, user_id, position) values ($1, $2, 0)',
        [other, id],
      );
    }
    await database.rows(
      `insert into memberships (user_id, org_id, role)
       select users.id, organizations.id, 'admin' from users, organizations
       where email = 'both@example.com' or organizations.id = $1`,
      [org],
    );
    const topics = await database.rows<{ topic: string }>('select topic from readers where org_id = $1', [
      org,
    ]);
    await unclaimed(
      ...topics.map(({ topic }) => topic.replace(/[+#]/g, 'any')),
      'of/nobody',
      'theirs',
      'a.b/c/d',
      'axb/c/d',
      'a.b',
    );
    await database.rows(
      `insert into readers (org_id, name, topic, format, mqtt_username, mqtt_password_sha256, deleted_at)
       values ($1, 'former', 'a.b/+/#', 'tagtrail', 'former', sha256('x'), now())`,
      [org],
    );
    await database.rows(`update readers set topic = 'theirs' where org_id = $1`, [other]);
    await removed('former@example.com', org);
    await removed('elsewhere@example.com', org, other);
    await database.rows(
      `insert into user_links (digest, purpose, user_id, expires_at, made_by, made_in)
       select sha256('link'), 'reset', one.id, now(), two.id, $1 from users one, users two
       where one.email = 'both@example.com' and two.email = 'only@example.com'`,
      [org],
    );
  });

  /** As of readers that are deleted, at a broker that goes on taking their messages. */
  async function unclaimed(...topics: string[]) {
    await database.rows(
      `insert into rejected_messages (org_id, topic, reason, received_at, bytes, payload, payload_sha256)
       select null, topic, 'no reader has this topic', now(), 1, 'x', sha256('x') from unnest($1::text[]) topic`,
      [topics],
    );
  }

  /** As of who was a member and is none any more. */
  async function removed(email: string, ...orgs: number[]) {
    const db = databaseOn(database.pool);
    const [{ id: userId = 0 } = {}] = await database.rows<{ id: number }>(
      'select id from users where email = $1',
      [email],
    );
    for (const orgId of orgs) {
      await setRole(db, TEST_ACTOR, { userId, orgId, role: 'viewer', mayJoin: true });
      await removeMembership(db, TEST_ACTOR, { userId, orgId });
    }
    await database.rows('delete from memberships where user_id = $1', [userId]);
  }

  /** A row like the first one of the filled organization, of the other. */
  const copyOne = (table: string, fields: object) =>
    database.rows(
      `insert into ${table} select (jsonb_populate_record(null::${table}, to_jsonb(one) || $1)).*
       from (select * from ${table} where org_id = $2 limit 1) one`,
      [fields, org],
    );
  const rowsOf = async (id: number) =>
    Object.fromEntries((await countRows(database.pool, id)).map(({ name, rows }) => [name, rows]));
  const erase = (signal: AbortSignal, onProgress: (table: string, rows: number) => void = () => {}) =>
    eraseOrganization(
      database.pool,
      TEST_ACTOR,
      { orgId: org, name: NAME, leavesPublished: true },
      { signal, onProgress },
    );

  it('knows every table, and which of them are of no organization', async () => {
    const known = Object.keys(await rowsOf(org));
    const tables = await database.rows<{ name: string }>(
      `select relname::text as name from pg_class
       where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')`,
    );
    const others = tables.map(({ name }) => name).filter((name) => !known.includes(name));
    expect(others.toSorted()).to.deep.equal(OF_NO_ORGANIZATION);
  });

  it('exports every row as of one instant, and nothing that lets anybody in', async () => {
    const target = join(folder, 'export');
    const { files } = await json('org', 'export', '--org', String(org), '--folder', target);
    const counted = Object.entries(await rowsOf(org)).map(([name, rows]) => [`${name}.jsonl`, rows]);
    const exported = files.map(({ name, rows }: { name: string; rows: number }) => [name, rows]);
    expect(Object.fromEntries(exported)).to.deep.equal({
      ...Object.fromEntries(counted),
      'organizations.jsonl': 1,
      'users.jsonl': 2,
    });
    const lines = (name: string) => readFileSync(join(target, name), 'utf8').split('\n').slice(0, -1);
    expect(lines('scan_events.jsonl')).to.have.length(Number((await rowsOf(org))['scan_events']));
    expect(JSON.parse(lines('assets.jsonl')[0] ?? '')).to.include({ external_key: 'PALLET' });
    expect(readdirSync(target)).to.have.length(files.length + 1);
    for (const column of SECRET_COLUMNS) {
      const [table = '', name = ''] = column.split('.');
      expect(readFileSync(join(target, `${table}.jsonl`), 'utf8'), column).to.not.include(`"${name}"`);
    }
    await fails(2, 'is not empty', 'org', 'export', '--org', String(org), '--folder', target);
    await fails(2, 'cannot be used', 'org', 'export', '--org', String(org), '--folder', '/proc/none');
  });

  it('leaves out every column that may have a secret', async () => {
    const columns = await database.rows<{ name: string }>(
      `select table_name || '.' || column_name as name from information_schema.columns
       where table_schema = 'public' and column_name ~ 'sha256|secret|password|token|sealed$|digest'
         and table_name = any($1)`,
      [Object.keys(await rowsOf(org))],
    );
    const harmless = [
      'asset_photos.sha256',
      'imports.digest',
      'mqtt_topics.digest',
      'plans.sha256',
      'received_messages.digest',
    ];
    const ofContent = ['rejected_messages.payload_sha256', 'submissions.body_sha256', 'sweeps.body_sha256'];
    expect(columns.map(({ name }) => name)).to.have.members([...SECRET_COLUMNS, ...harmless, ...ofContent]);
  });

  it('refuses one that is in use, or called something else, and shows first what would go', async () => {
    const command = ['org', 'erase', '--org', String(org)];
    await fails(1, 'delete it first', ...command, '--confirm', NAME);
    await json('org', 'delete', '--org', String(org));
    await fails(1, 'confirm it with --confirm', ...command, '--confirm', 'Neighbour');
    const before = await rowsOf(org);
    const shown = await json(...command);
    expect(shown).to.include({ id: org, name: NAME, is_erased: false });
    expect(shown.tables).to.deep.include({ name: 'scan_events', rows: before['scan_events'] });
    expect(await rowsOf(org)).to.deep.equal(before);
    await database.rows(
      `insert into mqtt_topics (org_id, asset_id, topic) values ($1, 1, 'site/1/assets/1')`,
      [org],
    );
    await fails(1, 'give --leave-published', ...command, '--confirm', NAME);
  });

  it('goes on where it was interrupted, past what is written meanwhile, and leaves nothing but others', async () => {
    const theirs = await rowsOf(other);
    const before = await rowsOf(org);
    const interruption = new AbortController();
    const interrupted = await erase(interruption.signal, (table, rows) => {
      if (table === 'scan_events' && rows > 0) {
        interruption.abort();
      }
    }).catch((error: Error) => error);
    expect(interrupted).to.have.property('name', 'AbortError');
    expect((await rowsOf(org))['assets']).to.equal(before['assets']);
    // As a process does that has not heard of the deletion: an antenna, while its reader goes.
    await database.rows(`create sequence written; create function write_meanwhile() returns trigger language plpgsql as $$
      begin
        if nextval('written') = 1 then
          insert into antennas (org_id, reader_id, port) values (old.org_id, old.id, 9);
        end if;
        return old;
      end $$;
      create trigger meanwhile before delete on readers for each row execute function write_meanwhile()`);
    const { tables } = await json(
      ...['org', 'erase', '--org', String(org), '--confirm', NAME, '--leave-published'],
    );
    expect(tables.filter(({ left }: { left: number }) => left > 0)).to.deep.equal([]);
    expect(tables).to.deep.include({ name: 'assets', deleted: before['assets'], left: 0 });
    expect(Object.values(await rowsOf(org)).some((rows) => rows > 0)).to.equal(false);
    expect(await rowsOf(other)).to.deep.equal({ ...theirs, alert_mail_recipients: 1 });
    expect(
      await database.rows('select topic from rejected_messages where org_id is null order by 1'),
    ).to.deep.equal([...['a.b', 'axb/c/d', 'of/nobody', 'theirs'].map((topic) => ({ topic }))]);
    expect(await database.rows('select id from organizations')).to.deep.equal([{ id: other }]);
    expect(await database.rows('select email from users order by 1')).to.deep.equal([
      { email: 'both@example.com' },
      { email: 'elsewhere@example.com' },
    ]);
    const logged = await database.rows(
      `select action, resource_type, coalesce(external_key, resource_id) as key from changes where org_id is null order by id`,
    );
    expect(logged).to.deep.equal([
      { action: 'create', resource_type: 'user', key: 'both@example.com' },
      { action: 'create', resource_type: 'link', key: 'both@example.com' },
      { action: 'create', resource_type: 'user', key: 'elsewhere@example.com' },
      { action: 'create', resource_type: 'link', key: 'elsewhere@example.com' },
      { action: 'erase', resource_type: 'organization', key: String(org) },
    ]);
    await fails(1, `Organization ${org} not found`, 'org', 'erase', '--org', String(org));
  });

  it('is done and logged by one of two runs at once; the other waits, and says that it is gone', async () => {
    const { orgId } = await Site.create(database, 'Twice');
    await deleteOrganization(databaseOn(database.pool), TEST_ACTOR, orgId);
    const { signal } = new AbortController();
    const erasing = () =>
      eraseOrganization(
        database.pool,
        TEST_ACTOR,
        { orgId, name: 'Twice', leavesPublished: true },
        { signal, onProgress: () => {} },
      ).then(
        () => 'erased',
        (error: Error) => error.message,
      );
    const holder = await database.pool.connect();
    await holder.query('begin');
    await holder.query('select from organizations where id = $1 for update', [orgId]);
    const runs = [erasing(), erasing()];
    await untilWaiting(database, runs.length);
    await holder.query('rollback');
    holder.release();
    expect((await Promise.all(runs)).toSorted()).to.deep.equal([
      `Organization ${orgId} was erased by another run meanwhile`,
      'erased',
    ]);
    const logged = await database.rows(
      `select from changes where org_id is null and action = 'erase' and resource_id = $1`,
      [String(orgId)],
    );
    expect(logged).to.have.length(1);
  });
});
