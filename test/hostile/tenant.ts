import type { KubeClient } from '../../src/kube/client/client.ts'
import { causesOf, httpStatusOf } from '../../src/kube/kube-error.ts'
import { nodeContainer } from '../support/host/planes/workloads.ts'
import { oneOf } from '../support/random-numbers.ts'
import {
  type FieldValues,
  type Part,
  randomFields,
  type RandomObjectOptions,
  withFields,
  withoutInvalid,
} from './random-objects.ts'
import { apiVersionOf, type KindOptions, type TenantKind, tenantKinds } from './tenant-kinds.ts'

export interface TenantOptions extends RandomObjectOptions, KindOptions {
  plane: Pick<KubeClient, 'create' | 'delete' | 'list' | 'patch'>
}

/** Names that ephemeral containers get: a host may have added a container of this name to its pod. */
const INJECTED = ['debug', 'istio-proxy', 'linkerd-proxy', 'vault-agent']

/** The subresource of a part. */
const PATHS = { spec: '', status: '/status', ephemeralContainers: '/ephemeralcontainers' }

interface Made {
  kind: TenantKind
  name: string
}

/** A user who may do everything in a plane, and does random things there. */
export class Tenant {
  readonly #options: TenantOptions
  readonly #kinds: readonly TenantKind[]
  #made: Made[] = []
  #count = 0
  /** What the API of the plane did with requests. */
  readonly counts = { made: 0, changed: 0, entered: 0, ended: 0, refused: 0 }

  constructor(options: TenantOptions) {
    this.#options = options
    this.#kinds = tenantKinds(options)
  }

  /** Makes, changes or ends a random object. */
  async act(signal: AbortSignal): Promise<void> {
    const { random } = this.#options
    const kind = this.#one(this.#kinds)
    const made = await this.#present(kind, signal)
    const action = random()
    if (made.length >= kind.most || (made.length > 0 && action < 0.15)) {
      await this.#end(this.#one(made), signal)
    } else if (made.length > 0 && action < 0.5) {
      await this.#change(this.#one(made), signal)
    } else {
      await this.#make(kind, signal)
    }
  }

  /** The objects of a kind that it made, or all that there are. */
  async #present(kind: TenantKind, signal: AbortSignal): Promise<Made[]> {
    if (kind.isShared !== true) {
      return this.#made.filter((one) => one.kind === kind)
    }
    const { items } = await this.#options.plane.list(kind.collection, { signal })
    return items.map(({ metadata: { name = '' } }) => ({ kind, name }))
  }

  async #make(kind: TenantKind, signal: AbortSignal): Promise<void> {
    this.#count += 1
    const plain = this.#one(kind.names)
    const isTaken = this.#made.some((one) => one.kind === kind && one.name === plain)
    const name = isTaken || this.#options.random() < 0.7 ? `own-${this.#count}` : plain
    const { kind: title, collection } = kind
    const base = { apiVersion: apiVersionOf(collection), kind: title, ...kind.base(name) }
    const { plane } = this.#options
    const isMade = await this.#until(randomFields(title, this.#options), (fields) =>
      plane.create(collection, withFields(base, fields), { signal }),
    )
    if (isMade) {
      this.#made.push({ kind, name })
      this.counts.made += 1
      const [inside, object] = kind.content?.(name) ?? []
      if (inside !== undefined && object !== undefined) {
        await this.#until([], () => plane.create(inside, object, { signal }))
      }
    }
  }

  async #change({ kind, name }: Made, signal: AbortSignal): Promise<void> {
    const part = this.#partOf(kind)
    const path = `${kind.collection}/${name}${PATHS[part]}`
    const isEntered = part === 'ephemeralContainers'
    const base = {
      apiVersion: '',
      kind: '',
      metadata: {},
      ...(isEntered && { spec: { ephemeralContainers: [this.#ephemeral()] } }),
    }
    // Another type would replace the ephemeral containers that the pod has, which its API refuses.
    const type = isEntered ? 'strategic' : 'merge'
    const isChanged = await this.#until(randomFields(kind.kind, this.#options, part), (fields) => {
      const { apiVersion: _version, kind: _kind, ...body } = withFields(base, fields)
      return this.#options.plane.patch(path, body, { type, signal })
    })
    this.counts.changed += Number(isChanged)
    this.counts.entered += Number(isChanged && isEntered)
  }

  #partOf({ hasStatus, kind }: TenantKind): Part {
    const choice = this.#options.random()
    return hasStatus && choice < 0.3
      ? 'status'
      : kind === 'Pod' && choice < 0.6
        ? 'ephemeralContainers'
        : 'spec'
  }

  #ephemeral(): object {
    return nodeContainer(this.#one(INJECTED), 'console.log(process.env)')
  }

  async #end(made: Made, signal: AbortSignal): Promise<void> {
    const path = `${made.kind.collection}/${made.name}`
    // A finalizer of the tenant would keep it.
    const body = { metadata: { finalizers: null } }
    await this.#until([], () => this.#options.plane.patch(path, body, { type: 'merge', signal }))
    await this.#until([], () => this.#options.plane.delete(path, { signal }))
    this.#made = this.#made.filter(({ kind, name }) => kind !== made.kind || name !== made.name)
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
