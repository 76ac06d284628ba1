import { createHash } from 'node:crypto'
import { PassThrough } from 'node:stream'
import { expect } from 'vitest'
import type { CreateRequest } from '../../../src/control-plane/driver/requests.ts'
import type { Operation } from '../../../src/control-plane/driver/operation.ts'
import { componentsOf } from '../../../src/control-plane/plane/plane.ts'
import { resolveSpec } from '../../../src/control-plane/spec/resolve-spec.ts'
import type { UserSpec } from '../../../src/control-plane/spec/spec.ts'
import type { Host, KubernetesContext } from '../../../src/drivers/kubernetes/context/context.ts'
import type { WatchEvent, KubeObject } from '../../../src/shared/kube/kube-object.ts'
import { recordName } from '../../../src/drivers/kubernetes/context/object-names.ts'
import { createPlane } from '../../../src/drivers/kubernetes/lifecycle/create-plane.ts'
import { wantedReplicas, workloadPath } from '../../../src/drivers/kubernetes/observed/workloads.ts'
import type { PlaneRecord } from '../../../src/drivers/kubernetes/record/plane-record.ts'
import {
  addRecord,
  readRecord,
  type ReadableRecord,
  replaceRecord,
  toReadable,
} from '../../../src/drivers/kubernetes/record/record-store.ts'
import { fieldAt, isRecord } from '../../../src/shared/json-fields.ts'
import { objectPathOf } from '../../../src/manifests/manifest.ts'
import {
  COMPONENT_LABEL,
  KEEPER_LABELS,
  KEEPER_NAME,
  MANAGED_BY,
  NAME_ANNOTATION,
  NAMESPACE_ANNOTATION,
  objectLabels,
  objectName,
  SYNCED_BY_LABEL,
  SYNCER,
  UID_ANNOTATION,
} from '../../../src/manifests/object-names.ts'
import { waitFor } from '../../../src/shared/wait.ts'
import { MemoryHostApi, type MemoryHostHooks, refusal } from '../../support/api/memory-host-api.ts'
import { RecordingUi } from '../../support/driver/recording-ui.ts'
import { planeRecordOf } from './plane-record-of.ts'

/** Tunnels of which only that of this process is expected. */
export const NO_TUNNELS: NonNullable<KubernetesContext['tunnels']> = {
  find: () => Promise.resolve(undefined),
  ensure: () => Promise.reject(new Error('no tunnel is expected')),
  inProcess: ({ name }) => Promise.resolve({ server: `https://127.0.0.1:20443/${name}` }),
}

