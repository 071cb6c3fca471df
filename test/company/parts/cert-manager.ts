import { provideCertManager } from '#test/company/cert-manager/build.ts';
import { certified, renewed } from '#test/company/cert-manager/conversion.ts';
import type { Part } from '#test/company/part.ts';
import { missingPrograms } from '#test/company/programs.ts';

/** cert-manager issues the certificate of the conversion webhook. */
export const part: Part = {
  lacks: () => missingPrograms(provideCertManager),
  cases: [
    { title: 'objects of the first version are read in the second one', run: certified },
    { title: 'a certificate is renewed', run: renewed },
  ],
};
