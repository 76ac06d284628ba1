import { ObjectCache } from '../../kube/cache/object-cache.ts'
import { toObjectKey } from '../../kube/cache/object-key.ts'
import type { KubeClient } from '../../kube/client/client.ts'
import {
  isAsleepIn,
  type KeeperSettings,
  keeperSettingsOf,
  settingsSelector,
} from '../../manifests/keeper-settings.ts'
import { planesName } from '../../manifests/gateway-records.ts'
import { GATEWAY_NAME } from '../../manifests/object-names.ts'
import { planeSelector } from '../../drivers/kubernetes/context/object-names.ts'
import { messageOf } from '../../shared/errors.ts'
import { fieldAt } from '../../shared/json-fields.ts'
import { collectionPath } from '../../shared/kube/collections.ts'
import { omitUndefined } from '../../shared/omit-undefined.ts'
import type { KubeObject } from '../../shared/kube/kube-object.ts'

/** What the keeper does for a plane now. */
export interface KeptPlane extends KeeperSettings {
  /** It sleeps, and is kept for the clients that wake it. @default false */
  isAsleep?: boolean
  /** The uid of what the gateway knows, while the plane sleeps: with another one it is told again. @default unknown */
  gatewayUid?: string | undefined
}

/** The planes of a namespace that need its keeper now, as watches show them. */
export class KeptPlanes {
  readonly #settings: ObjectCache
  readonly #deployments: ObjectCache
  readonly #gateway: ObjectCache
  #gatewayUid: string | undefined
  readonly #namespace: string
  readonly #log: (line: string) => void
  readonly #refused = new Set<string>()
  /** Until something changes: there may be a thousand planes, which are listed twice a second. */
  #listed: readonly KeptPlane[] | undefined

  constructor(host: Pick<KubeClient, 'watch'>, namespace: string, log: (line: string) => void) {
    this.#namespace = namespace
    this.#log = log
    this.#settings = new ObjectCache(host, collectionPath('configmaps', namespace), {
      labelSelector: settingsSelector({ isKept: true }),
    })
    this.#deployments = new ObjectCache(host, collectionPath('deployments', namespace), {
      labelSelector: planeSelector(),
      keep: replicasOnly,
    })
    this.#gateway = new ObjectCache(host, collectionPath('configmaps', namespace), {
      fieldSelector: `metadata.name=${planesName(GATEWAY_NAME)}`,
      metadataOnly: true,
    })
    this.#gateway.onChange(({ metadata }) => (this.#gatewayUid = metadata.uid))
    for (const cache of [this.#settings, this.#gateway]) {
      cache.onChange(() => (this.#listed = undefined))
    }
  }

  /** Fulfilled when all planes are known. */
  async untilListed(): Promise<void> {
    await Promise.all(this.#caches.map(({ listed }) => listed))
  }

  /** Watches until the signal fires, and throws its reason. @throws {VplaneError} `FAILED` when access is denied. */
  async run(signal: AbortSignal): Promise<void> {
    await Promise.all(this.#caches.map((cache) => cache.run(signal)))
  }

  get #caches(): ObjectCache[] {
    return [this.#settings, this.#deployments, this.#gateway]
  }

  list(): readonly KeptPlane[] {
    this.#listed ??= [...this.#settings.values()].flatMap((configMap) => this.#parse(configMap))
    return this.#listed
  }

  /** Returns the Deployment of this name with nothing but its replicas. */
  deployment(name: string): KubeObject | undefined {
    return this.#deployments.get(toObjectKey({ name, namespace: this.#namespace }))
  }

  /** Settings that someone else has damaged keep no other plane from its duties. */
  #parse(configMap: KubeObject): KeptPlane[] {
    const { name = '', resourceVersion = '' } = configMap.metadata
    try {
      const settings = keeperSettingsOf(configMap)
      const gatewayUid = this.#gatewayUid
      return [isAsleepIn(configMap) ? { ...settings, isAsleep: true, gatewayUid } : settings]
    } catch (error) {
      const key = `${name} ${resourceVersion}`
      if (!this.#refused.has(key)) {
        this.#refused.add(key)
        this.#log(`error: cannot read the ConfigMap "${name}": ${messageOf(error)}`)
      }
      return []
    }
  }
}

function replicasOnly(object: KubeObject): KubeObject {
  const { apiVersion, kind } = object
  const { name, namespace, resourceVersion } = object.metadata
  return {
    apiVersion,
    kind,
    metadata: omitUndefined({ name, namespace, resourceVersion }),
    spec: { replicas: fieldAt(object, 'spec', 'replicas') },
    status: { readyReplicas: fieldAt(object, 'status', 'readyReplicas') },
  }
}
