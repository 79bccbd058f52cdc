import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';

export const PROJECT = fileURLToPath(new URL('../..', import.meta.url));
export const DEPLOY = `${PROJECT}deploy`;

/** @param path from `deploy`. */
export function readDeployed(path: string): string {
  return readFileSync(`${DEPLOY}/${path}`, 'utf8');
}

/** Pages for operators, in the order in which they are read. */
export const RUNBOOK = ['README.md', 'install.md', 'operate.md', 'grow.md'];

/** As container engines read it, with merge keys. */
export function readYaml(path: string) {
  return parse(readDeployed(path), { merge: true });
}

/** Files below `deploy` whose path matches, as paths from there. */
export function deployed(pattern: RegExp): string[] {
  return readdirSync(DEPLOY, { recursive: true, encoding: 'utf8' })
    .filter((path) => pattern.test(path))
    .sort();
}
