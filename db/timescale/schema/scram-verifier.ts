import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto';

const ITERATIONS = 4_096;
const LENGTH = 32;

/**
 * What PostgreSQL keeps of a password (RFC 5803, SCRAM-SHA-256), for `create role … password`: a statement may get into the
 * server's log, so the password itself is not part of one.
 */
export function scramVerifier(password: string, salt = randomBytes(16)): string {
  const salted = pbkdf2Sync(saslprep(password), salt, ITERATIONS, LENGTH, 'sha256');
  const storedKey = createHash('sha256').update(hmac(salted, 'Client Key')).digest('base64');
  const serverKey = hmac(salted, 'Server Key').toString('base64');
  return `SCRAM-SHA-256$${ITERATIONS}:${salt.toString('base64')}$${storedKey}:${serverKey}`;
}

function hmac(key: Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}

/** RFC 4013, as clients do it before they prove that they know the password. */
function saslprep(password: string): string {
  return password.replaceAll(OTHER_SPACES, ' ').replaceAll(MAPPED_TO_NOTHING, '').normalize('NFKC');
}

const OTHER_SPACES = /[\u00A0\u1680\u2000-\u200B\u202F\u205F\u3000]/g;
const MAPPED_TO_NOTHING = /\u00AD|\u034F|\u1806|[\u180B-\u180D]|\u200C|\u200D|\u2060|[\uFE00-\uFE0F]|\uFEFF/g;
