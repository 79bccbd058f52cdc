import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Metafile } from 'esbuild';

/**
 * The licences of the packages that a bundle has code of, which want to go with every copy of it.
 *
 * @throws Error if a package has no licence among its files.
 */
export async function licensesOf({ outputs }: Metafile): Promise<string> {
  const files = Object.values(outputs).flatMap(({ inputs }) => Object.keys(inputs));
  const folders = new Set(files.flatMap((file) => PACKAGE_FOLDER.exec(file)?.[0] ?? []));
  const licenses = await Promise.all([...folders].sort().map(licenseOf));
  return licenses.join(`\n${'-'.repeat(80)}\n\n`);
}

const PACKAGE_FOLDER = /^.*node_modules\/(?:@[^/]+\/)?[^/]+/;

async function licenseOf(folder: string): Promise<string> {
  const { name, version, license } = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
  const file = (await readdir(folder)).find((each) => /^([a-z]+-)?licen[cs]e/i.test(each));
  if (file === undefined) {
    throw new Error(`${name} has no licence among its files`);
  }
  return `${name} ${version} (${license})\n\n${(await readFile(join(folder, file), 'utf8')).trim()}\n`;
}
