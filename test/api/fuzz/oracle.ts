import { expect } from 'chai';
import { type AnswerBody, expectDeclared } from '../../support/declared-answer.ts';
import type { RawAnswer } from './raw-connection.ts';
import { type FuzzRequest, HEAD_LIMIT, headSize } from './request.ts';

/**
 * Expects of an answer what holds for every request whatsoever: it is not this service's failure, it is one that the
 * route declares, its body is of the declared schema or the error envelope, and it says which request it answers.
 */
export function expectAnswered(request: FuzzRequest, answer: RawAnswer): void {
  const { status, text } = answer;
  expect(status, text).not.to.equal(500);
  const body = text === '' ? null : (JSON.parse(text) as AnswerBody);
  if (!isParsable(request) || UNPARSED.has(body?.error?.detail ?? '')) {
    expectUnparsed(request, answer, body);
    return;
  }
  expectDeclared(request.method, pathOf(request, body), { ...answer, body });
  const own = request.headers.filter(
    ([name, value]) => name.toLowerCase() === 'x-request-id' && value !== '',
  );
  if (own.length === 1) {
    expect(answer.headers.get('x-request-id')).to.include(own[0]?.[1]);
  }
}

/** What is answered before there is a request, or a target, to look at. */
const UNPARSED = new Set([
  'Request is not valid HTTP',
  'Request target and headers are too long',
  'Request target is not valid',
]);

/** A target that is no path and query has the path that the router takes it for. */
function pathOf({ target }: FuzzRequest, body: AnswerBody | null): string {
  return /^\/[^#]*$/.test(target) ? target : (body?.error?.instance ?? '');
}

/**
 * Whether Node.js hands a request on: its target is a path or a URL without bytes beyond ASCII, and what precedes the
 * body is bounded, by a count of Node.js's own that no request is generated close to.
 */
export function isParsable(request: FuzzRequest): boolean {
  return /^(?:\/|\*|http:\/\/)[!-~]*$/.test(request.target) && headSize(request) < HEAD_LIMIT;
}

function expectUnparsed({ target }: FuzzRequest, answer: RawAnswer, body: AnswerBody | null): void {
  expect(answer.status).to.equal(400);
  expect(answer.headers.get('content-type')).to.equal('application/json');
  expect(body?.error).to.include({ type: 'bad_request', title: 'Bad request', status: 400 });
  expect(body?.error?.instance).to.match(/^\/[!-~]*$/);
  if (/^\/[!-~]*$/.test(target)) {
    expect(['/', target.split(/[?#]/)[0]]).to.include(body?.error?.instance);
  }
  expect(body?.error?.detail).to.be.a('string').that.is.not.empty;
  expect(body?.error?.request_id).to.be.a('string').that.equals(answer.headers.get('x-request-id'));
}

export function isRejected({ status }: RawAnswer): boolean {
  return status >= 400;
}
