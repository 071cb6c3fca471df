import { invalidValue, keyPath } from '#lib/apiserver/machinery/field-error.ts';
import { entriesIn } from '#lib/apiserver/machinery/members.ts';
import { notImplemented } from '#lib/apiserver/machinery/status.ts';
import { type FieldErrors, fine } from '#lib/apiserver/machinery/validation/field.ts';
import type { JsonObject } from '#lib/json.ts';

/** Annotations that older servers used in place of fields, or that only kubelets set. */
const refused =
  /^(?:kubernetes\.io\/config\.mirror|scheduler\.alpha\.kubernetes\.io\/tolerations|(?:container\.)?seccomp\.security\.alpha\.kubernetes\.io\/.*|container\.apparmor\.security\.beta\.kubernetes\.io\/.*)$/;

/** Annotations in which old clients kept init containers; the real server drops them. */
const dropped = /^pod\.(?:alpha|beta)\.kubernetes\.io\/init-container(?:-statuse)?s$/;

const isDeletionCost = (text: string): boolean =>
  /^(?:0|-?[1-9]\d*|-0\d*)$/.test(text) && Number(text) >= -(2 ** 31) && Number(text) < 2 ** 31;

/**
 * Checks annotations that have a meaning for pods and templates.
 *
 * @see k8s.io/kubernetes v1.36.4 pkg/apis/core/validation/validation.go (`ValidatePodSpecificAnnotations`)
 * @throws {StatusError} 501 for annotations that this server does not support
 */
export const checkPodAnnotations = (path: string, metadata: JsonObject): FieldErrors =>
  entriesIn(metadata, 'annotations').flatMap(([name, value]) => {
    if (refused.test(name) || dropped.test(name)) throw notImplemented(`the annotation "${name}"`);
    return name === 'controller.kubernetes.io/pod-deletion-cost' && !isDeletionCost(value)
      ? [invalidValue(keyPath(path, name), value, 'must be a 32bit integer')]
      : fine;
  });
