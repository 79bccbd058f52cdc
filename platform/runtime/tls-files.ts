import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { AppError, messageOf } from '../../base/errors.ts';

export interface TlsFiles {
  TLS_CERT_FILE: string | null;
  TLS_KEY_FILE: string | null;
  TLS_CLIENT_CA_FILE?: string | null;
}

export interface TlsMaterial {
  cert: string;
  key: string;
  /** The certificates of the authorities that vouch for clients. */
  ca: string | null;
  /** Milliseconds since 1970. */
  expiresAt: number;
}

/**
 * The contents of the files, of which the key is that of the certificate; null if TLS is off.
 *
 * @throws AppError `misconfigured`, naming the setting.
 */
export function readTlsFiles({ TLS_CERT_FILE, TLS_KEY_FILE, TLS_CLIENT_CA_FILE = null }: TlsFiles) {
  if (TLS_CERT_FILE === null || TLS_KEY_FILE === null) {
    return null;
  }
  const [cert, certificate] = readAs('TLS_CERT_FILE', TLS_CERT_FILE, (pem) => new X509Certificate(pem));
  const [key, privateKey] = readAs('TLS_KEY_FILE', TLS_KEY_FILE, (pem) => createPrivateKey(pem));
  if (!certificate.checkPrivateKey(privateKey)) {
    throw new AppError(
      'misconfigured',
      'TLS_KEY_FILE has the key of another certificate than the first of TLS_CERT_FILE; set both to files that belong together',
    );
  }
  const ca =
    TLS_CLIENT_CA_FILE === null
      ? null
      : readAs('TLS_CLIENT_CA_FILE', TLS_CLIENT_CA_FILE, requireCertificates)[0];
  return { cert, key, ca, expiresAt: Date.parse(certificate.validTo) } satisfies TlsMaterial;
}

/**
 * Checks the certificates after the first, which nothing else does before a server uses them.
 *
 * @throws AppError `misconfigured`, naming the setting.
 */
export function requireChain({ cert }: TlsMaterial): void {
  const { createSecureContext } = process.getBuiltinModule('node:tls');
  try {
    createSecureContext({ cert, ca: [] });
  } catch (error) {
    throw misconfigured('TLS_CERT_FILE', error);
  }
}

/**
 * Requires every certificate to be readable: a server would silently take those before the first bad one, and refuse
 * the clients of the others.
 */
function requireCertificates(pem: string): void {
  const blocks = pem.match(/-----BEGIN [^-]*-----[^-]*-----END [^-]*-----/g) ?? [];
  for (const [index, block] of blocks.entries()) {
    try {
      new X509Certificate(block);
    } catch (cause) {
      throw new Error(`block ${index + 1} is not a certificate: ${messageOf(cause)}`, { cause });
    }
  }
  if (blocks.length === 0 || pem.match(/-----(BEGIN|END) /g)?.length !== 2 * blocks.length) {
    throw new Error(`it has ${blocks.length} whole certificates and an incomplete one`);
  }
}

const EXPECTED = {
  TLS_CERT_FILE: 'PEM certificates',
  TLS_KEY_FILE: 'a PEM key without a passphrase',
  TLS_CLIENT_CA_FILE: 'PEM certificates',
};

function readAs<T>(setting: keyof typeof EXPECTED, path: string, parse: (pem: string) => T): [string, T] {
  try {
    const pem = readFileSync(path, 'utf8');
    return [pem, parse(pem)];
  } catch (error) {
    throw misconfigured(setting, error);
  }
}

function misconfigured(setting: keyof typeof EXPECTED, cause: unknown): AppError {
  const remedy =
    (cause as NodeJS.ErrnoException).code === 'EACCES'
      ? 'let the user that this process runs as read it, and enter its folder'
      : `set ${setting} to a file with ${EXPECTED[setting]}`;
  return new AppError('misconfigured', `${setting} cannot be used (${messageOf(cause)}); ${remedy}`, {
    cause,
  });
}
