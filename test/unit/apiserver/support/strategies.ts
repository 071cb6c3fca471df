import { builtinKinds } from '#lib/apiserver/builtin/builtin-kinds.ts';
import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import type { ServedKind, ServedVersion, ServerView } from '#lib/apiserver/machinery/served-kind.ts';
import { StatusError } from '#lib/apiserver/machinery/status.ts';

/** A built-in kind, with its only version. */
export const kindNamed = (name: string): ServedKind & { readonly version: ServedVersion } => {
  const kind = builtinKinds.find((candidate) => candidate.kind === name);
  const [version] = kind?.versions ?? [];
  if (kind === undefined || version === undefined) throw new Error(`no kind ${name}`);
  return { ...kind, version };
};

/** The error that an action throws. */
export const statusOf = (
  act: () => unknown,
): { readonly code: number | undefined; readonly message: string | undefined } => {
  try {
    act();
  } catch (error) {
    if (error instanceof StatusError) return { code: error.status.code, message: error.status.message };
    throw error;
  }
  throw new Error('expected an error');
};

/** A view of a server that has some objects. */
export const viewOf = (objects: readonly ServerObject[]): ServerView => ({
  objects: ({ plural }) => objects.filter(({ kind }) => `${kind.toLowerCase()}s` === plural),
  now: () => 0,
});
