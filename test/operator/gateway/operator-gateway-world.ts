import { expect, onTestFinished } from 'vitest'
import type { Plane } from '../../../src/control-plane/plane/plane.ts'
import { resolveSpec } from '../../../src/control-plane/spec/resolve-spec.ts'
import type { UserSpec } from '../../../src/control-plane/spec/spec.ts'
import type { PlacedName } from '../../../src/drivers/kubernetes/context/object-names.ts'
import {
  addRecord,
  readRecord,
  toReadable,
} from '../../../src/drivers/kubernetes/record/record-store.ts'
import type { KubeClient } from '../../../src/kube/client/client.ts'
import { gatewayPlanesOf } from '../../../src/manifests/gateway-records.ts'
import {
  objectLabels,
  objectName,
  OPERATOR_GATEWAY,
  OPERATOR_GATEWAY_LABELS,
} from '../../../src/manifests/object-names.ts'
import { OperatorGateway } from '../../../src/operator/gateway/operator-gateway.ts'
import { VplaneError } from '../../../src/shared/errors.ts'
import { fieldAt, recordsAt } from '../../../src/shared/json-fields.ts'
import { FakeCluster, objectOf, putObject } from '../../drivers/kubernetes/fake-cluster.ts'
import { planeRecordOf } from '../../drivers/kubernetes/plane-record-of.ts'
import { memoryClient } from '../../support/api/memory-client.ts'

/** A plane that any client wakes. */
export const ANY: UserSpec = { idle: '1m', wake: { by: 'any' } }

/** For what the operator does once a second. */
export const PATIENT = { timeout: 5000 }

const SINCE = '2026-06-01T12:00:00.000Z'

/** An operator in the namespace `system`, with planes in the namespace `team-a`. It ends with the test. */
export class World {
  readonly #stop = new AbortController()
  readonly cluster = new FakeCluster()
  readonly api = this.cluster.api
  readonly looks: string[] = []
  readonly declared: Array<{ place: PlacedName; plane: Plane | undefined }>
  readonly gateway: OperatorGateway
  running: Promise<void> | undefined
  /** Whether the host denies watches. */
  isDenied = false

  constructor(...specs: Array<UserSpec | undefined>) {
    this.declared = specs.map((userSpec, index) => {
      const place = { name: index === 0 ? 'dev' : `dev-${index}`, namespace: 'team-a' }
      return { place, plane: userSpec && planeOf(place, userSpec) }
    })
    const containers = [{ name: 'operator', image: 'node:24', imagePullPolicy: 'Always' }]
    this.#putNamespace('system')
    putObject(this.api, ['Deployment', { name: 'vplane-operator', namespace: 'system' }], {
      apiVersion: 'apps/v1',
      spec: { template: { spec: { containers } } },
    })
    this.#putEndpoint('team-a')
    this.gateway = new OperatorGateway({
      host: this.#host(),
      namespace: 'system',
      declared: () => this.declared,
      checkNow: ({ name }) => this.looks.push(name),
      boardOf: () => ({
        read: async () => ({ count: 0, recent: [], watchers: [] }),
        write: async () => {},
      }),
      report: () => {},
      programOf: () => '',
      log: () => {},
      now: () => this.cluster.time,
      nodesMs: 1,
    })
    onTestFinished(() => this.stop())
  }

  get signal(): AbortSignal {
    return this.#stop.signal
  }

  stop(): void {
    this.#stop.abort()
  }

  run(): void {
    this.running ??= this.gateway.run(this.signal)
  }

  /** Declares a plane `dev` in another namespace, too. */
  declareIn(namespace: string): void {
    const place = { name: 'dev', namespace }
    this.#putNamespace(namespace)
    this.#putEndpoint(namespace)
    this.declared.push({ place, plane: planeOf(place, ANY) })
  }

