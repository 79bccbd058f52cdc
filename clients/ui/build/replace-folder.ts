import { mkdir, rename, rm } from 'node:fs/promises';

/** Builds into a temporary folder, so that a server of `folder` never sees half of the files. */
export async function replaceFolder(folder: string, build: (folder: string) => Promise<void>): Promise<void> {
  const temporary = `${folder}.${process.pid}`;
  await mkdir(temporary, { recursive: true });
  try {
    await build(temporary);
    while (!(await putInPlace(temporary, folder))) {
      // Another process, which builds the same, was quicker: once more.
    }
  } finally {
    await rm(temporary, { recursive: true, force: true });
  }
}

async function putInPlace(built: string, folder: string): Promise<boolean> {
  await rm(folder, { recursive: true, force: true });
  try {
    await rename(built, folder);
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ENOTEMPTY' && code !== 'EEXIST') {
      throw error;
    }
    return false;
  }
}
