import { answerRuleOf } from './answer-url.ts';
import { misfortunes } from './misfortunes.ts';
import { type Done, type Scene, textIn } from './occasion.ts';
import type { Verb } from './script-schema.ts';
import { userChanges } from './user-changes.ts';

/** From now on the world outside says this. */
const answer = ({ cast, change }: Scene): readonly Done[] => {
  const object = textIn(change.subject);
  const rule = answerRuleOf({ ...change.fields, url: object });
  const { status, body } = rule;
  cast.answers.push(rule);
  return [{ object, what: `answers ${status}${body === '' ? '' : ` ${JSON.stringify(body)}`}` }];
};

const acts: Readonly<Record<Verb, (scene: Scene) => readonly Done[]>> = {
  ...userChanges,
  ...misfortunes,
  answer,
};

/**
 * Lets one change of a script happen.
 *
 * @throws {InvalidScriptError} for what is impossible at this moment, with what there was
 */
export const perform = (scene: Scene): readonly Done[] => acts[scene.change.verb](scene);
