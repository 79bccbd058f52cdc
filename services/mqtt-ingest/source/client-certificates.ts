import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import type { ServerTls } from '../../../platform/runtime/server-tls.ts';
import { choiceSetting, optionalPath } from '../../../platform/runtime/setting-kinds.ts';
import type { Configuration } from '../../../platform/runtime/settings.ts';

export const CLIENT_CERTIFICATE_SETTINGS = {
  TLS_CLIENT_CA_FILE: optionalPath(
    "the authorities (PEM) that vouch for readers' certificates; a reader whose certificate has its user name for a common name needs no password",
  ),
  TLS_CLIENT_CERTIFICATES: choiceSetting(
    'whether readers may do without a certificate and have a password instead',
    ['accepted', 'required'],
    'accepted',
  ),
};

type Config = Configuration<typeof CLIENT_CERTIFICATE_SETTINGS>;

export function faultOfClientCertificates(
  config: Config & { TLS_CERT_FILE: string | null; MQTT_URL: string | null },
): string | null {
  const { TLS_CLIENT_CA_FILE: ca, TLS_CLIENT_CERTIFICATES: certificates, TLS_CERT_FILE, MQTT_URL } = config;
  if (ca === null) {
    return certificates === 'required'
      ? 'TLS_CLIENT_CERTIFICATES is required, and nothing says who vouches for them; set TLS_CLIENT_CA_FILE'
      : null;
  }
  if (MQTT_URL !== null) {
    return 'TLS_CLIENT_CA_FILE is about the embedded broker, and MQTT_URL names another, which has to ask for certificates itself; unset one of the two';
  }
  return TLS_CERT_FILE === null
    ? 'TLS_CLIENT_CA_FILE is of no use without TLS; set TLS_CERT_FILE and TLS_KEY_FILE'
    : null;
}

export interface ReadersTls {
  tls: ServerTls;
  areAsked: boolean;
  areRequired: boolean;
}

export function readersTlsOf(tls: ServerTls | null, config: Partial<Config>): ReadersTls | null {
  const { TLS_CLIENT_CA_FILE: ca = null, TLS_CLIENT_CERTIFICATES: certificates = 'accepted' } = config;
  return tls === null ? null : { tls, areAsked: ca !== null, areRequired: certificates === 'required' };
}

/** The user name that a valid certificate of the client proves; null without one, or if it gave another name. */
export function certifiedNameOf(socket: Socket, username: string | null | undefined): string | null {
  if (!(socket instanceof TLSSocket && socket.authorized)) {
    return null;
  }
  const name = commonNameOf(socket);
  return name !== null && (username ?? name) === name ? name : null;
}

/** Why a client's certificate does not let it in; null if it showed none. */
export function faultOfCertificate(socket: Socket, username: string | null | undefined): string | null {
  if (!(socket instanceof TLSSocket) || socket.getPeerX509Certificate() === undefined) {
    return null;
  }
  if (!socket.authorized) {
    return `its certificate is not valid (${socket.authorizationError}), and it has no right password`;
  }
  const name = commonNameOf(socket);
  return name === null || (username ?? name) === name
    ? `its certificate is for ${name ?? 'nobody'}, and no reader has that user name`
    : `its certificate is for ${name}, and it has another user name`;
}

function commonNameOf(socket: TLSSocket): string | null {
  const name: unknown = socket.getPeerCertificate().subject?.CN;
  return typeof name === 'string' ? name : null;
}
