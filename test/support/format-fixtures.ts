import { readdirSync, readFileSync } from 'node:fs';
import type { DryRun } from '../../domain/formats/dry-run.ts';
import type { Policies } from '../../domain/formats/mapping/run.ts';

/** A payload of a device's shape, and what is to become of it. test/fixtures/README.md explains the files. */
export interface Fixture {
  name: string;
  about: string;
  topic: string;
  payload: Buffer;
  policies: Partial<Policies>;
  expected: DryRun;
}

/** The fixtures of each format, by its name: of the built-in ones, or of such as users write. */
export function loadFixtures(folder: 'formats' | 'own-formats' = 'formats'): Map<string, Fixture[]> {
  const url = new URL(`../fixtures/${folder}/`, import.meta.url);
  return new Map(readdirSync(url).map((name) => [name, fixturesIn(new URL(`${name}/`, url))]));
}

function fixturesIn(folder: URL): Fixture[] {
  return readdirSync(folder).map((file) => {
    const { payload, text, hex, policies, ...rest } = JSON.parse(readFileSync(new URL(file, folder), 'utf8'));
    const content =
      hex === undefined ? Buffer.from(text ?? JSON.stringify(payload)) : Buffer.from(hex, 'hex');
    return { name: file, ...rest, payload: content, policies: policies ?? {} };
  });
}
