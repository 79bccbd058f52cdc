import { globSync, readFileSync } from 'node:fs';
import { expect } from 'chai';
import { serverWords } from '../../../clients/console-app/src/parts/server-words.ts';
import { de } from '../../../clients/console-app/src/texts/de.ts';

/** Where sentences are that people meet in the console, how each of them begins, and what they are put behind. */
const SENTENCES: readonly { files: string; begin: RegExp; behind?: string }[] = [
  {
    files: 'domain/master-data/{imports/[!i]*,imports/import-rows,tags/*}.ts',
    begin:
      /(?:invalidValue\([^,()]+,\s|CsvFault\([^,()]+,\s|#fault\(\s*|unknownField\(\w+,\s|TAGS =\s|(?:NOT|IS)_\w+ =\s+|message = |UNCLOSED = )/g,
  },
  { files: 'domain/formats/mapping/{run,acceptance}.ts', begin: /(?:return |reason: |scope, index, )/g },
  { files: 'domain/formats/mapping/decoding/{json,lines,cbor,msgpack,protobuf}.ts', begin: /fault: /g },
  { files: 'domain/{messages/{judge,replay},tracking/observed-at}.ts', begin: /(?:reason: |return )/g },
  {
    files:
      // Not of moves to another cell, which have no words for administrators.
      'domain/health/[!c]*.ts',
    begin: /(?:ok|warning|fault|tell)\(\s*'[^']+',\s*/g,
  },
  { files: 'domain/{master-data/plans/change-plan,alerts/rules/change-rule}.ts', begin: /conflict\(\s*/g },
  { files: 'domain/health/readers.ts', begin: /=> \[\s*/g, behind: 'dock ' },
  { files: 'domain/health/readers.ts', begin: /NO_FORMAT\s+\? |`\s+: (?=`)/g },
];

describe('what the server says', () => {
  const inGerman = (sentence: string) => serverWords(sentence, de);

  it('is said in German where people meet it', () => {
    const left = SENTENCES.flatMap(({ files, begin, behind = '' }) =>
      globSync(files).flatMap((file) =>
        sentencesIn(readFileSync(file, 'utf8'), begin).flatMap((said) =>
          inGerman(behind + said) === null ? `${file}: ${said}` : [],
        ),
      ),
    );
    expect(left).to.deep.equal([]);
  });

  it('is about something that has a name, wherever it is examined', () => {
    const checks = globSync('domain/health/*.ts').flatMap((file) =>
      [...readFileSync(file, 'utf8').matchAll(/(?:(?:ok|warning|fault|tell)\(\s*|CHECK = )'([^']+)'/g)].map(
        ([, check = '']) => check,
      ),
    );
    expect(checks).to.include.members(['readers', 'ids', 'sessions at the broker']);
    expect(Object.keys(de.health.checks)).to.include.members(checks);
  });

  it('keeps the parts that differ, and says sentences within it too', () => {
    expect(inGerman('tags has the tag rfid:E1, which line 3 has too')).to.equal(
      'Etiketten: hat das Etikett rfid:E1, das auch Zeile 3 hat',
    );
    expect(inGerman("This machine's clock is 2.5 s behind the database's")).to.equal(
      'Die Uhr dieses Rechners weicht um 2,5 s von der der Datenbank ab',
    );
    expect(inGerman('PostgreSQL 17.10')).to.equal('PostgreSQL 17.10');
    expect(inGerman('3 in a week, 2 of them on topics that no reader has')).to.equal(
      '3 in einer Woche, davon 2 an Topics, die kein Leser hat',
    );
    expect(inGerman('dock (reader 7) has no format yet: all its messages will be rejected')).to.equal(
      'dock (Leser 7) hat noch kein Format: Alle seine Nachrichten werden abgelehnt',
    );
    expect(inGerman('file is empty; its first line must name the columns')).to.equal(
      'Datei: ist leer; die erste Zeile muss die Spalten nennen',
    );
    expect(
      inGerman(
        'Organization 4 (Acme): HALL is set to be decided by position and lacks a scale on its plan, so strength decides',
      ),
    ).to.equal(
      'Bei HALL soll die Position entscheiden, doch dafür fehlt ein Maßstab auf dem Plan: Es entscheidet die Stärke',
    );
    expect(inGerman('Cannot be heard: dock (reader 7) since 10:00, gate (reader 8) since 11:00')).to.equal(
      'Nicht zu hören: dock (Leser 7) seit 10:00, gate (Leser 8) seit 11:00',
    );
    expect(inGerman('Never heard from: dock (reader 7), gate (reader 8)')).to.equal(
      'Nie gehört: dock (Leser 7), gate (Leser 8)',
    );
    expect(inGerman('something quite new')).to.equal(null);
    expect(inGerman(`payload is not JSON: ${'x'.repeat(3_000)}`)).to.equal(null);
  });
});

/** Texts of three words and more; whatever is put into them is `7`. Commands for a shell are the same in every language. */
function sentencesIn(source: string, begin: RegExp): string[] {
  return [...source.matchAll(begin)].flatMap(({ 0: found, index }) => {
    const at = index + found.length;
    const quote = source[at] ?? '';
    const text = quote === "'" || quote === '`' ? textAt(source, at + 1, quote) : '';
    return /^\S.*\w+ \w+ \w+.*\S$/.test(text) ? [text] : [];
  });
}

function textAt(source: string, start: number, quote: string): string {
  let text = '';
  for (let at = start; source[at] !== quote && at < source.length; at++) {
    if (source[at] === '\\') {
      at += 1;
      text += source[at];
    } else if (quote === '`' && source.startsWith('${', at)) {
      at = endOfPart(source, at + 2);
      text += '7';
    } else {
      text += source[at];
    }
  }
  return text;
}

/** Where the brace is that ends it. */
function endOfPart(source: string, start: number): number {
  for (let at = start, depth = 1; at < source.length; at++) {
    depth += source[at] === '{' ? 1 : source[at] === '}' ? -1 : 0;
    if (depth === 0) {
      return at;
    }
  }
  return source.length;
}
