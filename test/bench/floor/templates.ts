/** Placeholders for values that are known only after a PodSet was created. */
export const placeholder = {
  name: '~name~',
  uid: '~uid~',
  namespace: '~namespace~',
  resourceVersion: '~version~',
} as const;

/** The bodies that the operator sends for a PodSet, with placeholders. */
export interface Templates {
  readonly pods: readonly string[];
  readonly status: string;
}

/** A created PodSet: the values of the placeholders. */
export type CreatedPodSet = Readonly<Record<keyof typeof placeholder, string>>;

/** Replaces the placeholders of a body. */
export const fill = (template: string, podSet: CreatedPodSet): string =>
  Object.entries(placeholder).reduce(
    (text, [key, mark]) => text.replaceAll(mark, podSet[key as keyof typeof placeholder]),
    template,
  );