/** A host cluster in memory, with a namespace `team-a`: workloads get their pods at once, and lose them so. */
export class FakeCluster implements Host {
  readonly context = 'lab'
  readonly namespace = 'team-a'
  readonly api: MemoryHostApi
  readonly ui = new RecordingUi()
  /** The current time of the context. */
  time = new Date('2026-06-01T12:00:00Z')
  /** Whether pods that are made are ready. */
  arePodsReady = true
  readonly #seen = new Map<string, { generation: number; spec: string }>()

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
      tunnels: NO_TUNNELS,
      ...parts,
    }
  }

  operation(fields: Partial<Operation> = {}): Operation {
    return { ui: this.ui, signal: AbortSignal.timeout(9000), ...fields }
  }

  /** A plane that was made. */
  create(name: string, fields: Partial<CreateRequest> = {}): Promise<ReadableRecord> {
    return createPlane(this.driverContext(), requestFor(name, fields), this.operation())
  }

  /** A plane that was stored, without anything of it. */
  store(name: string, fields: Parameters<typeof planeRecordOf>[1] = {}): Promise<ReadableRecord> {
    const place = { name, namespace: this.namespace }
    const { signal } = this.operation()
    return addRecord(this.api, place, { record: planeRecordOf(name, fields), signal })
  }

  /** A plane that runs pods as it is stored, with its workloads and their pods, and nothing else of it. */
  async storeSynced(name: string, fields: Parameters<typeof planeRecordOf>[1] = {}) {
    const stored = await this.store(name, { userSpec: SYNCED, ...fields })
    for (const component of componentsOf(stored.record.spec)) {
      const path = workloadPath(stored, component)
      const isShared = component === 'keeper'
      const labels = { ...objectLabels(name), [COMPONENT_LABEL]: component }
      const metadata = {
        name: isShared ? KEEPER_NAME : objectName(name, component),
        namespace: this.namespace,
        labels: isShared ? { ...KEEPER_LABELS } : labels,
      }
      this.api.put(path, { ...objectOf('Deployment', metadata), spec: { replicas: 1 } })
    }
    return stored
  }

  /** A pod of a plane, or something else, as its syncer makes it here. */
  putSynced(
    plane: string,
    [resource, name]: [keyof typeof SYNCED_KINDS, string],
    { spec = {}, ...metadata }: Partial<KubeObject['metadata']> & { spec?: object } = {},
  ): void {
    const { namespace } = this
    const labels = { [MANAGED_BY]: SYNCER, [SYNCED_BY_LABEL]: plane }
    const annotations = {
      [NAMESPACE_ANNOTATION]: 'default',
      [NAME_ANNOTATION]: name,
      [UID_ANNOTATION]: `uid of ${name}`,
    }
    const made = { name, namespace, labels, annotations, ...metadata }
    const object = objectOf(SYNCED_KINDS[resource], made)
    this.api.put(`/api/v1/namespaces/${namespace}/${resource}/${name}`, { ...object, spec })
  }

  /** What is left in a namespace of things that vplane labels, by path below the namespace. */
  remains(namespace = this.namespace): string[] {
    return [...this.api.objects.keys()]
      .filter((path) => path.includes(`/namespaces/${namespace}/`))
      .map((path) => path.slice(path.indexOf(`${namespace}/`) + namespace.length + 1))
      .toSorted()
  }

  /** The names of the pods that there are. */
  pods(): string[] {
    const pods = this.remains().filter((path) => path.startsWith('pods/'))
    return pods.map((path) => path.slice('pods/'.length))
  }

  /** The record of a plane as vplane reads it. */
  async stored(name: string): Promise<ReadableRecord> {
    const place = { name, namespace: this.namespace }
    const stored = await readRecord(this.api, place, this.operation())
    expect.assert(stored !== undefined)
    return toReadable(stored)
  }

  /** Writes a record of a plane that says something else. */
  async changeRecord(name: string, fields: Partial<PlaneRecord>): Promise<ReadableRecord> {
    const stored = await this.stored(name)
    const record = { ...stored.record, ...fields }
    return replaceRecord(this.api, stored, { record, signal: this.operation().signal })
  }

  /** Makes the record of a plane unreadable. */
  async damageRecord(name: string): Promise<void> {
    const path = `/api/v1/namespaces/${this.namespace}/secrets/${recordName(name)}`
    await this.api.patch(path, { data: { record: '' } }, { type: 'merge' })
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

  forward: Host['forward'] = () => {
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

  #control({ object, path, type }: WatchEvent & { path: string }): void {
    const [, root = ''] = /^(.*)\/(deployments|statefulsets)\//.exec(path) ?? []
    if (type === 'DELETED' && object.kind === 'Pod') {
      this.#replaceMember(object)
    }
    if (root === '' || type === 'DELETED') {
      return
    }
    this.#observe(object, path)
    const namespace = object.metadata.namespace ?? ''
    const pods = `/api/v1/namespaces/${namespace}/pods`
    for (let ordinal = 0; ordinal < 5; ordinal += 1) {
      const name = `${object.metadata.name}-${ordinal}`
      if (ordinal >= wantedReplicas(object)) {
        this.api.remove(`${pods}/${name}`)
      } else if (this.#isToMake(object, `${pods}/${name}`)) {
        this.api.put(`${pods}/${name}`, this.#podOf(object, name))
      }
    }
  }

  /** Pods are replaced when the template changes, except those of etcd's StatefulSet. */
  #isToMake(workload: KubeObject, path: string): boolean {
    const pod = this.api.objects.get(path)
    const isOld = pod?.metadata.labels?.[REVISION] !== revisionOf(workload)
    const isReplaced =
      workload.kind === 'Deployment' ||
      fieldAt(workload, 'spec', 'updateStrategy', 'type') === 'RollingUpdate'
    if (pod !== undefined && isOld && isReplaced) {
      this.api.remove(path)
    }
    return !this.api.objects.has(path)
  }

  /** What is deleted of a StatefulSet comes back by its template as it is now. */
  #replaceMember({ metadata }: KubeObject): void {
    const name = metadata.name?.replace(/-\d+$/, '') ?? ''
    const path = `/apis/apps/v1/namespaces/${metadata.namespace}/statefulsets/${name}`
    const statefulSet = this.api.objects.get(path)
    if (statefulSet !== undefined) {
      this.#control({ type: 'MODIFIED', object: statefulSet, path })
    }
  }

  /** Notes on a workload that it was looked at. */
  #observe(object: KubeObject, path: string): void {
    const seen = this.#seen.get(path)
    const spec = JSON.stringify(object['spec'])
    const generation = seen?.spec === spec ? seen.generation : (seen?.generation ?? 0) + 1
    this.#seen.set(path, { spec, generation })
    const replicas = wantedReplicas(object)
    const ready = this.arePodsReady ? replicas : 0
    const status = {
      observedGeneration: generation,
      replicas,
      updatedReplicas: replicas,
      readyReplicas: ready,
      updateRevision: revisionOf(object),
    }
    this.api.objects.set(path, { ...object, metadata: { ...object.metadata, generation }, status })
  }

  #podOf(workload: KubeObject, name: string): KubeObject {
    const { namespace = '' } = workload.metadata
    const labels = { ...workload.metadata.labels, [REVISION]: revisionOf(workload) }
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

