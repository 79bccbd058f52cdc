import { expect } from 'chai';
import { GATEWAY_ROUTES } from '../../services/handheld-gateway/routes.ts';
import { useGateway } from '../support/gateway.ts';
import { longestHold, Yardstick } from '../support/held-loop.ts';
import { aScan, aSubmission } from '../support/new-submission.ts';
import { theLargestSweep } from '../support/new-sweep.ts';
import { sendRaw } from '../support/raw-request.ts';
import { BODY_BYTES, worstBodies } from '../support/worst-bodies.ts';

/** Parsing it takes 40 ms on a machine on which nobody may be held up for more than 100. */
const YARDSTICK = new Yardstick(
  `{${Array.from({ length: 110_000 }, (_, at) => `"${at.toString(36)}":1`).join(',')}}`,
);

/** As many scans as a submission may have, each of a tag that nobody has seen before. */
function unknownTags(length: number, filling: string): () => string {
  let number = 0;
  return () =>
    JSON.stringify(
      aSubmission(
        Array.from({ length: 1_000 }, () => {
          number += 1;
          return aScan(`${number}`.padStart(length, filling));
        }),
      ),
    );
}

describe('the event loop of the gateway', () => {
  const gateway = useGateway();

  for (const route of GATEWAY_ROUTES.filter(({ body }) => body !== null)) {
    it(`is held by ${route.operationId} for half the time that parsing takes, whatever the body`, async () => {
      const headers = {
        authorization: `Bearer ${gateway.token}`,
        'content-type': route.body?.type ?? '',
      };
      const bodies: { name: string; text: () => string }[] = [
        { name: 'unknown tags', text: unknownTags(200, 'x') },
        { name: 'unknown tags in hexadecimal', text: unknownTags(200, 'E') },
        { name: 'unknown tags of three bytes a letter', text: unknownTags(255, '漢') },
        { name: 'the largest sweep', text: () => JSON.stringify(theLargestSweep()) },
        ...worstBodies(route.body?.schema ?? {}).map(({ name, text }) => ({ name, text: () => text })),
      ];
      const long: string[] = [];
      for (const { name, text } of bodies) {
        const send = async () => {
          const body = Buffer.from(text());
          expect(body.length, name).to.be.at.most(BODY_BYTES);
          const { status } = await sendRaw(gateway.url + route.path, {
            method: route.method,
            headers,
            body,
          });
          expect(status, name).to.be.oneOf([200, 201, 400]);
        };
        if (await YARDSTICK.isExceededBy((attempts) => longestHold(send, attempts), 1 / 2)) {
          long.push(name);
        }
      }
      expect(long).to.deep.equal([]);
    });
  }
});
