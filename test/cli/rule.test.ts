import { expect } from 'chai';
import { commandLineOn } from '../support/command-line.ts';
import { useDatabase } from '../support/database.ts';
import { Site } from '../support/site.ts';

const DAY = 86_400_000;

describe('tagtrail rule', () => {
  const database = useDatabase();
  const { tagtrail, json, fails } = commandLineOn(() => database);
  let org: string;
  before(async () => {
    const site = await Site.create(database);
    org = String(site.orgId);
    for (const key of ['PUMP-1', 'PUMP-2']) {
      await site.asset(key);
    }
    await site.location('HALL-1');
    await site.reader('Dock', []);
    await database.rows(
      `with account as (insert into users (email, name) values ('anna@example.com', 'Anna') returning id)
       insert into memberships (user_id, org_id, role) select id, $1, 'viewer' from account`,
      [site.orgId],
    );
  });

  const add = (...args: string[]) => json('rule', 'add', '--org', org, ...args);
  const MUST_BE = ['--kind', 'must_be', '--at', 'HALL-1', '--after', '10m'];

  it('adds one, lists it as it is set anew, and removes it', async () => {
    const validFrom = new Date(Date.now() - DAY).toISOString();
    const added = await add(
      ...MUST_BE,
      ...[
        '--name',
        'Pumps',
        '--asset',
        'PUMP-2',
        'PUMP-1',
        '--within',
        'HALL-1',
        '--mail',
        'Anna@example.com',
      ],
      ...['--metadata', 'order.customer=ACME=1', '--metadata', 'size=2', '--valid-from', validFrom],
      ...['--hours', 'Mon-Fri 07:00-18:00', '--time-zone', 'Europe/Berlin'],
    );
    const settings = {
      ...{ kind: 'must_be', name: 'Pumps', after_seconds: 600, then_seconds: null },
      ...{ location_external_key: 'HALL-1', hours: 'Mon-Fri 07:00-18:00', time_zone: 'Europe/Berlin' },
      ...{ within_location_external_key: 'HALL-1', reader_ids: null, mail_to: ['anna@example.com'] },
      metadata: [
        { path: ['order', 'customer'], value: 'ACME=1' },
        { path: ['size'], value: '2' },
      ],
      ...{ valid_from: validFrom, ends_at: null },
    };
    expect(added).to.deep.include({ ...settings, asset_count: 2, asset_external_keys: ['PUMP-1', 'PUMP-2'] });

    const rule = ['--org', org, '--rule', added.id];
    const none = [
      '--asset',
      'none',
      '--hours',
      'none',
      '--metadata',
      'none',
      '--mail',
      'none',
      '--within',
      'none',
    ];
    const set = await json('rule', 'set', ...rule, '--after', '0s', ...none);
    expect(set).to.deep.include({
      ...{ ...settings, id: added.id, after_seconds: 0, hours: null, time_zone: null },
      ...{ metadata: [], mail_to: [], within_location_external_key: null, asset_external_keys: null },
      ...{ asset_count: null, valid_from: set.valid_from },
    });
    expect(Date.parse(set.valid_from)).to.be.above(Date.parse(validFrom));
    const end = new Date(Date.now() + DAY).toISOString();
    expect(await json('rule', 'set', ...rule, '--ends-at', end)).to.include({ ends_at: end });
    expect((await tagtrail('rule', 'set', ...rule, '--after', '1s')).stdout).to.include(`until ${end}`);
    expect(await json('rule', 'set', ...rule, '--ends-at', 'none')).to.include({ ends_at: null });
    const listed = await tagtrail('rule', 'list', '--org', org);
    expect(listed.stdout).to.include(added.id).and.to.include('must be at HALL-1');

    const past = ['--valid-from', '2020-01-01T00:00:00Z'];
    await fails(2, '--valid-from must be within', 'rule', 'remove', ...rule, ...past);
    const removed = await json('rule', 'remove', ...rule);
    expect(removed).to.deep.include({ id: added.id, name: 'Pumps' });
    expect(await json('rule', 'list', '--org', org)).to.deep.equal([]);
    await fails(1, `Rule ${added.id} not found`, 'rule', 'set', ...rule, '--after', '1m');
  });

  it('adds one about what tags measure, and says it in words', async () => {
    const frozen = ['--kind', 'reading', '--reading', 'temperature_c', '--above', '-18.5', '--after', '10m'];
    const { stdout } = await tagtrail('rule', 'add', '--org', org, ...frozen);
    expect(stdout).to.include('temperature_c above -18.5, raised after 10m');
    const low = ['--kind', 'battery_low', '--reading', 'battery_volts'];
    await fails(2, '--below is required', 'rule', 'add', '--org', org, ...low);
  });

  it('tries one on what was recorded, as it is or changed, and changes nothing', async () => {
    // On a full second, as a trial ends on one.
    const arrived = new Date(Math.floor(Date.now() / 1_000) * 1_000 - DAY / 2).toISOString();
    for (const table of [
      'positions (org_id, asset_id, location_id, since, last_seen)',
      'location_transitions (org_id, asset_id, location_id, observed_at)',
    ]) {
      await database.rows(
        `insert into ${table}
         select asset.org_id, asset.id, location.id, $2::timestamptz ${table.startsWith('positions') ? ', $2' : ''}
         from assets asset join locations location on location.org_id = asset.org_id
         where asset.org_id = $1 and asset.external_key = 'PUMP-1'`,
        [org, arrived],
      );
    }
    const dwell = ['--kind', 'dwell', '--at', 'HALL-1', '--after', '2h', '--then', '3h'];
    const tried = await json('rule', 'try', '--org', org, ...dwell, '--since', '7d');
    const opened = new Date(Date.parse(arrived) + DAY / 12).toISOString();
    const alert = {
      asset_external_key: 'PUMP-1',
      location_external_key: 'HALL-1',
      opened_at: opened,
      level: 'alarm',
    };
    expect(tried).to.deep.include({ alert_count: 1, subject_count: 1, looked_at: 1, is_complete: true });
    expect(tried.alerts[0]).to.include({ ...alert, closed_at: null, is_older: false });

    const { id } = await add(...dwell);
    const rules = await json('rule', 'list', '--org', org);
    const text = await tagtrail(
      'rule',
      'try',
      '--org',
      org,
      '--rule',
      id,
      '--after',
      '30m',
      '--then',
      'none',
    );
    expect(text.stdout)
      .to.include('1 alert, for 1 of 1 assets')
      .and.to.match(/lasted 11h 30m: PUMP-1/);
    const none = await json('rule', 'try', '--org', org, '--rule', id, '--since', '1h', '--asset', 'PUMP-2');
    expect(none).to.deep.include({ alert_count: 0, longest: null, looked_at: 0, is_complete: true });
    expect(await json('rule', 'list', '--org', org)).to.deep.equal(rules);

    await fails(2, 'Give either --kind', 'rule', 'try', '--org', org);
    await fails(2, '--at is required', 'rule', 'try', '--org', org, '--kind', 'not_allowed');
    await fails(2, '--since must be within', 'rule', 'try', '--org', org, ...dwell, '--since', '32d');
  });

  it('names the flag that makes no sense, and what to do', async () => {
    const refused = (message: string, ...args: string[]) =>
      fails(2, message, 'rule', 'add', '--org', org, ...args);
    await refused('--at is required for a rule of the kind must_be', '--kind', 'must_be');
    await refused(
      '--then must be more than --after, 30m',
      ...['--kind', 'overdue', '--after', '30m', '--then', '5m'],
    );
    await refused(
      '--reader must be left out: a rule of the kind must_be is about assets',
      ...[...MUST_BE, '--reader', '1'],
    );
    await refused('use --within', '--kind', 'overdue', '--after', '5m', '--at', 'HALL-1');
    await refused(
      '--asset NONE not found\n--mail must be members',
      ...MUST_BE,
      '--asset',
      'NONE',
      '--mail',
      'b@c.de',
    );
    await refused('--hours must be', ...MUST_BE, '--hours', 'always', '--time-zone', 'UTC');
    await refused('--time-zone must be a time zone', ...MUST_BE, '--hours', 'Mon 07:00-08:00');
    await refused('--valid-from must be within', ...MUST_BE, '--valid-from', '2020-01-01T00:00:00Z');
    await refused('--after must be <= 30d', ...['--kind', 'overdue', '--after', '31d']);
    await refused('It must be a path and a value', ...MUST_BE, '--metadata', 'owner');
    await refused('none must stand alone', ...MUST_BE, '--asset', 'PUMP-1', 'none');
    await refused('none must stand alone', '--kind', 'reader', '--reader', 'none', '1');
    await refused('1 to 255 characters', ...MUST_BE, '--name', 'x'.repeat(256));
    await fails(2, 'Nothing to change', 'rule', 'set', '--org', org, '--rule', 'x');
  });
});
