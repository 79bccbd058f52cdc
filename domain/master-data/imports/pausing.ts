import type { OrganizationConnection } from '../../../db/timescale/connections/organization-door.ts';

export type Pause = () => Promise<void>;

export function pausing<Connection extends OrganizationConnection>(
  connection: Connection,
  pause: Pause,
): Connection {
  const paused = <Arguments extends unknown[], Result>(send: (...values: Arguments) => Promise<Result>) => {
    return async (...values: Arguments) => {
      await pause();
      return send(...values);
    };
  };
  return {
    ...connection,
    any: paused(connection.any) as OrganizationConnection['any'],
    one: paused(connection.one) as OrganizationConnection['one'],
    maybeOne: paused(connection.maybeOne) as OrganizationConnection['maybeOne'],
    exec: paused(connection.exec),
  };
}
