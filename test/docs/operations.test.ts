import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { API_ROUTES } from '../../services/api/routes.ts';
import { ROOT } from './command-blocks.ts';

describe('the contract of the API', () => {
  it('has every operation that is public', () => {
    const contract = readFileSync(join(ROOT, 'docs/contract.md'), 'utf8');
    const operations = API_ROUTES.filter(({ isInternal }) => !isInternal).map(
      ({ method, path }) => `\`${method} ${path.replace('/api/v1', '')}\``,
    );
    expect(operations.length).to.be.above(15);
    expect(operations.filter((operation) => !contract.includes(operation))).to.deep.equal([]);
  });
});
