import { expect } from 'chai';
import { type Stroke, WedgeDecoder } from '../../../services/handheld-gateway/app-ui/src/scanning/wedge.ts';

describe('telling a scanner that types from a person', () => {
  /** Presses keys so many milliseconds apart, and says what each was. */
  function press(keys: readonly string[], apart: number, decoder = new WedgeDecoder(), from = 0): Stroke[] {
    return keys.map((key, index) => decoder.press(key, from + index * apart));
  }

  const scans = (strokes: readonly Stroke[]) =>
    strokes.flatMap((stroke) => (stroke.kind === 'scan' ? [stroke.value] : []));

  for (const end of ['Enter', 'Tab']) {
    it(`takes a burst that ends with ${end}, at a cable's speed and at Bluetooth's`, () => {
      expect(scans(press([...'E280', end], 2))).to.deep.equal(['E280']);
      expect(scans(press([...'E280', end], 50))).to.deep.equal(['E280']);
    });
  }

  it('leaves typing alone, however quick two keys are', () => {
    expect(scans(press([...'E280', 'Enter'], 85))).to.deep.equal([]);
    const decoder = new WedgeDecoder();
    press(['a', 'b'], 10, decoder);
    expect(decoder.press('Enter', 25).kind).to.equal('typing');
  });

  it('takes of typing followed by a burst the burst only', () => {
    const decoder = new WedgeDecoder();
    press([...'half a word'], 120, decoder);
    expect(scans(press([...'12345', 'Enter'], 5, decoder, 3_000))).to.deep.equal(['12345']);
  });

  it('leaves Enter to a person who presses it after a burst without an end', () => {
    const decoder = new WedgeDecoder();
    press([...'12345'], 5, decoder);
    expect(decoder.press('Enter', 1_000).kind).to.equal('typing');
  });

  it('takes bursts that follow each other at once', () => {
    const keys = ['ABC-1', 'ABC-2', 'ABC-3'].flatMap((value) => [...value, 'Enter']);
    expect(scans(press(keys, 3))).to.deep.equal(['ABC-1', 'ABC-2', 'ABC-3']);
  });

  it('hears capitals: scanners press Shift for them', () => {
    expect(scans(press(['Shift', 'A', 'Shift', 'B', 'c', 'Enter'], 4))).to.deep.equal(['ABc']);
  });

  it('forgets a burst in which a key with a name came', () => {
    expect(scans(press([...'123', 'ArrowLeft', ...'45', 'Enter'], 4))).to.deep.equal([]);
  });

  it('takes characters beyond the first plane whole', () => {
    expect(scans(press(['📦', '1', '2', 'Enter'], 4))).to.deep.equal(['📦12']);
  });

  it('does not take what is longer than a tag can be, and stays bounded', () => {
    const endless = Array<string>(100_000).fill('x');
    expect(scans(press([...endless, 'Enter'], 1))).to.deep.equal([]);
    expect(scans(press([...Array<string>(255).fill('x'), 'Enter'], 1))).to.have.length(1);
  });
});
