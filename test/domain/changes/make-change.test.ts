import { expect } from 'chai';
import { type Database, databaseOn } from '../../../db/timescale/connections/database.ts';
import { openOrganizationDoor } from '../../../db/timescale/connections/organization-door.ts';
import { NO_ROWS, sql } from '../../../db/timescale/queries/sql.ts';
import type { Actor } from '../../../domain/changes/actor.ts';
import { changed, makeChange, unchanged } from '../../../domain/changes/make-change.ts';
import { useDatabase } from '../../support/database.ts';
import { Site } from '../../support/site.ts';

const ACTOR: Actor = { type: 'key', id: '01KQSA8N2V6T4W8XJY3ZB5D7FH', requestId: 'r-1' };

describe('a change', () => {
  const database = useDatabase();
  let db: Database;
  before(() => {
    db = databaseOn(database.pool);
  });
  const namesOf = async (orgId: number) =>
    (await database.rows<{ name: string }>('select name from handhelds where org_id = $1', [orgId])).map(
      ({ name }) => name,
    );
  const insert = (orgId: number, name: string) => sql.type(NO_ROWS)`
    insert into handhelds (org_id, name, token_sha256) values (${orgId}, ${name}, sha256(${name}::bytea))`;

  it('knows on whose behalf it is made, and is committed with its end', async () => {
    const { orgId } = await Site.create(database);
    const actor = await makeChange(db, ACTOR, async (change) => {
      await change.exec(insert(orgId, 'one'));
      expect(await namesOf(orgId)).to.deep.equal([]);
      return unchanged(change.actor);
    });
    expect(actor).to.deep.equal(ACTOR);
    expect(await namesOf(orgId)).to.deep.equal(['one']);
  });

  it('is rolled back whole if any of it fails', async () => {
    const { orgId } = await Site.create(database);
    const made = makeChange(db, ACTOR, async (change) => {
      await change.exec(insert(orgId, 'one'));
      throw new RangeError('after all not');
    });
    expect(await made.catch((error) => error.message)).to.equal('after all not');
    expect(await namesOf(orgId)).to.deep.equal([]);
  });

  it('is made once where two give each other up', async () => {
    const { orgId } = await Site.create(database);
    const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const names = ['one', 'two'];
    await makeChange(db, ACTOR, async (change) => {
      await change.exec(insert(orgId, 'one'));
      await change.exec(insert(orgId, 'two'));
      return unchanged(null);
    });
    const lock = (name: string) => sql.type(NO_ROWS)`
      update handhelds set name = name || '+' where org_id = ${orgId} and name like ${`${name}%`}`;
    const other = (name: string) => names.find((each) => each !== name) ?? '';
    const run = (name: string, own: PromiseWithResolvers<void>, others: PromiseWithResolvers<void>) =>
      makeChange(db, ACTOR, async (change) => {
        expect(change.actor).to.equal(ACTOR);
        await change.exec(lock(name));
        own.resolve();
        await others.promise;
        await change.exec(lock(other(name)));
        return unchanged(null);
      });
    await Promise.all([run('one', first, second), run('two', second, first)]);
    expect((await namesOf(orgId)).sort()).to.deep.equal(['one++', 'two++']);
  });

  it('sees one organization only, through its door', async () => {
    const [own, foreign] = [await Site.create(database), await Site.create(database)];
    await foreign.location('DOCK-1');
    const door = openOrganizationDoor(database.url, { max: 2 });
    database.beforeDrop(() => door.end());
    const seen = await makeChange(door.of(own.orgId), ACTOR, async (change) =>
      unchanged({
        orgId: change.orgId,
        actor: change.actor,
        locations: await change.any(sql.type(NO_ROWS)`select from locations`),
      }),
    );
    expect(seen).to.deep.equal({ orgId: own.orgId, actor: ACTOR, locations: [] });
  });

  it('is rolled back whole if it cannot be logged, and says so', async () => {
    const { orgId } = await Site.create(database);
    const made = makeChange(db, ACTOR, async (change) => {
      await change.exec(insert(orgId, 'one'));
      const after = { name: 'U+0000 is no text: \u0000' };
      return changed('made', [
        { orgId, action: 'create', resource: { type: 'handheld', id: '\u0000' }, before: null, after },
      ]);
    });
    expect(await made.catch((error) => error.message)).to.include('invalid byte sequence');
    expect(await namesOf(orgId)).to.deep.equal([]);
    expect(await database.rows('select from changes where org_id = $1', [orgId])).to.deep.equal([]);
  });

  it('is logged with its author, in the same transaction', async () => {
    const { orgId } = await Site.create(database);
    await makeChange(db, ACTOR, async (change) => {
      await change.exec(insert(orgId, 'one'));
      return changed(null, [
        {
          orgId,
          action: 'create',
          resource: { type: 'handheld', id: 7 },
          before: null,
          after: { name: 'one' },
        },
      ]);
    });
    expect(
      await database.rows(
        `select actor_type, actor_id, request_id, action, resource_type, resource_id, external_key, before, after,
           at between created_at and clock_timestamp() as is_timely, changes.xmin = handhelds.xmin as is_one
         from changes join handhelds using (org_id) where org_id = $1`,
        [orgId],
      ),
    ).to.deep.equal([
      {
        actor_type: 'key',
        actor_id: ACTOR.id,
        request_id: 'r-1',
        action: 'create',
        resource_type: 'handheld',
        resource_id: '7',
        external_key: null,
        before: null,
        after: '{"name":"one"}',
        is_timely: true,
        is_one: true,
      },
    ]);
  });
});
