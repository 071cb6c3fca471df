import type { ObjectName } from '#lib/foresight/cluster/live-object.ts';
import type { RecordedWrite } from '#lib/foresight/cluster/recorded-write.ts';
import { isSecret } from '#lib/kind/handles/secret-kind.ts';

/** A refusal by the API server. */
export interface Refused {
  readonly code: number;
  readonly reason: string;
  /**
   * The message of the server. If the message begins with the whole patched object, only the problem after the object. For a
   * Secret, only the refused field, because the message can contain values.
   */
  readonly message: string;
}

/** The reason why a message of the API server is left out. */
export const SECRET_MESSAGES = 'messages about Secrets are not shown, because they can contain values';

/** The beginning of the message about a patched object that cannot be decoded, with the object as a quoted text. */
const PATCHED_OBJECT = /^ "" is invalid: patch: Invalid value: "(?:[^"\\]|\\.)*": /s;

/** A field of a Secret in a message. */
const SECRET_FIELD = /\b(?:metadata|data|stringData|type|immutable)(?:[.[][\w.\]-]+)?(?=:)/;

const withoutValues = (message: string): string => {
  const field = SECRET_FIELD.exec(message)?.[0];
  return field === undefined ? SECRET_MESSAGES : `${field}: ${SECRET_MESSAGES}`;
};

/**
 * Reads the refusal from a response of the server.
 *
 * @param object - the refused object
 */
export const refusedBy = (
  { response: { code, body } }: Pick<RecordedWrite, 'response'>,
  object: Pick<ObjectName, 'apiVersion' | 'kind'>,
): Refused => {
  const message = typeof body['message'] === 'string' ? body['message'].replace(PATCHED_OBJECT, '') : '';
  const reason = typeof body['reason'] === 'string' ? body['reason'] : '';
  return { code, reason, message: isSecret(object) ? withoutValues(message) : message };
};
