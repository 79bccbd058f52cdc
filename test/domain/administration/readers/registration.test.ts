import { expect } from 'chai';
import type { AppError } from '../../../../base/errors.ts';
import { databaseOn } from '../../../../db/timescale/connections/database.ts';
import { storeFormat } from '../../../../domain/administration/formats/store-format.ts';
import { createReader } from '../../../../domain/administration/readers/create-reader.ts';
import { setReader } from '../../../../domain/administration/readers/set-reader.ts';
import { loadBuiltinFormats } from '../../../../domain/formats/mapping/builtin.ts';
import { compileFormat, type Format } from '../../../../domain/formats/mapping/format.ts';
import { TEST_ACTOR } from '../../../support/actor.ts';
import { useDatabase } from '../../../support/database.ts';
import { Site } from '../../../support/site.ts';

describe('a registration at the same time as a change of its format', () => {
  const database = useDatabase();
  const builtin = loadBuiltinFormats();
  let site: Site;
  before(async () => {
    site = await Site.create(database);
  });

  const formatWith = (name: string, ...identities: ('mac' | 'ibeacon')[]): Format => {
    const value = identities.map((identity) => ({ item: `/${identity}`, identity }));
    return compileFormat({
      name,
      decode: 'json',
      rules: [{ each: ['/*', ''], fields: { tag_type: [{ const: 'ble' }], value } }],
    });
  };

  /** Each succeeds, or is refused because of the other: in the end no reader uses an identity its format lacks. */
  async function race(format: string, register: () => Promise<unknown>): Promise<void> {
    await storeFormat(databaseOn(database.pool), TEST_ACTOR, builtin, formatWith(format, 'mac', 'ibeacon'));
    const results = await Promise.allSettled([
      storeFormat(databaseOn(database.pool), TEST_ACTOR, builtin, formatWith(format, 'mac')),
      register(),
    ]);
    const refusals = results.filter((result) => result.status === 'rejected');
    expect(refusals.map(({ reason }) => (reason as AppError).code)).to.have.length(1);
  }

  it('never leaves a new reader with an identity that the format lacks', async () => {
    for (let round = 0; round < 20; round++) {
      const format = `new-${round}`;
      await race(format, () =>
        createReader(databaseOn(database.pool), TEST_ACTOR, builtin, {
          orgId: site.orgId,
          name: format,
          topic: format,
          format,
          policies: { identity: 'ibeacon' },
        }),
      );
    }
  });

  it('never leaves a changed reader with one', async () => {
    for (let round = 0; round < 20; round++) {
      const format = `changed-${round}`;
      const id = await site.reader(format, [null], { format: 'tagtrail' });
      await race(format, () =>
        setReader(databaseOn(database.pool), TEST_ACTOR, builtin, id, { format, identity: 'ibeacon' }),
      );
    }
  });
});
