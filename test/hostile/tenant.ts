import type { KubeClient } from '../../src/kube/client/client.ts'
import { causesOf, httpStatusOf } from '../../src/kube/kube-error.ts'
import type { KubeObject } from '../../src/shared/kube/kube-object.ts'
import { type Resource, collectionPath, objectPath } from '../../src/shared/kube/collections.ts'
import { oneOf } from '../support/random-numbers.ts'
import { claim, service } from '../support/host/planes/workloads.ts'
import { probePod, type ProbeTarget } from './probe-pod.ts'
import {
  type FieldValues,
  randomFields,
  type RandomObjectOptions,
  withFields,
  withoutInvalid,
} from './random-objects.ts'

export interface TenantOptions extends RandomObjectOptions {
  plane: Pick<KubeClient, 'create' | 'delete' | 'patch'>
  targets: readonly ProbeTarget[]
  /** What all its Secrets have. */
  mark: string
}

interface Kind {
  kind: string
  resource: Resource
  /** How many there are at once. */
  most: number
  hasStatus: boolean
  base: (name: string) => { metadata: KubeObject['metadata'] }
}

interface Made {
  kind: Kind
  name: string
}

const NAMESPACE = 'default'
/** Names that could be those of other objects on the host. */
const NAMES = ['a', 'a-x-default', 'a-x-default-x-dev', 'kube-root-ca.crt', 'vplane-dev-ca', 'own']
/** How many objects there are at once, of kinds that cost more than others. */
const MOST: Partial<Record<Resource, number>> = { persistentvolumeclaims: 5, pods: 8 }

/** A user who may do everything in a plane, and does random things there. */
export class Tenant {
  readonly #options: TenantOptions
  readonly #kinds: readonly Kind[]
  readonly #made: Made[] = []
  #count = 0
  /** What the API of the plane did with requests. */
  readonly counts = { made: 0, changed: 0, ended: 0, refused: 0 }

  constructor(options: TenantOptions) {
    this.#options = options
    this.#kinds = kindsOf(options)
  }

  /** Makes, changes or ends a random object. */
  async act(signal: AbortSignal): Promise<void> {
    const { random } = this.#options
    const kind = this.#one(this.#kinds)
    const made = this.#made.filter((one) => one.kind === kind)
    const action = random()
    if (made.length >= kind.most || (made.length > 0 && action < 0.15)) {
      await this.#end(this.#one(made), signal)
    } else if (made.length > 0 && action < 0.5) {
      await this.#change(this.#one(made), signal)
    } else {
      await this.#make(kind, signal)
    }
  }

  async #make(kind: Kind, signal: AbortSignal): Promise<void> {
    this.#count += 1
    const plain = this.#one(NAMES)
    const isTaken = this.#made.some((one) => one.kind === kind && one.name === plain)
    const name = isTaken || this.#options.random() < 0.7 ? `own-${this.#count}` : plain
    const { kind: title, resource } = kind
    const base = { apiVersion: apiVersionOf(resource), kind: title, ...kind.base(name) }
    const isMade = await this.#until(randomFields(title, this.#options), (fields) =>
      this.#options.plane.create(collectionPath(resource, NAMESPACE), withFields(base, fields), {
        signal,
      }),
    )
    if (isMade) {
      this.#made.push({ kind, name })
      this.counts.made += 1
    }
  }

  async #change({ kind, name }: Made, signal: AbortSignal): Promise<void> {
    const part = kind.hasStatus && this.#options.random() < 0.3 ? 'status' : 'spec'
    const path = objectPath(kind.resource, { name, namespace: NAMESPACE })
    const empty = { apiVersion: '', kind: '', metadata: {} }
    const isChanged = await this.#until(randomFields(kind.kind, this.#options, part), (fields) => {
      const { apiVersion: _version, kind: _kind, ...body } = withFields(empty, fields)
      const at = part === 'status' ? `${path}/status` : path
      return this.#options.plane.patch(at, body, { type: 'merge', signal })
    })
    this.counts.changed += Number(isChanged)
  }

  async #end(made: Made, signal: AbortSignal): Promise<void> {
    const path = objectPath(made.kind.resource, { name: made.name, namespace: NAMESPACE })
    // A finalizer of the tenant would keep it.
    const body = { metadata: { finalizers: null } }
    await this.#until([], () => this.#options.plane.patch(path, body, { type: 'merge', signal }))
    await this.#until([], () => this.#options.plane.delete(path, { signal }))
    this.#made.splice(this.#made.indexOf(made), 1)
    this.counts.ended += 1
  }

  /** Whether a request succeeded, if necessary without those fields that the API refuses. */
  async #until(
    fields: FieldValues,
    request: (fields: FieldValues) => Promise<unknown>,
  ): Promise<boolean> {
    try {
      await request(fields)
      return true
    } catch (error) {
      if (httpStatusOf(error) === undefined) {
        throw error
      }
      this.counts.refused += 1
      const named = causesOf(error).map(({ field }) => field)
      return fields.length > 0 && (await this.#until(withoutInvalid(fields, named), request))
    }
  }

  #one<T>(values: readonly T[]): T {
    return oneOf(values, this.#options.random)
  }
}

function apiVersionOf(resource: Resource): string {
  return collectionPath(resource)
    .replace(/^\/apis?\//, '')
    .replace(/\/[^/]*$/, '')
}

/** The synced kinds, each with what makes an object valid. */
function kindsOf({ mark, targets }: TenantOptions): Kind[] {
  const data = { a: btoa(mark) }
  const named = (name: string) => ({ metadata: { name } })
  const selector = { matchLabels: { app: 'own' } }
  const kind = (title: string, resource: Resource, base: Kind['base']): Kind => {
    const hasStatus = !['configmaps', 'endpointslices', 'networkpolicies', 'secrets'].includes(
      resource,
    )
    return { kind: title, resource, base, most: MOST[resource] ?? 20, hasStatus }
  }
  return [
    kind('Pod', 'pods', (name) => probePod(name, targets)),
    kind('Pod', 'pods', (name) => withVolumes(probePod(name, targets))),
    kind('Secret', 'secrets', (name) => ({ ...named(name), data })),
    kind('ConfigMap', 'configmaps', (name) => ({ ...named(name), data: { a: 'b' } })),
    kind('Service', 'services', (name) => service(name)),
    kind('PersistentVolumeClaim', 'persistentvolumeclaims', (name) => claim(name)),
    kind('EndpointSlice', 'endpointslices', (name) => ({
      metadata: { name, labels: { 'kubernetes.io/service-name': 'own' } },
      addressType: 'IPv4',
      endpoints: [],
    })),
    kind('Ingress', 'ingresses', (name) => ({
      ...named(name),
      spec: { defaultBackend: { service: { name: 'own', port: { number: 80 } } } },
    })),
    kind('NetworkPolicy', 'networkpolicies', (name) => ({
      ...named(name),
      spec: { podSelector: {}, egress: [{}], ingress: [{}] },
    })),
    kind('PodDisruptionBudget', 'poddisruptionbudgets', (name) => ({
      ...named(name),
      spec: { minAvailable: 0, selector },
    })),
  ]
}

const MOUNTS = [{ name: 'v', mountPath: '/mnt/v' }]

/** The same pod with a volume, which random fields say more of. */
function withVolumes(made: ReturnType<typeof probePod>) {
  const [server, ...others] = made.spec.containers
  return {
    ...made,
    spec: {
      ...made.spec,
      containers: [{ ...server, volumeMounts: MOUNTS }, ...others],
      volumes: [{ name: 'v' }],
    },
  }
}
