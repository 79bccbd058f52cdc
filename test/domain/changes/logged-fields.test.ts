import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { JsonText } from '../../../base/json/json-text.ts';
import { databaseOn } from '../../../db/timescale/connections/database.ts';
import { listChanges } from '../../../domain/changes/list-changes.ts';
import { changed, loggedFields, makeChange } from '../../../domain/changes/make-change.ts';
import { TEST_ACTOR } from '../../support/actor.ts';
import { useDatabase } from '../../support/database.ts';

describe('what the change log keeps of a value', () => {
  const database = useDatabase();
  const markOf = (text: string) => ({
    left_out: { bytes: Buffer.byteLength(text), sha256: createHash('sha256').update(text).digest('hex') },
  });

  for (const [what, text, isKept] of [
    ['8 KiB', `"${'a'.repeat(8_190)}"`, true],
    ['a byte more', `"${'a'.repeat(8_191)}"`, false],
    ['8 KiB in fewer characters', `"${'ä'.repeat(4_095)}"`, true],
    ['more than 8 KiB in fewer characters', `"${'ä'.repeat(4_096)}"`, false],
    ['a mebibyte', `{"a":"${'b'.repeat(1_048_576)}"}`, false],
  ] as const) {
    it(`is ${isKept ? 'all' : 'its size and digest'} of ${what}, here as in the database`, async () => {
      const kept = isKept ? JSON.parse(text) : markOf(text);
      const logged = await loggedFields({ value: new JsonText(text) });
      expect(JSON.parse(logged ?? '')).to.deep.equal({ value: kept });
      const [row] = await database.rows<{ value: string }>('select logged_value($1::json) as value', [text]);
      expect(JSON.parse(row?.value ?? '')).to.deep.equal(kept);
    });
  }

  it('is every digit of stored JSON', async () => {
    expect(await loggedFields({ value: new JsonText('{"n":1.50,"m":12345678901234567890}') })).to.equal(
      '{"value":{"n":1.50,"m":12345678901234567890}}',
    );
  });

  it('stays as it is: no row is changed or deleted, by whomever', async () => {
    const db = databaseOn(database.pool);
    await makeChange(db, TEST_ACTOR, async () =>
      changed(null, [
        { orgId: null, action: 'create', resource: { type: 'format', id: 'own' }, before: null, after: {} },
      ]),
    );
    for (const statement of ['update changes set after = null', 'delete from changes']) {
      const refused = await database.rows(statement).catch((error) => error.message);
      expect(refused).to.equal('rows of changes are never changed');
    }
    const [row] = await listChanges(db, null, { since: null, limit: 2 });
    expect(row).to.deep.include({ resource_id: 'own', before: null, after: '{}', actor_id: TEST_ACTOR.id });
  });
});
