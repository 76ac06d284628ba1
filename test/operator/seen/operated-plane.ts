import type { Driver } from '../../../src/control-plane/driver/driver.ts'
import type { UserSpec } from '../../../src/control-plane/spec/spec.ts'
import { KubernetesDriver } from '../../../src/drivers/kubernetes/kubernetes-driver.ts'
import type { KubeClient } from '../../../src/kube/client/client.ts'
import {
  type Memory,
  reconcileControlPlane,
  type ReconcileDependencies,
} from '../../../src/operator/reconcile-control-plane.ts'
import { changesOf } from '../../../src/operator/seen/changes-of.ts'
import { PlaneObjects } from '../../../src/operator/seen/plane-objects.ts'
import { seenApi } from '../../../src/operator/seen/seen-api.ts'
import { objectPath } from '../../../src/shared/kube/collections.ts'
import type { KubeObject } from '../../../src/shared/kube/kube-object.ts'
import { FakeCluster } from '../../drivers/kubernetes/fake-cluster.ts'
import { fakeClient } from '../../support/api/fake-client.ts'
import { FakePlaneApi } from '../../support/api/fake-plane-api.ts'
import { memoryClient } from '../../support/api/memory-client.ts'

export const PLACE = { name: 'dev', namespace: 'team-a' }

/** An operator that has made the plane `dev`. */
export async function operatedPlane(): Promise<Operated> {
  const operated = new Operated()
  await operated.declare({ idle: '1h', renew: true, expose: { type: 'node-port' } })
  return operated
}

/** An operator that watches the objects of planes on a host in memory, until the stack is disposed. */
export class Operated implements AsyncDisposable {
  readonly cluster = new FakeCluster()
  readonly host: KubeClient = memoryClient(this.cluster.api)
  readonly objects = new PlaneObjects(this.host, { now: () => this.cluster.time })
  readonly reads: KubeClient = seenApi(this.host, this.objects)
  readonly driver: Driver
  readonly seen: Driver
  readonly memory: Memory = {}
  readonly #api = new FakePlaneApi()
  readonly #stop = new AbortController()
  readonly #running: Promise<void>

  constructor() {
    const { tunnels: _, ...context } = this.cluster.driverContext()
    const { reads } = this
    const { context: name, forward, namespace } = this.cluster
    this.driver = new KubernetesDriver(context)
    this.seen = new KubernetesDriver({
      ...context,
      host: async () => ({ context: name, namespace, forward, api: reads }),
      live: context.host,
    })
    this.#running = this.objects.run(this.#stop.signal).catch(() => {})
  }

  /** Has the operator make a plane `dev`. */
  async declare(spec: UserSpec): Promise<void> {
    this.cluster.api.put(objectPath('controlplanes', PLACE), {
      apiVersion: 'vplane.dev/v1beta1',
      kind: 'ControlPlane',
      metadata: { ...PLACE, generation: 1, finalizers: ['vplane.dev/control-plane'] },
      spec: { ...spec },
    })
    this.#api.runControllers()
    await this.look()
    // It records that there is data.
    await this.look()
  }

  /** What the operator does when it looks at the plane; returns what it asked the host. */
  async look(): Promise<string[]> {
    const { memory, resource } = this
    return this.asked(() =>
      reconcileControlPlane(this.dependencies(), { memory, resource }, this.signal),
    )
  }

  /** What is asked of the host meanwhile, once all watches have told what was before. */
  async asked(work: () => Promise<unknown>): Promise<string[]> {
    const { requests } = this.cluster.api
    await new Promise((resolve) => setTimeout(resolve, 20))
    const before = requests.length
    await work()
    return requests.slice(before)
  }

  get resource(): KubeObject {
    const found = this.cluster.api.objects.get(objectPath('controlplanes', PLACE))
    if (found === undefined) {
      throw new Error('there is no ControlPlane')
    }
    return found
  }

  get signal(): AbortSignal {
    return this.#stop.signal
  }

  dependencies(): ReconcileDependencies {
    const { driver, host, objects, seen } = this
    return {
      driver,
      drivers: [driver],
      seen,
      host,
      changesOf: (place) => changesOf(objects, place),
      now: () => this.cluster.time,
      accesses: {
        read: async () => undefined,
        write: async () => {},
        remove: async () => {},
      },
      contexts: { remove: async () => undefined },
      tunnels: { stop: async () => false },
      openApi: ({ server }) => fakeClient(this.#api, { server, certificateAuthority: '' }),
      timeoutMs: 5000,
      snapshotsOf: () => Promise.reject(new Error('there is no place for snapshots')),
      report: () => {},
      reportOn: () => () => {},
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort()
    await this.#running
  }
}
