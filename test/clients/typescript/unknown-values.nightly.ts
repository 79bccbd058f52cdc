import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { describePublicApi } from '../../../services/api/description/document.ts';
import { API_RESOURCES } from '../../../services/api/routes.ts';
import { PROGRAM_ENVIRONMENT, useProgram } from '../../support/programs.ts';
import { useTypedClient } from '../../support/typed-client.ts';

const GENERATOR = 'openapi-python-client==0.29.1';

const DOCUMENT = describePublicApi(API_RESOURCES, { publicUrl: null, limits: { perMinute: 60, burst: 120 } });

/** Answers of a later version of the API: with what this description does not know. */
const PAGES = laterPages();

function laterPages() {
  const list = (row: object) => ({ data: [row], limit: 50, offset: 0, total_count: 1 });
  const alert = { ...example('Alert'), kind: 'humid', level: 'critical', state: 'snoozed' };
  const [move, alerted] = [example('MoveEvent'), example('AlertEvent')];
  const moves = [
    { ...move, data: { ...move['data'], position: 1 } },
    { ...move, type: 'tagtrail.asset.left.v1', data: { position: 2, asset: { id: 17 } } },
    { ...alerted, type: 'tagtrail.alert.snoozed.v1', data: { position: 3, alert } },
    { ...alerted, data: { ...alerted['data'], position: 4 } },
  ];
  return {
    PresenceItemList: list({ ...example('PresenceItem'), state: 'on_loan', because: { loan_id: 3 } }),
    AlertList: list(alert),
    MoveFeedEnvelope: { data: { moves, next: 4, head: 4, oldest: 1 } },
  };
}

function example(name: string): { [field: string]: object } {
  return (DOCUMENT.components.schemas[name] as { examples: [{ [field: string]: object }] }).examples[0];
}

describe('a client generated of this description, when the API has grown', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tagtrail-generated-'));
  after(() => rmSync(folder, { recursive: true }));

  describe('in Python', () => {
    useProgram('python3', 'pip3');

    it('reads unknown states, levels and events, and the known ones beside them', () => {
      const generator = join(folder, 'generator');
      const PATH = `${generator}/bin:${PROGRAM_ENVIRONMENT.PATH}`;
      const env = { ...PROGRAM_ENVIRONMENT, PATH, PYTHONPATH: generator };
      const run = (program: string, ...args: string[]) =>
        execFileSync(program, args, { cwd: folder, encoding: 'utf8', env });
      run('pip3', 'install', '--quiet', '--target', generator, GENERATOR);
      writeFileSync(join(folder, 'description.json'), JSON.stringify(DOCUMENT));
      writeFileSync(join(folder, 'pages.json'), JSON.stringify(PAGES));
      const options = ['--path', 'description.json', '--meta', 'none', '--output-path', 'client'];
      run('openapi-python-client', 'generate', ...options);
      const program = `
import json
from client import models
pages = json.load(open('pages.json'))
read = {name: getattr(models, name).from_dict(page).data for name, page in pages.items()}
print(json.dumps([read['PresenceItemList'][0].state, read['AlertList'][0].state, read['AlertList'][0].level,
  [[type(event).__name__, event.data.position] for event in read['MoveFeedEnvelope'].moves]]))`;
      expect(JSON.parse(run('python3', '-c', program))).to.deep.equal([
        ...['on_loan', 'snoozed', 'critical'],
        [
          ['MoveEvent', 1],
          ['OtherEvent', 2],
          ['AlertEvent', 3],
          ['AlertEvent', 4],
        ],
      ]);
    });
  });

  describe('in TypeScript', () => {
    const client = useTypedClient();

    it('hands out events of unknown types with the others', async () => {
      const server = createServer((_, response) => {
        response.setHeader('Content-Type', 'application/json').end(JSON.stringify(PAGES.MoveFeedEnvelope));
      }).listen(0, '127.0.0.1');
      await once(server, 'listening');
      try {
        const { createTagtrailClient, isAlert, isMove } = client();
        const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
        const events: unknown[] = [];
        for await (const event of createTagtrailClient({ baseUrl, apiKey: 'any' }).follow()) {
          events.push([event.data.position, isMove(event), isAlert(event)]);
          if (events.length === 4) {
            break;
          }
        }
        expect(events).to.deep.equal([
          [1, true, false],
          [2, false, false],
          [3, false, false],
          [4, false, true],
        ]);
      } finally {
        server.closeAllConnections();
        server.close();
      }
    });
  });
});
