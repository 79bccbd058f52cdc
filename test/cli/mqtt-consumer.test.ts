import { expect } from 'chai';
import { commandLineOn } from '../support/command-line.ts';
import { useDatabase } from '../support/database.ts';
import { Site } from '../support/site.ts';

describe('the command line for consumers of moves over MQTT', () => {
  const database = useDatabase();
  const { tagtrail, json, fails } = commandLineOn(() => database);
  let org: string;
  before(async () => {
    org = String((await Site.create(database)).orgId);
  });

  it('shows a password once, and keeps its digest', async () => {
    const made = await json('mqtt-consumer', 'create', '--org', org, '--name', 'Node-RED');
    expect(made).to.have.all.keys('id', 'name', 'mqtt_username', 'mqtt_password');
    expect(made.mqtt_username).to.equal(`consumer-${made.id}`);
    const [row] = await database.rows(
      `select org_id, name, password_sha256 = sha256(convert_to($2, 'UTF8')) as is_digest
       from mqtt_consumers where id = $1`,
      [made.id, made.mqtt_password],
    );
    expect(row).to.deep.equal({ org_id: Number(org), name: 'Node-RED', is_digest: true });
    const { stdout } = await tagtrail('mqtt-consumer', 'list', '--org', org);
    expect(stdout).to.include('Node-RED').and.include(made.mqtt_username).and.not.include(made.mqtt_password);
  });

  it('tells people which topic it is for', async () => {
    const { stdout } = await tagtrail('mqtt-consumer', 'create', '--org', org, '--name', 'Home Assistant');
    expect(stdout).to.match(
      /^Consumer \d+: Home Assistant\nMQTT user name {2}consumer-\d+\nMQTT password {3}\S+ {2}\(shown only now\)\n/,
    );
    expect(stdout).to.include(`/${org}/#`);
  });

  it('lists those of one organization, and deletes one', async () => {
    const other = String((await Site.create(database, 'Other')).orgId);
    const { id } = await json('mqtt-consumer', 'create', '--org', other, '--name', 'Theirs');
    const listed = await json('mqtt-consumer', 'list', '--org', other);
    expect(listed).to.have.lengthOf(1);
    expect(listed[0]).to.have.all.keys('id', 'name', 'mqtt_username', 'created_at', 'last_used_at');
    expect(await json('mqtt-consumer', 'delete', '--consumer', String(id))).to.deep.equal({
      id,
      name: 'Theirs',
    });
    expect(await json('mqtt-consumer', 'list', '--org', other)).to.deep.equal([]);
    expect((await tagtrail('mqtt-consumer', 'list', '--org', other)).stdout).to.equal('No consumers.\n');
    await fails(1, `Consumer ${id} not found`, 'mqtt-consumer', 'delete', '--consumer', String(id));
  });

  it('has no more than a hundred of an organization', async () => {
    const full = (await Site.create(database, 'Full')).orgId;
    await database.rows(
      `insert into mqtt_consumers (org_id, name, password_sha256)
       select $1, 'x', sha256('x') from generate_series(1, 100)`,
      [full],
    );
    await fails(1, 'delete one first', 'mqtt-consumer', 'create', '--org', String(full), '--name', 'x');
  });

  it('refuses a name that cannot be', () =>
    fails(2, '1 to 255', 'mqtt-consumer', 'create', '--org', org, '--name', ''));
  it('says that there is no such organization', async () => {
    await fails(1, 'Organization 999 not found', 'mqtt-consumer', 'create', '--org', '999', '--name', 'x');
    await fails(1, 'Organization 999 not found', 'mqtt-consumer', 'list', '--org', '999');
  });
});
