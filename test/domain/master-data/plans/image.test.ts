import { expect } from 'chai';
import { lookAtImage } from '../../../../domain/master-data/plans/image/look-at-image.ts';
import { encodePng } from '../../../support/png.ts';

const PNG = encodePng({ width: 3, height: 2, palette: [[255, 255, 255]], pixels: new Uint8Array(6) });

/** As cameras write them: a segment of their own before the frame, and something appended. */
const JPEG = Buffer.from(
  [
    ...['ffd8', 'ffe00010', '4a46494600010100000100010000', 'ffff', 'c0000b08', '0102', '0304', '01011100'],
    ...['ffda0008', '010100003f00', '5a5aff005a', 'ffd9', '000000'],
  ].join(''),
  'hex',
);

function riff(...chunks: Buffer[]): Buffer {
  const content = Buffer.concat([Buffer.from('WEBP'), ...chunks]);
  const head = Buffer.from('RIFF\0\0\0\0', 'latin1');
  head.writeUInt32LE(content.length, 4);
  return Buffer.concat([head, content]);
}

const LOSSY = riff(
  Buffer.from('VP8 \x0c\0\0\0', 'latin1'),
  Buffer.from('0000009d012a0200070000000000', 'hex'),
);
const LOSSLESS = riff(
  Buffer.from('VP8L\x0c\0\0\0', 'latin1'),
  Buffer.from('2f01800100000000000000000000', 'hex'),
);
const EXTENDED = riff(Buffer.from('VP8X\x0a\0\0\0', 'latin1'), Buffer.from('00000000ff0300090000', 'hex'));

describe('an image for a plan', () => {
  const kinds: [string, Buffer, [string, number, number]][] = [
    ['a PNG', PNG, ['image/png', 3, 2]],
    ['a JPEG', JPEG, ['image/jpeg', 0x304, 0x102]],
    ['a WebP with loss', LOSSY, ['image/webp', 2, 7]],
    ['a WebP without loss', LOSSLESS, ['image/webp', 2, 7]],
    ['a WebP of several parts', EXTENDED, ['image/webp', 1_024, 10]],
  ];
  for (const [what, bytes, [mediaType, width, height]] of kinds) {
    it(`is told by its content: ${what}`, () => {
      expect(lookAtImage(bytes)).to.deep.equal({ mediaType, width, height });
    });

    it(`is refused if it is cut off anywhere, and never crashes: ${what}`, () => {
      const end = bytes === JPEG ? bytes.length - 4 : bytes.length;
      for (let length = 0; length < end; length++) {
        expect(() => lookAtImage(bytes.subarray(0, length)), `${length} bytes`).to.throw(/^image /);
      }
    });

    it(`is taken or refused, and never crashes, whatever a byte of it is: ${what}`, () => {
      for (let at = 0; at < bytes.length; at++) {
        for (const value of [0, 1, 0x7f, 0xff]) {
          const other = Buffer.from(bytes);
          other[at] = value;
          try {
            expect(lookAtImage(other).width * lookAtImage(other).height).to.be.within(1, 40_000_000);
          } catch (error) {
            expect(String(error)).to.match(/image (must|is|has) /);
          }
        }
      }
    });
  }

  it('is as wide as it is shown, where a camera was held upright', () => {
    const little = Buffer.from(
      '4578696600004949 2a0008000000 0100 1201030001000000 06000000 00000000'.replaceAll(' ', ''),
      'hex',
    );
    const big = Buffer.from(
      '4578696600004d4d 002a00000008 0001 0112000300000001 00080000 00000000'.replaceAll(' ', ''),
      'hex',
    );
    const straight = Buffer.from(big);
    straight[straight.length - 7] = 3;
    const withExif = (exif: Buffer) => {
      const head = Buffer.from('ffe10000', 'hex');
      head.writeUInt16BE(exif.length + 2, 2);
      return Buffer.concat([JPEG.subarray(0, 2), head, exif, JPEG.subarray(2)]);
    };
    const sizeWith = (exif: Buffer) => {
      const { width, height } = lookAtImage(withExif(exif));
      return [width, height];
    };
    expect(sizeWith(little)).to.deep.equal([0x102, 0x304]);
    expect(sizeWith(big)).to.deep.equal([0x102, 0x304]);
    expect(sizeWith(straight)).to.deep.equal([0x304, 0x102]);
    for (let length = 0; length < big.length; length++) {
      expect(sizeWith(big.subarray(0, length)).toSorted(), `${length} bytes`).to.deep.equal(
        [0x102, 0x304].toSorted(),
      );
    }
  });

  const others: [string, Buffer][] = [
    ['SVG', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>')],
    ['HTML', Buffer.from('<!doctype html><script>alert(1)</script>')],
    ['a GIF', Buffer.from('GIF89a\x01\0\x01\0\x80\0\0', 'latin1')],
    ['a PDF', Buffer.from('%PDF-1.7')],
    ['nothing', Buffer.alloc(0)],
  ];
  for (const [what, bytes] of others) {
    it(`is never ${what}`, () => {
      expect(() => lookAtImage(bytes)).to.throw('image must be a PNG, JPEG or WebP image');
    });
  }

  it('is looked through in a few thousand steps at most, whatever it is made of', () => {
    const chunk = Buffer.concat([Buffer.alloc(4), Buffer.from('tEXt'), Buffer.alloc(4)]);
    const chunks = Buffer.concat([PNG.subarray(0, 33), ...Array(30_000).fill(chunk), PNG.subarray(33)]);
    expect(() => lookAtImage(chunks)).to.throw('image is a PNG in too many pieces');
    const comments = Array(30_000).fill(Buffer.from([0xff, 0xfe, 0, 2]));
    for (const filling of [Buffer.concat(comments), Buffer.alloc(30_000, 0xff)]) {
      const filled = Buffer.concat([JPEG.subarray(0, 2), filling, JPEG.subarray(2)]);
      expect(() => lookAtImage(filled)).to.throw('image is a JPEG in too many pieces');
    }
  });

  it('is refused if a browser would need too much memory for it, however small the file', () => {
    const wide = Buffer.from(PNG);
    for (const [width, height] of [
      [20_000, 1],
      [1, 4_000_000_000],
      [10_000, 10_000],
    ] as const) {
      wide.writeUInt32BE(width, 16);
      wide.writeUInt32BE(height, 20);
      expect(() => lookAtImage(wide)).to.throw(`image is ${width} x ${height} pixels`);
    }
    wide.writeUInt32BE(0, 16);
    expect(() => lookAtImage(wide)).to.throw('image has no pixels');
  });
});