  putPod(
    name: string,
    { isEnding = false, isReady = true, ips = ['10.1.0.1', 'fd00::1'] } = {},
  ): void {
    const metadata = { name, namespace: 'system', labels: { ...OPERATOR_GATEWAY_LABELS } }
    const deletionTimestamp = isEnding ? { deletionTimestamp: '2026-06-01T12:00:00Z' } : {}
    putObject(this.api, ['Pod', { ...metadata, ...deletionTimestamp, uid: name }], {
      spec: { nodeName: 'n1' },
      status: {
        phase: 'Running',
        podIPs: ips.map((ip) => ({ ip })),
        conditions: [{ type: 'Ready', status: isReady ? 'True' : 'False' }],
      },
    })
  }

  #putNamespace(name: string): void {
    this.api.put(`/api/v1/namespaces/${name}`, objectOf('Namespace', { name }))
  }

  #putEndpoint(namespace: string): void {
    const metadata = { name: objectName('dev', 'api'), namespace, labels: objectLabels('dev') }
    putObject(this.api, ['Service', metadata], {
      spec: {
        selector: { a: 'b' },
        ports: [{ name: 'https', port: 443, targetPort: 'https' }],
        ipFamilies: ['IPv4', 'IPv6'],
      },
    })
  }

  /** The memory does not tell when it has listed all. */
  #host(): KubeClient {
    const client = memoryClient(this.api)
    const refuse = () => {
      if (this.isDenied) {
        throw new VplaneError('FAILED', 'the watch is denied')
      }
    }
    return {
      ...client,
      async *watch(path, options) {
        refuse()
        for await (const event of client.watch(path, options)) {
          yield event
          options.onListed?.()
        }
      },
    }
  }

  /** Has the plane sleep at the gateway, until the returned function is called. */
  async sleep(namespace = 'team-a'): Promise<{
    woken: PlacedName & { id: string }
    ended: Promise<unknown>
    end: () => Promise<unknown>
  }> {
    this.putPod('first')
    this.run()
    const place = { name: 'dev', namespace }
    const id = `id-in-${namespace}`
    const record = planeRecordOf('dev', { id, userSpec: ANY, desired: 'paused', idleSince: SINCE })
    await addRecord(this.api, place, { record, signal: this.signal })
    await expect.poll(() => this.deployment, PATIENT).toBeDefined()
    const woken = { id, ...place }
    const end = new AbortController()
    const signal = AbortSignal.any([this.signal, end.signal])
    const ended = this.gateway
      .gatewayOf({ ...woken, isAsleep: true })
      .reconcile(signal)
      .catch(() => {})
    await expect.poll(() => this.slice('ipv6', namespace), PATIENT).toBeDefined()
    return {
      woken,
      ended,
      end: () => {
        end.abort()
        return ended
      },
    }
  }

  /** What is recorded that a plane is to do. */
  async desired(namespace: string): Promise<string | undefined> {
    const place = { name: 'dev', namespace }
    const stored = await readRecord(this.api, place, { signal: this.signal })
    return stored && toReadable(stored).record.desired
  }

  get deployment(): unknown {
    return this.api.objects.get(`/apis/apps/v1/namespaces/system/deployments/${OPERATOR_GATEWAY}`)
  }

  get planes(): Map<string, unknown> {
    const path = `/api/v1/namespaces/system/configmaps/${OPERATOR_GATEWAY}-planes`
    return gatewayPlanesOf(this.api.objects.get(path))
  }

  slice(family: 'ipv4' | 'ipv6', namespace = 'team-a') {
    const name = `vplane-dev-api-gateway-${family}`
    const path = `/apis/discovery.k8s.io/v1/namespaces/${namespace}/endpointslices/${name}`
    return this.api.objects.get(path)
  }

  get endpoints(): unknown[] {
    return recordsAt(this.slice('ipv4'), 'endpoints').map((one) => [
      fieldAt(one, 'targetRef', 'name'),
      ...['ready', 'serving', 'terminating'].map((condition) =>
        fieldAt(one, 'conditions', condition),
      ),
    ])
  }
}

/** A plane as a ControlPlane declares it. */
export function planeOf(place: PlacedName, userSpec: UserSpec): Plane {
  return {
    ...place,
    id: '1',
    driver: 'kubernetes',
    createdAt: new Date(),
    writtenBy: '',
    userSpec,
    spec: resolveSpec(userSpec, 'kubernetes', { isDeclared: true }),
    desired: 'running',
  }
}
