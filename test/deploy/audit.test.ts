import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { parse } from 'yaml';
import { findPostgresBinaries } from '../../db/timescale/embedded/server.ts';
import { useProgram } from '../support/programs.ts';
import { PROJECT, readDeployed } from './folder.ts';

/** Each lets who runs tagtrail use it for any purpose, and change nothing of their own. */
const LICENSES = [
  '0BSD',
  'Apache-2.0',
  'BSD-3-Clause',
  'ISC',
  'MIT',
  'MIT-0',
  'PostgreSQL',
  '(Apache-2.0 AND BSD-3-Clause)',
  '(MIT OR CC0-1.0)',
];

interface Component {
  'bom-ref': string;
  purl: string;
  cpe?: string;
  hashes?: { alg: string; content: string }[];
  licenses?: { license?: { id?: string }; expression?: string }[];
}

interface LockedPackage {
  version: string;
  integrity: string;
  dev?: boolean;
  link?: boolean;
}

describe('the bill of materials', () => {
  const { script } = parse(readDeployed('audit/gitlab-ci.yml'))['known-vulnerabilities'] as {
    script: string[];
  };
  const [, command = ''] = /^node (\S+) > \S+$/.exec(script[1] ?? '') ?? [];
  let bill: { bomFormat: string; metadata: { component: { name: string } }; components: Component[] };
  let packages: Component[];
  useProgram('npm sbom');
  before(() => {
    bill = JSON.parse(
      execFileSync(process.execPath, [command], {
        cwd: PROJECT,
        encoding: 'utf8',
        stdio: ['ignore', 'pipe', 'ignore'],
      }),
    );
    packages = bill.components.filter(({ cpe }) => cpe === undefined);
  });
  const locked = Object.entries(
    JSON.parse(readFileSync(`${PROJECT}package-lock.json`, 'utf8')).packages as Record<string, LockedPackage>,
  )
    .filter(([path, { dev, link }]) => path.includes('node_modules/') && dev !== true && link !== true)
    .map(([path, { version, integrity }]) => ({
      id: `${path.split('node_modules/').at(-1)}@${version}`,
      integrity,
    }));

  it('has every package that production installs, with the hash of the lock file', () => {
    expect(bill).to.include({ bomFormat: 'CycloneDX' });
    expect(bill.metadata.component.name).to.equal('tagtrail');
    const hashes = packages.map(({ 'bom-ref': id, hashes: [hash] = [] }) => [
      id,
      hash?.alg === 'SHA-512' && `sha512-${Buffer.from(hash.content, 'hex').toString('base64')}`,
    ]);
    expect(locked.length).to.be.above(150);
    expect(Object.fromEntries(hashes)).to.deep.equal(
      Object.fromEntries(locked.map(({ id, integrity }) => [id, integrity])),
    );
    const { dependencies, optionalDependencies } = JSON.parse(readFileSync(`${PROJECT}package.json`, 'utf8'));
    const wanted = Object.entries({ ...dependencies, ...optionalDependencies }).map((each) => each.join('@'));
    expect(packages.map((each) => each['bom-ref'])).to.include.members(wanted);
  });

  it('has Node.js and the embedded PostgreSQL by the names that scanners know them by', () => {
    const said = execFileSync(findPostgresBinaries().initdb, ['--version'], { encoding: 'utf8' });
    const [, version] = /^initdb \(PostgreSQL\) (\S+)/.exec(said) ?? [];
    expect(bill.components.flatMap(({ cpe = [] }) => cpe)).to.deep.equal([
      `cpe:2.3:a:nodejs:node.js:${process.version.slice(1)}:*:*:*:*:*:*:*`,
      `cpe:2.3:a:postgresql:postgresql:${version}:*:*:*:*:*:*:*`,
    ]);
  });

  it('names a licence for each, and none that asks for more than its text to be kept', () => {
    const others = bill.components.filter(
      ({ licenses = [] }) =>
        licenses.length === 0 ||
        licenses.some(({ license, expression }) => !LICENSES.includes(license?.id ?? expression ?? '')),
    );
    expect(others.map((each) => each['bom-ref'])).to.deep.equal([]);
  });

  it('is made beside the question for known vulnerabilities, by an example that has the version of Node.js', () => {
    expect(script[0]).to.equal('npm audit --package-lock-only --omit=dev --audit-level=high');
    expect(readDeployed('audit/gitlab-ci.yml')).to.include(`image: node:${process.version.slice(1)}-`);
  });
});
