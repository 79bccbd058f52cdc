import { AppError, messageOf } from '../../base/errors.ts';

export interface ListenAddress {
  host: string;
  port: number;
  setting: string;
}

export function listenFault(error: unknown, address: ListenAddress): AppError {
  return new AppError('unavailable', explain(error, address), { cause: error });
}

function explain(error: unknown, { host, port, setting }: ListenAddress): string {
  switch ((error as NodeJS.ErrnoException).code) {
    case 'EADDRINUSE':
      return `${setting} ${port} on ${host} is already in use; stop the program that listens there, or set ${setting}`;
    case 'EACCES':
      return `${setting} ${port} on ${host} may not be used by this account; set ${setting} to a port above 1023`;
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return `HOST ${host} is not an address of this machine; set HOST`;
    default:
      return `${setting} ${port} on ${host} cannot be listened on: ${messageOf(error)}`;
  }
}
