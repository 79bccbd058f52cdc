import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import type { Metafile } from 'esbuild';
import { APP_FOLDER, buildApp } from '../../../clients/console-app/build/build-app.ts';

const FIRST_SCREEN_BYTES = 150 * 1_024;
const FIRST_SCREEN_FILES = 8;

describe('the console’s JavaScript', () => {
  let outputs: Metafile['outputs'];
  before(async () => {
    ({ outputs } = await buildApp());
  });

  it('is at most 150 KiB compressed in a few files for the first screen, whichever that is', () => {
    const entry = named(({ entryPoint }) => entryPoint?.endsWith('src/main.tsx') === true);
    const screens = named(({ entryPoint }) => /src\/screens\/.*-screen\.tsx$/.test(entryPoint ?? ''));
    expect(entry).to.have.length(1);
    expect(screens).not.to.have.length(0);
    const tooLarge = screens
      .map((screen) => ({ screen, files: closure([...entry, screen]) }))
      .map(({ screen, files }) => ({ screen, files: files.length, bytes: sizeOf(files) }))
      .filter(({ files, bytes }) => files > FIRST_SCREEN_FILES || bytes > FIRST_SCREEN_BYTES);
    expect(tooLarge).to.deep.equal([]);
  });

  it('has each screen, and every language but the first, in files that are loaded when needed', () => {
    const entry = named(({ entryPoint }) => entryPoint?.endsWith('src/main.tsx') === true);
    const sources = closure(entry).flatMap((file) => Object.keys(outputs[file]?.inputs ?? {}));
    const first = sources
      .filter((file) => /src\/(screens|texts)\//.test(file))
      .map((file) => file.split('src/')[1]);
    expect(first.sort()).to.deep.equal([
      'screens/index.ts',
      'screens/link/link-screen.tsx',
      'screens/sign-in/sign-in-screen.tsx',
      'texts/en.ts',
      'texts/texts.ts',
    ]);
  });

  function named(is: (output: Metafile['outputs'][string]) => boolean): string[] {
    return Object.entries(outputs).flatMap(([file, output]) =>
      file.endsWith('.js') && is(output) ? [file] : [],
    );
  }

  /** What is loaded with `files`: what they import, and that in turn, but for what is imported when needed. */
  function closure(files: readonly string[]): string[] {
    const seen = new Set(files);
    for (const file of seen) {
      for (const { path, kind } of outputs[file]?.imports ?? []) {
        if (kind === 'import-statement') {
          seen.add(path);
        }
      }
    }
    return [...seen];
  }

  function sizeOf(files: readonly string[]): number {
    const sizes = files.map((file) =>
      gzipSync(readFileSync(join(APP_FOLDER, 'assets', file.split('/assets/')[1] ?? ''))),
    );
    return sizes.reduce((sum, { length }) => sum + length, 0);
  }
});
