import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { expect } from 'chai';
import { parseAllDocuments } from 'yaml';
import { useProgram } from '../support/programs.ts';
import { DEPLOY, deployed, readDeployed, readYaml } from './folder.ts';

const OWNER = 'tagtrail';

describe('processes as they are deployed', () => {
  useProgram('openssl');

  it('sign in at the database as another than the owner, with the .env that the runbook makes for Compose', () => {
    const environment = environmentsOf(madeByRunbook());
    // Commands are typed by an operator, who may migrate, restore and move by them.
    const { migrate, database, 'command-line': commands, ...running } = environment;
    const owners = database?.['POSTGRES_PASSWORD'] ?? '';
    expect(owners).to.match(/^[0-9a-f]{48}$/);
    expect(userOf(migrate?.['MIGRATE_DATABASE_URL'])).to.equal(OWNER);
    const connected = Object.values(running).filter((variables) => 'DATABASE_URL' in variables);
    expect(connected).to.have.length(5);
    expect(userOf(commands?.['DATABASE_URL'])).to.equal('tagtrail_app');
    for (const { DATABASE_URL: url } of connected) {
      expect(userOf(url)).to.equal('tagtrail_app');
      expect(new URL(url ?? '').password).to.match(/^[0-9a-f]{48}$/);
    }
    expect(JSON.stringify(running), 'what the owner signs in with').not.to.include(owners);
  });

  it('go on as the owner with a .env from before there were two logins, and with no other', () => {
    const { DATABASE_USER: _, DATABASE_PASSWORD: __, ...before } = madeByRunbook();
    expect(userOf(environmentsOf(before)['api']?.['DATABASE_URL'])).to.equal(OWNER);
  });

  it('sign in as another in units, of which the one that migrates alone reads the owner’s address', () => {
    const given = parseEnv(readDeployed('systemd/tagtrail.env.example'));
    const owners = parseEnv(readDeployed('systemd/migrate.env.example'));
    expect(Object.keys(owners)).to.deep.equal(['MIGRATE_DATABASE_URL']);
    expect(given).not.to.have.property('MIGRATE_DATABASE_URL');
    expect([userOf(owners['MIGRATE_DATABASE_URL']), userOf(given['DATABASE_URL'])]).to.deep.equal([
      OWNER,
      'tagtrail_app',
    ]);
    const files = deployed(/^systemd\/.+\.service$/);
    expect(files).to.have.length(6);
    expect(
      files.filter((file) => /migrate\.env|MIGRATE_DATABASE_URL/.test(readDeployed(file))),
    ).to.deep.equal(['systemd/tagtrail-migrate.service']);
  });

  it('sign in as another in Kubernetes, where only migrating and the command line get the secret of the owner', () => {
    const [secrets, owners] = parseAllDocuments(readDeployed('kubernetes/secrets.example.yaml')).map(
      (document) => document.toJS() as { metadata: { name: string }; stringData: Record<string, string> },
    );
    expect([secrets?.metadata.name, owners?.metadata.name]).to.deep.equal([
      'tagtrail-secrets',
      'tagtrail-owner',
    ]);
    expect(secrets?.stringData).not.to.have.property('MIGRATE_DATABASE_URL');
    expect(userOf(owners?.stringData['MIGRATE_DATABASE_URL'])).to.equal(OWNER);
    expect(userOf(secrets?.stringData['DATABASE_URL'])).to.equal('tagtrail_app');
    const manifests = deployed(/^kubernetes\/.+\.yaml$/).filter(
      (file) => !file.endsWith('secrets.example.yaml'),
    );
    expect(manifests.filter((file) => readDeployed(file).includes('DATABASE_URL'))).to.have.length(6);
    expect(manifests.filter((file) => readDeployed(file).includes('tagtrail-owner'))).to.deep.equal([
      'kubernetes/command-line.yaml',
      'kubernetes/migrate.yaml',
    ]);
  });
});

function userOf(url: string | undefined): string {
  return new URL(url ?? '').username;
}

/** What the runbook's first commands, as somebody types them, write into `.env`. */
function madeByRunbook(): Record<string, string> {
  const [, commands = ''] = /```sh\n(.*?)docker compose up/s.exec(readDeployed('install.md')) ?? [];
  const folder = mkdtempSync(join(tmpdir(), 'tagtrail-env-'));
  try {
    cpSync(join(DEPLOY, 'env.example'), join(folder, 'env.example'));
    execFileSync('sh', ['-ec', commands], { cwd: folder });
    return parseEnv(readFileSync(join(folder, '.env'), 'utf8')) as Record<string, string>;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** What each service of the Compose file is given, with its variables filled in. */
function environmentsOf(variables: Readonly<Record<string, string>>): Record<string, Record<string, string>> {
  const { services } = readYaml('compose.yaml') as {
    services: Record<string, { environment?: Record<string, string> }>;
  };
  return Object.fromEntries(
    Object.entries(services).map(([name, { environment = {} }]) => [
      name,
      Object.fromEntries(Object.entries(environment).map(([key, text]) => [key, filledIn(text, variables)])),
    ]),
  );
}

/** As Compose does it: `${A}`, `${A:-initial}`, and `${A:?message}`, one within another. */
function filledIn(text: string, variables: Readonly<Record<string, string>>): string {
  const filled = text.replaceAll(/\$\{(\w+)(?::-([^{}]*)|:\?[^{}]*)?\}/g, (_, name: string, initial = '') =>
    variables[name] ? variables[name] : initial,
  );
  return filled === text ? text : filledIn(filled, variables);
}
