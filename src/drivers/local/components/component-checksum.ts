import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { configurationFiles } from '../../../control-plane/components/configuration-files.ts'
import { describeComponents } from '../../../control-plane/components/describe-components.ts'
import { FILES_READ_ONCE } from '../../../control-plane/components/files-read-once.ts'
import { ETCD_FILE } from '../../../control-plane/components/arguments/layout.ts'
import type { ServingName } from '../../../control-plane/plane/plane.ts'
import type { PlaneSpec } from '../../../control-plane/spec/spec.ts'
import { readTextFile } from '../../../shared/files/read-text-file.ts'
import type { PlaneFolder } from '../store/plane-folder.ts'
import type { PlaneRecord } from '../store/plane-record.ts'
import { localLayout } from './local-layout.ts'

/** The configuration files that a component reads only at its start. */
const READ_ONCE: Record<ServingName, readonly string[]> = {
  etcd: [ETCD_FILE],
  kine: [],
  'kube-apiserver': ['audit-policy.json'],
  'kube-controller-manager': ['controller-manager.kubeconfig'],
}

/**
 * The checksum of everything that a component is started with. A process with another checksum was started with another
 * spec, by another vplane, or before a rotation of keys.
 */
export function componentChecksum(
  name: ServingName,
  record: PlaneRecord,
  folder: PlaneFolder,
): string {
  const layout = localLayout(record, folder)
  // etcd reads the initial state only without data.
  const existing = { ...layout, etcd: { ...layout.etcd, initialState: 'existing' as const } }
  const component = describeComponents(record.spec, existing).find((one) => one.name === name)
  const files = configurationFiles(record.spec, existing)
  const facts = [
    versionOf(name, record.spec),
    component,
    READ_ONCE[name].map((file) => files[file]),
    FILES_READ_ONCE[name].map((file) => readTextFile(join(folder.pki, file))),
  ]
  return createHash('sha256').update(JSON.stringify(facts)).digest('hex')
}

function versionOf(
  name: ServingName,
  { etcdVersion, kineVersion, version }: PlaneSpec,
): string | undefined {
  const ofStore = { etcd: etcdVersion, kine: kineVersion }
  return name === 'etcd' || name === 'kine' ? ofStore[name] : version
}
