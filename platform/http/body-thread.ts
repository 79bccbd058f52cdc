import { sameJsonText } from '../../base/json/same-json.ts';
import { type Body, type CheckedBody, checkBody } from './body.ts';

export interface BodyTask {
  bodies: string;
  operationId: string;
  bytes: Uint8Array<ArrayBuffer>;
}

export type Bodies = Readonly<Record<string, Body<unknown>>>;

export async function check({ bodies, operationId, bytes }: BodyTask): Promise<CheckedBody> {
  const { BODIES }: { BODIES: Bodies } = await import(bodies);
  const body = BODIES[operationId];
  if (body === undefined) {
    throw new Error(`${bodies} has no body of ${operationId}`);
  }
  return checkBody(body, bytes);
}

export function same([a, b]: readonly [string, string]): Promise<boolean> {
  return sameJsonText(a, b);
}
