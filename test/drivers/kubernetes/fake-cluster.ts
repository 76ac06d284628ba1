import { PassThrough } from 'node:stream'
import type { CreateRequest, Operation } from '../../../src/control-plane/driver.ts'
import { resolveSpec } from '../../../src/control-plane/resolve-spec.ts'
import type { UserSpec } from '../../../src/control-plane/spec.ts'
import type { Host, KubernetesContext } from '../../../src/drivers/kubernetes/context.ts'
import type { HostEvent, HostObject } from '../../../src/drivers/kubernetes/host-api.ts'
import { recordName } from '../../../src/drivers/kubernetes/object-names.ts'
import { wantedReplicas } from '../../../src/drivers/kubernetes/start/workloads.ts'
import {
  addRecord,
  type ReadableRecord,
} from '../../../src/drivers/kubernetes/store/record-store.ts'
import { isRecord } from '../../../src/kube/kube-object.ts'
import { waitFor } from '../../../src/shared/wait.ts'
import { MemoryHostApi, type MemoryHostHooks, refusal } from '../../support/memory-host-api.ts'
import { RecordingUi } from '../../support/recording-ui.ts'
import { planeRecordOf } from './plane-record-of.ts'

/** A host cluster in memory, with a namespace `team-a`: workloads get their pods at once, and lose them so. */
export class FakeCluster implements Host {
  readonly context = 'lab'
  readonly namespace = 'team-a'
  readonly api: MemoryHostApi
  readonly ui = new RecordingUi()
  /** When it is, for whoever asks the context. */
  time = new Date('2026-06-01T12:00:00Z')
  /** Whether pods that are made are ready. */
  arePodsReady = true

  constructor(hooks: MemoryHostHooks = {}) {
    this.api = new MemoryHostApi({
      onRequest: async (request) => {
        this.#refuseWithoutNamespace(request.path, request.verb)
        await hooks.onRequest?.(request)
      },
      onChange: (event) => {
        this.#control(event)
        hooks.onChange?.(event)
      },
    })
    this.api.put('/api/v1/namespaces/team-a', objectOf('Namespace', { name: 'team-a' }))
  }

  /** What the driver stands on, with this cluster as its host. */
  driverContext(parts: Partial<KubernetesContext> = {}): KubernetesContext {
    return {
      host: () => Promise.resolve(this),
      now: () => this.time,
      makeServiceAccountKeys: () => Promise.resolve({ 'sa.key': 'a key', 'sa.pub': 'its half' }),
      preflight: () => Promise.resolve([]),
      diagnose: () => Promise.resolve([]),
      tunnels: {
        find: () => Promise.resolve(undefined),
        ensure: () => Promise.reject(new Error('no tunnel is expected')),
        inProcess: ({ name }) => Promise.resolve({ server: `https://127.0.0.1:20443/${name}` }),
      },
      ...parts,
    }
  }

  operation(fields: Partial<Operation> = {}): Operation {
    return { ui: this.ui, signal: AbortSignal.timeout(9000), ...fields }
  }

  /** A plane that was stored, without anything of it. */
  store(name: string, fields: Parameters<typeof planeRecordOf>[1] = {}): Promise<ReadableRecord> {
    const place = { name, namespace: this.namespace }
    const { signal } = this.operation()
    return addRecord(this.api, place, { record: planeRecordOf(name, fields), signal })
  }

  /** What is left in a namespace of things that vplane labels, by path below the namespace. */
  remains(namespace = this.namespace): string[] {
    return [...this.api.objects.keys()]
      .filter((path) => path.includes(`/namespaces/${namespace}/`))
      .map((path) => path.slice(path.indexOf(`${namespace}/`) + namespace.length + 1))
      .toSorted()
  }

  /** The record of a plane as it is stored. */
  recordOf(name: string): unknown {
    const path = `/api/v1/namespaces/${this.namespace}/secrets/${recordName(name)}`
    const data = this.api.objects.get(path)?.['data']
    const text = isRecord(data) ? String(data['record']) : ''
    return JSON.parse(Buffer.from(text, 'base64').toString())
  }

  /** Returns when something has happened. */
  async until(condition: () => boolean): Promise<void> {
    await waitFor(() => Promise.resolve(condition()), {
      what: 'it to happen',
      timeoutMs: 5000,
      intervalMs: 2,
    })
  }

  forward(): Promise<PassThrough> {
    return Promise.resolve(new PassThrough())
  }

  #refuseWithoutNamespace(path: string, verb: string): void {
    const [, namespace] = /\/namespaces\/([^/]+)\//.exec(path) ?? []
    if (namespace === undefined || verb !== 'create') {
      return
    }
    const found = this.api.objects.get(`/api/v1/namespaces/${namespace}`)
    if (found === undefined) {
      throw refusal(404, `namespaces "${namespace}" not found`)
    }
    if (found.metadata['deletionTimestamp'] !== undefined) {
      throw refusal(
        403,
        `unable to create new content in namespace ${namespace} because it is being terminated`,
      )
    }
  }

  #control({ object, path, type }: HostEvent & { path: string }): void {
    const [, root = ''] = /^(.*)\/(deployments|statefulsets)\//.exec(path) ?? []
    if (root === '' || type === 'DELETED') {
      return
    }
    const namespace = object.metadata.namespace ?? ''
    const pods = `/api/v1/namespaces/${namespace}/pods`
    for (let ordinal = 0; ordinal < 5; ordinal += 1) {
      const name = `${object.metadata.name}-${ordinal}`
      if (ordinal >= wantedReplicas(object)) {
        this.api.remove(`${pods}/${name}`)
      } else if (!this.api.objects.has(`${pods}/${name}`)) {
        this.api.put(`${pods}/${name}`, this.#podOf(object, name))
      }
    }
  }

  #podOf({ metadata }: HostObject, name: string): HostObject {
    const { labels = {}, namespace = '' } = metadata
    const creationTimestamp = this.time.toISOString()
    return {
      ...objectOf('Pod', { name, namespace, labels, creationTimestamp }),
      status: {
        podIP: '10.244.0.7',
        hostIP: '10.99.1.10',
        conditions: [{ type: 'Ready', status: this.arePodsReady ? 'True' : 'False' }],
        containerStatuses: [{ state: { running: { startedAt: creationTimestamp } } }],
      },
    }
  }
}

/** The request for a plane in `team-a`. */
export function requestFor(
  name: string,
  { userSpec = {}, ...fields }: Partial<CreateRequest> = {},
): CreateRequest {
  return { name, userSpec, spec: resolveSpec(userSpec, 'kubernetes'), wait: false, ...fields }
}

/** An object of a core kind with nothing but its metadata. */
export function objectOf(kind: string, metadata: HostObject['metadata']): HostObject {
  return { apiVersion: 'v1', kind, metadata }
}

/** An ephemeral plane, whose etcd has no volume. */
export const EPHEMERAL: UserSpec = { ephemeral: true }
