import { readdirSync, readFileSync } from 'node:fs';
import { expect } from 'chai';
import { ADVISORY_LOCKS, ORGANIZATION_LOCKS } from '../../../db/timescale/connections/advisory-locks.ts';

describe('advisory locks', () => {
  it('have a number each', () => {
    for (const locks of [ADVISORY_LOCKS, ORGANIZATION_LOCKS]) {
      expect(new Set(Object.values(locks)).size).to.equal(Object.keys(locks).length);
    }
  });

  it('of a session are taken by elected.ts, but for users of the embedded server and moves between cells', () => {
    const taking = ['db', 'domain', 'platform', 'services'].flatMap((folder) =>
      readdirSync(folder, { recursive: true, encoding: 'utf8' })
        .map((file) => `${folder}/${file}`)
        .filter((file) => file.endsWith('.ts') && !file.includes('node_modules'))
        .filter((file) => /pg_(try_)?advisory_lock\(/.test(readFileSync(file, 'utf8'))),
    );
    expect(taking).to.have.members([
      'db/timescale/connections/elected.ts',
      'db/timescale/embedded/server.ts',
      'db/timescale/cells/cells.ts',
    ]);
  });

  it('are taken by the numbers of the one list', () => {
    const taking = ['db', 'domain', 'platform', 'services'].flatMap((folder) =>
      readdirSync(folder, { recursive: true, encoding: 'utf8' })
        .filter((file) => file.endsWith('.ts') && !file.includes('node_modules'))
        .map((file) => readFileSync(`${folder}/${file}`, 'utf8'))
        .filter((source) => /pg_\w*advisory\w*lock/.test(source)),
    );
    expect(taking.length).to.be.at.least(Object.keys(ADVISORY_LOCKS).length);
    for (const source of taking) {
      expect(source).to.match(/(ADVISORY|ORGANIZATION)_LOCKS/);
    }
  });
});
