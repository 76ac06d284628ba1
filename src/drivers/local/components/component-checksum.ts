import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { configurationFiles } from '../../../control-plane/components/configuration-files.ts'
import { describeComponents } from '../../../control-plane/components/describe-components.ts'
import { FILES_READ_ONCE } from '../../../control-plane/components/files-read-once.ts'
import { ETCD_FILE } from '../../../control-plane/components/arguments/layout.ts'
import type { ComponentName } from '../../../control-plane/plane/plane.ts'
import type { PlaneFolder } from '../store/plane-folder.ts'
import type { PlaneRecord } from '../store/plane-record.ts'
import { localLayout } from './local-layout.ts'

/** The configuration files that a component reads at its start alone. */
const READ_ONCE: Record<ComponentName, readonly string[]> = {
  etcd: [ETCD_FILE],
  'kube-apiserver': ['audit-policy.json'],
  'kube-controller-manager': ['controller-manager.kubeconfig'],
}

/**
 * A checksum of all that a component is started with. A process with another one was started by another spec, another
 * vplane, or before its keys were rotated.
 */
export function componentChecksum(
  name: ComponentName,
  record: PlaneRecord,
  folder: PlaneFolder,
): string {
  const { etcdVersion, version } = record.spec
  const layout = localLayout(record, folder)
  // What it says of the start of a plane matters to an etcd without data alone.
  const begun = { ...layout, etcd: { ...layout.etcd, initialState: 'existing' as const } }
  const component = describeComponents(record.spec, begun).find((one) => one.name === name)
  const files = configurationFiles(record.spec, begun)
  const facts = [
    name === 'etcd' ? etcdVersion : version,
    component,
    READ_ONCE[name].map((file) => files[file]),
    FILES_READ_ONCE[name].map((file) => textIn(folder.pki, file)),
  ]
  return createHash('sha256').update(JSON.stringify(facts)).digest('hex')
}

/** Not every plane has all of them. */
function textIn(folder: string, file: string): string | undefined {
  const path = join(folder, file)
  return existsSync(path) ? readFileSync(path, 'utf8') : undefined
}
