import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { APP_FOLDER, SOURCE_FOLDER } from './folders.ts';

/**
 * Sees to it that the app is built, which `npm install` does: but scripts may be switched off, and sources may have
 * changed since.
 *
 * @param onFault is told if it has to be built and cannot be, because the bundler is not installed, say, or nothing
 * can be written here: then what is there is served.
 * @returns the folder to serve.
 */
export async function readyApp(onFault: (error: unknown) => void): Promise<string> {
  const built = await changedAt(join(APP_FOLDER, 'worker.js'));
  if (built === null || built < (await newestSource())) {
    try {
      const { buildApp } = await import('./build-app.ts');
      await buildApp();
    } catch (error) {
      onFault(error);
    }
  }
  return APP_FOLDER;
}

/** Milliseconds since 1970, or 0 where the app came without its sources. */
async function newestSource(): Promise<number> {
  const folders = [SOURCE_FOLDER, import.meta.dirname];
  const files = await Promise.all(folders.map(filesBelow));
  const times = await Promise.all(files.flat().map(changedAt));
  return Math.max(0, ...times.map((time) => time ?? 0));
}

async function filesBelow(folder: string): Promise<string[]> {
  const names = await readdir(folder, { recursive: true }).catch(() => []);
  return names.map((name) => join(folder, name));
}

async function changedAt(path: string): Promise<number | null> {
  return stat(path).then(
    ({ mtimeMs }) => mtimeMs,
    () => null,
  );
}
