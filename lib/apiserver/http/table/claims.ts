import { objectIn, textIn, textsIn } from '#lib/apiserver/machinery/members.ts';
import { ageCell } from './ages.ts';
import { nameColumn, type Printer, shownCell, wide } from './column.ts';

const MODES: Readonly<Record<string, string>> = {
  ReadWriteOnce: 'RWO',
  ReadOnlyMany: 'ROX',
  ReadWriteMany: 'RWX',
  ReadWriteOncePod: 'RWOP',
};

/** The table of PersistentVolumeClaims. */
export const claimPrinter: Printer = {
  columns: [
    nameColumn,
    ...['Status', 'Volume', 'Capacity', 'Access Modes', 'StorageClass', 'VolumeAttributesClass', 'Age'].map((name) =>
      shownCell(name),
    ),
    wide('VolumeMode'),
  ],
  cells: (object, nowMs) => {
    const [metadata, spec, status] = ['metadata', 'spec', 'status'].map((name) => objectIn(object, name));
    const volume = textIn(spec, 'volumeName');
    const modes = textsIn(status, 'accessModes');
    const shown = Object.entries(MODES).flatMap(([mode, short]) => (modes.includes(mode) ? [short] : []));
    const annotation = textIn(objectIn(metadata, 'annotations'), 'volume.beta.kubernetes.io/storage-class');
    return [
      textIn(metadata, 'name'),
      metadata?.['deletionTimestamp'] === undefined ? textIn(status, 'phase') : 'Terminating',
      volume,
      volume === '' ? '' : textIn(objectIn(status, 'capacity'), 'storage') || '0',
      volume === '' ? '' : shown.join(','),
      annotation || textIn(spec, 'storageClassName'),
      textIn(spec, 'volumeAttributesClassName') || '<unset>',
      ageCell(metadata?.['creationTimestamp'], nowMs),
      textIn(spec, 'volumeMode') || '<unset>',
    ];
  },
};
