import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { expect } from 'chai';
import type { OpenApiDocument, Operation, Response } from '../../platform/description/openapi.ts';
import { PROBLEMS, type ProblemType } from '../../platform/http/problem.ts';

export interface Answer {
  status: number;
  headers: Headers;
  text: string;
  body: AnswerBody | null;
}

export interface AnswerBody {
  // biome-ignore lint/suspicious/noExplicitAny: tests look at what the declared schema has already been checked for
  data: any;
  limit?: number;
  offset?: number;
  total_count?: number;
  descendant_count_affected?: number;
  error?: {
    type: ProblemType;
    title: string;
    status: number;
    detail: string;
    instance: string;
    request_id: string;
    fields?: { field: string; code: string; message: string; params?: Record<string, unknown> }[];
  };
}

/** Checks an answer; see {@link declaredBy}. */
export type ExpectDeclared = (method: string, target: string, answer: Answer, sent?: unknown) => void;

/**
 * Expects what a description promises of an answer: its status, its headers and its body; and of a body that was
 * accepted, that it is one the description allows. A description lets answers have further fields, as clients must;
 * what is published and what is answered are of the same version here, so that none is allowed.
 *
 * @param below where its paths are; answers to other paths are not checked.
 * @returns a function of the method, the target, the answer, and the JSON that was sent.
 */
export function declaredBy(published: OpenApiDocument, below: string): ExpectDeclared {
  const document = closed(published);
  const ajv = new Ajv2020({ allErrors: true, strict: false, validateFormats: true });
  formats.default(ajv);
  ajv.addSchema(document, 'api');
  const description: Description = { document, ajv, below };
  return (method, target, answer, sent) => expectDeclared(description, { method, target, sent }, answer);
}

interface Description {
  document: OpenApiDocument;
  ajv: Ajv2020;
  below: string;
}

interface Sent {
  method: string;
  target: string;
  sent: unknown;
}

function expectDeclared(description: Description, { method, target, sent }: Sent, answer: Answer): void {
  const path = target.split('?', 1)[0] ?? '';
  expect(answer.headers.get('x-request-id')).to.be.a('string');
  if (!path.startsWith(description.below)) {
    // Health and metrics are no part of it.
    return;
  }
  const found = operationAt(description, method === 'HEAD' ? 'GET' : method, path);
  const declared = found === null ? nowhere(description, answer) : responseOf(description, found, answer);
  expectHeaders(description, declared.response, answer);
  if (method === 'HEAD') {
    expect(answer.text).to.equal('');
    return;
  }
  if (declared.response.content === undefined) {
    expect(answer.text).to.equal('');
  } else {
    expect(answer.headers.get('content-type')).to.equal('application/json');
    expectSchema(description, `${declared.pointer}/content/application~1json/schema`, answer.body);
  }
  if (answer.status >= 400) {
    expectEnvelope(path, answer);
    expect(declared.response['x-error-types'], declared.pointer).to.include(answer.body?.error?.type);
  } else if (found !== null && sent !== undefined) {
    const [type = ''] = Object.keys(found.operation.requestBody?.content ?? {});
    expectSchema(description, `${found.pointer}/requestBody/content/${escaped(type)}/schema`, sent);
  }
}

interface Found {
  operation: Operation;
  pointer: string;
}

interface Declared {
  response: Response;
  pointer: string;
}

/** Of the paths that fit, the most literal one is meant, as the router has it. */
function operationAt({ document }: Description, method: string, path: string): Found | null {
  const [template] = Object.keys(document.paths)
    .filter((candidate) => new RegExp(`^${candidate.replace(/\{\w+\}/g, '[^/]+')}$`).test(path))
    .sort((a, b) => placeholdersOf(a) - placeholdersOf(b));
  const verb = method.toLowerCase() as 'get';
  const operation = template === undefined ? undefined : document.paths[template]?.[verb];
  return operation === undefined || template === undefined
    ? null
    : { operation, pointer: `/paths/${escaped(template)}/${verb}` };
}

function placeholdersOf(path: string): number {
  return path.match(/\{/g)?.length ?? 0;
}

function responseOf(
  description: Description,
  { operation, pointer }: Found,
  { status, text }: Answer,
): Declared {
  const response = operation.responses[status];
  if (response === undefined) {
    throw new Error(`${operation.operationId} does not declare ${status}: ${text}`);
  }
  return '$ref' in response
    ? shared(description, response.$ref.split('/').at(-1) ?? '')
    : { response, pointer: `${pointer}/responses/${status}` };
}

function shared({ document }: Description, name: string): Declared {
  const response = document.components.responses[name];
  if (response === undefined) {
    throw new Error(`there is no response called ${name}`);
  }
  return { response, pointer: `/components/responses/${name}` };
}

/** What is answered where there is no operation, or where it is not clear which one is meant. */
function nowhere(description: Description, { status, text }: Answer): Declared {
  expect(status, text).to.be.oneOf([400, 404, 405]);
  const { response, pointer } = shared(description, 'MethodNotAllowed');
  if (status === 405) {
    return { response, pointer };
  }
  const { Allow: _, ...headers } = response.headers;
  return {
    response: { ...response, headers, 'x-error-types': [status === 404 ? 'not_found' : 'bad_request'] },
    pointer,
  };
}

function expectHeaders({ document, ajv }: Description, { headers }: Response, answer: Answer): void {
  for (const [name, header] of Object.entries(headers)) {
    const declared = '$ref' in header ? document.components.headers[name] : header;
    const schema = declared?.schema;
    const value = answer.headers.get(name);
    if (value === null && declared?.required === false) {
      continue;
    }
    expect(value, `${name} of ${answer.status}`).to.be.a('string');
    const validate = ajv.compile(schema ?? false);
    const typed = schema?.['type'] === 'integer' ? Number(value) : value;
    expect(validate(typed), `${name}: ${value}`).to.equal(true);
  }
}

function expectEnvelope(path: string, answer: Answer): void {
  const { error } = answer.body ?? {};
  expect(error?.status).to.equal(answer.status);
  expect(error?.instance).to.equal(path);
  expect(error?.request_id).to.equal(answer.headers.get('x-request-id'));
  expect(error?.title).to.equal(PROBLEMS[error?.type ?? 'internal_error'].title);
  expect(error?.fields !== undefined).to.equal(error?.type === 'validation_error');
}

function expectSchema({ ajv }: Description, pointer: string, value: unknown): void {
  const validate = ajv.getSchema(`api#${pointer}`);
  if (validate === undefined) {
    throw new Error(`there is no schema at ${pointer}`);
  }
  expect(validate(value), `${pointer}: ${ajv.errorsText(validate.errors)}`).to.equal(true);
}

/** As part of a JSON pointer in a URI fragment. */
function escaped(key: string): string {
  return encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1'));
}

/** The same with no object open to fields that are not listed. */
function closed<T>(value: T): T {
  if (Array.isArray(value)) {
    return value.map(closed) as T;
  }
  if (typeof value !== 'object' || value === null) {
    return value;
  }
  const copy = Object.fromEntries(Object.entries(value).map(([key, inside]) => [key, closed(inside)]));
  return (
    'properties' in copy && copy['type'] === 'object' ? { additionalProperties: false, ...copy } : copy
  ) as T;
}
