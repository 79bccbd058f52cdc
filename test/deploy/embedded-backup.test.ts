import { rmSync } from 'node:fs';
import { expect } from 'chai';
import { copyFolder, jsonOn, onEmbedded, useDataFolders } from '../support/embedded-folder.ts';
import { expectedRows, fillDatabase } from '../support/filled-database.ts';

describe('a backup of the embedded database', () => {
  const folders = useDataFolders();

  it('is a copy of its folder, made while it is stopped, and works elsewhere with all that it held', async () => {
    const first = folders.path('first');
    await onEmbedded(first, fillDatabase);
    const before = await jsonOn(first, 'database', 'checksums');
    for (const [table, rows] of Object.entries(expectedRows(before))) {
      expect(rows, table).to.be.above(0);
    }
    const second = folders.path('second');
    copyFolder(first, second);
    rmSync(first, { recursive: true });
    expect(await jsonOn(second, 'database', 'checksums')).to.deep.equal(before);
    await jsonOn(second, 'org', 'create', '--name', 'Another');
    expect(await jsonOn(second, 'org', 'list')).to.have.lengthOf(2);
  });
});
