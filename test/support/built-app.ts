import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import * as ofConsole from '../../clients/console-app/build/build-app.ts';
import { APP_FOLDER, buildApp, SOURCE_FOLDER } from '../../clients/handheld-app/build/build-app.ts';

/** Builds the handheld app if a source is newer than what was built, so that tests run what stands there. */
export async function buildAppIfStale(): Promise<void> {
  if (await isStale(join(APP_FOLDER, 'worker.js'), SOURCE_FOLDER)) {
    await buildApp();
  }
}

/** Likewise the console. */
export async function buildConsoleIfStale(): Promise<void> {
  if (await isStale(join(ofConsole.APP_FOLDER, 'index.html'), ofConsole.SOURCE_FOLDER)) {
    await ofConsole.buildApp();
  }
}

async function isStale(built: string, sources: string): Promise<boolean> {
  const folders = ['', '../build', '../../ui'].map((folder) => join(sources, folder));
  const files = await Promise.all(folders.map(filesBelow));
  const newest = Math.max(...(await Promise.all(files.flat().map(changedAt))));
  return (await changedAt(built)) < newest;
}

async function filesBelow(folder: string): Promise<string[]> {
  return (await readdir(folder, { recursive: true })).map((name) => join(folder, name));
}

/** Milliseconds since 1970; 0 if it is not there. */
async function changedAt(path: string): Promise<number> {
  return stat(path).then(
    ({ mtimeMs }) => mtimeMs,
    () => 0,
  );
}
