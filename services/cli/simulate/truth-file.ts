import { readFile, rm, writeFile } from 'node:fs/promises';
import { AppError, messageOf } from '../../../base/errors.ts';
import type { TruthDocument } from '../../../simulation/truth/document.ts';
import { FileFault } from '../files/file-fault.ts';

export interface TruthFile {
  write(truth: TruthDocument): Promise<void>;
  discard(): Promise<void>;
}

/**
 * Opens the file before the work, which would otherwise be in vain. @throws AppError `invalid_input` if it
 * cannot be written.
 */
export async function openTruthFile(path: string): Promise<TruthFile> {
  const isNew = await readFile(path).then(
    () => false,
    () => true,
  );
  try {
    await writeFile(path, '', { flag: 'a' });
  } catch (error) {
    throw new AppError('invalid_input', `--truth cannot be written: ${messageOf(error)}`);
  }
  return {
    write: (truth) => writeFile(path, `${JSON.stringify(truth, null, 1)}\n`),
    discard: async () => {
      if (isNew) {
        await rm(path, { force: true });
      }
    },
  };
}

/** @throws FileFault unless written by a simulation. */
export async function readTruthFile(path: string): Promise<TruthDocument> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    throw new AppError('invalid_input', `--check cannot be read: ${messageOf(error)}`);
  }
  try {
    const truth = JSON.parse(text) as Partial<TruthDocument>;
    if (truth.version === 1 && Array.isArray(truth.assets) && Array.isArray(truth.readers)) {
      return truth as TruthDocument;
    }
  } catch {
    // Reported below.
  }
  throw new FileFault(`${path} is not the truth of a simulation, or of another version`);
}
