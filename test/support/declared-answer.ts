import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { expect } from 'chai';
import { API_ROUTES } from '../../services/api/routes.ts';
import type { JsonSchema } from '../../services/shared/http/fields.ts';
import { ISSUE_CODES } from '../../services/shared/http/issues.ts';
import { PROBLEMS, type ProblemType } from '../../services/shared/http/problem.ts';

export interface Answer {
  status: number;
  headers: Headers;
  text: string;
  body: AnswerBody | null;
}

/** What is in the body of an answer; which of it is there depends on the answer. */
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

/**
 * Expects what every answer promises: a request id, the declared schema for a success, and for an error the envelope
 * of interface section 7.1 with a type that the route declares.
 */
export function expectDeclared(method: string, target: string, answer: Answer): void {
  const path = target.split('?', 1)[0] ?? '';
  const route = API_ROUTES.find(
    (candidate) =>
      candidate.method === (method === 'HEAD' ? 'GET' : method) && templateOf(candidate.path).test(path),
  );
  expect(answer.headers.get('x-request-id')).to.be.a('string');
  if (method === 'HEAD') {
    expect(answer.text).to.equal('');
    return;
  }
  if (answer.status >= 400) {
    expectEnvelope(path, answer);
    const type = answer.body?.error?.type;
    const everywhere = type === 'not_found' || type === 'method_not_allowed';
    if (route !== undefined && type !== undefined) {
      expect([...route.problems.keys()], `${route.operationId} declares ${type}`).to.include(type);
    } else {
      expect(everywhere, `${method} ${path} has no route and answers ${type}`).to.equal(true);
    }
  } else if (route !== undefined) {
    expect(answer.status).to.equal(route.success.status);
    if (route.success.schema === null) {
      expect(answer.text).to.equal('');
    } else {
      expectSchema(route.success.schema, answer.body, route.operationId);
    }
    for (const header of Object.keys(route.success.headers)) {
      expect(answer.headers.get(header), header).to.be.a('string');
    }
  }
}

function expectEnvelope(path: string, answer: Answer): void {
  const { error } = answer.body ?? {};
  expect(answer.headers.get('content-type')).to.equal('application/json');
  expectSchema(ENVELOPE, answer.body, 'error envelope');
  expect(error?.status).to.equal(answer.status);
  expect(error?.instance).to.equal(path);
  expect(error?.request_id).to.equal(answer.headers.get('x-request-id'));
  expect(error?.title).to.equal(PROBLEMS[error?.type ?? 'internal_error'].title);
  expect(error?.fields !== undefined).to.equal(error?.type === 'validation_error');
}

const ENVELOPE: JsonSchema = {
  type: 'object',
  properties: {
    error: {
      type: 'object',
      properties: {
        type: { enum: Object.keys(PROBLEMS) },
        title: { type: 'string' },
        status: { type: 'integer' },
        detail: { type: 'string', minLength: 1 },
        instance: { type: 'string' },
        request_id: { type: 'string' },
        fields: {
          type: 'array',
          minItems: 1,
          items: {
            type: 'object',
            properties: {
              field: { type: 'string' },
              code: { enum: ISSUE_CODES },
              message: { type: 'string', minLength: 1 },
              params: { type: 'object' },
            },
            required: ['field', 'code', 'message'],
            additionalProperties: false,
          },
        },
      },
      required: ['type', 'title', 'status', 'detail', 'instance', 'request_id'],
      additionalProperties: false,
    },
  },
  required: ['error'],
  additionalProperties: false,
};

const ajv = new Ajv2020({ allErrors: true, strict: false });
formats.default(ajv);

function expectSchema(schema: JsonSchema, value: unknown, name: string): void {
  const validate = ajv.compile(schema);
  expect(validate(value), `${name}: ${ajv.errorsText(validate.errors)}`).to.equal(true);
}

function templateOf(path: string): RegExp {
  return new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}$`);
}
