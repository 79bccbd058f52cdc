import { cslCs463 } from './csl-cs463.ts';
import { edgexLlrp } from './edgex-llrp.ts';
import type { Encoder } from './encoder.ts';
import { glinetGls10 } from './glinet-gls10.ts';
import { impinjR700 } from './impinj-r700.ts';
import { impinjSmartreader } from './impinj-smartreader.ts';
import { impinjSpeedwayConnect } from './impinj-speedway-connect.ts';
import { ingics } from './ingics.ts';
import { keonnAdvannet } from './keonn-advannet.ts';
import { minewJson } from './minew-json.ts';
import { mokoMk107 } from './moko-mk107.ts';
import { mokoMkgw } from './moko-mkgw.ts';
import { openmqttgateway } from './openmqttgateway.ts';
import { ruuviGateway } from './ruuvi-gateway.ts';
import { tagtrail } from './tagtrail.ts';
import { zebraIotc } from './zebra-iotc.ts';
import { zebraRfd40 } from './zebra-rfd40.ts';

export const ENCODERS = {
  'zebra-iotc': zebraIotc,
  'minew-json': minewJson,
  'impinj-r700': impinjR700,
  'moko-mkgw': mokoMkgw,
  'csl-cs463': cslCs463,
  ingics,
  tagtrail,
  'ruuvi-gateway': ruuviGateway,
  'impinj-smartreader': impinjSmartreader,
  'glinet-gls10': glinetGls10,
  'keonn-advannet': keonnAdvannet,
  'moko-mk107': mokoMk107,
  'edgex-llrp': edgexLlrp,
  openmqttgateway,
  'impinj-speedway-connect': impinjSpeedwayConnect,
  'zebra-rfd40': zebraRfd40,
} satisfies Record<string, Encoder>;

export type EncoderName = keyof typeof ENCODERS;

/** Broken in any format: the beginning of a message without its end. */
export const BROKEN_PAYLOAD = '{"boot":"fw=2.14","data":[';
