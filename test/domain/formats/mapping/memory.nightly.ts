import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { MAX_PAYLOAD_BYTES } from '../../../../domain/formats/mapping/values/limits.ts';
import type { Peak } from './peak-memory.ts';

describe('a payload of 1 MiB', () => {
  it('takes at most four times that while it is decoded, whatever is in it', () => {
    const program = fileURLToPath(new URL('peak-memory.ts', import.meta.url));
    const flags = ['--expose-gc', '--min-semi-space-size=1', '--max-semi-space-size=1'];
    const peaks: Peak[] = JSON.parse(
      execFileSync(process.execPath, [...flags, program], { encoding: 'utf8' }),
    );
    expect(peaks).to.have.length(8);
    for (const { format, bytes, payload } of peaks) {
      expect(bytes, `${format}, payload ${payload}`).to.be.within(1, 4 * MAX_PAYLOAD_BYTES);
    }
  });
});
