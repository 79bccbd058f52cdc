import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { commandLineOn } from '../support/command-line.ts';

/** A payload as devices send it, and what `format try` must say of it. */
interface PayloadCase {
  id: string;
  name: string;
  format: string;
  topic: string;
  identity?: string;
  payload?: string;
  payload_base64?: string;
  why: string;
  expect: {
    scans?: object[];
    rejected?: number;
    rejected_whole?: true;
    nothing_rejected?: true;
    or_near_miss?: true;
  };
}

const CASES: PayloadCase[] = JSON.parse(
  readFileSync(new URL('../fixtures/payloads/cases.json', import.meta.url), 'utf8'),
);

describe('format try, of what devices really send', () => {
  const { json } = commandLineOn(() => ({ url: 'postgres://nobody@127.0.0.1:1/none' }));
  let folder: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'tagtrail-payloads-'));
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  for (const { id, name, format, topic, identity, why, expect: expected, ...given } of CASES) {
    it(`${id} ${name}: ${why}`, async () => {
      const file = join(folder, id);
      writeFileSync(
        file,
        given.payload_base64 === undefined
          ? (given.payload ?? '')
          : Buffer.from(given.payload_base64, 'base64'),
      );
      const run = await json(
        ...['format', 'try', '--format', format, '--topic', topic, '--file', file],
        ...(identity === undefined ? [] : ['--identity', identity]),
      );
      const { scans, rejected, rejected_whole: isWhole } = expected;
      if (expected.or_near_miss !== true || (run.near_misses ?? 0) === 0) {
        expect(run.scans).to.have.length(scans?.length ?? run.scans.length);
        for (const [index, scan] of (scans ?? []).entries()) {
          expect(run.scans[index]).to.deep.include(asShown(scan));
        }
      }
      if (rejected !== undefined || expected.nothing_rejected === true) {
        expect(run.rejected).to.have.length(rejected ?? 0);
      }
      if (isWhole === true) {
        expect(run).to.deep.include({ outcome: 'rejected', scans: [] });
        expect(run.rejected).to.have.length(1);
      }
    });
  }
});

/** Times are shown to the microsecond. */
function asShown({ observed_at: at, ...scan }: { observed_at?: string | null }) {
  return at === undefined ? scan : { ...scan, observed_at: at === null ? null : at.replace('Z', '000Z') };
}
