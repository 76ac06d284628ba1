import type { KubeObject } from '../../shared/kube/kube-object.ts'
import { keyOf, type ObjectKey, toObjectKey } from '../../kube/cache/object-key.ts'
import type { SyncContext } from '../context/sync-context.ts'
import { refusalOf } from '../fields/synced-fields.ts'
import { type KnownOnHost, virtualNameOf } from '../host-objects/host-objects-named.ts'
import { hostKeyOf } from '../translate/host-name.ts'
import { secretsNamedBy, toHostIngress } from '../translate/kinds/ingress.ts'
import { isRefusal } from '../translate/refusal.ts'

/** Kinds that are copied to the host only while a pod or an ingress uses them. */
export type UsedResource = 'configmaps' | 'secrets'

/** Receives the objects whose use has begun or ended. */
export type UseListener = (resource: UsedResource, keys: readonly ObjectKey[]) => void

type UsesContext = Pick<SyncContext, 'hostClasses' | 'surroundings' | 'translatePod'> & KnownOnHost

/**
 * Which ConfigMaps and Secrets the plane's pods and ingresses need on the host. One that is refused needs nothing, unless the
 * host has it since before: then it keeps what it has.
 */
export class Uses {
  readonly configmaps = new Usage()
  readonly secrets = new Usage()
  readonly #context: UsesContext
  readonly #onChange: UseListener

  constructor(context: UsesContext, onChange: UseListener) {
    this.#context = context
    this.#onChange = onChange
  }

  /** Records what a pod uses: nothing when it was deleted. */
  recordPod(pod: KubeObject, { isGone = false } = {}): void {
    const translated = isGone ? undefined : this.#context.translatePod(pod)
    const isOnHost = translated && (!isRefusal(translated) || this.#onHost('pods', pod))
    // What a pod needs cannot change.
    const needs = isOnHost ? translated.needs : undefined
    this.#set('configmaps', pod, needs?.configMaps)
    this.#set('secrets', pod, needs?.secrets)
  }

  recordIngress(ingress: KubeObject, { isGone = false } = {}): void {
    this.#set('secrets', ingress, isGone ? [] : this.#secretsOf(ingress))
  }

  #secretsOf(ingress: KubeObject): string[] {
    const { hostClasses, scope, surroundings } = this.#context
    const translated =
      refusalOf(scope, 'ingresses', ingress) ??
      toHostIngress(ingress, { ...surroundings, ...hostClasses() })
    if (!isRefusal(translated)) {
      return translated.needs.secrets
    }
    const known = this.#onHost('ingresses', ingress)
    const names = known === undefined ? [] : secretsNamedBy(known)
    return names.flatMap((name) => virtualNameOf(this.#context, name) ?? [])
  }

  #onHost(resource: 'ingresses' | 'pods', { metadata }: KubeObject): KubeObject | undefined {
    const { name = '', namespace } = metadata
    return this.#context[resource].host.get(hostKeyOf(this.#context.scope, { name, namespace }))
  }

  #set(resource: UsedResource, user: KubeObject, names: readonly string[] = []): void {
    const { namespace } = user.metadata
    const keys = names.map((name) => toObjectKey({ name, namespace }))
    const changed = this[resource].set(`${user.kind}:${keyOf(user)}`, keys)
    if (changed.length > 0) {
      this.#onChange(resource, changed)
    }
  }
}

/** Which objects are used by which others. */
export class Usage {
  readonly #usedBy = new Map<ObjectKey, Set<string>>()
  readonly #usesOf = new Map<string, ReadonlySet<ObjectKey>>()

  /** Records what one user of objects uses now; returns the objects whose use by it has begun or ended. */
  set(user: string, uses: Iterable<ObjectKey>): ObjectKey[] {
    const before = this.#usesOf.get(user) ?? new Set()
    const now = new Set(uses)
    const added = [...now].filter((key) => !before.has(key))
    const removed = [...before].filter((key) => !now.has(key))
    for (const key of added) {
      const users = this.#usedBy.get(key) ?? new Set()
      this.#usedBy.set(key, users.add(user))
    }
    for (const key of removed) {
      const users = this.#usedBy.get(key)
      users?.delete(user)
      if (users?.size === 0) {
        this.#usedBy.delete(key)
      }
    }
    if (now.size === 0) {
      this.#usesOf.delete(user)
    } else {
      this.#usesOf.set(user, now)
    }
    return [...added, ...removed]
  }

  isUsed(key: ObjectKey): boolean {
    return this.#usedBy.has(key)
  }
}
