import {
  glinetGls10,
  ingics,
  minewJson,
  mokoMk107,
  mokoMkgw,
  openmqttgateway,
  ruuviGateway,
} from './bluetooth.ts';
import type { Encoder } from './encoder.ts';
import {
  cslCs463,
  edgexLlrp,
  impinjR700,
  impinjSmartreader,
  impinjSpeedwayConnect,
  keonnAdvannet,
  tagtrail,
  zebraIotc,
  zebraRfd40,
} from './rfid.ts';

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
