import type { Bodies } from '../../platform/http/body-thread.ts';
import { BODIES as API_BODIES } from '../api/bodies.ts';
import { noteBody, viewBody } from './assets/schema.ts';
import { formatPatchBody, newFormatBody, tryBody } from './formats/schema.ts';
import { handheldPatchBody, newHandheldBody } from './handhelds/schema.ts';
import { attachBody, dismissManyBody, hideBody, replayBody, replayManyBody } from './inbox/schema.ts';
import { labelsBody, rangeBody } from './labels/schema.ts';
import { acceptBody, lookBody } from './links/schema.ts';
import { settingBody, trialBody } from './locating/schema.ts';
import { organizationPatchBody } from './organization/schema.ts';
import { planPatchBody } from './plans/schema.ts';
import { antennaPatchBody, newAntennaBody, newReaderBody, readerPatchBody } from './readers/schema.ts';
import { passwordBody, signInBody } from './sessions/schema.ts';
import { invitationBody, userPatchBody } from './users/schema.ts';
import { watchBody } from './watches/schema.ts';

/** Bodies by operation, apart from the routes: a worker thread that checks them needs nothing else. */
export const BODIES: Bodies = {
  ...API_BODIES,
  beginSession: signInBody,
  changePassword: passwordBody,
  lookAtLink: lookBody,
  acceptLink: acceptBody,
  attachUnknownTag: attachBody,
  ignoreUnknownTag: hideBody,
  dismissRejected: hideBody,
  replayRejected: replayBody,
  replayManyRejected: replayManyBody,
  dismissManyRejected: dismissManyBody,
  createReader: newReaderBody,
  updateReader: readerPatchBody,
  setAntenna: antennaPatchBody,
  addAntenna: newAntennaBody,
  createFormat: newFormatBody,
  updateFormat: formatPatchBody,
  tryFormatSource: tryBody,
  createHandheld: newHandheldBody,
  updateHandheld: handheldPatchBody,
  updateOrganization: organizationPatchBody,
  updatePlan: planPatchBody,
  addNote: noteBody,
  saveView: viewBody,
  addSerialRange: rangeBody,
  labelAssets: labelsBody,
  setLocating: settingBody,
  setWatch: watchBody,
  tryLocating: trialBody,
  updateUser: userPatchBody,
  createInvitation: invitationBody,
};
