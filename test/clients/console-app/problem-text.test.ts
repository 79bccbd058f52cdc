import { expect } from 'chai';
import { ApiError } from '../../../clients/console-app/src/api/api-error.ts';
import { faultOf } from '../../../clients/console-app/src/parts/problem-text.ts';
import { useApi } from '../../support/api.ts';

describe('what the API refuses of a field', () => {
  const api = useApi();
  let key: string;
  before(async () => {
    key = await api.keyWith(['assets:write', 'locations:write', 'rules:admin']);
  });

  /** What stands below the field of a form that sends `json`. */
  async function below(field: string, resource: string, json: object): Promise<string | null> {
    const { status, body } = await api.call({ method: 'POST', path: `/api/v1/${resource}`, key, json });
    expect(status).to.equal(400);
    const { type, detail, fields } = body?.error ?? {};
    return faultOf(new ApiError(status, type ?? '', detail ?? '', { fields }), field);
  }

  it('is said without the name that programs have for it', async () => {
    expect([
      await below('name', 'assets', {}),
      await below('name', 'assets', { name: '' }),
      await below('name', 'assets', { name: 'x'.repeat(256) }),
      await below('external_key', 'assets', { name: 'Pump', external_key: '%' }),
      await below('parent_id', 'locations', { name: 'Hall', parent_id: 4_711 }),
      await below('after_seconds', 'rules', { kind: 'overdue', name: 'Late', after_seconds: 0 }),
      await below('after_seconds', 'rules', { kind: 'overdue', name: 'Late', after_seconds: 99_999_999 }),
    ]).to.deep.equal([
      'Required.',
      'Required.',
      'At most 255 characters.',
      'Letters, digits and hyphens only.',
      'It no longer exists. Choose another.',
      'Must be at least 1 for a rule of the kind overdue.',
      '2592000 or less.',
    ]);
  });

  it('is nothing where another field is refused', async () => {
    expect(await below('description', 'assets', {})).to.equal(null);
  });
});
