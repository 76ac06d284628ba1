import { createHash } from 'node:crypto'
import { FILES_READ_ONCE } from '../control-plane/components/files-read-once.ts'
import { DATABASE_AUTHORITIES, DATABASE_ENDPOINT } from './database-files.ts'
import { SHARED_ETCD_FILES } from './shared-etcd-files.ts'
import { ALL_COMPONENT_NAMES, type AnyComponentName } from '../control-plane/plane/plane.ts'

/** In a pod, kine has the connection to a database as files, and kube-apiserver that to a shared etcd. */
const READ_ONCE: Record<AnyComponentName, readonly string[]> = {
  ...FILES_READ_ONCE,
  kine: [...FILES_READ_ONCE.kine, DATABASE_ENDPOINT, DATABASE_AUTHORITIES],
  'kube-apiserver': [...FILES_READ_ONCE['kube-apiserver'], SHARED_ETCD_FILES.authorities],
}

/** The files of a component's pod besides `READ_ONCE`: leaf certificates and keys, which its process reloads. */
const READ_AGAIN: Record<AnyComponentName, readonly string[]> = {
  etcd: pairs('etcd/server', 'etcd/peer'),
  kine: pairs('etcd/server'),
  'kube-apiserver': pairs(
    'apiserver',
    'apiserver-etcd-client',
    'apiserver-kubelet-client',
    'front-proxy-client',
    'shared-etcd/client',
  ),
  'kube-controller-manager': pairs('controller-manager', 'controller-manager-server'),
  'kube-scheduler': pairs('scheduler', 'scheduler-server'),
  syncer: pairs('dns', 'syncer', 'syncer-server'),
  keeper: [...pairs('etcd/healthcheck-client', 'front-proxy-client'), 'sa.pub'],
}

/** CA certificates that pods also have: issuing certificates requires them together with the keys. */
const AUTHORITIES = ['ca.crt', 'etcd/ca.crt', 'front-proxy-ca.crt']

/** What the keeper has instead of the encryption keys: their hashes, as JSON. It is made again with each of its Secrets. */
export const KEY_HASHES_FILE = 'encryption-key-hashes'

type Files = Readonly<Record<string, string>>

/** The files in a component's pod, sorted by name. */
export function filesOfPod(component: AnyComponentName, files: Files): Record<string, string> {
  // The keeper reports when certificates expire, so it has all of them, but only its own keys.
  const isWatched = (name: string) => component === 'keeper' && name.endsWith('.crt')
  return pick(files, (name) => isWatched(name) || filesOf(component).includes(name))
}

/** The files whose change replaces a component's pod, sorted by name. */
export function filesReadOnce(component: AnyComponentName, files: Files): Record<string, string> {
  return pick(files, (name) => READ_ONCE[component].includes(name))
}

/**
 * The files that issue certificates, and those that no pod has, sorted by name. It includes the keeper's files, because
 * not every plane has a keeper.
 */
export function filesOfAuthorities(files: Files): Record<string, string> {
  const inPods = new Set(ALL_COMPONENT_NAMES.filter((one) => one !== 'keeper').flatMap(filesOf))
  inPods.add(KEY_HASHES_FILE)
  return pick(files, (name) => !inPods.has(name) || AUTHORITIES.includes(name))
}

/** The key of a file in a Secret, which has no folders: `etcd/ca.crt` is `etcd_ca.crt`. */
export function secretKeyOf(file: string): string {
  return file.replaceAll('/', '_')
}

/** The file of a key in a Secret. */
export function fileOfSecretKey(key: string): string {
  return key.replaceAll('_', '/')
}

/**
 * A checksum of files in any order. In a pod template it replaces the pods when files change that a process only reads
 * at its start.
 */
export function checksumOf(files: Files): string {
  const sorted = Object.entries(files).toSorted(([left], [right]) => (left < right ? -1 : 1))
  return createHash('sha256').update(JSON.stringify(sorted)).digest('hex')
}

function filesOf(component: AnyComponentName): string[] {
  return [...READ_ONCE[component], ...READ_AGAIN[component]]
}

function pairs(...names: string[]): string[] {
  return names.flatMap((name) => [`${name}.crt`, `${name}.key`])
}

function pick(files: Files, isWanted: (name: string) => boolean): Record<string, string> {
  return Object.fromEntries(
    Object.entries(files)
      .filter(([name]) => isWanted(name))
      .toSorted(([left], [right]) => (left < right ? -1 : 1)),
  )
}
