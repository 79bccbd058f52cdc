import { expect } from 'chai';
import { movesBetween } from '../../../services/standalone/demo/live.ts';
import { parseOptions } from '../../../services/standalone/demo/options.ts';
import { linesScreen, redrawnScreen } from '../../../services/standalone/demo/screen.ts';

describe('the screen of the live demo', () => {
  const terminal = (columns: number, rows: number) => {
    const written: string[] = [];
    return { written, columns, rows, write: (text: string) => written.push(text) };
  };

  it('draws over what it drew before, the latest news first', () => {
    const wide = terminal(80, 24);
    const screen = redrawnScreen(wide);
    screen.show(['DOCK-1 2'], []);
    screen.show(['DOCK-1 1'], ['one', 'two']);
    screen.show(['DOCK-1 0'], ['three']);
    expect(wide.written).to.deep.equal([
      '\r\u001b[JDOCK-1 2\n\nLatest moves (UTC)\n',
      '\u001b[3A\r\u001b[JDOCK-1 1\n\nLatest moves (UTC)\ntwo\none\n',
      '\u001b[5A\r\u001b[JDOCK-1 0\n\nLatest moves (UTC)\nthree\ntwo\none\n',
    ]);
  });

  it('never draws more than fits', () => {
    const small = terminal(10, 4);
    redrawnScreen(small).show(['a line that is too long', 'two', 'three', 'four'], ['five']);
    expect(small.written).to.deep.equal(['\r\u001b[Ja line t…\ntwo\nthree\n']);
  });

  it('prints the first state and then only news where nothing can be redrawn', () => {
    const printed: string[] = [];
    const screen = linesScreen((line) => printed.push(line));
    screen.show(['DOCK-1 2'], []);
    screen.show(['DOCK-1 1'], ['one', 'two']);
    expect(printed).to.deep.equal(['DOCK-1 2', '', 'one', 'two']);
  });

  it('shows the moves between two reports, oldest first', () => {
    const row = (asset: string, location: string | null, second: number) => ({
      asset_external_key: asset,
      location_external_key: location,
      asset_last_seen: `2026-05-01T10:00:0${second}.000Z`,
    });
    expect(
      movesBetween(
        [row('A', 'DOCK-1', 0), row('B', 'DOCK-1', 0), row('C', 'DOCK-1', 0)],
        [row('A', 'AISLE-A', 3), row('B', 'DOCK-1', 2), row('C', null, 0), row('D', 'DOCK-2', 1)],
      ),
    ).to.deep.equal([
      { asset: 'D', from: null, to: 'DOCK-2', at: '2026-05-01T10:00:01.000Z' },
      { asset: 'A', from: 'DOCK-1', to: 'AISLE-A', at: '2026-05-01T10:00:03.000Z' },
    ]);
  });
});

describe('the options of the demo', () => {
  it('are --once, --seed and --help', () => {
    expect(parseOptions([])).to.deep.equal({ kind: 'run', isOnce: false, seed: 1 });
    expect(parseOptions(['--once', '--seed', '7'])).to.deep.equal({ kind: 'run', isOnce: true, seed: 7 });
    expect(parseOptions(['--seed=4294967295'])).to.deep.include({ seed: 4_294_967_295 });
    expect(parseOptions(['--once', '--help'])).to.deep.equal({ kind: 'help' });
  });

  it('are refused by name if they are anything else', () => {
    for (const [args, named] of [
      [['--ones'], '--ones'],
      [['once'], 'once'],
      [['--seed'], '--seed'],
      [['--seed', '-1'], '--seed'],
      [['--seed', '1.5'], '1.5'],
      [['--seed', '4294967296'], '4294967296'],
    ] as const) {
      const options = parseOptions(args);
      expect(options).to.include({ kind: 'wrong' });
      expect(options).to.have.property('message').that.includes(named);
    }
  });
});
