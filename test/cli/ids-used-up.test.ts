import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { commandLineOn } from '../support/command-line.ts';
import { useDatabase } from '../support/database.ts';
import { Site } from '../support/site.ts';

const MOST = 2_147_483_647;

describe('a sequence of ids that is used up', () => {
  const database = useDatabase();
  const { tagtrail } = commandLineOn(() => database);
  const folder = mkdtempSync(join(tmpdir(), 'tagtrail-ids-'));
  after(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'assets.csv');
  let org: string;

  before(async () => {
    const site = await Site.create(database);
    org = String(site.orgId);
    await site.asset('PALLET');
    await database.rows(
      `insert into unknown_tags (org_id, tag_type, tag_key, value, ambiguous, count, first_seen, last_seen)
       values ($1, 'rfid', 'FEED', 'FEED', false, 1, now(), now())`,
      [site.orgId],
    );
    writeFileSync(file, 'name\nBox\n');
  });

  const reader = ['--name', 'Dock', '--topic', 'dock', '--format', 'tagtrail'];
  const tag = ['--type', 'rfid', '--value', 'FEED', '--asset', 'PALLET'];
  for (const [table, ...command] of [
    ['readers', 'reader', 'create', ...reader],
    ['handhelds', 'handheld', 'create', '--name', 'Scanner'],
    ['organizations', 'org', 'create', '--name', 'Another'],
    ['location_settings', 'locate', 'set', '--by', 'strength'],
    ['tags', 'unknown-tags', 'attach', ...tag],
    ['assets', 'import', 'assets', '--file', file],
  ] as const) {
    it(`is named with what to do, and nothing is changed: ${command[0]} ${command[1]}`, async () => {
      const count = () => database.rows(`select count(*) from ${table}`);
      const before = await count();
      const of = table === 'organizations' ? [] : ['--org', org];
      await database.rows(`select setval('${table}_id_seq', ${MOST})`);
      const { status, stdout, stderr } = await tagtrail(...command, ...of);
      expect({ status, stdout }).to.deep.equal({ status: 1, stdout: '' });
      expect(stderr).to.match(
        new RegExp(`^No ids are left .*nothing was changed: .*"${table}_id_seq".*new database.*doctor.*\\n$`),
      );
      const { error } = JSON.parse((await tagtrail(...command, ...of, '--json')).stderr);
      expect(error).to.include({ code: 'unavailable' });
      expect(error.message).to.include(`"${table}_id_seq"`);
      expect(await count()).to.deep.equal(before);
      const doctor = await tagtrail('doctor');
      expect(doctor.status).to.equal(1);
      expect(doctor.stdout).to.match(
        new RegExp(`FAULT +ids: None are left for ${table}: .*\\n +-> Find the program`),
      );
      await database.rows(`select setval('${table}_id_seq', 1000)`);
    });
  }
});
