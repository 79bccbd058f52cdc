import { mkdir, rename, rm } from 'node:fs/promises';

/**
 * Builds into a temporary folder, so that a server of `folder` never sees half of the files. What was there makes room by a
 * rename: while its files were removed one by one, a server that started found no app.
 */
export async function replaceFolder(folder: string, build: (folder: string) => Promise<void>): Promise<void> {
  const temporary = `${folder}.${process.pid}`;
  const former = `${temporary}.former`;
  await mkdir(temporary, { recursive: true });
  try {
    await build(temporary);
    while (!(await putInPlace(temporary, folder, former))) {
      // Another process, which builds the same, was quicker: once more.
    }
  } finally {
    await rm(temporary, { recursive: true, force: true });
    await rm(former, { recursive: true, force: true });
  }
}

async function putInPlace(built: string, folder: string, former: string): Promise<boolean> {
  await rm(former, { recursive: true, force: true });
  await rename(folder, former).catch(unless('ENOENT'));
  return rename(built, folder).then(() => true, unless('ENOTEMPTY', 'EEXIST'));
}

function unless(...expected: string[]): (error: NodeJS.ErrnoException) => false {
  return (error) => {
    if (!expected.includes(error.code ?? '')) {
      throw error;
    }
    return false;
  };
}
