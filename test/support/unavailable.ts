import { expect } from 'chai';
import type { Answer } from './declared-answer.ts';

/** Expects what is answered while the database cannot be reached. */
export function expectUnavailable({ status, headers, body, text }: Answer): void {
  expect(status, text).to.equal(503);
  expect(headers.get('retry-after')).to.equal('5');
  expect(body?.error).to.include({
    type: 'unavailable',
    title: 'Unavailable',
    status: 503,
    detail: 'The database cannot be reached right now; nothing was changed',
    request_id: headers.get('x-request-id'),
  });
}
