import { FILES_READ_ONCE } from '../control-plane/components/files-read-once.ts'
import { ALL_COMPONENT_NAMES, type AnyComponentName } from '../control-plane/plane/plane.ts'

/** What a component's pod gets beside `FILES_READ_ONCE`: leaf certificates and their keys, which its process reads again. */
const READ_AGAIN: Record<AnyComponentName, readonly string[]> = {
  etcd: pairs('etcd/server', 'etcd/peer'),
  'kube-apiserver': pairs(
    'apiserver',
    'apiserver-etcd-client',
    'apiserver-kubelet-client',
    'front-proxy-client',
  ),
  'kube-controller-manager': pairs('controller-manager', 'controller-manager-server'),
  'kube-scheduler': pairs('scheduler', 'scheduler-server'),
  syncer: pairs('dns', 'syncer', 'syncer-server'),
  keeper: pairs('etcd/healthcheck-client', 'front-proxy-client'),
}

/** CA certificates that pods have too: issuing needs them beside the keys. */
const AUTHORITIES = ['ca.crt', 'etcd/ca.crt', 'front-proxy-ca.crt']

type Files = Readonly<Record<string, string>>

/** The files that a component's pod gets, sorted by name. */
export function filesOfPod(component: AnyComponentName, files: Files): Record<string, string> {
  // It says when certificates end; of keys it has its own alone.
  const isWatched = (name: string) => component === 'keeper' && name.endsWith('.crt')
  return pick(files, (name) => isWatched(name) || filesOf(component).includes(name))
}

/** Those of a pod's files by which it is replaced when they change, sorted by name. */
export function filesReadOnce(component: AnyComponentName, files: Files): Record<string, string> {
  return pick(files, (name) => FILES_READ_ONCE[component].includes(name))
}

/**
 * The files that issue certificates, and those that no pod gets, sorted by name. What the keeper gets is copied: a plane
 * has one only at times.
 */
export function filesOfAuthorities(files: Files): Record<string, string> {
  const inPods = new Set(ALL_COMPONENT_NAMES.filter((one) => one !== 'keeper').flatMap(filesOf))
  return pick(files, (name) => !inPods.has(name) || AUTHORITIES.includes(name))
}

/** The key of a file in a Secret, where there are no folders: `etcd/ca.crt` is `etcd_ca.crt`. */
export function secretKeyOf(file: string): string {
  return file.replaceAll('/', '_')
}

/** The file that a key of a Secret stands for. */
export function fileOfSecretKey(key: string): string {
  return key.replaceAll('_', '/')
}

function filesOf(component: AnyComponentName): string[] {
  return [...FILES_READ_ONCE[component], ...READ_AGAIN[component]]
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
