import type { ComponentName } from '../control-plane/plane.ts'
import { ENCRYPTION_FILE } from '../control-plane/components/encryption-configuration.ts'

/** The certificates and keys that a component's pod gets, by their file names. */
interface PodFiles {
  /** Read at the start alone: when they change, the pod has to be replaced. */
  atStart: readonly string[]
  /** Read again by the process itself. */
  again: readonly string[]
}

const POD_FILES: Record<ComponentName, PodFiles> = {
  etcd: {
    atStart: ['etcd/ca.crt'],
    again: ['etcd/server.crt', 'etcd/server.key', 'etcd/peer.crt', 'etcd/peer.key'],
  },
  'kube-apiserver': {
    atStart: ['etcd/ca.crt', 'sa.key', 'sa.pub', ENCRYPTION_FILE],
    again: [
      'apiserver.crt',
      'apiserver.key',
      'apiserver-etcd-client.crt',
      'apiserver-etcd-client.key',
      'client-ca.crt',
      'front-proxy-ca.crt',
      'front-proxy-client.crt',
      'front-proxy-client.key',
    ],
  },
  'kube-controller-manager': {
    atStart: ['ca.crt', 'sa.key', 'signing-ca.crt', 'signing-ca.key'],
    again: [
      'client-ca.crt',
      'controller-manager.crt',
      'controller-manager.key',
      'controller-manager-server.crt',
      'controller-manager-server.key',
      'front-proxy-ca.crt',
    ],
  },
}

/** CA certificates that pods have too: issuing needs them beside the keys. */
const AUTHORITIES = ['ca.crt', 'etcd/ca.crt', 'front-proxy-ca.crt']

type Files = Readonly<Record<string, string>>

/** The files that a component's pod gets, sorted by name. */
export function filesOfPod(component: ComponentName, files: Files): Record<string, string> {
  const { again, atStart } = POD_FILES[component]
  return pick(files, (name) => atStart.includes(name) || again.includes(name))
}

/** Those of a pod's files that its process reads at its start and never again, sorted by name. */
export function filesReadOnce(component: ComponentName, files: Files): Record<string, string> {
  return pick(files, (name) => POD_FILES[component].atStart.includes(name))
}

/** The files that issue certificates, and those that no pod gets, sorted by name. */
export function filesOfAuthorities(files: Files): Record<string, string> {
  const inPods = new Set(
    Object.values(POD_FILES).flatMap(({ again, atStart }) => [...again, ...atStart]),
  )
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

function pick(files: Files, isWanted: (name: string) => boolean): Record<string, string> {
  return Object.fromEntries(
    Object.entries(files)
      .filter(([name]) => isWanted(name))
      .toSorted(([left], [right]) => (left < right ? -1 : 1)),
  )
}
