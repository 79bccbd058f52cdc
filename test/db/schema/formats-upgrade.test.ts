import { expect } from 'chai';
import { createWritePool } from '../../../db/timescale/connections/pool.ts';
import { loadFormats } from '../../../domain/administration/formats/load-formats.ts';
import { loadBuiltinFormats } from '../../../domain/formats/mapping/builtin.ts';
import { useEarlierDatabase } from '../../support/earlier-database.ts';

describe('an upgrade of stored formats', () => {
  const earlier = useEarlierDatabase('0030');
  const builtin = [...loadBuiltinFormats().values()].map(({ definition }) => definition);
  const ODD = {
    zebra: null,
    name: 'Ä "odd"',
    decode: [],
    ants: {},
    rules: [{ n: 1.5, each: '/\u0001' }, true],
  };
  before(async () => {
    for (const [index, definition] of [...builtin, ODD].entries()) {
      await earlier.client.query('insert into formats (name, definition) values ($1, $2)', [
        `own-${index}`,
        JSON.stringify({ ...definition, name: `own-${index}` }),
      ]);
    }
    await earlier.migrateOnce();
  });

  const stored = async (column: string): Promise<Map<string, string>> => {
    const { rows } = await earlier.client.query(`select name, ${column}::text as text from formats`);
    return new Map(rows.map(({ name, text }) => [name, text]));
  };

  it('has each as people write it, to the letter', async () => {
    const source = await stored('source');
    for (const [index, definition] of builtin.entries()) {
      const name = `own-${index}`;
      expect(source.get(name)).to.equal(JSON.stringify({ ...definition, name }));
    }
    const odd = `own-${builtin.length}`;
    expect(source.get(odd)).to.equal(
      JSON.stringify({
        name: odd,
        decode: [],
        rules: [{ each: '/\u0001', n: 1.5 }, true],
        ants: {},
        zebra: null,
      }),
    );
  });

  it('leaves what each means to processes of the version before', async () => {
    const definitions = await stored('definition');
    for (const [name, source] of await stored('source')) {
      expect(JSON.parse(definitions.get(name) ?? '')).to.deep.equal(JSON.parse(source));
    }
  });

  it('leaves each as usable as it was, with the migrations after it', async () => {
    await earlier.migrateOn();
    const pool = createWritePool(earlier.url, { max: 1 });
    const formats = await loadFormats(pool, new Map());
    await pool.end();
    const [usable, useless] = [[...formats.names], [...formats.names]].map((names, at) =>
      names.filter((name) => (formats.get(name) === undefined) === (at === 1)),
    );
    expect(usable?.sort()).to.deep.equal(builtin.map((_, index) => `own-${index}`).sort());
    expect(useless).to.have.lengthOf(1);
  });
});
