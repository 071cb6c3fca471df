/** The kind in an entry of the list. */
interface Checked {
  readonly group: string;
  readonly kind: string;
}

const entryOf = ({ group, kind }: Checked, indent: string): string =>
  [
    `- apiVersion: ${group}/v1alpha1`,
    `  kind: ${kind}`,
    `  failed: status.conditions.exists(c, c.type == 'Stalled' && c.status == 'True')`,
    `  current: status.conditions.exists(c, c.status == 'True' && (c.type == 'Ready' || c.type == 'Paused' && c.reason != 'AvailabilityLost'))`,
  ]
    .map((line) => `${indent}${line}\n`)
    .join('');

/**
 * Adds an entry for a kind to `healthCheckExprs` in `gitops/flux.yaml`.
 *
 * @param text - the content of the file, possibly edited by users
 * @returns the new content; undefined when the file has no such list with an entry, or already contains `kind:` with the name of
 * the kind
 */
export const withHealthCheck = (text: string, kind: Checked): string | undefined => {
  // The list in a Kustomization, up to its first entry.
  const list = /^ *healthCheckExprs:\n(?: *#.*\n)*(?= *- )/m.exec(text);
  if (list === null || new RegExp(`kind: ${kind.kind}\\b`).test(text)) return undefined;
  const at = list.index + list[0].length;
  const [indent = ''] = /^ */.exec(text.slice(at)) ?? [];
  return `${text.slice(0, at)}${entryOf(kind, indent)}${text.slice(at)}`;
};
