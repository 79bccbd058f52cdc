import { messageOf } from '../../base/errors.ts';
import { optionalPath } from './setting-kinds.ts';
import type { Configuration } from './settings.ts';
import { readTlsFiles, requireChain } from './tls-files.ts';

export const TLS_SETTINGS = {
  TLS_CERT_FILE: optionalPath(
    'the certificate of every port (PEM), followed by those between it and its authority; with it they speak TLS only',
  ),
  TLS_KEY_FILE: optionalPath('the key of that certificate (PEM)'),
};

export type TlsConfig = Configuration<typeof TLS_SETTINGS>;

export function faultOfTls(config: TlsConfig): string | null {
  if ((config.TLS_CERT_FILE === null) !== (config.TLS_KEY_FILE === null)) {
    return 'Only one of TLS_CERT_FILE and TLS_KEY_FILE is set; set both, or none';
  }
  try {
    const material = readTlsFiles(config);
    if (material !== null) {
      requireChain(material);
    }
    return null;
  } catch (error) {
    return messageOf(error);
  }
}
