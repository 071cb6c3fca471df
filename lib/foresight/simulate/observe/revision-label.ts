import type { ReportedRevision } from '#lib/foresight/simulate/report/report.ts';

const SHORT = 5;

const parts = (image: string): { readonly name: string; readonly tag: string } => {
  const colon = image.lastIndexOf(':');
  return colon > image.lastIndexOf('/')
    ? { name: image.slice(0, colon), tag: image.slice(colon + 1) }
    : { name: image, tag: '' };
};

const named = (images: readonly string[]): string =>
  images.map((image) => image.slice(image.lastIndexOf('/') + 1)).join(' + ');

/**
 * Adds a label to each revision. If there are several revisions, and each has one image with the same name and a tag, the label
 * is the tag. Otherwise the label has the images. A label that is not unique also has the beginning of the hash.
 */
export const withRevisionLabels = (
  revisions: readonly Omit<ReportedRevision, 'label'>[],
): readonly ReportedRevision[] => {
  const firsts = revisions.map(({ images }) => parts(images[0] ?? ''));
  const isOneImage =
    revisions.length > 1 &&
    revisions.every(({ images }) => images.length === 1) &&
    new Set(firsts.map(({ name }) => name)).size === 1;
  const hasTags = isOneImage && firsts.every(({ tag }) => tag !== '');
  const labels = revisions.map(({ images }, index) => (hasTags ? (firsts[index]?.tag ?? '') : named(images)));
  return revisions.map((revision, index) => {
    const label = labels[index] ?? '';
    const isUnique = labels.filter((other) => other === label).length === 1;
    return { ...revision, label: isUnique ? label : `${label} (${revision.id.slice(0, SHORT)})` };
  });
};
