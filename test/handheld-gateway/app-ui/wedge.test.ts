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

  for (const [what, key] of [
    ['a key with a name', 'F8'],
    ['a dead key', 'Dead'],
  ] as const) {
    it(`takes no part of a burst in which ${what} came, and says so at its end`, () => {
      const strokes = press([...'0104012345', key, ...'21SER77', 'Enter'], 4);
      expect(scans(strokes)).to.deep.equal([]);
      expect(strokes.at(-1)).to.deep.equal({ kind: 'broken' });
    });
  }

  it('takes no part of a burst in which a key came together with Ctrl', () => {
    const decoder = new WedgeDecoder();
    press([...'10LOT77'], 5, decoder);
    decoder.command(35);
    decoder.command(40);
    expect(press([...'PAL-3', 'Enter'], 5, decoder, 45).at(-1)).to.deep.equal({ kind: 'broken' });
    expect(scans(press([...'PAL-3', 'Enter'], 5, decoder, 80))).to.deep.equal(['PAL-3']);
  });

  it('takes the burst after a broken one that had no end', () => {
    const decoder = new WedgeDecoder();
    press([...'10LOT77', 'F8', ...'21'], 5, decoder);
    expect(scans(press([...'PAL-3', 'Enter'], 5, decoder, 1_000))).to.deep.equal(['PAL-3']);
  });

  it('takes a burst that a key with a name went before', () => {
    expect(scans(press(['F8', ...'PAL-3', 'Enter'], 5))).to.deep.equal(['PAL-3']);
  });

  it('leaves a person who corrects a character alone, however quick', () => {
    expect(press(['a', 'Backspace', 'Enter'], 20).at(-1)).to.deep.equal({ kind: 'typing' });
  });

  for (const ends of [
    ['Enter', 'Enter'],
    ['Tab', 'Enter'],
    ['Enter', 'Enter', 'Tab'],
  ]) {
    it(`takes ${ends.join(', ')} for one end`, () => {
      const strokes = press([...'PAL-2', ...ends, ...'PAL-3', ...ends], 5);
      expect(scans(strokes)).to.deep.equal(['PAL-2', 'PAL-3']);
      expect(strokes.at(-1)).to.deep.equal({ kind: 'end' });
    });
  }

  it('leaves Enter to a person who presses it after a scan', () => {
    const decoder = new WedgeDecoder();
    press([...'PAL-2', 'Enter'], 5, decoder);
    expect(decoder.press('Enter', 200).kind).to.equal('typing');
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
