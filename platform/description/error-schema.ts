import type { JsonSchema } from '../../base/checks/fields.ts';
import { ISSUE_CODES } from '../../base/checks/issues.ts';
import type { ProblemType } from '../http/problem.ts';

const FIELD_ERROR: JsonSchema = {
  title: 'FieldError',
  description: 'What is wrong with one field of the body or one parameter.',
  type: 'object',
  properties: {
    field: {
      type: 'string',
      description: 'The key in the body, or the name of the parameter; inside an array `tags[0].value`.',
    },
    code: {
      type: 'string',
      'x-extensible-enum': ISSUE_CODES,
      description: 'Why it was refused. More codes may come: tolerate those you do not know.',
    },
    message: { type: 'string', minLength: 1, description: 'For people; the wording may change.' },
    params: {
      type: 'object',
      additionalProperties: true,
      description: 'The bound that was crossed, such as `max_length`, or the `allowed_values`.',
    },
  },
  required: ['field', 'code', 'message'],
};

/** Contract 7.1, with today's types. */
export function errorSchema(types: readonly ProblemType[]): JsonSchema {
  return {
    title: 'Error',
    description: 'The body of every answer that is not a success.',
    type: 'object',
    properties: {
      error: {
        title: 'ErrorDetails',
        description: 'What went wrong.',
        type: 'object',
        properties: {
          type: {
            type: 'string',
            'x-extensible-enum': types,
            description: 'Branch on this. More types may come: treat those you do not know by their status.',
          },
          title: { type: 'string', description: 'The same for every error of the type.' },
          status: { type: 'integer', minimum: 400, maximum: 599, description: 'The status of the answer.' },
          detail: { type: 'string', minLength: 1, description: 'For people; the wording may change.' },
          instance: { type: 'string', description: 'The path that was asked for.' },
          request_id: { type: 'string', description: 'The same as the header `X-Request-ID`.' },
          fields: {
            type: 'array',
            minItems: 1,
            items: FIELD_ERROR,
            description: 'Everything that is wrong; on a `validation_error` only.',
          },
          params: {
            type: 'object',
            additionalProperties: true,
            description:
              'Figures that `detail` names, for programs: `oldest` and `head` of a `feed_expired`.',
          },
        },
        required: ['type', 'title', 'status', 'detail', 'instance', 'request_id'],
      },
    },
    required: ['error'],
  };
}
