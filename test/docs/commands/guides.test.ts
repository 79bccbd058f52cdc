import { expect } from 'chai';
import { documents, OF_GUIDES } from '../command-blocks.ts';
import { typeCommandsOf } from './type-commands.ts';

describe('the commands that the guides show', () => {
  const said = typeCommandsOf(documents().filter((file) => file.startsWith(OF_GUIDES)));

  it('tell where things were, on whichever day they are typed', () => {
    expect(said.get('docs/guides/sites.md')).to.match(
      /"asset_external_key":"CHILLED-2",[^}]*"location_external_key":"COLD-DOCK"/,
    );
    expect(said.get('docs/guides/sites.md')).to.match(/"asset_external_key":"PUMP-1",[^}]*"count":1\b/);
  });
});
