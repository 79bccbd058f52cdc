import { expect } from 'chai';
import { type Stroke, WedgeDecoder } from '../../../clients/handheld-app/src/scanning/wedge.ts';

describe('telling a scanner that types from a person', () => {
  const newDecoder = (limit = 130) => new WedgeDecoder<string>(() => limit);

  /** Presses keys so many milliseconds apart, and says what each was. */
  function press(keys: readonly string[], apart: number, decoder = newDecoder(), from = 0): Stroke<string>[] {
    return keys.map((key, index) => decoder.press(key, from + index * apart));
  }

  const scans = (strokes: readonly Stroke<string>[]) =>
    strokes.flatMap((stroke) => (stroke.kind === 'scan' ? [stroke.value] : []));

  for (const end of ['Enter', 'Tab']) {
    it(`takes a burst that ends with ${end}, at a cable's speed and at Bluetooth's`, () => {
      expect(scans(press([...'E280', end], 2))).to.deep.equal(['E280']);
      expect(scans(press([...'E280', end], 50))).to.deep.equal(['E280']);
    });
  }

  it('leaves typing alone, however quick two keys are', () => {
    expect(scans(press([...'E280', 'Enter'], 85))).to.deep.equal([]);
    const decoder = newDecoder();
    press(['a', 'b'], 10, decoder);
    expect(decoder.press('Enter', 25).kind).to.equal('typing');
  });

  it('takes of typing followed by a burst the burst only', () => {
    const decoder = newDecoder();
    [...'half a word'].map((key, index) => decoder.press(key, index * 120, 'half a word'.slice(0, index)));
    expect(scans(press([...'12345', 'Enter'], 5, decoder, 3_000))).to.deep.equal(['12345']);
  });

  it('takes a scan right after somebody typed into a field and touched the screen, but not its tail alone', () => {
    const decoder = newDecoder();
    const type = (text: string, apart: number, from: number) =>
      [...text].map((key, index) => decoder.press(key, from + index * apart, text.slice(0, index)));
    type('dock', 110, 0);
    decoder.touch();
    expect(scans(press([...'PAL-3', 'Enter'], 5, decoder, 600))).to.deep.equal(['PAL-3']);
    type('PAL-4711-', 5, 2_000);
    decoder.touch();
    expect(scans(press([...'000815', 'Enter'], 5, decoder, 2_400))).to.deep.equal([]);
  });

  it('leaves Enter to a person who presses it after a burst without an end', () => {
    const decoder = newDecoder();
    press([...'12345'], 5, decoder);
    expect(decoder.press('Enter', 2_000).kind).to.equal('typing');
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
    ['a key with a name', 'F9'],
    ['a dead key', 'Dead'],
  ] as const) {
    it(`takes no part of a burst in which ${what} came, and says so at its end`, () => {
      const strokes = press([...'0104012345', key, ...'21SER77', 'Enter'], 4);
      expect(scans(strokes)).to.deep.equal([]);
      expect(strokes.at(-1)).to.deep.include({
        kind: 'broken',
        broken: { why: 'keys', parts: ['010401234521SER77'] },
      });
    });
  }

  it('takes a GS1 code with its separators if they are typed, as Ctrl+] or F8', () => {
    const value = '010950600013435221ABC10XY';
    const [head, tail] = [value.slice(0, -4), value.slice(-4)];
    expect(scans(press([...value, 'Enter'], 5))).to.deep.equal([value]);
    const code = `${head}\u001d${tail}`;
    expect(scans(press([...head, 'F8', ...tail, 'Enter'], 5))).to.deep.equal([code]);
    expect(scans(press([...']C1', ...head, '\u001d', ...tail, 'Enter'], 5))).to.deep.equal([code]);
    const decoder = newDecoder();
    press([...head, 'Control'], 5, decoder);
    expect(decoder.separator((head.length + 1) * 5).kind).to.equal('burst');
    expect(scans(press([...tail, 'Enter'], 5, decoder, (head.length + 2) * 5))).to.deep.equal([code]);
  });

  it('takes no part of a GS1 code in which the scanner paused at a separator', () => {
    const decoder = newDecoder();
    press([...'0109506000134352', 'F8'], 5, decoder);
    expect(press([...'10PAL-3', 'Enter'], 5, decoder, 400).at(-1)).to.deep.include({
      kind: 'broken',
      broken: { why: 'pause', parts: ['0109506000134352', '10PAL-3'] },
    });
  });

  it('takes no part of a burst in which a key came together with Ctrl', () => {
    const decoder = newDecoder();
    press([...'10LOT77'], 5, decoder);
    decoder.command(35);
    decoder.command(40);
    expect(press([...'PAL-3', 'Enter'], 5, decoder, 45).at(-1)?.kind).to.equal('broken');
    expect(scans(press([...'PAL-3', 'Enter'], 5, decoder, 80))).to.deep.equal(['PAL-3']);
  });

  describe('doubts what comes after characters without an end', () => {
    const HEAD = 'PAL-4711-';

    /** A value whose head and tail are so far apart that they are two bursts. */
    function torn(head: string, apart: number, tail: string, decoder = newDecoder()) {
      press([...head], 5, decoder);
      return press([...tail, 'Enter'], 5, decoder, (head.length - 1) * 5 + apart).at(-1);
    }

    for (const apart of [1_600, 4_000, 9_900]) {
      it(`and takes no tail for a tag that comes ${apart} ms later, be the head a single character`, () => {
        for (const head of [HEAD, HEAD.slice(0, 2), 'P']) {
          expect(torn(head, apart, '000815')).to.deep.include({
            kind: 'broken',
            broken: { why: 'pause', parts: [head, '000815'] },
          });
        }
      });
    }

    it('but takes the same label scanned again, and whatever is scanned after that or ten seconds later', () => {
      expect(torn(HEAD, 3_000, `${HEAD}000815`)).to.deep.include({ value: `${HEAD}000815` });
      expect(torn(HEAD, 10_100, '000815')).to.deep.include({ value: '000815' });
      const decoder = newDecoder();
      torn(HEAD, 3_000, '000815', decoder);
      expect(scans(press([...'PAL-3', 'Enter'], 5, decoder, 5_000))).to.deep.equal(['PAL-3']);
    });

    it('and doubts it for a scan with keys in it that had no end, too', () => {
      const decoder = newDecoder();
      press([...'10LOT77', 'F9', ...'21'], 5, decoder);
      expect(press([...'PAL-3', 'Enter'], 5, decoder, 2_000).at(-1)?.kind).to.equal('broken');
    });
  });

  it('takes no part of a scan with what nobody can read in it, wherever that is', () => {
    for (const at of [0, 4, 8]) {
      const decoder = newDecoder();
      const head = press([...'PAL-4711'].slice(0, at), 5, decoder);
      decoder.unknown(at * 5);
      decoder.unknown(at * 5 + 2);
      expect(head).to.have.length(at);
      const tail = press([...'PAL-4711'.slice(at), 'Enter'], 5, decoder, (at + 1) * 5);
      const parts = [`${'PAL-4711'.slice(0, at)}…${'PAL-4711'.slice(at)}`];
      expect(tail.at(-1)).to.deep.include({ kind: 'broken', broken: { why: 'keys', parts } });
    }
  });

  it('takes nothing that begins as the page begins to hear, and what comes later', () => {
    const decoder = new WedgeDecoder<string>(() => 130, 1_000);
    expect(press([...'000815', 'Enter'], 5, decoder, 990).at(-1)).to.deep.include({
      kind: 'broken',
      broken: { why: 'interrupted', parts: ['000815'] },
    });
    expect(scans(press([...'000815', 'Enter'], 5, decoder, 1_300))).to.deep.equal(['000815']);
  });

  it('tells a scanner that types slowly that it does, where there is no field, and leaves a field alone', () => {
    const typed = press([...'PAL-4711', 'Enter'], 200);
    expect(typed.at(-1)).to.deep.include({ broken: { why: 'slow', parts: ['PAL-4711'] } });
    const decoder = newDecoder();
    [...'PAL-4711'].map((key, index) => decoder.press(key, index * 200, 'PAL-4711'.slice(0, index)));
    expect(decoder.press('Enter', 1_600)).to.deep.equal({ kind: 'typing' });
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
    const decoder = newDecoder();
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

  describe('hears a pause in a scan', () => {
    const VALUE = 'PAL-4711-000815';

    /** Types the value five milliseconds a character, but for a pause in front of one, or of the end. */
    function withPause(decoder: WedgeDecoder<string>, pause: number, at: number): Stroke<string> | undefined {
      const keys = [...VALUE, 'Enter'];
      return keys.map((key, index) => decoder.press(key, index * 5 + (index < at ? 0 : pause))).at(-1);
    }

    for (const [scanner, limit, pause] of [
      ['a scanner that never paused before', 75, 80],
      ['a scanner that is not known', 130, 140],
      ['a scanner that pauses', 250, 260],
      ['any scanner, for long', 250, 1_400],
    ] as const) {
      it(`of ${scanner}, and takes neither part for a tag wherever it is`, () => {
        for (let at = 1; at <= VALUE.length; at++) {
          const stroke = withPause(newDecoder(limit), pause, at);
          expect(stroke, `${at}`).to.have.property('kind', 'broken');
          const parts = at === VALUE.length ? [VALUE] : [VALUE.slice(0, at), VALUE.slice(at)];
          expect(stroke).to.deep.include({ broken: { why: 'pause', parts } });
        }
      });
    }

    it('and takes the whole where the scanner is known to pause so long', () => {
      for (const [limit, pause] of [
        [75, 70],
        [130, 120],
        [250, 240],
      ] as const) {
        for (let at = 1; at <= VALUE.length; at++) {
          expect(withPause(newDecoder(limit), pause, at), `${at}`).to.deep.include({
            kind: 'scan',
            value: VALUE,
          });
        }
      }
    });

    it('and learns from it, for a pause that a scanner makes', () => {
      expect(withPause(newDecoder(75), 200, 7)).to.deep.include({ kind: 'broken', slowest: 205 });
      expect(withPause(newDecoder(75), 600, 7)).to.deep.include({ kind: 'broken', slowest: null });
    });
  });

  it('says of a scan without an end that it has none, after a while, unless it stands in a field', () => {
    const decoder = newDecoder();
    press([...'12345'], 5, decoder);
    expect(decoder.quiet(1_000).kind).to.equal('typing');
    expect(decoder.quiet(1_600)).to.deep.include({
      kind: 'broken',
      broken: { why: 'unended', parts: ['12345'] },
    });
    [...'12345'].map((key, index) => decoder.press(key, 5_000 + index, '1234'.slice(0, index)));
    expect(decoder.quiet(9_000).kind).to.equal('typing');
  });

  it('takes no tail for a tag after the page lost the keys, or while it had just got them', () => {
    const decoder = newDecoder();
    press([...'PAL-47'], 5, decoder);
    expect(decoder.interrupt(30)).to.deep.include({
      kind: 'broken',
      broken: { why: 'interrupted', parts: ['PAL-47'] },
    });
    decoder.interrupt(100);
    const tail = press([...'000815', 'Enter'], 5, decoder, 120);
    expect(tail.at(-1)).to.deep.include({
      kind: 'broken',
      broken: { why: 'interrupted', parts: ['000815'] },
    });
    expect(scans(press([...'PAL-3', 'Enter'], 5, decoder, 600))).to.deep.equal(['PAL-3']);
  });

  it('breaks a scan that a person had just typed in front of, and says what to undo: the scan alone', () => {
    const decoder = newDecoder();
    const typed = ['', 'a', 'ab'].map((before, index) =>
      decoder.press('abc'.charAt(index), index * 110, before),
    );
    expect(typed.map(({ kind }) => kind)).not.to.include('broken');
    const strokes = [...'PAL-3'].map((key, index) =>
      decoder.press(key, 500 + index * 5, `abc${'PAL-3'.slice(0, index)}`),
    );
    expect(strokes).to.have.length(5);
    expect(decoder.press('Enter', 525)).to.deep.include({
      kind: 'broken',
      undo: ['', 'P', 'PA', 'PAL', 'PAL-'].map((scanned) => `abc${scanned}`),
    });
  });
});
