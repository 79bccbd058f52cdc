import { readdirSync, readFileSync } from 'node:fs';
import type { DryRun } from '../../services/mqtt-ingest/dry-run.ts';
import type { Policies } from '../../services/mqtt-ingest/mapping/run.ts';

/** A payload of a device's shape, and what is to become of it. test/fixtures/formats/README.md explains the files. */
export interface Fixture {
  name: string;
  about: string;
  topic: string;
  payload: Buffer;
  policies: Partial<Policies>;
  expected: DryRun;
}

const FOLDER = new URL('../fixtures/formats/', import.meta.url);

/** The fixtures of each format, by its name. */
export function loadFixtures(): Map<string, Fixture[]> {
  const folders = readdirSync(FOLDER, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return new Map(folders.map(({ name }) => [name, fixturesIn(new URL(`${name}/`, FOLDER))]));
}

function fixturesIn(folder: URL): Fixture[] {
  return readdirSync(folder).map((file) => {
    const { payload, text, hex, policies, ...rest } = JSON.parse(readFileSync(new URL(file, folder), 'utf8'));
    const content =
      hex === undefined ? Buffer.from(text ?? JSON.stringify(payload)) : Buffer.from(hex, 'hex');
    return { name: file, ...rest, payload: content, policies: policies ?? {} };
  });
}
