import { documents, OF_READERS } from '../command-blocks.ts';
import { typeCommandsOf } from './type-commands.ts';

describe('the commands about readers that the documents show', () => {
  typeCommandsOf(documents().filter((file) => file.startsWith(OF_READERS)));
});
