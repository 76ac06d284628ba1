import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { answersReady } from '../../control-plane/api/answers-ready.ts'
import type { PlaneCertificate } from '../../control-plane/driver/plane-certificates.ts'
import type { AnyComponentName } from '../../control-plane/plane/plane.ts'
import type {
  ComponentFigures,
  EtcdFigures,
  PlaneFigures,
} from '../../control-plane/status/plane-figures.ts'
import { etcdFigures } from '../../etcd/status/etcd-figures.ts'
import { createKubeClient } from '../../kube/client/client.ts'
import { listCertificates } from '../../pki/plane/list-certificates.ts'
import { objectName } from '../../manifests/object-names.ts'
import { memberName } from '../../manifests/pod-layout.ts'
import { membersInPods } from './etcd-in-pods.ts'
import { PKI_FOLDER, type PodWorld } from './pod-world.ts'
import { fieldAt } from '../../shared/json-fields.ts'
import { objectPath } from '../../shared/kube/collections.ts'

/** A member that works answers at once. */
const READ_TIMEOUT_MS = 3000

/**
 * Measures a plane from a pod beside it: asks etcd and the API, and reads the Deployments of the other components.
 * Returns undefined while the plane is or is being paused: Deployments are scaled to 0 before etcd and the API stop.
 *
 * @throws {VplaneError} `UNREACHABLE`, `FAILED` when the host or the certificates cannot be read.
 */
export async function measureFromPod(
  world: Pick<PodWorld, 'host' | 'namespace' | 'settings'>,
  signal: AbortSignal,
): Promise<PlaneFigures | undefined> {
  const [isApiReady, etcd, certificates] = await Promise.all([
    isReady(world, signal),
    membersOf(world, signal),
    readCertificates(),
  ])
  const own: Partial<Record<AnyComponentName, Observed>> = {
    etcd: upIf(
      etcd.members.some(({ isWorking }) => isWorking),
      'no member knows a leader',
    ),
    'kube-apiserver': upIf(isApiReady, 'the API does not report that it is ready'),
    keeper: { isUp: true },
  }
  const components: ComponentFigures[] = []
  for (const name of world.settings.components) {
    const { isWanted = true, ...figures } = own[name] ?? (await deploymentOf(world, name, signal))
    if (!isWanted) {
      return undefined
    }
    components.push({ name, ...figures })
  }
  return { components, isApiReady, etcd, certificates }
}

/** Reads all of one version from the volume of a Secret. @throws {VplaneError} `FAILED` when one cannot be read. */
export async function readCertificates(): Promise<PlaneCertificate[]> {
  // The kubelet replaces this folder in one step (k8s.io/kubernetes/pkg/volume/util, `AtomicWriter`).
  const folder = join(PKI_FOLDER, '..data')
  const names = await readdir(folder, { recursive: true })
  const files = await Promise.all(
    names
      .filter((name) => name.endsWith('.crt'))
      .map(async (name) => [name, await readFile(join(folder, name), 'utf8')] as const),
  )
  return listCertificates(Object.fromEntries(files))
}

interface Observed extends Omit<ComponentFigures, 'name'> {
  /** Whether it is to run. @default true */
  isWanted?: boolean
}

async function isReady(
  { namespace, settings }: Pick<PodWorld, 'namespace' | 'settings'>,
  signal: AbortSignal,
): Promise<boolean> {
  const server = `https://${objectName(settings.plane, 'api')}.${namespace}.svc`
  const certificateAuthority = await readFile(join(PKI_FOLDER, 'ca.crt'), 'utf8')
  return answersReady(async () => createKubeClient({ server, certificateAuthority }), signal)
}

async function membersOf(
  { namespace, settings }: Pick<PodWorld, 'namespace' | 'settings'>,
  signal: AbortSignal,
): Promise<EtcdFigures> {
  const { etcdMembers, plane } = settings
  const connectionTo = await membersInPods({ name: plane, namespace })
  const members = Array.from({ length: etcdMembers }, (_, ordinal) => ({
    instance: memberName(plane, ordinal),
    connection: connectionTo(ordinal),
  }))
  return etcdFigures(members, signal, READ_TIMEOUT_MS)
}

async function deploymentOf(
  { host, namespace, settings }: Pick<PodWorld, 'host' | 'namespace' | 'settings'>,
  component: AnyComponentName,
  signal: AbortSignal,
): Promise<Observed> {
  const name = objectName(settings.plane, component)
  const path = objectPath('deployments', { name, namespace })
  const deployment = await host.get(path, { signal })
  if (deployment === undefined) {
    return { isUp: false, reason: 'its workload is missing' }
  }
  const wanted = Number(fieldAt(deployment, 'spec', 'replicas') ?? 1)
  const ready = Number(fieldAt(deployment, 'status', 'readyReplicas') ?? 0)
  return {
    isWanted: wanted > 0,
    ...upIf(ready * 2 > wanted, `${ready} of ${wanted} pods pass their probes`),
  }
}

function upIf(isUp: boolean, reason: string): Observed {
  return isUp ? { isUp } : { isUp, reason }
}
