import { ChooseFile } from './choose-file.tsx';
import { OneImport } from './one-import.tsx';

/** `#/import?of=location` to choose a file; `#/import/12` to look at what it would change, and to apply it. */
export function ImportScreen({ rest: [id] }: { rest: readonly string[] }) {
  return id === undefined ? <ChooseFile /> : <OneImport id={id} />;
}
