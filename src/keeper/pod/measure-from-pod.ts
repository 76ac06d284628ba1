import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { answersReady } from '../../control-plane/api/answers-ready.ts'
import type { AnyComponentName } from '../../control-plane/plane/plane.ts'
import type {
  ComponentFigures,
  EtcdFigures,
  PlaneFigures,
} from '../../control-plane/status/plane-figures.ts'
import { etcdFigures } from '../../etcd/status/etcd-figures.ts'
import { createKubeClient } from '../../kube/client/client.ts'
import { objectName } from '../../manifests/object-names.ts'
import { memberName } from '../../manifests/pod-layout.ts'
import { membersInPods } from './etcd-in-pods.ts'
import { PKI_FOLDER, type PodWorld } from './pod-world.ts'
import { readCertificates } from './read-certificates.ts'
import { fieldAt } from '../../shared/json-fields.ts'
import { objectPath } from '../../shared/kube/collections.ts'

/** How long one may take to say how it is, in milliseconds: what works does so at once. */
const ANSWER_MS = 3000

/**
 * How a plane works, seen from a pod beside it: etcd and the API say so themselves, of the others the host does. undefined
 * while the plane is at rest or on its way there: what a component needs is stopped after it.
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
    readCertificates(PKI_FOLDER),
  ])
  const own: Partial<Record<AnyComponentName, Look>> = {
    etcd: etcd.members.some(({ isWorking }) => isWorking)
      ? { isUp: true }
      : { isUp: false, reason: 'no member of it knows a leader' },
    'kube-apiserver': isApiReady
      ? { isUp: true }
      : { isUp: false, reason: 'the API does not say that it is ready' },
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

interface Look extends Omit<ComponentFigures, 'name'> {
  /** It is to run. @default true */
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
  const dialerFor = await membersInPods({ name: plane, namespace })
  const members = Array.from({ length: etcdMembers }, (_, ordinal) => ({
    instance: memberName(plane, ordinal),
    connection: dialerFor(ordinal),
  }))
  return etcdFigures(members, signal, ANSWER_MS)
}

/** How many pods of a Deployment are ready, and whether there are to be any. */
async function deploymentOf(
  { host, namespace, settings }: Pick<PodWorld, 'host' | 'namespace' | 'settings'>,
  component: AnyComponentName,
  signal: AbortSignal,
): Promise<Look> {
  const name = objectName(settings.plane, component)
  const path = objectPath('deployments', { name, namespace })
  const deployment = await host.get(path, { signal })
  if (deployment === undefined) {
    return { isUp: false, reason: 'its workload is gone' }
  }
  const wanted = Number(fieldAt(deployment, 'spec', 'replicas') ?? 1)
  const ready = Number(fieldAt(deployment, 'status', 'readyReplicas') ?? 0)
  return {
    isWanted: wanted > 0,
    isUp: ready * 2 > wanted,
    ...(ready * 2 > wanted ? {} : { reason: `${ready} of ${wanted} pods pass their probes` }),
  }
}
