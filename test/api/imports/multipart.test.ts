import { expect } from 'chai';
import fc from 'fast-check';
import { readForm } from '../../../services/api/imports/multipart.ts';
import { boundaryOf } from '../../../services/api/imports/routes.ts';

describe('reading a form', () => {
  const form = (...lines: string[]) => Buffer.from(lines.join('\r\n'));
  const part = (content: string, disposition = 'form-data; name="file"') =>
    form('--b', `Content-Disposition: ${disposition}`, '', content, '--b--');

  it('gives the fields and their content, however it arrives', async () => {
    const content = fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes));
    // Content made of pieces of the boundary is the hardest to tell from one.
    const tricky = fc
      .array(fc.constantFrom('\r', '\n', '\r\n', '-', '--', 'b', '\r\n--', '\r\n-b', 'x'), { maxLength: 40 })
      .map((pieces) => Buffer.from(pieces.join('').replaceAll('\r\n--b', '')));
    const fields = fc.array(fc.tuple(fc.constantFrom('file', 'a b', 'ü'), fc.oneof(content, tricky)), {
      maxLength: 4,
    });
    await fc.assert(
      fc.asyncProperty(fields, fc.integer({ min: 1, max: 50 }), async (given, size) => {
        fc.pre(
          given.every(
            ([, bytes]) => !bytes.includes('\r\n--b') && !bytes.toString('latin1').startsWith('--b'),
          ),
        );
        const bytes = Buffer.concat([
          ...given.flatMap(([name, value]) => [
            form('--b', `Content-Disposition: form-data; name="${name}"`, '', ''),
            value,
            Buffer.from('\r\n'),
          ]),
          Buffer.from('--b--\r\nafterwards'),
        ]);
        expect(await fieldsOf(bytes, size)).to.deep.equal(
          given.map(([name, value]) => ({ name, content: value })),
        );
      }),
      { numRuns: 300 },
    );
  });

  it('holds no more than a chunk of the content', async () => {
    let sent = 0;
    const chunks = async function* () {
      yield form('--b', 'Content-Disposition: form-data; name="file"', '', '');
      for (; sent < 50; sent++) {
        yield Buffer.alloc(65_536, 'x');
      }
      yield form('', '--b--');
    };
    let received = 0;
    for await (const event of readForm(chunks(), 'b')) {
      if (event.kind === 'content') {
        received += event.bytes.length;
        expect(sent * 65_536 - received).to.be.below(65_536);
      }
    }
    expect(received).to.equal(50 * 65_536);
  });

  it('asks for no more once it is left', async () => {
    let isReleased = false;
    const chunks = async function* () {
      try {
        yield part('a');
        yield Buffer.from('more');
      } finally {
        isReleased = true;
      }
    };
    for await (const _ of readForm(chunks(), 'b')) {
      break;
    }
    expect(isReleased).to.equal(true);
  });

  for (const [what, disposition, name] of [
    ['a bare word', 'form-data; name=file', 'file'],
    ['another order and case', 'FORM-DATA; filename="a;name=b.csv"; NAME="file"', 'file'],
    ['an escaped quotation mark', 'form-data; name="a\\"b"', 'a"b'],
    ["a browser's quotation mark", 'form-data; name="a%22b"', 'a"b'],
    ['an empty text', 'form-data; name=""', ''],
  ] as const) {
    it(`takes ${what} for a name`, async () => {
      expect((await fieldsOf(part('x', disposition))).map((field) => field.name)).to.deep.equal([name]);
    });
  }

  it('takes blanks after a boundary, and text before the first', async () => {
    const lines = [
      'before',
      '--b \t',
      'Content-Disposition: form-data; name=file',
      'Content-Type: text/csv',
      '',
      'a',
      '--b--',
    ];
    expect(await fieldsOf(form(...lines))).to.deep.equal([{ name: 'file', content: Buffer.from('a') }]);
  });

  for (const [what, bytes] of [
    ['nothing', Buffer.alloc(0)],
    ['no boundary', Buffer.from('name\nBox')],
    ['another boundary', form('--c', 'Content-Disposition: form-data; name=file', '', 'a', '--c--')],
    ['a longer boundary', form('--bb', 'Content-Disposition: form-data; name=file', '', 'a', '--bb--')],
    ['no last boundary', form('--b', 'Content-Disposition: form-data; name=file', '', 'a', '--b', '')],
    ['half a last boundary', part('a').subarray(0, -1)],
    ['a header without an end', form('--b', 'Content-Disposition: form-data; name=file')],
    ['a part without a header', form('--b', '', 'a', '--b--')],
    ['a header that is none', form('--b', 'name', '', 'a', '--b--')],
    [
      'a malformed header after the name',
      form('--b', 'Content-Disposition: form-data; name=file', 'nonsense', '', 'a', '--b--'),
    ],
    [
      'an endless header after the name',
      form('--b', 'Content-Disposition: form-data; name=file', `X: ${'x'.repeat(8_192)}`, '', 'a', '--b--'),
    ],
    [
      'text behind a boundary',
      form(
        '--b',
        'Content-Disposition: form-data; name=file',
        '',
        'a',
        '--bX: y',
        'Content-Disposition: form-data; name=b',
        '',
        'b',
        '--b--',
      ),
    ],
    ['a field without a name', part('a', 'form-data; filename="a.csv"')],
    ['an attachment', part('a', 'attachment; name="file"')],
    [
      'a name that is not UTF-8',
      Buffer.concat([
        form('--b', 'Content-Disposition: form-data; name="'),
        Buffer.from([0xff]),
        form('"', '', 'a', '--b--'),
      ]),
    ],
    ['an endless header', form('--b', `X: ${'x'.repeat(8_192)}`, '', 'a', '--b--')],
    [
      'an endless list of headers',
      form('--b', ...Array.from({ length: 2_000 }, () => 'X: xxx'), '', 'a', '--b--'),
    ],
    [
      'more than 100 parts',
      form(
        ...Array.from({ length: 101 }, () => '--b\r\nContent-Disposition: form-data; name=a\r\n\r\n'),
        '--b--',
      ),
    ],
  ] as const) {
    it(`refuses ${what}`, async () => {
      for (const size of [1, 7, 10_000]) {
        const error = await fieldsOf(bytes, size).catch((e: unknown) => e);
        expect(error).to.have.property('type', 'bad_request');
      }
    });
  }

  it('finds the boundary in a header', () => {
    for (const [header, boundary] of [
      ['multipart/form-data; boundary=abc', 'abc'],
      ['multipart/form-data;charset=utf-8;BOUNDARY="a b:c"', 'a b:c'],
      [`multipart/form-data; boundary=${'a'.repeat(70)}`, 'a'.repeat(70)],
    ] as const) {
      expect(boundaryOf(header)).to.equal(boundary);
    }
    for (const header of [
      '',
      '; boundary=',
      '; boundary=""',
      '; boundary="a "',
      '; boundary=ä',
      `; boundary=${'a'.repeat(71)}`,
    ]) {
      expect(() => boundaryOf(`multipart/form-data${header}`))
        .to.throw()
        .with.property('type', 'bad_request');
    }
  });
});

async function fieldsOf(bytes: Buffer, size = 10_000): Promise<{ name: string; content: Buffer }[]> {
  const chunks = async function* () {
    for (let at = 0; at < bytes.length; at += size) {
      yield bytes.subarray(at, at + size);
    }
  };
  const fields: { name: string; content: Buffer }[] = [];
  for await (const event of readForm(chunks(), 'b')) {
    const last = fields.at(-1);
    if (event.kind === 'part') {
      fields.push({ name: event.name, content: Buffer.alloc(0) });
    } else if (last !== undefined) {
      last.content = Buffer.concat([last.content, event.bytes]);
    }
  }
  return fields;
}
