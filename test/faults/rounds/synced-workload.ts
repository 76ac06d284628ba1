import type { KubeObject } from '../../../src/shared/kube/kube-object.ts'
import { isReadyPod } from '../../../src/drivers/kubernetes/observed/observed-plane.ts'
import { NAME_ANNOTATION, UID_ANNOTATION } from '../../../src/manifests/object-names.ts'
import type { HostCli } from '../../support/host/host-cli.ts'
import {
  claim,
  deployment,
  pod,
  serverContainer,
  shellContainer,
} from '../../support/host/planes/workloads.ts'

const REPLICAS = 2

/** What a plane runs: servers of a Deployment, and a claim that has its volume. */
export interface SyncedWorkload {
  /** What is not as it is to be, by the host namespace that the plane is in now. */
  faults(namespace: string): Promise<string[]>
  /** Makes the claim again, whose volume has stayed elsewhere. */
  bindAgain(): Promise<void>
}

/** Starts what a plane is to run, and returns when it does. */
export async function createSyncedWorkload(cli: HostCli, plane: string): Promise<SyncedWorkload> {
  const inPlane = (words: readonly string[], input?: object) =>
    cli.ok(
      ['connect', plane, '--', 'kubectl', ...words],
      input === undefined ? {} : { input: JSON.stringify(input) },
    )
  const itemsOnHost = async (kind: string): Promise<KubeObject[]> => {
    const flags = ['--all-namespaces', '--selector', `vplane.dev/synced-by=${plane}`]
    return (await cli.hostJson(['get', kind, ...flags])).items
  }
  const claims = async () => {
    const found = await itemsOnHost('persistentvolumeclaims')
    return found
      .filter(({ metadata }) => metadata.annotations?.[NAME_ANNOTATION] === 'data')
      .map(({ metadata }) => String(metadata.uid))
  }
  const bind = async () => {
    await inPlane(['create', '--filename', '-'], listOf(claim('data'), BINDER))
    const bound = '--for=jsonpath={.status.phase}=Bound'
    await inPlane(['wait', 'persistentvolumeclaim/data', bound, '--timeout=120s'])
    await inPlane(['delete', 'pod', 'binder', '--now'])
    return claims()
  }
  await inPlane(['create', '--filename', '-'], listOf(SERVERS))
  let known = await bind()
  await inPlane(['rollout', 'status', 'deployment/web', '--timeout=120s'])
  return {
    bindAgain: async () => {
      await inPlane(['delete', 'persistentvolumeclaim', 'data'])
      known = await bind()
    },
    faults: async (namespace) => {
      const [virtual, host, ownClaims, service, endpoint] = await Promise.all([
        inPlane(['get', 'pods', '--output', 'json']).then(itemsOf),
        itemsOnHost('pods'),
        claims(),
        inPlane(['get', 'service', 'kubernetes', ADDRESS]),
        cli.host(['get', 'service', `vplane-${plane}-api`, '--namespace', namespace, ADDRESS]),
      ])
      return [
        ...podFaults(virtual, host),
        ...differing('the claim', ownClaims, known),
        ...differing('the address of kubernetes', [service], [endpoint]),
      ]
    },
  }
}

const ADDRESS = '--output=jsonpath={.spec.clusterIP}'

const SERVERS = deployment('web', { replicas: REPLICAS, containers: [serverContainer()] })

/** A volume is made when a pod is to use it. */
const MOUNT = { volumeMounts: [{ name: 'data', mountPath: '/data' }] }
const BINDER = pod('binder', [shellContainer('binder', 'sleep 3600', MOUNT)], {
  volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }],
})

/** The servers are ready, and there is one host pod for each virtual pod, and none besides. */
function podFaults(virtual: readonly KubeObject[], host: readonly KubeObject[]): string[] {
  const ready = virtual.filter(isReadyPod)
  const stands = host.map(({ metadata }) => metadata.annotations?.[UID_ANNOTATION])
  const uids = virtual.map(({ metadata }) => metadata.uid)
  return [
    ...differing('the pods that are ready', [ready.length], [REPLICAS]),
    ...differing('the host pods that are ready', [host.filter(isReadyPod).length], [REPLICAS]),
    ...differing('what host pods stand for', stands, uids),
  ]
}

function differing(what: string, found: readonly unknown[], wanted: readonly unknown[]): string[] {
  const [is, isToBe] = [found, wanted].map((all) => all.map(String).toSorted().join(', '))
  return is === isToBe ? [] : [`${what}: ${is}, not ${isToBe}`]
}

function itemsOf(text: string): KubeObject[] {
  const { items }: { items: KubeObject[] } = JSON.parse(text)
  return items
}

function listOf(...items: object[]): object {
  return { apiVersion: 'v1', kind: 'List', items }
}
