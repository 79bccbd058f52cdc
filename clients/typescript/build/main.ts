import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import openapiTypes, { astToString } from 'openapi-typescript';
import { factory } from 'typescript';
import { describePublicApi } from '../../../services/api/description/document.ts';
import { API_RESOURCES } from '../../../services/api/routes.ts';
import { replaceFolder } from '../../ui/build/replace-folder.ts';

/**
 * Generates the types in `src/paths.ts`, and makes JavaScript of everything, in `dist`; each in the place of an earlier
 * one when it is complete, so that who uses that is not disturbed.
 */
const folder = fileURLToPath(new URL('..', import.meta.url));
await writePaths(join(folder, 'src/paths.ts'), process.argv[2]);
const typescript = createRequire(import.meta.url).resolve('typescript/package.json');
await replaceFolder(join(folder, 'dist'), async (made) => {
  // CommonJS, which `import` and `require` load alike, so that there is one class of errors to be an instance of.
  const commonJs =
    '--module commonjs --moduleResolution node10 --esModuleInterop --verbatimModuleSyntax false'.split(' ');
  const command = [join(dirname(typescript), 'bin/tsc'), '--project', folder, '--outDir', made, ...commonJs];
  execFileSync(process.execPath, command, { stdio: 'inherit' });
  writeFileSync(join(made, 'package.json'), '{ "type": "commonjs" }\n');
  // The library's types for `require` are not valid: those for `import` serve both.
  for (const file of readdirSync(made).filter((name) => name.endsWith('.d.ts'))) {
    const types = readFileSync(join(made, file), 'utf8');
    const attribute = "$& with { 'resolution-mode': 'import' }";
    writeFileSync(join(made, file), types.replace(/^import type .* from 'openapi-fetch'/m, attribute));
  }
});

/**
 * Writes the types of every operation to `file`.
 *
 * @param description where it is, a file or an address such as `https://tagtrail.example.com/api/openapi.json`; without
 *   it the types are those of the API in this repository.
 */
async function writePaths(file: string, description?: string): Promise<void> {
  const types = await openapiTypes(description === undefined ? ownDescription() : urlOf(description), {
    transform: ({ 'x-extensible-enum': known, type }: OpenSchema) =>
      known && factory.createTypeReferenceNode(openType(known, [type].flat().includes('null'))),
  });
  const unfinished = `${file}.${process.pid}`;
  writeFileSync(unfinished, astToString(types));
  renameSync(unfinished, file);
}

interface OpenSchema {
  'x-extensible-enum'?: readonly string[];
  type?: string | string[];
}

/** An editor offers the known values, and a program that compiles copes with others. */
function openType(known: readonly string[], isNullable: boolean): string {
  const members = [...known.map((value) => JSON.stringify(value)), '(string & {})'];
  return `(${[...members, ...(isNullable ? ['null'] : [])].join(' | ')})`;
}

function ownDescription(): string {
  return JSON.stringify(
    describePublicApi(API_RESOURCES, { publicUrl: null, limits: { perMinute: 60, burst: 120 } }),
  );
}

function urlOf(description: string): URL {
  return URL.canParse(description) ? new URL(description) : pathToFileURL(resolve(description));
}
