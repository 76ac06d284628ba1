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
import { fileIn, type PodFiles, type PodWorld } from './pod-world.ts'
import { omitUndefined } from '../../shared/omit-undefined.ts'
import { fieldAt } from '../../shared/json-fields.ts'

/** A member that works answers at once. */
const READ_TIMEOUT_MS = 3000

/**
 * Measures a plane from a pod of its namespace: asks etcd and the API, and looks at the Deployments of the other components.
 * Returns undefined while the plane is or is being paused: Deployments are scaled to 0 before etcd and the API stop.
 *
 * @throws {VplaneError} `UNREACHABLE`, `FAILED` when the host or the certificates cannot be read.
 */
export async function measureFromPod(
  world: MeasuredWorld,
  signal: AbortSignal,
): Promise<PlaneFigures | undefined> {
  const files = await world.files(signal)
  const [isReady, etcd] = await Promise.all([
    isServed(world, files, signal),
    membersOf(world, files, signal),
  ])
  const own: Partial<Record<AnyComponentName, Observed>> = {
    etcd: upIf(
      etcd?.members.some(({ isWorking }) => isWorking) === true,
      'no member knows a leader',
    ),
    // Only kube-apiserver reaches it, and is not ready without it.
    kine: upIf(isReady, 'the API does not report that it is ready'),
    'kube-apiserver': upIf(isReady, 'the API does not report that it is ready'),
    keeper: { isUp: true },
  }
  const components: ComponentFigures[] = []
  for (const name of world.settings.components) {
    const { isWanted = true, ...figures } = own[name] ?? deploymentOf(world, name)
    if (!isWanted) {
      return undefined
    }
    components.push({ name, ...figures })
  }
  const certificates = certificatesIn(files)
  return { components, isApiReady: isReady, certificates, ...omitUndefined({ etcd }) }
}

/** @throws {VplaneError} `FAILED` when one cannot be read. */
export function certificatesIn(files: PodFiles): PlaneCertificate[] {
  const certificates = Object.entries(files).filter(([name]) => name.endsWith('.crt'))
  return listCertificates(Object.fromEntries(certificates))
}

type MeasuredWorld = Pick<PodWorld, 'deployment' | 'files' | 'namespace' | 'settings'>

interface Observed extends Omit<ComponentFigures, 'name'> {
  /** Whether it is to run. @default true */
  isWanted?: boolean
}

/** Does not ask the endpoint of the plane, which may lead to the gateway. */
async function isServed(
  { namespace, settings }: MeasuredWorld,
  files: PodFiles,
  signal: AbortSignal,
): Promise<boolean> {
  const server = `https://${objectName(settings.name, 'kube-apiserver')}.${namespace}.svc`
  const certificateAuthority = fileIn(files, 'ca.crt')
  return answersReady(async () => createKubeClient({ server, certificateAuthority }), signal)
}

/** Undefined for a plane that has another store than etcd. */
async function membersOf(
  { namespace, settings }: MeasuredWorld,
  files: PodFiles,
  signal: AbortSignal,
): Promise<EtcdFigures | undefined> {
  const { etcdMembers, name: plane } = settings
  if (etcdMembers === 0) {
    return undefined
  }
  const connectionTo = membersInPods({ name: plane, namespace }, files)
  const members = Array.from({ length: etcdMembers }, (_, ordinal) => ({
    instance: memberName(plane, ordinal),
    connection: connectionTo(ordinal),
  }))
  return etcdFigures(members, signal, READ_TIMEOUT_MS)
}

function deploymentOf(
  { deployment: find, settings }: MeasuredWorld,
  component: AnyComponentName,
): Observed {
  const deployment = find(objectName(settings.name, component))
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
