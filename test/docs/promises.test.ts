import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { describeApi } from '../../services/api/description/document.ts';
import { API_RESOURCES } from '../../services/api/routes.ts';
import { documents, ROOT } from './command-blocks.ts';

const LIMITS = { perMinute: 60, burst: 120 };

describe('what documents promise', () => {
  it('is no order in which new rows or moves come, which is that of commits', () => {
    const description = JSON.stringify(describeApi(API_RESOURCES, { publicUrl: null, limits: LIMITS }));
    const texts = documents().map((document) => [document, readFileSync(ROOT + document, 'utf8')] as const);
    for (const [of, text] of [...texts, ['the description', description] as const]) {
      const words = text.replaceAll(/(?:\s|\\n)+/g, ' ');
      expect(words, of).not.to.match(
        /new ones come at the end|so that pages never overlap|stop at what you know/,
      );
    }
  });
});
