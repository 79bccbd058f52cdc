import { expect } from 'chai';
import { databaseOn } from '../../db/timescale/connections/database.ts';
import { changed, makeChange } from '../../domain/changes/make-change.ts';
import { commandLineOn } from '../support/command-line.ts';
import { useDatabase } from '../support/database.ts';
import { Site } from '../support/site.ts';

describe('changes list', () => {
  const database = useDatabase();
  const { tagtrail, json, fails } = commandLineOn(() => database);
  let org: string;
  let other: string;

  before(async () => {
    const site = await Site.create(database);
    org = String(site.orgId);
    other = String((await Site.create(database, 'Other')).orgId);
    for (const name of ['one', 'two', 'three']) {
      await makeChange(
        databaseOn(database.pool),
        { type: 'key', id: '01KQSA8N2V6T4W8XJY3ZB5D7FH', requestId: `r-${name}` },
        async () =>
          changed(null, [
            {
              orgId: site.orgId,
              action: 'update',
              resource: { type: 'asset', id: 17, externalKey: 'PALLET-17' },
              before: { name: 'before\u001b[2J' },
              after: { name },
            },
          ]),
      );
    }
    await makeChange(
      databaseOn(database.pool),
      { type: 'command_line', id: 'ann', requestId: null },
      async () =>
        changed(null, [
          {
            orgId: null,
            action: 'create',
            resource: { type: 'format', id: '12' },
            before: null,
            after: { definition: { n: 1.5 } },
          },
        ]),
    );
  });

  const namesOf = (changes: { after: { name: string } }[]) => changes.map(({ after }) => after.name);

  it('shows the newest first, field by field, with author and request', async () => {
    const [newest, ...others] = await json('changes', 'list', '--org', org);
    expect(newest).to.deep.equal({
      id: newest.id,
      at: newest.at,
      actor: { type: 'key', id: '01KQSA8N2V6T4W8XJY3ZB5D7FH' },
      action: 'update',
      resource: { type: 'asset', id: 17, external_key: 'PALLET-17' },
      before: { name: 'before\u001b[2J' },
      after: { name: 'three' },
      request_id: 'r-three',
    });
    expect(newest.at).to.match(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    expect(namesOf(others)).to.deep.equal(['two', 'one']);
    const { stdout } = await tagtrail('changes', 'list', '--org', org);
    expect(stdout).to.include('asset PALLET-17').and.include('-> "three"').and.include('r-three');
    expect(stdout).not.to.include('\u001b');
  });

  it('says what of a change is not kept', async () => {
    const { stdout } = await tagtrail('changes', 'list', '--help');
    expect(stdout.replace(/\s+/g, ' ')).to.include('are removed after ADDRESS_RETENTION_DAYS');
  });

  it('shows so many, and those since a time', async () => {
    expect(namesOf(await json('changes', 'list', '--org', org, '--limit', '2'))).to.deep.equal([
      'three',
      'two',
    ]);
    const [row] = await database.rows<{ at: string }>(
      `select to_char(at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as at from changes where request_id = 'r-two'`,
    );
    const since = await json('changes', 'list', '--org', org, '--since', row?.at ?? '');
    expect(namesOf(since)).to.deep.equal(['three', 'two']);
    expect(await json('changes', 'list', '--org', org, '--since', '2999-01-01T00:00:00Z')).to.deep.equal([]);
  });

  it('shows what belongs to no organization apart, and nothing of another', async () => {
    const [format, ...others] = await json('changes', 'list', '--installation');
    expect(others).to.deep.equal([]);
    expect(format).to.deep.include({
      actor: { type: 'command_line', id: 'ann' },
      resource: { type: 'format', id: '12', external_key: null },
      before: null,
      request_id: null,
    });
    expect(await json('changes', 'list', '--org', other)).to.deep.equal([]);
    expect((await tagtrail('changes', 'list', '--org', other)).stdout).to.equal('No changes.\n');
  });

  it('shows those of a deleted organization, with its deletion', async () => {
    await json('org', 'delete', '--org', other);
    const [deletion] = await json('changes', 'list', '--org', other);
    expect(deletion).to.deep.include({
      action: 'delete',
      resource: { type: 'organization', id: Number(other), external_key: null },
      before: { deleted_at: null },
    });
  });

  it('says what is missing, or wrong', async () => {
    await fails(2, '--org with an organization, or --installation', 'changes', 'list');
    await fails(1, 'Organization 999 not found', 'changes', 'list', '--org', '999');
    await fails(2, 'cannot be used with', 'changes', 'list', '--org', org, '--installation');
    await fails(2, 'RFC 3339', 'changes', 'list', '--org', org, '--since', 'yesterday');
    await fails(2, 'from 1 to 100000', 'changes', 'list', '--org', org, '--limit', '0');
  });

  it('finds the newest by the index, however many there are', async () => {
    await database.rows(
      `insert into changes (org_id, actor_type, actor_id, action, resource_type, resource_id)
       select 1000 + n % 10, 'key', 'k', 'update', 'asset', n from generate_series(1, 20000) n`,
    );
    await database.rows('analyze changes');
    const plan = await database.rows<{ 'QUERY PLAN': string }>(
      `explain select * from changes where org_id = 1003 and (null::bigint is null or at >= time_of_micros(null))
       order by at desc, id desc limit 100`,
    );
    const text = plan.map((line) => line['QUERY PLAN']).join('\n');
    expect(text).to.include('Index Scan Backward').and.not.include('Sort');
  });
});
