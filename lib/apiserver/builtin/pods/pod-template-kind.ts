import { withGeneration } from '#lib/apiserver/machinery/generation.ts';
import { objectIn } from '#lib/apiserver/machinery/members.ts';
import type { ServerObject } from '#lib/apiserver/machinery/object.ts';
import { isDns1123Subdomain } from '#lib/apiserver/machinery/validation/content.ts';
import { equalJson } from '#lib/json.ts';
import { type BuiltinKind, countGeneration } from '../strategy.ts';
import { checkMetadata, checkMetadataUpdate } from '../validation/object-meta.ts';
import { checkPodTemplate, templateDefaults } from './pod-template.ts';

/**
 * The built-in kind PodTemplate. As in a real cluster, no controller acts on PodTemplates.
 *
 * @see k8s.io/kubernetes v1.36.4 pkg/registry/core/podtemplate/strategy.go
 */
export const podTemplateKind: BuiltinKind = {
  group: '',
  kind: 'PodTemplate',
  plural: 'podtemplates',
  strategy: {
    setDefaults: (object) => templateDefaults(object) as ServerObject,
    prepareForCreate: (object) => withGeneration(object, 1),
    prepareForUpdate: (object, old) => countGeneration(object, old, !equalJson(object['template'], old['template'])),
    check: (object) => [
      ...checkMetadata(object, { check: isDns1123Subdomain }),
      ...checkPodTemplate('template', objectIn(object, 'template')),
    ],
    checkUpdate: (object, old) => [
      ...checkMetadataUpdate(object, old),
      ...checkPodTemplate('template', objectIn(object, 'template')),
    ],
  },
};
