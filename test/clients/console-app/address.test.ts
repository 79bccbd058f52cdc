import { expect } from 'chai';
import fc from 'fast-check';
import {
  href,
  parseAddress,
  queryText,
  withOrganization,
  withValues,
} from '../../../clients/console-app/src/router/address.ts';

describe('the addresses of the console', () => {
  it('give back what was put into them, whatever is in it', () => {
    const part = fc.string({ unit: 'grapheme', minLength: 1 });
    fc.assert(
      fc.property(fc.array(part, { minLength: 1 }), part, part, (path, name, value) => {
        const address = parseAddress(href(...path, { [name]: value }));
        expect(address.path).to.deep.equal(path);
        expect([...address.query]).to.deep.equal([[name, value]]);
      }),
    );
  });

  it('leave out what is not chosen, and keep what is chosen several times', () => {
    expect(href('assets', { q: '', page: null, open: undefined, all: false })).to.equal('#/assets');
    expect(href('assets', { location_id: [4, 5] })).to.equal('#/assets?location_id=4&location_id=5');
    const changed = withValues(new URLSearchParams('q=pallet&page=3'), { page: null, sort: '-name' });
    expect(queryText(changed)).to.equal('?q=pallet&sort=-name');
  });

  it('say of which organization they are, beside the query and not in it', () => {
    const there = withOrganization('#/assets/17?q=a&org=3', 4);
    expect(there).to.equal('#/assets/17?q=a&org=4');
    expect(parseAddress(there)).to.deep.include({ path: ['assets', '17'], organization: 4 });
    expect([...parseAddress(there).query]).to.deep.equal([['q', 'a']]);
    expect(withOrganization('', 4)).to.equal('#/?org=4');
    for (const hash of ['#/assets', '#/assets?org=', '#/assets?org=x', '#/assets?org=-1']) {
      expect(parseAddress(hash), hash).to.deep.include({ path: ['assets'], organization: null });
      expect(parseAddress(hash).query.size).to.equal(0);
    }
  });

  it('may be typed by hand', () => {
    expect(parseAddress('').path).to.deep.equal([]);
    expect(parseAddress('#assets/').path).to.deep.equal(['assets']);
    expect(parseAddress('#/assets/100%?q=a?b')).to.deep.include({ path: ['assets', '100%'] });
    expect(parseAddress('#/assets?q=a?b').query.get('q')).to.equal('a?b');
  });
});