/** On pods: which template they were made by. */
const REVISION = 'controller-revision-hash'

function revisionOf({ spec }: KubeObject): string {
  const text = JSON.stringify(isRecord(spec) ? spec['template'] : '') ?? ''
  return createHash('sha256').update(text).digest('hex').slice(0, 10)
}

/** The request for a plane in `team-a`. */
export function requestFor(
  name: string,
  { userSpec = {}, ...fields }: Partial<CreateRequest> = {},
): CreateRequest {
  const isDeclared = fields.declaredBy !== undefined
  const spec = resolveSpec(userSpec, 'kubernetes', { isDeclared })
  return { name, userSpec, spec, wait: false, ...fields }
}

/** An object of a core kind with nothing but its metadata. */
export function objectOf(kind: string, metadata: KubeObject['metadata']): KubeObject {
  return { apiVersion: 'v1', kind, metadata }
}

/** Stores an object as someone else would, in `team-a` and of a core kind unless it says otherwise; returns its path. */
export function putObject(
  api: MemoryHostApi,
  [kind, metadata]: [string, KubeObject['metadata'] & { name: string }],
  fields: object = {},
): string {
  const { labels = {}, namespace = 'team-a' } = metadata
  const object = { apiVersion: 'v1', kind, metadata: { ...metadata, labels, namespace }, ...fields }
  const path = objectPathOf(object)
  api.put(path, object)
  return path
}

/** A plane that runs pods. */
const SYNCED_KINDS = {
  pods: 'Pod',
  persistentvolumeclaims: 'PersistentVolumeClaim',
  services: 'Service',
} as const
const SYNCED: UserSpec = { sync: { serviceRange: '10.96.0.0/16' } }

/** An ephemeral plane, whose etcd has no volume. */
export const EPHEMERAL: UserSpec = { ephemeral: true }
