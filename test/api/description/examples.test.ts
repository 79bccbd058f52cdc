import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect } from 'chai';
import type { Operation } from '../../../platform/description/openapi.ts';
import { describePublicApi } from '../../../services/api/description/document.ts';
import { API_RESOURCES } from '../../../services/api/routes.ts';
import { useApi } from '../../support/api.ts';
import { useProgram } from '../../support/programs.ts';

describe('the examples of the description', () => {
  const api = useApi();
  const { paths } = describePublicApi(API_RESOURCES, {
    publicUrl: null,
    limits: { perMinute: 60, burst: 120 },
  });

  /** The examples' own ids in the order in which their things are made here, and the real ones. */
  const ids = new Map<number, number>();

  const plays = (method: 'post' | 'patch' | 'delete', path: string) => {
    it(`come true: ${method.toUpperCase()} ${path}`, async () => {
      const operation = paths[path]?.[method];
      if (operation === undefined) {
        throw new Error(`there is no ${method} ${path}`);
      }
      const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => {
        const example = operation.parameters?.find((parameter) => parameter.name === name)?.example;
        return String(ids.get(Number(example)) ?? example);
      });
      const answer = await api.call({ method: method.toUpperCase(), path: filled, json: sentBy(operation) });
      const expected = answerOf(operation);
      expect(String(answer.status), answer.text).to.equal(expected.status);
      if (expected.example !== undefined) {
        ids.set(expected.example.data['id'] as number, answer.body?.data.id);
        expect(comparable(answer.body?.data)).to.deep.equal(comparable(expected.example.data));
      }
    });
  };

  before(async () => {
    const root = { name: 'Warehouse', external_key: 'WAREHOUSE' };
    const { body } = await api.call({ method: 'POST', path: '/api/v1/locations', json: root });
    ids.set(1, body?.data.id);
  });

  // Each example starts from the thing as it was created.
  for (const [things, id] of [
    ['/api/v1/locations', '{location_id}'],
    ['/api/v1/assets', '{asset_id}'],
  ] as const) {
    plays('post', things);
    plays('patch', `${things}/${id}`);
    plays('delete', `${things}/${id}`);
    plays('post', things);
    plays('post', `${things}/${id}/rename`);
    plays('delete', `${things}/${id}`);
  }
  plays('post', '/api/v1/locations');
  plays('post', '/api/v1/locations/{location_id}/tags');
  plays('delete', '/api/v1/locations/{location_id}/tags/{tag_id}');

  describe('for curl', () => {
    useProgram('curl');

    it('are requests that the API takes, each as it is printed', async () => {
      const printed = Object.values(paths)
        .flatMap((item) => Object.values(item))
        .flatMap((operation) => operation['x-codeSamples'].map(({ source }) => source));
      const script = printed.map((command) => `${command} -s -w '\\n%{http_code}${END}'`).join('\n');
      const { stdout } = await promisify(execFile)('bash', ['-c', script], {
        env: { PATH: process.env['PATH'], BASE_URL: api.url, API_KEY: api.key },
      });
      const answers = stdout.split(END).slice(0, -1);
      const refused = printed
        .map((command, index) => `${answers[index]} ${command}`)
        // Its row may not be there, or its key be taken, by now.
        .filter((answer) => !/\n(2\d\d|404|409) /.test(answer) || answer.includes('Unknown API route'));
      expect(answers).to.have.lengthOf(printed.length);
      expect(refused).to.deep.equal([]);
    });
  });

  function sentBy({ requestBody }: Operation): unknown {
    const [media] = Object.values(requestBody?.content ?? {});
    return media?.example;
  }

  function answerOf({ responses }: Operation) {
    const [[status, response] = ['', undefined]] = Object.entries(responses);
    const content = response !== undefined && 'content' in response ? response.content : undefined;
    const example = content?.['application/json']?.example as { data: Record<string, unknown> } | undefined;
    return { status, example };
  }

  /** Without what differs from one time to the next: ids, times, and where an asset was seen meanwhile. */
  function comparable(data: Record<string, unknown>): Record<string, unknown> {
    const entries = Object.entries(data).filter(([key, value]) => !CHANGING.test(key) || value === null);
    return Object.fromEntries(entries.filter(([key]) => !key.startsWith('location_')));
  }
});

/** Of an answer; it has no such text itself. */
const END = '=====';

const CHANGING = /(^|_)id$|_at$|^valid_from$|^tags$/;
