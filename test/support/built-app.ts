import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { buildApp } from '../../clients/handheld-app/build/build-app.ts';
import { APP_FOLDER, SOURCE_FOLDER } from '../../clients/handheld-app/build/folders.ts';

/** Builds the handheld app if a source is newer than what was built, so that tests run what stands there. */
export async function buildAppIfStale(): Promise<void> {
  const built = await changedAt(join(APP_FOLDER, 'worker.js'));
  if (built < (await newestSource())) {
    await buildApp();
  }
}

/** Milliseconds since 1970. */
async function newestSource(): Promise<number> {
  const folders = [SOURCE_FOLDER, join(SOURCE_FOLDER, '../build')];
  const files = await Promise.all(folders.map(filesBelow));
  return Math.max(...(await Promise.all(files.flat().map(changedAt))));
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
