import { mkdir, rename, rm } from 'node:fs/promises';

/** Builds into a temporary folder, so that a server of `folder` never sees half of the files. */
export async function replaceFolder(folder: string, build: (folder: string) => Promise<void>): Promise<void> {
  const temporary = `${folder}.${process.pid}`;
  await mkdir(temporary, { recursive: true });
  try {
    await build(temporary);
    await rm(folder, { recursive: true, force: true });
    await rename(temporary, folder);
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}
