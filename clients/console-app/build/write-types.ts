/** `npm run types`: writes the types of the console server's answers. */
import { writeFileSync } from 'node:fs';
import { ANSWERS_FILE, answerTypes } from './answer-types.ts';

writeFileSync(ANSWERS_FILE, answerTypes());
