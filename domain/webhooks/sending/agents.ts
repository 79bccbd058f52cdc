import type http from 'node:http';
import https from 'node:https';
import type { LookupFunction } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Networks } from '../../../base/networks.ts';
import { checkedLookup, type Resolve } from '../targets/checked-lookup.ts';

/** Importing it would evaluate all of its exports, WebSocket among them, and so load undici: 10 MB. */
const { Agent: PlainAgent } = process.getBuiltinModule('node:http');

export interface Targets {
  networks: Networks;
  resolve: Resolve;
}

/** Connections to receivers, kept for the next request for a few seconds. */
export interface Agents {
  targets: Targets;
  /** Milliseconds for the whole of a request, however slowly its answer trickles. */
  answerWithin: number;
  /** Requests must use this look-up, which checks addresses for the organization. */
  of(protocol: string, orgId: number): { agent: http.Agent; lookup: LookupFunction };
  end(): void;
}

/** Milliseconds. */
const ANSWER_WITHIN = 15_000;

/** Milliseconds to keep an idle connection; receivers commonly end them after five seconds. */
const IDLE = 4_000;

/**
 * Idle connections to one machine: as many as lanes of an organization that send at a time, since all its webhooks may lead
 * there. While only eight were kept, most events of many webhooks took a connection of their own.
 */
const IDLE_OF_ONE = 64;

/** Idle connections to all. */
const MOST_IDLE = 1_024;

export function openAgents(targets: Targets, answerWithin = ANSWER_WITHIN): Agents {
  const options = { keepAlive: true, timeout: IDLE, maxFreeSockets: IDLE_OF_ONE };
  const plain = keepingFew(new PlainAgent(options));
  const secure = keepingFew(new https.Agent(options));
  return {
    targets,
    answerWithin,
    of: (protocol, orgId) =>
      protocol === 'https:'
        ? { agent: secure, lookup: checkedLookup('https:', targets, orgId) }
        : { agent: plain, lookup: checkedLookup('http:', targets, orgId) },
    end: () => {
      plain.destroy();
      secure.destroy();
    },
  };
}

function keepingFew<Agent extends http.Agent>(agent: Agent): Agent {
  const keep = agent.keepSocketAlive.bind(agent) as (socket: Duplex) => boolean;
  agent.keepSocketAlive = (socket: Duplex) => idleOf(agent) < MOST_IDLE && keep(socket);
  return agent;
}

function idleOf({ freeSockets }: http.Agent): number {
  return Object.values(freeSockets).reduce((sum, sockets) => sum + (sockets?.length ?? 0), 0);
}
