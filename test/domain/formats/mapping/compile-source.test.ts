import { expect } from 'chai';
import { loadBuiltinFormats } from '../../../../domain/formats/mapping/builtin.ts';
import { compileSource } from '../../../../domain/formats/mapping/compile-source.ts';
import { FormatError } from '../../../../domain/formats/mapping/format.ts';

describe('a stored format', () => {
  const definition = loadBuiltinFormats().get('tagtrail')?.definition;
  const source = (description: string) => JSON.stringify({ ...definition, description });

  it('is compiled once, and anew when it was changed', () => {
    const format = compileSource(source('one'));
    expect(format).to.include({ name: 'tagtrail', description: 'one' });
    expect(compileSource(source('one'))).to.equal(format);
    expect(compileSource(source('two'))).to.include({ description: 'two' });
    expect(compileSource(source('one'))).to.equal(format);
  });

  it('that cannot be used says so each time', () => {
    for (let count = 0; count < 2; count++) {
      expect(() => compileSource('{"name":"x"}')).to.throw(FormatError);
      expect(() => compileSource('{')).to.throw(SyntaxError);
    }
  });

  it('is forgotten for others that were used since', () => {
    const long = (count: number) => source(`${count} ${'x'.repeat(900)}`);
    const [first, kept] = [compileSource(long(-1)), compileSource(long(-2))];
    for (let count = 0; count < 1_200; count++) {
      compileSource(long(count));
      compileSource(long(-2));
    }
    expect(compileSource(long(-2))).to.equal(kept);
    expect(compileSource(long(-1))).not.to.equal(first);
  });
});
